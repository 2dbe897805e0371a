"""What borrowing, calibration and the trend were to reach, and whether they do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from experiments.beyond import measuring as beyond
from experiments.shared.layout import number
from experiments.shared.table import Table
from experiments.stages.measuring import AFTER_CHANGE, BEFORE, LAST, SETS, WARM_UP, error_ratio
from experiments.stages.regimes import CHANGES

__all__ = ["PROMISES", "Finding", "Promise"]

# The streams that were named when it was promised.
NAMED_STREAMS = ("beijing_pm25", "gas_turbine", "metro_traffic", "pjme_hourly")


@dataclass(frozen=True)
class Finding:
    """A figure beside the bounds it must keep."""

    what: str
    value: float
    lowest: float = -math.inf
    highest: float = math.inf
    percent: bool = False

    @property
    def short(self) -> float:
        """By how much the bound is missed; 0 if it is kept."""
        return max(0.0, self.lowest - self.value, self.value - self.highest)

    @property
    def figure(self) -> str:
        return self._text(self.value)

    @property
    def bound(self) -> str:
        if math.isfinite(self.lowest) and math.isfinite(self.highest):
            return f"{self._text(self.lowest)} to {self._text(self.highest)}"
        if math.isfinite(self.lowest):
            return f"at least {self._text(self.lowest)}"
        return f"at most {self._text(self.highest)}"

    @property
    def verdict(self) -> str:
        """In words.

        >>> Finding("RMSE", 0.12, highest=0.1).verdict, Finding("RMSE", 0.1, highest=0.1).verdict
        ('**short by 0.02**', 'reached')
        """
        if not math.isfinite(self.value):
            return "**not a number**"
        return f"**short by {self._text(self.short)}**" if self.short > 0 else "reached"

    def _text(self, value: float) -> str:
        return f"{100 * value:.1f} %" if self.percent else number(value)


Check = Callable[[Table], Iterator[Finding]]


@dataclass(frozen=True)
class Promise:
    """A sentence, and the figures that decide it; none if their data sets were not measured."""

    text: str
    check: Check

    def findings(self, table: Table) -> list[Finding]:
        return list(self.check(table))


PROMISES: list[Promise] = []


def _promise(text: str) -> Callable[[Check], None]:
    return lambda check: PROMISES.append(Promise(text, check))


def _has(table: Table, name: str) -> bool:
    return bool(table.where(data=name))


def _last(table: Table, name: str, metric: str) -> float:
    return table.mean(metric, data=name, method=LAST)


def _time_ratio(table: Table, name: str) -> float:
    now, then = (table.mean("predict_seconds", data=name, method=stage) for stage in (LAST, BEFORE))
    return now / then


@_promise("kin40k with capacity 500")
def _kin40k_500(table: Table) -> Iterator[Finding]:
    name = "kin40k_500"
    if _has(table, name):
        yield Finding("RMSE", _last(table, name, "rmse"), highest=0.137)
        yield Finding("NLPD", _last(table, name, "nlpd"), highest=-0.68)
        coverage = _last(table, name, "cover_95")
        yield Finding("95 % coverage", coverage, 0.935, 0.965, percent=True)
        ratio = _time_ratio(table, name)
        yield Finding("a prediction's time over that of before, m = 500", ratio, highest=0.4)


@_promise("kin40k with the default options")
def _kin40k(table: Table) -> Iterator[Finding]:
    if _has(table, "kin40k"):
        yield Finding("RMSE", _last(table, "kin40k", "rmse"), highest=0.165)
        ratio = _time_ratio(table, "kin40k")
        yield Finding("a prediction's time over that of before", ratio, highest=0.5)


@_promise("No set worse than before by more than 1 % in RMSE")
def _rmse_not_worse(table: Table) -> Iterator[Finding]:
    for name in _real_sets(table):
        change = error_ratio(table, name, LAST) - 1
        yield Finding(f"{SETS[name].title}: change of RMSE", change, highest=0.01, percent=True)


@_promise("No set worse than before by more than 0.01 nats in NLPD")
def _nlpd_not_worse(table: Table) -> Iterator[Finding]:
    for name in _real_sets(table):
        change = _last(table, name, "nlpd") - table.mean("nlpd", data=name, method=BEFORE)
        yield Finding(f"{SETS[name].title}: change of NLPD", change, highest=0.01)


def _real_sets(table: Table) -> list[str]:
    return [name for name in SETS if name not in CHANGES and _has(table, name)]


@_promise("Errors on three more sets")
def _errors(table: Table) -> Iterator[Finding]:
    for name, metric, bound in (
        ("pjme_5000", "rmse", 400.0),
        ("powergen", "rmse", 2.85),
        (beyond.ARM[1], "nmse", 0.30),
    ):
        if _has(table, name):
            word = "RMSE" if metric == "rmse" else "nMSE"
            yield Finding(f"{SETS[name].title}: {word}", _last(table, name, metric), highest=bound)


@_promise("Intervals on four streams")
def _intervals(table: Table) -> Iterator[Finding]:
    for name in NAMED_STREAMS:
        if not _has(table, name):
            continue
        title = SETS[name].title
        for level, low, high in ((95, 0.935, 0.965), (50, 0.46, 0.54)):
            value = _last(table, name, f"cover_{level}")
            yield Finding(f"{title}: {level} % coverage", value, low, high, percent=True)
        for metric, words in (
            ("worst_stretch", f"laid end to end from row {WARM_UP} on"),
            ("worst_anywhere", "beginning at any row"),
        ):
            found = table.where(data=name, method=LAST, metric=metric)
            worst = min(row.value for row in found.rows)
            text = f"{title}: 95 % coverage, the worst 500 rows {words}, any seed"
            yield Finding(text, worst, lowest=0.9, percent=True)


@_promise("95 % intervals after a change of regime")
def _regimes(table: Table) -> Iterator[Finding]:
    early, late = AFTER_CHANGE
    for name in CHANGES:
        if _has(table, name):
            for metric, rows, bound in (("cover_early", early, 0.8), ("cover_late", late, 0.9)):
                value = _last(table, name, metric)
                what = f"{SETS[name].title}: after {rows} rows"
                yield Finding(what, value, lowest=bound, percent=True)
