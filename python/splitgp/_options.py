"""The options of a model: from keywords to the engine's, and back.

What the options are called, their types, defaults and texts is in the engine's table
(src/core/options/option_table.h); an option that is added there is a keyword here.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from splitgp import _core
from splitgp._results import Hyperparameters

OPTIONS: dict[str, dict[str, Any]] = {entry["name"]: entry for entry in _core.option_table()}
HYPERPARAMETERS: dict[str, dict[str, Any]] = {
    entry["name"]: entry for entry in _core.hyperparameter_table()
}

# The order of positional arguments, which is a promise; everything else is keyword-only.
POSITIONAL = (
    "split_limit",
    "kernel",
    "aggregation",
    "neighbors",
    "inherit",
    "training",
    "seed",
    "preset",
)

_PRESETS = {"paper": _core.Options.paper}

# The defaults of all keywords, in the order of the signature. None: not given. (For `fixed` not an
# empty tuple: river takes tuples apart.)
DEFAULTS: dict[str, Any] = {
    name: OPTIONS[name]["default"] if name in OPTIONS else None
    for name in dict.fromkeys((*POSITIONAL, *OPTIONS, "fixed", "hyperparameters"))
}


def integer(field: str, value: object, least: int = 0, largest: int = 2**31 - 1) -> int:
    """An int, or a ValueError that names the field."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ValueError(f"{field} is {value!r}; it must be an integer") from None
    if not least <= number <= largest:
        raise ValueError(f"{field} is {number}; it must lie between {least} and {largest}")
    return number


def integers(field: str, value: object, least: int = 0) -> list[int]:
    """A list of int, or a ValueError that names the field and the number that is wrong."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{field} is {value!r}; it must be a sequence of integers")
    return [integer(f"{field}[{k}]", number, least) for k, number in enumerate(value)]


def name(field: str, value: object) -> str:
    """A str; which names there are is for the engine to say."""
    if not isinstance(value, str):
        raise ValueError(f"{field} is {value!r}; it must be a name")
    return value


def convert(field: str, value: Any) -> Any:
    """A keyword as the engine reads it, or a ValueError that names the field."""
    if field == "fixed":
        if isinstance(value, str) or not all(isinstance(part, str) for part in value):
            raise ValueError(f"fixed is {value!r}; it must be a sequence of names")
        return list(value)
    if field == "hyperparameters":
        return hyperparameters_dict(value)
    entry = OPTIONS[field]
    if entry["type"] == "integer":
        return integer(field, value, 0 if entry["zero_means"] else entry["least"], entry["largest"])
    if entry["type"] == "integers":
        return integers(field, value, entry["least"])
    if entry["type"] == "switch":
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{field} is {value!r}; it must be True or False")
        return bool(value)
    if entry["type"] == "number":
        try:
            return float(value)
        except (TypeError, ValueError):
            raise ValueError(f"{field} is {value!r}; it must be a number") from None
    return name(field, value)


def hyperparameters_dict(value: object) -> dict[str, Any]:
    """θ as the engine reads it, from a Hyperparameters object or a mapping."""
    if isinstance(value, Hyperparameters):
        value = value.as_dict()
    if not isinstance(value, Mapping):
        raise ValueError(f"hyperparameters is {value!r}; it must be a mapping or Hyperparameters")
    result: dict[str, Any] = {}
    for field, entry in value.items():
        kind = HYPERPARAMETERS[field]["type"] if field in HYPERPARAMETERS else None
        try:
            if kind == "numbers":
                result[field] = np.atleast_1d(np.asarray(entry, dtype=np.float64))
            elif kind == "number":
                result[field] = float(entry)
            else:
                result[field] = entry  # a name, or unknown to the engine, which says so
        except (TypeError, ValueError):
            many = "numbers" if kind == "numbers" else "a number"
            raise ValueError(f"{field} is {entry!r}; it must be {many}") from None
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
    for field in DEFAULTS:
        value = keywords[field]
        if field == "preset" or value is None:
            continue
        # With a preset, a keyword left at its default leaves the choice to the preset.
        if preset is not None and is_default(field, value):
            continue
        setattr(options, field, convert(field, value))
    # Making a model checks what is left; the sizes only have to fit the given θ.
    prior(options)
    return options


def prior(options: _core.Options) -> tuple[float, float]:
    """Mean and variance of an observation before anything is learned; of the first output."""
    theta = options.hyperparameters or {"length_scale": (), "mean": (), "output_scale": ()}
    inputs = max(1, len(theta["length_scale"]), len(options.length_scale_groups))
    outputs = max(1, len(theta["mean"]), len(theta["output_scale"]))
    model = _core.Model(inputs, outputs, options)
    mean, variance, noise_variance, *_ = model.predict(np.zeros((1, inputs)), np.ones(1), False)
    return float(mean[0, 0]), float(variance[0, 0] + noise_variance[0, 0])


def is_default(field: str, value: Any) -> bool:
    """Whether a keyword has the default's type and value."""
    default = DEFAULTS[field]
    if default is None:
        return value is None or (not isinstance(value, int | str) and len(value) == 0)
    return type(value) is type(default) and bool(value == default)


def keywords_of(options: _core.Options) -> dict[str, Any]:
    """The keywords that make these options; for a model read from a file."""
    keywords: dict[str, Any] = {field: getattr(options, field, None) for field in DEFAULTS}
    keywords |= _without_what_follows(keywords)
    keywords["fixed"] = tuple(options.fixed)
    for field, entry in OPTIONS.items():
        if entry["type"] == "integers":
            keywords[field] = tuple(keywords[field]) or None
    theta = options.hyperparameters
    if theta is not None:
        keywords["hyperparameters"] = {
            field: value.tolist() if isinstance(value, np.ndarray) else value
            for field, value in theta.items()
        }
    return keywords


def _without_what_follows(keywords: Mapping[str, Any]) -> dict[str, int | None]:
    """The automatic options, None for those that get their value from the others by themselves."""
    values = {field: keywords[field] for field, entry in OPTIONS.items() if entry["automatic"]}
    least = ((), ("split_limit",), ("capacity",), ("split_limit", "capacity"))
    for kept in (*least, *((*fields, "neighbors") for fields in least)):
        shorter = {field: value if field in kept else None for field, value in values.items()}
        options = _core.Options()
        for field, value in (shorter | {"inherit": keywords["inherit"]}).items():
            setattr(options, field, value)
        completed = _core.Model(1, 1, options).options()
        if all(getattr(completed, field) == value for field, value in values.items()):
            return shorter
    return values


def shown(keywords: Mapping[str, Any], always: tuple[str, ...] = ()) -> list[str]:
    """What a repr shows of keywords: those of `always`, and those that are not their defaults."""
    return [
        f"{field}={value!r}"
        for field, value in keywords.items()
        if field in always or field not in DEFAULTS or not is_default(field, value)
    ]
