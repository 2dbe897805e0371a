"""The figures of the stages: what each does to errors, densities and intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.shared.drawing import empty_figure, legend_below, save
from experiments.shared.run import Settings
from experiments.shared.scoring import STRETCH
from experiments.shared.table import Table
from experiments.stages.measuring import AFTER_CHANGE, BEFORE, SETS, error_ratio, same_replicates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw"]

_LOOK = {
    "before": ("0.45", "o"),
    "A": ("#56b4e9", "s"),
    "A+B": ("#009e73", "D"),
    "A+B+C": ("#d55e00", "*"),
}
Value = Callable[[Table, str, str], float]  # of a data set and a stage


def draw(table: Table, settings: Settings) -> list[Path]:
    table = same_replicates(table)
    measured = [name for name in SETS if table.where(data=name)]
    changes = [name for name in measured if SETS[name].kind == "regime change"]
    real = [name for name in measured if name not in changes]
    paths = [_real_sets(table, real, settings)]
    if changes:
        paths.append(_changes(table, changes, settings))
    return paths


def _real_sets(table: Table, names: Sequence[str], settings: Settings) -> Path:
    height = 1.4 + 0.36 * len(names)
    figure, axes = empty_figure(5, width=3.1, height=height, sharey=True)
    error, density, half, most, worst = axes[0]
    _dots(error, table, names, error_ratio)
    error.set(xscale="log", xlabel="over that of before", title="RMSE")
    _ticks(error, (0.25, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 4, 10), neutral=1)
    _dots(density, table, names, _density_change)
    density.set_xscale("symlog", linthresh=0.1)
    density.set(xlabel="nats above that of before", title="NLPD")
    _ticks(density, (-10, -1, -0.3, -0.1, 0, 0.1, 0.3, 1, 10), neutral=0)
    for ax, level, band in ((half, 50, (46, 54)), (most, 95, (93.5, 96.5))):
        _dots(ax, table, names, _coverage(f"cover_{level}"))
        ax.axvspan(*band, color="0.92", zorder=0)
        ax.set(xlabel="% of the rows", title=f"held by the {level} % interval")
    _dots(worst, table, names, _worst)
    worst.axvspan(90, 100, color="0.92", zorder=0)
    worst.set(xlabel=f"% of its worst {STRETCH} rows", title="held by the 95 % interval")
    error.set_yticks(range(len(names)), [SETS[name].title for name in names], fontsize=8)
    error.invert_yaxis()
    legend_below(figure, error)
    return save(figure, settings, "stages")


def _changes(table: Table, names: Sequence[str], settings: Settings) -> Path:
    figure, axes = empty_figure(2, width=5.2, height=1.4 + 0.36 * len(names), sharey=True)
    for ax, metric, after, bound in zip(
        axes[0], ("cover_early", "cover_late"), AFTER_CHANGE, (80, 90), strict=True
    ):
        _dots(ax, table, names, _coverage(metric))
        ax.axvspan(bound, 100, color="0.92", zorder=0)
        ax.set(xlabel="% of the rows held by the 95 % interval", xlim=(-3, 103))
        ax.set_title(f"from {after} rows after the change on")
    axes[0][0].set_yticks(range(len(names)), [SETS[name].title for name in names], fontsize=8)
    axes[0][0].invert_yaxis()
    legend_below(figure, axes[0][0])
    return save(figure, settings, "stages_regimes")


def _dots(ax: Axes, table: Table, names: Sequence[str], value: Value) -> None:
    """One line for each data set, one mark for each stage."""
    for k, (stage, (color, marker)) in enumerate(_LOOK.items()):
        at = np.arange(len(names)) + 0.16 * (k - 1.5)
        values = [value(table, name, stage) for name in names]
        ax.plot(values, at, marker, color=color, ms=8 if marker == "*" else 5, label=stage)
    ax.grid(axis="y", color="0.93")


def _ticks(ax: Axes, ticks: Sequence[float], neutral: float) -> None:
    """Those that the data reach; a line where nothing has changed."""
    limits = ax.get_xlim()
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.tick_params(axis="x", labelsize=7)
    ax.minorticks_off()
    ax.set_xlim(limits)
    ax.axvline(neutral, color="0.8", lw=1, zorder=0)


def _density_change(table: Table, name: str, stage: str) -> float:
    now, then = (table.mean("nlpd", data=name, method=one) for one in (stage, BEFORE))
    return now - then


def _worst(table: Table, name: str, stage: str) -> float:
    """Of streams only: the rows of a test set have no order."""
    if SETS[name].kind != "stream":
        return float("nan")
    return 100 * table.mean("worst_stretch", data=name, method=stage)


def _coverage(metric: str) -> Value:
    return lambda table, name, stage: 100 * table.mean(metric, data=name, method=stage)
