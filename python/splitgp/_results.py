"""What the model answers, as small immutable objects."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from splitgp import _core

Floats = NDArray[np.float64]

__all__ = [
    "ColumnStatistics",
    "Explanation",
    "ForgetResult",
    "Hyperparameters",
    "LocalGPPoints",
    "LocalGPSummary",
    "LocalPrediction",
    "Observations",
    "Prediction",
    "SplitRecord",
    "TrainRecord",
    "TrainResult",
]


class Prediction:
    """What the model expects at some inputs.

    A new observation is expected to follow Student's t distribution with this mean, the variance
    `variance + noise_variance` and these degrees of freedom, unless `calibration="none"`: then a
    normal one.

    Attributes
    ----------
    mean : array of shape (n,) or (n, p)
        The expected value; the shape is that of the y the model was updated with.
    variance : array, same shape
        Of the latent function: what more data would reduce.
    noise_variance : array, same shape
        The noise of one more observation.
    degrees_of_freedom : array, same shape
        How heavy the tails are: above 2, infinite for a normal distribution.
    mean_gradient : array of shape (n, d) or (n, p, d), or None
        The derivatives of `mean` by the d inputs, if `predict` was asked for them.
    variance_gradient : array, same shape, or None
        Those of `variance`.
    noise_variance_gradient : array, same shape, or None
        Those of `noise_variance`; 0 with `calibration="none"`.

    Examples
    --------
    >>> import splitgp
    >>> gp = splitgp.SplittingGP()
    >>> _ = gp.update([[0.0], [1.0], [2.0]], [1.0, 2.0, 3.0])
    >>> prediction = gp.predict([[0.5], [1.5]])
    >>> prediction.mean.shape
    (2,)
    >>> low, high = prediction.interval(0.95)
    >>> bool((low < prediction.mean).all() and (prediction.mean < high).all())
    True
    >>> prediction.log_density([1.5, 2.5]).shape
    (2,)
    """

    __slots__ = (
        "_conformal", "degrees_of_freedom", "mean", "mean_gradient", "noise_variance",
        "noise_variance_gradient", "variance", "variance_gradient",
    )  # fmt: skip

    def __init__(
        self,
        mean: Floats,
        variance: Floats,
        noise_variance: Floats,
        degrees_of_freedom: Floats | None = None,
        conformal: Floats | None = None,
        mean_gradient: Floats | None = None,
        variance_gradient: Floats | None = None,
        noise_variance_gradient: Floats | None = None,
    ) -> None:
        self.mean = mean
        self.variance = variance
        self.noise_variance = noise_variance
        self.degrees_of_freedom = (
            np.full(mean.shape, np.inf) if degrees_of_freedom is None else degrees_of_freedom
        )
        self._conformal = np.empty((len(mean), 0)) if conformal is None else conformal
        self.mean_gradient = mean_gradient
        self.variance_gradient = variance_gradient
        self.noise_variance_gradient = noise_variance_gradient

    @property
    def std(self) -> Floats:
        """Standard deviation of an observation: the function's uncertainty and the noise."""
        return np.sqrt(self.variance + self.noise_variance)

    @property
    def latent_std(self) -> Floats:
        """Standard deviation of the function alone."""
        return np.sqrt(self.variance)

    def interval(self, level: float = 0.95, *, noise: bool = True) -> tuple[Floats, Floats]:
        """Lower and upper end of the central interval.

        Parameters
        ----------
        level : float
            The probability that the interval holds, between 0 and 1.
        noise : bool
            True: of an observation. False: of the function.
        """
        if not 0.0 < level < 1.0:
            raise ValueError(f"level is {level}; it must lie between 0 and 1")
        degrees = _rows(self.degrees_of_freedom)
        half = _core.half_width(degrees, np.ascontiguousarray(self._conformal), float(level))
        width: Floats = half.reshape(self.mean.shape) * (self.std if noise else self.latent_std)
        return self.mean - width, self.mean + width

    def log_density(self, y: ArrayLike) -> Floats:
        """The log density of observing y; its mean with the sign changed is NLPD.

        Parameters
        ----------
        y : array of the shape of `mean`
            What was observed at each input.
        """
        observed = np.asarray(y, dtype=np.float64)
        if observed.shape != self.mean.shape:
            raise ValueError(f"y has shape {observed.shape}; the prediction has {self.mean.shape}")
        std = np.maximum(self.std, np.finfo(np.float64).tiny ** 0.5)
        density = _core.log_density(
            _rows((observed - self.mean) / std), _rows(self.degrees_of_freedom)
        )
        result: Floats = density.reshape(self.mean.shape) - np.log(std)
        return result

    def __len__(self) -> int:
        return len(self.mean)

    def __repr__(self) -> str:
        if len(self) == 1:
            return f"Prediction(mean={self.mean[0]}, std={self.std[0]})"
        shown = [
            np.array2string(part, precision=6, threshold=8, edgeitems=3, separator=", ")
            for part in (self.mean, self.std)
        ]
        return f"Prediction of {len(self)} rows(mean={shown[0]}, std={shown[1]})"

    def __getstate__(self) -> tuple[Floats | None, ...]:
        return (
            self.mean, self.variance, self.noise_variance, self.degrees_of_freedom,
            self._conformal, self.mean_gradient, self.variance_gradient,
            self.noise_variance_gradient,
        )  # fmt: skip

    def __setstate__(self, state: tuple[Floats | None, ...]) -> None:
        self.__init__(*state)  # type: ignore[misc]  # a shorter one is from before calibration


