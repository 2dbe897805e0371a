"""What all figures share: PNG for the screen, SVG for print; curves, and a legend below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.shared.methods import METHODS
from experiments.shared.run import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["LABELS", "curve", "empty_figure", "legend_below", "panels", "save"]

LABELS = {
    "rmse": "RMSE",
    "mse": "mean squared error",
    "train_seconds": "training, processor seconds",
}


def empty_figure(
    columns: int, rows: int = 1, width: float = 4.2, height: float = 3.5, **shared: Any
) -> Any:
    """A figure and its axes; width and height are those of one panel."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **shared)


def panels(
    names: Sequence[str], width: float, height: float, draw: Callable[[Axes, str], None]
) -> Any:
    """A figure with a panel for each name, at most three side by side."""
    columns = min(3, len(names))
    figure, axes = empty_figure(columns, -(-len(names) // columns), width, height)
    for ax, name in zip_longest(axes.flat, names):
        if name is None:
            ax.axis("off")
        else:
            draw(ax, name)
    return figure


def save(figure: Figure, settings: Settings, name: str) -> Path:
    """PNG for the screen, SVG for print."""
    import matplotlib

    path = settings.out / f"{name}.png"
    figure.savefig(path, dpi=130)
    # Neither date nor random names: the same measurements give the same file.
    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    return path


def legend_below(figure: Figure, ax: Axes, columns: int = 6) -> None:
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)


def curve(ax: Axes, method: str, x: Any, mean: Any, half: Any, **style: Any) -> None:
    """A method's curve in its own colour, with a band of half widths."""
    look = METHODS[method]
    settings = {"color": look.color, "marker": look.marker, "ms": 4, "lw": 1.4, "label": method}
    ax.plot(x, mean, **{**settings, **style})
    if np.isfinite(half).all():
        low = np.maximum(mean - half, 1e-3 * mean) if (mean > 0).all() else mean - half
        ax.fill_between(x, low, mean + half, color=look.color, alpha=0.2, lw=0)
