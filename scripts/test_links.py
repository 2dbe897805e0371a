"""Plants links and paths that lead nowhere in a small tree: `python3 scripts/test_links.py`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(__file__).with_name("links.py")

PAGE = """\
# A page

## What is here, and `why`

[a file](../src/core/room.h), [a heading](#what-is-here-and-why), [outside](https://example.org/x)
The code is in `core/room.h` and in src/core/room.h; `tests/foo_test.cc` is picked up.
"""


class Links(unittest.TestCase):
    """The check has to name what leads nowhere, and nothing else."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.write("docs/page.md", PAGE)
        self.write("src/core/room.h", "// docs/page.md says why.\n")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def found(self) -> list[str]:
        result = subprocess.run(
            [sys.executable, PROGRAM, self.root], capture_output=True, text=True, check=False
        )
        lines = result.stderr.splitlines()
        assert result.returncode == (1 if lines else 0)
        return lines

    def test_what_is_there(self) -> None:
        assert self.found() == []

    def test_a_link_to_a_heading_that_is_gone(self) -> None:
        self.write("README.md", "\n[here](docs/page.md#what-was-here)\n")
        assert self.found() == ["README.md:2: docs/page.md has no heading #what-was-here"]

    def test_a_link_to_a_file_that_is_gone(self) -> None:
        self.write("docs/other.md", "[there](pages.md#what)\n")
        assert self.found() == ["docs/other.md:1: there is no pages.md#what"]

    def test_a_comment_that_names_a_file_that_is_gone(self) -> None:
        self.write("src/core/other.cc", "int i;\n// as in core/rooms.h\n")
        assert self.found() == ["src/core/other.cc:2: there is no core/rooms.h"]

    def test_headings_in_code_are_none(self) -> None:
        self.write("docs/code.md", "```\n# comment\n```\n[to it](#comment)\n")
        assert self.found() == ["docs/code.md:4: code.md has no heading #comment"]

    def test_history_may_name_what_was(self) -> None:
        self.write("CHANGELOG.md", "`core/renewal.h` is gone.\n")
        assert self.found() == []


if __name__ == "__main__":
    unittest.main()
