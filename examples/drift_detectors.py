"""Alarms when the world changes in one place: splitgp's own, and river's detectors fed with our z.

A sensor's reading rises by two standard deviations of its noise where its first input lies between
0.4 and 0.6, and nowhere else. `UpdateResult.z` says how surprising each row was; any detector of
drift takes it.

    python examples/drift_detectors.py --rows 6000
"""

from __future__ import annotations

import argparse

import numpy as np
from river import drift

import splitgp

NOISE = 0.1
BATCH = 50


def main() -> None:
    """Stream the rows and print who noticed when."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=6000, help="half of them before the change")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    rng = np.random.default_rng(arguments.seed)
    change = arguments.rows // 2
    X = rng.uniform(0, 1, (arguments.rows, 2))
    inside = (X[:, 0] > 0.4) & (X[:, 0] < 0.6)
    changed = inside & (np.arange(arguments.rows) >= change)
    y = np.sin(6 * X[:, 0]) + np.cos(9 * X[:, 1]) + NOISE * rng.standard_normal(arguments.rows)
    y += 2 * NOISE * changed

    model = splitgp.SplittingGP(capacity=100)
    detectors = {
        "ADWIN": drift.ADWIN(),
        "KSWIN": drift.KSWIN(seed=1),
        "PageHinkley": drift.PageHinkley(),
    }
    found: dict[str, list[int]] = {"splitgp's own": [], **{name: [] for name in detectors}}
    for start in range(0, arguments.rows, BATCH):
        rows = slice(start, start + BATCH)
        result = model.update(X[rows], y[rows])
        found["splitgp's own"] += [alarm.sequence for alarm in result.alarms]
        for name, detector in detectors.items():
            for row, z in enumerate(result.z, start):
                detector.update(float(z))
                if detector.drift_detected:
                    found[name].append(row)

    print(f"{arguments.rows} rows; from row {change} on a fifth of the input space is changed")
    for name, rows_found in found.items():
        false = sum(row < change for row in rows_found)
        later = [row for row in rows_found if row >= change]
        delay = f"found after {later[0] - change} rows" if later else "not found"
        print(f"  {name:<14} {delay}, {false} false alarms before")
    for alarm in model.alarms[:3]:
        print(
            f"  {alarm.kind} by {alarm.size_in_noise:.1f} standard deviations of the noise since "
            f"row {alarm.change_point}, x0 from {alarm.lower[0]:.2f} to {alarm.upper[0]:.2f}"
        )


if __name__ == "__main__":
    main()
