"""Error against processor time: streaming models side by side, with labels at once and late."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

import splitgp
from experiments.cost.models import MODELS, OURS, SMALL, Answer, Model
from experiments.powergen import measuring as powergen
from experiments.shared.measure import Floats, Measured
from experiments.shared.methods import LOG, RBCM
from experiments.shared.run import Job, Settings
from experiments.shared.scoring import Scorer
from experiments.shared.table import Table
from splitgp import datasets

__all__ = ["LATE", "ROWS", "STREAMS", "WARM_UP", "Stream", "ahead", "best_other", "jobs"]

ROWS = 10_000  # of a stream, at most
WARM_UP = 200  # rows that are learned before errors count
LATE = (0, 10)  # rows between a prediction and its label


@dataclass(frozen=True)
class Stream:
    """One data set, in the order in which it is learned."""

    title: str
    file: str
    output: int | None = None  # which, if the file has several
    order: str = "in time order"


STREAMS = {
    "gas_turbine": Stream("gas_turbine, NOX", "gas_turbine", output=1),
    "pjme_hourly": Stream("pjme_hourly", "pjme_hourly"),
    "metro_traffic": Stream("metro_traffic", "metro_traffic"),
    "beijing_pm25": Stream("beijing_pm25", "beijing_pm25"),
    "powergen": Stream("powergen", "powergen_unique", order="shuffled, the first replicate"),
    "kin40k": Stream("kin40k", "kin40k_train", order="in the order of the file, which is random"),
}
# Enough to see that everything works.
_QUICK = "pjme_hourly"
_QUICK_ROWS = 350
_QUICK_OPTIONS = {"kernel": "rbf", "training_observations": 200}
_GPS = (OURS, SMALL, LOG, RBCM)


def jobs(settings: Settings) -> list[Job]:
    rows = _QUICK_ROWS if settings.quick else ROWS
    return [
        Job(
            measure,
            {
                "data": data,
                "method": method,
                "late": late,
                "rows": rows,
                "seed": settings.seed,
                "options": _QUICK_OPTIONS if settings.quick and method in _GPS else {},
            },
            data,
            method,
            "auto" if method in _GPS else "none",
            float(late),
            cost=1e-6 * rows * style.microseconds,
        )
        for data in STREAMS
        if not settings.quick or data == _QUICK
        for method, style in MODELS.items()
        for late in LATE
    ]


def rows_of(data: str, most: int) -> tuple[Floats, Floats]:
    """The first rows of a stream."""
    stream = STREAMS[data]
    if data == "powergen":
        table = datasets.load(stream.file)
        order = powergen.replicate_rows(0)[:most]
        return table.X[order], table.y[order]
    table = datasets.load(stream.file, most)
    y = table.y if stream.output is None else np.ascontiguousarray(table.y[:, stream.output])
    return table.X, y


def measure(
    data: str, method: str, late: int, rows: int, seed: int, options: dict[str, Any]
) -> Measured:
    # Comes with scikit-learn. Its threads would wait for each other in processor time.
    from threadpoolctl import threadpool_limits

    X, y = rows_of(data, rows)
    model = MODELS[method].make(len(X), seed, options)
    with threadpool_limits(1):
        answers, seconds = in_time_order(model, X, y, late)
    found = scores(answers, y) | {"row_seconds": seconds / len(X)}
    return [(len(X), metric, value) for metric, value in found.items()]


def in_time_order(model: Model, X: Floats, y: Floats, late: int) -> tuple[list[Answer], float]:
    """An answer for each row, and the processor time of all of it: predicting and learning.

    Every row is predicted before it is learned, and learned `late` rows after that.
    """
    answers: list[Answer] = []
    start = time.process_time()
    if late == 0:
        for row in range(len(X)):
            answers.append(model.predict_then_learn(X[row : row + 1], y[row : row + 1]))
    else:
        for row in range(len(X)):
            answers.append(model.predict(X[row : row + 1]))
            if (known := row - late) >= 0:
                model.learn(X[known : known + 1], y[known : known + 1])
    return answers, time.process_time() - start


def scores(answers: list[Answer], y: Floats) -> dict[str, float]:
    """RMSE from row WARM_UP on; NLPD and coverage too if the answers are distributions.

    >>> one = splitgp.Prediction(np.zeros(1), np.ones(1), np.zeros(1))
    >>> y = np.r_[np.zeros(WARM_UP), 1.0, -1.0]
    >>> sorted(scores([one] * len(y), y)), scores([0.0] * len(y), y)
    (['cover_95', 'nlpd', 'rmse'], {'rmse': 1.0})
    """
    scorer, means = Scorer(), []
    for row in range(WARM_UP, len(y)):
        answer = answers[row]
        if isinstance(answer, splitgp.Prediction):
            scorer.add(answer, y[row : row + 1])
        else:
            means.append(answer)
    if not means:
        found = scorer.scores()
        return {metric: found[metric] for metric in ("rmse", "nlpd", "cover_95")}
    return {"rmse": float(np.sqrt(np.mean((y[WARM_UP:] - np.array(means)) ** 2)))}


def best_other(table: Table, data: str, late: int) -> str:
    """The model with the smallest error that is not ours."""
    here = table.where(data=data, setting=float(late))
    others = [name for name in MODELS if name not in (OURS, SMALL)]
    errors = {name: here.mean("rmse", method=name) for name in others}
    return min(errors, key=lambda name: errors[name])


def ahead(table: Table, data: str, late: int) -> list[str]:
    """The methods that no other beats in both error and time, fastest first."""
    here = table.where(data=data, setting=float(late))
    found = []
    least = np.inf
    measured = [str(method) for method in here.values("method")]
    for method in sorted(measured, key=lambda one: here.mean("row_seconds", method=one)):
        error = here.mean("rmse", method=method)
        if error < least:
            found.append(method)
            least = error
    return found
