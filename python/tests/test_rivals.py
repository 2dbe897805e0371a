"""splitgp.rivals: one battery for all, and what each alone promises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import stream

import splitgp
from splitgp import rivals

MAKERS: dict[str, Callable[..., Any]] = {
    "full": rivals.FullGP,
    "rbcm": lambda **common: rivals.RobustBCM(experts=3, **common),
    "local": lambda **common: rivals.LocalGP(generate_threshold=0.2, neighbors=4, **common),
    "loggp": lambda **common: rivals.LoGGP(split_limit=40, overlap=0.05, **common),
}

THETA = {"length_scale": [0.6, 0.8, 0.7], "signal_variance": 1.5, "noise_variance": 0.01}


@pytest.fixture(params=sorted(MAKERS))
def make(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return MAKERS[request.param]


def dense(X: np.ndarray, y: np.ndarray, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The textbook's GP with THETA and a RBF kernel."""

    def kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        difference = (a[:, None, :] - b[None, :, :]) / np.array(THETA["length_scale"])
        return THETA["signal_variance"] * np.exp(-0.5 * (difference**2).sum(-1))

    K = kernel(X, X) + THETA["noise_variance"] * np.eye(len(X))
    k = kernel(X, queries)
    solved = np.linalg.solve(K, k)
    return solved.T @ y, THETA["signal_variance"] - (k * solved).sum(0)


def test_learns_and_says_how_sure_it_is(make):
    X, y = stream(250)
    gp = make()
    assert gp.update(X, y) is None
    test_X, test_y = stream(200, seed=1)
    prediction = gp.predict(test_X)
    assert isinstance(prediction, splitgp.Prediction)
    error = prediction.mean - test_y
    assert np.sqrt(np.mean(error**2)) < 0.2  # the noise is 0.1
    low, high = prediction.interval(0.95)
    assert np.mean((low < test_y) & (test_y < high)) > 0.8
    assert gp.n_observations == 250
    assert gp.n_local >= 1
    assert gp.memory_bytes > X.nbytes + y.nbytes
    assert len(gp.training_history) >= 3


def test_outputs_have_the_shape_of_y(make):
    X, y = stream(30)
    for target, shape in ((y, (5,)), (y[:, None], (5, 1)), (np.stack([y, -y], 1), (5, 2))):
        gp = make(training="off")
        gp.update(X, target)
        prediction = gp.predict(X[:5])
        assert prediction.mean.shape == shape
        assert prediction.variance.shape == shape
        assert prediction.noise_variance.shape == shape


def test_given_hyperparameters_stay_without_training(make):
    X, y = stream(80)
    gp = make(training="off", kernel="rbf", hyperparameters=THETA)
    gp.update(X, y)
    assert gp.training_history == []
    np.testing.assert_array_equal(gp.hyperparameters.length_scale, THETA["length_scale"])
    gp.hyperparameters = {**THETA, "noise_variance": 0.5}
    assert gp.hyperparameters.noise_variance == 0.5
    assert gp.predict(X[:3]).noise_variance.tolist() == [0.5, 0.5, 0.5]
    assert gp.train().record.searched


def test_bad_values_are_named_and_change_nothing(make):
    X, y = stream(40)
    gp = make(training="off")
    with pytest.raises(ValueError, match="no observations yet"):
        gp.predict(X)
    gp.update(X, y)
    before = gp.predict(X).mean
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"x\[1\] of row 3 is nan"):
        gp.update(bad, y)
    with pytest.raises(ValueError, match="y has 2 rows and x has 40"):
        gp.update(X, y[:2])
    with pytest.raises(ValueError, match="noise_variance has shape"):
        gp.update(X, y, np.zeros(3))
    with pytest.raises(ValueError, match="must be \\(rows, inputs\\)"):
        gp.predict(X[0])
    np.testing.assert_array_equal(gp.predict(X).mean, before)
    assert gp.n_observations == 40


