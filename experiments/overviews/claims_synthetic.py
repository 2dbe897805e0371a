"""The paper's claims about the synthetic data: §5.1."""

from __future__ import annotations

import numpy as np

from experiments.overviews.verdicts import Claim, Finding, collector, only_for, verdict
from experiments.shared.layout import number
from experiments.shared.methods import DEFAULT, FULL, LOCAL, PAPER, RBCM
from experiments.shared.table import Table

__all__ = ["CLAIMS", "at_the_end", "synthetic_series"]

CLAIMS: list[Claim] = []
claim = collector(CLAIMS)


def synthetic_series(table: Table) -> tuple[Table, dict[str, float], int]:
    """The paper's variant, the setting of each method in the paper's figure, and the last n."""
    one = table.where(data="paper")
    settings = {str(m): min(one.where(method=m).numbers("setting")) for m in one.values("method")}
    return one, settings, int(one.numbers("n")[-1])


def at_the_end(table: Table, metric: str, method: str) -> float:
    one, settings, last = synthetic_series(table)
    return one.mean(metric, method=method, setting=settings[method], n=last)


def converged(table: Table, method: str) -> float:
    """The n from which on the MSE is at most twice the full GP's final one; infinity if never."""
    one, settings, _ = synthetic_series(table)
    bound = 2 * at_the_end(table, "mse", FULL)
    x, mean, _ = one.curve("n", "mse", method=method, setting=settings[method])
    above = np.flatnonzero(mean > bound)
    if len(above) == 0:
        return float(x[0])
    return float(x[above[-1] + 1]) if above[-1] + 1 < len(x) else float("inf")


def never(n: float) -> str:
    return "never" if np.isinf(n) else f"n = {n:,.0f}"


def spread(table: Table, method: str) -> float:
    """Standard deviation of the MSE between replicates over its mean, averaged over n."""
    one, settings, _ = synthetic_series(table)
    ratios = []
    for n in one.numbers("n"):
        found = one.estimate("mse", method=method, setting=settings[method], n=int(n))
        ratios.append(found.std / found.mean)
    return float(np.mean(ratios))


@claim("§5.1", "Splitting GP and full GP require relatively few observations", "synthetic")
def _(table: Table) -> Finding:
    found = {m: converged(table, m) for m in (DEFAULT, PAPER, FULL)}
    last = synthetic_series(table)[2]
    figure = ", ".join(f"{m} {never(n)}" for m, n in found.items())
    return (
        only_for({m: n <= last / 4 for m, n in found.items()}),
        f"MSE at most twice the full GP's final MSE, from: {figure} "
        "(bound: a quarter of the stream)",
    )


@claim("§5.1", "The rBCM is much slower to converge", "synthetic")
def _(table: Table) -> Finding:
    a, b = converged(table, RBCM), converged(table, DEFAULT)
    return verdict(a >= 2 * b), f"the same point: rBCM {never(a)}, ours {never(b)}"


@claim("§5.1", "The rBCM exhibits high variability of its MSE across replicates", "synthetic")
def _(table: Table) -> Finding:
    a, b = spread(table, RBCM), spread(table, FULL)
    return (
        verdict(a > 2 * b),
        f"standard deviation over mean, averaged over n: rBCM {a:.2f}, full GP {b:.2f} (bound: "
        "twice)",
    )


@claim("§5.1", "The splitting GP exhibits remarkably low variability", "synthetic")
def _(table: Table) -> Finding:
    b = spread(table, FULL)
    found = {m: spread(table, m) for m in (DEFAULT, PAPER)}
    figure = ", ".join(f"{m} {value:.2f}" for m, value in found.items())
    return only_for({m: v < 1.25 * b for m, v in found.items()}), f"{figure}, full GP {b:.2f}"


