"""The experiment with tables: codes, gaps, and what is known when a forecast is made."""

from __future__ import annotations

import math

import numpy as np
import pytest

from experiments.tables import category_codes, forecasts, gap_filling


def distances(codes):
    pairs = [(i, j) for i in range(len(codes)) for j in range(i)]
    return np.array([np.linalg.norm(codes[i] - codes[j]) for i, j in pairs])


def test_codes_are_at_equal_distances():
    levels = [f"level {k}" for k in range(30)]
    assert np.allclose(distances(category_codes.one_hot(levels)), 1.0)
    assert np.allclose(distances(category_codes.axes_first(levels, 32)), 1.0)
    for width, spread in ((4, 0.45), (32, 0.15)):
        found = distances(category_codes.hashed(levels, width))
        assert found.mean() == pytest.approx(1.0, abs=0.1)
        assert found.std() < spread


def test_nobody_is_ahead_of_the_best_possible():
    _, levels, y, best = category_codes.SETS["levels_3"].make(2000, 5)
    error = math.sqrt(np.mean((y - best)[200:] ** 2))
    assert error == pytest.approx(0.2, rel=0.05)  # the noise, once the effects are known
    measured = category_codes.measure(
        "levels_3", "one-hot tied", 400, 5, {"kernel": "rbf", "capacity": 60}
    )
    found = {metric: value for _, metric, value in measured}
    assert found["best_rmse"] < found["rmse"] < 1.5 * found["best_rmse"]
    assert found["levels"] == found["columns"] == len(set(levels)) == 3


def test_gaps_are_filled_by_what_came_before():
    X = np.array([[np.nan, 1.0], [2.0, 2.0], [np.nan, 3.0], [6.0, 4.0], [np.nan, 5.0]])
    assert gap_filling.filled(X, "mean")[:, 0].tolist() == [0, 2, 2, 6, 4]
    assert gap_filling.filled(X, "last")[:, 0].tolist() == [0, 2, 2, 6, 6]
    marked = gap_filling.filled(X, "mean and mark")
    assert marked.shape == (5, 3)  # only the column with gaps is marked
    assert marked[:, 2].tolist() == [1, 0, 1, 0, 1]


def test_a_forecast_knows_the_loads_of_a_day_ago_and_before(monkeypatch):
    """Loads that count the hours show which of them a model has learned."""
    hours = forecasts.WARM_UP + 60
    y = np.arange(float(hours))
    X = np.column_stack([y, *(y - lag for lag in (24, 48, 168))])
    learned = []

    class Counting:
        def __init__(self, **options):
            pass

        def update(self, x, target):
            learned.append(target[0])

        def predict(self, x):
            return learned[-1], x[0, 0]

    monkeypatch.setattr(forecasts.splitgp, "SplittingGP", Counting)
    answers = forecasts._gp_forecast(X, y, 0, {})
    assert all(asked - newest == forecasts.AHEAD for newest, asked in answers[forecasts.WARM_UP :])
    assert forecasts._last_week(X, y, 0, {})[200] == y[200] - 168
