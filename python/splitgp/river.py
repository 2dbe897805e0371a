"""A river regressor."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from river import base, conf, proba

from splitgp import _options
from splitgp._features import Encoder, Value
from splitgp._results import Prediction
from splitgp._signature import takes_options
from splitgp._splitting_gp import SplittingGP

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from splitgp._keywords import Keywords

__all__ = ["SplittingGPRegressor"]

Features = Mapping[Hashable, Any]


@takes_options()
class SplittingGPRegressor(base.MiniBatchRegressor):
    """Gaussian-process regression for river.

    A feature is a number, a text or a moment (a date or datetime), whichever its first value is. A
    text becomes a code of 32 inputs with one length scale, a moment becomes hours since the first
    one and its positions in the day and the week, as in `splitgp.TableModel`.

    Features may be missing and may appear later. One that is absent, None or NaN takes the mean of
    its values so far; a missing text is a level of its own. A new name adds inputs to the model:
    the latest `relearn_limit` observations are learned again with the new feature at its first
    value, a constant that carries no information; with `relearn_limit=0` new names are ignored.

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
        self._encoder = Encoder()
        self._model = self._fresh()

    def _fresh(self) -> SplittingGP:
        keywords = {name: getattr(self, name) for name in _options.DEFAULTS}
        if not keywords["length_scale_groups"]:
            keywords["length_scale_groups"] = self._encoder.groups()
        return SplittingGP(**keywords)

    @property
    def model(self) -> SplittingGP:
        """The model itself."""
        return self._model

    @property
    def features(self) -> list[Hashable]:
        """The features, in the order of the model's inputs."""
        return self._encoder.features

    @property
    def _raw_memory_usage(self) -> int:
        # river counts Python objects only; nearly all of ours is in C++.
        return int(super()._raw_memory_usage) + self._model.memory_bytes

    def learn_one(self, x: Features, y: float) -> None:
        """Learn one observation."""
        values = self._encoder.values(x)
        self._add_features(values)
        self._encoder.see(values)
        if not self._encoder.features:
            return  # no feature has ever been seen
        row = np.array([self._encoder.row(values)])
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
            values = self._encoder.values(x)
            prediction = self._model.predict(np.array([self._encoder.row(values)]))
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
        rows: list[list[float]] = []  # that need not be learned one by one
        for k, row in enumerate(_rows(X)):
            values = self._encoder.values(row)
            if not all(self._encoder.knows(feature) for feature in values):
                self._learn(rows, targets[k - len(rows) : k])
                rows = []
                self._add_features(values)
            self._encoder.see(values)
            if self._encoder.features:
                rows.append(self._encoder.row(values))
        self._learn(rows, targets[len(targets) - len(rows) :])

    def _learn(self, rows: list[list[float]], targets: NDArray[np.float64]) -> None:
        if rows:
            self._model.update(np.array(rows), targets)

    def predict_many(self, X: Any) -> Any:
        """Predict the target of each row of a data frame."""
        import pandas as pd

        if self._model.n_observations == 0 or len(X) == 0:
            return pd.Series(self.predict_one({}), index=X.index, dtype=np.float64)
        rows = [self._encoder.row(self._encoder.values(row)) for row in _rows(X)]
        return pd.Series(self._model.predict(np.array(rows)).mean, index=X.index)

    def _add_features(self, values: Mapping[Hashable, Value]) -> None:
        new = [feature for feature in values if not self._encoder.knows(feature)]
        if not new or (self._encoder.features and self.relearn_limit == 0):
            return
        new = _in_order(new)  # not the order of the dictionary, which means nothing
        inputs = [self._encoder.add(feature, values[feature]) for feature in new]
        if self._model.n_observations == 0:
            self._model = self._fresh()  # it may have groups now
            return
        X, y, noise_variance = (a[-self.relearn_limit :] for a in self._model.observations())
        first = np.tile(np.concatenate(inputs), (len(X), 1))
        self._model = self._fresh()
        self._model.update(np.hstack([X, first]), y, noise_variance)


def _rows(X: Any) -> Iterable[dict[Hashable, Any]]:
    """The rows of a data frame; what is missing is None."""
    columns = [
        [None if gap else value for value, gap in zip(X.iloc[:, k].tolist(), gaps, strict=True)]
        for k, gaps in enumerate(X.isna().to_numpy().T)
    ]
    return (dict(zip(X.columns, row, strict=True)) for row in zip(*columns, strict=True))


def _in_order(features: Iterable[Hashable]) -> list[Hashable]:
    return sorted(features, key=lambda feature: (type(feature).__name__, str(feature)))
