"""Models that are reserved for a control loop."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import splitgp


def rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).uniform(-1, 1, (n, 2))
    return X, np.sin(3 * X[:, 0]) * X[:, 1]


def test_a_reserved_model_learns_and_stays_bounded() -> None:
    X, y = rows(1500)
    gp = splitgp.SplittingGP(capacity=50, max_observations=300, training="background")
    gp.update(X[:20], y[:20])
    assert not gp.latency_is_bounded
    gp.bound_latency()
    assert gp.latency_is_bounded
    memory = gp.memory_bytes
    for i in range(20, 1500):
        gp.update(X[i : i + 1], y[i : i + 1])
        if i % 100 == 0:
            gp.finish_training()  # so that some end in time on a busy machine too
    gp.finish_training()
    gp.update(X[:50], y[:50])
    assert gp.n_observations <= 303
    # Only what is recorded of trainings is added.
    assert gp.memory_bytes < memory + 50_000
    assert len(gp.training_history) >= 3
    assert np.sqrt(np.mean((gp.predict(X[-200:]).mean - y[-200:]) ** 2)) < 0.1


def test_copies_are_not_reserved() -> None:
    X, y = rows(30)
    gp = splitgp.SplittingGP(max_observations=100, training="off")
    gp.update(X, y)
    gp.bound_latency()
    for other in (copy.deepcopy(gp), pickle.loads(pickle.dumps(gp))):
        assert not other.latency_is_bounded
        np.testing.assert_allclose(other.predict(X).mean, gp.predict(X).mean, rtol=1e-12)


def test_what_has_no_bound_is_refused() -> None:
    X, y = rows(5)
    for keywords, field in (
        ({"training": "off"}, "max_observations"),
        ({"max_observations": 100}, "training is inline"),
        ({"window_size": 100, "training": "off", "neighbors": 0}, "neighbors"),
    ):
        gp = splitgp.SplittingGP(**keywords)
        gp.update(X, y)
        with pytest.raises(ValueError, match=field):
            gp.bound_latency()
        assert not gp.latency_is_bounded


def test_earlier_names_still_work() -> None:
    X, y = rows(30)
    gp = splitgp.SplittingGP(max_observations=100, training="off")
    gp.update(X, y)
    with pytest.warns(DeprecationWarning, match="set_factor_cache_limit"):
        gp.set_awake_limit(2)
    gp.set_factor_cache_limit(0)
    with pytest.warns(DeprecationWarning, match="bound_latency"):
        gp.reserve()
    with pytest.warns(DeprecationWarning, match="latency_is_bounded"):
        assert gp.is_reserved
