"""Puts what a program measured into a page, between the marks that the program has there."""

from __future__ import annotations

import sys
from pathlib import Path

DOCUMENTS = Path(__file__).resolve().parents[2] / "docs"


def write(page: str, program: str, text: str) -> None:
    """Replace what `program` wrote into docs/`page` before."""
    path = DOCUMENTS / page
    begin, end = f"<!-- written by {program} -->", f"<!-- end of {program} -->"
    before, found, rest = path.read_text().partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        sys.exit(f"{program}: {path} lacks the marks {begin} and {end}")
    path.write_text(f"{before}{begin}\n{text}\n{end}{after}")
