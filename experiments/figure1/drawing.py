"""A cut in the plane, and the mean along a line."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments.figure1 import measuring as figure1
from experiments.shared.drawing import empty_figure, save
from experiments.shared.run import Settings
from experiments.shared.table import Table

__all__ = ["draw"]


def draw(table: Table, settings: Settings) -> list[Path]:
    figure, axes = empty_figure(3, width=3.6)
    a, b = figure1.cut(settings.seed), figure1.continuity(settings.seed)
    split, nearest, both = axes[0]
    for side, color in ((a.side, "C0"), (~a.side, "C3")):
        split.plot(*a.X[side].T, ".", color=color, ms=4)
    split.plot(*a.centers.T, "kx", ms=9, mew=2.5)
    split.annotate(
        "",
        a.center + 1.6 * a.direction,
        a.center,
        arrowprops={"arrowstyle": "->", "color": "C1", "lw": 2.5},
    )
    across = 2.5 * np.array([-a.direction[1], a.direction[0]])
    split.plot(*np.stack([a.center - across, a.center + across], axis=1), color="C2", lw=2)
    split.set(title="(a) PDDP", xlabel="x1", ylabel="x2", aspect="equal")
    for ax, mean, title in (
        (nearest, b.nearest, "(b) the nearest local GP alone"),
        (both, b.both, "both, weighted"),
    ):
        ax.plot(b.X[:, 0], b.y, ".", color="0.5")
        jump = np.flatnonzero(np.abs(np.diff(mean)) > 10 * np.median(np.abs(np.diff(mean))))
        shown = mean.copy()
        if ax is nearest:
            shown[jump + 1] = np.nan  # a jump is not a steep line
        ax.plot(b.x, shown, color="C0")
        for center in b.centers:
            ax.axvline(center, color="C3", lw=1)
        ax.set(title=title, xlabel="X", ylabel="mean of Y")
    both.sharey(nearest)
    return [save(figure, settings, "figure1")]
