"""Beyond the paper: a robot arm with seven outputs, and two streams in time order."""

from __future__ import annotations

import time

import numpy as np

from experiments.shared.measure import Floats, Measured, scores, train_and_test
from experiments.shared.methods import DEFAULT, FULL, LOCAL, LOG, PAPER, RBCM, make
from experiments.shared.run import Job, Settings
from splitgp import Prediction, datasets

__all__ = [
    "ARM",
    "BLOCK",
    "CHECKPOINTS",
    "LINEAR",
    "NO_MODEL",
    "PER_MODEL",
    "ROWS",
    "STREAMS",
    "WARM_UP",
    "arm_rows",
    "jobs",
]

PER_MODEL = 300
# The arm's rows are one recording. The test set that comes with it holds every fifth row, so each
# lies between two training rows and can be interpolated in time without knowing any dynamics; in
# the second version whole stretches of the recording are held out instead.
ARM = ("barrett_wam", "barrett_wam_blocks")
BLOCK = 300
# What is learned without any GP.
NO_MODEL = "neighbouring rows"
LINEAR = "linear regression"
# data set → which of its outputs
STREAMS = {"pjme_hourly": 0, "gas_turbine": 1}
# How much of a stream each method sees. A method that keeps (nearly) everything in one model slows
# down with every row, so it sees less; all are compared at the rows that all have seen.
ROWS = {DEFAULT: 20_000, PAPER: 10_000, RBCM: 10_000, LOG: 10_000, LOCAL: 5000, FULL: 5000}
CHECKPOINTS = (1000, 2000, 5000, 10_000, 20_000)
WARM_UP = 200  # rows that are learned before errors count
_THRESHOLD = 1e-3  # w_gen of the local GP, as in the paper


def jobs(settings: Settings) -> list[Job]:
    series: list[tuple[str, str, float]] = [
        (DEFAULT, "rbf", PER_MODEL),
        (DEFAULT, "auto", PER_MODEL),
        (PAPER, "rbf", PER_MODEL),
        (RBCM, "rbf", PER_MODEL),
        (LOG, "rbf", PER_MODEL),
        (LOCAL, "rbf", _THRESHOLD),
        (FULL, "rbf", 0.0),
    ]
    if settings.quick:
        series = [(m, k, 100.0 if s == PER_MODEL else s) for m, k, s in series if k == "rbf"]
    result = []
    for method, kernel, setting in series:
        arguments = {"method": method, "kernel": kernel, "setting": setting, "seed": settings.seed}
        for data in ARM:
            result.append(
                Job(
                    arm,
                    {**arguments, "data": data, "rows": 1200 if settings.quick else None},
                    data,
                    method,
                    kernel,
                    setting,
                    cost=200 if method in (LOCAL, FULL) else 30,
                )
            )
        for stream in STREAMS:
            seen = 600 if settings.quick else ROWS[method]
            result.append(
                Job(
                    in_time_order,
                    {**arguments, "stream": stream, "rows": seen},
                    stream,
                    method,
                    kernel,
                    setting,
                    cost=100 if method in (LOCAL, FULL) else 60,
                )
            )
    rows = 1200 if settings.quick else None
    result.append(Job(neighbouring_rows, {"rows": rows}, ARM[0], NO_MODEL, "none"))
    for data in ARM:
        result.append(Job(linear_regression, {"data": data, "rows": rows}, data, LINEAR, "none"))
    return result


def arm(
    method: str, kernel: str, setting: float, data: str, rows: int | None, seed: int
) -> Measured:
    """Seven torques of a real arm, learned by one model with seven outputs."""
    X, y, X_test, y_test = arm_rows(data, rows)
    model = make(method, setting=setting, observations=len(X), kernel=kernel, seed=seed)
    return train_and_test(model, X, y, X_test, y_test)


def arm_rows(data: str, rows: int | None) -> tuple[Floats, Floats, Floats, Floats]:
    """Inputs and torques to learn from, and those to test with."""
    train, test = datasets.load("barrett_wam_train", rows), _between(rows)
    if data == ARM[0]:
        return train.X, train.y, test.X, test.y
    held_out = np.arange(len(train.X)) // BLOCK % 5 == 3
    X, y, X_test, y_test = (
        np.ascontiguousarray(array[chosen])
        for chosen in (~held_out, held_out)
        for array in (train.X, train.y)
    )
    return X, y, X_test, y_test


def _between(rows: int | None) -> datasets.Dataset:
    """Test row i was recorded between training rows 4 i − 1 and 4 i."""
    return datasets.load("barrett_wam_test", None if rows is None else rows // 4)


def neighbouring_rows(rows: int | None) -> Measured:
    """No model at all: the mean torque of the training rows recorded before and after."""
    train, test = datasets.load("barrett_wam_train", rows), _between(rows)
    row = np.arange(1, len(test.X))
    guess = (train.y[4 * row - 1] + train.y[4 * row]) / 2
    return _without_a_model(guess, test.y[row], len(train.X))


def linear_regression(data: str, rows: int | None) -> Measured:
    X, y, X_test, y_test = (np.asarray(one) for one in arm_rows(data, rows))
    weights = np.linalg.lstsq(np.c_[X, np.ones(len(X))], y, rcond=None)[0]
    return _without_a_model(np.c_[X_test, np.ones(len(X_test))] @ weights, y_test, len(X))


def _without_a_model(guess: Floats, y: Floats, learned: int) -> Measured:
    error = ((guess - y) ** 2).mean(axis=0) / y.var(axis=0)
    joints = [(learned, f"nmse_{k + 1}", float(one)) for k, one in enumerate(error)]
    return [(learned, "nmse", float(error.mean())), *joints]


def in_time_order(
    method: str, kernel: str, setting: float, stream: str, rows: int, seed: int
) -> Measured:
    """Test-then-train: every row is predicted before it is learned."""
    table = datasets.load(stream, rows)
    y = table.y if table.y.ndim == 1 else np.ascontiguousarray(table.y[:, STREAMS[stream]])
    model = make(method, setting=setting, observations=rows, kernel=kernel, seed=seed)
    model.update(table.X[:1], y[:1])
    mean, variance = np.zeros(rows), np.ones(rows)
    degrees_of_freedom = np.full(rows, np.inf)
    seconds = {"train_seconds": 0.0, "predict_seconds": 0.0}
    measured: Measured = []
    for row in range(1, rows):
        X = table.X[row : row + 1]
        start = time.process_time()
        prediction = model.predict(X)
        middle = time.process_time()
        model.update(X, y[row : row + 1])
        seconds["predict_seconds"] += middle - start
        seconds["train_seconds"] += time.process_time() - middle
        mean[row] = prediction.mean[0]
        variance[row] = prediction.variance[0] + prediction.noise_variance[0]
        degrees_of_freedom[row] = prediction.degrees_of_freedom[0]
        n = row + 1
        if n in CHECKPOINTS or n == rows:
            seen = slice(WARM_UP, n)
            whole = Prediction(
                mean[seen], variance[seen], np.zeros_like(mean[seen]), degrees_of_freedom[seen]
            )
            found = scores(whole, y[seen])
            found |= {**seconds, "memory_bytes": float(model.memory_bytes)}
            found["n_local"] = float(model.n_local)
            measured += [(n, metric, value) for metric, value in found.items()]
    return measured
