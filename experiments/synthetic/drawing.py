"""The figures, arranged as in the paper; PNG for the screen, SVG for print."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.beyond import measuring as beyond
from experiments.cost import drawing as figures_cost
from experiments.drift import drawing as figures_drift
from experiments.figure1 import measuring as figure1
from experiments.shared import published
from experiments.shared.drawing import empty_figure, legend_below, save
from experiments.shared.methods import DEFAULT, FULL, LOCAL, LOG, METHODS, PAPER, RBCM
from experiments.shared.run import Settings
from experiments.shared.table import Table
from experiments.stages import drawing as figures_stages
from experiments.synthetic import measuring as synthetic
from experiments.tables import drawing as figures_tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DRAW"]

_LABELS = {
    "rmse": "RMSE",
    "mse": "mean squared error",
    "train_seconds": "training, processor seconds",
}


def _line(ax: Axes, method: str, x: Any, mean: Any, half: Any, **style: Any) -> None:
    look = METHODS[method]
    settings = {"color": look.color, "marker": look.marker, "ms": 4, "lw": 1.4, "label": method}
    ax.plot(x, mean, **{**settings, **style})
    if np.isfinite(half).all():
        low = np.maximum(mean - half, 1e-3 * mean) if (mean > 0).all() else mean - half
        ax.fill_between(x, low, mean + half, color=look.color, alpha=0.2, lw=0)


def _draw_synthetic(table: Table, settings: Settings) -> list[Path]:
    paths = [_function(settings)]
    for variant in table.values("data"):
        one = table.where(data=variant)
        paths.append(_synthetic_panels(one, settings, f"synthetic_{variant}"))
        paths.append(_synthetic_zoom(one, settings, f"synthetic_{variant}_zoom"))
    return paths


def _synthetic_panels(table: Table, settings: Settings, name: str) -> Path:
    figure, axes = empty_figure(3)
    panels = (("mse", 1.0), ("memory_bytes", 1e-3), ("train_seconds", 1.0))
    for ax, (metric, unit) in zip(axes[0], panels, strict=True):
        for method, setting in _in_the_paper(settings):
            x, mean, half = table.curve("n", metric, method=method, setting=setting)
            _line(ax, method, x, unit * mean, unit * half, ms=3)
        ax.set(xlabel="observations n, a fifth of them held out")
    axes[0][0].set(ylabel=_LABELS["mse"], yscale="log", title="(a) MSE")
    axes[0][1].set(ylabel="kB, the model alone", yscale="log", title="(b) Memory")
    axes[0][2].set(ylabel=_LABELS["train_seconds"], yscale="log", title="(c) Training time")
    legend_below(figure, axes[0][0])
    return save(figure, settings, name)


def _in_the_paper(settings: Settings) -> list[tuple[str, float]]:
    """The rBCM with E = 10 only."""
    return list(dict(reversed(synthetic.competitors(settings.quick))).items())[::-1]


def _synthetic_zoom(table: Table, settings: Settings, name: str) -> Path:
    figure, axes = empty_figure(1, width=5.2)
    ax = axes[0][0]
    first = synthetic.split_limit(settings.quick)
    highest = 0.0
    for method, setting in _in_the_paper(settings):
        if method not in (DEFAULT, PAPER, LOG, FULL):
            continue
        x, mean, half = table.curve("n", "mse", method=method, setting=setting)
        shown = x >= first
        _line(ax, method, x[shown], mean[shown], half[shown], ms=3)
        highest = max(highest, float(mean[shown].max()) if method == PAPER else 0.0)
    local, counts, _ = table.curve("n", "n_local", method=PAPER, setting=first)
    for n, count, before in zip(local[1:], counts[1:], counts[:-1], strict=True):
        if round(count) > round(before):
            ax.axvline(n, color="0.8", lw=1, zorder=0)
    ax.set(xlabel="observations n", ylabel=_LABELS["mse"], ylim=(0, 1.15 * highest))
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


def _draw_kin40k(table: Table, settings: Settings) -> list[Path]:
    figure, axes = empty_figure(1, width=6.4, height=4.4)
    ax = axes[0][0]
    for method in (DEFAULT, PAPER, RBCM, LOG):
        x, mean, half = table.curve("setting", "rmse", method=method)
        _line(ax, method, x, mean, half)
    for method in (PAPER, RBCM):
        if not settings.quick:
            points = published.KIN40K[method]
            color = METHODS[method].color
            ax.plot(*zip(*points.items(), strict=True), ":", color=color, lw=1)
    full = table.mean("rmse", method=FULL)
    ax.axhline(full, color=METHODS[FULL].color, ls="--", lw=1.2, label=FULL)
    ticks = table.where(method=DEFAULT).numbers("setting")
    ax.set(xscale="log", xlabel="observations per local model", ylabel=_LABELS["rmse"])
    ax.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks], minor=False)
    ax.minorticks_off()
    ax.set_ylim(bottom=0)
    above = ax.twiny()
    x, mean, half = table.curve("setting", "rmse", method=LOCAL)
    _line(above, LOCAL, x, mean, half)
    above.set(xscale="log", xlabel="w_gen of the local GP")
    above.invert_xaxis()
    handles = [*ax.get_legend_handles_labels()[0], *above.get_legend_handles_labels()[0]]
    ax.legend(handles=handles, fontsize=8, loc="upper right")
    return [save(figure, settings, "kin40k")]


def _draw_powergen(table: Table, settings: Settings) -> list[Path]:
    figure, axes = empty_figure(2, width=5.2, height=4.0)
    for ax, metric in zip(axes[0], ("rmse", "train_seconds"), strict=True):
        for method in (DEFAULT, PAPER, RBCM, LOG):
            x, mean, half = table.curve("setting", metric, method=method, kernel="rbf")
            _line(ax, method, x, mean, half)
        x, mean, half = table.curve("setting", metric, method=DEFAULT, kernel="auto")
        _line(ax, DEFAULT, x, mean, half, ls="--", mfc="w", label="default, kernel auto")
        for kernel, style in (("rbf", "-"), ("auto", "--")):
            rows = table.where(method=FULL, kernel=kernel)
            if rows:
                level = rows.mean(metric)
                label = f"{FULL}, {kernel}"
                ax.axhline(level, color=METHODS[FULL].color, ls=style, lw=1, label=label)
        local = table.where(method=LOCAL)
        for setting, style in zip(local.numbers("setting"), (":", "-.", "--"), strict=False):
            label = f"{LOCAL}, w_gen {setting:.0e}"
            level = local.mean(metric, setting=setting)
            ax.axhline(level, color=METHODS[LOCAL].color, ls=style, lw=1, label=label)
        ticks = table.where(method=DEFAULT).numbers("setting")
        ax.set(xscale="log", xlabel="observations per local model", ylabel=_LABELS[metric])
        ax.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks])
        ax.minorticks_off()
        ax.invert_xaxis()  # as in the paper
    axes[0][1].set(yscale="log")
    legend_below(figure, axes[0][0], columns=4)
    return [save(figure, settings, "powergen")]


def _draw_figure1(table: Table, settings: Settings) -> list[Path]:
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


def _draw_theory(table: Table, settings: Settings) -> list[Path]:
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
        _line(memory, method, x, 1e-6 * mean, half, ms=3)
    memory.set(xscale="log", yscale="log", xlabel="observations", ylabel="MB", title="memory")
    memory.legend(fontsize=7)
    return [save(figure, settings, "theory")]


def _draw_beyond(table: Table, settings: Settings) -> list[Path]:
    figure, axes = empty_figure(len(beyond.STREAMS) + 1, width=4.4)
    arm = table.where(data=beyond.ARM[1])
    names = [(str(r.method), r.kernel) for r in arm.where(metric="nmse").rows]
    names = [name for method in METHODS for name in sorted(set(names)) if name[0] == method]
    values = [arm.mean("nmse", method=method, kernel=kernel) for method, kernel in names]
    labels = [method if kernel == "rbf" else f"{method}, auto" for method, kernel in names]
    colors = [METHODS[method].color for method, _ in names]
    values.append(arm.mean("nmse", method=beyond.LINEAR))
    labels.append(beyond.LINEAR)
    colors.append("0.6")
    axes[0][0].barh(labels[::-1], values[::-1], color=colors[::-1])
    scale = "log" if max(values) > 10 * min(values) else "linear"
    axes[0][0].set(
        xscale=scale, xlabel="nMSE, mean of 7 joints", title="Barrett arm, stretches held out"
    )
    for ax, stream in zip(axes[0][1:], beyond.STREAMS, strict=True):
        one = table.where(data=stream)
        for method, kernel in names:
            x, mean, half = one.curve("n", "rmse", method=method, kernel=kernel)
            style = {} if kernel == "rbf" else {"ls": "--", "mfc": "w", "label": "default, auto"}
            _line(ax, method, x, mean, half, **style)
        ax.set(xlabel="observations so far", ylabel="RMSE, each row before it is learned")
        ax.set(title=stream, xscale="log")
    legend_below(figure, axes[0][-1], columns=len(names))
    return [save(figure, settings, "beyond")]


# experiment → what draws its figures
DRAW: dict[str, Callable[[Table, Settings], list[Path]]] = {
    "synthetic": _draw_synthetic,
    "kin40k": _draw_kin40k,
    "powergen": _draw_powergen,
    "figure1": _draw_figure1,
    "theory": _draw_theory,
    "beyond": _draw_beyond,
    "stages": figures_stages.draw,
    "cost": figures_cost.draw,
    "tables": figures_tables.draw,
    "drift": figures_drift.draw,
}
