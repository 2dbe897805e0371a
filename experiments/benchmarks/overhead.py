"""What calling the engine from Python costs, against the same calls from C++.

The median wall times of one-row update and predict at split_limit 250, and the best CPU time of
three batches of 10,000 predictions, each as a ratio to C++ in the same run and the same build.

    pip install . --config-settings=cmake.define.SPLITGP_PYTHON_REFERENCE=ON
    python experiments/benchmarks/overhead.py build/python/<tag>
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import splitgp

LIMITS = {"update": 1.3, "predict": 1.3, "batch": 1.05}
SPLIT_LIMIT = 250


def measure_python(X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Microseconds, of the same calls that overhead.cc makes."""
    gp = splitgp.SplittingGP(
        split_limit=SPLIT_LIMIT,
        training="off",
        hyperparameters={"length_scale": np.full(X.shape[1], 2.0)},
    )
    clock = time.perf_counter
    update, predict, batch = [], [], []
    measured = len(X) // 2
    for i in range(len(X)):
        start = clock()
        gp.update(X[i : i + 1], y[i : i + 1])
        if i >= measured:
            update.append(clock() - start)
    for i in range(measured):
        start = clock()
        gp.predict(X[i : i + 1])
        predict.append(clock() - start)
    for _ in range(3):
        start = time.process_time()
        gp.predict(X[:10000])
        batch.append(time.process_time() - start)
    return {
        "update": 1e6 * float(np.median(update)),
        "predict": 1e6 * float(np.median(predict)),
        "batch": 1e6 * min(batch),
    }


def measure_cpp(program: Path, X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Microseconds."""
    with tempfile.NamedTemporaryFile() as file:
        np.array([len(X), X.shape[1], SPLIT_LIMIT], dtype=np.float64).tofile(file)
        X.tofile(file)
        y.tofile(file)
        file.flush()
        output = subprocess.run(
            [program, file.name], check=True, capture_output=True, text=True
        ).stdout
    return {name: float(value) for name, value in map(str.split, output.splitlines())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=Path, help="the build folder that holds the program overhead")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    X = rng.standard_normal((arguments.rows, 8))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(len(X))
    program = arguments.build / "overhead"
    # Alternating, and the best of each: other programs on the machine disturb both alike.
    runs = [(measure_cpp(program, X, y), measure_python(X, y)) for _ in range(arguments.repeats)]
    print(f"splitgp {splitgp.__version__}, {splitgp.instruction_set()}, m = {SPLIT_LIMIT}, d = 8")
    print(f"{'':10}{'C++ µs':>12}{'Python µs':>12}{'ratio':>8}{'limit':>8}")
    for name, limit in LIMITS.items():
        cpp, python = (min(run[side][name] for run in runs) for side in (0, 1))
        print(f"{name:10}{cpp:12.1f}{python:12.1f}{python / cpp:8.2f}{limit:8.2f}")


if __name__ == "__main__":
    main()
