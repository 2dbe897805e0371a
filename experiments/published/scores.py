"""What is counted on each table, and what the whole half must show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from experiments.published.rivals import Floats

__all__ = ["CRITERIA", "WARM_UP", "Criterion", "Score", "score"]

WARM_UP = 64  # rows with a target that are answered and learned before errors count


@dataclass(frozen=True)
class Score:
    """One table: errors over the rows behind the warm-up that the build has answered."""

    name: str
    target: str
    rows: int  # that count
    unanswered: int
    rmse: Mapping[str, float]  # "splitgp" and the rivals that were measured
    worst: Mapping[str, float]  # the largest error of each
    coverage: float  # of the 95 % intervals
    width: float  # of the intervals, mean, over the standard deviation of the target
    absurd: int  # answers far outside what was seen before, where that was no help
    outside: int  # the same, whether it helped or not
    row_seconds: float  # processor time, prediction and learning

    def over(self, rival: str) -> float:
        """Our RMSE over the rival's; 1 if both are exact."""
        ours, theirs = self.rmse["splitgp"], self.rmse[rival]
        return ours / theirs if theirs > 0 else (1.0 if ours == 0 else np.inf)

    def worst_over(self, rival: str) -> float:
        ours, theirs = self.worst["splitgp"], self.worst[rival]
        return ours / theirs if theirs > 0 else (1.0 if ours == 0 else np.inf)


@dataclass(frozen=True)
class Criterion:
    """One line of the summary: tables that are counted, or a median that is taken."""

    text: str
    aim: str
    holds: Callable[[Score], bool] | None  # the tables that are losses
    value: Callable[[Score], float]  # of one table, to sort and to show
    most: float  # the share of tables that may be losses, or the median
    needs: str = "mean"  # the rival that must have been measured


def _low_coverage(one: Score) -> bool:
    return one.coverage < 0.90


CRITERIA: tuple[Criterion, ...] = (
    Criterion(
        "more than 5 % worse than the running mean",
        "≤ 1 %",
        lambda one: one.over("mean") > 1.05,
        lambda one: one.over("mean"),
        0.01,
    ),
    Criterion(
        "more than 1.5 times boosting's error",
        "≤ 1 %",
        lambda one: one.over("boosting") > 1.5,
        lambda one: one.over("boosting"),
        0.01,
        "boosting",
    ),
    Criterion(
        "more than 5 % worse than the last value",
        "≤ 3 %",
        lambda one: one.over("last") > 1.05,
        lambda one: one.over("last"),
        0.03,
        "last",
    ),
    Criterion(
        "95 % intervals hold less than 90 %",
        "≤ 5 %",
        _low_coverage,
        lambda one: one.coverage,
        0.05,
    ),
    Criterion(
        "worst error more than twice the running mean's",
        "0",
        lambda one: one.worst_over("mean") > 2,
        lambda one: one.worst_over("mean"),
        0.0,
    ),
    Criterion(
        "an answer more than half a range outside what was seen, to no avail",
        "0",
        lambda one: one.absurd > 0,
        lambda one: float(one.absurd),
        0.0,
    ),
    Criterion(
        "median of RMSE over the running mean's",
        "≤ 0.46",
        None,
        lambda one: one.over("mean"),
        0.46,
    ),
    Criterion(
        "median of RMSE over boosting's",
        "≤ 0.69",
        None,
        lambda one: one.over("boosting"),
        0.69,
        "boosting",
    ),
)


def outside_of(answers: Floats, y: Floats) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """The range seen before each row, widened by half of itself: answers beyond, and their nearest.

    Both are masks over the rows: the answer lies outside, and the range's end would have been
    nearer to what came.
    """
    known = np.isfinite(y)
    low = np.minimum.accumulate(np.where(known, y, np.inf))
    high = np.maximum.accumulate(np.where(known, y, -np.inf))
    low = np.concatenate([[np.nan], low[:-1]])
    high = np.concatenate([[np.nan], high[:-1]])
    margin = 0.5 * (high - low)
    outside = (answers < low - margin) | (answers > high + margin)
    nearest = np.clip(answers, low, high)
    worse = outside & (np.abs(answers - y) > np.abs(nearest - y))
    return outside, worse


def score(
    name: str, target: str, y: Floats, ours: Floats, theirs: Mapping[str, Floats]
) -> Score | None:
    """None if no row counts, or if the target no longer varies."""
    rows = len(y)
    answers, lower, upper = ours[:rows].T
    known = np.isfinite(y)
    wanted = known & (np.cumsum(known) > WARM_UP)
    counted = wanted & np.isfinite(answers)
    if counted.sum() < 2 or np.ptp(y[counted]) == 0:
        return None
    everyone = {"splitgp": answers, **theirs}
    errors = {who: np.abs(one[:rows] - y)[counted] for who, one in everyone.items()}
    with np.errstate(invalid="ignore", over="ignore"):
        outside, worse = outside_of(answers, y)
        rmse = {who: float(np.sqrt(np.mean(one**2))) for who, one in errors.items()}
        width = float(np.mean((upper - lower)[counted]) / np.std(y[counted]))
        held = (lower <= y) & (y <= upper)
    return Score(
        name=name,
        target=target,
        rows=int(counted.sum()),
        unanswered=int(wanted.sum() - counted.sum()),
        rmse=rmse,
        worst={who: float(one.max()) for who, one in errors.items()},
        coverage=float(held[counted].mean()),
        width=width,
        absurd=int((worse & counted).sum()),
        outside=int((outside & counted).sum()),
        row_seconds=float(ours[-1, 0]) / rows,
    )


def losses(criterion: Criterion, scores: Sequence[Score]) -> list[Score]:
    """The tables that a criterion counts, the worst first."""
    if criterion.holds is None:
        return []
    found = [one for one in scores if criterion.needs in one.rmse and criterion.holds(one)]
    return sorted(found, key=criterion.value, reverse=criterion.holds is not _low_coverage)