def test_wrong_keywords_are_named():
    for wrong, message in (
        (lambda: rivals.FullGP(kernel="cubic"), 'kernel is "cubic"'),  # type: ignore[arg-type]
        (lambda: rivals.FullGP(training="background"), "training is"),  # type: ignore[arg-type]
        (lambda: rivals.RobustBCM(experts=0), "experts is 0"),
        (lambda: rivals.RobustBCM(experts=1.5), "experts is 1.5"),  # type: ignore[arg-type]
        (lambda: rivals.RobustBCM(combination="x"), "combination is"),  # type: ignore[arg-type]
        (lambda: rivals.LocalGP(generate_threshold=2.0), "generate_threshold is 2"),
        (lambda: rivals.LocalGP(generate_threshold="a"), "generate_threshold is"),  # type: ignore[arg-type]
        (lambda: rivals.LocalGP(most_observations=-1), "most_observations is -1"),
        (lambda: rivals.LoGGP(split_limit=1), "split_limit is 1"),
        (lambda: rivals.LoGGP(overlap=-0.5), "overlap is -0.5"),
        (lambda: rivals.LoGGP(overlap=float("nan")), "overlap is nan"),
    ):
        with pytest.raises(ValueError, match=message):
            wrong()


def test_full_gp_is_the_textbooks():
    X, y = stream(150)
    queries, _ = stream(40, seed=2)
    gp = rivals.FullGP(kernel="rbf", training="off", hyperparameters=THETA)
    gp.update(X, y)
    mean, variance = dense(X, y, queries)
    np.testing.assert_allclose(gp.predict(queries).mean, mean, atol=1e-9)
    np.testing.assert_allclose(gp.predict(queries).variance, variance, atol=1e-9)


def test_one_model_of_each_kind_is_a_full_gp():
    X, y = stream(60)
    mean, variance = dense(X, y, X)
    common: dict[str, Any] = {"kernel": "rbf", "training": "off", "hyperparameters": THETA}
    for gp in (
        rivals.RobustBCM(experts=1, combination="poe", **common),
        rivals.LocalGP(generate_threshold=1e-9, **common),
        rivals.LoGGP(split_limit=100, **common),
    ):
        gp.update(X, y)
        assert gp.n_local == 1
        np.testing.assert_allclose(gp.predict(X).mean, mean, atol=1e-9)
        np.testing.assert_allclose(gp.predict(X).variance, variance, atol=1e-9)


def test_seeds_decide_what_is_random():
    X, y = stream(200)
    for make in (
        lambda seed: rivals.RobustBCM(experts=5, training="off", seed=seed),
        lambda seed: rivals.LoGGP(split_limit=20, overlap=0.5, training="off", seed=seed),
    ):
        means = []
        for seed in (1, 1, 2):
            gp = make(seed)
            gp.update(X, y)
            means.append(gp.predict(X).mean)
        np.testing.assert_array_equal(means[0], means[1])
        assert not np.array_equal(means[0], means[2])


def test_a_limited_local_model_forgets_the_oldest():
    X, y = stream(50)
    common: dict[str, Any] = {"kernel": "rbf", "training": "off", "hyperparameters": THETA}
    limited = rivals.LocalGP(generate_threshold=1e-9, most_observations=20, **common)
    limited.update(X, y)
    mean, _ = dense(X[-20:], y[-20:], X)
    np.testing.assert_allclose(limited.predict(X).mean, mean, atol=1e-9)


def test_repr_shows_what_was_chosen():
    assert repr(rivals.FullGP()) == "FullGP()"
    assert repr(rivals.RobustBCM(seed=3)) == "RobustBCM(experts=10, combination='rbcm', seed=3)"
    gp = rivals.LoGGP(training="off")
    gp.update([[0.0]], [1.0])
    assert "1 observations in 1 local GPs" in repr(gp)
    assert gp.options["split_limit"] == 100
