"""The page about figure 1."""

from __future__ import annotations

from pathlib import Path

from experiments.shared.layout import head, number, picture
from experiments.shared.run import Settings
from experiments.shared.table import Table

__all__ = ["page"]


def page(table: Table, settings: Settings) -> str:
    return "\n".join(
        [
            head("Figure 1", "figure1", settings),
            picture(Path("figure1.png"), "how a split cuts, and continuity"),
            "(a) A set in the plane, cut across its first principal direction (orange) by the "
            "hyperplane (green); the crosses are the centers of the engine's two local GPs, which "
            "agree with the centroids of the halves to "
            f"{number(table.mean('center_difference'))}. (b) The mean of two local GPs by the "
            "paper's pseudo-code: with the nearest alone it jumps between the centers (largest "
            f"step between neighbouring queries {number(table.mean('step_nearest'))}), with both "
            f"it does not ({number(table.mean('step_both'))}). [theory.md](theory.md) measures "
            "this on finer and finer lines.\n",
        ]
    )
