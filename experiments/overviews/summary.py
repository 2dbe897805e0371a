"""The requirements, and whether they are met: docs/results/summary.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from experiments.overviews.claims_synthetic import at_the_end, synthetic_series
from experiments.overviews.claims_theory import growth, linear_residual, memory_curve
from experiments.shared.layout import (
    command,
    earlier_engine,
    markdown,
    measured_with,
    not_run,
    number,
)
from experiments.shared.methods import DEFAULT, FULL, LOCAL, LOG, METHODS, PAPER, RBCM
from experiments.shared.run import Settings
from experiments.shared.table import Table

__all__ = ["REQUIREMENTS", "page"]


@dataclass(frozen=True)
class Line:
    """One comparison: with what, the two figures, and whether ours meets the requirement."""

    what: str
    ours: str
    theirs: str
    met: bool


@dataclass(frozen=True)
class Requirement:
    """What should hold, the experiment that measures it, and the comparisons."""

    text: str
    experiment: str
    check: Callable[[Table], list[Line]]


def _even(table: Table, rival: str) -> list[Line]:
    """RMSE at equal observations per model, kernel rbf."""
    rbf = table.where(kernel="rbf")
    lines = []
    for setting in rbf.where(method=DEFAULT).numbers("setting")[::-1]:
        ours = rbf.mean("rmse", method=DEFAULT, setting=setting)
        theirs = rbf.mean("rmse", method=rival, setting=setting)
        lines.append(_compare(f"{rival}, {setting:,.0f} each", ours, theirs))
    return lines


def _compare(what: str, ours: float, theirs: float, *, equal: bool = False) -> Line:
    met = ours <= theirs * (1 + 1e-9) if equal else ours < theirs
    return Line(what, number(ours), number(theirs), met)


def _local_gp(table: Table) -> list[Line]:
    """The local GP has no m: against ours with as many observations per model or fewer."""
    rows = table.where(method=LOCAL, kernel="rbf")
    ours = table.where(method=DEFAULT, kernel="rbf")
    lines = []
    for w in rows.numbers("setting")[::-1]:
        one = rows.where(setting=w)
        if one.mean("n_local") == 1:  # it has become the full GP, and is compared as such
            continue
        each = one.rows[0].n / one.mean("n_local")
        usable = [s for s in ours.numbers("setting") if s <= max(each, ours.numbers("setting")[0])]
        lines.append(
            _compare(
                f"{LOCAL}, w_gen {w:.0e} ({each:,.0f} each on average), ours with "
                f"{usable[-1]:,.0f}",
                ours.mean("rmse", setting=usable[-1]),
                one.mean("rmse"),
            )
        )
    return lines


def _real(table: Table) -> list[Line]:
    return [*_even(table, RBCM), *_even(table, LOG), *_even(table, PAPER), *_local_gp(table)]


def _synthetic_local(table: Table) -> list[Line]:
    one, settings, last = synthetic_series(table)
    m = settings[DEFAULT]
    ours = one.mean("mse", method=DEFAULT, setting=m, n=last)
    lines = [
        _compare(
            f"{method}, {m:,.0f} each", ours, one.mean("mse", method=method, setting=m, n=last)
        )
        for method in (RBCM, LOG, PAPER)
    ]
    lines.append(
        _compare(
            f"{RBCM}, E = 10", ours, one.mean("mse", method=RBCM, setting=settings[RBCM], n=last)
        )
    )
    local = one.mean("mse", method=LOCAL, setting=settings[LOCAL], n=last)
    lines.append(_compare(f"{LOCAL}, w_gen {settings[LOCAL]:.0e}", ours, local))
    return lines


def _synthetic_full(table: Table) -> list[Line]:
    return [
        _compare(
            f"{name}, n = {synthetic_series(table)[2]:,}",
            at_the_end(table, metric, DEFAULT),
            at_the_end(table, metric, FULL),
            equal=True,
        )
        for name, metric in (
            ("MSE, held-out observations", "mse"),
            ("MSE, the function itself", "mse_latent"),
        )
    ]


def _powergen_full(table: Table) -> list[Line]:
    lines = []
    for kernel in ("rbf", "auto"):
        full = table.where(method=FULL, kernel=kernel)
        if not full:
            continue
        replicates = set(full.values("replicate"))
        ours = Table(
            r for r in table.where(method=DEFAULT, kernel=kernel).rows if r.replicate in replicates
        )
        for setting in ours.numbers("setting")[::-1]:
            lines.append(
                _compare(
                    f"kernel {kernel}, ours with {setting:,.0f} each",
                    ours.mean("rmse", setting=setting),
                    full.mean("rmse"),
                    equal=True,
                )
            )
    return lines


def _memory(table: Table) -> list[Line]:
    slope, residual = linear_residual(*memory_curve(table, DEFAULT))
    ours, full = (growth(*memory_curve(table, m)) for m in (DEFAULT, FULL))
    return [
        Line(
            "RMS residual of the straight line",
            f"{100 * residual:.1f} % ({slope:,.0f} bytes per observation)",
            "bound: 5 %",
            residual < 0.05,
        ),
        Line("power of n", f"{ours:.2f}", f"{full:.2f} (full GP)", ours < 1.2 and full > 1.8),
    ]


def _synthetic_time(table: Table) -> list[Line]:
    ours = at_the_end(table, "train_seconds", DEFAULT)
    return [
        _compare(method, ours, at_the_end(table, "train_seconds", method))
        for method in METHODS
        if method != DEFAULT
    ]


def _real_time(table: Table) -> list[Line]:
    rbf = table.where(kernel="rbf")
    lines = []
    settings = rbf.where(method=DEFAULT).numbers("setting")
    for method in (PAPER, RBCM, LOG):
        for setting in settings[::-1]:
            a, b = (rbf.mean("train_seconds", method=m, setting=setting) for m in (DEFAULT, method))
            lines.append(_compare(f"{method}, {setting:,.0f} each", a, b))
    middle = settings[len(settings) // 2]
    ours = rbf.mean("train_seconds", method=DEFAULT, setting=middle)
    for method in (LOCAL, FULL):
        rows = rbf.where(method=method)
        for setting in rows.numbers("setting")[::-1]:
            name = method if method == FULL else f"{method}, w_gen {setting:.0e}"
            theirs = rows.mean("train_seconds", setting=setting)
            lines.append(_compare(f"{name}, ours with {middle:,.0f} each", ours, theirs))
    return lines


_LOCAL_TEXT = "Lower error than every local rival at equal observations per model"
_FULL_TEXT = "Error at or below the full GP's, same kernel"
_TIME_TEXT = "Training faster than all rivals but the fastest approximations (processor seconds)"

REQUIREMENTS = [
    Requirement(f"{_LOCAL_TEXT}: synthetic (MSE)", "synthetic", _synthetic_local),
    Requirement(f"{_LOCAL_TEXT}: kin40k (RMSE)", "kin40k", _real),
    Requirement(f"{_LOCAL_TEXT}: powergen (RMSE)", "powergen", _real),
    Requirement(f"{_FULL_TEXT}: synthetic", "synthetic", _synthetic_full),
    Requirement(
        f"{_FULL_TEXT}: powergen (RMSE, on the replicates the full GP ran)",
        "powergen",
        _powergen_full,
    ),
    Requirement("Memory linear in n, the full GP's quadratic", "theory", _memory),
    Requirement(f"{_TIME_TEXT}: synthetic", "synthetic", _synthetic_time),
    Requirement(f"{_TIME_TEXT}: kin40k", "kin40k", _real_time),
    Requirement(f"{_TIME_TEXT}: powergen", "powergen", _real_time),
]


def page(tables: dict[str, Table], settings: Settings) -> str:
    """summary.md: the comparisons these tables allow, and plainly where ours falls short.

    Empty if there are none.
    """
    measured = [one for one in REQUIREMENTS if one.experiment in tables]
    if not measured:
        return ""
    overview, details = [], []
    for one in measured:
        lines = one.check(tables[one.experiment])
        missed = [line.what for line in lines if not line.met]
        met = f"**not** in {len(missed)} of {len(lines)} cases" if missed else "yes"
        overview.append((one.text, met, "; ".join(missed) or "–"))
        rows = [
            (line.what, line.ours, line.theirs, "yes" if line.met else "**no**") for line in lines
        ]
        details.append(f"## {one.text}\n\n" + markdown(("against", "ours", "theirs", "met"), rows))
    quick = "**From the quick versions: they show that everything works, not how well.**\n\n"
    return (
        "# Summary\n\n"
        f"{quick if settings.quick else ''}"
        f"{earlier_engine(measured_with(measured[0].experiment, settings))}"
        f"    {command('all', settings)}\n\n"
        "Written by this command from the CSV files beside this page; do not edit. “Ours” is "
        f"“{DEFAULT}”, with kernel rbf unless stated otherwise. Differences are not tested for "
        "significance here; the pages of the experiments have confidence intervals. A local "
        "GP whose w_gen lets it keep a single model is the full GP, and is left out of the "
        "comparison at equal observations per model.\n\n"
        + not_run((one.experiment for one in REQUIREMENTS), tables)
        + markdown(("requirement", "met", "where not"), overview)
        + "\n"
        + "\n".join(details)
    )
