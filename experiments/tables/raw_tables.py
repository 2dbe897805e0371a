"""Tables as their publishers give them: text, gaps and all."""

from __future__ import annotations

import csv
import gzip
import itertools
from pathlib import Path

import numpy as np

from experiments.shared.measure import Floats
from splitgp import datasets

__all__ = ["numbers", "path_of", "read"]


def path_of(name: str) -> Path:
    """Where raw/NAME.csv.gz is: beside the prepared data sets."""
    path = datasets.find("metro_traffic").parent / "raw" / f"{name}.csv.gz"
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing; docs/data.md says where it comes from")
    return path


def read(name: str, most: int | None = None, delimiter: str = ",") -> dict[str, list[str]]:
    """The columns of a table, as text; lines without any value are left out."""
    with gzip.open(path_of(name), "rt", newline="") as file:
        lines = csv.reader(file, delimiter=delimiter)
        head = next(lines)
        rows = list(itertools.islice((line for line in lines if any(line)), most))
    return {column: [row[k] for row in rows] for k, column in enumerate(head) if column}


def numbers(texts: list[str], code: float | None = None) -> Floats:
    """Numbers with a decimal point or comma; NaN for gaps, and for the code that a sensor writes.

    >>> numbers(["1,5", "NA", "-200,0"], code=-200)
    array([1.5, nan, nan])
    """
    values = np.array([np.nan if t in ("", "NA") else float(t.replace(",", ".")) for t in texts])
    values[values == code] = np.nan
    return values
