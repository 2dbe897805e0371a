"""Constructors that take options: signature and documentation, from the table of options."""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Sequence
from inspect import Parameter
from typing import Any, TypeVar

from splitgp import _core, _options

_Class = TypeVar("_Class", bound=type[Any])

_TYPES = {
    "integer": int,
    "number": float,
    "switch": bool,
    "name": str,
    "integers": Sequence[int],
}


def takes_options(
    positional: Sequence[str] = _options.POSITIONAL, names: Sequence[str] = tuple(_options.DEFAULTS)
) -> Callable[[_Class], _Class]:
    """Let a class whose ``__init__`` ends with ``**options`` take the options of that name.

    ``inspect.signature``, from which scikit-learn and river read an estimator's parameters, shows
    them all, and ``__init__`` gets them all. In the class's documentation, {options} becomes their
    description and {names} a list of their names.
    """

    def decorate(cls: _Class) -> _Class:
        init = cls.__init__
        signature = _signature(init, positional, names)

        @functools.wraps(init)
        def construct(self: Any, /, *args: Any, **keywords: Any) -> None:
            try:
                bound = signature.bind(self, *args, **keywords)
            except TypeError as error:
                raise TypeError(f"{cls.__name__}() {error}") from None
            bound.apply_defaults()
            init(self, **{name: bound.arguments[name] for name in list(signature.parameters)[1:]})

        construct.__signature__ = signature  # type: ignore[attr-defined]
        cls.__init__ = construct
        if cls.__doc__:  # there is none with python -OO
            cls.__doc__ = (
                inspect.cleandoc(cls.__doc__)
                .replace("{options}", "\n".join(describe(name) for name in names))
                .replace("{names}", ", ".join(names))
            )
        return cls

    return decorate


def _signature(
    init: Callable[..., None], positional: Sequence[str], names: Sequence[str]
) -> inspect.Signature:
    own = list(inspect.signature(init).parameters.values())
    return inspect.Signature(
        [p for p in own if p.kind is Parameter.POSITIONAL_OR_KEYWORD]
        + [_parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in positional]
        + [_parameter(name, Parameter.KEYWORD_ONLY) for name in names if name not in positional]
        + [p for p in own if p.kind is Parameter.KEYWORD_ONLY]
    )


def _parameter(name: str, kind: Any) -> Parameter:
    entry = _options.OPTIONS.get(name)
    annotation = Parameter.empty if entry is None else _TYPES[entry["type"]]
    return Parameter(name, kind, default=_options.DEFAULTS[name], annotation=annotation)


def describe(name: str) -> str:
    """One keyword, as numpy's style of documentation has it."""
    entry = _options.OPTIONS.get(name)
    if entry is None:
        return _others()[name]
    kind = "sequence of int" if entry["type"] == "integers" else _TYPES[entry["type"]].__name__
    default = entry["default"]
    if entry["choices"]:
        kind = "{" + ", ".join(f'"{value}"' for value, _ in entry["choices"]) + "}"
        default = f'"{default}"'
    lines = [f"{name} : {kind}, default {default}", *_indented(entry["help"] + ".")]
    if entry["choices"]:
        lines.append("")
        lines += [
            line
            for value, text in entry["choices"]
            for line in _indented(f'- "{value}": {text}', "  ")
        ]
    return "\n".join(lines)


def _others() -> dict[str, str]:
    """The keywords that are not in the table."""
    fixable = ", ".join(f'"{name}"' for name in _core.fixable_names())
    texts = {
        "preset": (
            "{None, 'paper'}",
            "'paper' is the published pseudo-code. Keywords that differ from their defaults still "
            "count.",
        ),
        "fixed": (
            "sequence of str, optional",
            f"Hyperparameters that training leaves alone: {fixable}.",
        ),
        "hyperparameters": (
            "mapping or Hyperparameters, optional",
            "The hyperparameters to start from, with the names of `Hyperparameters`; those left "
            "out have their defaults. Without any they follow the scale of the data until the "
            "first training.",
        ),
    }
    return {
        name: "\n".join([f"{name} : {kind}", *_indented(text)])
        for name, (kind, text) in texts.items()
    }


def _indented(text: str, hanging: str = "") -> list[str]:
    return textwrap.wrap(
        text, 96, initial_indent="    ", subsequent_indent="    " + hanging, break_on_hyphens=False
    )
