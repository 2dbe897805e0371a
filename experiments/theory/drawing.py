"""The time of an update against m and along the stream, and memory."""

from __future__ import annotations

from pathlib import Path

from experiments.shared.drawing import curve, empty_figure, save
from experiments.shared.methods import METHODS
from experiments.shared.run import Settings
from experiments.shared.table import Table

__all__ = ["draw"]


def draw(table: Table, settings: Settings) -> list[Path]:
    figure, axes = empty_figure(3)
    cost, along, memory = axes[0]
    x, mean, _ = table.curve("setting", "update_seconds", data="update against m")
    cost.plot(x, 1e6 * mean, "o-", label="measured")
    for power in (2, 3):
        cost.plot(x, 1e6 * mean[-1] * (x / x[-1]) ** power, ":", color="0.5", label=f"m^{power}")
    cost.set(xscale="log", yscale="log", xlabel="m", ylabel="µs for one update")
    cost.set_title("update against m")
    cost.legend(fontsize=8)
    x, mean, _ = table.curve("n", "update_seconds", data="update along n")
    along.plot(x, 1e6 * mean, "o-")
    along.set(xlabel="observations", ylabel="µs for one update", title="update along the stream")
    along.set_ylim(bottom=0)
    for method in METHODS:
        x, mean, half = table.curve("n", "memory_bytes", data="memory", method=method)
        curve(memory, method, x, 1e-6 * mean, half, ms=3)
    memory.set(xscale="log", yscale="log", xlabel="observations", ylabel="MB", title="memory")
    memory.legend(fontsize=7)
    return [save(figure, settings, "theory")]
