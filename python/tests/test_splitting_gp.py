"""SplittingGP: shapes, values, errors."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from conftest import stream

import splitgp


def test_outputs_have_the_shape_of_y():
    X, y = stream(40)
    for target, shape in ((y, (5,)), (y[:, None], (5, 1)), (np.stack([y, -y], 1), (5, 2))):
        gp = splitgp.SplittingGP(training="off")
        gp.update(X, target)
        prediction = gp.predict(X[:5])
        assert prediction.mean.shape == shape
        assert prediction.variance.shape == shape
        assert prediction.noise_variance.shape == shape
        assert prediction.std.shape == shape


def test_batches_and_rows_give_the_same_bits():
    X, y = stream(200)
    batch, rows = (splitgp.SplittingGP(split_limit=40) for _ in range(2))
    batch.update(X, y)
    for i in range(len(X)):
        rows.update(X[i : i + 1], y[i])
    np.testing.assert_array_equal(batch.predict(X).mean, rows.predict(X).mean)
    np.testing.assert_array_equal(batch.predict(X).variance, rows.predict(X).variance)


def test_any_layout_and_type_of_numbers_is_read(learned):
    X, _ = stream(20)
    expected = learned.predict(X).mean
    for same in (np.asfortranarray(X), X.tolist(), np.repeat(X, 2, axis=0)[::2]):
        np.testing.assert_array_equal(learned.predict(same).mean, expected)
    np.testing.assert_array_equal(
        learned.predict(np.ones((1, 3), dtype=np.int32)).mean, learned.predict(np.ones((1, 3))).mean
    )


def test_c_ordered_arrays_are_not_copied():
    X, _ = stream(20)
    from splitgp._arrays import rows

    assert rows("X", X) is X


def test_update_says_what_happened():
    X, y = stream(120)
    result = splitgp.SplittingGP(split_limit=30).update(X, y)
    assert len(result) == 120
    assert result.sequence.tolist() == list(range(120))
    assert result.splits >= 3
    assert result.trained >= 1
    assert result.local_gp.max() == result.splits
    assert result.routed_to.shape == (120,)
    assert (result.routed_to <= result.splits).all()
    assert repr(result) == (
        f"<UpdateResult: rows=120, splits={result.splits}, displaced={result.displaced}, "
        f"refits={result.refits}, trained={result.trained}>"
    )


def test_predicting_before_learning_gives_the_bits_of_both():
    X, y = stream(150)
    one, two = (splitgp.SplittingGP(split_limit=30) for _ in range(2))
    one.update(X[:1], y[:1])
    two.predict_then_update(X[:1], y[:1])
    expected = []
    for i in range(1, 150):
        expected.append(one.predict(X[i : i + 1]))
        one.update(X[i : i + 1], y[i : i + 1])
    before, result = two.predict_then_update(X[1:], y[1:])
    assert len(before) == len(result) == 149
    np.testing.assert_array_equal(before.mean, [p.mean[0] for p in expected])
    np.testing.assert_array_equal(before.variance, [p.variance[0] for p in expected])
    np.testing.assert_array_equal(before.noise_variance, [p.noise_variance[0] for p in expected])
    np.testing.assert_array_equal(one.predict(X).mean, two.predict(X).mean)


def test_predicting_before_learning_keeps_the_shape_of_y_and_rejects_whole_batches():
    X, y = stream(20)
    gp = splitgp.SplittingGP(training="off")
    before, _ = gp.predict_then_update(X, np.stack([y, -y], 1))
    assert before.mean.shape == before.variance.shape == (20, 2)
    bad = np.stack([y, -y], 1)
    bad[7, 1] = np.nan
    for wrong_y, noise, message in (
        (bad, None, r"y\[1\] of row 7 is nan"),
        (bad[:5], None, "y has 5 rows and x has 20"),
        (np.stack([y, -y], 1), -np.ones(20), "noise_variance of row 0 is -1"),
    ):
        with pytest.raises(ValueError, match=message):
            gp.predict_then_update(X, wrong_y, noise)
    assert gp.n_observations == 20
    fresh = splitgp.SplittingGP()
    with pytest.raises(ValueError, match="nan"):
        fresh.predict_then_update([[np.nan]], [1.0])
    assert fresh.n_inputs is None


def test_threads_do_not_change_a_bit():
    X, y = stream(400)
    predictions = []
    for threads in (1, 2, 5):
        gp = splitgp.SplittingGP(split_limit=50, threads=threads)
        gp.update(X, y)
        predictions.append(gp.predict(X))
    for other in predictions[1:]:
        np.testing.assert_array_equal(predictions[0].mean, other.mean)
        np.testing.assert_array_equal(predictions[0].variance, other.variance)


def test_threads_may_change_later():
    X, y = stream(100)
    gp = splitgp.SplittingGP(split_limit=30, training="off")
    gp.update(X, y)
    before = gp.predict(X).mean
    gp.set_threads(3)
    np.testing.assert_array_equal(gp.predict(X).mean, before)
    assert gp.options["threads"] == gp._model.options().threads == 3
    with pytest.raises(ValueError, match="threads is 0"):
        gp.set_threads(0)


def test_interval_covers_as_often_as_it_promises():
    X, y = stream(1200)
    gp = splitgp.SplittingGP(split_limit=100)
    gp.update(X[:1000], y[:1000])
    low, high = gp.predict(X[1000:]).interval(0.9)
    assert 0.8 < np.mean((low < y[1000:]) & (y[1000:] < high)) < 0.98


@pytest.mark.parametrize("calibration", ["adaptive", "conformal", "none"])
def test_intervals_and_densities_are_those_of_a_student_t(calibration):
    X, y = stream(400)
    gp = splitgp.SplittingGP(split_limit=60, calibration=calibration)
    gp.update(X, np.stack([y, 10 * y], 1))
    prediction = gp.predict(X[:7])
    assert prediction.degrees_of_freedom.shape == (7, 2)
    assert (prediction.degrees_of_freedom > 2).all()
    halves = []
    for level in (0.2, 0.5, 0.9, 0.95, 0.999):
        low, high = prediction.interval(level)
        np.testing.assert_allclose(high - prediction.mean, prediction.mean - low)
        halves.append(high - prediction.mean)
    assert (np.diff(halves, axis=0) > 0).all()
    low, high = prediction.interval(0.9, noise=False)
    assert (high - low < 2 * halves[2]).all()
    if calibration == "none":
        assert np.isinf(prediction.degrees_of_freedom).all()
        np.testing.assert_allclose(halves[3], 1.959963984540054 * prediction.std)
    # The density of the standardised error, and its units.
    density = prediction.log_density(prediction.mean)
    assert density.shape == (7, 2)
    farther = prediction.log_density(prediction.mean + prediction.std)
    assert (farther < density).all()
    with pytest.raises(ValueError, match="y has shape"):
        prediction.log_density([0.0])
    again = pickle.loads(pickle.dumps(prediction))
    np.testing.assert_array_equal(again.interval(0.8), prediction.interval(0.8))


def test_predictions_before_updates_have_the_same_intervals():
    X, y = stream(150)
    for calibration in ("adaptive", "conformal"):
        one = splitgp.SplittingGP(split_limit=30, calibration=calibration)
        other = splitgp.SplittingGP(split_limit=30, calibration=calibration)
        one.update(X[:50], y[:50])
        other.update(X[:50], y[:50])
        before, _ = one.predict_then_update(X[50:], y[50:])
        expected = []
        for row in range(50, 150):
            expected.append(other.predict(X[row : row + 1]).interval(0.9)[1][0])
            other.update(X[row : row + 1], y[row : row + 1])
        np.testing.assert_array_equal(before.interval(0.9)[1], expected)


def test_known_noise_is_believed_less():
    gp = splitgp.SplittingGP(training="off")
    gp.update([[0.0], [0.0]], [0.0, 1.0], noise_variance=[1e-6, 100.0])
    assert gp.predict([[0.0]]).mean[0] < 0.1
    with pytest.raises(ValueError, match="noise_variance of row 1 is -1"):
        gp.update([[0.0], [1.0]], [0.0, 1.0], noise_variance=[0.0, -1.0])


def test_explanation_adds_up(learned):
    x = np.array([0.1, 0.2, 0.3])
    explanation = learned.explain(x)
    prediction = learned.predict(x[None])
    weights = [local.weight for local in explanation.local]
    assert sum(weights) == pytest.approx(1.0)
    mean = sum(local.weight * local.mean[0] for local in explanation.local)
    assert mean == pytest.approx(prediction.mean[0])
    std = sum(local.weight * local.variance[0] ** 0.5 for local in explanation.local)
    assert std**2 == pytest.approx(prediction.variance[0])


def test_observations_come_back_in_order():
    X, y = stream(150)
    gp = splitgp.SplittingGP(split_limit=20, training="off")
    gp.update(X, y, noise_variance=0.5)
    seen_X, seen_y, noise_variance = gp.observations()
    np.testing.assert_array_equal(seen_X, X)
    np.testing.assert_array_equal(seen_y, y)
    np.testing.assert_array_equal(noise_variance, np.full(150, 0.5))


def test_points_of_local_gps_are_the_observations():
    X, y = stream(150)
    gp = splitgp.SplittingGP(split_limit=20, training="off")
    gp.update(X, y)
    owned = []
    for local in gp.local_gps:
        points = gp.points(local.local_gp)
        assert points.owned.sum() == local.owned
        assert (~points.owned).sum() == local.borrowed
        np.testing.assert_array_equal(points.X, X[points.sequence])
        np.testing.assert_array_equal(points.y, y[points.sequence])
        owned += points.sequence[points.owned].tolist()
    assert sorted(owned) == list(range(150))
    with pytest.raises(ValueError, match="local_gp is 99"):
        gp.points(99)


def test_statistics_are_those_of_the_stream():
    X, y = stream(90)
    gp = splitgp.SplittingGP(split_limit=20, training="off")
    gp.update(X, np.stack([y, 5 * y], 1))
    np.testing.assert_allclose(gp.input_statistics.mean, X.mean(0), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(gp.input_statistics.spread, X.std(0), rtol=1e-9)
    np.testing.assert_allclose(gp.output_statistics.spread, [y.std(), 5 * y.std()], rtol=1e-9)


def test_versions_count_the_changes_of_the_hyperparameters():
    X, y = stream(60)
    gp = splitgp.SplittingGP(training="off")
    assert gp.theta_version == 0
    gp.update(X, y)
    before = gp.theta_version
    result = gp.train()
    assert result.adopted
    assert gp.theta_version == result.theta_version > before
    gp.hyperparameters = gp.hyperparameters
    assert gp.theta_version > result.theta_version
    with pytest.raises(ValueError, match='hyperparameters has no "version"'):
        gp.hyperparameters = {"version": 3}


def test_local_gps_and_histories(learned):
    assert sum(local.owned for local in learned.local_gps) == learned.n_observations == 300
    assert len(learned.split_history) == learned.n_local - 1
    history = learned.training_history
    assert any(one.adopted for one in history)
    assert history[-1].hyperparameters.length_scale.shape == (3,)
    assert learned.memory_bytes > 300 * 4 * 8


def test_hyperparameters_can_be_given_and_fixed():
    X, y = stream(100)
    theta = {"length_scale": [1.0, 2.0, 3.0], "noise_variance": 0.25}
    gp = splitgp.SplittingGP(hyperparameters=theta, fixed=["length_scale", "noise_variance"])
    gp.update(X, y)
    gp.train()
    assert gp.hyperparameters.length_scale.tolist() == [1.0, 2.0, 3.0]
    assert gp.hyperparameters.noise_variance == 0.25
    gp.hyperparameters = gp.hyperparameters  # what is read can be written
    assert gp.hyperparameters.length_scale.tolist() == [1.0, 2.0, 3.0]


def test_background_training_is_adopted():
    X, y = stream(300)
    gp = splitgp.SplittingGP(training="background")
    gp.update(X, y)
    gp.finish_training()
    assert gp.training_history


def test_preset_paper_and_what_wins_over_it():
    assert splitgp.SplittingGP(preset="paper")._options.neighbors == 0
    assert splitgp.SplittingGP(preset="paper")._options.kernel == "rbf"
    assert splitgp.SplittingGP(preset="paper", neighbors=3)._options.neighbors == 3


def test_defaults_are_the_engine_s():
    from splitgp import _core, _options

    engine = _core.Options()
    for name, value in _options.DEFAULTS.items():
        if name not in ("preset", "hyperparameters"):
            nothing = name in ("fixed", "length_scale_groups")
            assert getattr(engine, name) == ([] if nothing else value), name


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"split_limit": 0}, "split_limit is 0"),
        ({"split_limit": 2.5}, "split_limit is 2.5; it must be an integer"),
        ({"split_limit": 2**40}, f"split_limit is {2**40}"),
        ({"kernel": "cubic"}, 'kernel is "cubic"; it must be one of auto, rbf'),
        ({"kernel": 3}, "kernel is 3"),
        ({"aggregation": "vote"}, 'aggregation is "vote"'),
        ({"neighbors": -1}, "neighbors is -1"),
        ({"inherit": "yes"}, "inherit is 'yes'"),
        ({"training": "never"}, 'training is "never"'),
        ({"training_observations": 1}, "training_observations is 1"),
        ({"seed": -3}, "seed is -3"),
        ({"threads": 0}, "threads is 0"),
        ({"preset": "best"}, "preset is 'best'"),
        ({"fixed": ["width"]}, 'fixed names "width"'),
        ({"fixed": "mean"}, "fixed is 'mean'"),
        ({"hyperparameters": {"width": 1}}, 'hyperparameters has no "width"'),
        ({"hyperparameters": {"length_scale": [1.0, -1.0]}}, r"length_scale\[1\] is -1"),
        ({"hyperparameters": {"signal_variance": "big"}}, "signal_variance is 'big'"),
    ],
)
def test_wrong_options_are_named(keywords, message):
    with pytest.raises(ValueError, match=message):
        splitgp.SplittingGP(**keywords)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([1.0, 2.0], [1.0], r"X has shape \(2,\)"),
        ([[1.0, 2.0]], [1.0, 2.0], "y has 2 rows and x has 1"),
        ([[1.0, 2.0]], [[[1.0]]], r"y has shape \(1, 1, 1\)"),
        ([[1.0]], [1.0], "x has 1 values in a row; the model needs 2"),
        ([[1.0, 2.0]], [[1.0, 2.0]], "y has 2 values in a row; the model needs 1"),
        ([[1.0, np.nan]], [1.0], r"x\[1\] of row 0 is nan"),
        ([[1.0, 2.0]], [np.inf], r"y\[0\] of row 0 is inf"),
        ([[1.0, 1j]], [1.0], "X is complex"),
        ([["a", "b"]], [1.0], "X has values that are not numbers"),
    ],
)
def test_wrong_data_are_named_and_change_nothing(X, y, message):
    gp = splitgp.SplittingGP(training="off")
    gp.update([[0.0, 0.0], [1.0, 1.0]], [0.0, 1.0])
    before = gp.predict([[0.5, 0.5]])
    with pytest.raises(ValueError, match=message):
        gp.update(X, y)
    assert gp.n_observations == 2
    assert gp.predict([[0.5, 0.5]]).mean == before.mean


def test_a_rejected_first_update_leaves_the_sizes_open():
    gp = splitgp.SplittingGP()
    with pytest.raises(ValueError, match="nan"):
        gp.update([[np.nan]], [1.0])
    gp.update([[1.0, 2.0]], [1.0])
    assert gp.n_inputs == 2


def test_nothing_to_predict_with_is_an_error():
    with pytest.raises(ValueError, match="no observations yet"):
        splitgp.SplittingGP().predict([[0.0]])


def test_a_level_outside_0_and_1_is_named(learned):
    prediction = learned.predict([[0.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match="level is 2"):
        prediction.interval(2)


def test_repr_is_useful(learned):
    assert repr(splitgp.SplittingGP(kernel="rbf")) == "SplittingGP(kernel='rbf')"
    assert repr(learned) == (
        f"<SplittingGP(split_limit=50, seed=1): 300 observations in {learned.n_local} local GPs, "
        f"3 inputs, 1 output, {len(learned.training_history)} trainings, "
        f"kernel {learned.hyperparameters.kernel}>"
    )
    assert "<table>" in learned._repr_html_()
    assert "<table>" in splitgp.SplittingGP()._repr_html_()


def test_how_a_training_went_has_its_old_names_for_a_while():
    X, y = stream(60)
    gp = splitgp.SplittingGP(training="off")
    gp.update(X, y)
    result = gp.train()
    assert result.record.searched
    with pytest.warns(DeprecationWarning, match="is now TrainResult.record.evaluations"):
        assert result.evaluations == result.record.evaluations > 0
    with pytest.raises(AttributeError, match="has no attribute 'patience'"):
        _ = result.patience
