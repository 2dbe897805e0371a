"""A long stream in a window: memory and file stay as large as they are."""

from __future__ import annotations

import math
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from random import Random

from trials.command import Campaign, TrialFailed

WINDOW = 20_000


def resident(process: int) -> int:
    """In kilobytes; 0 once it has ended."""
    try:
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def feed(campaign: Campaign, victim: subprocess.Popen[bytes], rows: int, sent: list[int]) -> None:
    chance = Random(1)
    assert victim.stdin is not None
    victim.stdin.write(b"a,b,y\n")
    lines: list[str] = []
    for i in range(rows):
        a, b = chance.random(), chance.random()
        lines.append(f"{a:.6f},{b:.6f},{math.sin(6 * a) + b * b + 0.1 * chance.random():.6f}\n")
        if len(lines) == 1000 or i + 1 == rows:
            victim.stdin.write("".join(lines).encode())
            lines.clear()
            sent[0] = i + 1
            if campaign.is_over():
                break
    victim.stdin.close()


def run(campaign: Campaign) -> str:
    rows = 6_000_000 if campaign.long else 12_000
    window = WINDOW if campaign.long else 1_000
    with tempfile.TemporaryDirectory() as name:
        model = Path(name) / "m.splitgp"
        victim = campaign.start(
            "stream", "-", "--target", "y", "--model", model, "--window-size", window, "--capacity", 40,
            "--durability", "normal", "--training-observations", 200, stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        sent = [0]
        feeder = threading.Thread(target=feed, args=(campaign, victim, rows, sent))
        feeder.start()
        halves: list[list[int]] = [[], []]
        while victim.poll() is None:
            # The window has to be full, and a history has to reach its bound.
            if sent[0] > rows // 4:
                halves[sent[0] > 5 * rows // 8].append(resident(victim.pid))
            time.sleep(0.02 if not campaign.long else 1)
        feeder.join()
        if victim.returncode != 0:
            raise TrialFailed(f"the stream ended with {victim.returncode}")
        rows = sent[0]
        if campaign.learned(model) != rows:
            raise TrialFailed("the file does not have all rows")
        size = model.stat().st_size // 1024
    first, second = (max(half, default=0) for half in halves)
    if not 0 < second < 1.1 * first:
        raise TrialFailed(f"memory grows: {first} kB, later {second} kB")
    return f"{rows} rows, window {window}: at most {first} kB of memory, later {second} kB; file {size} kB"
