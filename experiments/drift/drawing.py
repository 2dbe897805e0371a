"""The figure of streams that change: error along the stream, changes and alarms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from experiments.drift.models import ALL, FORGET, FRESH, MODELS
from experiments.drift.streams import STREAMS
from experiments.shared.drawing import panels, save
from experiments.shared.run import Settings
from experiments.shared.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw"]


def draw(table: Table, settings: Settings) -> list[Path]:
    from matplotlib.lines import Line2D

    names = [name for name in STREAMS if table.where(data=name)]
    figure = panels(names, 4.6, 3.0, lambda ax, name: _panel(ax, table, name))
    handles = [
        Line2D([], [], color=style.color, lw=1.6, label=name)
        for name, style in MODELS.items()
        if table.where(method=name)
    ]
    handles += [
        Line2D([], [], color="k", lw=1.2, ls=":", label=FRESH),
        Line2D([], [], color="0.6", lw=4, alpha=0.4, label="a change"),
        Line2D([], [], color="r", marker="v", ls="", ms=6, label="alarms, first seed"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    return [save(figure, settings, "drift")]


def _panel(ax: Axes, table: Table, data: str) -> None:
    here = table.where(data=data)
    for row in here.where(method=ALL, metric="change", replicate=0).rows:
        ax.axvline(row.value, color="0.6", lw=4, alpha=0.4, zorder=0)
    for method, style in MODELS.items():
        if here.where(method=method):
            x, mean, _ = here.curve("n", "rmse_bin", method=method)
            ax.plot(x, mean, color=style.color, lw=1.6 if method in (ALL, FORGET) else 0.8)
    if here.where(method=FRESH):
        x, mean, _ = here.curve("n", "rmse_bin", method=FRESH)
        ax.plot(x, mean, color="k", lw=1.2, ls=":")
    alarms = [row.n for row in here.where(method=ALL, metric="alarm", replicate=0).rows]
    top = ax.get_xaxis_transform()
    ax.plot(alarms, [0.96] * len(alarms), "rv", ms=6, transform=top, clip_on=False)
    ax.set(title=data, xlabel="rows", ylabel="RMSE of 200 rows", yscale="log")
    ax.grid(color="0.93")
