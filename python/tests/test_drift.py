"""Innovations, alarms and outliers from Python."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import splitgp

NOISE = 0.1


def stream(rows: int, seed: int = 0, step_at: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 1, (rows, 2))
    y = np.sin(6 * X[:, 0]) + np.cos(9 * X[:, 1]) + NOISE * rng.standard_normal(rows)
    if step_at is not None:
        y += 2 * NOISE * (np.arange(rows) >= step_at) * (X[:, 0] > 0.4) * (X[:, 0] < 0.6)
    return X, y


def test_innovations_have_the_shape_of_y_and_are_consistent():
    X, y = stream(300)
    gp = splitgp.SplittingGP(capacity=60)
    result = gp.update(X, y)
    assert result.z.shape == result.innovation_mean.shape == (300,)
    expected = (y - result.innovation_mean) / np.sqrt(result.innovation_variance)
    np.testing.assert_allclose(result.z, expected, rtol=1e-6, atol=1e-9)
    two = splitgp.SplittingGP(capacity=60)
    assert two.update(X, np.column_stack([y, -y])).z.shape == (300, 2)
    _, result = two.predict_then_update(X[:3], np.column_stack([y, -y])[:3])
    assert result.z.shape == (3, 2)
    assert not result.outlier.any()
    assert not result.rejected.any()
    assert result.alarms == []


def test_a_step_in_one_region_raises_an_alarm_there():
    X, y = stream(4500, step_at=3000)
    gp = splitgp.SplittingGP(capacity=60)
    raised = [alarm for i in range(0, 4500, 500)
              for alarm in gp.update(X[i : i + 500], y[i : i + 500]).alarms]  # fmt: skip
    assert raised
    assert gp.n_alarms == len(raised) == len(gp.alarms)
    alarm = gp.alarms[0]
    assert isinstance(alarm, splitgp.Alarm)
    assert alarm.sequence == raised[0].sequence >= 3000
    assert alarm.kind == "up"
    assert alarm.output == 0
    assert alarm.size > 0.05
    assert alarm.lower.shape == (2,)
    assert alarm.lower[0] < 0.6
    assert alarm.upper[0] > 0.4
    assert 1 <= alarm.local_gps < gp.n_local
    assert not alarm.whole_stream
    copy = pickle.loads(pickle.dumps(gp))
    assert [a.sequence for a in copy.alarms] == [a.sequence for a in gp.alarms]


def test_outliers_are_rejected_if_asked(tmp_path):
    X, y = stream(1000)
    gp = splitgp.SplittingGP(capacity=60, outliers="reject")
    gp.update(X, y)
    result = gp.update([[0.5, 0.5]], [100.0])
    assert result.outlier.tolist() == result.rejected.tolist() == [True]
    assert (gp.n_rejected, gp.n_observations) == (1, 1000)
    assert "rejected=1" in repr(result)
    gp.save(tmp_path / "model.splitgp")
    assert splitgp.SplittingGP.load(tmp_path / "model.splitgp").n_rejected == 1


def test_statistics_are_there_for_the_stream_and_each_local_gp():
    gp = splitgp.SplittingGP(capacity=60)
    assert gp.innovation_statistics == []
    assert gp.alarms == []
    assert gp.n_alarms == gp.n_rejected == 0
    gp.update(*stream(1000))
    (now,) = gp.innovation_statistics
    assert now.lower < now.mean_square < now.upper
    assert now.rows > 900
    assert sum(local.innovation[0].lower > 0 for local in gp.local_gps) == gp.n_local


def test_unknown_reactions_are_refused():
    with pytest.raises(ValueError, match="on_drift"):
        splitgp.SplittingGP(on_drift="panic")
    with pytest.raises(ValueError, match="rows_per_false_alarm"):
        splitgp.SplittingGP(rows_per_false_alarm=1)
