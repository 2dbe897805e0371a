"""Writes docs/options.md and the types of the keywords from the engine's table of options.

Run it after a change to src/core/option_table.h, with the package installed from these sources:

    .venv/bin/python python/write_options.py
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from splitgp import _core, _options, rivals

ROOT = Path(__file__).resolve().parents[1]

INTRODUCTION = """\
# Options

Written by `python/write_options.py` from the one table of options (`src/core/option_table.h`); do
not edit.

An option has the same name in C++ (a member of `splitgp::Options`), in Python (a keyword of
`SplittingGP` and of the estimators) and in a model file. A flag of `splitgp stream` has hyphens
instead of underscores, and a key of a `--config` file is a flag without its dashes. The reason for
each default stands beside it in [options.h](../include/splitgp/options.h).

A model keeps the options it was made with, but for those marked as free to change.
"""

PRESET = """
## Preset

`Options::paper()`, `preset="paper"` and `--preset paper` select the paper's pseudo-code; options
given beside it still count. It sets:
"""

HYPERPARAMETERS = """
## Hyperparameters

Where training starts: `Options::hyperparameters`, the keyword `hyperparameters` (a dictionary), or
flags. If any of them is given, the others have the defaults below, and all hold from the first
observation on. If none is given, they follow the scale of the data until the first training. The
option `kernel`, unless it is `auto`, overrides the kernel given here.
"""

FIXED = """
## Fixed hyperparameters

Training leaves alone what `fixed` names: a struct of switches in C++, a sequence of names in
Python, names with commas between them after `--fixed`. It may name {names}.
"""


def main() -> None:
    """Write all files."""
    for path, text in files().items():
        path.write_text(text)


def files() -> dict[Path, str]:
    """What is written, and where."""
    return {
        ROOT / "docs" / "options.md": page(),
        ROOT / "python" / "splitgp" / "_keywords.pyi": stub(),
    }


def page() -> str:
    """docs/options.md."""
    options = list(_options.OPTIONS.values())
    return "\n".join(
        [
            INTRODUCTION,
            *entries(options),
            *(line for option in options if option["choices"] for line in choices(option)),
            *preset(),
            HYPERPARAMETERS,
            *entries(_options.HYPERPARAMETERS.values()),
            FIXED.format(names=", ".join(f"`{name}`" for name in _core.fixable_names())),
        ]
    )


def entries(table_of: Iterable[dict[str, Any]]) -> list[str]:
    """Options or hyperparameters, one to a line."""
    return table(
        ("name", "flag", "value", "default", "meaning"),
        ((f"`{e['name']}`", flag(e), values(e), default(e), meaning(e)) for e in table_of),
    )


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    """A table in Markdown."""
    return ["| " + " | ".join(row) + " |" for row in (head, ("---",) * len(head), *rows)]


def flag(entry: dict[str, Any]) -> str:
    """The flag of the command; one that is on by default can be switched off."""
    off = "no-" if entry["default"] is True else ""
    return f"`--{off}{entry['name'].replace('_', '-')}`"


def values(entry: dict[str, Any]) -> str:
    """Which values are allowed."""
    if entry["choices"]:
        return f"[a name](#{entry['name']})"
    if entry["type"] == "integer":
        zero = f", or 0: {entry['zero_means']}" if entry["zero_means"] else ""
        return f"integer ≥ {entry['least']}{zero}"
    return {"switch": "on or off", "number": "number", "numbers": "numbers"}[entry["type"]]


def default(entry: dict[str, Any]) -> str:
    """The value that holds if nothing is said."""
    value = entry["default"]
    if entry["type"] == "switch":
        return "on" if value else "off"
    if entry["type"] == "numbers":  # empty: what the engine makes of it
        options = _core.Options()
        options.hyperparameters = {}
        theta = _core.Model(1, 1, options).hyperparameters()
        return f"{theta[entry['name']][0]:g} each"
    return f"`{value}`" if isinstance(value, str) else f"{value:g}"


def meaning(entry: dict[str, Any]) -> str:
    """What it is for."""
    parts = [entry["help"] + "."]
    if entry.get("without"):
        parts.append(f"Off: {entry['without'][0].lower()}{entry['without'][1:]}.")
    if entry["may_change"]:
        parts.append("**Free to change later**: no result depends on it.")
    return " ".join(parts)


def choices(entry: dict[str, Any]) -> list[str]:
    """The values of an option that is one of a few names."""
    return [
        f"\n### {entry['name']}\n",
        f"{entry['help']}.\n",
        *table(("value", "meaning"), ((f"`{value}`", text) for value, text in entry["choices"])),
    ]


def preset() -> list[str]:
    """What the preset changes."""
    paper, plain = _core.Options.paper(), _core.Options()
    changed = (
        (f"`{name}`", shown(getattr(paper, name)))
        for name in _options.OPTIONS
        if getattr(paper, name) != getattr(plain, name)
    )
    return [PRESET, *table(("name", "value"), changed)]


def shown(value: object) -> str:
    """A value as the page writes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"`{value}`" if isinstance(value, str) else str(value)


def stub() -> str:
    """python/splitgp/_keywords.pyi."""
    names = _options.DEFAULTS
    positional = _options.POSITIONAL
    return "\n".join(
        [
            "# Written by python/write_options.py from the engine's table of options; do not edit.",
            "# ruff: noqa: E501",
            "# fmt: off",
            "from collections.abc import Mapping, Sequence",
            "from typing import Any, Literal, TypedDict",
            "",
            "from splitgp._results import Hyperparameters",
            "",
            "class Keywords(TypedDict, total=False):",
            *(f"    {name}: {annotation(name)}" for name in names),
            "",
            "class RivalKeywords(TypedDict, total=False):",
            *(f"    {name}: {annotation(name)}" for name in rivals.COMMON),
            "",
            "class TakesKeywords:",
            "    def __init__(",
            "        self,",
            *(f"        {parameter(name)}," for name in positional),
            "        *,",
            *(f"        {parameter(name)}," for name in names if name not in positional),
            "    ) -> None: ...",
            "    def _accept(self, keywords: dict[str, Any]) -> None: ...",
            "",
        ]
    )


def parameter(name: str) -> str:
    """A parameter as a stub has it."""
    value = _options.DEFAULTS[name]
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return f"{name}: {annotation(name)} = {text}"


def annotation(name: str) -> str:
    """The type of a keyword."""
    others = {
        "preset": 'Literal["paper"] | None',
        "fixed": "Sequence[str] | None",
        "hyperparameters": "Mapping[str, Any] | Hyperparameters | None",
    }
    if name in others:
        return others[name]
    entry = _options.OPTIONS[name]
    if entry["choices"]:
        return "Literal[" + ", ".join(f'"{value}"' for value, _ in entry["choices"]) + "]"
    return {"integer": "int", "switch": "bool"}[str(entry["type"])]


if __name__ == "__main__":
    main()
