"""The page of the stages: what was promised, and the table of before, A, A+B and A+B+C."""

from __future__ import annotations

import math
from pathlib import Path

from experiments.beyond import measuring as beyond
from experiments.shared.layout import head, markdown, number, picture
from experiments.shared.run import Settings
from experiments.shared.scoring import STRETCH
from experiments.shared.table import Estimate, Table
from experiments.stages.measuring import (
    AFTER_CHANGE,
    SETS,
    STAGES,
    TIMED_ROWS,
    WARM_UP,
    same_replicates,
)
from experiments.stages.promises import PROMISES
from experiments.stages.regimes import AFTER, BEFORE, CHANGES

__all__ = ["page"]

_STAGES_TEXT = {
    "before": "the engine as it was: `capacity = split_limit` = 250 (500 where the others' "
    "capacity is 500), eight neighbors, no calibration, no trend, no training out of turn",
    "A": "borrowing: `capacity`, `split_limit` and `neighbors` as they follow",
    "A+B": "and calibrated error bars, and a training as soon as the stream surprises",
    "A+B+C": "and a trend where it proves itself, and noise no smaller than the data show: the "
    "default options",
}


def page(table: Table, settings: Settings) -> str:
    table = same_replicates(table)
    parts = [
        head("What borrowing, calibration and the trend add", "stages", settings, _conditions()),
        markdown(("stage", "what it has"), [(f"**{s}**", t) for s, t in _STAGES_TEXT.items()]),
        _about_the_sets(table),
        picture(Path("stages.png"), "error, density and coverage, stage by stage"),
        "Grey is what was promised, for the sets named below.\n",
        _promised(table),
        _section(table, "stream", "Streams in time order", _STREAM_TEXT),
        _section(table, "test set", "Test sets", _TEST_TEXT),
        _section(table, "regime change", "Changes of regime", _REGIME_TEXT),
    ]
    return "\n".join(part for part in parts if part)


def _conditions() -> str:
    return (
        "Times are processor time, a row at a time, with one thread each, as a Python program "
        "sees them: the way into the library and back is part of it, some microseconds a call, in "
        "every stage alike. All stages are options of one engine, with what is new switched off in "
        "the earlier ones. ± is the standard "
        "deviation over the replicates."
    )


def _about_the_sets(table: Table) -> str:
    measured = [name for name in SETS if table.where(data=name)]
    chosen, others = (
        [SETS[n].title for n in measured if SETS[n].chosen_on == chosen] for chosen in (True, False)
    )
    counts: dict[int, list[str]] = {}
    for name in measured:
        count = len(table.where(data=name).values("replicate"))
        counts.setdefault(count, []).append(SETS[name].title)
    replicates = "; ".join(
        f"{count} {'replicate' if count == 1 else 'replicates'}: {_names(names)}"
        for count, names in sorted(counts.items(), reverse=True)
    )
    return (
        f"The engine's constants were **chosen on** {_names(chosen)} (marked *). The "
        "others were in view while it was built, and some rules are there because of them: the "
        "quantiles of the calibration (metro_traffic), the least rows of a surprise (gas_turbine, "
        "CO, and the changes of regime), the trend that local GPs fall back to (the Barrett arm). "
        f"So they are no independent test: {_names(others)}.\n\n"
        "A replicate has its own seed, from 0 on: of the model, and for kin40k also of the order "
        "of the rows (seed 0: that of the file), for changes of regime of the stream itself. The "
        f"replicates of powergen are its ten training sets. {replicates}.\n"
    )


def _names(titles: list[str]) -> str:
    """With commas, or semicolons if a name has a comma itself.

    >>> _names(["a", "b"]), _names(["a, c", "b"])
    ('a, b', 'a, c; b')
    """
    return ("; " if any("," in title for title in titles) else ", ").join(titles)


def _promised(table: Table) -> str:
    rows = []
    reached = total = 0
    for promise in PROMISES:
        for k, one in enumerate(promise.findings(table)):
            text = f"**{promise.text}**" if k == 0 else ""
            rows.append((text, one.what, one.figure, one.bound, one.verdict))
            total += 1
            reached += one.verdict == "reached"
    columns = ("promised", "figure", "measured", "bound", "verdict")
    return (
        f"## What was promised\n\n{reached} of {total} figures are reached. They are those of "
        "A+B+C, means over the replicates unless stated otherwise; for the Barrett arm, whose "
        "outputs have different units, the square root of nMSE stands for RMSE.\n\n"
        + markdown(columns, rows)
    )


