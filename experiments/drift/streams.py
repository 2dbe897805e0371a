"""Streams whose world changes: at once or slowly, everywhere or in one region; and real ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from experiments.shared.measure import Floats
from splitgp import datasets

__all__ = ["NOISE", "REAL", "REGIONS", "STREAMS", "Stream", "World", "in_regions", "region"]

REGIONS = 5  # of equal size along the first input
NOISE = 0.1  # standard deviation, of the streams that are made here


@dataclass(frozen=True)
class World:
    """One stream with what is known about it."""

    X: Floats
    y: Floats
    changes: tuple[int, ...] = ()  # rows at which another concept begins at once
    region: int | None = None  # the only one that changes; None: all


@dataclass(frozen=True)
class Stream:
    """How a stream is made from a number of rows and a seed, and what happens in it."""

    make: Callable[[int, int], World]
    text: str


def region(X: Floats) -> np.ndarray:
    """Which region each row is in.

    >>> region(np.array([[0.1, 0.0], [0.99, 0.0]])).tolist()
    [0, 4]
    """
    found: np.ndarray = np.minimum((REGIONS * X[:, 0]).astype(int), REGIONS - 1)
    return found


def _smooth(X: Floats) -> Floats:
    values: Floats = np.sin(6 * X[:, 0]) + X[:, 1] ** 2 + 0.5 * np.cos(4 * X[:, 0] * X[:, 1])
    return values


def in_regions(rows: int, seed: int, size: float, at: int | None = None) -> World:
    """Two inputs; from row `at` (default: half) on one region is higher by `size` noise deviations.

    >>> world = in_regions(1000, 0, size=10.0)
    >>> before = in_regions(1000, 0, size=0.0)
    >>> higher = np.flatnonzero(world.y != before.y)
    >>> bool(higher.min() >= 500), set(region(world.X[higher]).tolist()) == {world.region}
    (True, True)
    """
    random = np.random.default_rng(seed)
    X = random.uniform(0, 1, (rows, 2))
    at = rows // 2 if at is None else at
    y = _smooth(X) + NOISE * random.standard_normal(rows)
    where = int(random.integers(REGIONS))
    y[at:] += size * NOISE * (region(X[at:]) == where)
    return World(X, y, (at,) if size else (), where)


def _friedman(kind: str) -> Callable[[int, int], World]:
    # How many changes each kind has; gsg changes gradually after its two.
    changes = {"lea": (0.25, 0.5, 0.75), "gra": (1 / 3, 2 / 3), "gsg": (1 / 3, 2 / 3)}[kind]

    def make(rows: int, seed: int) -> World:
        from river.datasets import synth

        at = tuple(int(rows * share) for share in changes)
        source = synth.FriedmanDrift(
            drift_type=kind, position=at, transition_window=rows // 10, seed=seed
        )
        pairs = list(source.take(rows))
        X = np.array([list(x.values()) for x, _ in pairs], dtype=np.float64)
        return World(X, np.array([y for _, y in pairs], dtype=np.float64), at)

    return make


def _hyperplane(rows: int, seed: int) -> World:
    """The slopes of five inputs turn once in the course of the stream."""
    random = np.random.default_rng(seed)
    X = random.uniform(0, 1, (rows, 5))
    angle = 2 * np.pi * np.arange(rows) / rows
    first, second = np.linalg.qr(random.standard_normal((5, 2)))[0].T
    slopes = np.cos(angle)[:, None] * first + np.sin(angle)[:, None] * second
    y = np.sum(slopes * (X - 0.5), axis=1) + 0.05 * random.standard_normal(rows)
    return World(X, y)


def _ageing(rows: int, seed: int) -> World:
    """A sensor loses a third of its gain and gains an offset."""
    random = np.random.default_rng(seed)
    X = random.uniform(0, 1, (rows, 2))
    age = np.arange(rows) / rows
    y = (1 - age / 3) * _smooth(X) + 0.5 * age + NOISE * random.standard_normal(rows)
    return World(X, y)


def _real(name: str, output: int | None = None) -> Callable[[int, int], World]:
    def make(rows: int, seed: int) -> World:
        table = datasets.load(name, rows)
        y = table.y if output is None else np.ascontiguousarray(table.y[:, output])
        return World(table.X, y)

    return make


STREAMS = {
    "friedman lea": Stream(
        _friedman("lea"), "Friedman's function, changed at once in a region that grows three times"
    ),
    "friedman gra": Stream(
        _friedman("gra"), "Friedman's function, changed at once everywhere, and back"
    ),
    "friedman gsg": Stream(
        _friedman("gsg"), "Friedman's function, changed gradually everywhere, twice"
    ),
    "hyperplane": Stream(_hyperplane, "a linear function of five inputs whose slopes turn once"),
    "ageing": Stream(_ageing, "a sensor that loses a third of its gain and gains an offset"),
    "step": Stream(
        lambda rows, seed: in_regions(rows, seed, size=10.0),
        "one region of five is higher by ten noise standard deviations from the middle on",
    ),
    "small step": Stream(lambda rows, seed: in_regions(rows, seed, size=4.0), "the same by four"),
    "gas_turbine": Stream(_real("gas_turbine", 1), "gas_turbine, NOX"),
    "pjme_hourly": Stream(_real("pjme_hourly"), "pjme_hourly"),
    "metro_traffic": Stream(_real("metro_traffic"), "metro_traffic"),
    "beijing_pm25": Stream(_real("beijing_pm25"), "beijing_pm25"),
}
REAL = ("gas_turbine", "pjme_hourly", "metro_traffic", "beijing_pm25")
