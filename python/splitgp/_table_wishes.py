"""What the keywords of TableModel ask for, and the recipe that the first rows of a table give."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from splitgp import _core, _options, _tables

_FILLS = ("auto", "mean", "last", "mean-marked", "last-marked", "reject")
_KINDS = ("number", "category", "time", "day-first", "month-first", "ignore")
_CYCLES = ("day", "week", "year")
_FIRST_ROWS = 1000  # a recipe is found from these


def make(
    *,
    target: str | Sequence[str],
    inputs: Sequence[str] | None,
    ignore: Sequence[str] | None,
    as_: Mapping[str, str] | None,
    cycles: Sequence[str] | None,
    missing: Sequence[object] | None,
    fill: str | None,
    lag: Mapping[str, Sequence[int]] | None,
    by: str | None,
    horizon: int,
) -> dict[str, Any]:
    """Check the keywords by themselves: there is no table yet."""
    for kind in (as_ or {}).values():
        _one_of("as_", kind, _KINDS)
    for cycle in cycles or ():
        _one_of("cycles", cycle, _CYCLES)
    if fill is not None:
        _one_of("fill", fill, _FILLS)
    return {
        "targets": _names("target", target),
        "inputs": _names("inputs", inputs or ()),
        "ignored": _names("ignore", ignore or ()),
        "as": dict(as_ or {}),
        "cycles": None if cycles is None else ",".join(cycles) or "none",
        "missing": [_text(value) for value in missing or ()],
        "fill": fill,
        "lags": {
            name: _options.integers(f"lag of {name}", rows) for name, rows in (lag or {}).items()
        },
        "by": "" if by is None else by,
        "horizon": _options.integer("horizon", horizon),
    }


def find_recipe(
    wishes: Mapping[str, Any], columns: Mapping[str, _tables.Column]
) -> tuple[_core.Table, list[str]]:
    """Find the recipe from the first rows; with remarks about it."""
    _check_names(wishes, columns)
    left_out = {
        *wishes["ignored"],
        *(name for name, kind in wishes["as"].items() if kind == "ignore"),
    }
    inputs = [name for name in wishes["inputs"] if name not in left_out]
    if both := set(inputs) & set(wishes["targets"]):
        raise ValueError(f"inputs names {min(both)!r}, which is a target")
    # The order of the inputs is that of the keyword.
    order = [*inputs, *(name for name in columns if name not in inputs)]
    first = [_tables.first_rows(columns[name], _FIRST_ROWS) for name in order]
    try:
        table, remarks = _core.find_table(order, first, {**wishes, "inputs": inputs})
    except ValueError as error:
        raise ValueError(in_keywords(str(error))) from None
    return table, [in_keywords(remark) for remark in remarks]


def in_keywords(text: str) -> str:
    """What the recipe says to users of the command, for users of TableModel.

    >>> in_keywords("empty in the first row; --as flow=number takes it")
    "empty in the first row; as_={'flow': 'number'} takes it"
    >>> in_keywords("--lag 'site': only numbers have lags")
    "lag 'site': only numbers have lags"
    """
    text = re.sub(
        r"--as (COL|'[^']*'|[^\s;]+?)=([a-zA-Z-]+)",
        lambda found: f"as_={{{found[1].strip(chr(39))!r}: {found[2]!r}}}",
        text,
    )
    text = re.sub(r"--ignore ([^\s;]+)", r"ignore=['\1']", text)
    text = re.sub(r"--missing=([^\s;]+)", r"missing=['\1']", text)
    text = re.sub(
        r"--cycles ([a-z,]+)", lambda found: f"cycles={found[1].strip(',').split(',')}", text
    )
    return re.sub(r"--as\b", "as_", re.sub(r"--(?!as\b)([a-z]+)\b", r"\1", text))


def _check_names(wishes: Mapping[str, Any], columns: Mapping[str, _tables.Column]) -> None:
    named = {
        "target": wishes["targets"],
        "inputs": wishes["inputs"],
        "ignore": wishes["ignored"],
        "as_": wishes["as"],
        "lag": wishes["lags"],
        "by": [wishes["by"]] if wishes["by"] else [],
    }
    for field, names in named.items():
        for name in names:
            if name not in columns:
                known = ", ".join(columns)
                raise ValueError(f"{field} names {name!r}; the columns are {known}")


def _names(field: str, value: str | Sequence[str]) -> list[str]:
    names = [value] if isinstance(value, str) else list(value)
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"{field} names {name!r}; it must be the name of a column")
        if names.count(name) > 1:
            raise ValueError(f"{field} names {name!r} twice")
    if field == "target" and not names:
        raise ValueError("target is empty; it must name a column")
    return names


def _one_of(field: str, value: object, known: Sequence[str]) -> None:
    if value not in known:
        raise ValueError(f"{field} has {value!r}; it must be one of {', '.join(known)}")


def _text(value: object) -> str:
    """A missing value as a table writes it: -200.0 is -200.

    >>> _text(-200.0), _text("none")
    ('-200', 'none')
    """
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
