"""Errors, intervals and processor time of a model."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.shared.methods import Model
from splitgp import Prediction

__all__ = ["Measured", "cpu_seconds", "scores", "train_and_test"]

Floats = NDArray[np.float64]
Measured = list[tuple[int, str, float]]


def cpu_seconds(action: Callable[[], Any]) -> tuple[Any, float]:
    """The action's result and the processor time it took.

    Not wall time: other processes on the machine must not count.
    """
    start = time.process_time()
    result = action()
    return result, time.process_time() - start


def scores(prediction: Prediction, y: Floats) -> dict[str, float]:
    """RMSE, NLPD and coverage of the 95 % interval, by the predicted distribution.

    >>> import numpy as np
    >>> prediction = Prediction(np.zeros(2), np.ones(2), np.zeros(2))
    >>> scores(prediction, np.array([1.0, -1.0]))["rmse"]
    1.0
    """
    low, high = prediction.interval(0.95)
    return {
        "rmse": float(np.sqrt(np.mean((y - prediction.mean) ** 2))),
        "nlpd": -float(np.mean(prediction.log_density(y))),
        "coverage": float(np.mean((low <= y) & (y <= high))),
    }


def train_and_test(model: Model, X: Floats, y: Floats, X_test: Floats, y_test: Floats) -> Measured:
    """One pass through the stream, then the test set; each timed separately."""
    _, update_seconds = cpu_seconds(lambda: model.update(X, y))
    prediction, predict_seconds = cpu_seconds(lambda: model.predict(X_test))
    found = scores(prediction, y_test)
    found |= {
        "train_seconds": update_seconds,
        "predict_seconds": predict_seconds,
        "memory_bytes": float(model.memory_bytes),
        "n_local": float(model.n_local),
        "test_rows": float(len(X_test)),
    }
    if y.ndim == 2:
        variance_of_y = y_test.var(axis=0)
        normalised = ((y_test - prediction.mean) ** 2).mean(axis=0) / variance_of_y
        found["nmse"] = float(normalised.mean())
        found |= {f"nmse_{k + 1}": float(one) for k, one in enumerate(normalised)}
    return [(len(X), metric, value) for metric, value in found.items()]
