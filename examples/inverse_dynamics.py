"""Learn a robot arm's inverse dynamics online, inside its control loop.

A Barrett WAM arm: from the positions, speeds and accelerations of seven joints, predict the seven
torques that a controller would feed forward; then learn from the torques that were measured. What
counts is the error and that no step of the loop takes long. Training runs in the background.

    python examples/inverse_dynamics.py [--steps 12000]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import splitgp
from splitgp import datasets


def histogram(microseconds: np.ndarray) -> str:
    """Bins that double from line to line."""
    lines = []
    low = 0.0
    high = 31.25
    while low <= microseconds.max():
        count = int(((low <= microseconds) & (microseconds < high)).sum())
        bar = "#" * round(50 * count / len(microseconds))
        lines.append(f"  {low:8.0f} to {high:8.0f} µs {count:7d} {bar}")
        low, high = high, 2 * high
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=12_000)
    parser.add_argument("--split-limit", type=int, default=100)
    arguments = parser.parse_args()

    data = datasets.load("barrett_wam_train", max_rows=arguments.steps)
    gp = splitgp.SplittingGP(split_limit=arguments.split_limit, training="background")
    warm_up = min(300, arguments.steps // 4)
    gp.update(data.X[:warm_up], data.y[:warm_up])
    gp.finish_training()  # there is time before the arm moves
    gp.refit()

    residuals = np.empty_like(data.y[warm_up:])
    latency = np.empty(len(residuals))
    for step in range(len(residuals)):
        x = data.X[warm_up + step : warm_up + step + 1]
        torque = data.y[warm_up + step : warm_up + step + 1]
        start = time.perf_counter()
        feed_forward = gp.predict(x).mean
        gp.update(x, torque)
        latency[step] = 1e6 * (time.perf_counter() - start)
        residuals[step] = (torque - feed_forward)[0]

    scale = data.y.std(axis=0)
    late = residuals[len(residuals) // 2 :]
    print(f"{gp}")
    print("normalised RMSE of the second half, joint by joint:")
    print("  " + "  ".join(f"{v:.3f}" for v in np.sqrt((late**2).mean(axis=0)) / scale))
    print("time of a step (predict 7 torques, learn 7 torques):")
    print(histogram(latency))
    median, most = np.percentile(latency, [50, 99])
    print(f"  median {median:.0f} µs, 99 % within {most:.0f} µs, longest {latency.max():.0f} µs")


if __name__ == "__main__":
    main()
