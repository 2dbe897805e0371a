"""The engine of before, and what borrowing, calibration and the trend each add to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import splitgp
from experiments.beyond import measuring as beyond
from experiments.powergen import measuring as powergen
from experiments.shared.measure import Floats, Measured
from experiments.shared.run import Job, Settings
from experiments.shared.scoring import Clock, Scorer, worst_stretches
from experiments.shared.table import Table
from experiments.stages import regimes
from splitgp import datasets

__all__ = [
    "AFTER_CHANGE",
    "BEFORE",
    "LAST",
    "SETS",
    "STAGES",
    "TIMED_ROWS",
    "WARM_UP",
    "Set",
    "error_ratio",
    "jobs",
    "options_of",
    "same_replicates",
]

_NO_CALIBRATION = {"calibration": "none", "surprise": False}
_NO_TREND = {"trend": "none"}
# stage → options. The engine of before is this one with what is new switched off.
STAGES: dict[str, dict[str, Any]] = {
    "before": {"neighbors": 8, **_NO_CALIBRATION, **_NO_TREND},
    "A": {**_NO_CALIBRATION, **_NO_TREND},
    "A+B": _NO_TREND,
    "A+B+C": {},
}
BEFORE, LAST = "before", "A+B+C"

SEEDS = 5
FEWER_SEEDS = 3  # of the long streams, and of the arm, which take most of the time
POWERGEN_REPLICATES = 10
STREAM_ROWS = 20_000
WARM_UP = 200  # rows that are learned before errors count
AFTER_CHANGE = (100, 300)  # rows of the new regime after which coverage is measured
TEST_ROWS = 10_000  # of kin40k's 30,000
TIMED_ROWS = 2000  # of a test set, one at a time


@dataclass(frozen=True)
class Set:
    """One data set of the table, and how it is learned."""

    title: str
    kind: str  # "stream", "test set" or "regime change"
    chosen_on: bool = False  # the constants were chosen with it in view
    file: str = ""
    output: int | None = None  # which, if the file has several and one is learned
    rows: int = STREAM_ROWS
    size: int = 250  # split_limit and capacity of the engine of before
    options: dict[str, Any] = field(default_factory=dict)  # from stage A on
    seconds: float = 12.0  # of one job, about
    replicates: int = SEEDS


def _stream(file: str, title: str = "", **others: Any) -> Set:
    return Set(title or file, "stream", file=file, replicates=FEWER_SEEDS, **others)


# name in the CSV → data set
SETS = {
    "gas_turbine": _stream("gas_turbine", "gas_turbine, NOX", output=1, chosen_on=True),
    "pjme_hourly": _stream("pjme_hourly", chosen_on=True),
    "metro_traffic": _stream("metro_traffic"),
    "beijing_pm25": _stream("beijing_pm25"),
    "gas_turbine_co": _stream("gas_turbine", "gas_turbine, CO", output=0),
    "flights3m": _stream("flights3m"),
    "pjme_5000": Set(
        "pjme_hourly, first 5,000 rows, split_limit 250",
        "stream",
        chosen_on=True,
        file="pjme_hourly",
        rows=5000,
        options={"split_limit": 250},
        seconds=4,
    ),
    "kin40k": Set("kin40k", "test set", chosen_on=True, seconds=5),
    "kin40k_500": Set(
        "kin40k, capacity 500",
        "test set",
        chosen_on=True,
        size=500,
        options={"capacity": 500},
        seconds=25,
    ),
    "powergen": Set(
        "powergen", "test set", chosen_on=True, replicates=POWERGEN_REPLICATES, seconds=5
    ),
    beyond.ARM[0]: Set(
        "Barrett arm, the test set that comes with it", "test set", replicates=FEWER_SEEDS
    ),
    beyond.ARM[1]: Set("Barrett arm, stretches held out", "test set", replicates=FEWER_SEEDS),
    **{name: Set(name.replace("_", " "), "regime change", seconds=3) for name in regimes.CHANGES},
}
# Enough to see that everything works.
_QUICK = ("pjme_hourly", "kin40k", "powergen", beyond.ARM[1], "start")
_QUICK_OPTIONS = {"kernel": "rbf", "training_observations": 200}


def jobs(settings: Settings) -> list[Job]:
    """Replicate 0 of everything first: it is enough for a page."""
    result = []
    for name, one in SETS.items():
        if settings.quick and name not in _QUICK:
            continue
        replicates = min(settings.replicates or one.replicates, one.replicates)
        for replicate in range(1 if settings.quick else replicates):
            for stage in STAGES:
                arguments = {
                    "name": name,
                    "options": options_of(one, stage) | (_QUICK_OPTIONS if settings.quick else {}),
                    "replicate": replicate,
                    "seed": settings.seed + replicate,
                    "quick": settings.quick,
                }
                result.append(
                    Job(
                        measure,
                        arguments,
                        name,
                        stage,
                        "auto",
                        replicate=replicate,
                        cost=one.seconds,
                        turn=replicate,
                    )
                )
    return result


def options_of(one: Set, stage: str) -> dict[str, Any]:
    """The keywords of SplittingGP.

    >>> options_of(SETS["kin40k_500"], "A+B")
    {'trend': 'none', 'capacity': 500}
    """
    if stage == BEFORE:
        return {"split_limit": one.size, "capacity": one.size, **STAGES[stage]}
    return {**STAGES[stage], **one.options}


def same_replicates(table: Table) -> Table:
    """Without the replicates of a data set that some stage has not measured yet."""
    measured = {(row.data, row.replicate, row.method) for row in table.rows}
    return Table(
        row for row in table.rows if all((row.data, row.replicate, s) in measured for s in STAGES)
    )


def error_ratio(table: Table, name: str, stage: str) -> float:
    """A stage's RMSE over that of the engine of before.

    The arm's outputs have different units; the square root of nMSE weighs them alike.
    """
    metric, power = ("nmse", 0.5) if name in beyond.ARM else ("rmse", 1.0)
    now, then = (table.mean(metric, data=name, method=one) for one in (stage, BEFORE))
    return float((now / then) ** power)


def measure(name: str, options: dict[str, Any], replicate: int, seed: int, quick: bool) -> Measured:
    one = SETS[name]
    model = splitgp.SplittingGP(seed=seed, **options)
    if one.kind == "stream":
        table = datasets.load(one.file, 400 if quick else one.rows)
        y = table.y if one.output is None else np.ascontiguousarray(table.y[:, one.output])
        scorer, clock = in_time_order(model, table.X, y)
        found = scorer.scores(WARM_UP) | worst_stretches(scorer.held(WARM_UP))
    elif one.kind == "regime change":
        before, after = (200, 400) if quick else (regimes.BEFORE, regimes.AFTER)
        scorer, clock = in_time_order(model, *regimes.stream(name, before, after, seed))
        early, late = (before + rows for rows in AFTER_CHANGE)
        found = scorer.scores(early)
        found["cover_early"] = float(scorer.held(early, late).mean())
        found["cover_late"] = float(scorer.held(late).mean())
    else:
        scorer, clock = train_and_test(model, *_test_set(name, replicate, seed, quick))
        found = scorer.scores()
    found |= clock.seconds()
    found["bytes_a_row"] = model.memory_bytes / model.n_observations
    found["n_local"] = float(model.n_local)
    return [(model.n_observations, metric, value) for metric, value in found.items()]


def in_time_order(model: splitgp.SplittingGP, X: Floats, y: Floats) -> tuple[Scorer, Clock]:
    """Every row is predicted before it is learned, but for the first."""
    scorer, clock = Scorer(), Clock()
    clock.update(model, X[:1], y[:1])
    scorer.add(model.predict(X[:1]), y[:1])  # only so that row 0 of the scores is row 0 of the data
    for row in range(1, len(X)):
        here = slice(row, row + 1)
        prediction = clock.predict(model, X[here])
        clock.update(model, X[here], y[here])
        scorer.add(prediction, y[here])
    return scorer, clock


def train_and_test(
    model: splitgp.SplittingGP, X: Floats, y: Floats, X_test: Floats, y_test: Floats
) -> tuple[Scorer, Clock]:
    """One pass through the stream, then the test set; some of it one at a time, for the clock."""
    scorer, clock = Scorer(), Clock()
    for row in range(len(X)):
        clock.update(model, X[row : row + 1], y[row : row + 1])
    for row in range(min(TIMED_ROWS, len(X_test))):
        clock.predict(model, X_test[row : row + 1])
    scorer.add(model.predict(X_test), y_test)
    return scorer, clock


def _test_set(
    name: str, replicate: int, seed: int, quick: bool
) -> tuple[Floats, Floats, Floats, Floats]:
    """Inputs and outputs in the order in which they are learned, and those to test with."""
    if name in beyond.ARM:
        return beyond.arm_rows(name, 1200 if quick else None)
    if name == "powergen":
        table = datasets.load("powergen_unique")
        learned = powergen.replicate_rows(replicate)
        test = np.setdiff1d(np.arange(len(table.X)), learned)
        learned = learned[: 500 if quick else None]
        return table.X[learned], table.y[learned], table.X[test], table.y[test]
    train = datasets.load("kin40k_train", 500 if quick else None)
    test_rows = datasets.load("kin40k_test", 500 if quick else TEST_ROWS)
    order = np.arange(len(train.X))
    if seed > 0:  # 0 is the order of the file
        order = np.random.default_rng(seed).permutation(len(train.X))
    return train.X[order], train.y[order], test_rows.X, test_rows.y
