"""Pages that live outside docs/ appear on the site, and links to other files outside it work.

A page here whose text is `<!-- the page ../../CONTRIBUTING.md -->` becomes that file. A link from
any page to a file outside docs/ leads to that file's page if it has one, otherwise to the file at
the address in SPLITGP_SITE_SOURCE if that is set, otherwise to a copy of it in the site. So every
page can also be read in the repository as it is.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from sphinx.application import Sphinx

_STANDS_FOR = re.compile(r"^<!-- the page (\S+) -->$", re.MULTILINE)
_LINK = re.compile(r"(\]\()([^)\s#]*)(#[^)\s]*)?(\))")
_BLOCK = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def _pages(docs: Path) -> dict[Path, Path]:
    """Which file stands for which page of the site."""
    found = {}
    for page in docs.rglob("*.md"):
        if match := _STANDS_FOR.search(page.read_text()):
            found[(page.parent / match[1]).resolve()] = page
    return found


def _read(app: Sphinx, name: str, source: list[str]) -> None:
    docs = Path(app.srcdir)
    page = docs / f"{name}.md"
    if not page.is_file():
        return
    origin = page
    if match := _STANDS_FOR.search(source[0]):
        origin = (page.parent / match[1]).resolve()
        app.env.note_dependency(str(origin))
        source[0] = origin.read_text()
    pages = _pages(docs)
    address = os.environ.get("SPLITGP_SITE_SOURCE")

    def resolve(match: re.Match[str]) -> str:
        target, anchor = match[2], match[3] or ""
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        file = (origin.parent / target).resolve()
        if file.is_dir() and (file / "README.md").is_file():
            file = file / "README.md"
        if file in pages:
            file = pages[file]
        elif file.parent == docs.parent / "examples" / "gallery":
            name = "index" if file.stem == "README" else file.stem
            file = docs / "gallery" / f"{name}.rst"
        elif address and not file.is_relative_to(docs):
            return f"]({address}/{file.relative_to(docs.parent)}{anchor})"
        elif not file.is_relative_to(docs):
            anchor = ""  # a download has none
        return f"]({os.path.relpath(file, page.parent)}{anchor})"

    parts = _BLOCK.split(source[0])
    parts[::2] = [_LINK.sub(resolve, part) for part in parts[::2]]
    source[0] = "".join(parts)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", _read)
    return {"parallel_read_safe": True}
