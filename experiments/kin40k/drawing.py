"""The error against the observations per local model, beside the published curves."""

from __future__ import annotations

from pathlib import Path

from experiments.shared import published
from experiments.shared.drawing import LABELS, curve, empty_figure, save
from experiments.shared.methods import DEFAULT, FULL, LOCAL, LOG, METHODS, PAPER, RBCM
from experiments.shared.run import Settings
from experiments.shared.table import Table

__all__ = ["draw"]


def draw(table: Table, settings: Settings) -> list[Path]:
    figure, axes = empty_figure(1, width=6.4, height=4.4)
    ax = axes[0][0]
    for method in (DEFAULT, PAPER, RBCM, LOG):
        x, mean, half = table.curve("setting", "rmse", method=method)
        curve(ax, method, x, mean, half)
    for method in (PAPER, RBCM):
        if not settings.quick:
            points = published.KIN40K[method]
            color = METHODS[method].color
            ax.plot(*zip(*points.items(), strict=True), ":", color=color, lw=1)
    full = table.mean("rmse", method=FULL)
    ax.axhline(full, color=METHODS[FULL].color, ls="--", lw=1.2, label=FULL)
    ticks = table.where(method=DEFAULT).numbers("setting")
    ax.set(xscale="log", xlabel="observations per local model", ylabel=LABELS["rmse"])
    ax.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks], minor=False)
    ax.minorticks_off()
    ax.set_ylim(bottom=0)
    above = ax.twiny()
    x, mean, half = table.curve("setting", "rmse", method=LOCAL)
    curve(above, LOCAL, x, mean, half)
    above.set(xscale="log", xlabel="w_gen of the local GP")
    above.invert_xaxis()
    handles = [*ax.get_legend_handles_labels()[0], *above.get_legend_handles_labels()[0]]
    ax.legend(handles=handles, fontsize=8, loc="upper right")
    return [save(figure, settings, "kin40k")]
