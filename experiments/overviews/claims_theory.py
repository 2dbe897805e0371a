"""The paper's claims about the method itself: §3, §4 and the appendix."""

from __future__ import annotations

import numpy as np

from experiments.kin40k.measuring import OJA
from experiments.overviews.verdicts import (
    FAILS,
    HOLDS,
    Claim,
    Finding,
    collector,
    only_for,
    verdict,
)
from experiments.shared.layout import number
from experiments.shared.methods import DEFAULT, FULL, LOCAL, LOG, PAPER, RBCM
from experiments.shared.table import Table
from experiments.theory import measuring as theory

__all__ = ["CLAIMS", "growth", "linear_residual", "memory_curve"]

CLAIMS: list[Claim] = []
claim = collector(CLAIMS)


def growth(x: np.ndarray, y: np.ndarray) -> float:
    """The power of x that y grows with, by least squares in logs.

    >>> import numpy as np
    >>> round(growth(np.array([1.0, 2, 4]), np.array([3.0, 12, 48])), 6)
    2.0
    """
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def linear_residual(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Slope of the straight line through (x, y), and the rms residual over the mean of y."""
    slope, intercept = np.polyfit(x, y, 1)
    residual = y - (slope * x + intercept)
    return float(slope), float(np.sqrt(np.mean(residual**2)) / y.mean())


def memory_curve(
    table: Table, method: str, metric: str = "memory_bytes"
) -> tuple[np.ndarray, np.ndarray]:
    """Bytes along the stream, from its first sixth on: the first rows say little about growth."""
    x, mean, _ = table.curve("n", metric, data="memory", method=method)
    late = x >= x[-1] / 6
    return x[late], mean[late]


@claim(
    "§3.2",
    "The hyperplane across the first principal direction minimises the within-cluster variance "
    "among all linear bisections",
    "theory",
)
def _(table: Table) -> Finding:
    pddp = table.where(data="PDDP")
    mean, largest = pddp.mean("excess_mean"), pddp.mean("excess_largest")
    figure = (
        f"{100 * mean:.2g} % above the best straight cut on average, {100 * largest:.2g} % at most"
    )
    if largest < 1e-9:
        return HOLDS, figure
    return ("holds nearly" if largest < 0.05 else FAILS), figure


@claim("§3.2", "The principal direction can be approximated by Oja's rule", "kin40k")
def _(table: Table) -> Finding:
    oja = table.where(method=OJA)
    setting = oja.numbers("setting")[0]
    a, b = oja.mean("rmse"), table.mean("rmse", method=DEFAULT, setting=setting)
    return verdict(
        a < 1.05 * b
    ), f"RMSE {number(a)} with Oja's rule, {number(b)} exact (bound: 5 % more)"


@claim("Proposition 1", "The first split preserves the predictive distribution", "theory")
def _(table: Table) -> Finding:
    one = table.where(data="proposition 1")
    found = {
        name: max(one.mean("mean_difference", method=m), one.mean("std_difference", method=m))
        for name, m in (("`inherit` (our default)", DEFAULT), ("the paper's pseudo-code", PAPER))
    }
    figure = "; ".join(f"{name}: {number(value)}" for name, value in found.items())
    return only_for({n: v < 1e-9 for n, v in found.items()}), f"largest difference: {figure}"


@claim("§4.1", "In general this does not hold for any split after the first", "theory")
def _(table: Table) -> Finding:
    one = table.where(data="proposition 1")
    ratio = {
        m: one.mean("later_split_moves", method=m) / one.mean("no_split_moves", method=m)
        for m in (DEFAULT, PAPER)
    }
    figure = ", ".join(f"{number(value)} ({m})" for m, value in ratio.items())
    return (
        only_for({m: value > 1.5 for m, value in ratio.items()}),
        "an update with a later split moves the mean this many times as much as one without: "
        f"{figure}",
    )


def step_ratio(table: Table, rule: str) -> float:
    """The largest step on the finest line over that on the coarsest, times how much finer it is.

    About 1 where the mean is continuous; as much as the line is finer where it jumps.
    """
    x, mean, _ = table.curve("n", "largest_step", data="proposition 2", method=rule)
    return float(mean[-1] / mean[0] * (x[-1] - 1) / (x[0] - 1))


def jumps(table: Table, rule: str) -> bool:
    return step_ratio(table, rule) > 3


@claim("Proposition 2", "The mean is continuous when the kernel is", "theory")
def _(table: Table) -> Finding:
    rules = (DEFAULT, PAPER)
    figure = ", ".join(f"{rule} {number(step_ratio(table, rule))}" for rule in rules)
    return (
        only_for({rule: not jumps(table, rule) for rule in rules}),
        f"steepest slope on the finest line over that on the coarsest: {figure} (jump: above 3)",
    )


@claim(
    "§4.1, Fig. 1 (b)",
    "Asking only the C₀ < C most similar local GPs makes the mean jump",
    "theory",
)
def _(table: Table) -> Finding:
    rules = (theory.NEAREST, theory.C0)
    figure = ", ".join(f"{rule} {number(step_ratio(table, rule))}" for rule in rules)
    note = f"; but not with a taper (our default): {number(step_ratio(table, DEFAULT))}"
    return only_for({rule: jumps(table, rule) for rule in rules}), f"the same ratio: {figure}{note}"


@claim("§2", "The local GP model suffers from discontinuities in its mean", "theory")
def _(table: Table) -> Finding:
    return verdict(jumps(table, LOCAL)), f"the same ratio: {number(step_ratio(table, LOCAL))}"


@claim("Abstract, §4.2", "The complexity of an update is bounded above by O(m³)", "theory")
def _(table: Table) -> Finding:
    x, mean, _ = table.curve("setting", "update_seconds", data="update against m")
    power = growth(x, mean)
    return (
        verdict(power < 3),
        f"time grows as m^{power:.2f} from m = {x[0]:.0f} to {x[-1]:.0f}, θ given: better than "
        "claimed",
    )


@claim(
    "Abstract", "The time of an update is bounded by a pre-specified parameter (not by n)", "theory"
)
def _(table: Table) -> Finding:
    x, mean, _ = table.curve("n", "update_seconds", data="update along n")
    ratio = mean[-1] / mean[1]
    return (
        verdict(ratio < 1.5),
        f"at {x[-1]:,.0f} observations {ratio:.2f} times the time at {x[1]:,.0f} (bound: 1.5)",
    )


@claim("§4.2", "The contribution of splitting to the time is negligible", "theory")
def _(table: Table) -> Finding:
    share = table.where(data="update along n").mean("split_share")
    return verdict(
        share < 0.1
    ), f"updates that split take {100 * share:.1f} % of the time (bound: 10 %)"


@claim("§4.2", "⌊n/m⌋ child GPs have been created after n observations", "theory")
def _(table: Table) -> Finding:
    along = table.where(data="update along n")
    x = along.numbers("n")[-1]
    expected = x // theory.SPLIT_LIMIT
    found = along.mean("n_local")
    return (
        verdict(abs(found / expected - 1) < 0.05),
        f"{found:.0f} local GPs, ⌊n/m⌋ = {expected:.0f}: a split leaves two that are half full",
    )


@claim("§4.2", "Each child has at most m observations, on average fewer", "theory")
def _(table: Table) -> Finding:
    along = table.where(data="update along n")
    mean, most = along.mean("mean_owned"), along.mean("largest_owned")
    m = theory.SPLIT_LIMIT
    return verdict(most <= m and mean < m), f"m = {m}: mean {mean:.0f}, largest {most:.0f}"


@claim("Abstract, §4.2", "Memory is linear in n", "theory")
def _(table: Table) -> Finding:
    found = {m: linear_residual(*memory_curve(table, m)) for m in (DEFAULT, PAPER)}
    powers = {m: growth(*memory_curve(table, m)) for m in found}
    figure = "; ".join(
        f"{m}: {slope:,.0f} bytes per observation, residual {100 * residual:.1f} %, "
        f"n^{powers[m]:.2f}"
        for m, (slope, residual) in found.items()
    )
    return only_for({m: residual < 0.05 for m, (_, residual) in found.items()}), figure


@claim("§1, §4.2", "The full GP's memory is O(n²)", "theory")
def _(table: Table) -> Finding:
    power = growth(*memory_curve(table, FULL))
    return verdict(1.8 < power < 2.2), f"n^{power:.2f}"


@claim("§4.2", "The rBCM's memory is O(n²/E)", "theory")
def _(table: Table) -> Finding:
    power = growth(*memory_curve(table, RBCM))
    ratio = memory_curve(table, FULL)[1][-1] / memory_curve(table, RBCM)[1][-1]
    return (
        verdict(power > 1.6 and ratio > theory.EXPERTS / 2),
        f"n^{power:.2f}; the full GP needs {ratio:.1f} times as much, E = {theory.EXPERTS}",
    )


@claim("§4.2", "The local GP's memory is O(n²) in a bounded input space", "theory")
def _(table: Table) -> Finding:
    power = growth(*memory_curve(table, LOCAL))
    return verdict(power > 1.6), f"n^{power:.2f}"


@claim("Abstract, §4.2", "The only local GP model with linear memory", "theory")
def _(table: Table) -> Finding:
    power = growth(*memory_curve(table, LOG))
    found = "no longer holds" if power < 1.3 else HOLDS
    return found, f"LoG-GP, published later: n^{power:.2f}"


@claim("Abstract", "Superior time complexity of an update to existing methods", "theory")
def _(table: Table) -> Finding:
    power = {
        method: growth(*memory_curve(table, method, "update_seconds"))
        for method in (DEFAULT, RBCM, LOCAL, FULL, LOG)
    }
    ours = power.pop(DEFAULT)
    figure = ", ".join(f"{method} n^{value:.2f}" for method, value in power.items())
    return (
        only_for({method: ours < value - 0.5 for method, value in power.items()}, "against"),
        f"time of an update, θ given: ours n^{ours:.2f}; {figure} (LoG-GP was published later)",
    )


@claim("Abstract", "Superior space complexity to existing methods", "theory")
def _(table: Table) -> Finding:
    power = {
        method: growth(*memory_curve(table, method)) for method in (DEFAULT, RBCM, LOCAL, FULL, LOG)
    }
    ours = power.pop(DEFAULT)
    figure = ", ".join(f"{method} n^{value:.2f}" for method, value in power.items())
    return (
        only_for({method: ours < value - 0.5 for method, value in power.items()}, "against"),
        f"ours n^{ours:.2f}; {figure}",
    )


@claim(
    "§4.2",
    "Row-by-row updates of a factor cause numerical issues if length scales are small",
    "theory",
)
def _(table: Table) -> Finding:
    factors = table.where(data="factors")
    found = {
        scale: factors.mean("mean_difference", setting=scale)
        for scale in factors.numbers("setting")
    }
    largest = max(found.values())
    return (
        verdict(largest > 1e-6),
        f"predictions with a factor grown row by row and one computed at once differ by "
        f"{number(largest)} at most, for length scales {number(min(found))} to "
        f"{number(max(found))}",
    )


@claim("Appendix", "With w_gen = 0 the local GP reduces to the full GP", "theory")
def _(table: Table) -> Finding:
    rows = table.where(data="small w_gen")
    smallest = rows.numbers("setting")[0]
    local = rows.mean("n_local", setting=smallest)
    difference = rows.mean("mean_difference", setting=smallest)
    return (
        verdict(local == 1 and difference < 1e-9),
        f"w_gen {smallest:.0e}: {local:.0f} local GP, largest difference {number(difference)}",
    )


@claim("Appendix", "Below w_gen = 1e-8 the local GP becomes numerically unstable", "theory")
def _(table: Table) -> Finding:
    rows = table.where(data="small w_gen")
    bad = {w: rows.mean("not_finite", setting=w) for w in rows.numbers("setting") if w < 1e-8}
    figure = ", ".join(f"{w:.0e}: {value:.0f}" for w, value in sorted(bad.items(), reverse=True))
    return verdict(any(bad.values())), f"predictions out of 500 that are not finite: {figure}"
