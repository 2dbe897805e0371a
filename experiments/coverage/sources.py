"""The rows that the page about coverage is measured on."""

from __future__ import annotations

import csv
import gzip
import io
from dataclasses import dataclass

import numpy as np

from experiments.beyond import measuring as beyond
from experiments.powergen import measuring as powergen
from experiments.shared.measure import Floats
from splitgp import datasets

__all__ = ["ARM", "HORIZONS", "STREAMS", "TEST_SETS", "Split", "horizon_rows", "split", "stream"]

# data set → which of its outputs
STREAMS = {"gas_turbine": 1, "beijing_pm25": 0, "pjme_hourly": 0, "metro_traffic": 0}
_UCI = ("airfoil", "bike", "concrete", "keggdirected", "parkinsons", "tamielectric")
TEST_SETS = ("kin40k", "powergen", *_UCI)
ARM = beyond.ARM
# stream → rows ahead
HORIZONS = {"hourly load": (24, 168), "daily temperature": (7, 30)}
_MOST = 10_000  # rows that are learned, and …
_MOST_TESTED = 3000


@dataclass(frozen=True)
class Split:
    """Rows to learn from, and rows to test with."""

    X: Floats
    y: Floats
    X_test: Floats
    y_test: Floats


def stream(name: str, rows: int) -> tuple[Floats, Floats]:
    """The first rows of a stream, in time order."""
    table = datasets.load(name, rows)
    y = table.y if table.y.ndim == 1 else np.ascontiguousarray(table.y[:, STREAMS[name]])
    return table.X, y


def split(name: str, seed: int, rows: int | None = None) -> Split:
    """The published split, or the first mask of several; training rows in random order."""
    most = _MOST if rows is None else rows
    if name in ARM:
        return Split(*beyond.arm_rows(name, rows))
    if name == "kin40k":
        train, test = datasets.load("kin40k_train"), datasets.load("kin40k_test", _MOST_TESTED)
        return Split(train.X[:most], train.y[:most], test.X, test.y)
    if name == "powergen":
        table = datasets.load("powergen_unique")
        order = powergen.replicate_rows(0)
        rest = np.setdiff1d(np.arange(len(table.X)), order)
        order = order[:most]
        return Split(table.X[order], table.y[order], table.X[rest], table.y[rest])
    values = _numbers(f"uci/{name}_data.csv.gz")
    tested = _numbers(f"uci/{name}_test_mask.csv.gz")[:, 0] > 0
    order = np.random.default_rng(seed).permutation(np.flatnonzero(~tested))[:most]
    tests = np.flatnonzero(tested)[:_MOST_TESTED]
    y = values[:, -1]
    y = (y - y[~tested].mean()) / y[~tested].std()
    X = np.ascontiguousarray(values[:, :-1])
    return Split(X[order], y[order], X[tests], y[tests])


def horizon_rows(name: str, ahead: int, rows: int) -> tuple[Floats, Floats]:
    """A stream with only what is known so many rows before."""
    if name == "hourly load":
        table = datasets.load("pjme_hourly", rows)
        known = [
            k
            for k, column in enumerate(table.input_names)
            if not column.startswith("lag") or int(column[3:]) >= ahead
        ]
        return np.ascontiguousarray(table.X[:, known]), table.y
    days = _daily_temperature()
    number = np.arange(len(days))
    turn = 2.0 * np.pi * number / 365.25
    X = np.stack([np.sin(turn), np.cos(turn), np.roll(days, ahead)], axis=1)
    return np.ascontiguousarray(X[ahead : rows + ahead]), days[ahead : rows + ahead]


def _daily_temperature() -> Floats:
    """Means of the days of four years at one station; hours without a reading are left out."""
    sums: dict[tuple[str, str, str], list[float]] = {}
    with _open("raw/beijing_aotizhongxin.csv.gz") as file:
        for row in csv.DictReader(file):
            if row["TEMP"] != "NA":
                day = row["year"], row["month"], row["day"]
                sums.setdefault(day, []).append(float(row["TEMP"]))
    return np.array([np.mean(hours) for hours in sums.values()])


def _numbers(name: str) -> Floats:
    with _open(name) as file:
        return np.loadtxt(file, delimiter=",", ndmin=2)


def _open(name: str) -> io.TextIOWrapper:
    """A file beside those that splitgp.datasets knows."""
    path = datasets.find("kin40k_train").parent / name
    return io.TextIOWrapper(gzip.open(path), encoding="utf-8")
