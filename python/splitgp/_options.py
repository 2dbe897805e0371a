"""The options of a model: from keywords to the engine's, and back."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from splitgp import _core
from splitgp._results import Hyperparameters

# The defaults of every estimator's keywords, in the order of the signatures.
DEFAULTS: dict[str, Any] = {
    "split_limit": 250,
    "kernel": "auto",
    "aggregation": "evidence",
    "neighbors": 8,
    "inherit": True,
    "training": "inline",
    "seed": 0,
    "preset": None,
    "taper": True,
    "principal_direction": "exact",
    "split_space": "scaled",
    "training_observations": 3000,
    "fixed": (),
    "hyperparameters": None,
    "n_threads": 1,
}

_INTEGERS = ("split_limit", "neighbors", "training_observations", "n_threads", "seed")
_FLAGS = ("taper", "inherit")
_PRESETS = {"paper": _core.Options.paper}
_LARGEST = {"seed": 2**64 - 1}
_LARGEST_INT = 2**31 - 1


def _integer(field: str, value: object) -> int:
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ValueError(f"{field} is {value!r}; it must be an integer") from None
    largest = _LARGEST.get(field, _LARGEST_INT)
    smallest = 1 if field == "n_threads" else 0
    if not smallest <= number <= largest:
        raise ValueError(f"{field} is {number}; it must lie between {smallest} and {largest}")
    return number


def _convert(field: str, value: Any) -> Any:
    if field in _INTEGERS:
        return _integer(field, value)
    if field in _FLAGS:
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{field} is {value!r}; it must be True or False")
        return bool(value)
    if field == "fixed":
        if isinstance(value, str) or not all(isinstance(name, str) for name in value):
            raise ValueError(f"fixed is {value!r}; it must be a sequence of names")
        return list(value)
    if field == "hyperparameters":
        return hyperparameters_dict(value)
    if not isinstance(value, str):
        raise ValueError(f"{field} is {value!r}; it must be a name")
    return value


def hyperparameters_dict(value: object) -> dict[str, Any]:
    """θ as the engine reads it, from a Hyperparameters object or a mapping."""
    if isinstance(value, Hyperparameters):
        value = value.as_dict()
    if not isinstance(value, Mapping):
        raise ValueError(f"hyperparameters is {value!r}; it must be a mapping or Hyperparameters")
    result: dict[str, Any] = {}
    for name, entry in value.items():
        if name in ("length_scale", "mean", "output_scale"):
            try:
                result[name] = np.atleast_1d(np.asarray(entry, dtype=np.float64))
            except (TypeError, ValueError):
                raise ValueError(f"{name} is {entry!r}; it must be numbers") from None
        elif name in ("signal_variance", "noise_variance", "shape"):
            try:
                result[name] = float(entry)
            except (TypeError, ValueError):
                raise ValueError(f"{name} is {entry!r}; it must be a number") from None
        else:
            result[name] = entry
    return result


def make(keywords: Mapping[str, Any]) -> _core.Options:
    """The engine's options; a ValueError names the first keyword that is wrong."""
    preset = keywords["preset"]
    if preset is None:
        options = _core.Options()
    elif preset in _PRESETS:
        options = _PRESETS[preset]()
    else:
        raise ValueError(f"preset is {preset!r}; it must be None or one of {', '.join(_PRESETS)}")
    for field, default in DEFAULTS.items():
        value = keywords[field]
        if field == "preset" or value is None:
            continue
        # With a preset, a keyword left at its default leaves the choice to the preset.
        if preset is not None and isinstance(value, type(default)) and value == default:
            continue
        setattr(options, field, _convert(field, value))
    # Making a model checks what is left; the sizes only have to fit the given θ.
    theta = options.hyperparameters
    inputs = max(1, len(theta["length_scale"]))
    outputs = max(1, len(theta["mean"]), len(theta["output_scale"]))
    _core.Model(inputs, outputs, options)
    return options


def keywords_of(options: _core.Options) -> dict[str, Any]:
    """The keywords that make these options; for a model read from a file."""
    keywords: dict[str, Any] = {field: getattr(options, field, None) for field in DEFAULTS}
    keywords["fixed"] = tuple(keywords["fixed"])
    return keywords
