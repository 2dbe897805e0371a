"""Checks that files know only the rooms below their own: `python3 scripts/checks/rooms.py [ROOT]`.

Prints every line that includes or imports what it may not, with both rooms, and fails if there is
one. It needs no build.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import edges
import order

_ORDER = "scripts/checks/order.py"


def _of_one_language(
    rooms: dict[str, set[str]],
    files: Iterable[tuple[Path, str]],
    found: Iterable[edges.Edge],
) -> list[str]:
    """What is wrong; `files` with the room of each."""
    wrong = []
    read = set()
    for file, room in files:
        read.add(room)
        if room not in rooms:
            wrong.append(f"{file}: {room} has no place in {_ORDER}")
    for edge in found:
        read.add(edge.other)
        may = rooms.get(edge.room, set())
        if edge.room in rooms and edge.other != edge.room and edge.other not in may:
            wrong.append(f"{edge.file}:{edge.line}: {edge.room} may not know {edge.other}")
    # Otherwise the order would speak of rooms that are gone, or that were not read.
    wrong += [f"{_ORDER}: there are no files of {room}" for room in rooms if room not in read]
    return wrong


def wrong_edges(root: Path) -> list[str]:
    """A line for each edge that points the wrong way, and for each room without a place."""
    cxx, python, packages = order.of_cxx(), order.of_python(), set(order.PACKAGES)
    return _of_one_language(
        cxx,
        ((file, edges.cxx_room(file, set(cxx))) for file in edges.cxx_files(root)),
        edges.includes(root, set(cxx)),
    ) + _of_one_language(
        python,
        ((file, edges.python_room(file, packages)) for file in edges.python_files(root)),
        edges.imports(root, packages),
    )


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()
    wrong = wrong_edges(root)
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
