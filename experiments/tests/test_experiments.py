"""The experiments' quick versions: that all works, and the order of the methods."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from experiments import __main__ as command
from experiments.beyond import measuring as beyond
from experiments.cost import measuring as cost
from experiments.cost.models import BOOSTING, FOREST, KNN, LINEAR, MODELS, OURS
from experiments.kin40k import measuring as kin40k
from experiments.overviews import claims, summary
from experiments.overviews.claims_theory import growth, jumps, linear_residual, memory_curve
from experiments.published import __main__ as published
from experiments.shared import run
from experiments.shared.methods import DEFAULT, FULL, LOCAL, LOG, PAPER, RBCM
from experiments.shared.table import Estimate, Row, Table, read_rows
from experiments.stages import measuring as stages
from experiments.tables import raw_tables
from experiments.theory import measuring as theory
from splitgp import datasets

ROOT = Path(__file__).resolve().parents[2]
DATA = (
    *("kin40k_train", "powergen_unique", "barrett_wam_train"),
    *("pjme_hourly", "gas_turbine", "metro_traffic"),
)
RAW = ("air_quality", "pjme_hourly")


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """All experiments, run once."""
    try:
        for name in DATA:
            datasets.find(name)
        for name in RAW:
            raw_tables.path_of(name)
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    folder = tmp_path_factory.mktemp("results")
    assert command.main(["all", "--quick", "--out", str(folder), "--jobs", "2"]) == 0
    return folder


def table(out: Path, name: str) -> Table:
    return command.measured(run.Settings(out, quick=True))[name]


def test_every_experiment_has_its_files(out):
    for name in command.EXPERIMENTS:
        text = (out / f"{name}.md").read_text()
        assert f"python -m experiments {name} --quick" in text
        assert (out / f"{name}.csv").stat().st_size > 100
    pictures = list(out.glob("*.png"))
    assert len(pictures) >= len(command.EXPERIMENTS)
    for path in pictures:
        assert path.stat().st_size > 10_000
        assert "</svg>" in path.with_suffix(".svg").read_text()
    links = "\n".join(path.read_text() for path in out.glob("*.md"))
    assert all(path.name in links for path in pictures)


def test_every_claim_has_a_verdict(out):
    text = (out / "claims.md").read_text()
    assert "Not included" not in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + len(claims.CLAIMS) + len(claims.NOT_MEASURED)
    assert all(line.count(" | ") == 4 for line in rows)


def test_the_summary_has_every_requirement(out):
    text = (out / "summary.md").read_text()
    assert all(f"## {one.text}" in text for one in summary.REQUIREMENTS)


def test_one_experiment_writes_only_what_it_can_fill(out, tmp_path):
    def written_by(*names: str) -> set[str]:
        for name in names:
            for suffix in ("csv", "json"):  # measured already
                shutil.copy(out / f"{name}.{suffix}", tmp_path)
            assert command.main([name, "--quick", "--out", str(tmp_path), "--jobs", "1"]) == 0
        return {path.name for path in tmp_path.glob("*.md")}

    assert written_by("figure1") == {"README.md", "figure1.md"}  # no claim draws on it
    written = written_by("theory")
    assert written == {"README.md", "figure1.md", "theory.md", "claims.md", "summary.md"}
    index = (tmp_path / "README.md").read_text()
    assert set(re.findall(r"\((\w+\.md)\)", index)) == written - {"README.md"}
    for page, whole in (("claims.md", claims.CLAIMS), ("summary.md", summary.REQUIREMENTS)):
        text = (tmp_path / page).read_text()
        assert "not measured yet" not in text
        assert all((one.text in text) == (one.experiment == "theory") for one in whole)
        missing = {one.experiment for one in whole} - {"theory"}
        line = next(line for line in text.splitlines() if line.startswith("Not included"))
        assert all(name in line for name in missing)
        assert "theory" not in line


def test_synthetic_order(out):
    one = table(out, "synthetic").where(data="paper", n=600)
    error = {m: one.mean("mse", method=m, setting=100.0) for m in (DEFAULT, PAPER, LOG)}
    full = one.mean("mse", method=FULL)
    assert error[DEFAULT] < 1.1 * full
    assert error[DEFAULT] < error[PAPER]
    # Ours borrows, and so takes more than a full GP until the stream is longer than this one.
    memory = one.mean("memory_bytes", method=PAPER, setting=100.0)
    assert memory < one.mean("memory_bytes", method=FULL)


def test_kin40k_order(out):
    one = table(out, "kin40k")
    full = one.mean("rmse", method=FULL)
    for m in (400.0, 100.0):
        error = {name: one.mean("rmse", method=name, setting=m) for name in (DEFAULT, PAPER, RBCM)}
        assert full < error[DEFAULT] < error[RBCM] < error[PAPER]
        assert error[DEFAULT] < one.mean("rmse", method=LOG, setting=m)
        assert one.mean("coverage", method=DEFAULT, setting=m) > 0.9
    oja = one.mean("rmse", method=kin40k.OJA)
    assert oja < 1.1 * one.mean("rmse", method=DEFAULT, setting=400.0)


def test_powergen_order(out):
    one = table(out, "powergen")
    full = one.mean("rmse", method=FULL, kernel="rbf")
    for m in (150.0, 75.0):
        ours = one.mean("rmse", method=DEFAULT, kernel="rbf", setting=m)
        assert ours < 1.05 * full
        assert ours < one.mean("rmse", method=PAPER, setting=m)
        assert one.mean("rmse", method=DEFAULT, kernel="auto", setting=m) < 1.02 * ours


def test_theory(out):
    one = table(out, "theory")
    differences = one.where(data="proposition 1", metric="mean_difference")
    assert differences.mean("mean_difference", method=DEFAULT) < 1e-9
    assert differences.mean("mean_difference", method=PAPER) > 1e-3
    jumping = {
        rule for rule in one.where(data="proposition 2").values("method") if jumps(one, rule)
    }
    assert jumping == {theory.NEAREST, theory.C0, LOCAL}
    assert growth(*memory_curve(one, DEFAULT)) < 1.25
    assert growth(*memory_curve(one, FULL)) > 1.6
    assert growth(*memory_curve(one, DEFAULT, "update_seconds")) < 1


def test_beyond_order(out):
    one = table(out, "beyond")
    assert set(one.values("data")) == {*beyond.ARM, "pjme_hourly", "gas_turbine"}
    # The supplied test rows can be interpolated from their neighbours; held-out stretches cannot.
    given, blocks = (one.where(data=data) for data in beyond.ARM)
    assert given.mean("nmse", method=beyond.NO_MODEL) < 0.01
    assert blocks.mean("nmse", method=DEFAULT) > 10 * given.mean("nmse", method=DEFAULT)
    for data in ("pjme_hourly", "gas_turbine"):
        here = one.where(data=data)
        assert here.mean("rmse", method=DEFAULT) < here.mean("rmse", method=PAPER)


def test_stages(out):
    one = table(out, "stages")
    assert {row.metric for row in one.rows} >= {"rmse", "nmse", "nlpd", "cover_late", "bytes_a_row"}
    for data in one.values("data"):
        here = one.where(data=data)
        assert set(here.values("method")) == set(stages.STAGES)
        error = {stage: here.mean("rmse", method=stage) for stage in stages.STAGES}
        assert error[stages.LAST] < 1.5 * error[stages.BEFORE]
        if data not in beyond.ARM:  # from four stretches of a recording nobody can tell the fifth
            assert 0.85 < here.mean("cover_95", method=stages.LAST) <= 1


def test_cost_order(out):
    one = table(out, "cost")
    assert set(one.values("method")) == set(MODELS)
    at_once, late = (one.where(setting=float(rows)) for rows in cost.LATE)
    for other in (LINEAR, KNN, FOREST, BOOSTING):
        assert at_once.mean("rmse", method=OURS) < at_once.mean("rmse", method=other)
    assert at_once.mean("cover_95", method=OURS) > 0.85
    for method in MODELS:
        # The load of the last hours tells that of the next.
        assert at_once.mean("rmse", method=method) < 1.1 * late.mean("rmse", method=method)
        assert at_once.mean("row_seconds", method=method) > 0
    assert at_once.mean("row_seconds", method=LINEAR) < at_once.mean("row_seconds", method=OURS)


def test_a_second_run_measures_nothing(out, monkeypatch):
    before = {path: path.read_bytes() for path in out.glob("*.csv")}
    svg = (out / "kin40k.svg").read_bytes()

    def never(self: run.Job) -> None:
        raise AssertionError(f"{self} was measured again")

    monkeypatch.setattr(run.Job, "__call__", never)
    assert command.main(["all", "--quick", "--out", str(out), "--jobs", "1"]) == 0
    assert all(path.read_bytes() == content for path, content in before.items())
    assert (out / "kin40k.svg").read_bytes() == svg


def test_another_seed_is_not_mixed_in(out, capsys):
    arguments = ["figure1", "--quick", "--out", str(out), "--seed", "1"]
    assert command.main(arguments) == 1
    assert "figure1.csv was measured with seed 0, this run has 1" in capsys.readouterr().err


def test_the_pages_in_docs_are_what_the_code_writes():
    settings = run.Settings(ROOT / "docs" / "results")
    tables = command.measured(settings)
    written = {
        f"{name}.md": command.EXPERIMENTS[name].page(table, settings)
        for name, table in tables.items()
    }
    written["claims.md"] = claims.page(tables, settings)
    written["summary.md"] = summary.page(tables, settings)
    written["README.md"] = command.index(settings)
    # Those of the sweep are written by that alone.
    swept = {f"{name}.md" for name in published.PAGES}
    assert set(written) == {path.name for path in settings.out.glob("*.md")} - swept
    for name, text in written.items():
        assert (settings.out / name).read_text() == text, name


def counted(log: Path, value: float) -> list[tuple[int, str, float]]:
    with log.open("a") as file:
        file.write(f"{value}\n")
    return [(10, "rmse", value), (20, "rmse", 2 * value)]


def test_a_run_that_was_killed_goes_on(tmp_path, capsys):
    log = tmp_path / "log"
    jobs = [
        run.Job(counted, {"log": log, "value": float(k)}, "d", "m", setting=k, cost=k)
        for k in range(4)
    ]
    settings = run.Settings(tmp_path / "out", jobs=1)
    first = run.run("x", jobs, settings)
    assert log.read_text().split() == ["3.0", "2.0", "1.0", "0.0"]  # the longest first
    assert first.mean("rmse", setting=3.0, n=20) == 6.0
    path = settings.out / "x.csv"
    whole = path.read_text()
    # In the middle of the last job's second row: that job is measured again, no other.
    path.write_text(whole[: whole.rindex("20,rmse") + 9])
    again = run.run("x", jobs, settings)
    assert log.read_text().split() == ["3.0", "2.0", "1.0", "0.0", "0.0"]
    assert sorted(again.rows) == sorted(first.rows)
    assert capsys.readouterr().err == ""  # no progress where nobody watches


def test_worker_processes_give_the_same(tmp_path):
    tables = []
    for workers in (1, 2):
        settings = run.Settings(tmp_path / str(workers), quick=True, jobs=workers)
        jobs = [job for job in theory.jobs(settings) if job.data in ("PDDP", "factors")]
        tables.append(sorted(run.run("theory", jobs, settings).rows))
    assert len(tables[0]) > 4
    # The CSV keeps six digits; the values of the run itself are exact.
    assert tables[0] == tables[1]


def test_the_command_says_what_is_wrong():
    def said(*arguments: str) -> str:
        text = [sys.executable, "-m", "experiments", *arguments]
        result = subprocess.run(text, capture_output=True, text=True, cwd=ROOT)
        assert result.returncode == 2
        return result.stderr

    assert "--replicates is 0; it must be at least 1" in said("synthetic", "--replicates", "0")
    assert "invalid choice: 'nothing'" in said("nothing")


def test_a_broken_csv_is_an_error_with_its_line(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(
        "data,method,kernel,setting,replicate,n,metric,value\nd,m,rbf,1,0,5,rmse,oops\n"
    )
    with pytest.raises(ValueError, match=r"x\.csv, line 2: .*oops"):
        read_rows(path)


def test_confidence():
    found = Estimate.of([1.0, 2.0, 3.0])
    assert found.mean == 2.0
    assert found.half == pytest.approx(4.303 / np.sqrt(3))
    assert np.isnan(Estimate.of([1.0, 2.0]).half)
    rows = [Row("d", "m", "rbf", 1.0, 0, n, "rmse", float(n)) for n in (1, 2)]
    with pytest.raises(LookupError, match="more than one"):
        Table(rows).estimate("rmse", method="m")
    with pytest.raises(LookupError, match="no measurement of rmse"):
        Table(rows).estimate("rmse", method="other")


def test_growth_and_residual():
    n = np.arange(1.0, 50.0)
    assert growth(n, 3 * n**2) == pytest.approx(2.0)
    slope, residual = linear_residual(n, 5 * n + 1)
    assert slope == pytest.approx(5.0)
    assert residual < 1e-9
