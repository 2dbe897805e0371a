"""The picture: how our error compares with each rival's, over all tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments.published.rivals import RIVALS
from experiments.published.scores import Score

__all__ = ["draw"]

_COLORS = {
    "mean": "#333333",
    "last": "#56b4e9",
    "linear": "#009e73",
    "boosting": "#d55e00",
    "forest": "#cc79a7",
}


def draw(measured: dict[str, Sequence[Score]], place: Path) -> None:
    """One panel for each rival; a curve is the share of tables below a ratio."""
    import matplotlib
    from matplotlib.figure import Figure

    last = list(measured.values())[-1]
    rivals = [rival for rival in RIVALS if any(rival in one.rmse for one in last)]
    figure = Figure(figsize=(3.1 * len(rivals), 3.4), layout="constrained")
    axes = figure.subplots(1, len(rivals), squeeze=False, sharey=True)[0]
    for ax, rival in zip(axes, rivals, strict=True):
        for k, (name, scores) in enumerate(measured.items()):
            ratios = np.sort([one.over(rival) for one in scores if rival in one.rmse])
            shares = (np.arange(len(ratios)) + 1) / len(ratios)
            style = "-" if k == len(measured) - 1 else "--"
            ax.plot(np.clip(ratios, 0.05, 4), shares, style, color=_COLORS[rival], label=name)
        ax.axvline(1, color="0.6", lw=0.8)
        ax.set(xscale="log", xlim=(0.05, 4), xlabel=f"RMSE over that of: {rival}")
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        ax.xaxis.set_minor_formatter(lambda value, _: "")
        ax.grid(color="0.93")
        if len(measured) > 1:
            ax.legend(frameon=False, fontsize=8)
    axes[0].set_ylabel("share of tables")
    figure.savefig(place, dpi=130)
    with matplotlib.rc_context({"svg.hashsalt": place.stem, "svg.fonttype": "none"}):
        figure.savefig(place.with_suffix(".svg"), metadata={"Date": None})
