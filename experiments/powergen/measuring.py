"""powergen: error and run time against the observations per local model (Fig. 5b)."""

from __future__ import annotations

import numpy as np

from experiments.shared.measure import Measured, train_and_test
from experiments.shared.methods import DEFAULT, FULL, LOCAL, LOG, PAPER, RBCM, make
from experiments.shared.run import Job, Settings
from splitgp import datasets

__all__ = ["FULL_REPLICATES", "PER_MODEL", "THRESHOLDS", "jobs"]

PER_MODEL = (625, 300, 150, 75, 30)
THRESHOLDS = (0.5, 0.1, 1e-3)
# Of the slow ones: the full GP, and the local GP, which nearly is one.
FULL_REPLICATES = 3
REPLICATES = 10


def jobs(settings: Settings) -> list[Job]:
    replicates = settings.replicates or (2 if settings.quick else REPLICATES)
    per_model = (150, 75) if settings.quick else PER_MODEL
    # Named kernels make the comparison even; "auto" is what a user gets.
    series: list[tuple[str, str, float]] = [
        (method, "rbf", m) for method in (DEFAULT, PAPER, RBCM, LOG) for m in per_model
    ]
    series += [(DEFAULT, "auto", m) for m in per_model]
    slow: list[tuple[str, str, float]] = [
        (LOCAL, "rbf", threshold)
        for threshold in (THRESHOLDS[-1:] if settings.quick else THRESHOLDS)
    ]
    slow += [(FULL, "rbf", 0.0), (FULL, "auto", 0.0)]
    if settings.quick:
        slow = [one for one in slow if one[1] == "rbf"]
    result = []
    for method, kernel, setting in series + slow:
        is_slow = (method, kernel, setting) in slow
        count = min(replicates, FULL_REPLICATES) if is_slow else replicates
        for replicate in range(count):
            arguments = {
                "method": method,
                "kernel": kernel,
                "setting": setting,
                "replicate": replicate,
                "rows": 1000 if settings.quick else None,
                "seed": settings.seed,
            }
            cost = 60.0 if is_slow else (4 if kernel == "rbf" else 6) + 5e-6 * setting**2
            result.append(
                Job(measure, arguments, "powergen", method, kernel, setting, replicate, cost)
            )
    return result


def replicate_rows(replicate: int) -> np.ndarray:
    """The rows that a replicate learns, in stream order; the others are its test set."""
    path = datasets.find("powergen_unique").parent / "powergen_train_order.csv.gz"
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; it holds the rows of each replicate")
    order = np.loadtxt(path, delimiter=",", skiprows=1, dtype=np.int64)
    if replicate >= order.shape[1]:
        raise ValueError(f"replicates: {path} holds {order.shape[1]}, replicate {replicate} asked")
    return order[:, replicate]


def measure(
    method: str, kernel: str, setting: float, replicate: int, rows: int | None, seed: int
) -> Measured:
    table = datasets.load("powergen_unique")
    learned = replicate_rows(replicate)
    test = np.setdiff1d(np.arange(len(table.X)), learned)
    learned = learned[:rows]
    model = make(
        method,
        setting=setting,
        observations=len(learned),
        kernel=kernel,
        seed=1000 * seed + replicate,
    )
    return train_and_test(model, table.X[learned], table.y[learned], table.X[test], table.y[test])
