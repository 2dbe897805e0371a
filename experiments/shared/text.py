"""The smallest pieces of a page: a number, a table, a picture."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["markdown", "number", "picture"]


def number(value: float) -> str:
    """Three or four digits, as a reader wants them.

    >>> number(0.15361), number(1234567.0), number(3.2e-9)
    ('0.1536', '1,234,567', '3.2e-09')
    """
    if not math.isfinite(value):
        return "–"
    if value == 0 or 1e-3 <= abs(value) < 1000:
        return f"{value:.4g}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2g}"


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def picture(path: Path, text: str) -> str:
    """A figure, with a link to the version that scales."""
    return f"[![{text}]({path.name})]({path.with_suffix('.svg').name})\n"
