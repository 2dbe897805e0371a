"""Scores of predictions that come a row at a time, by the model's own density and intervals."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import splitgp
from experiments.shared.measure import Floats

__all__ = ["LEVELS", "STRETCH", "Clock", "Scorer", "worst_stretches"]

LEVELS = (0.5, 0.8, 0.95)
STRETCH = 500  # rows


class Scorer:
    """Collects predictions and what was observed; scores any part of them."""

    def __init__(self) -> None:
        self._errors: list[Floats] = []
        self._densities: list[Floats] = []
        self._held: list[Any] = []  # for each level: whether its interval held the observation
        self._observed: list[Floats] = []

    def add(self, prediction: splitgp.Prediction, y: Floats) -> None:
        """Some rows, in order."""
        ends = [prediction.interval(level) for level in LEVELS]
        self._held.append(np.stack([(low <= y) & (y <= high) for low, high in ends], axis=1))
        self._errors.append(y - prediction.mean)
        self._densities.append(prediction.log_density(y))
        self._observed.append(y)

    def scores(self, first: int = 0) -> dict[str, float]:
        """RMSE, NLPD and coverage from row `first` on; nMSE too if there are several outputs.

        NLPD and coverage are means over the outputs.
        """
        error = np.concatenate(self._errors)[first:]
        held = np.concatenate(self._held)[first:]
        found = {
            "rmse": float(np.sqrt(np.mean(error**2))),
            "nlpd": -float(np.mean(np.concatenate(self._densities)[first:])),
        }
        for k, level in enumerate(LEVELS):
            found[f"cover_{100 * level:.0f}"] = float(held[:, k].mean())
        if error.ndim == 2:
            variance = np.concatenate(self._observed)[first:].var(axis=0)
            found["nmse"] = float(np.mean((error**2).mean(axis=0) / variance))
        return found

    def held(self, first: int, last: int | None = None) -> Floats:
        """For each of these rows, whether the widest interval held it (1) or not (0)."""
        rows = np.concatenate(self._held)[first:last, -1]
        return rows.astype(np.float64)


def worst_stretches(held: Floats) -> dict[str, float]:
    """The least coverage of any STRETCH rows: of those laid end to end, and wherever they begin.

    >>> worst_stretches(np.r_[np.ones(750), np.zeros(500), np.ones(250)])
    {'worst_stretch': 0.5, 'worst_anywhere': 0.0}
    """
    length = min(STRETCH, len(held))
    sums = np.cumsum(np.r_[0.0, held])
    anywhere = (sums[length:] - sums[:-length]) / length
    return {
        "worst_stretch": float(anywhere[::length].min()),
        "worst_anywhere": float(anywhere.min()),
    }


class Clock:
    """Processor time of updates and predictions, a row at a time.

    As a Python program sees it: the way into the library and back is part of it, some
    microseconds a call.
    """

    def __init__(self) -> None:
        self._updates = self._trainings = self._predictions = 0
        self._update_seconds = self._training_seconds = self._predict_seconds = 0.0

    def update(self, model: splitgp.SplittingGP, X: Floats, y: Floats) -> None:
        start = time.process_time()
        result = model.update(X, y)
        taken = time.process_time() - start
        if result.trained:
            self._trainings += 1
            self._training_seconds += taken
        else:
            self._updates += 1
            self._update_seconds += taken

    def predict(self, model: splitgp.SplittingGP, X: Floats) -> splitgp.Prediction:
        start = time.process_time()
        prediction = model.predict(X)
        self._predict_seconds += time.process_time() - start
        self._predictions += 1
        return prediction

    def seconds(self) -> dict[str, float]:
        """Of one update, of one when trainings are shared among all, and of one prediction."""
        rows = self._updates + self._trainings
        return {
            "update_seconds": self._update_seconds / self._updates,
            "update_and_train_seconds": (self._update_seconds + self._training_seconds) / rows,
            "predict_seconds": self._predict_seconds / self._predictions,
            "trainings": float(self._trainings),
        }
