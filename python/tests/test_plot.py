"""The pictures are drawn; what they look like is for eyes."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from conftest import stream

import splitgp
import splitgp.plot
from splitgp.sklearn import SplittingGPRegressor

matplotlib.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture
def ax():
    figure, axes = plt.subplots()
    yield axes
    figure.canvas.draw()  # what is wrong may show only here
    plt.close(figure)


def test_band(ax):
    X, y = stream(60, inputs=1)
    gp = splitgp.SplittingGP(split_limit=30)
    gp.update(X, np.stack([y, 10 * y], axis=1))
    assert splitgp.plot.band(gp, output=1, ax=ax) is ax
    low, high = ax.get_ylim()
    assert high - low > 10


@pytest.mark.parametrize("show", ["mean", "std", "latent_std"])
def test_surface(ax, show):
    X, y = stream(200, inputs=2)
    regressor = SplittingGPRegressor(split_limit=50).fit(X, y)
    assert splitgp.plot.surface(regressor, show=show, resolution=30, ax=ax) is ax
    assert ax.get_xlabel() == "x[0]"


def test_relevance(ax, learned):
    splitgp.plot.relevance(learned, names=["first", "second", "third"], ax=ax)
    assert len(ax.patches) == 3
    with pytest.raises(ValueError, match="names has 1 entries"):
        splitgp.plot.relevance(learned, names=["first"], ax=ax)


def test_calibration_of_a_good_model_is_near_the_diagonal(ax, learned):
    X, y = stream(300, seed=9)
    splitgp.plot.calibration(learned.predict(X), y, ax=ax)
    promised, held = ax.lines[-1].get_data()
    assert np.abs(np.asarray(promised) - held).max() < 0.15


def test_error_along_a_stream(ax):
    splitgp.plot.error(np.r_[np.full(50, 2.0), np.full(50, 1.0)], window=10, label="ours", ax=ax)
    n, rmse = ax.lines[-1].get_data()
    assert n[-1] == 100
    assert rmse[49] == pytest.approx(2.0)
    assert rmse[-1] == pytest.approx(1.0)


def test_the_wrong_number_of_inputs_is_named(learned):
    for picture, needs in ((splitgp.plot.band, 1), (splitgp.plot.surface, 2)):
        with pytest.raises(ValueError, match=f"the model has 3 inputs; this picture needs {needs}"):
            picture(learned)
