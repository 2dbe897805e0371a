"""The synthetic function, and errors, memory and time along its stream."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments.shared.drawing import LABELS, curve, empty_figure, legend_below, save
from experiments.shared.methods import DEFAULT, FULL, LOG, PAPER
from experiments.shared.run import Settings
from experiments.shared.table import Table
from experiments.synthetic import measuring as synthetic

__all__ = ["draw"]


def draw(table: Table, settings: Settings) -> list[Path]:
    paths = [_function(settings)]
    for variant in table.values("data"):
        one = table.where(data=variant)
        paths.append(_panels(one, settings, f"synthetic_{variant}"))
        paths.append(_zoom(one, settings, f"synthetic_{variant}_zoom"))
    return paths


def _panels(table: Table, settings: Settings, name: str) -> Path:
    figure, axes = empty_figure(3)
    panels = (("mse", 1.0), ("memory_bytes", 1e-3), ("train_seconds", 1.0))
    for ax, (metric, unit) in zip(axes[0], panels, strict=True):
        for method, setting in _in_the_paper(settings):
            x, mean, half = table.curve("n", metric, method=method, setting=setting)
            curve(ax, method, x, unit * mean, unit * half, ms=3)
        ax.set(xlabel="observations n, a fifth of them held out")
    axes[0][0].set(ylabel=LABELS["mse"], yscale="log", title="(a) MSE")
    axes[0][1].set(ylabel="kB, the model alone", yscale="log", title="(b) Memory")
    axes[0][2].set(ylabel=LABELS["train_seconds"], yscale="log", title="(c) Training time")
    legend_below(figure, axes[0][0])
    return save(figure, settings, name)


def _in_the_paper(settings: Settings) -> list[tuple[str, float]]:
    """The rBCM with E = 10 only."""
    return list(dict(reversed(synthetic.competitors(settings.quick))).items())[::-1]


def _zoom(table: Table, settings: Settings, name: str) -> Path:
    figure, axes = empty_figure(1, width=5.2)
    ax = axes[0][0]
    first = synthetic.split_limit(settings.quick)
    highest = 0.0
    for method, setting in _in_the_paper(settings):
        if method not in (DEFAULT, PAPER, LOG, FULL):
            continue
        x, mean, half = table.curve("n", "mse", method=method, setting=setting)
        shown = x >= first
        curve(ax, method, x[shown], mean[shown], half[shown], ms=3)
        highest = max(highest, float(mean[shown].max()) if method == PAPER else 0.0)
    local, counts, _ = table.curve("n", "n_local", method=PAPER, setting=first)
    for n, count, before in zip(local[1:], counts[1:], counts[:-1], strict=True):
        if round(count) > round(before):
            ax.axvline(n, color="0.8", lw=1, zorder=0)
    ax.set(xlabel="observations n", ylabel=LABELS["mse"], ylim=(0, 1.15 * highest))
    ax.set_title("After splits (vertical lines: the mean number of local GPs grew)", fontsize=9)
    ax.legend(fontsize=8)
    return save(figure, settings, name)


def _function(settings: Settings) -> Path:
    figure, axes = empty_figure(2)
    side = np.linspace(-1, 1, 101)
    x1, x2 = np.meshgrid(side, side)
    for ax, stretch, title in zip(axes[0], (1, 2), ("paper", "code"), strict=True):
        f = 5 * np.sin(x1**2 + (stretch * x2) ** 2) + 3 * x1
        mesh = ax.contourf(x1, x2, f, levels=15)
        figure.colorbar(mesh, ax=ax)
        ax.set(title=f"variant “{title}”", xlabel="x1", ylabel="x2", aspect="equal")
    return save(figure, settings, "synthetic_function")
