"""The figure of error against processor time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from experiments.cost.measuring import LATE, STREAMS, ahead
from experiments.cost.models import MODELS
from experiments.shared.drawing import panels, save
from experiments.shared.run import Settings
from experiments.shared.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw"]

# Errors are drawn up to so many times the least; a model that diverges would hide all the others.
LARGEST = 12.0


def draw(table: Table, settings: Settings) -> list[Path]:
    from matplotlib.lines import Line2D

    names = [name for name in STREAMS if table.where(data=name)]
    figure = panels(names, 4.4, 3.6, lambda ax, name: _panel(ax, table, name))
    handles = [
        Line2D([], [], color=s.color, marker=s.marker, ls="", ms=_size(s.marker), label=name)
        for name, s in MODELS.items()
    ]
    handles += [
        Line2D([], [], color="0.4", marker="o", ls="", label="labels at once"),
        Line2D(
            [],
            [],
            color="0.4",
            marker="o",
            mfc="white",
            ms=8.5,
            ls="",
            label=f"{LATE[1]} rows late",
        ),
        Line2D([], [], color="0.75", lw=1, label="least error for the time, labels at once"),
        Line2D([], [], color="0.4", marker=r"$\uparrow$", ls="", label="larger than is drawn"),
    ]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=4 if len(names) > 2 else 2,
        frameon=False,
        fontsize=9,
    )
    return [save(figure, settings, "cost")]


def _size(marker: str) -> float:
    return 10 if marker == "*" else 6.5


def _panel(ax: Axes, table: Table, data: str) -> None:
    from matplotlib.ticker import LogLocator, NullLocator

    here = table.where(data=data)
    errors = {
        (method, late): here.where(method=method, setting=float(late)).mean("rmse")
        for method in MODELS
        for late in LATE
    }
    largest = LARGEST * min(errors.values())
    for method, style in MODELS.items():
        places = []
        for late in LATE:
            one = here.where(method=method, setting=float(late))
            places.append((1e6 * one.mean("row_seconds"), min(errors[method, late], largest)))
            if errors[method, late] > largest:
                ax.annotate(
                    "↑", places[-1], (0, 5), textcoords="offset points", ha="center", color="0.4"
                )
        ax.plot(*zip(*places, strict=True), color=style.color, lw=1, alpha=0.6, zorder=2)
        for late, (time, error) in zip(LATE, places, strict=True):
            ax.plot(
                time,
                error,
                style.marker,
                color=style.color,
                mfc=style.color if late == 0 else "white",
                # A ring around what it would hide.
                ms=_size(style.marker) + (0 if late == 0 else 2),
                zorder=4 if late == 0 else 3,
            )
    front = here.where(setting=float(LATE[0]))
    best = ahead(table, data, LATE[0])
    ax.step(
        [1e6 * front.mean("row_seconds", method=one) for one in best],
        [min(front.mean("rmse", method=one), largest) for one in best],
        where="post",
        color="0.75",
        lw=1,
        zorder=1,
    )
    ax.set(xscale="log", yscale="log", title=STREAMS[data].title)
    ax.set(xlabel="processor time per row, µs", ylabel="RMSE")
    if max(errors.values()) > largest:
        ax.set_ylim(top=1.5 * largest)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:,.4g}")
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.grid(color="0.93", which="major")
