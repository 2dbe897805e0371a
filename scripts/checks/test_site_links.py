"""Plants links that lead nowhere in a small site: `python3 test_site_links.py`."""

from __future__ import annotations

import unittest

from planted import PlantedTest


class SiteLinks(PlantedTest):
    """The check has to name what leads nowhere, and nothing else."""

    check = "site_links.py"

    def setUp(self) -> None:
        super().setUp()
        self.add("index.html", '<a href="b.html#here">x</a> <a href="https://example.org/x">x</a>')
        self.add("b.html", '<p id="here">x</p> <a href="#here">x</a> <a href="index.html">x</a>')

    def test_what_is_there(self) -> None:
        assert self.found() == []

    def test_a_page_that_is_not_there(self) -> None:
        line = self.add("b.html", '<a href="gone.html">x</a>')
        assert self.found() == [f"b.html:{line}: gone.html: there is no such file"]

    def test_a_picture_that_is_not_there(self) -> None:
        line = self.add("b.html", '<img src="gone.png">')
        assert self.found() == [f"b.html:{line}: gone.png: there is no such file"]

    def test_an_anchor_that_is_not_there(self) -> None:
        line = self.add("index.html", '<a href="b.html#gone">x</a>')
        assert self.found() == [f"index.html:{line}: b.html#gone: there is no such anchor"]


if __name__ == "__main__":
    unittest.main()
