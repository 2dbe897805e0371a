"""The page of tables: codes of categories, gaps, time and lags."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from experiments.shared.layout import head, markdown, number, picture
from experiments.shared.run import Settings
from experiments.shared.table import Table
from experiments.tables import category_codes, forecasts, gap_filling
from experiments.tables.measuring import CODES, FORECASTS, GAPS

__all__ = ["page"]


def page(table: Table, settings: Settings) -> str:
    return "\n".join(
        [
            head("Tables as people have them", "tables", settings, _CONDITIONS),
            picture(Path("tables.png"), "error of each code over that of the best, by data set"),
            _codes(table),
            _gaps(table),
            _traffic(table),
            _load(table),
        ]
    )


_CONDITIONS = (
    "Default options. Every row is predicted before it is learned, in the order of rows; errors "
    f"count from row {category_codes.WARM_UP} on. Columns are made in Python by the rules of the "
    "recipe, so that each choice can be changed alone. Time is that of the process, divided by the "
    "number of rows."
)


def _cell(value: float, best: float, shown: Callable[[float], str] = number) -> str:
    """Bold if no other is better by more than half a percent."""
    near = value <= best * 1.005 if best > 0 else value <= best + 0.005
    return f"**{shown(value)}**" if near else shown(value)


def _codes(table: Table) -> str:
    names = [name for name in category_codes.SETS if table.where(data=CODES + name)]
    listed = [(f"**{name}**", code.text) for name, code in category_codes.CODES.items()]
    parts = [
        "## A category's code\n",
        "All codes but numbers put different levels at a distance of about 1. *Tied*: one length "
        "scale for all columns of the code (`length_scale_groups`).\n",
        markdown(("code", "what it is"), listed),
    ]
    for metric, title, shown in (
        ("rmse", "RMSE", number),
        ("nlpd", "NLPD", lambda value: f"{value:.3f}"),
        ("row_seconds", "µs a row", lambda value: f"{1e6 * value:,.0f}"),
    ):
        rows = []
        best = {
            name: min(
                table.mean(metric, data=CODES + name, method=code)
                for code in category_codes.CODES
                if table.where(data=CODES + name, method=code)
            )
            for name in names
        }
        for code in category_codes.CODES:
            cells = [code]
            for name in names:
                if not table.where(data=CODES + name, method=code):
                    cells.append("–")
                    continue
                value = table.mean(metric, data=CODES + name, method=code)
                cells.append(
                    shown(value) if metric == "row_seconds" else _cell(value, best[name], shown)
                )
            rows.append(cells)
        if metric == "rmse":
            rows.append(["*best possible*", *(_possible(table, name) for name in names)])
        columns = [title, *(category_codes.SETS[name].title for name in names)]
        parts.append(markdown(columns, rows))
    parts.append(
        f"A column for each of more than {category_codes.MOST_COLUMNS} levels was not tried. *Best "
        "possible*: who knows the function, the noise and how the levels' effects are distributed, "
        "and has to learn only the effects themselves, from the same rows.\n"
    )
    return "\n".join(parts)


def _possible(table: Table, name: str) -> str:
    here = table.where(data=CODES + name, metric="best_rmse")
    return number(here.rows[0].value) if here else "–"


def _gaps(table: Table) -> str:
    names = [name for name in gap_filling.SETS if table.where(data=GAPS + name)]
    rows = []
    for name in names:
        here = table.where(data=GAPS + name)
        best = {
            metric: min(here.mean(metric, method=fill) for fill in gap_filling.FILLS)
            for metric in ("rmse", "gap_rmse", "nlpd")
        }
        for k, fill in enumerate(gap_filling.FILLS):
            one = here.where(method=fill)
            first = f"{gap_filling.SETS[name].title} ({100 * one.mean('gap_share'):.0f} %)"
            rows.append(
                [
                    first if k == 0 else "",
                    fill,
                    _cell(one.mean("rmse"), best["rmse"]),
                    _cell(one.mean("gap_rmse"), best["gap_rmse"]),
                    _cell(one.mean("nlpd"), best["nlpd"], lambda value: f"{value:.3f}"),
                    f"{1e6 * one.mean('row_seconds'):,.0f}",
                ]
            )
    columns = ("table (rows with gaps)", "instead", "RMSE", "of rows with gaps", "NLPD", "µs a row")
    return (
        "## Gaps\n\nWhat takes the place of a missing number: "
        + "; ".join(f"*{name}*, {text}" for name, text in gap_filling.FILLS.items())
        + ". In air_quality −200 means that there is no value, and in one column that is nearly "
        "always so.\n\n" + markdown(columns, rows)
    )


def _traffic(table: Table) -> str:
    here = table.where(data=FORECASTS + "traffic")
    rows = []
    methods = [name for name in forecasts.TRAFFIC if here.where(method=name)]
    best = min(here.mean("rmse", method=name) for name in methods)
    for name in methods:
        one = here.where(method=name)
        rows.append(
            [
                name,
                forecasts.TRAFFIC[name][0],
                _cell(one.mean("rmse"), best),
                f"{one.mean('nlpd'):.3f}" if one.where(metric="nlpd") else "–",
                f"{1e6 * one.mean('row_seconds'):,.0f}",
            ]
        )
    return (
        f"## Labels that come {forecasts.LATE} rows late\n\n"
        f"The first {int(here.numbers('n')[0]):,} rows of metro_traffic, run as in the cost "
        "experiment. Rows that are near in time have no labels yet, so what helps is the same hour "
        "of the same day of other weeks. Hours since the first row and the weather make "
        "neighbours in time alike and other weeks unlike. Which columns to leave out was "
        "found on the first 5,000 of these rows; a recipe always has the hours.\n\n"
        + markdown(("model", "columns", "RMSE", "NLPD", "µs a row"), rows)
    )


def _load(table: Table) -> str:
    here = table.where(data=FORECASTS + "load")
    methods = [name for name in forecasts.LOAD if here.where(method=name)]
    best = min(here.mean("rmse", method=name) for name in methods)
    rows = []
    for name in methods:
        one = here.where(method=name)
        rows.append(
            [
                name,
                forecasts.LOAD[name][0],
                _cell(one.mean("rmse"), best),
                f"{100 * one.mean('mape'):.2f} %",
                f"{100 * one.mean('cover_95'):.1f} %" if one.where(metric="cover_95") else "–",
                f"{1e6 * one.mean('row_seconds'):,.0f}",
            ]
        )
    return (
        f"## The load {forecasts.AHEAD} hours ahead\n\n"
        f"The first {int(here.numbers('n')[0]):,} hours of raw/pjme_hourly in time order, after a "
        "week of history. Columns: hours since the first, positions in day and week, and the load "
        f"{forecasts.AHEAD}, {2 * forecasts.AHEAD} and 168 hours before. Scores from hour "
        f"{forecasts.WARM_UP} on.\n\n"
        + markdown(
            ("forecast", "what it is", "RMSE", "mean error", "95 % holds", "µs an hour"), rows
        )
    )
