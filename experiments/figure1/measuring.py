"""Figure 1 of the paper: how a split cuts, and what one local GP alone does to continuity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import splitgp
from experiments.shared.measure import Floats, Measured
from experiments.shared.run import Job, Settings

__all__ = ["Continuity", "Cut", "continuity", "cut", "jobs"]


@dataclass(frozen=True)
class Cut:
    """Figure 1 (a): points, the first principal direction, the side of each point, the centers."""

    X: Floats
    center: Floats
    direction: Floats
    side: np.ndarray
    centers: Floats


@dataclass(frozen=True)
class Continuity:
    """Figure 1 (b): two local GPs on a line, and two ways to combine them."""

    X: Floats
    y: Floats
    x: Floats
    nearest: Floats
    both: Floats
    centers: Floats


def correlated(n: int, seed: int) -> Floats:
    """Points in the plane with a clear principal direction."""
    rng = np.random.default_rng(seed)
    return np.asarray(rng.multivariate_normal([0, 0], [[1.0, 0.6], [0.6, 0.7]], n))


def cut(seed: int = 0, n: int = 200) -> Cut:
    """Split n points with the engine; it does not expose the direction, which comes from an SVD."""
    X = correlated(n, seed)
    center = X.mean(axis=0)
    direction = np.linalg.svd(X - center)[2][0]
    side = (X - center) @ direction > 0
    gp = splitgp.SplittingGP(split_limit=n - 1, preset="paper", kernel="rbf", training="off")
    gp.update(X, np.zeros(n))
    centers = np.array([local.center for local in gp.local_gps])
    return Cut(X, center, direction, side, centers)


def continuity(seed: int = 0, n: int = 30) -> Continuity:
    """Two local GPs of a noisy curve; the paper's rule with both, and with the nearest alone."""
    rng = np.random.default_rng(seed)
    X = np.sort(rng.uniform(0, 10, n)).reshape(-1, 1)
    rng.shuffle(X)
    y = np.sin(X[:, 0]) + 0.3 * X[:, 0] + 0.3 * rng.standard_normal(n)
    theta = {"length_scale": [1.2], "signal_variance": 2.0, "noise_variance": 0.09}
    x = np.linspace(0, 10, 1001)
    means = {}
    centers = np.zeros(0)
    for aggregation in ("nearest", "similarity"):
        gp = splitgp.SplittingGP(
            split_limit=n - 1,
            preset="paper",
            aggregation=aggregation,
            training="off",
            hyperparameters=theta,
        )
        gp.update(X, y)
        means[aggregation] = gp.predict(x.reshape(-1, 1)).mean
        centers = np.array([local.center[0] for local in gp.local_gps])
    return Continuity(X, y, x, means["nearest"], means["similarity"], centers)


def measure(seed: int) -> Measured:
    """What the figure shows, as numbers."""
    a, b = cut(seed), continuity(seed)
    halves = np.array([a.X[a.side].mean(axis=0), a.X[~a.side].mean(axis=0)])
    # The engine's centers are the centroids of the halves, in one order or the other.
    apart = min(np.abs(a.centers - order).max() for order in (halves, halves[::-1]))
    return [
        (len(a.X), "center_difference", float(apart)),
        (len(b.X), "step_nearest", float(np.abs(np.diff(b.nearest)).max())),
        (len(b.X), "step_both", float(np.abs(np.diff(b.both)).max())),
    ]


def jobs(settings: Settings) -> list[Job]:
    return [Job(measure, {"seed": settings.seed}, "figure1", "splitting (paper)")]
