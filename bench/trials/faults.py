"""Every write, sync and allocation of a stream fails, one after another.

The file must then be as of one of the stream's commits, at least the one that was there before; and
the stream must go on from there to the same model.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from trials.command import Campaign, TrialFailed, difference, first_rows, write_rows

ROWS, BEFORE, BATCH = 96, 40, 8
BEFORE_MAIN = 20  # allocations of the libraries that the command is linked with
FLAGS = ("--target", "y", "--capacity", "24", "--training-observations", "40", "--kernel", "rbf",
         "--batch", BATCH, "--commit-every", "1000")


def build(campaign: Campaign, folder: Path) -> Path:
    library = folder / "faults.so"
    source = campaign.root / "bench" / "trials" / "libc_faults.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], check=True)
    return library


class Stream:
    """A file with some rows, and the model that it must become."""

    def __init__(self, campaign: Campaign, folder: Path) -> None:
        self.campaign = campaign
        self.folder = folder
        self.library = build(campaign, folder)
        self.rows = write_rows(folder / "rows.csv", ROWS)
        self.queries = write_rows(folder / "queries.csv", 20, 2)
        self.begun = folder / "begun.splitgp"
        # The same source, so that the position in the file fits it.
        whole = self.rows.read_text()
        first_rows(self.rows, BEFORE, self.rows.with_suffix(".part")).replace(self.rows)
        self.learn(self.begun)
        self.rows.write_text(whole)
        self.model = folder / "m.splitgp"
        self.reset()
        self.learn(self.model)
        self.expected = campaign.answers(self.model, self.queries)
        self.aborted = 0

    def reset(self) -> None:
        for companion in self.folder.glob("m.splitgp*"):
            companion.unlink()
        shutil.copy(self.begun, self.model)

    def learn(self, model: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
        return self.campaign.run("stream", self.rows, "--model", model, *FLAGS,
                                 environment=environment)

    def attempt(self, kind: str, after: int, count: int) -> None:
        self.reset()
        where = f"{kind} {after}, {'once' if count else 'and all later ones'}"
        ended = self.learn(self.model, LD_PRELOAD=str(self.library), FAULT_KIND=kind,
                          FAULT_AFTER=str(after), FAULT_COUNT=str(count))
        code = ended.returncode
        if code > 0 and len(ended.stderr.splitlines()) != 1:
            raise TrialFailed(f"{where}: not one line: {ended.stderr.decode()[-300:]}")
        if code < 0:
            # Before main() nobody can catch anything.
            if kind != "alloc" or after >= BEFORE_MAIN:
                raise TrialFailed(f"{where}: ended by signal {-code}")
            self.aborted += 1
        held = self.campaign.learned(self.model)
        if held != ROWS and ((held - BEFORE) % BATCH != 0 or not BEFORE <= held <= ROWS):
            raise TrialFailed(f"{where}: {held} rows, which is no commit")
        if code == 0 and held != ROWS:
            raise TrialFailed(f"{where}: the command ended well with {held} of {ROWS} rows")
        if self.learn(self.model).returncode != 0 or self.campaign.learned(self.model) != ROWS:
            raise TrialFailed(f"{where}: the stream does not go on")
        worst = difference(self.campaign.answers(self.model, self.queries), self.expected)
        # A training that failed is made up for later, with another result.
        if not worst < (1e-9 if kind != "alloc" else 1.0):
            raise TrialFailed(f"{where}: the model differs by {worst:.3g}")

    def total(self, kind: str) -> int:
        self.reset()
        report = self.folder / "report"
        self.learn(self.model, LD_PRELOAD=str(self.library), FAULT_KIND=kind,
                   FAULT_AFTER=str(1 << 60), FAULT_REPORT=str(report))
        return int(report.read_text())


def run(campaign: Campaign) -> str:
    chance = campaign.chance("faults")
    counts = []
    with tempfile.TemporaryDirectory() as name:
        stream = Stream(campaign, Path(name))
        kinds = ("sync", "write", "alloc")
        for left, kind in zip(range(len(kinds), 0, -1), kinds, strict=True):
            total = stream.total(kind)
            now = time.monotonic()
            end = now + (campaign.end - now) / left
            # In any order, so that a campaign that is cut short has seen a sample of each kind.
            done = 0
            for after in chance.sample(range(total), total if campaign.long else 6):
                if time.monotonic() >= end:
                    break
                stream.attempt(kind, after, chance.choice((0, 1)))
                done += 1
            counts.append(f"{done} of {total} {kind}s")
    return f"{', '.join(counts)} failed; {stream.aborted} aborts before main(); every file as of a commit"
