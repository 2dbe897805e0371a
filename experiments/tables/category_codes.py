"""How a category becomes inputs: one column for each level, or a code of fixed width."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import splitgp
from experiments.shared.measure import Floats, Measured, cpu_seconds
from experiments.shared.scoring import Scorer
from experiments.tables import raw_tables
from splitgp import datasets

__all__ = [
    "CODES",
    "MOST_COLUMNS",
    "SETS",
    "WARM_UP",
    "CategorySet",
    "Code",
    "codes_for",
    "measure",
]

WARM_UP = 200  # rows that are learned before errors count
MOST_COLUMNS = 300  # beyond that, a column for each level takes too long to be of use


@dataclass(frozen=True)
class CategorySet:
    """Rows with one category."""

    title: str
    rows: int
    make: Callable[[int, int], tuple[Floats, list[str], Floats, Floats | None]]
    levels: int  # about; a column for each must be affordable


# Inputs besides the category, its levels, the target, and the answers of who knows all but the
# levels' effects.


def _generated(levels: int) -> Callable[[int, int], tuple[Floats, list[str], Floats, Floats]]:
    def make(rows: int, seed: int) -> tuple[Floats, list[str], Floats, Floats]:
        random = np.random.default_rng(seed)
        effect = random.normal(size=levels)
        level = random.integers(levels, size=rows)
        x = random.uniform(-1, 1, size=rows)
        known = np.sin(3 * x)
        y = known + effect[level] + _NOISE * random.normal(size=rows)
        # The posterior mean of an effect with prior N(0, 1) from k rows with this noise.
        best = np.empty(rows)
        sums, counts = np.zeros(levels), np.zeros(levels)
        for row, one in enumerate(level):
            best[row] = known[row] + sums[one] / (counts[one] + _NOISE**2)
            sums[one] += y[row] - known[row]
            counts[one] += 1
        return x[:, None], [f"level {one}" for one in level], y, best

    return make


_NOISE = 0.2


def _wind(rows: int, seed: int) -> tuple[Floats, list[str], Floats, None]:
    table = raw_tables.read("beijing_aotizhongxin")
    names = ("SO2", "NO2", "CO", "O3", "TEMP", "PRES", "DEWP", "RAIN", "WSPM", "PM2.5")
    columns = np.stack([raw_tables.numbers(table[name]) for name in names], axis=1)
    hour = np.arange(len(columns))  # the table has every hour
    times = np.stack([hour, np.sin(hour * math.tau / 24), np.cos(hour * math.tau / 24)], axis=1)
    whole = np.isfinite(columns).all(axis=1) & (np.array(table["wd"]) != "NA")
    kept = np.flatnonzero(whole)[:rows]
    X = np.hstack([times, columns[:, :-1]])[kept]
    return X, [table["wd"][k] for k in kept], columns[kept, -1], None


def _station(rows: int, seed: int) -> tuple[Floats, list[str], Floats, None]:
    table = datasets.load("beijing_pm25", rows)
    station = table.input_names.index("station")
    levels = [f"station {value:.0f}" for value in table.X[:, station]]
    return np.delete(table.X, station, axis=1), levels, table.y, None


def _weekday(rows: int, seed: int) -> tuple[Floats, list[str], Floats, None]:
    table = datasets.load("metro_traffic", rows)
    at = table.input_names.index
    day = table.X[:, at("hour")] * math.tau / 24
    # In its first year the day of the year is the time again, and from then on something else: what
    # a trend makes of the two is no matter of codes.
    others = np.delete(table.X, [at("hour"), at("dow"), at("doy")], axis=1)
    levels = [f"day {value:.0f}" for value in table.X[:, at("dow")]]
    return np.column_stack([others, np.sin(day), np.cos(day)]), levels, table.y, None


def _airport(rows: int, seed: int) -> tuple[Floats, list[str], Floats, None]:
    table = datasets.load("flights3m", rows)
    at = table.input_names.index
    place = [at("o_lat"), at("o_lon")]
    levels = [f"airport at {lat:.4f} {lon:.4f}" for lat, lon in table.X[:, place]]
    return np.delete(table.X, place, axis=1), levels, table.y, None


SETS = {
    "levels_3": CategorySet("generated, 3 levels", 3000, _generated(3), 3),
    "levels_30": CategorySet("generated, 30 levels", 3000, _generated(30), 30),
    "levels_3000": CategorySet("generated, 3,000 levels", 10_000, _generated(3000), 3000),
    "wind": CategorySet("beijing_aotizhongxin, wind direction", 5000, _wind, 16),
    "station": CategorySet("beijing_pm25, station", 5000, _station, 12),
    "weekday": CategorySet("metro_traffic, day of the week", 5000, _weekday, 7),
    "airport": CategorySet("flights3m, airport of departure", 5000, _airport, 200),
}


Encode = Callable[[Sequence[str]], Floats]


def hashed(levels: Sequence[str], width: int) -> Floats:
    """Pseudo-random directions by the text: all but equidistant if there is room.

    >>> code = hashed(["a", "b", "a"], 16)
    >>> bool((code[0] == code[2]).all()), bool(abs(np.linalg.norm(code[0] - code[1]) - 1) < 0.5)
    (True, True)
    """
    known: dict[str, Floats] = {}
    for level in set(levels):
        seed = int.from_bytes(hashlib.blake2b(level.encode(), digest_size=8).digest(), "little")
        code = np.random.default_rng(seed).normal(size=width)
        known[level] = code / (math.sqrt(2) * np.linalg.norm(code))
    return np.array([known[level] for level in levels])


def one_hot(levels: Sequence[str]) -> Floats:
    """A column for each level that ever appears; a stream would have to know them in advance.

    >>> one_hot(["a", "b", "a"]).round(2).tolist()
    [[0.71, 0.0], [0.0, 0.71], [0.71, 0.0]]
    """
    distinct = {level: k for k, level in enumerate(dict.fromkeys(levels))}
    codes: Floats = np.eye(len(distinct))[[distinct[level] for level in levels]] / math.sqrt(2)
    return codes


def axes_first(levels: Sequence[str], width: int) -> Floats:
    """The levels of the first 1,000 rows on axes as far as these reach, the others by hash.

    >>> axes_first(["a", "b", "a"], 2).round(2).tolist()
    [[0.71, 0.0], [0.0, 0.71], [0.71, 0.0]]
    """
    axes = {level: k for k, level in enumerate(dict.fromkeys(levels[:1000])) if k < width}
    codes = hashed(levels, width)
    for row, level in enumerate(levels):
        if level in axes:
            codes[row] = np.eye(width)[axes[level]] / math.sqrt(2)
    return codes


def numbered(levels: Sequence[str]) -> Floats:
    """The level's number, in the order of appearance."""
    distinct = {level: k for k, level in enumerate(dict.fromkeys(levels))}
    return np.array([[float(distinct[level])] for level in levels])


