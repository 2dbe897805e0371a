"""A river regressor."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from river import base, conf, proba

from splitgp import _options
from splitgp._results import Prediction
from splitgp._signature import takes_options
from splitgp._splitting_gp import SplittingGP

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from splitgp._keywords import Keywords

__all__ = ["SplittingGPRegressor"]

Floats = NDArray[np.float64]
Features = Mapping[Hashable, Any]


@takes_options()
class SplittingGPRegressor(base.MiniBatchRegressor):
    """Gaussian-process regression for river.

    Features may be missing and may appear later. One that is absent, None or NaN takes the mean of
    its values so far. A new name adds an input to the model: the latest `relearn_limit`
    observations are learned again with the new feature at its first value, a constant that carries
    no information; with `relearn_limit=0` new names are ignored. A feature that is not a number is
    an error: encode it first, in a pipeline.

    Parameters
    ----------
    {options}
    relearn_limit : int, default 10_000
        The most observations that are learned again when a new feature appears.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from splitgp.river import SplittingGPRegressor
    >>> model = SplittingGPRegressor(split_limit=100)
    >>> metric = evaluate.progressive_val_score(
    ...     datasets.TrumpApproval(), model, metrics.RMSE()
    ... )
    >>> metric.get() < 10
    True

    Nearly all of that error comes from the first rows. The very first prediction is made without
    data: mean 0 and the default variances, unless `hyperparameters` are given. From then on,
    without `hyperparameters`, the prior follows the scale of the data until the first training, at
    32 rows. Afterwards:

    >>> last = [(x, y) for x, y in datasets.TrumpApproval()][-100:]
    >>> metric = metrics.MAE()
    >>> for x, y in last:
    ...     metric.update(y, model.predict_one(x))
    >>> metric.get() < 0.5
    True

    The predictive distribution:

    >>> x, y = next(iter(datasets.TrumpApproval()))
    >>> distribution = model.predict_one(x, with_dist=True)
    >>> distribution.sigma > 0
    True

    And an interval, which also knows how heavy the tails are:

    >>> interval = model.predict_one(x, with_interval=True, confidence_level=0.9)
    >>> interval.lower < distribution.mu < interval.upper
    True
    """

    def __init__(self, *, relearn_limit: int = 10_000, **options: Unpack[Keywords]) -> None:
        for name, value in options.items():
            setattr(self, name, value)
        self.relearn_limit = relearn_limit
        self._model = self._fresh()
        self._index: dict[Hashable, int] = {}  # feature → input of the model
        self._mean: list[float] = []  # of each feature, over the values seen
        self._count: list[int] = []

    def _fresh(self) -> SplittingGP:
        return SplittingGP(**{name: getattr(self, name) for name in _options.DEFAULTS})

    @property
    def model(self) -> SplittingGP:
        """The model itself."""
        return self._model

    @property
    def features(self) -> list[Hashable]:
        """The features, in the order of the model's inputs."""
        return list(self._index)

    @property
    def _raw_memory_usage(self) -> int:
        # river counts Python objects only; nearly all of ours is in C++.
        return int(super()._raw_memory_usage) + self._model.memory_bytes

    def learn_one(self, x: Features, y: float) -> None:
        """Learn one observation."""
        values = _numbers(x)
        self._add_features(values)
        self._see(values)
        if not self._index:
            return  # no feature has ever been seen
        row = np.array([self._row(values)])
        self._model.update(row, np.array([float(y)]))

    def predict_one(
        self,
        x: Features,
        with_dist: bool = False,
        with_interval: bool = False,
        confidence_level: float = 0.95,
    ) -> Any:
        """Predict the target.

        With `with_dist` a normal distribution with the mean and the variance of an observation;
        with `with_interval` a `river.conf.Interval` that holds an observation with probability
        `confidence_level`, tails and all.
        """
        if with_dist and with_interval:
            raise ValueError("with_dist and with_interval are both True; ask for one of them")
        if self._model.n_observations == 0:
            mean, variance = _options.prior(self._model._options)
            prediction = Prediction(np.array([mean]), np.array([variance]), np.zeros(1))
        else:
            prediction = self._model.predict(np.array([self._row(_numbers(x))]))
            mean = float(prediction.mean[0])
            variance = float(prediction.variance[0] + prediction.noise_variance[0])
        if with_dist:
            return proba.Gaussian._from_state(n=1, m=mean, var=variance, ddof=0)  # type: ignore[no-untyped-call]
        if with_interval:
            lower, upper = prediction.interval(confidence_level)
            return conf.Interval(float(lower[0]), float(upper[0]))
        return mean

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn the rows of a data frame, in order: the same model as one learn_one for each."""
        targets = np.asarray(y, dtype=np.float64)
        if len(targets) != len(X):
            raise ValueError(f"y has {len(targets)} rows and X has {len(X)}")
        if len(X) == 0:
            return
        table = _table(X)
        if not self._index or not np.isfinite(table).all() or set(X.columns) != set(self._index):
            for row, target in zip(table.tolist(), targets, strict=True):
                self.learn_one(dict(zip(X.columns, row, strict=True)), target)
            return
        rows = np.ascontiguousarray(table[:, [list(X.columns).index(f) for f in self._index]])
        for row in rows.tolist():
            self._see(dict(zip(self._index, row, strict=True)))
        self._model.update(rows, targets)

    def predict_many(self, X: Any) -> Any:
        """Predict the target of each row of a data frame."""
        import pandas as pd

        if self._model.n_observations == 0 or len(X) == 0:
            return pd.Series(self.predict_one({}), index=X.index, dtype=np.float64)
        table = _table(X)
        rows = np.tile(np.array(self._mean), (len(X), 1))
        for column, feature in enumerate(X.columns):
            if feature in self._index:
                given = ~np.isnan(table[:, column])
                rows[given, self._index[feature]] = table[given, column]
        return pd.Series(self._model.predict(rows).mean, index=X.index)

    def _row(self, values: Mapping[Hashable, float]) -> list[float]:
        return [values.get(f, self._mean[k]) for f, k in self._index.items()]

    def _see(self, values: Mapping[Hashable, float]) -> None:
        for feature, value in values.items():
            k = self._index.get(feature)
            if k is not None:
                self._count[k] += 1
                self._mean[k] += (value - self._mean[k]) / self._count[k]

    def _add_features(self, values: Mapping[Hashable, float]) -> None:
        new = [feature for feature in values if feature not in self._index]
        if not new or (self._index and self.relearn_limit == 0):
            return
        new = _in_order(new)  # not the order of the dictionary, which means nothing
        for feature in new:
            self._index[feature] = len(self._index)
            self._mean.append(values[feature])
            self._count.append(0)
        if self._model.n_observations == 0:
            return
        X, y, noise_variance = (a[-self.relearn_limit :] for a in self._model.observations())
        first = np.tile([values[feature] for feature in new], (len(X), 1))
        self._model = self._fresh()
        self._model.update(np.hstack([X, first]), y, noise_variance)


def _numbers(x: Features) -> dict[Hashable, float]:
    """The features that have a value; None and NaN do not."""
    values = {}
    for feature, value in x.items():
        if value is None:
            continue
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ValueError(f"feature {feature!r} is {value!r}; it must be a number") from None
        if not math.isnan(number):
            values[feature] = number
    return values


def _table(X: Any) -> Floats:
    try:
        table: Floats = X.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        for feature in X.columns:
            for value in X[feature]:
                _numbers({feature: value})
        raise
    return table


def _in_order(features: Iterable[Hashable]) -> list[Hashable]:
    return sorted(features, key=lambda feature: (type(feature).__name__, str(feature)))
