"""The page of streams that change."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from experiments.drift.measuring import (
    AFTER,
    BIN,
    DETECTORS,
    FOUND_WITHIN,
    ROWS,
    STATIONARY_ROWS,
    STEP,
    rows_to_recover,
)
from experiments.drift.models import ALL, FORGET, FRESH, MODELS, RIVER
from experiments.drift.streams import STREAMS
from experiments.shared.layout import head, markdown, number, picture
from experiments.shared.run import Settings
from experiments.shared.table import Table

__all__ = ["page"]


def page(table: Table, settings: Settings) -> str:
    measured = [name for name in STREAMS if table.where(data=name)]
    parts = [
        head("When the world changes", "drift", settings, _CONDITIONS),
        markdown(("model", "what it is"), [(f"**{n}**", s.text) for n, s in MODELS.items()]),
        "\n",
        markdown(("stream", "what happens"), [(f"**{n}**", STREAMS[n].text) for n in measured]),
        _READING,
        picture(Path("drift.png"), "error along each stream, with changes and alarms"),
        _all_rows(table, measured),
        _after(table, [name for name in measured if _has(table, name, "rmse_after")]),
        _local(table, [name for name in measured if _has(table, name, "rmse_region")]),
        _alarms(table, measured),
        _detection(table),
    ]
    return "\n".join(part for part in parts if part)


_CONDITIONS = (
    f"Each row is predicted and then learned; {ROWS:,} rows of each stream. Streams that are made "
    "have several seeds and their figures are means; real ones are there once."
)
_READING = (
    f"RMSE and coverage of the 95 % interval are over all rows but the first 200. *After a "
    f"change* means the {AFTER:,} rows after each one. *{FRESH}* is splitgp, thrown away and begun "
    "anew at each change: it knows when the world changes, which no model here is told. **Bold**: "
    "the smallest error of the row.\n"
)


def _has(table: Table, data: str, metric: str) -> bool:
    return bool(table.where(data=data, method=ALL, metric=metric))


def _methods(table: Table) -> list[str]:
    return [name for name in MODELS if table.where(method=name)]


def _row(values: Iterable[float]) -> list[str]:
    numbers = list(values)
    least = min(numbers)
    return [f"**{number(one)}**" if one == least else number(one) for one in numbers]


def _all_rows(table: Table, names: list[str]) -> str:
    methods = _methods(table)
    errors = [
        [name, *_row(table.mean("rmse", data=name, method=one) for one in methods)]
        for name in names
    ]
    ours = [one for one in methods if one not in RIVER]
    covered = [
        [name, *(f"{100 * table.mean('cover_95', data=name, method=o):.1f} %" for o in ours)]
        for name in names
    ]
    return (
        "## All rows: RMSE\n\n"
        + markdown(("stream", *methods), errors)
        + "\n## All rows: coverage of the 95 % interval\n\n"
        + markdown(("stream", *ours), covered)
    )


def _after(table: Table, names: list[str]) -> str:
    if not names:
        return ""
    methods = [*_methods(table), FRESH]
    errors = [
        [name, *_row(table.mean("rmse_after", data=name, method=one) for one in methods)]
        for name in names
    ]
    recovered = []
    for name in names:
        seeds = [int(one) for one in table.where(data=name, method=ALL).numbers("replicate")]
        cells = [name]
        for method in methods[:-1]:
            took = [rows_to_recover(table, name, method, seed) for seed in seeds]
            middle = float(np.median(took))
            cells.append(f"{middle:,.0f}" if math.isfinite(middle) else "never")
        recovered.append(cells)
    return (
        f"## The {AFTER:,} rows after each change: RMSE\n\n"
        + markdown(("stream", *methods), errors)
        + f"\nRows after the first change until the error of {BIN} rows is within 10 % of the "
        "fresh model's (median over seeds):\n\n" + markdown(("stream", *methods[:-1]), recovered)
    )


def _local(table: Table, names: list[str]) -> str:
    if not names:
        return ""
    methods = _methods(table)
    lines = []
    for name in names:
        for metric, text in (
            ("rmse_region", "the region that changed"),
            ("rmse_elsewhere", "the other four"),
            ("rmse_elsewhere_to_the_end", "the other four, to the end"),
        ):
            lines.append(
                [name, text, *_row(table.mean(metric, data=name, method=m) for m in methods)]
            )
    verdicts = []
    for name in names if FORGET in methods else []:

        def of(metric: str, method: str, data: str = name) -> float:
            return table.mean(metric, data=data, method=method)

        rivers = min(of("rmse_region", one) for one in methods if one in RIVER)
        inside, ours = of("rmse_region", ALL), of("rmse_region", FORGET)
        outside = of("rmse_elsewhere", FORGET) / of("rmse_elsewhere", ALL) - 1
        verdicts.append(
            f"- {name}: in the region `on_drift = forget` is {100 * (1 - ours / inside):.0f} % "
            f"below keeping all and {100 * (1 - ours / rivers):.0f} % below the best of river; "
            f"elsewhere the error changes by {100 * outside:+.1f} %."
        )
    return (
        "## A change in one region of five\n\n"
        + markdown(("stream", "rows in", *methods), lines)
        + "\n"
        + "\n".join(verdicts)
        + "\n"
    )


def _alarms(table: Table, names: list[str]) -> str:
    lines = []
    for name in names:
        here = table.where(data=name, method=ALL)
        seeds = len(here.numbers("replicate"))
        alarms = len(here.where(metric="alarm").rows) / seeds
        changes = len(here.where(metric="change").rows) / seeds
        lines.append([name, f"{changes:.0f}" if changes else "–", f"{alarms:.1f}"])
    return "## Alarms, per run\n\n" + markdown(("stream", "changes at once", "alarms"), lines)


def _detection(table: Table) -> str:
    still, steps = table.where(data="stationary"), table.where(data="steps")
    if not still or not steps:
        return ""
    lines = []
    for name in DETECTORS:
        false = still.estimate(f"false {name}")
        rows = sum(row.n for row in still.where(metric=f"false {name}").rows)
        delays = [row.value for row in steps.where(metric=f"delay {name}").rows]
        lines.append(
            [
                name,
                f"{100_000 * false.mean * false.replicates / rows:.2f}",
                f"{100 * steps.mean(f'found {name}'):.0f} %",
                f"{np.median(delays):.0f}" if delays else "–",
                f"{max(delays):.0f}" if delays else "–",
            ]
        )
    seeds = still.estimate("false splitgp").replicates
    columns = (
        "detector",
        "false alarms in 100,000 rows",
        f"steps found within {FOUND_WITHIN} rows of the region",
        "rows of the region until then, median",
        "largest",
    )
    return (
        f"## Finding steps of {STEP:.0f} noise standard deviations in one region of five\n\n"
        f"False alarms: {seeds} streams of {STATIONARY_ROWS:,} rows that do not change. Steps: "
        f"{steps.estimate('found splitgp').replicates} streams that step once, up, in one region. "
        "River's ADWIN and PageHinkley have their default settings and see the innovations of the "
        "whole stream; they have no idea of regions.\n\n" + markdown(columns, lines)
    )
