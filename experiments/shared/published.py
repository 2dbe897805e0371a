"""The paper's figures as numbers, read from the authors' own vector graphics: for context.

They come from the authors' program, which differs from their text (it splits later than at m, and
uses the nearest local GP alone on kin40k and powergen).
"""

from __future__ import annotations

from experiments.shared.methods import FULL, LOCAL, PAPER, RBCM

__all__ = ["KIN40K", "POWERGEN", "POWERGEN_SECONDS", "SYNTHETIC"]

_N = (100, 500, 1000, 1500, 2000, 2500)

# method → n → mean squared error
SYNTHETIC = {
    PAPER: dict(zip(_N, (4.134, 0.403, 0.242, 0.292, 0.355, 0.384), strict=True)),
    RBCM: dict(zip(_N, (10.25, 18.9, 10.6, 1.319, 0.730, 0.486), strict=True)),
    LOCAL: dict(zip(_N, (10.56, 17.5, 18.6, 18.5, 18.4, 18.5), strict=True)),
    FULL: dict(zip(_N, (3.224, 0.270, 0.141, 0.187, 0.181, 0.171), strict=True)),
}

# method → setting → RMSE
KIN40K: dict[str, dict[float, float]] = {
    PAPER: {70: 0.764, 156: 0.588, 625: 0.326, 2500: 0.191, 5000: 0.148, 9999: 0.148},
    RBCM: {39: 0.577, 156: 0.478, 625: 0.294, 2500: 0.172},
    LOCAL: {1e-3: 0.863, 1e-4: 0.494, 1e-6: 0.343, 1e-7: 0.285, 1e-8: 0.162},
    FULL: {0: 0.108},
}
POWERGEN: dict[str, dict[float, float]] = {
    PAPER: {625: 8.51, 300: 7.83, 150: 5.45, 75: 5.48, 30: 5.06},
    RBCM: {625: 4.253, 300: 4.264, 150: 4.316, 75: 4.385},  # at 635, 305, 152 and 75 exactly
}
# The first and the last of the figure: seconds at the most and at the fewest observations.
POWERGEN_SECONDS = {PAPER: (14.8, 9.3), RBCM: (126.0, 26.0)}
