"""The page of error against processor time."""

from __future__ import annotations

import math
from pathlib import Path

from experiments.cost.measuring import LATE, ROWS, STREAMS, WARM_UP, ahead, best_other
from experiments.cost.models import MODELS, OURS, SMALL
from experiments.shared.layout import head, markdown, number, picture
from experiments.shared.run import Settings
from experiments.shared.table import Table

__all__ = ["page"]


def page(table: Table, settings: Settings) -> str:
    parts = [
        head("Error against processor time", "cost", settings, _CONDITIONS),
        markdown(("model", "what it is"), [(f"**{n}**", s.text) for n, s in MODELS.items()]),
        _SETTINGS,
        picture(Path("cost.png"), "error against processor time per row, one panel per stream"),
        _overview(table),
        *(_section(table, name) for name in STREAMS if table.where(data=name)),
    ]
    return "\n".join(parts)


_CONDITIONS = (
    "Each model sees each stream once, a row at a time, as a Python program calls it; "
    f"streams are cut after {ROWS:,} rows."
)
_SETTINGS = (
    f"A row is predicted, and learned right after that (labels at once), or {LATE[1]} rows later "
    f"(labels late). RMSE, NLPD and the coverage of the 95 % interval are over all rows from "
    f"{WARM_UP} on, by the distribution that a model predicts; those without one have only RMSE. "
    "Time is that of the process, on one thread: predicting, learning and every training or fit, "
    "for all rows, divided by their number. So the calls from Python count, some microseconds for "
    "splitgp and its rivals, most of a prediction for scikit-learn. River's models get inputs and "
    "output standardised as they come, the others raw units. The rivals share splitgp's kernels "
    "and training. **Bold**: no other model has both a smaller error and a shorter time.\n"
)


def _overview(table: Table) -> str:
    rows = []
    for data in (name for name in STREAMS if table.where(data=name)):
        for late in LATE:
            here = table.where(data=data, setting=float(late))
            other = best_other(table, data, late)
            cells = [f"**{STREAMS[data].title}**" if late == LATE[0] else "", _when(late), other]
            for ours in (OURS, SMALL):
                for metric in ("rmse", "row_seconds"):
                    ratio = here.mean(metric, method=ours) / here.mean(metric, method=other)
                    cells.append(f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}")
            rows.append(cells)
    columns = ["stream", "labels", "best of the others"]
    for ours in ("splitgp", "capacity 100"):
        columns += [f"{ours}: RMSE over its", "time over its"]
    return "## Beside the best of the others\n\n" + markdown(columns, rows)


def _when(late: int) -> str:
    return "at once" if late == 0 else f"{late} late"


def _section(table: Table, data: str) -> str:
    here = table.where(data=data)
    stream = STREAMS[data]
    rows = int(here.numbers("n")[0])
    front = {late: ahead(table, data, late) for late in LATE}
    columns = ["model"]
    for late in LATE:
        columns += [f"RMSE, {_when(late)}", "NLPD", "95 %", "µs a row"]
    lines = []
    for method in MODELS:
        cells = [method]
        for late in LATE:
            one = here.where(method=method, setting=float(late))
            mark = "**" if method in front[late] else ""
            cells.append(f"{mark}{number(one.mean('rmse'))}{mark}")
            cells += [_if_any(one, "nlpd"), _if_any(one, "cover_95", percent=True)]
            cells.append(f"{mark}{1e6 * one.mean('row_seconds'):,.0f}{mark}")
        lines.append(cells)
    return f"## {stream.title}\n\n{rows:,} rows, {stream.order}.\n\n" + markdown(columns, lines)


def _if_any(one: Table, metric: str, percent: bool = False) -> str:
    value = one.mean(metric) if one.where(metric=metric) else math.nan
    if math.isnan(value):
        return "–"
    return f"{100 * value:.1f} %" if percent else f"{value:.3f}"
