"""What the tests of the checks share: a tree to plant mistakes in, and what a check finds there."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path


class PlantedTest(unittest.TestCase):
    """Has a folder of its own, `root`. `check` is the name of the program."""

    check: str

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()

    def add(self, file: str, text: str) -> int:
        """Adds lines to a file, which it makes if need be, and returns the number of the last."""
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = (path.read_text() if path.exists() else "") + text
        path.write_text(whole + "\n")
        return whole.count("\n") + 1

    def found(self) -> list[str]:
        """The lines that the check prints about the tree. It has to fail if there are any."""
        program = Path(__file__).with_name(self.check)
        result = subprocess.run(
            [sys.executable, "-B", program, self.root], capture_output=True, text=True, check=False
        )
        lines = result.stderr.splitlines()
        assert result.returncode == (1 if lines else 0)
        return lines
