"""Nasty rows: the command takes or rejects each one, what it predicts is finite, the file opens."""

from __future__ import annotations

import resource
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from trials.command import Campaign, TrialFailed

NUMBERS = ("0", "-0", "1e150", "-1e150", "1e151", "1e308", "1e400", "5e-324", "1e-150", "nan", "inf",
           "-inf", "", " ", "NA", "0x10", "1,5", "abc", "\"", "\"1\"", "'1'", "1e", "٣", "\x00", "1_0",
           "9" * 400, "é" * 90, "=1+1", "\t7", "+3")
FLAGS = ((), ("--training", "off", "--length-scale", "1"), ("--window-size", "200"),
         ("--calibration", "conformal"), ("--outliers", "reject"), ("--trend", "linear"))


def nasty_rows(chance: Random, count: int) -> Iterator[str]:
    """In stretches: ordinary, constant, repeated, far away, of another scale, broken."""
    yield "a,b,y\n"
    left = count
    for i in range(200):  # so that the recipe is one of numbers
        yield f"{chance.gauss(0, 1)},{chance.gauss(0, 1)},{chance.gauss(0, 1)}\n"
    while left > 0:
        stretch = min(left, chance.randint(1, 60))
        left -= stretch
        kind = chance.randrange(6)
        scale = 10.0 ** chance.randint(-160, 160) if kind == 4 else 1.0
        same = [chance.gauss(0, 1) for _ in range(3)]
        for _ in range(stretch):
            fields = [repr(chance.gauss(0, 1) * scale) for _ in range(3)]
            if kind == 1:
                fields[:2] = map(repr, same[:2])
            elif kind == 2:
                fields = [repr(value) for value in same]
            elif kind == 3:
                fields = [repr(value + 1e12) for value in map(float, fields)]
            elif kind == 5:
                fields[chance.randrange(3)] = chance.choice(NUMBERS)
                if chance.random() < 0.1:
                    fields = fields[: chance.randint(0, 3)] + ["x"] * chance.randint(0, 3)
            yield ",".join(fields) + "\n"


def stream(
    campaign: Campaign, folder: Path, number: int, rows: int, chance: Random
) -> tuple[int, float]:
    """How many rows were learned, and how many seconds of processor time that took."""
    model = folder / f"m{number}.splitgp"
    source, predicted = folder / "rows.csv", folder / f"p{number}.csv"
    with source.open("w", errors="surrogateescape") as file:
        file.writelines(nasty_rows(chance, rows))
    flags = ("--target", "y", "--capacity", "24", "--training-observations", "60",
             *FLAGS[number % len(FLAGS)])
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    try:
        ended = campaign.run("stream", source, "--model", model, "--predictions", predicted, *flags)
    except subprocess.TimeoutExpired:
        raise TrialFailed(f"{flags}: no end within ten minutes") from None
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if ended.returncode not in (0, 3):
        raise TrialFailed(f"{flags}: ended with {ended.returncode}: {ended.stderr.decode()[-300:]}")
    with predicted.open() as file:
        next(file)
        for line in file:
            mean, deviation = line.split(",")[1:3]
            # An infinite standard deviation would be as wrong as none.
            if "nan" in (mean, deviation) or "inf" in mean or "inf" in deviation:
                raise TrialFailed(f"{flags}: {line.strip()}")
    return campaign.learned(model), seconds


def run(campaign: Campaign) -> str:
    chance = campaign.chance("rows")
    files, each = (100, 10_000) if campaign.long else (3, 1_500)
    with tempfile.TemporaryDirectory() as name:
        learned = done = 0
        took: list[float] = []
        while done < files and not campaign.is_over():
            count, seconds = stream(campaign, Path(name), done, each, chance)
            learned += count
            took.append(seconds)
            done += 1
    # Each of the flags has another price, and a file that is merely slow is none that hangs.
    slowest = max(took) / max(statistics.median(took), 0.01) if took else 0.0
    if slowest > 20.0:
        raise TrialFailed(f"file {took.index(max(took))} took {slowest:.0f} times as long as most")
    return (
        f"{done * each} nasty rows in {done} files, {learned} learned, every prediction finite; "
        f"the slowest file took {slowest:.1f} times as long as the middle one"
    )
