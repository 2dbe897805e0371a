"""Features that come one by one, in dictionaries: numbers, texts and moments as inputs."""

from __future__ import annotations

import datetime
import math
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from splitgp import _core, _tables

__all__ = ["Encoder", "Value"]

WIDTH = 32  # of a text's code, for any number of levels: measured in docs/results/tables.md

Value = float | str | tuple[float, bool]  # a moment: seconds since 1970, whether it has a zone


class Encoder:
    """What each feature is, by its first value; and the inputs that it becomes."""

    def __init__(self) -> None:
        self._first: dict[Hashable, Value] = {}
        self._mean: dict[Hashable, float] = {}  # of numbers and of moments, over the values seen
        self._count: dict[Hashable, int] = {}

    @property
    def features(self) -> list[Hashable]:
        """In the order of their inputs."""
        return list(self._first)

    def knows(self, feature: Hashable) -> bool:
        return feature in self._first

    def add(self, feature: Hashable, value: Value) -> list[float]:
        """A new feature; returns the inputs of its first value."""
        self._first[feature] = value
        self._mean[feature] = 0.0 if isinstance(value, str) else _number(value)
        self._count[feature] = 0
        return self._inputs(feature, value)

    def groups(self) -> list[int] | None:
        """The inputs that share a length scale: those of a text. None if there is no text."""
        if not any(isinstance(value, str) for value in self._first.values()):
            return None
        groups: list[int] = []
        for feature, value in self._first.items():
            first, count = max(groups, default=-1) + 1, len(self._inputs(feature, value))
            groups += [first] * count if isinstance(value, str) else range(first, first + count)
        return groups

    def values(self, x: Mapping[Hashable, Any]) -> dict[Hashable, Value]:
        """The features that have a value; None and NaN do not.

        A feature that turns into something else is a ValueError that names it.
        """
        values: dict[Hashable, Value] = {}
        for feature, given in x.items():
            value = _value(feature, given)
            if value is None:
                continue
            first = self._first.get(feature)
            if isinstance(first, str) and not isinstance(value, tuple):
                value = value if isinstance(value, str) else str(given)
            elif first is not None and type(first) is not type(value):
                kind = "a number" if isinstance(first, float) else "a moment"
                kind = "a text" if isinstance(first, str) else kind
                raise ValueError(f"feature {feature!r} is {given!r}; it must be {kind}, as before")
            if isinstance(first, tuple) and isinstance(value, tuple) and first[1] != value[1]:
                zone = "a zone" if first[1] else "no zone"
                raise ValueError(
                    f"feature {feature!r} is {given!r}; it must have {zone}, as before"
                )
            values[feature] = value
        return values

    def see(self, values: Mapping[Hashable, Value]) -> None:
        """Means follow the values."""
        for feature, value in values.items():
            if feature in self._first and not isinstance(value, str):
                self._count[feature] += 1
                step = _number(value) - self._mean[feature]
                self._mean[feature] += step / self._count[feature]

    def row(self, values: Mapping[Hashable, Value]) -> list[float]:
        """All inputs."""
        inputs: list[float] = []
        for feature in self._first:
            inputs += self._inputs(feature, values.get(feature))
        return inputs

    def _inputs(self, feature: Hashable, value: Value | None) -> list[float]:
        first = self._first[feature]
        if isinstance(first, str):
            return _core.category_code(value if isinstance(value, str) else "", WIDTH)
        number = self._mean[feature] if value is None or isinstance(value, str) else _number(value)
        if isinstance(first, tuple):
            return _core.time_inputs(number, first[0])
        return [number]


def _number(value: float | tuple[float, bool]) -> float:
    return value[0] if isinstance(value, tuple) else value


def _value(feature: Hashable, given: Any) -> Value | None:
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, np.datetime64):
        given = None if np.isnat(given) else given.astype("datetime64[us]").item()
    if given is None or given != given:  # NaN and NaT are not themselves
        return None
    if isinstance(given, datetime.date):
        return _tables.seconds(given)
    try:
        number = float(given)
    except (TypeError, ValueError):
        raise ValueError(
            f"feature {feature!r} is {given!r}; it must be a number, a text or a moment"
        ) from None
    return None if math.isnan(number) else number
