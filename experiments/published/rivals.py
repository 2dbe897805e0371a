"""What the rivals answer to each row before they learn it; splitgp has no part in this.

What is answered to a row depends on the rows before it alone. So the answers to a table's first
rows are those of a shorter table, and each rival runs on a table once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["RIVALS", "TEXTS", "Floats", "doublings", "known_of"]

Floats = npt.NDArray[np.float64]

BOOSTING_FIRST = 200  # rows before the first fit; refitted whenever they have doubled
LINEAR_FIRST = 16
FOREST_TREES = 3  # river's default is 10, which is three times as slow
MOST_LEVELS = 30  # of a column of text that becomes a column for each level


def known_of(frame: Any, target: str) -> Floats:
    """The target; NaN where the table has a gap."""
    return np.asarray(frame[target].to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)


def doublings(first: int, rows: int) -> list[int]:
    """Ends of the stretches between two fits.

    >>> doublings(200, 1000)
    [200, 400, 800, 1000]
    """
    ends = []
    while first < rows:
        ends.append(first)
        first *= 2
    return [*ends, rows]


def running_mean(frame: Any, target: str) -> Floats:
    y = known_of(frame, target)
    known = np.isfinite(y)
    # Around the first value, so that a large offset costs no digits.
    offset = y[known][0] if known.any() else 0.0
    sums = np.cumsum(np.where(known, y - offset, 0.0))
    counts = np.cumsum(known)
    with np.errstate(invalid="ignore"):
        return _next(offset + np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))


def last_value(frame: Any, target: str) -> Floats:
    y = known_of(frame, target)
    newest = np.maximum.accumulate(np.where(np.isfinite(y), np.arange(len(y)), -1))
    return _next(np.where(newest >= 0, y[newest], np.nan))


def _next(after: Floats) -> Floats:
    """What is known after each row, as the answer to the row behind it."""
    return np.concatenate([[np.nan], after[:-1]])


def columns_of(frame: Any, target: str) -> tuple[Floats, list[int]]:
    """Inputs as numbers, and the number of levels of each; 0: a number, not a category.

    The levels of a text are numbered in the order in which they appear.
    """
    import pandas
    from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

    columns, levels = [], []
    for name in frame.columns:
        if name == target:
            continue
        column = frame[name]
        if is_numeric_dtype(column):
            columns.append(column.to_numpy(dtype=np.float64, na_value=np.nan))
            levels.append(0)
        elif is_datetime64_any_dtype(column):
            seconds = (column - column.min()).dt.total_seconds()
            columns.append(seconds.to_numpy(dtype=np.float64, na_value=np.nan))
            levels.append(0)
        else:
            codes, distinct = pandas.factorize(column.astype(object).map(str, na_action="ignore"))
            columns.append(np.where(codes < 0, np.nan, codes.astype(np.float64)))
            levels.append(len(distinct))
    X = np.column_stack(columns) if columns else np.zeros((len(frame), 1))
    X[~np.isfinite(X)] = np.nan
    return X, levels or [0]


def boosting(frame: Any, target: str) -> Floats:
    """Histogram boosting; the running mean before the first fit."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    X, levels = columns_of(frame, target)
    y = known_of(frame, target)
    answers = running_mean(frame, target)
    categories = [0 < count <= 250 for count in levels]  # it takes 255 levels at most
    for fitted, until in pairwise(doublings(BOOSTING_FIRST, len(y))):
        known = np.flatnonzero(np.isfinite(y[:fitted]))
        if len(known) < 2:
            continue
        # It fails on columns that are empty so far.
        held = np.flatnonzero(np.isfinite(X[known]).any(axis=0))
        if len(held) == 0:
            continue
        chosen = [categories[column] for column in held]
        model = HistGradientBoostingRegressor(categorical_features=chosen, random_state=0)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            model.fit(X[np.ix_(known, held)], y[known])
            answers[fitted:until] = model.predict(X[fitted:until][:, held])
    return answers


def linear(frame: Any, target: str) -> Floats:
    """Ridge regression, recursive; its scales are those of the rows at the last doubling."""
    X = _dummies(*columns_of(frame, target))
    y = known_of(frame, target)
    answers = running_mean(frame, target)
    for fitted, until in pairwise(doublings(LINEAR_FIRST, len(y))):
        known = np.flatnonzero(np.isfinite(y[:fitted]))
        if len(known) < 2:
            continue
        center = np.nan_to_num(X[:fitted]).mean(axis=0)
        spread = np.nan_to_num(X[:fitted]).std(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(spread > 1e-9 * np.abs(center), 1 / spread, 0.0)
        Z = np.nan_to_num((X[:until] - center) * scale)  # a gap is the mean
        Z = np.column_stack([np.ones(until), Z])
        offset = y[known].mean()
        inverse = np.linalg.inv(Z[known].T @ Z[known] + np.eye(Z.shape[1]))
        weights = inverse @ (Z[known].T @ (y[known] - offset))
        for row in range(fitted, until):
            z = Z[row]
            answers[row] = offset + z @ weights
            if np.isfinite(y[row]):
                gain = inverse @ z
                gain /= 1 + z @ gain
                weights = weights + gain * (y[row] - answers[row])
                inverse -= np.outer(gain, z @ inverse)
    return answers


def _dummies(X: Floats, levels: list[int]) -> Floats:
    """A column for each of the first levels of a category; the others are numbers as they are."""
    columns = []
    for column, count in zip(X.T, levels, strict=True):
        if count == 0:
            columns.append(column[:, None])
        else:
            columns.append(np.equal.outer(column, np.arange(min(count, MOST_LEVELS))) * 1.0)
    return np.hstack(columns)


def forest(frame: Any, target: str) -> Floats:
    """River's adaptive random forest, with few trees."""
    from river.forest import ARFRegressor

    X, _ = columns_of(frame, target)
    y = known_of(frame, target)
    answers = running_mean(frame, target)
    model = ARFRegressor(n_models=FOREST_TREES, seed=0)
    for row, x in enumerate(X):
        # Categories as numbers: the linear models in its leaves take no text.
        inputs = {k: float(value) for k, value in enumerate(x) if np.isfinite(value)}
        if row > 0 and (answer := model.predict_one(inputs)) is not None:
            answers[row] = answer
        if np.isfinite(y[row]):
            model.learn_one(inputs, float(y[row]))
    return answers


# The slowest last.
RIVALS: dict[str, Callable[[Any, str], Floats]] = {
    "mean": running_mean,
    "last": last_value,
    "linear": linear,
    "boosting": boosting,
    "forest": forest,
}

TEXTS = {
    "mean": "the running mean of the target",
    "last": "the last value of the target",
    "linear": "ridge regression, updated with each row",
    "boosting": "scikit-learn's HistGradientBoostingRegressor, refitted at 200, 400, 800, … rows",
    "forest": f"river's ARFRegressor with {FOREST_TREES} trees",
}
