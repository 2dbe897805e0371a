"""Measurements in long format, and queries on them."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

__all__ = ["COLUMNS", "DONE", "KEY", "Estimate", "Row", "Table", "finished", "read_rows"]

KEY = ("data", "method", "kernel", "setting", "replicate")
COLUMNS = (*KEY, "n", "metric", "value")
# The last row of every job, its wall time. A job without it was cut off, and is measured again.
DONE = "job_seconds"

# Student's t, 97.5 %, for 1, 2, ... degrees of freedom; the normal's beyond.
_T: tuple[float, ...] = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160),
    *(2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056),
)


class Row(NamedTuple):
    """One measurement. `setting` is observations per local model, or w_gen; `n` the stream's."""

    data: str
    method: str
    kernel: str
    setting: float
    replicate: int
    n: int
    metric: str
    value: float

    @property
    def key(self) -> tuple[str, ...]:
        return self.data, self.method, self.kernel, f"{self.setting:.6g}", str(self.replicate)


@dataclass(frozen=True)
class Estimate:
    """A mean over replicates, half of its 95 % confidence interval, and their spread."""

    mean: float
    half: float
    std: float
    replicates: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Estimate:
        array = np.array(list(values), dtype=np.float64)
        if len(array) == 0:
            raise LookupError("no measurement")
        if len(array) == 1:
            return cls(float(array[0]), math.nan, math.nan, 1)
        std = float(array.std(ddof=1))
        if len(array) == 2:  # an interval from one degree of freedom says nothing
            return cls(float(array.mean()), math.nan, std, 2)
        t = _T[len(array) - 2] if len(array) - 2 < len(_T) else 1.96
        return cls(float(array.mean()), t * std / math.sqrt(len(array)), std, len(array))


class Table:
    """Rows that can be picked by any of their columns."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = list(rows)

    def where(self, **columns: object) -> Table:
        """Those rows whose columns have these values."""
        wanted = columns.items()
        return Table(r for r in self.rows if all(getattr(r, c) == v for c, v in wanted))

    def values(self, column: str) -> list[object]:
        """The distinct values of a column, in order of appearance."""
        return list(dict.fromkeys(getattr(row, column) for row in self.rows))

    def numbers(self, column: str) -> list[float]:
        """The distinct values of a column of numbers, ascending."""
        return sorted({float(getattr(row, column)) for row in self.rows})

    def estimate(self, metric: str, **columns: object) -> Estimate:
        """The mean over replicates; a LookupError names what was not measured."""
        chosen = self.where(metric=metric, **columns)
        by_replicate: dict[int, list[float]] = {}
        for row in chosen.rows:
            by_replicate.setdefault(row.replicate, []).append(row.value)
        if any(len(values) > 1 for values in by_replicate.values()):
            raise LookupError(f"{metric} of {columns} is more than one measurement a replicate")
        try:
            return Estimate.of(values[0] for values in by_replicate.values())
        except LookupError:
            raise LookupError(f"no measurement of {metric} for {columns}") from None

    def mean(self, metric: str, **columns: object) -> float:
        """The mean over replicates alone."""
        return self.estimate(metric, **columns).mean

    def curve(
        self, x: str, metric: str, **columns: object
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """x, mean and half-width along a column; empty when there is no measurement."""
        chosen = self.where(metric=metric, **columns)
        places = chosen.numbers(x)
        found = [chosen.estimate(metric, **{x: place}) for place in places]
        return (
            np.array(places),
            np.array([one.mean for one in found]),
            np.array([one.half for one in found]),
        )

    def __bool__(self) -> bool:
        return bool(self.rows)


def read_rows(path: Path) -> list[Row]:
    """The rows of a CSV file; a last line that was cut off is left out."""
    text = path.read_text()
    lines = text[: text.rfind("\n") + 1].splitlines()
    reader = csv.DictReader(lines)
    if lines and tuple(reader.fieldnames or ()) != COLUMNS:
        raise ValueError(f"{path}: columns are {reader.fieldnames}, not {', '.join(COLUMNS)}")
    rows = []
    for number, line in enumerate(reader, start=2):
        try:
            rows.append(
                Row(
                    line["data"],
                    line["method"],
                    line["kernel"],
                    float(line["setting"]),
                    int(line["replicate"]),
                    int(line["n"]),
                    line["metric"],
                    float(line["value"]),
                )
            )
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}, line {number}: {error}") from error
    return rows


def finished(
    rows: Iterable[Row], wanted: set[tuple[str, ...]], needed: set[tuple[str, ...]] | None = None
) -> Table | None:
    """The measurements of these jobs; None unless all of them, or all needed ones, are done."""
    rows = list(rows)
    done = {row.key for row in rows if row.metric == DONE}
    if not (wanted if needed is None else needed) <= done:
        return None
    usable = wanted & done
    return Table(row for row in rows if row.key in usable and row.metric != DONE)
