"""Reads the include lines of C++ files and the import lines of Python files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


@dataclass(frozen=True)
class Edge:
    """A line of a file that names another file, or a module, of ours."""

    file: Path  # relative to the root
    line: int
    room: str
    other: str


def cxx_files(root: Path) -> Iterator[Path]:
    for top in ("include", "src", "python/src", "examples"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix in (".h", ".cc", ".c"):
                yield file.relative_to(root)


def python_files(root: Path) -> Iterator[Path]:
    for top in ("python", "experiments", "examples"):
        yield from (file.relative_to(root) for file in sorted((root / top).rglob("*.py")))


def cxx_room(file: Path, rooms: set[str]) -> str:
    """The innermost room that a file is in; its folder if it is in none."""
    folders = [folder.as_posix() for folder in file.parents]
    return next((folder for folder in folders if folder in rooms), folders[0])


def python_room(file: Path, packages: set[str]) -> str:
    """A module or folder of a package, the package for its __init__.py, or what stands beside."""
    parts = file.parts[1:] if file.parts[0] == "python" else file.parts
    if parts[0] in packages:
        name = parts[1].removesuffix(".py")
        return parts[0] if name == "__init__" else f"{parts[0]}.{name}"
    if file.parts[0] != "python" or parts[0] == "splitgp_command":
        return parts[0]
    return f"python/{parts[0]}"


def includes(root: Path, rooms: set[str]) -> Iterator[Edge]:
    """What is included between quotes, and what is ours between angles."""
    for file in cxx_files(root):
        here = root / file
        for number, line in enumerate(here.read_text().splitlines(), 1):
            if not (match := _INCLUDE.match(line)):
                continue
            name = match[1] or match[2]
            bases = (here.parent, root / "src", root / "include")
            found = next((base / name for base in bases if (base / name).is_file()), None)
            if found is not None:
                other = cxx_room(found.resolve().relative_to(root.resolve()), rooms)
                yield Edge(file, number, cxx_room(file, rooms), other)
            elif match[1]:
                yield Edge(file, number, cxx_room(file, rooms), f'"{name}", which is not there')


def imports(root: Path, packages: set[str]) -> Iterator[Edge]:
    """Every import of a module of ours, also within a function."""
    ours = packages | {"splitgp_command"}
    for file in python_files(root):
        package = ".".join(file.parts[1:-1] if file.parts[0] == "python" else file.parts[:-1])
        for line, module in _imported(ast.parse((root / file).read_text(), str(file)), package):
            first, *rest = module.split(".")
            if first in ours:
                other = first
                if first in packages and rest and _is_module(root, first, rest[0]):
                    other = f"{first}.{rest[0]}"
                yield Edge(file, line, python_room(file, packages), other)


def _imported(tree: ast.Module, package: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = [node.module] if node.module else []
            if node.level:  # from . import
                parents = package.split(".")
                start = parents[: len(parents) - node.level + 1] + start
            yield from ((alias.lineno, ".".join([*start, alias.name])) for alias in node.names)


def _is_module(root: Path, package: str, name: str) -> bool:
    """Other names are defined by the package's __init__.py."""
    folder = root / ("python" if package == "splitgp" else "") / package
    return any((folder / one).exists() for one in (f"{name}.py", f"{name}.pyi", name))
