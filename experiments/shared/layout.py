"""The pieces of a page: numbers, tables, pictures, and the command that wrote it."""

from __future__ import annotations

import json
import math
from collections.abc import Container, Iterable, Mapping
from typing import Any

from experiments.shared.methods import FULL, LOCAL
from experiments.shared.run import Settings, options
from experiments.shared.table import Estimate
from experiments.shared.text import markdown, number, picture

__all__ = [
    "command",
    "earlier_engine",
    "estimate",
    "head",
    "markdown",
    "measured_with",
    "not_run",
    "number",
    "picture",
    "setting_text",
]


def estimate(value: Estimate) -> str:
    """A mean, with its 95 % confidence where there are replicates."""
    if not math.isfinite(value.half):
        return number(value.mean)
    return f"{number(value.mean)} ± {value.half:.1g}"


def command(name: str, settings: Settings) -> str:
    """The command that makes these results again."""
    text = f"python -m experiments {name}"
    if settings.quick:
        text += " --quick"
    if settings.replicates is not None:
        text += f" --replicates {settings.replicates}"
    return text + (f" --seed {settings.seed}" if settings.seed else "")


def not_run(needed: Iterable[str], done: Container[str]) -> str:
    r"""A paragraph naming the experiments whose part of a page is missing; empty if none is.

    >>> not_run(["kin40k", "theory", "kin40k"], ["theory"])
    'Not included, because they have not been run here: kin40k.\n\n'
    """
    missing = [name for name in dict.fromkeys(needed) if name not in done]
    if not missing:
        return ""
    return f"Not included, because they have not been run here: {', '.join(missing)}.\n\n"


def earlier_engine(facts: Mapping[str, Any]) -> str:
    r"""A paragraph that says so, if the measurements are those of an engine with fewer options.

    >>> earlier_engine({"options": options()})
    ''
    >>> earlier_engine({"options": [one for one in options() if one != "trend"]})[:53]
    '**Measured with an earlier engine**, before there was'
    """
    since = [f"`{name}`" for name in options() if name not in facts.get("options", options())]
    if not since:
        return ""
    return (
        f"**Measured with an earlier engine**, before there was {', '.join(since)}; not measured "
        "again since. What is said of the default here is said of that engine.\n\n"
    )


def measured_with(name: str, settings: Settings) -> dict[str, Any]:
    """Under which conditions an experiment was run."""
    facts: dict[str, Any] = json.loads((settings.out / f"{name}.json").read_text())
    return facts


def head(title: str, name: str, settings: Settings, conditions: str | None = None) -> str:
    """Title, command, and under which conditions the measurements were made.

    The default conditions are those of a comparison with rivals.
    """
    facts = measured_with(name, settings)
    warning = "**The quick version: it shows that everything works, not how well.**\n\n"
    if conditions is None:
        many = settings.jobs > 1
        jobs = f"{settings.jobs} single-threaded jobs in parallel"
        conditions = (
            "Where nothing is measured along the way, a stream is passed in one call; it is still "
            "learned row by row. Times are the processor time of all updates, training included, "
            f"with {jobs if many else 'one single-threaded job'}; predictions are timed "
            "separately. All methods share the engine's Train: the same objective, budget and "
            "schedule."
        )
    return (
        f"# {title}\n\n"
        f"{warning if settings.quick else ''}"
        f"{earlier_engine(facts)}"
        f"    {command(name, settings)}\n\n"
        f"Written by this command from [{name}.csv]({name}.csv), which has one row per "
        f"measurement; do not edit. splitgp {facts['version']}, {facts['instruction_set']} build, "
        f"seed {facts['seed']}. {conditions}\n"
    )


def setting_text(method: str, setting: float) -> str:
    if method == FULL:
        return "–"
    return f"w_gen {setting:.0e}" if method == LOCAL else f"{setting:,.0f}"
