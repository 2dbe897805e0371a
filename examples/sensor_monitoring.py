"""Watch a sensor: learn what it should read, and raise an alarm when it does not.

A gas turbine's NOx sensor is predicted from ten process values, each hour before its reading is
known. The standardised residual (reading − mean) / std says how surprising the reading is; an alarm
is raised when it stays large for several hours, and readings behind an alarm are not learned.
Faults are put into the stream to see whether they are found.

    python examples/sensor_monitoring.py [--hours 3000] [--plot monitoring.png]
"""

from __future__ import annotations

import argparse

import numpy as np

import splitgp
from splitgp import datasets

LARGE = 4.0  # standard deviations
PATIENCE = 3  # hours in a row
FAULTS = ((0.5, 40, +15.0), (0.8, 40, -12.0))  # where, how many hours, by how much (mg/m³)


def monitor(X: np.ndarray, readings: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Return the standardised residuals and the hours at which an alarm began."""
    gp = splitgp.SplittingGP(split_limit=150)
    warm_up = 200
    gp.update(X[:warm_up], readings[:warm_up])
    surprise = np.zeros(len(X))
    alarms, in_a_row = [], 0
    for hour in range(warm_up, len(X)):
        x = X[hour : hour + 1]
        expected = gp.predict(x)
        surprise[hour] = (readings[hour] - expected.mean[0]) / expected.std[0]
        in_a_row = in_a_row + 1 if abs(surprise[hour]) > LARGE else 0
        if in_a_row == PATIENCE:
            alarms.append(hour)
        if in_a_row == 0:
            gp.update(x, readings[hour : hour + 1])
        elif in_a_row > 100:  # this is not a fault but a new normal
            gp.update(x, readings[hour : hour + 1], noise_variance=expected.variance)
    return surprise, alarms


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--hours", type=int, default=3000)
    parser.add_argument("--plot", help="write a picture to this file")
    arguments = parser.parse_args()

    data = datasets.load("gas_turbine", max_rows=arguments.hours)
    readings = data.y[:, 1].copy()
    faults = []
    for where, hours, offset in FAULTS:
        start = int(where * len(readings))
        readings[start : start + hours] += offset
        faults.append((start, start + hours))

    surprise, alarms = monitor(data.X, readings)
    found = [any(start <= alarm < end for alarm in alarms) for start, end in faults]
    false = [alarm for alarm in alarms if not any(s <= alarm < e + PATIENCE for s, e in faults)]
    print(
        f"{len(readings)} hours, {sum(found)} of {len(faults)} faults found, "
        f"{len(false)} other alarms"
    )
    for (start, _), was_found in zip(faults, found, strict=True):
        delay = min((a - start for a in alarms if a >= start), default=None)
        print(f"  fault at hour {start}: {f'alarm after {delay} h' if was_found else 'missed'}")

    if arguments.plot:
        import matplotlib

        matplotlib.use("agg")
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(10, 3))
        axes.plot(surprise, lw=0.5)
        axes.axhspan(-LARGE, LARGE, color="0.9")
        for alarm in alarms:
            axes.axvline(alarm, color="C3", lw=1)
        axes.set(xlabel="hour", ylabel="standardised residual", ylim=(-15, 15))
        figure.savefig(arguments.plot, bbox_inches="tight")


if __name__ == "__main__":
    main()
