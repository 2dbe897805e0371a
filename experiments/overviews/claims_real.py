"""The paper's claims about the real data: §5.2, kin40k, and §5.3, powergen."""

from __future__ import annotations

import numpy as np

from experiments.overviews.verdicts import Claim, Finding, collector, only_for, verdict
from experiments.shared.layout import number
from experiments.shared.methods import DEFAULT, FULL, LOCAL, LOG, PAPER, RBCM
from experiments.shared.table import Table

__all__ = ["CLAIMS"]

CLAIMS: list[Claim] = []
claim = collector(CLAIMS)


def ratios(table: Table, metric: str, a: str, b: str) -> dict[float, float]:
    """A over b at equal observations per model, kernel rbf."""
    even = table.where(kernel="rbf")
    return {
        setting: even.mean(metric, method=a, setting=setting)
        / even.mean(metric, method=b, setting=setting)
        for setting in even.where(method=a).numbers("setting")
    }


def between(values: dict[float, float]) -> str:
    return f"{min(values.values()):.2f} to {max(values.values()):.2f}"


@claim("§5.2, Fig. 5 (a)", "RMSE comparable with the rBCM's on kin40k", "kin40k")
def _(table: Table) -> Finding:
    found = {m: ratios(table, "rmse", m, RBCM) for m in (DEFAULT, PAPER)}
    figure = "; ".join(f"{m} {between(values)}" for m, values in found.items())
    return (
        only_for({m: max(values.values()) < 1.25 for m, values in found.items()}),
        f"times the rBCM's at equal observations per model: {figure} (bound: 1.25)",
    )


@claim("§5.2", "The local GP struggles to achieve the same RMSE", "kin40k")
def _(table: Table) -> Finding:
    local = table.where(method=LOCAL)
    found = {w: local.mean("rmse", setting=w) for w in local.numbers("setting")[::-1]}
    settings = table.where(method=DEFAULT).numbers("setting")
    middle = settings[len(settings) // 2 - 1]
    ours = table.mean("rmse", method=DEFAULT, setting=middle)
    figure = ", ".join(f"{w:.0e}→{number(value)}" for w, value in found.items())
    good = [f"w_gen {w:.0e}" for w, value in found.items() if value <= ours]
    return (
        verdict(not good) if not good else f"does not hold for {', '.join(good)}",
        f"{figure}; ours with {middle:.0f} observations per local GP {number(ours)}",
    )


@claim("Appendix", "The local GP's error decreases monotonically with w_gen", "kin40k")
def _(table: Table) -> Finding:
    local = table.where(method=LOCAL)
    found = [local.mean("rmse", setting=w) for w in local.numbers("setting")[::-1]]
    return verdict(bool((np.diff(found) <= 0).all())), " ≥ ".join(number(value) for value in found)


@claim("§1", "The price of local models is accuracy where a full GP is well suited", "kin40k")
def _(table: Table) -> Finding:
    full = table.mean("rmse", method=FULL)
    best = {m: table.where(method=m) for m in (DEFAULT, RBCM, LOG)}
    middle = best[DEFAULT].numbers("setting")[len(best[DEFAULT].numbers("setting")) // 2 - 1]
    found = {m: rows.mean("rmse", setting=middle) for m, rows in best.items()}
    figure = ", ".join(f"{m} {number(value)}" for m, value in found.items())
    return (
        verdict(all(value > full for value in found.values())),
        f"full GP {number(full)}; with {middle:.0f} observations per model: {figure}",
    )


@claim(
    "§5.3, Fig. 5 (b)",
    "RMSE decreases with the observations per local model, from 625 to 30",
    "powergen",
)
def _(table: Table) -> Finding:
    even = table.where(kernel="rbf")
    found = {}
    for method in (DEFAULT, PAPER):
        rows = even.where(method=method)
        settings = rows.numbers("setting")
        found[method] = [rows.mean("rmse", setting=s) for s in settings[::-1]]
    figure = "; ".join(f"{m} {' → '.join(map(number, values))}" for m, values in found.items())
    figure += " (the last against the first)"
    return only_for({m: values[-1] < values[0] for m, values in found.items()}), figure


@claim("§5.3", "… achieving a performance comparable with the rBCM's", "powergen")
def _(table: Table) -> Finding:
    found = {m: ratios(table, "rmse", m, RBCM) for m in (DEFAULT, PAPER)}
    figure = "; ".join(f"{m} {between(values)}" for m, values in found.items())
    return (
        only_for({m: max(values.values()) < 1.1 for m, values in found.items()}),
        f"times the rBCM's at equal observations per model: {figure} (bound: 1.1)",
    )


def run_time(table: Table, method: str, setting: float) -> float:
    """Training and prediction together, as in the paper."""
    of = {"kernel": "rbf", "method": method, "setting": setting}
    return table.mean("train_seconds", **of) + table.mean("predict_seconds", **of)


def times(table: Table, method: str) -> dict[float, float]:
    settings = table.where(method=RBCM).numbers("setting")
    return {s: run_time(table, RBCM, s) / run_time(table, method, s) for s in settings}


@claim("§5.3", "The rBCM's run time is 2.5–6 times that of the splitting GP", "powergen")
def _(table: Table) -> Finding:
    found = {m: times(table, m) for m in (DEFAULT, PAPER)}
    figure = "; ".join(f"{m} {between(values)}" for m, values in found.items())
    return (
        only_for({m: min(values.values()) >= 2.5 for m, values in found.items()}),
        f"rBCM's time, training and prediction, over ours: {figure}",
    )


@claim("§5.3", "The splitting GP is significantly faster than the rBCM", "powergen")
def _(table: Table) -> Finding:
    found = {m: times(table, m) for m in (DEFAULT, PAPER)}
    figure = "; ".join(f"{m} {between(values)}" for m, values in found.items())
    return (
        only_for({m: min(values.values()) > 1.25 for m, values in found.items()}),
        f"the same ratio: {figure} (bound: 1.25 everywhere)",
    )


@claim("§5.3", "… with little variability of its time between replicates", "powergen")
def _(table: Table) -> Finding:
    even = table.where(kernel="rbf")
    found = {}
    for method in (DEFAULT, PAPER):
        rows = even.where(method=method)
        each = [rows.estimate("train_seconds", setting=s) for s in rows.numbers("setting")]
        found[method] = max(one.std / one.mean for one in each)
    figure = ", ".join(f"{m} {value:.2f}" for m, value in found.items())
    return (
        only_for({m: value < 0.2 for m, value in found.items()}),
        f"standard deviation over mean, at most: {figure} (bound: 0.2)",
    )


@claim("§5.3", "The rBCM's run time decreases with the observations per expert", "powergen")
def _(table: Table) -> Finding:
    settings = table.where(method=RBCM).numbers("setting")[::-1]
    found = [run_time(table, RBCM, s) for s in settings]
    figure = " → ".join(f"{value:.2f}" for value in found)
    text = ", ".join(f"{s:.0f}" for s in settings)
    return verdict(bool((np.diff(found) < 0).all())), f"{figure} s for {text} observations"


@claim("Fig. 5 (b)", "With 30 observations per expert the rBCM has numerical errors", "powergen")
def _(table: Table) -> Finding:
    setting = table.where(method=RBCM).numbers("setting")[0]
    found = table.where(method=RBCM, setting=setting).estimate("rmse")
    return (
        verdict(not np.isfinite(found.mean)),
        f"RMSE {number(found.mean)} with {setting:.0f}, {found.replicates} replicates, all finite",
    )
