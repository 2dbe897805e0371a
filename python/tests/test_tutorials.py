"""The shell blocks of the tutorials run, in their order, as a reader would type them."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sysconfig
from pathlib import Path

TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"


def run(page: str, folder: Path, **replaced: str) -> str:
    blocks = re.findall(r"```sh\n(.*?)```", (TUTORIALS / page).read_text(), re.DOTALL)
    assert blocks
    script = "set -euo pipefail\nset -m\ntrap 'kill %1 2>/dev/null || true' EXIT\n" + "".join(
        blocks
    )
    for old, new in replaced.items():
        script = script.replace(old.removeprefix("_"), new)
    result = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_table(tmp_path):
    shutil.copy(TUTORIALS / "kiln.csv", tmp_path)
    said = run("table.md", tmp_path)
    assert '"event":"drift"' in said.replace(" ", "")  # the burner that fails
    assert "mean,sd,lower,upper" in said
    assert (tmp_path / "report.html").stat().st_size > 100_000


def test_service(tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    said = run("service.md", tmp_path, _8077=str(port))
    assert '"repeated"' in said
    assert "splitgp_rows_learned_total 3" in said
    assert (tmp_path / "backup.splitgp").stat().st_size > 0
