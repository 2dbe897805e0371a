"""Plants edges that point the wrong way in a copy of the sources: `python3 test_rooms.py`."""

from __future__ import annotations

import shutil
import unittest
from pathlib import Path

from planted import PlantedTest

ROOT = Path(__file__).resolve().parents[2]

# file, what is added at its end, and how the last line of that is reported after file and number
PLANTED = (
    (
        "src/core/partition/centers.cc",
        '#include "core/watch/drift.h"',
        "src/core/partition may not know src/core/watch",
    ),
    (
        "src/core/base/parallel.h",
        '#  include "../model/update.h" // why not',
        "src/core/base may not know src/core/model",
    ),
    (
        "src/core/api/internals.h",
        '#include "store/schema.h"',
        "src/core/api may not know src/store",
    ),
    (
        "src/store/schema.h",
        '#include "table/recipe.h"',
        "src/store may not know src/table",
    ),
    (
        "src/serve/http/server.cc",
        '#include "serve/model.h"',
        "src/serve/http may not know src/serve",
    ),
    (
        "include/splitgp/options.h",
        "#include <core/options/validate.h>",
        "include/splitgp may not know src/core/options",
    ),
    (
        "src/io/number.cc",
        '#include "core/foo.h"',
        'src/io may not know "core/foo.h", which is not there',
    ),
    (
        "examples/quickstart.cc",
        "#include <core/model/update.h>",
        "examples may not know src/core/model",
    ),
    (
        "python/splitgp/_options.py",
        "from splitgp import _core, \\\n    _saving",
        "splitgp._options may not know splitgp._saving",
    ),
    (
        "python/splitgp/_saving.py",
        "def late():\n    from . import SplittingGP",
        "splitgp._saving may not know splitgp",
    ),
    (
        "python/splitgp/plot.py",
        "import experiments.shared.run",
        "splitgp.plot may not know experiments.shared",
    ),
    (
        "experiments/shared/methods.py",
        "from experiments.cost import models",
        "experiments.shared may not know experiments.cost",
    ),
    (
        "experiments/stages/regimes.py",
        "import experiments.tests.test_stages as late",
        "experiments.stages may not know experiments.tests",
    ),
)
NO_EDGES = (
    ("src/core/base/operations.h", '// #include "core/model/update.h"'),
    ("python/splitgp/_core.pyi", "import experiments"),  # types only
)
WITHOUT_A_PLACE = (
    ("src/core/foo/all.h", "src/core/foo"),
    ("python/splitgp/_foo.py", "splitgp._foo"),
)
GONE = "src/c"


class Rooms(PlantedTest):
    """The check has to name what was planted, and nothing else."""

    check = "rooms.py"

    def setUp(self) -> None:
        super().setUp()
        for top in ("include", "src", "python", "experiments", "examples"):
            for file in (ROOT / top).rglob("*"):
                if file.suffix in (".h", ".cc", ".c", ".py", ".pyi"):
                    copy = self.root / file.relative_to(ROOT)
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(file, copy)

    def test_what_is_planted_is_named(self) -> None:
        expected = [f"{file}:{self.add(file, text)}: {report}" for file, text, report in PLANTED]
        for file, text in NO_EDGES:
            self.add(file, text)
        for file, room in WITHOUT_A_PLACE:
            self.add(file, "")
            expected.append(f"{file}: {room} has no place in scripts/checks/order.py")
        shutil.rmtree(self.root / GONE)
        expected.append(f"scripts/checks/order.py: there are no files of {GONE}")
        assert sorted(self.found()) == sorted(expected)


if __name__ == "__main__":
    unittest.main()