def _rows(values: Floats) -> Floats:
    """(n, p), also if the model's y is flat."""
    return np.ascontiguousarray(values.reshape(len(values), -1))


@dataclass(frozen=True, eq=False)
class Hyperparameters:
    """θ: what all local GPs share. Variances are those of an output whose output_scale is 1."""

    kernel: str
    length_scale: Floats
    signal_variance: float
    noise_variance: float
    shape: float
    mean: Floats
    output_scale: Floats
    trend_slope: Floats  # the slopes of the first output, then those of the next
    trend_origin: Floats
    trend_range: Floats  # the trend grows with an input only this far from its origin
    trend_reach: float

    def as_dict(self) -> dict[str, Any]:
        """As a dictionary that `SplittingGP(hyperparameters=...)` accepts."""
        return asdict(self)

    @property
    def relevance(self) -> Floats:
        """1 / length_scale: how fast the function changes along each input, per unit."""
        return 1.0 / self.length_scale


@dataclass(frozen=True, eq=False)
class LocalPrediction:
    """One local GP's part in a prediction."""

    local_gp: int
    log_similarity: float
    weight: float
    mean: Floats
    variance: Floats


@dataclass(frozen=True, eq=False)
class Explanation:
    """A prediction taken apart: Σ weight·mean is the mean, (Σ weight·σ)² the variance."""

    mean: Floats
    variance: Floats
    noise_variance: Floats
    degrees_of_freedom: Floats
    local: tuple[LocalPrediction, ...]

    @classmethod
    def _from_core(cls, values: dict[str, Any]) -> Explanation:
        local = tuple(LocalPrediction(**one) for one in values.pop("local"))
        return cls(local=local, **values)


@dataclass(frozen=True)
class ForgetResult:
    """How many observations were forgotten, and how many local GPs were merged into neighbors."""

    forgotten: int
    merged: int


@dataclass(frozen=True)
class TrainRecord:
    """How a training went, for whoever wants to know how Train works."""

    regime: int  # it looked at the observations from this one on
    searched: bool  # from many starts and, if the kernel is automatic, all families
    kernel_margin: float  # by how much the best family's objective led the second's
    forward_without_trend: float  # mean log densities of later observations, given earlier ones
    forward_with_trend: float
    trend_won: bool
    local_gps: int  # that the observations come from
    starts: int
    evaluations: int