_STREAM_TEXT = (
    f"Every row is predicted before it is learned; rows from {WARM_UP} on count. “Worst {STRETCH}” "
    f"is the 95 % interval's lowest coverage in any {STRETCH} rows laid end to end, and in "
    "brackets in those beginning at any row, each the mean over the replicates."
)
_TEST_TEXT = (
    "The stream is learned row by row, then the test set is predicted; a prediction's time is "
    f"that of its first {TIMED_ROWS:,} rows, one at a time. For the Barrett arm the error is nMSE, "
    "the mean squared error over the variance of the torque, and NLPD and coverage are means over "
    f"its seven outputs. [beyond.md](beyond.md) says why its own test set shows only interpolation "
    "in time."
)
_REGIME_TEXT = (
    f"Generated: {BEFORE:,} rows of one regime, then {AFTER} of another, four inputs.\n\n"
    + "\n".join(f"- {SETS[name].title}: {text}" for name, text in CHANGES.items())
    + f"\n\nError, NLPD and coverage are those of the rows from {AFTER_CHANGE[0]} after the change "
    f"on; “after {AFTER_CHANGE[0]}” and “after {AFTER_CHANGE[1]}” are the 95 % interval's coverage "
    f"in rows {AFTER_CHANGE[0]} to {AFTER_CHANGE[1]} and {AFTER_CHANGE[1]} to {AFTER} of the new "
    "regime.\n\n"
    + picture(Path("stages_regimes.png"), "coverage after a change of regime, stage by stage")
).rstrip()
_COST = ("µs an update", "with training", "µs a prediction", "bytes a row")


def _section(table: Table, kind: str, title: str, text: str) -> str:
    names = [name for name, one in SETS.items() if one.kind == kind and table.where(data=name)]
    if not names:
        return ""
    extra = {
        "stream": (f"worst {STRETCH}",),
        "test set": (),
        "regime change": tuple(f"after {rows}" for rows in AFTER_CHANGE),
    }[kind]
    columns = ("data", "stage", "RMSE", "NLPD", "50 %", "80 %", "95 %", *extra, *_COST)
    rows = []
    for name in names:
        for stage in STAGES:
            mark = "\\*" if SETS[name].chosen_on else ""
            label = f"**{SETS[name].title}**{mark}" if stage == next(iter(STAGES)) else ""
            rows.append((label, stage, *_figures(table.where(data=name, method=stage), name, kind)))
    return f"## {title}\n\n{text}\n\n{markdown(columns, rows)}"


def _figures(one: Table, name: str, kind: str) -> list[str]:
    """One stage's cells, but for its name."""
    error = "nmse" if name in beyond.ARM else "rmse"
    cells = [spread(one.estimate(error)), spread(one.estimate("nlpd"))]
    cells += [_percent(one, f"cover_{level}") for level in (50, 80, 95)]
    if kind == "stream":
        anywhere = 100 * one.mean("worst_anywhere")
        cells.append(f"{_percent(one, 'worst_stretch')} [{anywhere:.1f}]")
    elif kind == "regime change":
        cells += [_percent(one, "cover_early"), _percent(one, "cover_late")]
    for metric in ("update_seconds", "update_and_train_seconds", "predict_seconds"):
        cells.append(f"{1e6 * one.mean(metric):,.0f}")
    cells.append(f"{one.mean('bytes_a_row'):,.0f}")
    return cells


def _percent(one: Table, metric: str) -> str:
    found = one.estimate(metric)
    text = f"{100 * found.mean:.1f}"
    return f"{text} ± {100 * found.std:.1f}" if math.isfinite(found.std) else text


def spread(value: Estimate) -> str:
    """A mean and the standard deviation over the replicates, to the latter's second digit.

    >>> spread(Estimate.of([1.0, 1.02, 1.04])), spread(Estimate.of([3.25]))
    ('1.02 ± 0.02', '3.25')
    """
    if not math.isfinite(value.std):
        return number(value.mean)
    return f"{number(value.mean)} ± {value.std:.1g}"
