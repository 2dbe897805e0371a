"""The stages: scores, promises, and a page from as much as has been measured."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import splitgp
from experiments import __main__ as command
from experiments.shared import run
from experiments.shared.scoring import LEVELS, Clock, Scorer, worst_stretches
from experiments.shared.table import DONE, Row, Table
from experiments.stages import drawing as figures_stages
from experiments.stages import measuring as stages
from experiments.stages import page as pages_stages
from experiments.stages import regimes
from experiments.stages.promises import PROMISES, Finding

METRICS = (
    *("rmse", "nmse", "nlpd", "cover_50", "cover_80", "cover_95", "worst_stretch"),
    *("worst_anywhere", "cover_early", "cover_late", "update_seconds", "update_and_train_seconds"),
    *("predict_seconds", "trainings", "bytes_a_row", "n_local"),
)


def invented(replicates: int = 2) -> Table:
    """All metrics of all sets: 1 before, 0.5 in the other stages; replicates differ by 0.01."""
    return Table(
        Row(name, stage, "auto", 0.0, k, 1000, metric, (1.0 if stage == "before" else 0.5) + k / 50)
        for k in range(replicates)
        for name in stages.SETS
        for stage in stages.STAGES
        for metric in METRICS
    )


def settings_in(folder) -> run.Settings:
    settings = run.Settings(folder)
    (folder / "stages.json").write_text('{"version": "0", "instruction_set": "none", "seed": 0}')
    return settings


def test_a_stage_adds_to_the_one_before():
    assert stages.options_of(stages.SETS["kin40k"], "A+B+C") == {}
    before = stages.options_of(stages.SETS["kin40k_500"], "before")
    assert before["capacity"] == before["split_limit"] == 500
    names = [set(stages.options_of(stages.SETS["kin40k"], stage)) for stage in stages.STAGES]
    assert all(more > fewer for more, fewer in pairwise(names))


def test_the_first_replicate_of_everything_comes_first(tmp_path):
    jobs = stages.jobs(run.Settings(tmp_path))
    first = {job.data for job in jobs if job.turn == 0}
    assert first == set(stages.SETS)
    assert all((job.turn == 0) == (job.replicate == 0) for job in jobs)
    assert len({job.key for job in jobs}) == len(jobs)
    alone = stages.jobs(run.Settings(tmp_path, replicates=1))
    assert {job.key for job in alone} == {job.key for job in jobs if job.turn == 0}


def test_scores_are_those_of_the_normal_distribution_without_calibration():
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (300, 2))
    y = np.sin(3 * X[:, 0]) + 0.1 * random.standard_normal(300)
    model = splitgp.SplittingGP(kernel="rbf", calibration="none")
    clock, scorer = Clock(), Scorer()
    for row in range(200):
        clock.update(model, X[row : row + 1], y[row : row + 1])
    for rows in (slice(200, 201), slice(201, 300)):
        scorer.add(clock.predict(model, X[rows]), y[rows])
    found = scorer.scores()
    known = model.predict(X[200:])
    error, variance = y[200:] - known.mean, known.std**2
    assert found["rmse"] == pytest.approx(np.sqrt(np.mean(error**2)), rel=1e-12)
    nlpd = 0.5 * np.mean(np.log(2 * np.pi * variance) + error**2 / variance)
    assert found["nlpd"] == pytest.approx(nlpd, rel=1e-9)
    held = np.mean(error**2 <= 1.959964**2 * variance)
    assert found["cover_95"] == held == scorer.held(0).mean()
    assert found["cover_50"] < found["cover_80"] < found["cover_95"]
    assert scorer.scores(first=50) != found
    seconds = clock.seconds()
    assert seconds["trainings"] >= 1
    assert 0 < seconds["update_seconds"] < seconds["update_and_train_seconds"]


def test_outputs_are_averaged():
    random = np.random.default_rng(0)
    X, y = random.uniform(-1, 1, (60, 1)), random.standard_normal((60, 2))
    model = splitgp.SplittingGP(training="off")
    model.update(X, y)
    scorer = Scorer()
    scorer.add(model.predict(X), y)
    assert np.concatenate(scorer._held).shape == (60, len(LEVELS), 2)
    assert 0 < scorer.scores()["nmse"] < 2


def test_worst_stretches():
    held = np.ones(1400)
    held[450:550] = 0
    assert worst_stretches(held) == {"worst_stretch": 0.9, "worst_anywhere": 0.8}
    # An incomplete stretch at the end is not a stretch, but it is the end of one.
    held = np.ones(1400)
    held[1350:] = 0
    assert worst_stretches(held) == {"worst_stretch": 1.0, "worst_anywhere": 0.9}


@pytest.mark.parametrize("change", regimes.CHANGES)
def test_regimes_change_where_they_should(change):
    X, y = regimes.stream(change, 400, 300, seed=1)
    assert X.shape == (700, 4)
    assert y.shape == (700,)
    again = regimes.stream(change, 400, 300, seed=1)
    assert np.array_equal(X, again[0])
    assert np.array_equal(y, again[1])
    assert not np.array_equal(y, regimes.stream(change, 400, 300, seed=2)[1])
    old, new = slice(0, 400), slice(400, 700)
    if change == "input_range":
        assert X[new, 0].std() > 30 * X[old, 0].std()
    elif change == "operating_point":
        assert X[new, 0].min() > X[old, 0].max()
    else:
        assert y[new].std() > 30 * y[old].std()


def test_verdicts():
    assert Finding("", 0.94, 0.935, 0.965, percent=True).verdict == "reached"
    assert Finding("", 0.92, 0.935, 0.965, percent=True).verdict == "**short by 1.5 %**"
    assert Finding("", 0.97, 0.935, 0.965, percent=True).bound == "93.5 % to 96.5 %"
    assert Finding("", -0.6, highest=-0.68).verdict == "**short by 0.08**"
    assert Finding("", 0.95, lowest=0.9).bound == "at least 0.9"
    assert Finding("", float("nan"), highest=1.0).verdict == "**not a number**"


def test_every_promise_is_judged():
    table = stages.same_replicates(invented())
    findings = {promise.text: promise.findings(table) for promise in PROMISES}
    assert all(findings.values())
    assert findings["kin40k with capacity 500"][0].value == pytest.approx(0.51)
    change = findings["No set worse than before by more than 1 % in RMSE"]
    real = [name for name in stages.SETS if name not in regimes.CHANGES]
    assert len(change) == len(real)
    assert change[0].value == pytest.approx(0.51 / 1.01 - 1)
    # Of a set that has not been measured nothing is said.
    only = table.where(data="powergen")
    assert [len(promise.findings(only)) for promise in PROMISES] == [0, 0, 1, 1, 1, 0, 0]


def test_page_and_figures(tmp_path):
    settings = settings_in(tmp_path)
    text = pages_stages.page(invented(), settings)
    assert "python -m experiments stages" in text
    for one in stages.SETS.values():
        assert f"**{one.title}**" + ("\\*" if one.chosen_on else "") in text
    assert "0.51 ± 0.01" in text
    for path in figures_stages.draw(invented(), settings):
        assert path.name in text
        assert path.stat().st_size > 10_000


def test_only_replicates_that_all_stages_have_are_compared():
    rows = [row for row in invented(3).rows if not (row.replicate == 2 and row.method == "A")]
    kept = stages.same_replicates(Table(rows))
    assert {row.replicate for row in kept.rows} == {0, 1}
    # Each data set for itself.
    rows = [row for row in invented(3).rows if row.data != "kin40k" or row.replicate == 0]
    assert len(stages.same_replicates(Table(rows)).rows) == len(rows)


def test_the_first_replicates_are_enough_for_a_page(tmp_path):
    settings = settings_in(tmp_path)
    first = [job for job in stages.jobs(settings) if job.turn == 0]
    lines = ["data,method,kernel,setting,replicate,n,metric,value"]
    lines += [",".join([*job.key, "0", DONE, "1"]) for job in first]
    path = tmp_path / "stages.csv"
    path.write_text("\n".join(lines) + "\n")
    assert "stages" in command.measured(settings)
    path.write_text("\n".join(lines[:-1]) + "\n")
    assert "stages" not in command.measured(settings)
