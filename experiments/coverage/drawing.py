"""Coverage against level, for every way of use."""

from __future__ import annotations

from pathlib import Path

from experiments.coverage import measuring as coverage
from experiments.coverage import sources
from experiments.shared.drawing import empty_figure, legend_below, save
from experiments.shared.run import Settings
from experiments.shared.table import Table

__all__ = ["draw"]

_COLOR = {coverage.REACH: "tab:blue", coverage.WAYS[1]: "0.65"}


def draw(table: Table, settings: Settings) -> list[Path]:
    """A panel for each way of use, and in it a line for each data set."""
    panels = [
        *[(f"answers {late} rows late", sources.STREAMS, late) for late in coverage.LATE],
        (f"batches of {coverage.BATCH}", sources.STREAMS, coverage.BATCH),
        ("rows held out at random", sources.TEST_SETS, None),
        ("between the rows of a recording, and in gaps", sources.ARM, None),
        ("load 24 and 168 hours, temperature 7 and 30 days ahead", sources.HORIZONS, None),
    ]
    figure, axes = empty_figure(4, 2, width=3.3, height=3.3, sharex=True, sharey=True)
    for ax, (title, names, n) in zip(axes.flat, panels, strict=True):
        ax.plot([0, 100], [0, 100], color="0.3", lw=0.8, ls=":")
        for way in reversed(coverage.WAYS):
            label: str | None = (
                f"intervals of the {way}" if way != coverage.REACH else "intervals by reach"
            )
            for data in names:
                chosen = table.where(data=data, method=way)
                chosen = chosen if n is None else chosen.where(n=n)
                for one in _separate(chosen):
                    held = [100 * one.mean(f"cover_{100 * level:.0f}") for level in coverage.LEVELS]
                    at = [100 * level for level in coverage.LEVELS]
                    ax.plot(at, held, color=_COLOR[way], marker=".", lw=1.0, label=label)
                    label = None
        ax.set_title(title, fontsize=9)
    for ax in axes[-1]:
        ax.set_xlabel("level of the interval, %")
    for row in axes:
        row[0].set_ylabel("observations inside, %")
    axes[0][0].set(xlim=(45, 101), ylim=(25, 102))
    legend_below(figure, axes[0][0])
    return [save(figure, settings, "coverage")]


def _separate(table: Table) -> list[Table]:
    """The measurements of each job."""
    return [
        table.where(setting=setting, n=int(n))
        for setting in table.numbers("setting")
        for n in table.where(setting=setting).numbers("n")
    ]
