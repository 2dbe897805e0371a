"""The cost experiment: labels come when they should, scores, and a page from measurements."""

from __future__ import annotations

import math

import numpy as np
import pytest

import splitgp
from experiments.cost import drawing as figures_cost
from experiments.cost import measuring as cost
from experiments.cost import models as cost_models
from experiments.cost import page as pages_cost
from experiments.cost.models import MODELS, OURS
from experiments.shared import run
from experiments.shared.table import Row, Table


class Noted:
    """Remembers what it was asked and told, by the row's only input."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []

    def predict(self, x):
        self.calls.append(("predict", int(x[0, 0])))
        return 0.5

    def learn(self, x, y):
        assert y[0] == 10 * x[0, 0]
        self.calls.append(("learn", int(x[0, 0])))

    def predict_then_learn(self, x, y):
        answer = self.predict(x)
        self.learn(x, y)
        return answer


@pytest.mark.parametrize("late", [0, 3])
def test_a_row_is_predicted_and_then_learned(late):
    X = np.arange(8.0)[:, None]
    model = Noted()
    answers, seconds = cost.in_time_order(model, X, 10 * X[:, 0], late)
    assert answers == [0.5] * 8
    assert seconds >= 0
    expected = []
    for row in range(8):
        expected.append(("predict", row))
        if row >= late:
            expected.append(("learn", row - late))
    assert model.calls == expected


def test_both_in_one_call_gives_the_same_answers():
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (60, 2))
    y = np.sin(3 * X[:, 0]) + 0.1 * random.standard_normal(60)
    options = {"kernel": "rbf", "training_observations": 50}
    at_once = cost_models.Gp(splitgp.SplittingGP(**options))
    apart = cost_models.Gp(splitgp.SplittingGP(**options))
    for row in range(60):
        here = slice(row, row + 1)
        answer = apart.predict(X[here])
        apart.learn(X[here], y[here])
        both = at_once.predict_then_learn(X[here], y[here])
        if row > 0:
            assert both.mean[0] == answer.mean[0]


def test_boosting_is_fitted_again_as_the_stream_grows():
    fits = []

    class Mean:
        def fit(self, X, y):
            fits.append(len(X))
            self.mean = y.mean()
            return self

        def predict(self, X):
            return np.full(len(X), self.mean)

    model = cost_models.Refitted(Mean)
    assert math.isnan(model.predict(np.zeros((1, 1))))
    for row in range(2500):
        model.learn(np.zeros((1, 1)), np.array([float(row)]))
    assert fits == [100, 300, 1000, 2000]
    assert model.predict(np.zeros((1, 1))) == np.arange(2000).mean()
    assert fits[0] + max(cost.LATE) <= cost.WARM_UP  # so that every row that counts has an answer


def invented(third: float = 9.0) -> Table:
    """The k-th model takes k + 1 µs a row; the error falls with k, but for the third."""
    rows = []
    for data in cost.STREAMS:
        for k, method in enumerate(MODELS):
            for late in cost.LATE:
                found = {"rmse": third if k == 2 else 5 - 0.4 * k, "row_seconds": 1e-6 * (k + 1)}
                if method == OURS:
                    found |= {"nlpd": 1.25, "cover_95": 0.949}
                rows += [
                    Row(data, method, "auto", float(late), 0, 1000, metric, value)
                    for metric, value in found.items()
                ]
    return Table(rows)


def test_who_is_ahead():
    methods = list(MODELS)
    assert cost.ahead(invented(), "kin40k", 0) == methods[:2] + methods[3:]
    assert cost.best_other(invented(), "kin40k", 0) == methods[-1]


def test_page_and_figure(tmp_path):
    (tmp_path / "cost.json").write_text('{"version": "0", "instruction_set": "none", "seed": 0}')
    settings = run.Settings(tmp_path)
    text = pages_cost.page(invented(), settings)
    assert "python -m experiments cost" in text
    for stream in cost.STREAMS.values():
        assert f"## {stream.title}\n\n1,000 rows, {stream.order}." in text
    assert "| splitgp | **5** | 1.250 | 94.9 % | **1** |" in text
    assert "| at once | gradient boosting | 2.78 | 0.11 |" in text
    assert "| LoG-GP | 9 | – | – | 3 |" in text
    (path,) = figures_cost.draw(invented(), settings)
    assert path.name in text
    assert path.stat().st_size > 10_000


def test_a_model_that_diverges_does_not_hide_the_others():
    from experiments.shared.drawing import empty_figure

    largest = figures_cost.LARGEST * (5 - 0.4 * (len(MODELS) - 1))
    for third, arrows in ((9.0, 0), (1e12, len(cost.LATE))):
        _, axes = empty_figure(1, 1)
        (ax,) = axes.flat
        figures_cost._panel(ax, invented(third), "kin40k")
        assert ax.get_ylim()[1] < 2 * largest
        assert len(ax.texts) == arrows
