"""Tables as people have them: the same model as the command's, from any kind of table."""

from __future__ import annotations

import copy
import csv
import datetime
import io
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest

import splitgp
import splitgp_command
from splitgp import _tables

COMMAND = Path(splitgp_command.__file__).with_name("splitgp")
START = datetime.datetime(2024, 1, 1)


def log(rows=1300, seed=3):
    """A sensor log: a moment, a site, numbers with gaps, a note that cannot help."""
    random = np.random.default_rng(seed)
    table = []
    for k in range(rows):
        moment = START + datetime.timedelta(hours=k // 2)
        site = ("north", "south")[k % 2]
        heat = 10 + 5 * np.sin(moment.hour / 24 * 2 * np.pi) + random.normal()
        power = 3 * (site == "north") + 0.2 * heat + 0.1 * random.normal()
        table.append(
            {
                "time": moment.isoformat(sep=" "),
                "site": site,
                "heat": "" if k % 17 == 3 else f"{heat:.3f}",
                "open": ("yes", "no")[k % 3 == 0],
                "constant": "1",
                "power": "" if k % 101 == 50 else f"{power:.4f}",
            }
        )
    return table


def text_of(table):
    text = io.StringIO()
    writer = csv.DictWriter(text, table[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return text.getvalue()


def typed(table):
    """The same with Python's own types."""
    return [
        {
            "time": datetime.datetime.fromisoformat(row["time"]),
            "site": row["site"],
            "heat": float(row["heat"]) if row["heat"] else None,
            "open": row["open"],
            "constant": int(row["constant"]),
            "power": float(row["power"]) if row["power"] else None,
        }
        for row in table
    ]


@pytest.fixture(scope="module", params=["plain", "lagged", "ahead"])
def streamed(request, tmp_path_factory):
    """What the command makes of the log: predictions, the model file, and the keywords for it."""
    folder = tmp_path_factory.mktemp("table")
    (folder / "log.csv").write_text(text_of(log()))
    keywords, flags = {
        "plain": ({}, []),
        "lagged": (
            {"lag": {"power": [1, 24]}, "by": "site", "fill": "last"},
            ["--lag", "power:1,24", "--by", "site", "--fill", "last"],
        ),
        "ahead": (
            {"horizon": 3, "lag": {"power": [0, 5]}, "cycles": ["day"]},
            ["--horizon", "3", "--lag", "power:0,5", "--cycles", "day"],
        ),
    }[request.param]
    options = {"capacity": 60, "training_observations": 200}
    more = ["--capacity", "60", "--training-observations", "200"]
    files = ["log.csv", "-t", "power", "-m", "m.splitgp", "--predictions", "p.csv"]
    subprocess.run(
        [COMMAND, "stream", *files, *flags, *more], cwd=folder, check=True, capture_output=True
    )
    return folder, keywords | options


def predictions_in(path):
    with path.open() as file:
        rows = list(csv.DictReader(file))
    return {int(row["row"]) - 1: (float(row["mean"]), float(row["sd"])) for row in rows}


def test_same_bits_as_the_command(streamed):
    folder, keywords = streamed
    model = splitgp.TableModel("power", **keywords)
    before, result = model.predict_then_update(log())
    expected = predictions_in(folder / "p.csv")
    answered = np.flatnonzero(~np.isnan(before.mean))
    assert sorted(expected) == answered.tolist()
    assert len(answered) > 1000
    sd = np.sqrt(before.variance + before.noise_variance)
    found = np.stack([before.mean, sd], axis=1)[answered]
    np.testing.assert_array_equal(found, [expected[row] for row in answered])
    assert not result.rejected


def test_a_model_of_the_command_predicts_and_goes_on(streamed, tmp_path):
    folder, _ = streamed
    later = log(1340)[1300:]
    model = splitgp.load(folder / "m.splitgp")
    assert isinstance(model, splitgp.TableModel)
    assert model.targets == ["power"]
    without = [{name: value for name, value in row.items() if name != "power"} for row in later]
    (tmp_path / "new.csv").write_text(text_of(without))
    output = subprocess.run(
        [COMMAND, "predict", "-m", folder / "m.splitgp", tmp_path / "new.csv", "--ahead", "1"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    expected = [float(row["mean"]) for row in csv.DictReader(io.StringIO(output))]
    assert len(expected) == len(without)
    np.testing.assert_array_equal(model.predict(without).mean, expected)
    n = model.n_observations
    found = model.predict(later).mean
    np.testing.assert_array_equal(found, model.predict(typed(later)).mean)
    assert model.n_observations == n
    model.update(later)
    assert model.n_observations > n

    # And back: the command continues with what Python has saved.
    model.save(tmp_path / "m.splitgp")
    (tmp_path / "more.csv").write_text(text_of(log(1400)[1340:]))
    subprocess.run(
        [COMMAND, "stream", "more.csv", "-m", "m.splitgp"], cwd=tmp_path, check=True,
        capture_output=True,
    )  # fmt: skip
    assert splitgp.load(tmp_path / "m.splitgp").n_observations > model.n_observations


def frames(table):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    own = typed(table)
    return {
        "dicts": own,
        "mapping": {name: [row[name] for row in own] for name in own[0]},
        "pandas": pandas.DataFrame(own),
        "polars": polars.DataFrame(own),
        "arrow": pyarrow.Table.from_pylist(own),
        "texts": table,
    }


def test_every_kind_of_table_gives_the_same_model():
    means = {}
    for kind, table in frames(log(300)).items():
        model = splitgp.TableModel("power", capacity=40, training_observations=100)
        before, _ = model.predict_then_update(table)
        means[kind] = before.mean
    for kind, mean in means.items():
        np.testing.assert_array_equal(mean, means["dicts"], err_msg=kind)


def test_zones_are_kept_apart():
    pandas = pytest.importorskip("pandas")
    own = typed(log(200))
    zoned = pandas.DataFrame(own)
    zoned["time"] = zoned["time"].dt.tz_localize("UTC")
    model = splitgp.TableModel("power", capacity=40)
    model.update(zoned)
    with pytest.raises(ValueError, match=r"row 0 cannot be predicted.*zone"):
        model.predict(own[:1])
    moved = zoned.copy()
    moved["time"] = zoned["time"].dt.tz_convert("Asia/Tokyo")  # the same moments
    np.testing.assert_array_equal(model.predict(moved).mean, model.predict(zoned).mean)


def test_parts_of_a_table_are_the_whole():
    table = log(1200)
    whole = splitgp.TableModel("power", capacity=40, training_observations=100)
    whole.update(table)
    parts = splitgp.TableModel("power", capacity=40, training_observations=100)
    for first, last in ((0, 1000), (1000, 1001), (1001, 1200)):
        parts.update(table[first:last])
    assert parts.filled == whole.filled
    later = log(1220)[1200:]
    np.testing.assert_array_equal(parts.predict(later).mean, whole.predict(later).mean)


def test_copies_and_pickles(tmp_path):
    table = log(400)
    model = splitgp.TableModel("power", capacity=40, lag={"power": [2]})
    copy.deepcopy(model)
    pickle.loads(pickle.dumps(model))
    model.update(table[:300])
    other = copy.deepcopy(model)
    third = pickle.loads(pickle.dumps(model))
    assert repr(third) == repr(model)
    model.update(table[300:350])
    assert other.n_observations == third.n_observations < model.n_observations
    for one in (other, third):
        np.testing.assert_allclose(
            one.predict(table[300:310]).mean, other.predict(table[300:310]).mean, atol=1e-9
        )


def test_rows_that_do_not_fit_are_named_and_the_others_learned():
    model = splitgp.TableModel("power", capacity=40)
    model.update(log(200))
    later = log(204)[200:]
    later[1]["heat"] = "warm"
    later[2]["time"] = "2024-02-30 01:00:00"
    result = model.update(later)
    assert result.learned == 2
    assert set(result.rejected) == {1, 2}
    assert "heat" in result.rejected[1]
    assert "warm" in result.rejected[1]
    assert "2024-02-30" in result.rejected[2]
    assert repr(result) == "2 learned, 2 rejected"
    prediction = model.predict(later, errors="nan")
    assert np.isnan(prediction.mean).tolist() == [False, True, True, False]
    with pytest.raises(ValueError, match=r"row 1 cannot be predicted \(and 1 other rows\).*warm"):
        model.predict(later)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"target": "cost"}, "target names 'cost'; the columns are time, site"),
        ({"target": []}, "target is empty"),
        ({"target": ["power", "power"]}, "target names 'power' twice"),
        ({"target": "power", "inputs": ["heat", "cold"]}, "inputs names 'cold'; the columns are"),
        ({"target": "power", "inputs": ["power"]}, "inputs names 'power', which is a target"),
        ({"target": "power", "as_": {"site": "words"}}, "as_ has 'words'; it must be one of"),
        ({"target": "power", "cycles": ["moon"]}, "cycles has 'moon'; it must be one of"),
        ({"target": "power", "fill": "zero"}, "fill has 'zero'; it must be one of"),
        ({"target": "power", "lag": {"heat": [1.5]}}, r"lag of heat\[0\] is 1.5"),
        ({"target": "power", "horizon": -1}, "horizon is -1"),
        ({"target": "power", "by": "town"}, "by names 'town'"),
        ({"target": "power", "capacity": 0}, "capacity is 0"),
    ],
)
def test_mistakes_are_named(keywords, message):
    with pytest.raises(ValueError, match=message):
        splitgp.TableModel(**keywords).update(log(50))


def test_tables_that_cannot_be_read_change_nothing():
    pandas = pytest.importorskip("pandas")
    model = splitgp.TableModel("power", capacity=40)
    with pytest.raises(ValueError, match="the model has no rows yet"):
        model.predict(log(3))
    twice = pandas.DataFrame(log(30))
    twice.columns = ["time", "site", "heat", "heat", "constant", "power"]
    for table, message in (
        (42, "the table is a int"),
        (twice, "the table has column 'heat' twice"),
        ([{"x": 1.0, "power": 2.0}, {"x": object(), "power": 2.0}], 'column "x" of row 1 is <obj'),
        ([{"x": START, "power": 1.0}, {"x": "later", "power": 1.0}], "row 1 has 'later' among"),
    ):
        with pytest.raises(ValueError, match=message):
            model.update(table)
    assert repr(model) == "<TableModel of power: no rows yet>"
    assert repr(model.update([])) == "no rows"
    model.update(log(100))
    n = model.n_observations
    with pytest.raises(ValueError, match="the table has no column 'time'; it has heat"):
        model.update([{"heat": 1.0}])
    assert model.n_observations == n


def test_files(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        splitgp.load(tmp_path / "none.splitgp")
    gp = splitgp.SplittingGP()
    gp.update([[0.0], [1.0]], [1.0, 2.0])
    gp.save(tmp_path / "gp.splitgp")
    assert isinstance(splitgp.load(tmp_path / "gp.splitgp"), splitgp.SplittingGP)
    with pytest.raises(splitgp.FileError, match="no recipe"):
        splitgp.TableModel.load(tmp_path / "gp.splitgp")
    model = splitgp.TableModel("power", capacity=40)
    model.update(log(60))
    model.save(tmp_path / "m.splitgp")
    with pytest.raises(FileExistsError, match="overwrite"):
        model.save(tmp_path / "m.splitgp")
    model.save(tmp_path / "m.splitgp", overwrite=True)


def test_moments_of_every_library():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    moments = [START, None, START + datetime.timedelta(microseconds=1)]
    expected = np.array([1704067200.0, np.nan, 1704067200.000001])
    utc = [m if m is None else m.replace(tzinfo=datetime.timezone.utc) for m in moments]
    for zoned, values in ((False, moments), (True, utc)):
        for table in (
            {"t": values},
            pandas.DataFrame({"t": pandas.Series(values)}),
            polars.DataFrame({"t": values}),
            pyarrow.table({"t": values}),
        ):
            seconds, found = _tables.columns(table)["t"]
            np.testing.assert_array_equal(seconds, expected)
            assert found is zoned
    day = polars.DataFrame({"t": [START.date()]})
    assert _tables.columns(day)["t"][0].tolist() == [1704067200.0]


def test_a_datetime_index_is_a_column():
    pd = pytest.importorskip("pandas")
    index = pd.date_range("2024-01-01", periods=200, freq="h")
    table = pd.DataFrame({"y": np.sin(index.hour / 24 * 2 * np.pi)}, index=index)
    model = splitgp.TableModel("y", training="off")
    assert model.update(table).learned == 200
    assert model.input_names[0] == "time hours"
    assert np.isfinite(model.predict(table[["y"]].tail(3)).mean).all()
    named = splitgp.TableModel("y", training="off")
    named.update(table.rename_axis("when"))
    assert named.input_names[0] == "when hours"
    kept = table.rename_axis("when").reset_index().set_index("when", drop=False)
    both = splitgp.TableModel("y", training="off")
    both.update(kept)
    assert both.input_names == named.input_names


def test_a_text_target_is_an_error_that_fixes_nothing():
    model = splitgp.TableModel("y")
    with pytest.raises(ValueError, match="none of the 3 rows can be learned; row 0: column 'y'"):
        model.update([{"x": k, "y": word} for k, word in enumerate(("a", "b", "c"))])
    assert model.update([{"x": k, "y": float(k)} for k in range(3)]).learned == 3


def test_errors_and_remarks_name_keywords():
    rows = [{"x": k, "site": "north", "late": None, "y": float(k)} for k in range(30)]
    with pytest.raises(ValueError, match=r"^lag 'site': only numbers .*as_={'site': 'number'}"):
        splitgp.TableModel("y", lag={"site": [1]}).update(rows)
    with pytest.raises(ValueError, match=r"^as_={'x': 'time'}: the numbers are neither"):
        splitgp.TableModel("y", as_={"x": "time"}).update(rows)
    model = splitgp.TableModel("y", training="off")
    model.update(rows)
    said = "\n".join(model.recipe)
    assert "--" not in said
    assert "as_={'late': 'number'}" in said


def test_a_column_that_is_empty_in_a_first_row_stays_open():
    model = splitgp.TableModel("y", training="off")
    assert model.update([{"x": 1.0, "late": None, "y": 1.0}]).learned == 1
    rows = [{"x": 1.0, "late": float(k % 5), "y": float(k % 5)} for k in range(60)]
    assert model.update(rows).learned == 60
    low, high = model.predict([{"x": 1.0, "late": 0.0}, {"x": 1.0, "late": 4.0}]).mean
    assert high > low + 2.0


@pytest.mark.parametrize("library", ["polars", "pyarrow", "lazy", "stream"])
def test_other_libraries_give_the_same_model(library):
    rows = typed(log(200))
    expected = splitgp.TableModel("power", training="off")
    expected.update(rows)
    if library == "pyarrow" or library == "stream":
        pa = pytest.importorskip("pyarrow")
        table = pa.Table.from_pylist(rows)
        if library == "stream":
            table = type("Relation", (), {"__arrow_c_stream__": table.__arrow_c_stream__})()
    else:
        pl = pytest.importorskip("polars")
        table = pl.DataFrame(rows)
        if library == "lazy":
            table = table.lazy()
    model = splitgp.TableModel("power", training="off")
    assert repr(model.update(table)) == "198 learned, 2 predicted"
    assert model.recipe == expected.recipe
    assert np.array_equal(model.predict(rows[:20]).mean, expected.predict(rows[:20]).mean)


def test_a_prediction_shows_its_numbers():
    model = splitgp.TableModel("y", training="off")
    model.update([{"x": float(k), "y": 2.0 * k} for k in range(20)])
    shown = repr(model.predict([{"x": float(k)} for k in range(2)]))
    assert shown.startswith("Prediction of 2 rows(mean=[")
    assert "std=[" in shown
    assert "..." in repr(model.predict([{"x": float(k)} for k in range(20)]))
