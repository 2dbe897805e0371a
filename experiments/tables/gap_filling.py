"""What takes the place of a missing number: the running mean or the last value, marked or not."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import splitgp
from experiments.shared.measure import Floats, Measured, cpu_seconds
from experiments.shared.scoring import Scorer
from experiments.tables import raw_tables

__all__ = ["FILLS", "HIDDEN", "SETS", "WARM_UP", "GapSet", "filled", "measure"]

WARM_UP = 200  # rows that are learned before errors count
HIDDEN = 0.1  # the share of cells that is hidden besides, where gaps are rare

FILLS = {
    "mean": "the mean of the column so far",
    "last": "its last value",
    "mean and mark": "the mean, and a column that is 1 where a value is missing",
    "last and mark": "the last value, and such a column",
}


@dataclass(frozen=True)
class GapSet:
    """A table with gaps: inputs and target."""

    title: str
    make: Callable[[int], tuple[Floats, Floats]]
    hidden: float = 0.0  # share of the cells that is hidden


def _with_time(columns: Floats, hours: Floats) -> Floats:
    day = hours * math.tau / 24
    return np.column_stack([hours, np.sin(day), np.cos(day), columns])


def _air(target: str) -> Callable[[int], tuple[Floats, Floats]]:
    def make(rows: int) -> tuple[Floats, Floats]:
        table = raw_tables.read("air_quality", rows, delimiter=";")
        names = [name for name in table if name not in ("Date", "Time", target)]
        columns = [raw_tables.numbers(table[name], code=-200) for name in names]
        y = raw_tables.numbers(table[target], code=-200)
        # The table has every hour, from 18:00 on.
        return _with_time(np.column_stack(columns), np.arange(18.0, 18.0 + len(y))), y

    return make


def _beijing(rows: int) -> tuple[Floats, Floats]:
    table = raw_tables.read("beijing_aotizhongxin", rows)
    names = ("SO2", "NO2", "CO", "O3", "TEMP", "PRES", "DEWP", "RAIN", "WSPM")
    columns = np.column_stack([raw_tables.numbers(table[name]) for name in names])
    y = raw_tables.numbers(table["PM2.5"])
    return _with_time(columns, np.arange(float(len(y)))), y


SETS = {
    "benzene": GapSet("air_quality, C6H6(GT)", _air("C6H6(GT)")),
    "no2": GapSet("air_quality, NO2(GT)", _air("NO2(GT)")),
    "pm25": GapSet("beijing_aotizhongxin, PM2.5", _beijing),
    "pm25_hidden": GapSet(
        f"beijing_aotizhongxin, PM2.5, {100 * HIDDEN:.0f} % of the other cells hidden",
        _beijing,
        HIDDEN,
    ),
}


def filled(X: Floats, fill: str) -> Floats:
    """X without gaps, by what came before.

    >>> X = np.array([[1.0], [3.0], [np.nan], [5.0]])
    >>> filled(X, "mean")[:, 0].tolist(), filled(X, "last")[:, 0].tolist()
    ([1.0, 3.0, 2.0, 5.0], [1.0, 3.0, 3.0, 5.0])
    >>> filled(X, "last and mark")[:, 1].tolist()
    [0.0, 0.0, 1.0, 0.0]
    """
    missing = np.isnan(X)
    known = np.where(missing, 0.0, X)
    if fill.startswith("mean"):
        counts = np.cumsum(~missing, axis=0)
        instead = np.cumsum(known, axis=0) / np.maximum(counts, 1)
    else:
        latest = np.where(missing, 0, np.arange(len(X))[:, None])
        instead = np.take_along_axis(known, np.maximum.accumulate(latest, axis=0), axis=0)
    result = np.where(missing, instead, X)
    if not fill.endswith("mark"):
        return result
    return np.hstack([result, missing[:, missing.any(axis=0)].astype(np.float64)])


def measure(data: str, fill: str, rows: int, seed: int, options: dict[str, object]) -> Measured:
    """One pass in time order over the rows whose target is known."""
    gaps = SETS[data]
    X, y = gaps.make(rows)
    if gaps.hidden:
        hide = np.random.default_rng(seed).uniform(size=X.shape) < gaps.hidden
        hide[:, :3] = False  # the time is known
        X[hide] = np.nan
    known = np.isfinite(y)
    gap = np.any(np.isnan(X), axis=1)[known]
    inputs, y = filled(X, fill)[known], y[known]
    model = splitgp.SplittingGP(seed=seed, **options)  # type: ignore[arg-type]
    (prediction, _), seconds = cpu_seconds(lambda: model.predict_then_update(inputs, y))
    scorer = Scorer()
    scorer.add(prediction, y)
    found = scorer.scores(first=WARM_UP)
    error = y - prediction.mean
    late = np.arange(len(y)) >= WARM_UP
    measured = {
        "rmse": found["rmse"],
        "nlpd": found["nlpd"],
        "gap_rmse": float(np.sqrt(np.mean(error[gap & late] ** 2))),
        "gap_share": float(gap.mean()),
        "row_seconds": seconds / len(y),
    }
    return [(len(y), metric, value) for metric, value in measured.items()]
