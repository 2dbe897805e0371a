"""The models of the drift experiment: splitgp with every way to forget, and river's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import splitgp
from experiments.cost import models as cost_models
from experiments.cost.models import FOREST, KNN, LINEAR, Gp, Model
from experiments.shared.measure import Floats

__all__ = ["ALL", "FORGET", "FRESH", "MODELS", "RIVER", "Style", "WithTime"]

ALL = "keeps all"
FRESH = "began at the change"
FORGET = "on_drift = forget"
RIVER = (FOREST, KNN, LINEAR)


class WithTime(Gp):
    """The row's number is one more input, so Train decides how fast the past fades."""

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self._row = 0

    def predict_then_learn(self, x: Floats, y: Floats) -> cost_models.Answer:
        timed = np.append(x, [[float(self._row)]], axis=1)
        self._row += 1
        return super().predict_then_learn(timed, y)


@dataclass(frozen=True)
class Style:
    """How a model is made, drawn and described."""

    make: Callable[[int, dict[str, Any]], Model]
    color: str
    text: str


def _ours(**chosen: Any) -> Callable[[int, dict[str, Any]], Model]:
    return lambda seed, options: Gp(splitgp.SplittingGP(seed=seed, **options, **chosen))


def _rivers(name: str) -> Callable[[int, dict[str, Any]], Model]:
    return lambda seed, options: cost_models.MODELS[name].make(0, seed, {})


MODELS: dict[str, Style] = {
    ALL: Style(_ours(), "#0072b2", "`SplittingGP()`, which forgets nothing"),
    "time as an input": Style(
        lambda seed, options: WithTime(splitgp.SplittingGP(seed=seed, **options)),
        "#56b4e9",
        "the same with the row's number as one more input",
    ),
    "window 500": Style(_ours(window_size=500), "#e69f00", "`window_size=500`"),
    "window 2000": Style(_ours(window_size=2000), "#d55e00", "`window_size=2000`"),
    "budget 2000 redundant": Style(
        _ours(max_observations=2000, forget="redundant"),
        "#cc79a7",
        '`max_observations=2000, forget="redundant"`; with `"oldest"` it is the window above',
    ),
    FORGET: Style(_ours(on_drift="forget"), "#009e73", '`on_drift="forget"`'),
    FOREST: Style(_rivers(FOREST), "#8c6d31", "river's `ARFRegressor`, an adaptive random forest"),
    KNN: Style(_rivers(KNN), "#999999", "river's `KNNRegressor`, of the last 1,000 rows"),
    LINEAR: Style(_rivers(LINEAR), "#bbbbbb", "river's `LinearRegression`"),
}
