"""Plants links and paths that lead nowhere in a small tree: `python3 test_links.py`."""

from __future__ import annotations

import unittest

from planted import PlantedTest

PAGE = """\
# A page

## What is here, and `why`

[a file](../src/core/room.h), [a heading](#what-is-here-and-why), [outside](https://example.org/x)
The code is in `core/room.h` and in src/core/room.h; `tests/foo_test.cc` is picked up.
"""


class Links(PlantedTest):
    """The check has to name what leads nowhere, and nothing else."""

    check = "links.py"

    def setUp(self) -> None:
        super().setUp()
        self.add("docs/page.md", PAGE)
        self.add("src/core/room.h", "// docs/page.md says why.")

    def test_what_is_there(self) -> None:
        assert self.found() == []

    def test_a_link_to_a_heading_that_is_gone(self) -> None:
        self.add("README.md", "\n[here](docs/page.md#what-was-here)")
        assert self.found() == ["README.md:2: docs/page.md has no heading #what-was-here"]

    def test_a_link_to_a_file_that_is_gone(self) -> None:
        self.add("docs/other.md", "[there](pages.md#what)")
        assert self.found() == ["docs/other.md:1: there is no pages.md#what"]

    def test_a_comment_that_names_a_file_that_is_gone(self) -> None:
        self.add("src/core/other.cc", "int i;\n// as in core/rooms.h")
        assert self.found() == ["src/core/other.cc:2: there is no core/rooms.h"]

    def test_headings_in_code_are_none(self) -> None:
        self.add("docs/code.md", "```\n# comment\n```\n[to it](#comment)")
        assert self.found() == ["docs/code.md:4: code.md has no heading #comment"]

    def test_history_may_name_what_was(self) -> None:
        self.add("CHANGELOG.md", "`core/renewal.h` is gone.")
        assert self.found() == []


if __name__ == "__main__":
    unittest.main()
