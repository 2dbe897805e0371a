"""Inputs that share a length scale."""

from __future__ import annotations

import numpy as np
import pytest

import splitgp
from splitgp import river, sklearn

RNG = np.random.default_rng(4)
X = RNG.normal(size=(150, 3))
Y = np.sin(X[:, 0]) + 0.5 * X[:, 1] * X[:, 2] + 0.05 * RNG.normal(size=150)


def test_inputs_of_a_group_have_the_same_length_scale(tmp_path):
    gp = splitgp.SplittingGP(capacity=40, length_scale_groups=[1, 0, 1])
    gp.update(X, Y)
    scales = gp.hyperparameters.length_scale
    assert scales[0] == scales[2] != scales[1]
    assert "length_scale_groups=[1, 0, 1]" in repr(gp)
    gp.save(tmp_path / "m.splitgp")
    loaded = splitgp.SplittingGP.load(tmp_path / "m.splitgp")
    assert "length_scale_groups=(1, 0, 1)" in repr(loaded)
    np.testing.assert_allclose(loaded.predict(X).mean, gp.predict(X).mean, rtol=0, atol=1e-9)


@pytest.mark.parametrize("groups", [None, (), np.array([2, 1, 0])])
def test_arrays_tuples_and_nothing_are_taken(groups):
    plain = splitgp.SplittingGP(capacity=40)
    gp = splitgp.SplittingGP(capacity=40, length_scale_groups=groups)
    for model in (gp, plain):
        model.update(X, Y)
    np.testing.assert_array_equal(gp.predict(X).mean, plain.predict(X).mean)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ("0,1,1", "length_scale_groups is '0,1,1'; it must be a sequence of integers"),
        (3, "length_scale_groups is 3; it must be a sequence of integers"),
        ([0, 1.5, 1], r"length_scale_groups\[1\] is 1.5; it must be an integer"),
        ([0, 1, -1], r"length_scale_groups\[2\] is -1; it must lie between 0 and"),
    ],
)
def test_mistakes_are_named(groups, message):
    with pytest.raises(ValueError, match=message):
        splitgp.SplittingGP(length_scale_groups=groups)


def test_groups_must_fit_the_inputs_and_the_length_scales():
    gp = splitgp.SplittingGP(length_scale_groups=[0, 0])
    with pytest.raises(ValueError, match="length_scale_groups has 2 values; the model needs 3"):
        gp.update(X, Y)
    with pytest.raises(ValueError, match=r"length_scale\[0\] is 1 and length_scale\[1\] is 2;"):
        splitgp.SplittingGP(length_scale_groups=[0, 0], hyperparameters={"length_scale": [1, 2]})


def test_estimators_take_them():
    groups = [0, 1, 1]
    estimator = sklearn.SplittingGPRegressor(length_scale_groups=groups).fit(X, Y)
    assert estimator.get_params()["length_scale_groups"] is groups
    scales = estimator.model_.hyperparameters.length_scale
    assert scales[1] == scales[2]
    assert river.SplittingGPRegressor(length_scale_groups=groups).clone() is not None