@dataclass(frozen=True)
class Code:
    """A way to write a category."""

    text: str
    encode: Encode
    tied: bool
    column_per_level: bool = False


CODES: dict[str, Code] = {
    "left out": Code("without the category", lambda levels: np.empty((len(levels), 0)), True),
    "number": Code("the level's number, one column", numbered, True),
    "one-hot untied": Code("a column for each level", one_hot, False, column_per_level=True),
    "one-hot tied": Code("the same with one length scale", one_hot, True, column_per_level=True),
    **{
        f"hashed {width}": Code(
            f"{width} columns, a pseudo-random direction by the level's text, one length scale",
            lambda levels, width=width: hashed(levels, width),  # type: ignore[misc]
            True,
        )
        for width in (4, 8, 16, 32)
    },
    **{
        f"axes then hashed {width}": Code(
            f"{width} columns; the first levels seen on axes, the others as above",
            lambda levels, width=width: axes_first(levels, width),  # type: ignore[misc]
            True,
        )
        for width in (8, 16, 32)
    },
}


def codes_for(name: str) -> list[str]:
    """Those that can be afforded."""
    few = SETS[name].levels <= MOST_COLUMNS
    return [code for code, style in CODES.items() if few or not style.column_per_level]


def measure(data: str, code: str, rows: int, seed: int, options: dict[str, object]) -> Measured:
    """One pass in the order of the rows, each predicted before it is learned."""
    X, levels, y, best = SETS[data].make(rows, seed)
    style = CODES[code]
    columns = style.encode(levels)
    inputs = np.hstack([X, columns])
    own = list(range(X.shape[1]))
    groups = own + [len(own)] * columns.shape[1] if style.tied else None
    model = splitgp.SplittingGP(seed=seed, length_scale_groups=groups, **options)  # type: ignore[arg-type]
    (prediction, _), seconds = cpu_seconds(lambda: model.predict_then_update(inputs, y))
    scorer = Scorer()
    scorer.add(prediction, y)
    found = scorer.scores(first=WARM_UP)
    measured = {metric: found[metric] for metric in ("rmse", "nlpd", "cover_95")}
    measured["row_seconds"] = seconds / len(y)
    measured["levels"] = float(len(set(levels)))
    measured["columns"] = float(columns.shape[1])
    if best is not None:
        error = (y - best)[WARM_UP:]
        measured["best_rmse"] = float(np.sqrt(np.mean(error**2)))
    return [(len(y), metric, value) for metric, value in measured.items()]
