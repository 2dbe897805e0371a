"""Plants edges that point the wrong way in a copy of the sources: `python3 test_rooms.py`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent

# file, what is added at its end, and how the last line of that is reported after file and number
PLANTED = (
    (
        "src/core/partition/centers.cc",
        '#include "core/watch/drift.h"',
        "src/core/partition may not know src/core/watch; it may know include/splitgp",
    ),
    (
        "src/core/base/parallel.h",
        '#  include "../model/update.h" // why not',
        "src/core/base may not know src/core/model; it may know include/splitgp",
    ),
    (
        "src/core/api/internals.h",
        '#include "store/schema.h"',
        "src/core/api may not know src/store; it may know include/splitgp, src/core/base",
    ),
    (
        "src/store/schema.h",
        '#include "table/recipe.h"',
        "src/store may not know src/table; it may know include/splitgp, src/core/base",
    ),
    (
        "src/serve/http/server.cc",
        '#include "serve/model.h"',
        "src/serve/http may not know src/serve; it may know include/splitgp",
    ),
    (
        "include/splitgp/options.h",
        "#include <core/options/validate.h>",
        "include/splitgp may not know src/core/options; it may know no other room",
    ),
    (
        "src/io/number.cc",
        '#include "core/number.h"',
        'src/io may not know "core/number.h", which is not there; it may know include/splitgp',
    ),
    (
        "examples/quickstart.cc",
        "#include <core/model/update.h>",
        "examples may not know src/core/model; it may know include/splitgp",
    ),
    (
        "python/splitgp/_options.py",
        "from splitgp import _core, \\\n    _saving",
        "splitgp._options may not know splitgp._saving; it may know splitgp._",
    ),
    (
        "python/splitgp/_saving.py",
        "def late():\n    from . import SplittingGP",
        "splitgp._saving may not know splitgp; it may know splitgp._",
    ),
    (
        "python/splitgp/plot.py",
        "import experiments.run",
        "splitgp.plot may not know experiments; it may know splitgp._",
    ),
)
WITHOUT_A_PLACE = (
    ("src/core/utils/all.h", "src/core/utils"),
    ("python/splitgp/_utils.py", "splitgp._utils"),
)
GONE = "src/c"


class Rooms(unittest.TestCase):
    """The check has to name what was planted, and nothing else."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        sources = shutil.ignore_patterns("__pycache__", "*.csv", "*.js", "*.so")
        for top in ("include", "src", "python", "experiments", "examples"):
            shutil.copytree(ROOT / top, self.root / top, ignore=sources)

    def found(self) -> list[str]:
        result = subprocess.run(
            [sys.executable, HERE, self.root], capture_output=True, text=True, check=False
        )
        lines = result.stderr.splitlines()
        assert result.returncode == (1 if lines else 0)
        return lines

    def add(self, file: str, text: str) -> int:
        """Adds lines to a file, and returns the number of the last one."""
        path = self.root / file
        path.parent.mkdir(exist_ok=True)
        whole = (path.read_text() if path.exists() else "") + text
        path.write_text(whole + "\n")
        return whole.count("\n") + 1

    def test_what_is_planted_is_named(self) -> None:
        expected = [f"{file}:{self.add(file, text)}: {report}" for file, text, report in PLANTED]
        for file, room in WITHOUT_A_PLACE:
            self.add(file, "")
            expected.append(f"{file}: {room} has no place in scripts/rooms/order.py")
        shutil.rmtree(self.root / GONE)
        expected.append(f"scripts/rooms/order.py: there are no files of {GONE}")
        found = self.found()
        for start in expected:
            named = [line for line in found if line.startswith(start)]
            assert len(named) == 1, f"{start}\nis not among\n" + "\n".join(found)
        assert len(found) == len(expected), found

    def test_a_comment_is_no_edge(self) -> None:
        self.add("src/core/base/parallel.h", '// #include "core/model/update.h"')
        self.add("python/splitgp/_core.pyi", "import experiments")  # types only
        assert self.found() == []


if __name__ == "__main__":
    unittest.main()
