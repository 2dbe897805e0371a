"""What all figures share: an empty one, its files, and a legend below."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.shared.run import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["empty_figure", "legend_below", "save"]


def empty_figure(
    columns: int, rows: int = 1, width: float = 4.2, height: float = 3.5, **shared: Any
) -> Any:
    """A figure and its axes; width and height are those of one panel."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **shared)


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
