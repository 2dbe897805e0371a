"""Forgetting: by hand, by a window, by a budget, by age."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import splitgp


def stream(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2))
    return X, np.sin(3 * X[:, 0]) + 0.1 * rng.standard_normal(n)


def test_forget_leaves_the_rest() -> None:
    X, y = stream(300)
    gp = splitgp.SplittingGP(split_limit=20)
    sequence = gp.update(X, y).sequence
    result = gp.forget(sequence[::3])
    assert result.forgotten == 100
    assert gp.n_observations == 200
    assert gp.n_seen == 300
    kept, _, _ = gp.observations()
    np.testing.assert_array_equal(kept, np.delete(X, np.s_[::3], axis=0))
    assert gp.forget_before(150).forgotten == 100
    assert gp.forget([]).forgotten == 0


def test_wrong_numbers_are_named_and_forget_nothing() -> None:
    X, y = stream(50)
    gp = splitgp.SplittingGP()
    gp.update(X, y)
    for wrong, message in (
        ([3, 3], "more than once: 3"),
        ([1, 50], "never made: 50"),
        ([-1], "integers"),
        ([0.5], "integers"),
        ("a", "integers"),
    ):
        with pytest.raises(ValueError, match=message):
            gp.forget(wrong)
    with pytest.raises(ValueError, match="51"):
        gp.forget_before(51)
    assert gp.n_observations == 50


def test_a_window_is_kept_through_pickle_and_file(tmp_path: object) -> None:
    X, y = stream(400)
    gp = splitgp.SplittingGP(window_size=100, split_limit=20)
    assert gp.update(X[:250], y[:250]).forgotten == 150
    again = pickle.loads(pickle.dumps(gp))
    assert repr(again) == repr(gp)
    for model in (gp, again):
        model.update(X[250:], y[250:])
        assert model.n_observations == 100
    np.testing.assert_allclose(gp.predict(X).mean, again.predict(X).mean, rtol=1e-6)


def test_budget_and_age() -> None:
    X, y = stream(400)
    gp = splitgp.SplittingGP(max_observations=80, forget="redundant", split_limit=20)
    gp.update(X, y)
    assert gp.n_observations == 80
    gp = splitgp.SplittingGP(max_age=50.0, split_limit=20)
    time = np.arange(400.0)
    before, _ = gp.predict_then_update(X[:200], y[:200], time=time[:200])
    assert before.mean.shape == (200,)
    gp.update(X[200:], y[200:], time=time[200:])
    assert gp.n_observations == 51
    with pytest.raises(ValueError, match="must not decrease"):
        gp.update(X[:1], y[:1], time=3.0)
    with pytest.raises(ValueError, match="must not decrease"):
        gp.predict_then_update(X[:2], y[:2], time=[500.0, 499.0])
    with pytest.raises(ValueError, match="max_age"):
        gp.update(X[:1], y[:1])
    with pytest.raises(ValueError, match="max_age is"):
        splitgp.SplittingGP(max_age="old")
    assert gp.n_seen == 400
