"""What the pages show in Python is run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCUMENTS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("document", ["python.md", "control.md", "tutorials/python.md"])
def test_the_python_blocks_run(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (DOCUMENTS / document).read_text(), re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
