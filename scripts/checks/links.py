"""Checks what pages and comments point to: `python3 scripts/checks/links.py [ROOT]`.

Prints every link of a Markdown page to a file or heading that is not there, and every path to a
file of ours, in a page or a source file, that does not exist. It fails if there is one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)
_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# As pages and comments write paths: from the root, or from src/.
_TOPS = "bench|docs|examples|experiments|include|packaging|python|scripts|src|tests"
_ROOMS = "c|charts|cli|core|io|rivals|scale|serve|store|table"
_NAME = r"[\w/-]+\.(?:h|cc|c|py|sh|md|cmake)"
_PATH = re.compile(rf"(?<![\w/.<-])((?:{_TOPS}|{_ROOMS})/{_NAME})(?![\w/])")

_SOURCES = ("src", "include", "tests", "bench", "python", "experiments", "scripts", "examples")


def pages(root: Path) -> Iterator[Path]:
    yield from sorted(root.glob("*.md"))
    for folder in ("docs", "LICENSES", "packaging", *_SOURCES):
        yield from sorted((root / folder).rglob("*.md"))


def sources(root: Path) -> Iterator[Path]:
    for folder in _SOURCES:
        for suffix in ("h", "cc", "c", "py", "cmake", "txt"):
            yield from sorted((root / folder).rglob(f"*.{suffix}"))


def slugs(text: str) -> set[str]:
    """The anchors that a page's headings get."""
    found: set[str] = set()
    for heading in _HEADING.findall(_BLOCK.sub("", text)):
        name = re.sub(r"[^\w\s-]", "", re.sub(r"[`*]", "", heading).lower()).replace(" ", "-")
        found.add(name if name not in found else f"{name}-1")
    return found


def line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def broken_links(root: Path, page: Path) -> Iterator[str]:
    text = page.read_text()
    for match in _LINK.finditer(_BLOCK.sub(lambda block: re.sub(r"[^\n]", " ", block[0]), text)):
        target, _, anchor = match[1].partition("#")
        if re.match(r"[a-z]+:", match[1]):
            continue
        other = page.parent / target if target else page
        where = f"{page.relative_to(root)}:{line_of(text, match.start())}"
        if not other.exists():
            yield f"{where}: there is no {match[1]}"
        elif anchor and other.suffix == ".md" and anchor not in slugs(other.read_text()):
            yield f"{where}: {target or page.name} has no heading #{anchor}"


def broken_paths(root: Path, file: Path) -> Iterator[str]:
    text = file.read_text()
    for match in _PATH.finditer(text):
        name = match[1]
        if "foo" in name:  # any name
            continue
        # A room's name may begin a path within the same folder, as in a CMakeLists.txt.
        if not any((base / name).exists() for base in (root, root / "src", file.parent)):
            yield f"{file.relative_to(root)}:{line_of(text, match.start())}: there is no {name}"


def broken(root: Path) -> list[str]:
    found = [line for page in pages(root) for line in broken_links(root, page)]
    for file in (*pages(root), *sources(root)):
        # History names what there was, and the tests of such checks what there is not.
        planted = file.is_relative_to(root / "scripts") and file.name.startswith("test_")
        if file.name != "CHANGELOG.md" and not planted:
            found += broken_paths(root, file)
    return found


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()
    found = broken(root)
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
