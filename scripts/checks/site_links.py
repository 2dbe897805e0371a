"""Checks the links of the documentation site: `python3 scripts/checks/site_links.py build/site`.

Prints each link, picture, script and style of a page that leads to a file or anchor that the site
does not have. It fails if there is one. Addresses of other sites are not tried.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """What a page points to, and what can be pointed to in it."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[tuple[int, str]] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note links and anchors."""
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name in ("href", "src"):
                self.targets.append((self.getpos()[0], value))


def broken(site: Path) -> list[str]:
    """Return a line for each link that leads nowhere."""
    pages = {}
    for file in sorted(site.rglob("*.html")):
        if "_static" in file.relative_to(site).parts:  # a template of the theme
            continue
        page = _Page()
        page.feed(file.read_text())
        pages[file] = page
    found = []
    for file, page in pages.items():
        for line, target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            other = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            where = f"{file.relative_to(site)}:{line}: {target}"
            if not other.exists():
                found.append(f"{where}: there is no such file")
            elif (
                parts.fragment
                and other in pages
                and unquote(parts.fragment) not in pages[other].anchors
            ):
                found.append(f"{where}: there is no such anchor")
    return found


def main() -> int:
    """Check the site that is named on the command line."""
    site = Path(sys.argv[1]).resolve()
    found = broken(site)
    for line in found:
        print(line, file=sys.stderr)
    if not (site / "index.html").is_file():
        print(f"{site} has no index.html", file=sys.stderr)
        return 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
