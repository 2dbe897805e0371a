"""Errors on the arm, and along the two streams."""

from __future__ import annotations

from pathlib import Path

from experiments.beyond import measuring as beyond
from experiments.shared.drawing import curve, empty_figure, legend_below, save
from experiments.shared.methods import METHODS
from experiments.shared.run import Settings
from experiments.shared.table import Table

__all__ = ["draw"]


def draw(table: Table, settings: Settings) -> list[Path]:
    figure, axes = empty_figure(len(beyond.STREAMS) + 1, width=4.4)
    arm = table.where(data=beyond.ARM[1])
    names = [(str(r.method), r.kernel) for r in arm.where(metric="nmse").rows]
    names = [name for method in METHODS for name in sorted(set(names)) if name[0] == method]
    values = [arm.mean("nmse", method=method, kernel=kernel) for method, kernel in names]
    labels = [method if kernel == "rbf" else f"{method}, auto" for method, kernel in names]
    colors = [METHODS[method].color for method, _ in names]
    values.append(arm.mean("nmse", method=beyond.LINEAR))
    labels.append(beyond.LINEAR)
    colors.append("0.6")
    axes[0][0].barh(labels[::-1], values[::-1], color=colors[::-1])
    scale = "log" if max(values) > 10 * min(values) else "linear"
    axes[0][0].set(
        xscale=scale, xlabel="nMSE, mean of 7 joints", title="Barrett arm, stretches held out"
    )
    for ax, stream in zip(axes[0][1:], beyond.STREAMS, strict=True):
        one = table.where(data=stream)
        for method, kernel in names:
            x, mean, half = one.curve("n", "rmse", method=method, kernel=kernel)
            style = {} if kernel == "rbf" else {"ls": "--", "mfc": "w", "label": "default, auto"}
            curve(ax, method, x, mean, half, **style)
        ax.set(xlabel="observations so far", ylabel="RMSE, each row before it is learned")
        ax.set(title=stream, xscale="log")
    legend_below(figure, axes[0][-1], columns=len(names))
    return [save(figure, settings, "beyond")]
