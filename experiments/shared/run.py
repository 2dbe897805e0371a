"""Measurements as jobs: in parallel, longest first, each saved as soon as it is done."""

from __future__ import annotations

import csv
import inspect
import json
import multiprocessing
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import splitgp
from experiments.shared.progress import Progress
from experiments.shared.table import COLUMNS, DONE, KEY, Row, Table, finished, read_rows

__all__ = ["Job", "Settings", "options", "run"]


@dataclass(frozen=True)
class Settings:
    """The settings from the command line."""

    out: Path
    quick: bool = False
    replicates: int | None = None
    jobs: int = 2
    seed: int = 0

    def kept(self) -> dict[str, Any]:
        """What measurements in one file must have in common."""
        return {
            "quick": self.quick,
            "seed": self.seed,
            "version": splitgp.__version__,
            "instruction_set": splitgp.instruction_set(),
            "options": options(),
        }


@dataclass(frozen=True)
class Job:
    """One call of `function(**arguments)`, which gives [(n, metric, value), ...]."""

    function: Callable[..., list[tuple[int, str, float]]]
    arguments: dict[str, Any]
    data: str
    method: str
    kernel: str = "rbf"
    setting: float = 0.0
    replicate: int = 0
    cost: float = 1.0  # estimated seconds; only the order depends on it
    turn: int = 0  # lower turns run first, and those of turn 0 are enough for a page

    @property
    def key(self) -> tuple[str, ...]:
        return tuple(_text(getattr(self, name)) for name in KEY)

    def __call__(self) -> list[Row]:
        start = time.perf_counter()
        measured = self.function(**self.arguments)
        measured.append((0, DONE, time.perf_counter() - start))
        # Rounded as the file keeps them, so that pages and figures do not depend on which of the
        # measurements were made now and which were read.
        return [
            Row(self.data, self.method, self.kernel, self.setting, self.replicate, n, metric, kept)
            for n, metric, value in measured
            for kept in [float(_text(value))]
        ]

    def __str__(self) -> str:
        return f"{self.data}, {self.method} {_text(self.setting)}, replicate {self.replicate}"


def options() -> list[str]:
    """What this engine can do, by the names of its options: one more makes it another engine."""
    return sorted(set(inspect.signature(splitgp.SplittingGP).parameters) - {"preset"})


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def run(name: str, jobs: Sequence[Job], settings: Settings) -> Table:
    """Measure what `out/name.csv` does not hold yet, and return everything it then holds."""
    settings.out.mkdir(parents=True, exist_ok=True)
    path = settings.out / f"{name}.csv"
    _check_same_run(settings.out / f"{name}.json", path, settings)
    rows = _complete(path)
    measured = {row.key for row in rows}
    missing = [job for job in jobs if job.key not in measured]
    progress = Progress(len(missing), sum(job.cost for job in missing), settings.jobs)
    with path.open("a", newline="") as file:
        for job, result in _results(missing, settings.jobs):
            # One write for one job; a reader drops what a killed process left unfinished.
            file.write("".join(_line(row) for row in result))
            file.flush()
            rows += result
            progress.done += 1
            progress.done_cost += job.cost
            progress.show(f"{name}: {job}")
    table = finished(rows, {job.key for job in jobs})
    assert table is not None
    return table


def _results(jobs: Sequence[Job], workers: int) -> Iterable[tuple[Job, list[Row]]]:
    ordered = sorted(jobs, key=lambda job: (job.turn, -job.cost))
    if workers == 1 or len(ordered) < 2:
        for job in ordered:
            yield job, job()
        return
    # Not forked: a child would inherit threads and locks in an unknown state.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        pending: dict[Future[list[Row]], Job] = {pool.submit(job): job for job in ordered}
        try:
            while pending:
                for future in wait(pending, return_when=FIRST_COMPLETED).done:
                    yield pending.pop(future), future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _line(row: Row) -> str:
    return ",".join(_text(getattr(row, name)) for name in COLUMNS) + "\n"


def _complete(path: Path) -> list[Row]:
    """The rows of finished jobs; the file is rewritten when it held others."""
    rows = read_rows(path) if path.exists() else []
    done = {row.key for row in rows if row.metric == DONE}
    kept = [row for row in rows if row.key in done]
    fresh = path.with_suffix(".partial")
    with fresh.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerow(COLUMNS)
        file.write("".join(_line(row) for row in kept))
    fresh.replace(path)
    return kept


def _check_same_run(path: Path, table: Path, settings: Settings) -> None:
    now = settings.kept()
    if path.exists() and table.exists():
        before = json.loads(path.read_text())
        for name, value in now.items():
            if before.get(name) != value:
                raise ValueError(
                    f"{table} was measured with {name} {before.get(name)!r}, this run has "
                    f"{value!r}; delete it or choose another --out"
                )
    path.write_text(json.dumps(now, indent=2) + "\n")