@claim("§5.1, Fig. 4", "The splitting GP's MSE slowly increases as it splits", "synthetic")
def _(table: Table) -> Finding:
    one, settings, _ = synthetic_series(table)
    found = {}
    for method in (PAPER, DEFAULT):
        x, mean, _ = one.curve("n", "mse", method=method, setting=settings[method])
        found[method] = mean[-1] / mean[x <= settings[method] / 0.8 + 1].min()
    figure = ", ".join(f"{m} {value:.2f}" for m, value in found.items())
    return (
        only_for({m: value > 1.02 for m, value in found.items()}),
        f"final MSE over the lowest before the first split: {figure}",
    )


@claim("§5.1", "Its memory is significantly lower than the full GP's", "synthetic")
def _(table: Table) -> Finding:
    full = at_the_end(table, "memory_bytes", FULL)
    found = {m: at_the_end(table, "memory_bytes", m) / full for m in (DEFAULT, PAPER)}
    figure = ", ".join(f"{m} {value:.2f}" for m, value in found.items())
    return only_for({m: v < 0.67 for m, v in found.items()}), f"share of the full GP's: {figure}"


@claim(
    "§5.1",
    "Its memory is marginally higher than the rBCM's, which begins to surpass it at ~2,500",
    "synthetic",
)
def _(table: Table) -> Finding:
    rbcm = at_the_end(table, "memory_bytes", RBCM)
    found = {m: at_the_end(table, "memory_bytes", m) / rbcm for m in (DEFAULT, PAPER)}
    figure = ", ".join(f"{m} {value:.2f}" for m, value in found.items())
    return (
        only_for({m: 0.8 < v < 1.25 for m, v in found.items()}),
        f"times the rBCM's at the end: {figure} (the model alone; the paper's is the whole "
        "process)",
    )


@claim("§5.1", "Training times of rBCM and local GP are comparable", "synthetic")
def _(table: Table) -> Finding:
    ratio = at_the_end(table, "train_seconds", LOCAL) / at_the_end(table, "train_seconds", RBCM)
    return verdict(0.5 < ratio < 2), f"local GP {ratio:.2f} times the rBCM (bound: 2 either way)"


@claim("§5.1", "The splitting GP takes slightly longer than they do", "synthetic")
def _(table: Table) -> Finding:
    rbcm = at_the_end(table, "train_seconds", RBCM)
    found = {m: at_the_end(table, "train_seconds", m) / rbcm for m in (DEFAULT, PAPER)}
    figure = ", ".join(f"{m} {value:.2f}" for m, value in found.items())
    return only_for({m: 1 <= v < 2 for m, v in found.items()}), f"times the rBCM: {figure} (1 to 2)"


@claim("§5.1", "The full GP takes significantly longer to train", "synthetic")
def _(table: Table) -> Finding:
    full = at_the_end(table, "train_seconds", FULL)
    found = {m: full / at_the_end(table, "train_seconds", m) for m in (DEFAULT, PAPER, RBCM)}
    figure = ", ".join(f"{value:.1f} times {m}" for m, value in found.items())
    return only_for({m: v > 2 for m, v in found.items()}, "against"), figure


@claim("§5.1, appendix", "The local GP's MSE is much higher than the others'", "synthetic")
def _(table: Table) -> Finding:
    local = at_the_end(table, "mse", LOCAL)
    others = {m: at_the_end(table, "mse", m) for m in (DEFAULT, PAPER, RBCM, FULL)}
    figure = ", ".join(f"{m} {number(value)}" for m, value in others.items())
    return verdict(all(local > 2 * v for v in others.values())), f"{number(local)}; {figure}"


@claim("§1", "Local GPs adapt better to a non-stationary function than a full GP", "synthetic")
def _(table: Table) -> Finding:
    full = at_the_end(table, "mse_latent", FULL)
    found = {m: at_the_end(table, "mse_latent", m) for m in (DEFAULT, PAPER)}
    figure = ", ".join(f"{m} {np.sqrt(value):.4f}" for m, value in found.items())
    return (
        only_for({m: v < full for m, v in found.items()}),
        f"RMSE against the function itself: {figure}, full GP {np.sqrt(full):.4f}",
    )
