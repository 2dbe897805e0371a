"""Other ways to do streaming GP regression, behind the interface of `splitgp.SplittingGP`.

They share its kernels, its training and the bound on a training's cost, so that a comparison
compares the methods. `docs/rivals.md` says what was chosen where a paper is silent.

>>> import numpy as np
>>> from splitgp.rivals import FullGP, LocalGP, LoGGP, RobustBCM
>>> rng = np.random.default_rng(0)
>>> X = rng.uniform(-1, 1, (300, 2))
>>> y = np.sin(3 * X[:, 0]) + X[:, 1] + 0.1 * rng.standard_normal(300)
>>> for rival in FullGP(), RobustBCM(experts=3), LocalGP(), LoGGP(split_limit=100):
...     rival.update(X, y)
...     error = rival.predict(X).mean - y
...     assert np.sqrt(np.mean(error**2)) < 0.15, rival
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import ArrayLike

from splitgp import _core, _options
from splitgp._arrays import observation_rows, rows
from splitgp._facts import Facts
from splitgp._results import Hyperparameters, Prediction, TrainResult
from splitgp._signature import takes_options

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from splitgp._keywords import RivalKeywords

__all__ = ["FullGP", "LoGGP", "LocalGP", "RobustBCM"]

# The options that rivals have too.
COMMON = ("kernel", "training", "hyperparameters", "seed", "training_observations")

_takes_common = takes_options(positional=COMMON[:4], names=COMMON)


class _Rival(Facts):
    """What all rivals share; keywords in the order of their signatures."""

    def __init__(self, own: dict[str, Any], common: RivalKeywords) -> None:
        self._keywords = {**own, **common}
        self._own = own
        self._options = _options.make({**_options.DEFAULTS, **common})
        self._make(1, 1, _core.Options())  # a ValueError names the first keyword that is wrong
        if common["training"] == "background":
            raise ValueError('training is "background"; a rival\'s must be one of off, inline')
        # Made by the first update, which tells the number of inputs and outputs.
        self._model: _core.Rival | None = None
        self._flat = True

    def _make(self, inputs: int, outputs: int, options: _core.Options) -> _core.Rival:
        raise NotImplementedError

    def update(self, X: ArrayLike, y: ArrayLike, noise_variance: ArrayLike | None = None) -> None:
        """Learn the rows of X and y, in order.

        If any value is not finite, the whole call is rejected and the model stays as it was.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array of shape (n,) or (n, p)
            Predictions have the shape of the first call's y.
        noise_variance : float or array of shape (n,), optional
            Each observation's own known noise, added to the one that training learns.
        """
        X, y, noise_variance, flat = observation_rows(X, y, noise_variance)
        if self._model is None:
            model = self._make(X.shape[1], y.shape[1], self._options)
            model.update(X, y, noise_variance)
            self._model, self._flat = model, flat  # only now: a rejected call fixes nothing
        else:
            self._model.update(X, y, noise_variance)

    def predict(self, X: ArrayLike) -> Prediction:
        """Predict at the rows of X: mean, variance of the function, and noise variance."""
        return Prediction(*self._ready().predict(rows("X", X), self._flat))

    def train(self) -> TrainResult:
        """Train the hyperparameters now, whatever the schedule; the work is bounded."""
        return TrainResult._from_core(self._ready().train())

    @property
    def hyperparameters(self) -> Hyperparameters:
        """θ now. Assigning a mapping or Hyperparameters replaces it and refits everything."""
        return Hyperparameters(**self._ready().hyperparameters())

    @hyperparameters.setter
    def hyperparameters(self, values: dict[str, Any] | Hyperparameters) -> None:
        self._ready().set_hyperparameters(_options.hyperparameters_dict(values))

    @property
    def n_local(self) -> int:
        """How many experts, local models or leaves there are; 1 for a full GP."""
        return 0 if self._model is None else self._model.n_local

    def _ready(self) -> _core.Rival:
        if self._model is None:
            raise ValueError("the model has no observations yet; call update first")
        return self._model

    def __repr__(self) -> str:
        shown = _options.shown(self._keywords, always=tuple(self._own))
        text = f"{type(self).__name__}({', '.join(shown)})"
        if self._model is None:
            return text
        return f"<{text}: {self.n_observations} observations in {self.n_local} local GPs>"


def _number(field: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ValueError(f"{field} is {value!r}; it must be a number") from None
    if math.isnan(number):
        raise ValueError(f"{field} is {value!r}; it must be a number")
    return number


@_takes_common
class FullGP(_Rival):
    """The exact GP of all observations: the accuracy to aim at, at O(n²) for each update.

    Parameters
    ----------
    {names}
        As in `splitgp.SplittingGP`; training is "inline" or "off".

    Examples
    --------
    >>> from splitgp.rivals import FullGP
    >>> gp = FullGP(training="off")
    >>> gp.update([[0.0], [1.0], [2.0]], [1.0, 2.0, 3.0])
    >>> gp
    <FullGP(training='off'): 3 observations in 1 local GPs>
    >>> round(float(gp.predict([[1.0]]).mean[0]), 2)
    2.0
    """

    def __init__(
        self,
        **common: Unpack[RivalKeywords],
    ) -> None:
        super().__init__(
            {},
            common,
        )

    def _make(self, inputs: int, outputs: int, options: _core.Options) -> _core.Rival:
        return _core.full_gp(inputs, outputs, options)


@_takes_common
class RobustBCM(_Rival):
    """A committee of exact GPs, each of a random share of the stream (Deisenroth & Ng 2015).

    Parameters
    ----------
    experts : int, default 10
        How many GPs share the stream.
    combination : {"rbcm", "bcm", "poe", "gpoe"}
        How their predictions become one: the robust Bayesian committee machine, the Bayesian
        committee machine, the product of experts, the generalised product of experts.
    {names}
        As in `splitgp.SplittingGP`; training is "inline" or "off".

    Examples
    --------
    >>> from splitgp.rivals import RobustBCM
    >>> gp = RobustBCM(experts=2, training="off")
    >>> gp.update([[0.0], [1.0], [2.0]], [1.0, 2.0, 3.0])
    >>> gp.n_local
    2
    >>> RobustBCM(combination="vote")
    Traceback (most recent call last):
    ValueError: combination is "vote"; it must be one of rbcm, bcm, poe, gpoe
    """

    def __init__(
        self,
        experts: int = 10,
        combination: Literal["rbcm", "bcm", "poe", "gpoe"] = "rbcm",
        **common: Unpack[RivalKeywords],
    ) -> None:
        self._experts = _options.integer("experts", experts)
        self._combination = _options.name("combination", combination)
        super().__init__(
            {"experts": experts, "combination": combination},
            common,
        )

    def _make(self, inputs: int, outputs: int, options: _core.Options) -> _core.Rival:
        return _core.robust_bcm(inputs, outputs, options, self._experts, self._combination)


@_takes_common
class LocalGP(_Rival):
    """Local GP regression (Nguyen-Tuong, Peters & Seeger 2009).

    An input that is not similar to any center starts a new local model; a prediction is an average
    of the nearest models, weighted by the similarity of their centers.

    Parameters
    ----------
    generate_threshold : float, default 1e-3
        The similarity (correlation of the kernel, between 0 and 1) below which a new model starts.
        Larger: more and smaller models.
    neighbors : int, default 8
        How many of the most similar models are asked; 0 asks all.
    most_observations : int, default 0
        The most observations of one model, beyond which each new one displaces the oldest; 0 means
        no limit.
    {names}
        As in `splitgp.SplittingGP`; training is "inline" or "off".

    Examples
    --------
    >>> from splitgp.rivals import LocalGP
    >>> gp = LocalGP(generate_threshold=0.5, training="off")
    >>> gp.update([[0.0], [0.5], [9.0]], [1.0, 2.0, 3.0])
    >>> gp.n_local
    2
    """

    def __init__(
        self,
        generate_threshold: float = 1e-3,
        neighbors: int = 8,
        most_observations: int = 0,
        **common: Unpack[RivalKeywords],
    ) -> None:
        self._generate_threshold = _number("generate_threshold", generate_threshold)
        self._neighbors = _options.integer("neighbors", neighbors)
        self._most_observations = _options.integer("most_observations", most_observations)
        super().__init__(
            {
                "generate_threshold": generate_threshold,
                "neighbors": neighbors,
                "most_observations": most_observations,
            },
            common,
        )

    def _make(self, inputs: int, outputs: int, options: _core.Options) -> _core.Rival:
        return _core.local_gp_regression(
            inputs,
            outputs,
            options,
            self._generate_threshold,
            self._neighbors,
            self._most_observations,
        )


@_takes_common
class LoGGP(_Rival):
    """LoG-GP: a locally growing random tree of GPs (Lederer et al. 2021).

    A leaf that reaches ``split_limit`` is cut along its widest input; near a cut, points go to one
    side or the other at random, and both sides are asked.

    Parameters
    ----------
    split_limit : int, default 100
        A leaf that holds as many observations is split.
    overlap : float, default 0.1
        The width of the region in which both sides may get a point, over the leaf's extent.
    combination : {"gpoe", "moe"}
        How the active leaves' predictions become one: a generalised product, or a mixture.
    {names}
        As in `splitgp.SplittingGP`; training is "inline" or "off".

    Examples
    --------
    >>> import numpy as np
    >>> from splitgp.rivals import LoGGP
    >>> X = np.linspace(0, 1, 40).reshape(-1, 1)
    >>> gp = LoGGP(split_limit=10, training="off")
    >>> gp.update(X, X[:, 0])
    >>> gp.n_local > 4
    True
    """

    def __init__(
        self,
        split_limit: int = 100,
        overlap: float = 0.1,
        combination: Literal["gpoe", "moe"] = "gpoe",
        **common: Unpack[RivalKeywords],
    ) -> None:
        self._split_limit = _options.integer("split_limit", split_limit)
        self._overlap = _number("overlap", overlap)
        self._combination = _options.name("combination", combination)
        super().__init__(
            {"split_limit": split_limit, "overlap": overlap, "combination": combination},
            common,
        )

    def _make(self, inputs: int, outputs: int, options: _core.Options) -> _core.Rival:
        return _core.locally_growing_gp(
            inputs, outputs, options, self._split_limit, self._overlap, self._combination
        )
