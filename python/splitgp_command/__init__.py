"""Starts the `splitgp` command that lies beside this file.

A package of its own, because importing `splitgp` would load numpy first.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """Replaces this process by the command, with the same arguments."""
    program = Path(__file__).with_name("splitgp")
    if not program.exists():
        sys.exit("splitgp: this package was built without the command")
    os.execv(program, ["splitgp", *sys.argv[1:]])