@dataclass(frozen=True, eq=False)
class TrainResult:
    """What one training did; objectives are per observation trained on."""

    adopted: bool  # otherwise the new θ was not better, so the old one stays
    failed: bool  # there was no memory or no thread for it
    surprised: bool  # not scheduled: the innovations said that θ no longer held
    hyperparameters: Hyperparameters  # afterwards
    theta_version: int
    objective_before: float
    objective_after: float
    bounds_reached: list[str]
    sequence: int  # observations in the model when it was trained
    observations: int  # that it was trained on
    seconds: float
    record: TrainRecord

    @classmethod
    def _from_core(cls, values: dict[str, Any]) -> TrainResult:
        theta = Hyperparameters(**values.pop("hyperparameters"))
        record = TrainRecord(**values.pop("record"))
        return cls(hyperparameters=theta, record=record, **values)

    def __getattr__(self, name: str) -> Any:
        """What is in `record` now, for one version."""
        if name not in TrainRecord.__dataclass_fields__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        message = f"TrainResult.{name} is now TrainResult.record.{name}"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return getattr(self.record, name)


@dataclass(frozen=True)
class InnovationStatistics:
    """How large the innovations of one output have been lately, 1 if all is right.

    `mean_square` is an exponentially weighted mean of z², where z is first mapped to what it would
    be for normal errors; a Kalman filter calls it the normalised innovation squared. It lies
    between `lower` and `upper` 95 % of the time if all is right.
    """

    mean_square: float
    lower: float
    upper: float
    rows: int


@dataclass(frozen=True)
class ExpertShares:
    """How far the answers to one output's next row follow the experts beside f; 0 is not at all.

    A share of the way to an expert counts in full only where f is unsure.
    """

    last_error: float  # of f's last error, between -1 and 1; the others between 0 and 1
    mean: float
    last_value: float
    linear: float


@dataclass(frozen=True, eq=False)
class Alarm:
    """The stream has changed: in some neighbouring cells, or everywhere."""

    sequence: int  # the observation that raised it
    change_point: int  # the first observation that is thought to be new
    output: int
    kind: str  # outputs are higher ("up") or lower ("down") than expected, or spread "wider"
    size: float  # the mean innovation since then, in the output's units; root mean square if wider
    size_in_noise: float  # the same in standard deviations of the noise
    rows: int  # that speak for it
    whole_stream: bool  # found among all rows, not in one part of the partition
    local_gp: int  # who owns the observation
    local_gps: int  # how many have changed, with it
    lower: Floats  # the box that holds their own inputs
    upper: Floats
    forgotten: int  # observations forgotten because of it


@dataclass(frozen=True, eq=False)
class LocalGPSummary:
    """One local GP: its center, how many observations it owns and borrows, its condition.

    One that is not awake has no factor yet, after loading or beyond `set_factor_cache_limit`; then
    jittered and condition are not known.
    """

    local_gp: int
    center: Floats
    owned: int
    borrowed: int
    theta_version: int
    awake: bool
    jittered: int
    condition: float
    memory_bytes: int
    innovation: tuple[InnovationStatistics, ...]  # of each output

    @classmethod
    def _from_core(cls, values: dict[str, Any]) -> LocalGPSummary:
        outputs = tuple(InnovationStatistics(**one) for one in values.pop("innovation"))
        return cls(innovation=outputs, **values)


@dataclass(frozen=True, eq=False)
class ColumnStatistics:
    """Mean and standard deviation of each column of a stream; the latter 0 if it is constant."""

    mean: Floats
    spread: Floats


class Observations(NamedTuple):
    """Observations in the order in which they came."""

    X: Floats
    y: Floats
    noise_variance: Floats  # each one's own


class LocalGPPoints(NamedTuple):
    """What a local GP conditions on, in the order of the stream."""

    X: Floats
    y: Floats
    noise_variance: Floats  # each one's own
    sequence: NDArray[np.uint64]  # the observations' numbers, counted from 0
    owned: NDArray[np.bool_]  # whether it owns each of them, or has borrowed it


@dataclass(frozen=True)
class SplitRecord:
    """One split: which observation caused it, who was cut, and who got how many."""

    sequence: int
    parent: int
    child: int
    parent_owned: int
    child_owned: int
