"""The line with which the command refuses Parquet and Arrow files does convert them."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

COMMAND = str(Path(sysconfig.get_path("scripts")) / "splitgp")


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_the_refusal_has_a_line_that_converts(tmp_path: Path, kind: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet")
    rows = 60
    table = pyarrow.table(
        {
            "site": [("hall", "yard")[i % 2] for i in range(rows)],
            "flow": [math.sin(i) if i % 10 else None for i in range(rows)],
            "power": [math.cos(0.3 * i) for i in range(rows)],
        }
    )
    file = tmp_path / "log.columns"
    if kind == "parquet":
        pyarrow.parquet.write_table(table, file)
    else:
        from pyarrow import feather

        feather.write_feather(table, str(file))

    refused = subprocess.run(
        [COMMAND, "stream", str(file), "--target", "power"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 1
    line = re.search(r'python3 -c "([^"]+)" FILE \| splitgp stream -', refused.stderr)
    assert line, refused.stderr

    converted = subprocess.run(
        [sys.executable, "-c", line[1], str(file)], capture_output=True, check=True
    )
    learned = subprocess.run(
        [COMMAND, "stream", "-", "--target", "power"],
        input=converted.stdout, capture_output=True, check=True,
    )  # fmt: skip
    assert b"read 60 rows: 60 learned, 0 rejected" in learned.stdout
