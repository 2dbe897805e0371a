"""Turns what users pass into the arrays the engine reads, without a copy where that is possible."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_FLOAT64 = np.dtype(np.float64)


def floats(field: str, values: ArrayLike) -> Floats:
    """C-ordered float64; the same memory if `values` already is."""
    if isinstance(values, np.ndarray) and values.dtype is _FLOAT64 and values.flags.c_contiguous:
        return values
    array: NDArray[Any] = np.asarray(values)
    if array.dtype.kind == "c":
        raise ValueError(f"{field} is complex; it must be real")
    try:
        return np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{field} has values that are not numbers: {values!r:.80}") from None


def rows(field: str, values: ArrayLike) -> Floats:
    """One row for each observation or query."""
    array = floats(field, values)
    if array.ndim != 2:
        shape = np.shape(values)
        hint = f"{field}.reshape(1, -1) is one row, {field}.reshape(-1, 1) one column"
        raise ValueError(f"{field} has shape {shape}; it must be (rows, inputs): {hint}")
    if array.shape[1] == 0:
        raise ValueError(f"{field} has shape {array.shape}; it must have at least one input")
    return array


def times(values: ArrayLike | None, count: int) -> Floats | None:
    """One time for each of `count` rows, or None."""
    if values is None:
        return None
    array = floats("time", values).reshape(-1)
    if len(array) != count:
        raise ValueError(f"time has {len(array)} values; X has {count} rows")
    return array


def ahead_of(ahead: ArrayLike | None) -> Floats:
    """One number for all rows, or one for each; NaN is an unknown time, as None is."""
    array = floats("ahead", np.nan if ahead is None else ahead)
    if array.ndim > 1:
        raise ValueError(f"ahead has shape {array.shape}; it must be a number or one for each row")
    return array.reshape(-1)


def observation_rows(
    X: ArrayLike, y: ArrayLike, noise_variance: ArrayLike | None
) -> tuple[Floats, Floats, Floats | None, bool]:
    """X, y as (rows, outputs), a noise variance for each row or None, whether y was flat."""
    inputs = rows("X", X)
    outputs = floats("y", y)
    flat = outputs.ndim < 2
    if flat:
        outputs = outputs.reshape(-1, 1)
    elif outputs.ndim != 2 or outputs.shape[1] == 0:
        raise ValueError(f"y has shape {outputs.shape}; it must be (rows,) or (rows, outputs)")
    if noise_variance is None:
        return inputs, outputs, None, flat
    noise = floats("noise_variance", noise_variance)
    if noise.ndim == 0 or noise.size == 1:
        noise = np.full(len(inputs), noise.reshape(()))
    elif noise.shape != (len(inputs),):
        raise ValueError(f"noise_variance has shape {noise.shape}; X has {len(inputs)} rows")
    return inputs, outputs, noise, flat
