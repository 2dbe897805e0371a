"""The river estimator."""

from __future__ import annotations

import datetime
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from conftest import stream
from river import checks, compose, datasets, drift, evaluate, metrics, preprocessing

from splitgp.river import SplittingGPRegressor

MODEL = SplittingGPRegressor(split_limit=50, training_observations=200)
CHECKS = list(checks.yield_checks(MODEL))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_river_s_checks(check):
    assert not MODEL._unit_test_skips()
    check(MODEL.clone())


def rows(n: int) -> list[tuple[dict[str, float], float]]:
    X, y = stream(n)
    return [
        (dict(zip("abc", x, strict=True)), target)
        for x, target in zip(X.tolist(), y.tolist(), strict=True)
    ]


def test_progressive_validation_in_a_pipeline():
    model = compose.Discard("gallup") | SplittingGPRegressor(split_limit=100)
    errors = []
    for x, y in datasets.TrumpApproval().take(400):
        errors.append(abs(y - model.predict_one(x)))
        model.learn_one(x, y)
    assert np.mean(errors[100:]) < 0.5
    polls = datasets.TrumpApproval().take(400)
    metric = evaluate.progressive_val_score(polls, model.clone(), metrics.MAE())
    assert metric.get() == pytest.approx(np.mean(errors))


def test_a_running_scaler_before_it_still_works():
    model = preprocessing.StandardScaler() | SplittingGPRegressor(training="off")
    polls = datasets.TrumpApproval().take(100)
    assert math.isfinite(evaluate.progressive_val_score(polls, model, metrics.MAE()).get())


def test_select_and_encode_before():
    model = compose.Pipeline(
        compose.Select("a", "b"), SplittingGPRegressor(split_limit=50, training="off")
    )
    for x, y in rows(60):
        model.learn_one({**x, "name": "not a number"}, y)
    assert math.isfinite(model.predict_one({"a": 0.0, "b": 0.0, "name": "x"}))


def test_a_drift_detector_notices():
    model, detector, found = SplittingGPRegressor(split_limit=50), drift.ADWIN(), []
    for i, (x, y) in enumerate(rows(800)):
        y = y if i < 400 else -3 * y + 5
        detector.update(abs(y - model.predict_one(x)))
        if detector.drift_detected:
            found.append(i)
            model = model.clone()  # begin again, as one does
        model.learn_one(x, y)
    assert any(400 <= i < 500 for i in found)


def test_the_distribution_includes_the_noise():
    model = SplittingGPRegressor(split_limit=100)
    for x, y in rows(300):
        model.learn_one(x, y)
    distribution = model.predict_one({"a": 0.0, "b": 0.0, "c": 0.0}, with_dist=True)
    assert distribution.mu == model.predict_one({"a": 0.0, "b": 0.0, "c": 0.0})
    assert 0.07 < distribution.sigma < 0.2  # the noise's standard deviation is 0.1


def test_an_interval_holds_the_mean_and_grows_with_its_level():
    model = SplittingGPRegressor(split_limit=100)
    x = {"a": 0.0, "b": 0.0, "c": 0.0}
    first = model.predict_one(x, with_interval=True)
    assert first.lower < 0.0 < first.upper
    for row, y in rows(300):
        model.learn_one(row, y)
    narrow = model.predict_one(x, with_interval=True, confidence_level=0.5)
    wide = model.predict_one(x, with_interval=True)
    assert wide.lower < narrow.lower < model.predict_one(x) < narrow.upper < wide.upper
    with pytest.raises(ValueError, match="both True"):
        model.predict_one(x, with_dist=True, with_interval=True)


def test_the_first_answer_is_the_prior():
    x = {"a": 1e6}
    assert SplittingGPRegressor().predict_one(x) == 0.0
    given = {"mean": 7.0, "signal_variance": 3.0, "noise_variance": 1.0}
    model = SplittingGPRegressor(hyperparameters=given)
    distribution = model.predict_one(x, with_dist=True)
    assert (distribution.mu, distribution.sigma) == (7.0, 2.0)
    assert model.predict_many(pd.DataFrame([x, x])).tolist() == [7.0, 7.0]


def test_the_prior_follows_the_data_before_the_first_training():
    model = SplittingGPRegressor()
    for i in range(20):
        model.learn_one({"a": float(i)}, 1000.0 + i)
    assert not model.model.training_history
    far = model.predict_one({"a": 1e9}, with_dist=True)
    assert 1000 < far.mu < 1020
    assert "follows the scale" in SplittingGPRegressor.__doc__.replace("\n", " ")


