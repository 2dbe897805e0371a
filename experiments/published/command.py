"""One run of the command `splitgp stream` with default options on one table."""

from __future__ import annotations

import hashlib
import resource
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from experiments.published.rivals import Floats

__all__ = ["Answers", "fingerprint", "stream"]

# Columns of the array that is kept: the answer to each row, its interval, and in the row behind
# the last the processor seconds of the whole run.
Answers = Floats


def fingerprint(program: Path) -> str:
    """Equal for equal programs, wherever they are."""
    return hashlib.sha256(program.read_bytes()).hexdigest()[:12]


def stream(program: Path, frame: Any, target: str) -> Answers:
    """Mean, lower and upper for each row; NaN for a row that was not answered.

    One row more than the table has holds the processor seconds of the run.
    """
    found = np.full((len(frame) + 1, 3), np.nan)
    with tempfile.TemporaryDirectory(prefix="splitgp-") as folder:
        table, answers = Path(folder) / "table.csv", Path(folder) / "answers.csv"
        frame.to_csv(table, index=False)
        # By number, whatever characters the name has.
        number = [str(name) for name in frame.columns].index(target) + 1
        named = target if "," not in target else str(number)
        before = _seconds()
        arguments = ["stream", str(table), "--target", named, "--predictions", str(answers)]
        run = subprocess.run(
            [str(program), *arguments], capture_output=True, text=True, check=False
        )
        found[-1, 0] = _seconds() - before
        if run.returncode not in (0, 3) or not answers.exists():
            reason = run.stderr.strip().splitlines()[-1:] or [f"exit code {run.returncode}"]
            raise RuntimeError(reason[0])
        if answers.read_text().count("\n") > 1:  # not the header alone
            read = np.genfromtxt(answers, delimiter=",", skip_header=1, usecols=range(5), ndmin=2)
            found[read[:, 0].astype(int) - 1] = read[:, [1, 3, 4]]
    return found


def _seconds() -> float:
    """Of the programs that this process has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
