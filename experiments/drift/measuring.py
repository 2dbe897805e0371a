"""When the world changes: ways to forget side by side, and how soon and how truly alarms come."""

from __future__ import annotations

from typing import Any

import numpy as np

import splitgp
from experiments.cost.models import Gp
from experiments.drift.models import ALL, FORGET, FRESH, MODELS, RIVER
from experiments.drift.streams import REAL, STREAMS, World, in_regions, region
from experiments.shared.measure import Floats, Measured
from experiments.shared.run import Job, Settings
from experiments.shared.table import Table

__all__ = [
    "AFTER",
    "BIN",
    "DETECTORS",
    "FOUND_WITHIN",
    "ROWS",
    "SEEDS",
    "STATIONARY_ROWS",
    "STEP",
    "jobs",
    "rows_to_recover",
]

ROWS = 6_000
SEEDS = 2  # of the streams that are made; the real ones are there once
WARM_UP = 200
AFTER = 1000  # rows after a change whose errors are looked at
BIN = 200  # rows whose errors make one point of a curve
WITHIN = 1.1  # of the error of a model that saw only the new concept: recovered

STATIONARY_ROWS, STEP_ROWS, DETECTION_SEEDS = 100_000, 20_000, 20
STEP = 2.0  # noise standard deviations
FOUND_WITHIN = 300  # rows of the region that changed
DETECTORS = ("splitgp", "ADWIN", "PageHinkley")

_QUICK_OPTIONS = {"kernel": "rbf", "training_observations": 200, "capacity": 60}


def jobs(settings: Settings) -> list[Job]:
    quick = settings.quick
    options = _QUICK_OPTIONS if quick else {}
    rows = 900 if quick else ROWS
    names = ["step"] if quick else list(STREAMS)
    methods = [ALL, FORGET, FRESH, RIVER[-1]] if quick else [*MODELS, FRESH]
    found = [
        Job(
            compare,
            {"data": data, "method": method, "rows": rows, "seed": seed, "options": options},
            data,
            method,
            "auto",
            replicate=seed,
            cost=30.0 if method == RIVER[0] else 5.0,
        )
        for data in names
        for method in methods
        if method != FRESH or data not in REAL
        for seed in range(1 if quick or data in REAL else settings.replicates or SEEDS)
    ]
    for kind, size, length in (("stationary", 0.0, STATIONARY_ROWS), ("steps", STEP, STEP_ROWS)):
        found += [
            Job(
                detect,
                {
                    "rows": 1500 if quick else length,
                    "size": size,
                    "seed": 100 + seed,
                    "options": options,
                },
                kind,
                "detectors",
                "auto",
                replicate=seed,
                cost=1e-4 * length,
            )
            for seed in range(1 if quick else DETECTION_SEEDS)
        ]
    return found


def compare(data: str, method: str, rows: int, seed: int, options: dict[str, Any]) -> Measured:
    from threadpoolctl import threadpool_limits

    world = STREAMS[data].make(rows, seed)
    with threadpool_limits(1):
        errors, held, alarms = _run(world, method, seed, options)
    return _scores(world, errors, held) + [(at, "alarm", float(since)) for at, since in alarms]


def _run(
    world: World, method: str, seed: int, options: dict[str, Any]
) -> tuple[Floats, Floats, list[tuple[int, int]]]:
    """For each row, its error and whether the 95 % interval held it; and the alarms."""
    make = MODELS[ALL if method == FRESH else method].make
    model = make(seed, options)
    errors, held = np.empty(len(world.y)), np.full(len(world.y), np.nan)
    for row in range(len(world.y)):
        if method == FRESH and row in world.changes:
            model = make(seed, options)
        x, y = world.X[row : row + 1], world.y[row : row + 1]
        answer = model.predict_then_learn(x, y)
        if isinstance(answer, splitgp.Prediction):
            errors[row] = y[0] - answer.mean[0]
            low, high = answer.interval(0.95)
            held[row] = low[0] <= y[0] <= high[0]
        else:
            errors[row] = y[0] - answer
    alarms = []
    if isinstance(model, Gp) and method != FRESH:
        alarms = [(one.sequence, one.change_point) for one in model.model.alarms]
    return errors, held, alarms


def _scores(world: World, errors: Floats, held: Floats) -> Measured:
    rows = len(errors)

    def rmse(chosen: Any) -> float:
        return float(np.sqrt(np.mean(errors[chosen] ** 2)))

    found = {"rmse": rmse(slice(WARM_UP, None))}
    if not np.isnan(held).any():
        found["cover_95"] = float(held[WARM_UP:].mean())
    if world.changes:
        after = np.zeros(rows, dtype=bool)
        for change in world.changes:
            after[change : change + AFTER] = True
        found["rmse_after"] = rmse(after)
        if world.region is not None:
            here = region(world.X) == world.region
            found["rmse_region"] = rmse(after & here)
            found["rmse_elsewhere"] = rmse(after & ~here)
            found["rmse_elsewhere_to_the_end"] = rmse((np.arange(rows) >= world.changes[0]) & ~here)
    curve = [(end, "rmse_bin", rmse(slice(end - BIN, end))) for end in range(BIN, rows + 1, BIN)]
    changes = [(change, "change", float(change)) for change in world.changes]
    return [(rows, metric, value) for metric, value in found.items()] + curve + changes


def detect(rows: int, size: float, seed: int, options: dict[str, Any]) -> Measured:
    """Alarms of the model, and of river's detectors on the same innovations of the whole stream.

    A step is found if an alarm comes within FOUND_WITHIN rows of the region that changed, and after
    the change; all others are false.
    """
    from river import drift

    river: Any = drift  # it has no types
    world = in_regions(rows, seed, size)
    change = world.changes[0] if world.changes else rows
    here = np.cumsum(region(world.X) == world.region)
    model = splitgp.SplittingGP(seed=seed, **options)
    detectors = {"ADWIN": river.ADWIN(), "PageHinkley": river.PageHinkley()}
    alarms: dict[str, list[int]] = {name: [] for name in DETECTORS}
    for row in range(rows):
        result = model.update(world.X[row : row + 1], world.y[row : row + 1])
        alarms["splitgp"] += [row] * len(result.alarms)
        for name, detector in detectors.items():
            detector.update(float(result.z[0]))
            if detector.drift_detected:
                alarms[name].append(row)
    found: Measured = []
    for name, at in alarms.items():
        false = [row for row in at if row < change]
        found.append((rows, f"false {name}", float(len(false))))
        if change < rows:
            true = [row for row in at if row >= change]
            delay = float(here[true[0]] - here[change - 1]) if true else np.inf
            found.append((rows, f"found {name}", float(delay <= FOUND_WITHIN)))
            if np.isfinite(delay):
                found.append((rows, f"delay {name}", delay))
    return found


def rows_to_recover(table: Table, data: str, method: str, replicate: int) -> float:
    """Rows after the first change until a bin's error is within 10 % of a fresh model's; or inf."""
    here = table.where(data=data, replicate=replicate)
    change = min(row.value for row in here.where(method=ALL, metric="change").rows)
    fresh, one = (
        {row.n: row.value for row in here.where(method=name, metric="rmse_bin").rows}
        for name in (FRESH, method)
    )
    for end in sorted(one):
        if end - BIN >= change and one[end] <= WITHIN * fresh[end]:
            return float(end - change)
    return float("inf")
