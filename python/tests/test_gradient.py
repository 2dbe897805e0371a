"""Derivatives of predictions."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import splitgp


def learned(outputs: int) -> splitgp.SplittingGP:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 3))
    y = np.stack([np.sin(3 * X[:, 0] + o) + X[:, 1] * X[:, 2] for o in range(outputs)], axis=1)
    gp = splitgp.SplittingGP(
        capacity=60, kernel="rbf", training="off", hyperparameters={"length_scale": [0.7] * 3}
    )
    gp.update(X, y[:, 0] if outputs == 1 else y)
    return gp


@pytest.mark.parametrize("outputs", [1, 2])
def test_matches_differences(outputs: int) -> None:
    gp = learned(outputs)
    assert gp.n_local > 5
    X = np.random.default_rng(1).uniform(-1, 1, (40, 3))
    result = gp.predict(X, gradient=True)
    plain = gp.predict(X)
    np.testing.assert_array_equal(result.mean, plain.mean)
    np.testing.assert_array_equal(result.variance, plain.variance)
    assert plain.mean_gradient is None
    assert plain.variance_gradient is None
    assert result.mean_gradient is not None
    assert result.variance_gradient is not None
    assert result.noise_variance_gradient is not None
    shape = (40, 3) if outputs == 1 else (40, outputs, 3)
    assert result.mean_gradient.shape == result.variance_gradient.shape == shape
    h = 1e-5
    for k in range(3):
        step = np.eye(3)[k] * h
        above, below = gp.predict(X + step), gp.predict(X - step)
        # A step across a border between local GPs meets a kink; a few may.
        for gradient, up, down in (
            (result.mean_gradient, above.mean, below.mean),
            (result.variance_gradient, above.variance, below.variance),
            (result.noise_variance_gradient, above.noise_variance, below.noise_variance),
        ):
            error = np.abs(gradient[..., k] - (up - down) / (2 * h))
            assert np.quantile(error, 0.95) < 1e-6 * np.abs(gradient).max()


def test_rows_alone_have_the_same_bits() -> None:
    gp = learned(2)
    X = np.random.default_rng(2).uniform(-1, 1, (10, 3))
    batch = gp.predict(X, gradient=True)
    for i in range(len(X)):
        one = gp.predict(X[i : i + 1], gradient=True)
        np.testing.assert_array_equal(one.mean_gradient[0], batch.mean_gradient[i])
        np.testing.assert_array_equal(one.variance_gradient[0], batch.variance_gradient[i])


def test_pickle_keeps_them() -> None:
    result = learned(1).predict([[0.1, 0.2, 0.3]], gradient=True)
    copy = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(copy.mean_gradient, result.mean_gradient)
    np.testing.assert_array_equal(copy.variance_gradient, result.variance_gradient)
