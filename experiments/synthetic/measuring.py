"""The paper's synthetic function: error, memory and training time along the stream (Figs. 3, 4)."""

from __future__ import annotations

from functools import partial

import numpy as np

from experiments.shared.measure import Floats, Measured, cpu_seconds
from experiments.shared.methods import DEFAULT, FULL, LOCAL, LOG, PAPER, RBCM, Model, make
from experiments.shared.run import Job, Settings
from splitgp.datasets import synthetic

__all__ = ["FOLDS", "SPLIT_LIMIT", "competitors", "jobs", "sizes"]

FOLDS = 5
SPLIT_LIMIT = 500
QUICK_SPLIT_LIMIT = 100
# How many of the five folds are measured; the authors' variant gets fewer, to save time.
FOLDS_MEASURED = {"paper": 5, "code": 2}
# Seconds of one fold with 2,000 observations, roughly.
_COST = {DEFAULT: 2.5, PAPER: 1.5, RBCM: 2.5, LOCAL: 3.0, LOG: 2.5, FULL: 15.0}


def sizes(quick: bool) -> list[int]:
    """n: the observations of which four fifths are learned and one fifth is held out."""
    return list(range(100, 601, 100)) if quick else list(range(100, 2501, 100))


def split_limit(quick: bool) -> int:
    """The paper's m, and one small enough to split in the quick run."""
    return QUICK_SPLIT_LIMIT if quick else SPLIT_LIMIT


def competitors(quick: bool) -> list[tuple[str, float]]:
    """Methods and settings: the paper's own, and the rBCM with as many observations as ours."""
    m = split_limit(quick)
    learned = sizes(quick)[-1] * (FOLDS - 1) // FOLDS
    return [
        (DEFAULT, m),
        (PAPER, m),
        (RBCM, learned / 10),  # E = 10
        (RBCM, m),
        (LOCAL, 1e-3),
        (LOG, m),
        (FULL, 0),
    ]


def jobs(settings: Settings) -> list[Job]:
    replicates = settings.replicates or (2 if settings.quick else 10)
    result = []
    for variant, folds in FOLDS_MEASURED.items():
        if settings.quick and variant == "code":
            continue
        folds = min(folds, 2) if settings.quick else folds
        for method, setting in competitors(settings.quick):
            for replicate in range(replicates):
                arguments = {
                    "variant": variant,
                    "method": method,
                    "setting": setting,
                    "folds": folds,
                    "sizes": sizes(settings.quick),
                    "seed": 1000 * settings.seed + replicate,
                }
                result.append(
                    Job(
                        measure,
                        arguments,
                        variant,
                        method,
                        setting=setting,
                        replicate=replicate,
                        cost=folds * _COST[method],
                    )
                )
    return result


def measure(
    variant: str, method: str, setting: float, folds: int, sizes: list[int], seed: int
) -> Measured:
    """Means over the folds, at every size.

    Fold k holds back every fifth row of the stream from row k on. So one pass through the rest
    serves all sizes: the first n rows, in the same order, are what a run with n alone would see.
    Every method sees the same rows and noise (common random numbers).
    """
    X, y, f = synthetic(sizes[-1], variant=variant, seed=seed)
    observations = sizes[-1] * (FOLDS - 1) // FOLDS
    total: dict[tuple[int, str], float] = {}
    for fold in range(folds):
        model = make(method, setting=setting, observations=observations, seed=seed)
        for n, metric, value in one_pass(model, X, y, f, fold, sizes):
            total[n, metric] = total.get((n, metric), 0.0) + value / folds
    return [(n, metric, value) for (n, metric), value in total.items()]


def one_pass(
    model: Model, X: Floats, y: Floats, f: Floats, fold: int, sizes: list[int]
) -> Measured:
    """Row by row through the stream, with the held-out rows predicted at every size."""
    held_out = np.arange(len(X)) % FOLDS == fold
    measured: Measured = []
    seconds = 0.0
    start = 0
    for n in sizes:
        rows = start + np.flatnonzero(~held_out[start:n])

        def learn(rows: np.ndarray = rows) -> None:
            for row in rows:
                model.update(X[row : row + 1], y[row : row + 1])

        seconds += cpu_seconds(learn)[1]
        start = n
        test = np.flatnonzero(held_out[:n])
        prediction, predict_seconds = cpu_seconds(partial(model.predict, X[test]))
        measured += [
            (n, "mse", float(np.mean((prediction.mean - y[test]) ** 2))),
            (n, "mse_latent", float(np.mean((prediction.mean - f[test]) ** 2))),
            (n, "memory_bytes", float(model.memory_bytes)),
            (n, "train_seconds", seconds),
            (n, "predict_seconds", predict_seconds),
            (n, "n_local", float(model.n_local)),
        ]
    return measured
