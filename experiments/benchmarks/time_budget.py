"""What capacity and neighbors cost and bring: the table for a time budget in docs/control.md.

kin40k (8 inputs, one output) and, with seven outputs, the Barrett arm's held-out stretches (21
inputs). One row at a time from Python; each query comes after an update and lies somewhere else, so
that the factors come from memory. Times are medians of processor time, on one thread; the same
hyperparameters for all, trained once with the default capacity.

    python experiments/benchmarks/time_budget.py [--rows 5000] [--write]

--write puts the table into docs/control.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import marked_page
import numpy as np

import splitgp
from splitgp import datasets

CHOICES = ((50, 3), (100, 1), (100, 3), (100, 6), (250, 1), (250, 3), (250, 6), (500, 3))
TIMED = 400  # rows

Rows = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def kin40k(rows: int) -> Rows:
    """Return what to learn from, and what to test with."""
    train, test = datasets.load("kin40k_train", rows), datasets.load("kin40k_test", 1000)
    return train.X, train.y, test.X, test.y


def arm(rows: int) -> Rows:
    """The same of the arm; every fifth stretch of 300 rows is held out."""
    data = datasets.load("barrett_wam_train", rows)
    held_out = np.arange(len(data.X)) // 300 % 5 == 3
    spread = data.y.std(axis=0)
    X, y = np.ascontiguousarray(data.X), data.y / spread
    return X[~held_out], y[~held_out], X[held_out], y[held_out]


def microseconds(work: Callable[[], Any]) -> float:
    began = time.thread_time()
    work()
    return 1e6 * (time.thread_time() - began)


def measure(data: Rows, theta: dict[str, Any], capacity: int, neighbors: int) -> str:
    X, y, test_X, test_y = data
    gp = splitgp.SplittingGP(
        capacity=capacity, neighbors=neighbors, training="off", hyperparameters=theta
    )
    gp.update(X[:-TIMED], y[:-TIMED])
    times = []
    for i in range(TIMED):
        row = len(X) - TIMED + i
        query, other = (test_X[k % len(test_X)][np.newaxis] for k in (7 * i, 11 * i + 500))
        times.append(
            (
                microseconds(lambda: gp.update(X[row][np.newaxis], y[row : row + 1])),  # noqa: B023
                microseconds(lambda: gp.predict(query)),  # noqa: B023
                microseconds(lambda: gp.predict(other, gradient=True)),  # noqa: B023
            )
        )
    update, predict, gradient = np.median(times, axis=0)
    error = np.sqrt(np.mean((gp.predict(test_X).mean - test_y) ** 2))
    return (
        f"| {capacity} | {neighbors} | {update:.0f} | {predict:.0f} | {gradient:.0f} "
        f"| {error:.3f} | {1e-6 * gp.memory_bytes:.0f} MB |"
    )


def table(rows: int) -> str:
    lines = []
    for name, load in (("kin40k, 1 output", kin40k), ("the arm, 7 outputs", arm)):
        data = load(rows)
        trained = splitgp.SplittingGP()
        trained.update(data[0][:2000], data[1][:2000])
        theta = trained.hyperparameters
        lines += [
            f"**{name}**, {len(data[0]):,} rows learned:",
            "",
            "| capacity | neighbors | update (µs) | predict (µs) | with gradient (µs) "
            "| RMSE | memory |",
            "|---|---|---|---|---|---|---|",
        ]
        for capacity, neighbors in CHOICES:
            lines.append(measure(data, theta, capacity, neighbors))
            print(lines[-1], flush=True)
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--write", action="store_true", help="put the table into docs/control.md")
    arguments = parser.parse_args()
    text = table(arguments.rows)
    if arguments.write:
        marked_page.write("control.md", "time_budget.py", text.rstrip("\n"))


if __name__ == "__main__":
    main()
