"""Coverage, width and density of intervals in every way in which a model is used."""

from __future__ import annotations

from typing import Any

import numpy as np

import splitgp
from experiments.beyond import measuring as beyond
from experiments.coverage import sources
from experiments.shared.measure import Floats, Measured
from experiments.shared.run import Job, Settings

__all__ = ["BATCH", "LATE", "LEVELS", "REACH", "STRETCH", "WARM_UP", "WAYS", "jobs"]

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
LATE = (1, 10, 50, 200)  # rows after which an answer comes
BATCH = 100
ROWS = 8000
WARM_UP = 500  # rows that are learned before predictions count
STRETCH = 500
# What a prediction is asked for: the reach that it has, or the next row whatever it is asked about.
REACH = "reach"
WAYS = (REACH, "next row")


def jobs(settings: Settings) -> list[Job]:
    """Each data set with both ways of asking."""
    rows = 1200 if settings.quick else ROWS
    # The fourth of every five blocks of the arm is held out.
    test_rows = 4 * beyond.BLOCK if settings.quick else None
    result = []

    def add(function: Any, data: str, setting: float = 0.0, **arguments: Any) -> None:
        for way in WAYS:
            given = {**arguments, "way": way, "seed": settings.seed}
            result.append(Job(function, given, data, way, "auto", setting, cost=rows / 100))

    for name in sources.STREAMS:
        add(late, name, name=name, rows=rows)
    for name in (*sources.TEST_SETS, *sources.ARM):
        add(held_out, name, name=name, rows=test_rows)
    for name, horizons in sources.HORIZONS.items():
        for ahead in horizons:
            add(horizon, name, float(ahead), name=name, ahead=ahead, rows=rows)
    return result


class _Scores:
    """Predictions of one way of use, and what was observed."""

    def __init__(self) -> None:
        self._levels: list[Floats] = []
        self._widths: list[Floats] = []
        self._densities: list[Floats] = []

    def add(self, prediction: splitgp.Prediction, y: Floats) -> None:
        low, high = prediction.interval(0.95)
        self._levels.append(
            np.stack(
                [
                    (ends[0] <= y) & (y <= ends[1])
                    for ends in (prediction.interval(level) for level in LEVELS)
                ],
                axis=-1,
            )
            .reshape(-1, len(LEVELS))
            .astype(np.float64)
        )
        self._widths.append(np.ravel(high - low))
        self._densities.append(np.ravel(prediction.log_density(y)))

    def measured(self, n: int) -> Measured:
        held = np.concatenate(self._levels)
        found = {f"cover_{100 * level:.0f}": held[:, k].mean() for k, level in enumerate(LEVELS)}
        inside = np.cumsum(np.r_[0.0, held[:, LEVELS.index(0.95)]])
        length = min(STRETCH, len(held))
        found["worst"] = float((inside[length:] - inside[:-length]).min() / length)
        found["width"] = float(np.concatenate(self._widths).mean())
        found["nlpd"] = -float(np.concatenate(self._densities).mean())
        return [(n, metric, float(value)) for metric, value in found.items()]


def late(name: str, rows: int, way: str, seed: int) -> Measured:
    """Each row is predicted when the answers of the rows just before it have not come yet.

    `n` is how many rows late answers are; BATCH is a batch that is predicted, then learned.
    """
    X, y = sources.stream(name, rows)
    model = splitgp.SplittingGP(seed=seed)
    scores = {late: _Scores() for late in (*LATE, BATCH)}
    for row in range(rows):
        asked = [late for late in LATE if row + late <= rows] if row >= WARM_UP else []
        for late in asked:
            one = slice(row + late - 1, row + late)
            prediction = model.predict(X[one], ahead=late if way == REACH else 1)
            scores[late].add(prediction, y[one])
        if row >= WARM_UP and row % BATCH == 0 and row + BATCH <= rows:
            batch = slice(row, row + BATCH)
            ahead = np.arange(1.0, BATCH + 1.0) if way == REACH else 1
            scores[BATCH].add(model.predict(X[batch], ahead=ahead), y[batch])
        model.update(X[row : row + 1], y[row : row + 1])
    return [one for late, score in scores.items() for one in score.measured(late)]


def held_out(name: str, rows: int | None, way: str, seed: int) -> Measured:
    """Learned in one pass, then asked about rows that were held out."""
    data = sources.split(name, seed, rows)
    model = splitgp.SplittingGP(seed=seed)
    model.update(data.X, data.y)
    scores = _Scores()
    ahead = None if way == REACH else 1
    scores.add(model.predict(data.X_test, ahead=ahead), data.y_test)
    return scores.measured(len(data.X))


def horizon(name: str, ahead: int, rows: int, way: str, seed: int) -> Measured:
    """Each row is predicted so many rows before it comes, from what is known by then."""
    X, y = sources.horizon_rows(name, ahead, rows)
    model = splitgp.SplittingGP(seed=seed)
    scores = _Scores()
    warm_up = min(WARM_UP, len(X) // 4)
    for row in range(len(X)):
        if row >= warm_up and row + ahead <= len(X):
            one = slice(row + ahead - 1, row + ahead)
            prediction = model.predict(X[one], ahead=ahead if way == REACH else 1)
            scores.add(prediction, y[one])
        model.update(X[row : row + 1], y[row : row + 1])
    return scores.measured(ahead)
