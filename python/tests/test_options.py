"""Keywords come from the engine's table of options, and so does what is written of them."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import splitgp
from splitgp import _core, _options, rivals, river, sklearn

ROOT = Path(__file__).resolve().parents[2]
MODELS = [splitgp.SplittingGP, sklearn.SplittingGPRegressor, river.SplittingGPRegressor]


def writer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_options", ROOT / "python/write_options.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_written_from_the_table_is_up_to_date():
    for path, text in writer().files().items():
        assert path.read_text() == text, f"{path} is out of date; run python/write_options.py"


@pytest.mark.parametrize("model", MODELS)
def test_every_option_is_a_keyword_with_its_default_and_description(model):
    parameters = inspect.signature(model).parameters
    for entry in _core.option_table():
        name = entry["name"]
        assert parameters[name].default == entry["default"]
        assert f"\n{name} : " in model.__doc__
        for value, text in entry["choices"]:
            assert f'"{value}": {text}'[:60] in model.__doc__
    for name in ("preset", "fixed", "hyperparameters"):
        assert parameters[name].default is None
        assert f"\n{name} : " in model.__doc__


@pytest.mark.parametrize("model", MODELS)
def test_the_order_of_positional_arguments_stays(model):
    positional = [
        name
        for name, parameter in inspect.signature(model).parameters.items()
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]
    assert positional == [
        "split_limit",
        "kernel",
        "aggregation",
        "neighbors",
        "inherit",
        "training",
        "seed",
        "preset",
    ]


def test_positional_arguments_arrive():
    gp = splitgp.SplittingGP(50, "rbf", "nearest", 3, False, "off", 9, None, taper=False)
    assert repr(gp) == (
        "SplittingGP(split_limit=50, kernel='rbf', aggregation='nearest', neighbors=3, "
        "inherit=False, training='off', seed=9, taper=False)"
    )
    assert rivals.RobustBCM(3, "poe", "rbf", "off", None, 4).options == {
        "experts": 3,
        "combination": "poe",
        "kernel": "rbf",
        "training": "off",
        "hyperparameters": None,
        "seed": 4,
        "training_observations": 3000,
    }


@pytest.mark.parametrize("model", [*MODELS, rivals.FullGP])
def test_unknown_and_surplus_arguments_are_named(model):
    with pytest.raises(TypeError, match=rf"{model.__name__}\(\) got an unexpected .*'n_threads'"):
        model(n_threads=2)
    with pytest.raises(TypeError, match=rf"{model.__name__}\(\) too many positional"):
        model(*range(20))


def test_rivals_have_the_table_s_defaults():
    for rival in (rivals.FullGP, rivals.RobustBCM, rivals.LocalGP, rivals.LoGGP):
        parameters = inspect.signature(rival).parameters
        for name in rivals.COMMON:
            assert parameters[name].default == _options.DEFAULTS[name]
        assert ", ".join(rivals.COMMON) in rival.__doc__


def test_the_dataclass_has_the_table_s_hyperparameters():
    fields = list(inspect.signature(splitgp.Hyperparameters).parameters)
    assert fields == [entry["name"] for entry in _core.hyperparameter_table()]


def test_training_is_described_as_it_is():
    assert "grown by half" in splitgp.SplittingGP.__doc__
    assert "doubled" not in splitgp.SplittingGP.__doc__


@pytest.mark.parametrize(
    "given", [{"noise_variance": 3, "signal_variance": 50}, {"mean": [7.0]}, {"length_scale": [2]}]
)
def test_hyperparameters_that_are_given_in_part_hold_from_the_first_row(given):
    gp = splitgp.SplittingGP(hyperparameters=given, calibration="none")
    gp.update([[1.0]], [1e6])
    expected = {"noise_variance": 0.01, "signal_variance": 1.0, "mean": 0.0, "length_scale": 1.0}
    for name, value in (expected | given).items():
        assert np.all(getattr(gp.hyperparameters, name) == value), name
    far = gp.predict([[1e9]])
    assert far.variance[0] == pytest.approx(gp.hyperparameters.signal_variance, rel=1e-12)
    assert far.noise_variance[0] == gp.hyperparameters.noise_variance
    assert far.mean[0] == pytest.approx(gp.hyperparameters.mean[0], abs=1e-9)


def test_without_hyperparameters_they_follow_the_data():
    gp = splitgp.SplittingGP()
    gp.update([[1.0], [2.0]], [1e6, 3e6])
    assert gp.hyperparameters.mean[0] > 1e5
