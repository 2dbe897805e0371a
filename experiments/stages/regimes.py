"""Streams that change their regime once: a machine that starts, a sensor with another range."""

from __future__ import annotations

import numpy as np

from experiments.shared.measure import Floats

__all__ = ["AFTER", "BEFORE", "CHANGES", "stream"]

# name → what happens; the same changes as in tests/support/regime_streams.h
CHANGES = {
    "start": "a machine that idled, its output constant to the last digit, starts",
    "start_within": "the same, but it idled in the middle of where its inputs will be",
    "output_range": "the output's sensor changes its range: 100 times the values",
    "input_range": "the sensor of one of four inputs does",
    "operating_point": "the inputs move to a new region, where the function is another",
}
BEFORE, AFTER = 5000, 800  # rows of the old and of the new regime

_INPUTS = 4
_UNITS = np.array([1.0, 30.0, 0.2, 5.0])
_OFFSETS = np.array([0.0, 1500.0, 1.0, 80.0])


def stream(change: str, before: int, after: int, seed: int) -> tuple[Floats, Floats]:
    """Inputs and outputs; row `before` is the first of the new regime.

    >>> X, y = stream("start", 100, 50, seed=0)
    >>> X.shape, bool(np.ptp(y[:100]) < 0.05), bool(np.ptp(y[100:]) > 1)
    ((150, 4), True, True)
    """
    if change not in CHANGES:
        raise ValueError(f"change is {change!r}; it must be one of {', '.join(CHANGES)}")
    random = np.random.default_rng(seed)
    state = _wandering(before + after, random)
    slope, phase = random.standard_normal(_INPUTS), 6 * random.uniform()
    level = state @ slope + 2 * np.sin(state[:, 0] + phase)
    noise = random.standard_normal(len(state))
    X = _UNITS * state + _OFFSETS
    y = 3 + level + 0.1 * noise
    new = np.arange(len(state)) >= before
    if change in ("start", "start_within"):
        center = _OFFSETS if change == "start_within" else np.zeros(_INPUTS)
        X[~new] = center + 1e-3 * _UNITS * random.standard_normal((before, _INPUTS))
        y = np.round(np.where(new, 55 + 10 * level + noise, 20 + 0.004 * noise), 2)
    elif change == "output_range":
        y[new] *= 100
    elif change == "input_range":
        X[new, 0] *= 100
    else:
        X[new] += 12 * _UNITS
        y[new] = (
            40
            + 8 * np.sin(1.5 * state[new, 1] - state[new, 2])
            + 4 * state[new, 3]
            + 0.5 * noise[new]
        )
    return X, y


def _wandering(rows: int, random: np.random.Generator) -> Floats:
    """An autoregression with a memory of twenty rows: a machine's state does not jump."""
    steps = random.standard_normal((rows + 1, _INPUTS))
    steps[1:] *= np.sqrt(1 - 0.95**2)
    state = np.empty((rows, _INPUTS))
    now = steps[0]
    for row in range(rows):
        now = 0.95 * now + steps[row + 1]
        state[row] = now
    return state
