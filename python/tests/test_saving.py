"""Files, pickles and copies."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from conftest import stream

import splitgp


@pytest.mark.parametrize("columns", [None, 1, 2])
@pytest.mark.parametrize("how", ["file", "pickle"])
def test_a_model_comes_back(tmp_path, how, columns):
    X, y = stream(200)
    y = y if columns is None else np.tile(y[:, None], (1, columns))
    gp = splitgp.SplittingGP(split_limit=40, seed=3, fixed=["shape"])
    gp.update(X[:150], y[:150])
    if how == "file":
        gp.save(tmp_path / "model.splitgp")
        again = splitgp.SplittingGP.load(tmp_path / "model.splitgp")
    else:
        again = pickle.loads(pickle.dumps(gp))
    assert again.n_observations == 150
    assert again.n_local == gp.n_local
    assert again.options["split_limit"] == 40
    assert again.options["fixed"] == ("shape",)
    assert len(again.training_history) == len(gp.training_history)
    before, after = gp.predict(X), again.predict(X)
    assert after.mean.shape == before.mean.shape
    # Factors are not stored but built again, so only nearly the same bits.
    np.testing.assert_allclose(after.mean, before.mean, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(after.variance, before.variance, rtol=1e-5, atol=1e-9)
    again.update(X[150:], y[150:])  # and it goes on learning
    assert again.n_observations == 200


def test_repr_of_a_loaded_model_is_that_of_the_saved_one(tmp_path, learned):
    learned.save(tmp_path / "plain")
    assert repr(splitgp.SplittingGP.load(tmp_path / "plain")) == repr(learned)

    gp = splitgp.SplittingGP(preset="paper", hyperparameters={"length_scale": 2.0})
    gp.update(*stream(40, inputs=1))
    gp.save(tmp_path / "paper")
    text = repr(splitgp.SplittingGP.load(tmp_path / "paper"))
    assert text.startswith("<SplittingGP(")
    for keyword in (
        "kernel='rbf'",
        "aggregation='similarity'",
        "neighbors=0",
        "inherit=False",
        "taper=False",
        "split_space='raw'",
        "'length_scale': [2.0]",
    ):
        assert keyword in text
    assert "40 observations in 1 local GP, 1 input, 1 output" in text


def test_an_empty_model_comes_back():
    again = pickle.loads(pickle.dumps(splitgp.SplittingGP(kernel="matern32")))
    assert again.n_observations == 0
    again.update([[0.0]], [1.0])
    assert again.hyperparameters.kernel == "matern32"


def test_pickles_of_one_model_are_the_same_bytes(learned):
    assert pickle.dumps(learned) == pickle.dumps(learned)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_a_copy_has_the_same_bits_and_its_own_life(duplicate):
    X, y = stream(120)
    gp = splitgp.SplittingGP(split_limit=30)
    gp.update(X[:100], y[:100])
    other = duplicate(gp)
    np.testing.assert_array_equal(gp.predict(X).mean, other.predict(X).mean)
    other.update(X[100:], y[100:])
    assert (gp.n_observations, other.n_observations) == (100, 120)


def test_a_file_is_replaced_only_when_asked(tmp_path, learned):
    path = tmp_path / "model.splitgp"
    learned.save(path)
    with pytest.raises(FileExistsError, match=r"model\.splitgp exists"):
        learned.save(path)
    learned.save(path, overwrite=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.splitgp"]


def test_files_that_are_not_models_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing"):
        splitgp.SplittingGP.load(tmp_path / "missing")
    (tmp_path / "text").write_text("not a model " * 100)
    with pytest.raises(splitgp.FileError, match="text"):
        splitgp.SplittingGP.load(tmp_path / "text")
