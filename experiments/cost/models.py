"""The models of the cost experiment, behind one interface: a row is predicted, a row is learned."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

import splitgp
from experiments.shared.measure import Floats
from experiments.shared.methods import LOG, RBCM, experts_for
from splitgp import rivals

__all__ = [
    "BOOSTING",
    "FOREST",
    "KNN",
    "LINEAR",
    "MODELS",
    "OURS",
    "SMALL",
    "TREE",
    "Answer",
    "Model",
]

OURS = "splitgp"
SMALL = "splitgp capacity 100"
LINEAR = "linear regression"
KNN = "nearest neighbours"
TREE = "Hoeffding tree"
FOREST = "adaptive forest"
BOOSTING = "gradient boosting"

PER_MODEL = 250  # observations in each model of a rival: the default capacity
FIRST_FITS = (100, 300)  # rows after which gradient boosting is fitted first, and …
FIT_EVERY = 1000  # … how often again

Answer = splitgp.Prediction | float  # a model without a distribution gives only a mean


class Model(Protocol):
    """A row is an array of shape (1, d), its output one of shape (1,)."""

    def predict(self, x: Floats) -> Answer: ...
    def learn(self, x: Floats, y: Floats) -> None: ...
    def predict_then_learn(self, x: Floats, y: Floats) -> Answer: ...


class Gp:
    """SplittingGP, or one of its rivals."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self._both = getattr(model, "predict_then_update", None)

    def predict(self, x: Floats) -> Answer:
        if self.model.n_observations == 0:  # a rival refuses, and nothing is known anyway
            return splitgp.Prediction(np.zeros(1), np.ones(1), np.zeros(1))
        prediction: splitgp.Prediction = self.model.predict(x)
        return prediction

    def learn(self, x: Floats, y: Floats) -> None:
        self.model.update(x, y)

    def predict_then_learn(self, x: Floats, y: Floats) -> Answer:
        if self._both is not None:
            prediction: splitgp.Prediction = self._both(x, y)[0]
            return prediction
        answer = self.predict(x)
        self.learn(x, y)
        return answer


class River:
    """A regressor of river, which takes a row as a dictionary."""

    def __init__(self, regressor: Any) -> None:
        self._regressor = regressor

    def predict(self, x: Floats) -> Answer:
        return float(self._regressor.predict_one(dict(enumerate(x[0].tolist()))))

    def learn(self, x: Floats, y: Floats) -> None:
        self._regressor.learn_one(dict(enumerate(x[0].tolist())), float(y[0]))

    def predict_then_learn(self, x: Floats, y: Floats) -> Answer:
        answer = self.predict(x)
        self.learn(x, y)
        return answer


class Refitted:
    """A regressor of scikit-learn, fitted now and then to all rows so far."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._fitted: Any = None
        self._X: list[Floats] = []
        self._y: list[Floats] = []

    def predict(self, x: Floats) -> Answer:
        return math.nan if self._fitted is None else float(self._fitted.predict(x)[0])

    def learn(self, x: Floats, y: Floats) -> None:
        self._X.append(x)
        self._y.append(y)
        if len(self._X) in FIRST_FITS or len(self._X) % FIT_EVERY == 0:
            self._fitted = self._make().fit(np.concatenate(self._X), np.concatenate(self._y))

    def predict_then_learn(self, x: Floats, y: Floats) -> Answer:
        answer = self.predict(x)
        self.learn(x, y)
        return answer


def _river(make: Callable[[], Any]) -> Model:
    """Behind running standardisations of inputs and output, which these methods need."""
    from river import preprocessing

    scaled = preprocessing.StandardScaler() | make()
    return River(preprocessing.TargetStandardScaler(scaled))


def _linear() -> Any:
    from river import linear_model

    return linear_model.LinearRegression()


def _neighbours() -> Any:
    from river import neighbors

    return neighbors.KNNRegressor()


def _tree(seed: int) -> Any:
    from river import tree

    return tree.HoeffdingAdaptiveTreeRegressor(seed=seed)


def _forest(seed: int) -> Any:
    from river import forest

    return forest.ARFRegressor(seed=seed)


def _boosting(seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(random_state=seed)


@dataclass(frozen=True)
class Style:
    """How a model is made, drawn and described."""

    make: Callable[[int, int, dict[str, Any]], Model]  # of rows, seed and the options of a GP
    color: str
    marker: str
    text: str
    microseconds: float  # a row, about; only the order of the jobs depends on it


MODELS: dict[str, Style] = {
    OURS: Style(
        lambda rows, seed, options: Gp(splitgp.SplittingGP(seed=seed, **options)),
        "#0072b2",
        "o",
        "`SplittingGP()`, default options (`capacity` 250), raw inputs",
        500,
    ),
    SMALL: Style(
        lambda rows, seed, options: Gp(splitgp.SplittingGP(capacity=100, seed=seed, **options)),
        "#56b4e9",
        "s",
        "`SplittingGP(capacity=100)`",
        400,
    ),
    LOG: Style(
        lambda rows, seed, options: Gp(rivals.LoGGP(split_limit=PER_MODEL, seed=seed, **options)),
        "#cc79a7",
        "D",
        f"`rivals.LoGGP`, {PER_MODEL} observations in each leaf",
        400,
    ),
    RBCM: Style(
        lambda rows, seed, options: Gp(
            rivals.RobustBCM(experts=experts_for(rows, PER_MODEL), seed=seed, **options)
        ),
        "#d55e00",
        "^",
        f"`rivals.RobustBCM`, as many experts as hold {PER_MODEL} observations each in the end",
        900,
    ),
    LINEAR: Style(
        lambda rows, seed, options: _river(_linear),
        "#999999",
        "P",
        "river's `LinearRegression`",
        50,
    ),
    KNN: Style(
        lambda rows, seed, options: _river(_neighbours),
        "#009e73",
        "v",
        "river's `KNNRegressor`, of the last 1,000 rows",
        600,
    ),
    TREE: Style(
        lambda rows, seed, options: _river(lambda: _tree(seed)),
        "#b5a000",
        "X",
        "river's `HoeffdingAdaptiveTreeRegressor`",
        200,
    ),
    FOREST: Style(
        lambda rows, seed, options: _river(lambda: _forest(seed)),
        "#e69f00",
        "h",
        "river's `ARFRegressor`, an adaptive random forest",
        2000,
    ),
    BOOSTING: Style(
        lambda rows, seed, options: Refitted(lambda: _boosting(seed)),
        "#333333",
        "*",
        "scikit-learn's `HistGradientBoostingRegressor`, fitted to all rows so far after "
        f"{FIRST_FITS[0]} rows, {FIRST_FITS[1]} rows and every {FIT_EVERY:,} rows",
        1000,
    ),
}