def test_missing_values_have_the_mean_so_far():
    model = SplittingGPRegressor(training="off")
    for x, y in rows(50):
        model.learn_one(x, y)
    mean = np.mean([x["a"] for x, _ in rows(50)])
    whole = model.predict_one({"a": mean, "b": 0.1, "c": 0.2})
    for partial in ({"b": 0.1, "c": 0.2}, {"a": None, "b": 0.1, "c": 0.2}):
        assert model.predict_one(partial) == pytest.approx(whole)
    assert model.predict_one({"a": math.nan, "b": 0.1, "c": 0.2}) == pytest.approx(whole)


def test_a_new_feature_is_learned_from_then_on():
    model = SplittingGPRegressor(split_limit=50)
    rng = np.random.default_rng(0)
    for x, y in rows(100):
        model.learn_one(x, y)
    assert model.features == ["a", "b", "c"]
    for x, y in rows(300):
        late = rng.uniform(-1, 1)
        model.learn_one({**x, "late": late}, y + 5 * late)
    assert model.features == ["a", "b", "c", "late"]
    assert model.model.n_observations == 400
    low, high = (model.predict_one({**rows(1)[0][0], "late": v}) for v in (-1, 1))
    assert high - low > 5


def test_a_new_feature_can_be_ignored():
    model = SplittingGPRegressor(training="off", relearn_limit=0)
    model.learn_one({"a": 1.0}, 1.0)
    model.learn_one({"a": 1.0, "b": 1.0}, 1.0)
    assert model.features == ["a"]
    assert model.model.n_observations == 2


def test_frames_give_what_rows_give():
    data = rows(80)
    X = pd.DataFrame([x for x, _ in data])
    y = pd.Series([target for _, target in data])
    one, many = (SplittingGPRegressor(split_limit=30) for _ in range(2))
    for x, target in data:
        one.learn_one(x, target)
    for start in range(0, 80, 20):
        many.learn_many(X[start : start + 20], y[start : start + 20])
    predicted = many.predict_many(X[["c", "a", "b"]])
    assert predicted.index.equals(X.index)
    assert predicted.tolist() == [one.predict_one(x) for x, _ in data]


def test_texts_and_moments_are_features():
    start = datetime.datetime(2024, 5, 1)
    random = np.random.default_rng(0)
    data = []
    for k in range(160):
        town = ("Rome", "Oslo", "Lima")[k % 3]
        moment = start + datetime.timedelta(hours=k)
        warm = {"Rome": 20.0, "Oslo": 5.0, "Lima": 18.0}[town] + 3 * math.sin(k / 24 * math.tau)
        data.append(({"town": town, "time": moment, "x": random.normal()}, warm))
    data[50][0]["town"] = None
    data[60][0]["x"] = float("nan")
    model = SplittingGPRegressor(split_limit=30)
    errors = []
    for x, y in data:
        errors.append(abs(model.predict_one(x) - y))
        model.learn_one(x, y)
    assert model.features == ["time", "town", "x"]
    assert np.mean(errors[120:]) < 1.5
    scales = model.model.hyperparameters.length_scale
    assert len(scales) == 5 + 32 + 1
    assert len(set(scales[5:37])) == 1
    # A level that was never seen, a clone, a pickle, and a data frame.
    assert math.isfinite(model.predict_one({"town": "Pune", "time": start, "x": 0.0}))
    assert model.clone().features == []
    again = pickle.loads(pickle.dumps(model))
    assert again.predict_one(data[0][0]) == pytest.approx(model.predict_one(data[0][0]))
    many = SplittingGPRegressor(split_limit=30)
    X, y = pd.DataFrame([x for x, _ in data]), pd.Series([y for _, y in data])
    many.learn_many(X, y)
    assert many.predict_many(X).tolist() == [model.predict_one(x) for x, _ in data]


def test_a_feature_stays_what_it_was():
    model = SplittingGPRegressor()
    moment = datetime.datetime(2024, 5, 1)
    for k in range(3):
        model.learn_one({"town": "Rome", "x": float(k), "time": moment}, 1.0)
    n = model.model.n_observations
    for feature, value, message in (
        ("x", "warm", "feature 'x' is 'warm'; it must be a number, as before"),
        ("x", object(), "feature 'x' is <object"),
        ("time", 3.0, "feature 'time' is 3.0; it must be a moment, as before"),
        ("town", moment, "feature 'town' is datetime.*; it must be a text, as before"),
        ("time", moment.replace(tzinfo=datetime.timezone.utc), "it must have no zone, as before"),
    ):
        with pytest.raises(ValueError, match=message):
            model.learn_one({feature: value}, 1.0)
        with pytest.raises(ValueError, match=message):
            model.predict_one({feature: value})
    assert model.model.n_observations == n
    model.learn_one({"town": 7, "x": 1, "time": moment.date()}, 1.0)  # a number may be a level
