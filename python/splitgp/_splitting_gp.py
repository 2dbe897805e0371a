"""The streaming model itself."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from splitgp import _core, _options
from splitgp._arrays import ahead_of, floats, observation_rows, rows, times
from splitgp._keywords import TakesKeywords
from splitgp._results import Explanation, ForgetResult, Prediction, TrainResult
from splitgp._saving import Saving
from splitgp._signature import takes_options

__all__ = ["SplittingGP"]


def _renamed(old: str, new: str) -> None:
    warnings.warn(f"{old} is now {new}", DeprecationWarning, stacklevel=3)


@takes_options()
class SplittingGP(TakesKeywords, Saving):
    """Streaming Gaussian-process regression whose every update is bounded by ``split_limit``.

    The model is a set of local GPs that share one kernel. An observation goes to the local GP with
    the most similar center; one that owns more than ``split_limit`` observations is split in two,
    which changes neither predictions nor their cost abruptly. A prediction is a continuous weighted
    average of the local GPs near the query. Inputs and outputs may be in any units: nothing needs
    scaling.

    Any number of Python threads may use one model: predictions run in parallel, updates one at a
    time, and neither holds the interpreter's lock.

    Parameters
    ----------
    {options}

    Examples
    --------
    >>> import numpy as np
    >>> import splitgp
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (400, 2))
    >>> y = 3 * X[:, 0] + np.sin(4 * X[:, 1]) + 0.1 * rng.standard_normal(400)
    >>> gp = splitgp.SplittingGP(split_limit=100)
    >>> _ = gp.update(X, y)
    >>> gp.n_observations, gp.n_local > 1
    (400, True)
    >>> prediction = gp.predict(X[:5])
    >>> prediction.mean.shape, prediction.variance.shape
    ((5,), (5,))
    >>> bool(np.abs(prediction.mean - y[:5]).max() < 0.5)
    True
    """

    def _accept(self, keywords: dict[str, Any]) -> None:
        fixed = keywords["fixed"]
        self._keywords = {
            **keywords,
            "fixed": fixed if isinstance(fixed, str) else tuple(fixed or ()),
        }
        self._options = _options.make(self._keywords)
        # Made by the first update, which tells the number of inputs and outputs.
        self._model = None
        self._flat = True

    def update(
        self,
        X: ArrayLike,
        y: ArrayLike,
        noise_variance: ArrayLike | None = None,
        time: ArrayLike | None = None,
    ) -> _core.UpdateResult:
        """Learn the rows of X and y, in order.

        The model is the same, bit for bit, whether rows come one by one or many at once. If any
        value is not finite, the whole call is rejected and the model stays as it was.

        Parameters
        ----------
        X : array of shape (n, d)
            C-ordered float64 arrays are read in place, others are copied.
        y : array of shape (n,) or (n, p)
            p outputs share everything but y. Predictions have the shape of the first call's y.
        noise_variance : float or array of shape (n,), optional
            Each observation's own known noise, added to the one that training learns.
        time : float or array of shape (n,), optional
            When each was observed, in the unit of the option `max_age`, which needs it.

        Returns
        -------
        UpdateResult
            What happened: ``local_gp`` (who owns each row), ``z`` (how surprising it was),
            ``alarms``, ``splits``, ``trained``, …

        Examples
        --------
        >>> import splitgp
        >>> gp = splitgp.SplittingGP()
        >>> result = gp.update([[0.0, 1.0], [2.0, 3.0]], [1.0, 2.0])
        >>> len(result), result.splits, result.local_gp.tolist()
        (2, 0, [0, 0])
        >>> gp.update([[0.0, float("nan")]], [1.0])
        Traceback (most recent call last):
        ValueError: x[1] of row 0 is nan; it must be finite and at most 1e+150 in magnitude
        """
        X, y, noise_variance, flat = observation_rows(X, y, noise_variance)
        model = self._model
        if model is None:
            model = _core.Model(X.shape[1], y.shape[1], self._options)
            result = model.update(X, y, noise_variance, times(time, len(X)), flat)
            self._model, self._flat = model, flat  # only now: a rejected call fixes nothing
            return result
        return model.update(X, y, noise_variance, times(time, len(X)), self._flat)

    def forget(self, sequences: ArrayLike) -> ForgetResult:
        """Forget observations, given by their sequence numbers (`UpdateResult.sequence`).

        Every local GP then answers as if it had never held them. Numbers that are unknown,
        forgotten already or given twice are a ValueError that names them, and nothing is forgotten.
        Options that forget by themselves: `window_size`, `max_observations`, `max_age`.

        Examples
        --------
        >>> import splitgp
        >>> gp = splitgp.SplittingGP()
        >>> result = gp.update([[0.0], [1.0], [2.0]], [1.0, 2.0, 300.0])
        >>> gp.forget(result.sequence[2:])
        ForgetResult(forgotten=1, merged=0)
        >>> gp.n_observations, gp.n_seen
        (2, 3)
        >>> gp.forget([2])
        Traceback (most recent call last):
        ValueError: sequences names observations that are forgotten already: 2
        """
        numbers = np.asarray(sequences)
        if numbers.size == 0:
            numbers = numbers.astype(np.uint64)
        if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or (numbers < 0).any():
            raise ValueError(f"sequences is {sequences!r:.80}; it must be a list of integers ≥ 0")
        return ForgetResult(**self._ready().forget(numbers.tolist()))

    def forget_before(self, sequence: int) -> ForgetResult:
        """Forget all observations with smaller numbers.

        Examples
        --------
        >>> import splitgp
        >>> gp = splitgp.SplittingGP()
        >>> _ = gp.update([[0.0], [1.0], [2.0]], [1.0, 2.0, 3.0])
        >>> gp.forget_before(gp.n_seen - 1)
        ForgetResult(forgotten=2, merged=0)
        """
        number = _options.integer("sequence", sequence, 0, 2**63 - 1)
        return ForgetResult(**self._ready().forget_before(number))

    def predict(
        self, X: ArrayLike, ahead: ArrayLike | None = 1, *, gradient: bool = False
    ) -> Prediction:
        """Predict at the rows of X.

        Far from all observations the answer is the prior's mean and variance.

        Parameters
        ----------
        X : array of shape (n, d)
            Where to predict.
        ahead : number, array of shape (n,), or None
            When each row is answered for. 1 is the next row of the stream, h the row h rows later
            than the last one learned, and None, or NaN in an array, an unknown time. Every row is
            answered for itself, so 1 means that each of them is the next row.
        gradient : bool
            Also give the exact derivatives of `mean`, `variance` and `noise_variance` by the
            inputs, as `mean_gradient`, `variance_gradient` and `noise_variance_gradient`. With
            one output this takes at most 2.5 times as long.

        Examples
        --------
        >>> import splitgp
        >>> gp = splitgp.SplittingGP()
        >>> _ = gp.update([[0.0], [1.0], [2.0]], [[1.0, 5.0], [2.0, 6.0], [3.0, 7.0]])
        >>> gp.predict([[1.0]]).mean.shape  # y had two outputs
        (1, 2)
        >>> gp.predict([[1.0]], gradient=True).mean_gradient.shape
        (1, 2, 1)
        """
        model = self._ready()
        answer = model.predict_gradient if gradient else model.predict
        return Prediction(*answer(rows("X", X), ahead_of(ahead), self._flat))

    def predict_then_update(
        self,
        X: ArrayLike,
        y: ArrayLike,
        noise_variance: ArrayLike | None = None,
        time: ArrayLike | None = None,
    ) -> tuple[Prediction, _core.UpdateResult]:
        """Predict each row, then learn it; for scoring a stream.

        The bits are those of one `predict` and one `update` for each row, in less time. Arguments
        are as in `update`.

        Returns
        -------
        Prediction, UpdateResult
            What the model expected of each row before it learned that row, and what happened then.

        Examples
        --------
        >>> import numpy as np, splitgp
        >>> X = np.linspace(0, 6, 200).reshape(-1, 1)
        >>> y = np.sin(X[:, 0])
        >>> gp = splitgp.SplittingGP(split_limit=50)
        >>> before, result = gp.predict_then_update(X, y)
        >>> result.splits > 0, bool(np.abs(before.mean - y)[100:].max() < 0.05)
        (True, True)
        """
        X, y, noise_variance, flat = observation_rows(X, y, noise_variance)
        model = self._model
        if model is None:
            model = _core.Model(X.shape[1], y.shape[1], self._options)
        else:
            flat = self._flat
        at = times(time, len(X))
        before, result = model.predict_then_update(X, y, noise_variance, at, flat)
        self._model, self._flat = model, flat  # only now: a rejected call fixes nothing
        return Prediction(*before), result

    def explain(self, x: ArrayLike) -> Explanation:
        """Predict at one input and show each local GP's prediction and weight.

        Examples
        --------
        >>> import splitgp
        >>> gp = splitgp.SplittingGP()
        >>> _ = gp.update([[0.0], [1.0]], [1.0, 2.0])
        >>> explanation = gp.explain([0.5])
        >>> [(local.local_gp, local.weight) for local in explanation.local]
        [(0, 1.0)]
        """
        x = floats("x", x)
        if x.ndim != 1:
            raise ValueError(f"x has shape {x.shape}; it must be (inputs,)")
        return Explanation._from_core(self._ready().explain(x))

    def train(self) -> TrainResult:
        """Train the hyperparameters now, whatever the schedule; the work is bounded at any size.

        Examples
        --------
        >>> import numpy as np, splitgp
        >>> X = np.linspace(0, 6, 50).reshape(-1, 1)
        >>> gp = splitgp.SplittingGP(training="off")
        >>> _ = gp.update(X, np.sin(X[:, 0]))
        >>> gp.train().adopted
        True
        """
        return TrainResult._from_core(self._ready().train())

    def finish_training(self) -> None:
        """Wait for a background training that is running, and adopt its result."""
        if self._model is not None:
            self._model.finish_training()

    def refit(self, most: int | None = None) -> int:
        """Bring at most `most` local GPs (default: all) to the current hyperparameters.

        Updates also do this, one local GP at a time; call it when there is time to spare. Returns
        how many are still behind.
        """
        if self._model is None:
            return 0
        return self._model.refit(self.n_local if most is None else int(most))

    def set_threads(self, threads: int) -> None:
        """Change the option `threads`, the only one that may change later.

        Examples
        --------
        >>> import splitgp
        >>> gp = splitgp.SplittingGP()
        >>> gp.set_threads(2)
        >>> gp
        SplittingGP(threads=2)
        """
        threads = _options.convert("threads", threads)
        if self._model is not None:
            self._model.set_threads(threads)
        self._keywords = {**self._keywords, "threads": threads}
        self._options = _options.make(self._keywords)

    def bound_latency(self) -> None:
        """Get ready for a control loop, after the first `update`.

        All memory is taken and touched in advance, for as many observations as `max_observations`
        or `window_size` let the model hold. From then on an update waits for no training, and does
        a bounded amount of work: what costs much, such as bringing new hyperparameters to a local
        GP, is spread over many updates. `training` must be "background" or "off". docs/control.md
        says how much work and memory that is. A copy and a loaded model have to be
        asked again.

        Raises
        ------
        ValueError
            If the options leave memory or work without bound; the message names the option.

        Examples
        --------
        >>> import splitgp
        >>> gp = splitgp.SplittingGP(capacity=50, max_observations=200, training="background")
        >>> _ = gp.update([[0.0], [1.0]], [1.0, 2.0])
        >>> gp.bound_latency()
        >>> gp.latency_is_bounded
        True
        """
        self._ready().bound_latency()

    @property
    def latency_is_bounded(self) -> bool:
        """Whether `bound_latency` was called."""
        return self._model is not None and self._model.latency_is_bounded()

    def set_factor_cache_limit(self, limit: int) -> None:
        """Let only the `limit` local GPs that were used last keep their factors; 0: all of them.

        This trades time for memory: with a large `split_limit`, factors are most of a model. One
        that is needed again is rebuilt, which changes answers by rounding alone.

        Examples
        --------
        >>> import numpy as np, splitgp
        >>> X = np.linspace(0, 60, 2000).reshape(-1, 1)
        >>> gp = splitgp.SplittingGP(split_limit=100, training="off")
        >>> _ = gp.update(X, np.sin(X[:, 0]))
        >>> before = gp.memory_bytes
        >>> gp.set_factor_cache_limit(3)
        >>> gp.memory_bytes < before / 3
        True
        """
        self._ready().set_factor_cache_limit(int(limit))

    def reserve(self) -> None:
        """Earlier name of `bound_latency`."""
        _renamed("reserve", "bound_latency")
        self.bound_latency()

    @property
    def is_reserved(self) -> bool:
        """Earlier name of `latency_is_bounded`."""
        _renamed("is_reserved", "latency_is_bounded")
        return self.latency_is_bounded

    def set_awake_limit(self, limit: int) -> None:
        """Earlier name of `set_factor_cache_limit`."""
        _renamed("set_awake_limit", "set_factor_cache_limit")
        self.set_factor_cache_limit(limit)
