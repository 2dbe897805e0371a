"""What all parts need: the command, a stream of rows, and what a model file holds."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class TrialFailed(Exception):
    """Something was lost, damaged or wrong."""


@dataclass(frozen=True)
class Campaign:
    command: Path
    root: Path
    seed: int
    long: bool
    end: float = math.inf  # of time.monotonic(): a part stops here

    def is_over(self) -> bool:
        return time.monotonic() >= self.end

    def chance(self, part: str) -> random.Random:
        return random.Random(f"{self.seed} {part}")

    def run(self, *arguments: object, **settings: Any) -> subprocess.CompletedProcess[bytes]:
        """Runs the command to its end."""
        environment = {**os.environ, **settings.pop("environment", {})}
        return subprocess.run(
            [str(self.command), *map(str, arguments)], capture_output=True, env=environment,
            timeout=600, check=False, **settings,
        )

    def start(self, *arguments: object, **settings: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen([str(self.command), *map(str, arguments)], **settings)

    def learned(self, model: Path, which: str = "seen") -> int:
        """How many rows the file has learned, or which "observations" it holds; it must open."""
        found = self.run("inspect", "--model", model, "--json")
        if found.returncode != 0:
            raise TrialFailed(f"{model.name} cannot be opened: {message(found)}")
        return int(json.loads(found.stdout)[which])

    def answers(self, model: Path, queries: Path) -> list[float]:
        """What the model predicts."""
        found = self.run("predict", queries, "--model", model)
        if found.returncode != 0:
            raise TrialFailed(f"{model.name} does not predict: {message(found)}")
        header, *lines = (line.split(",") for line in found.stdout.decode().splitlines())
        given = queries.read_text().partition("\n")[0].split(",")
        added = [at for at, name in enumerate(header) if name not in given]
        return [float(line[at]) for line in lines for at in added]


def message(ended: subprocess.CompletedProcess[bytes]) -> str:
    return ended.stderr.decode(errors="replace").strip().splitlines()[-1:][0] if ended.stderr else ""


def write_rows(path: Path, n: int, seed: int = 1) -> Path:
    """Two inputs and a smooth, noisy target."""
    chance = random.Random(seed)
    with path.open("w") as file:
        file.write("a,b,y\n")
        for _ in range(n):
            a, b = chance.uniform(-1, 1), chance.uniform(-1, 1)
            file.write(f"{a!r},{b!r},{math.sin(3 * a) + b * b + chance.gauss(0, 0.05)!r}\n")
    return path


def write_sites(path: Path, n: int, seed: int = 1, numbered: int = 0) -> Path:
    """The same with a site, which has a number in the first rows and a name in all others."""
    lines = write_rows(path, n, seed).read_text().splitlines(keepends=True)
    with path.open("w") as file:
        file.write("site," + lines[0])
        for i, line in enumerate(lines[1:]):
            file.write(f"{i % 3 if i < numbered else ('hall', 'yard', 'roof')[i % 3]},{line}")
    return path


def first_rows(path: Path, n: int, to: Path) -> Path:
    with path.open() as file:
        to.write_text("".join(line for _, line in zip(range(n + 1), file, strict=False)))
    return to


def difference(ours: list[float], theirs: list[float]) -> float:
    if len(ours) != len(theirs):
        return math.inf
    return max((abs(a - b) / max(1.0, abs(b)) for a, b in zip(ours, theirs, strict=True)), default=0.0)
