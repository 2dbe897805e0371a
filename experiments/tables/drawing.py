"""The figure of categories: what each code costs and is worth."""

from __future__ import annotations

from pathlib import Path

from experiments.shared.drawing import empty_figure, legend_below, save
from experiments.shared.run import Settings
from experiments.shared.table import Table
from experiments.tables import category_codes
from experiments.tables.measuring import CODES

__all__ = ["draw"]

_COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#333333")


def draw(table: Table, settings: Settings) -> list[Path]:
    names = [name for name in category_codes.SETS if table.where(data=CODES + name)]
    figure, axes = empty_figure(2, width=5.6, height=4.2)
    codes = [code for code in category_codes.CODES if code != "left out"]
    for color, name in zip(_COLORS, names, strict=False):
        here = table.where(data=CODES + name)
        measured = [code for code in codes if here.where(method=code)]
        places = [codes.index(code) for code in measured]
        for ax, metric in zip(axes[0], ("rmse", "row_seconds"), strict=True):
            values = [here.mean(metric, method=code) for code in measured]
            least = min(values)
            title = category_codes.SETS[name].title
            ax.plot(places, [value / least for value in values], "o-", color=color, label=title)
    for ax, title in zip(axes[0], ("RMSE", "processor time"), strict=True):
        ax.set(title=f"{title} over the least of the data set", yscale="log")
        ax.set_xticks(range(len(codes)), codes, rotation=40, ha="right", fontsize=8)
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:.4g}")
        ax.yaxis.set_minor_formatter(lambda value, _: f"{value:.3g}")
        ax.tick_params(axis="y", which="minor", labelsize=7)
        ax.grid(color="0.93", which="both")
    legend_below(figure, axes[0][0], columns=3)
    return [save(figure, settings, "tables")]
