"""kin40k: error against the observations per local model (Fig. 5a)."""

from __future__ import annotations

import math
from typing import Any

from experiments.shared.measure import Measured, cpu_seconds, scores, train_and_test
from experiments.shared.methods import DEFAULT, FULL, LOCAL, LOG, PAPER, RBCM, make
from experiments.shared.run import Job, Settings
from splitgp import datasets

__all__ = ["OJA", "PER_MODEL", "TEST_ROWS", "THRESHOLDS", "jobs"]

PER_MODEL = (70, 156, 312, 625, 1250, 2500, 5000, 9999)
# The paper's, and larger ones: with length scales that are learned well, 1e-3 is one model already.
THRESHOLDS = (0.5, 0.3, 0.1, 1e-3, 1e-4, 1e-6, 1e-7, 1e-8)
# A prediction costs the square of what a local model holds, so 30,000 of them by a full GP take
# minutes. All methods are compared on the first rows of the test set; up to ALL_ROWS_LIMIT
# observations per model the whole of it is measured too.
TEST_ROWS = 6000
ALL_ROWS_LIMIT = 1250
# A further series: ours with Oja's rule.
OJA = "splitting (Oja)"


def jobs(settings: Settings) -> list[Job]:
    per_model = (100, 400) if settings.quick else PER_MODEL
    thresholds = (0.1, 1e-3) if settings.quick else THRESHOLDS
    series: list[tuple[str, float]] = [
        (method, m) for method in (DEFAULT, PAPER, RBCM, LOG) for m in per_model
    ]
    series += [(LOCAL, threshold) for threshold in thresholds]
    series += [(FULL, 0), (OJA, 400 if settings.quick else 625)]
    return [
        Job(
            measure,
            {
                "method": DEFAULT if method == OJA else method,
                "setting": setting,
                "rows": 1500 if settings.quick else None,
                "test_rows": 1000 if settings.quick else TEST_ROWS,
                "all_rows": not settings.quick and 1 <= setting <= ALL_ROWS_LIMIT,
                "options": {"principal_direction": "oja"} if method == OJA else {},
                "seed": settings.seed,
            },
            "kin40k",
            method,
            setting=setting,
            cost=_cost(method, setting),
        )
        for method, setting in series
    ]


def _cost(method: str, setting: float) -> float:
    held = setting
    if method == FULL:
        held = 10_000
    elif method == LOCAL:  # the smaller w_gen, the larger the local GPs
        held = 10_000 if setting < 0.05 else 1000 * -math.log10(setting)
    return 15 + 3e-6 * held**2


def measure(
    method: str,
    setting: float,
    rows: int | None,
    test_rows: int,
    all_rows: bool,
    options: dict[str, Any],
    seed: int,
) -> Measured:
    train = datasets.load("kin40k_train", rows)
    test = datasets.load("kin40k_test", None if all_rows else test_rows)
    model = make(method, setting=setting, observations=len(train.X), seed=seed, **options)
    measured = train_and_test(model, train.X, train.y, test.X[:test_rows], test.y[:test_rows])
    if all_rows:
        prediction, _ = cpu_seconds(lambda: model.predict(test.X))
        found = scores(prediction, test.y)
        measured.append((len(train.X), "rmse_all_rows", found["rmse"]))
    return measured
