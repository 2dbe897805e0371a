"""The streaming model itself."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from splitgp import _core, _options
from splitgp._arrays import floats, observation_rows, rows
from splitgp._facts import Facts
from splitgp._keywords import TakesKeywords
from splitgp._results import (
    ColumnStatistics,
    Explanation,
    Hyperparameters,
    LocalGPPoints,
    LocalGPSummary,
    Observations,
    Prediction,
    SplitRecord,
    TrainResult,
)
from splitgp._signature import takes_options

__all__ = ["SplittingGP"]


@takes_options()
class SplittingGP(TakesKeywords, Facts):
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
        self._model: _core.Model | None = None
        self._flat = True

    def update(
        self, X: ArrayLike, y: ArrayLike, noise_variance: ArrayLike | None = None
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

        Returns
        -------
        UpdateResult
            What happened: ``local_gp`` (who owns each row), ``splits``, ``trained``, …

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
            result = model.update(X, y, noise_variance)
            self._model, self._flat = model, flat  # only now: a rejected call fixes nothing
            return result
        return model.update(X, y, noise_variance)

    def predict(self, X: ArrayLike) -> Prediction:
        """Predict at the rows of X.

        Far from all observations the answer is the prior's mean and variance.

        Examples
        --------
        >>> import splitgp
        >>> gp = splitgp.SplittingGP()
        >>> _ = gp.update([[0.0], [1.0], [2.0]], [[1.0, 5.0], [2.0, 6.0], [3.0, 7.0]])
        >>> gp.predict([[1.0]]).mean.shape  # y had two outputs
        (1, 2)
        """
        return Prediction(*self._ready().predict(rows("X", X), self._flat))

    def predict_then_update(
        self, X: ArrayLike, y: ArrayLike, noise_variance: ArrayLike | None = None
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
        before, result = model.predict_then_update(X, y, noise_variance, flat)
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
        SplittingGP(split_limit=250, threads=2)
        """
        threads = _options.convert("threads", threads)
        if self._model is not None:
            self._model.set_threads(threads)
        self._keywords = {**self._keywords, "threads": threads}
        self._options = _options.make(self._keywords)

    def set_awake_limit(self, limit: int) -> None:
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
        >>> gp.set_awake_limit(3)
        >>> gp.memory_bytes < before / 3
        True
        """
        self._ready().set_awake_limit(int(limit))

    @property
    def hyperparameters(self) -> Hyperparameters:
        """θ now. Assigning a mapping or Hyperparameters replaces it.

        Examples
        --------
        >>> import splitgp
        >>> gp = splitgp.SplittingGP(training="off")
        >>> _ = gp.update([[0.0, 0.0]], [1.0])
        >>> gp.hyperparameters = {"length_scale": [1.0, 2.0], "noise_variance": 0.1}
        >>> gp.hyperparameters.length_scale, gp.hyperparameters.noise_variance
        (array([1., 2.]), 0.1)
        """
        return Hyperparameters(**self._ready().hyperparameters())

    @hyperparameters.setter
    def hyperparameters(self, values: dict[str, Any] | Hyperparameters) -> None:
        self._ready().set_hyperparameters(_options.hyperparameters_dict(values))

    @property
    def theta_version(self) -> int:
        """How often the hyperparameters have changed.

        Each local GP remembers the version that its factor was made with.
        """
        return 0 if self._model is None else self._model.theta_version

    @property
    def split_history(self) -> list[SplitRecord]:
        """Every split so far."""
        if self._model is None:
            return []
        return [SplitRecord(**one) for one in self._model.split_history()]

    @property
    def local_gps(self) -> list[LocalGPSummary]:
        """The local GPs: center, size, condition, memory."""
        if self._model is None:
            return []
        return [LocalGPSummary(**one) for one in self._model.local_gps()]

    @property
    def n_local(self) -> int:
        """How many local GPs there are."""
        return 0 if self._model is None else self._model.n_local

    @property
    def input_statistics(self) -> ColumnStatistics:
        """Mean and standard deviation of each input, over all observations so far.

        Examples
        --------
        >>> import splitgp
        >>> gp = splitgp.SplittingGP()
        >>> _ = gp.update([[0.0, 5.0], [2.0, 5.0]], [1.0, 3.0])
        >>> gp.input_statistics.mean, gp.input_statistics.spread
        (array([1., 5.]), array([1., 0.]))
        >>> gp.output_statistics.mean
        array([2.])
        """
        return ColumnStatistics(**self._ready().input_statistics())

    @property
    def output_statistics(self) -> ColumnStatistics:
        """The same for each output."""
        return ColumnStatistics(**self._ready().output_statistics())

    def observations(self) -> Observations:
        """A copy of all observations: X, y and noise_variance, in the order in which they came.

        Examples
        --------
        >>> import splitgp
        >>> gp = splitgp.SplittingGP()
        >>> _ = gp.update([[0.0], [1.0]], [5.0, 6.0])
        >>> X, y, noise_variance = gp.observations()
        >>> y
        array([5., 6.])
        """
        X, y, noise_variance, _ = self._ready().observations()
        return Observations(X, self._like_y(y), noise_variance)

    def points(self, local_gp: int) -> LocalGPPoints:
        """A copy of what one local GP conditions on, and which of it is its own.

        Examples
        --------
        >>> import numpy as np, splitgp
        >>> X = np.linspace(0, 6, 120).reshape(-1, 1)
        >>> gp = splitgp.SplittingGP(split_limit=50, training="off")
        >>> _ = gp.update(X, np.sin(X[:, 0]))
        >>> sum(int(gp.points(i).owned.sum()) for i in range(gp.n_local))
        120
        """
        X, y, noise_variance, sequence, owned = self._ready().points(local_gp)
        return LocalGPPoints(X, self._like_y(y), noise_variance, sequence, owned)

    def _like_y(self, outputs: Any) -> Any:
        return outputs[:, 0] if self._flat else outputs

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the model to one file, which `SplittingGP.load` and the splitgp command read.

        Parameters
        ----------
        path : path
            The file to make.
        overwrite : bool
            Replace a file that exists; without it that is a FileExistsError.

        Examples
        --------
        >>> import os, tempfile, splitgp
        >>> gp = splitgp.SplittingGP()
        >>> _ = gp.update([[0.0], [1.0]], [1.0, 2.0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "model.splitgp")
        ...     gp.save(path)
        ...     again = splitgp.SplittingGP.load(path)
        >>> again.n_observations
        2
        """
        target = Path(path)
        if target.exists() and not overwrite:
            raise FileExistsError(f"{target} exists; pass overwrite=True to replace it")
        model = self._ready()
        # Written beside the target and then moved, so that there is never half a file.
        with tempfile.TemporaryDirectory(prefix=".splitgp-", dir=target.parent) as folder:
            fresh = Path(folder) / target.name
            _core.save(model, fresh, "flat" if self._flat else "columns")
            os.replace(fresh, target)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SplittingGP:
        """Read a model that `save` or the splitgp command wrote. The file is left as it is."""
        source = Path(path)
        if not source.exists():
            raise FileNotFoundError(f"{source} does not exist")
        model, note = _core.load(source)
        self = cls.__new__(cls)
        self._adopt(model, model.n_outputs == 1 if note is None else note == "flat")
        return self

    def _adopt(self, model: _core.Model, flat: bool) -> None:
        self._model, self._flat = model, flat
        self._options = model.options()
        self._keywords = _options.keywords_of(self._options)

    def _ready(self) -> _core.Model:
        if self._model is None:
            raise ValueError("the model has no observations yet; call update first")
        return self._model

    def __copy__(self) -> SplittingGP:
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        if self._model is not None:
            other._model = self._model.copy()
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> SplittingGP:
        return self.__copy__()

    def __getstate__(self) -> dict[str, Any]:
        state = {"keywords": self._keywords, "flat": self._flat, "file": None}
        if self._model is not None:
            with tempfile.TemporaryDirectory(prefix="splitgp-") as folder:
                self.save(Path(folder) / "model")
                state["file"] = (Path(folder) / "model").read_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._keywords, self._flat = state["keywords"], state["flat"]
        self._options = _options.make(self._keywords)
        self._model = None
        if state["file"] is not None:
            with tempfile.TemporaryDirectory(prefix="splitgp-") as folder:
                path = Path(folder) / "model"
                path.write_bytes(state["file"])
                self._model, _ = _core.load(path)

    def _summary(self) -> list[tuple[str, str]]:
        if self._model is None:
            return [("observations", "0")]
        theta = self.hyperparameters
        scales = ", ".join(f"{value:.3g}" for value in theta.length_scale[:6])
        return [
            ("observations", f"{self.n_observations:,}"),
            ("inputs → outputs", f"{self.n_inputs} → {self.n_outputs}"),
            ("local GPs", f"{self.n_local:,}"),
            ("memory", f"{self.memory_bytes / 1e6:,.1f} MB"),
            ("kernel", theta.kernel),
            ("length_scale", scales + (", …" if len(theta.length_scale) > 6 else "")),
            ("signal_variance", f"{theta.signal_variance:.4g}"),
            ("noise_variance", f"{theta.noise_variance:.4g}"),
            ("trainings", str(len(self.training_history))),
        ]

    def __repr__(self) -> str:
        chosen = ", ".join(_options.shown(self._keywords, always=("split_limit",)))
        text = f"SplittingGP({chosen})"
        if self._model is None:
            return text
        return (
            f"<{text}: {_count(self.n_observations, 'observation')} in "
            f"{_count(self.n_local, 'local GP')}, {_count(self._model.n_inputs, 'input')}, "
            f"{_count(self._model.n_outputs, 'output')}, "
            f"{_count(len(self.training_history), 'training')}, "
            f"kernel {self.hyperparameters.kernel}>"
        )

    def _repr_html_(self) -> str:
        lines = "".join(
            f"<tr><th style='text-align:left'>{name}</th><td>{value}</td></tr>"
            for name, value in self._summary()
        )
        return f"<table><caption><b>SplittingGP</b></caption>{lines}</table>"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
