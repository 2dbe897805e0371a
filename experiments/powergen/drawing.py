"""Error and training time against the observations per local model."""

from __future__ import annotations

from pathlib import Path

from experiments.shared.drawing import LABELS, curve, empty_figure, legend_below, save
from experiments.shared.methods import DEFAULT, FULL, LOCAL, LOG, METHODS, PAPER, RBCM
from experiments.shared.run import Settings
from experiments.shared.table import Table

__all__ = ["draw"]


def draw(table: Table, settings: Settings) -> list[Path]:
    figure, axes = empty_figure(2, width=5.2, height=4.0)
    for ax, metric in zip(axes[0], ("rmse", "train_seconds"), strict=True):
        for method in (DEFAULT, PAPER, RBCM, LOG):
            x, mean, half = table.curve("setting", metric, method=method, kernel="rbf")
            curve(ax, method, x, mean, half)
        x, mean, half = table.curve("setting", metric, method=DEFAULT, kernel="auto")
        curve(ax, DEFAULT, x, mean, half, ls="--", mfc="w", label="default, kernel auto")
        for kernel, style in (("rbf", "-"), ("auto", "--")):
            rows = table.where(method=FULL, kernel=kernel)
            if rows:
                level = rows.mean(metric)
                label = f"{FULL}, {kernel}"
                ax.axhline(level, color=METHODS[FULL].color, ls=style, lw=1, label=label)
        local = table.where(method=LOCAL)
        for setting, style in zip(local.numbers("setting"), (":", "-.", "--"), strict=False):
            label = f"{LOCAL}, w_gen {setting:.0e}"
            level = local.mean(metric, setting=setting)
            ax.axhline(level, color=METHODS[LOCAL].color, ls=style, lw=1, label=label)
        ticks = table.where(method=DEFAULT).numbers("setting")
        ax.set(xscale="log", xlabel="observations per local model", ylabel=LABELS[metric])
        ax.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks])
        ax.minorticks_off()
        ax.invert_xaxis()  # as in the paper
    axes[0][1].set(yscale="log")
    legend_below(figure, axes[0][0], columns=4)
    return [save(figure, settings, "powergen")]
