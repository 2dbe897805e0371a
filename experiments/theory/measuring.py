"""The paper's propositions and complexities, measured with a given θ (no training)."""

from __future__ import annotations

import pickle
import time
from functools import partial
from typing import Any

import numpy as np

import splitgp
from experiments.figure1.measuring import correlated
from experiments.shared.measure import Floats, Measured, cpu_seconds
from experiments.shared.methods import DEFAULT, FULL, LOCAL, LOG, METHODS, PAPER, RBCM, Model, make
from experiments.shared.run import Job, Settings

__all__ = ["C0", "EXPERTS", "NEAREST", "SPLIT_LIMIT", "SPLIT_LIMITS", "jobs"]

SPLIT_LIMIT = 100  # of what does not vary it
EXPERTS = 10
SPLIT_LIMITS = (50, 100, 200, 400, 800)
NEAREST = "nearest local GP alone"
C0 = "the C0 = 3 most similar"
_OPTIONS: dict[str, dict[str, Any]] = {
    DEFAULT: {},
    PAPER: {"preset": "paper"},
    NEAREST: {"preset": "paper", "aggregation": "nearest"},
    C0: {"preset": "paper", "neighbors": 3},
}
_THETA = {"signal_variance": 1.0, "noise_variance": 0.01}


def stream(n: int, inputs: int = 2, seed: int = 0) -> tuple[Floats, Floats]:
    """A smooth function of inputs in [-1, 1], with noise of standard deviation 0.1."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, inputs))
    return X, np.sin(4 * X[:, 0]) * np.cos(2 * X[:, -1]) + 0.1 * rng.standard_normal(n)


def given(inputs: int, length_scale: float = 0.5) -> dict[str, Any]:
    """Options that fix θ."""
    theta = {**_THETA, "length_scale": [length_scale] * inputs}
    return {"training": "off", "hyperparameters": theta}


def jobs(settings: Settings) -> list[Job]:
    quick, seed = settings.quick, settings.seed
    result = [
        Job(proposition1, {"method": method, "seed": seed}, "proposition 1", method)
        for method in (DEFAULT, PAPER)
    ]
    result += [
        Job(steps, {"method": method, "fine": not quick, "seed": seed}, "proposition 2", method)
        for method in (*_OPTIONS, LOCAL, RBCM)
    ]
    result += [
        Job(update_cost, {"m": m, "seed": seed}, "update against m", DEFAULT, setting=m, cost=m)
        for m in (SPLIT_LIMITS[:3] if quick else SPLIT_LIMITS)
    ]
    n = 6000 if quick else 30_000
    result.append(Job(update_along, {"n": n, "seed": seed}, "update along n", DEFAULT, cost=n))
    for method in METHODS:
        # Linear methods are followed further; quadratic ones would not fit.
        farther = 1 if quick else 12 if method in (DEFAULT, PAPER, LOG) else 3
        arguments = {"method": method, "n": 2000 * farther, "seed": seed}
        result.append(Job(memory, arguments, "memory", method, cost=200 * farther))
    result.append(Job(bisections, {"sets": 5 if quick else 50, "seed": seed}, "PDDP", "PDDP"))
    result += [
        Job(factors, {"length_scale": scale, "seed": seed}, "factors", DEFAULT, setting=scale)
        for scale in (0.01, 0.1, 1.0, 10.0)
    ]
    result += [
        Job(no_threshold, {"threshold": w, "seed": seed}, "small w_gen", LOCAL, setting=w)
        for w in (1e-8, 1e-9, 1e-10, 1e-300)
    ]
    return result


def proposition1(method: str, seed: int) -> Measured:
    """Predictions right after the first split against the parent's, which is a full GP."""
    m = SPLIT_LIMIT
    X, y = stream(m + 1, seed=seed)
    queries = stream(500, seed=seed + 1)[0]
    after, parent = (
        splitgp.SplittingGP(split_limit=limit, kernel="rbf", **_OPTIONS[method], **given(2))
        for limit in (m, m + 1)
    )
    after.update(X, y)
    parent.update(X, y)
    assert (after.n_local, parent.n_local) == (2, 1)
    a, b = after.predict(queries), parent.predict(queries)
    return [
        (m + 1, "mean_difference", float(np.abs(a.mean - b.mean).max())),
        (m + 1, "std_difference", float(np.abs(a.latent_std - b.latent_std).max())),
        *later_splits(method, seed),
    ]


def later_splits(method: str, seed: int) -> Measured:
    """How much an update moves the prediction: those that split, and those that do not."""
    X, y = stream(5 * SPLIT_LIMIT, seed=seed)
    queries = stream(200, seed=seed + 1)[0]
    gp = splitgp.SplittingGP(split_limit=SPLIT_LIMIT, kernel="rbf", **_OPTIONS[method], **given(2))
    gp.update(X[:SPLIT_LIMIT], y[:SPLIT_LIMIT])
    before = gp.predict(queries).mean
    moved: dict[bool, list[float]] = {True: [], False: []}
    for row in range(SPLIT_LIMIT, len(X)):
        split = gp.update(X[row : row + 1], y[row : row + 1]).splits > 0
        now = gp.predict(queries).mean
        moved[split].append(float(np.abs(now - before).max()))
        before = now
    return [
        (len(X), "later_split_moves", float(np.mean(moved[True][1:]))),
        (len(X), "no_split_moves", float(np.mean(moved[False]))),
    ]


def steps(method: str, fine: bool, seed: int) -> Measured:
    """The largest step of the mean between neighbouring queries on finer and finer lines.

    Where the mean is continuous, ten times as many queries make the steps ten times smaller; a
    jump stays.
    """
    X, y = stream(2000, seed=seed)
    gp: Model
    if method in _OPTIONS:
        gp = splitgp.SplittingGP(
            split_limit=SPLIT_LIMIT, kernel="rbf", **_OPTIONS[method], **given(2, 0.3)
        )
    else:
        setting = 0.5 if method == LOCAL else SPLIT_LIMIT
        gp = make(method, setting=setting, observations=len(X), **given(2, 0.3))
    gp.update(X, y)
    measured: Measured = []
    for count in (1001, 10_001, 100_001) if fine else (1001, 10_001):
        t = np.linspace(-1, 1, count)
        line = np.stack([t, 0.37 * t + 0.11], axis=1)
        mean = gp.predict(line).mean
        measured.append((count, "largest_step", float(np.abs(np.diff(mean)).max())))
    return measured


def update_cost(m: int, seed: int) -> Measured:
    """Processor time of one update when local GPs hold m observations."""
    rows = 4000
    X, y = stream(6 * m + rows, inputs=4, seed=seed)
    gp = splitgp.SplittingGP(split_limit=m, kernel="rbf", **given(4))
    gp.update(X[: 6 * m], y[: 6 * m])
    _, seconds = cpu_seconds(lambda: gp.update(X[6 * m :], y[6 * m :]))
    return [(m, "update_seconds", seconds / rows)]


def update_along(n: int, seed: int) -> Measured:
    """Processor time of an update as the stream grows, and the share of those that split."""
    X, y = stream(n, inputs=4, seed=seed)
    gp = splitgp.SplittingGP(split_limit=SPLIT_LIMIT, kernel="rbf", **given(4))
    measured: Measured = []
    splitting = total = 0.0
    block = n // 6
    for start in range(0, n, block):
        here = 0.0
        for row in range(start, start + block):
            before = time.process_time()
            split = gp.update(X[row : row + 1], y[row : row + 1]).splits > 0
            seconds = time.process_time() - before
            here += seconds
            splitting += seconds if split else 0.0
        total += here
        measured.append((start + block, "update_seconds", here / block))
    owned = [local.owned for local in gp.local_gps]
    return [
        *measured,
        (n, "split_share", splitting / total),
        (n, "n_local", float(gp.n_local)),
        (n, "mean_owned", float(np.mean(owned))),
        (n, "largest_owned", float(np.max(owned))),
    ]


def memory(method: str, n: int, seed: int) -> Measured:
    """Bytes, and the time of an update, along a stream in a bounded input space."""
    X, y = stream(n, seed=seed)
    setting = {RBCM: n / EXPERTS, LOCAL: 1e-3, FULL: 0, LOG: SPLIT_LIMIT}.get(method, SPLIT_LIMIT)
    model = make(method, setting=setting, observations=n, **given(2))
    measured: Measured = []
    step = n // 24
    for start in range(0, n, step):
        rows = slice(start, start + step)
        _, seconds = cpu_seconds(partial(model.update, X[rows], y[rows]))
        measured += [
            (model.n_observations, "memory_bytes", float(model.memory_bytes)),
            (model.n_observations, "update_seconds", seconds / len(X[rows])),
        ]
    return measured


def bisections(sets: int, seed: int) -> Measured:
    """The principal direction's cut against the best of all straight cuts of a set in the plane.

    Given the two halves' centroids, the best cut is a straight line; so all cuts along all
    directions, up to a fine grid of angles, contain the minimiser of the variance within.
    """
    worse = []
    for number in range(sets):
        X = correlated(200, seed + number)
        center = X.mean(axis=0)
        direction = np.linalg.svd(X - center)[2][0]
        ours = within(X, (X - center) @ direction, 0.0)
        best = min(
            best_cut(X, X @ [np.cos(angle), np.sin(angle)]) for angle in np.linspace(0, np.pi, 361)
        )
        worse.append(ours / best - 1)
    return [
        (sets, "excess_mean", float(np.mean(worse))),
        (sets, "excess_largest", float(np.max(worse))),
    ]


def within(X: Floats, position: Floats, threshold: float) -> float:
    """The sum of squared distances of the points to the centroid of their own side."""
    halves = (X[position > threshold], X[position <= threshold])
    return float(sum(((half - half.mean(axis=0)) ** 2).sum() for half in halves))


def best_cut(X: Floats, position: Floats) -> float:
    """The smallest `within` of the cuts across one direction."""
    ordered = X[np.argsort(position)]
    n = np.arange(1, len(X))[:, None]
    sums = np.cumsum(ordered, axis=0)
    low, high = sums[:-1], sums[-1] - sums[:-1]
    # Σ|x|² − |Σx|²/n of each side.
    return float(((X**2).sum() - (low**2 / n + high**2 / (len(X) - n)).sum(axis=1)).min())


def factors(length_scale: float, seed: int) -> Measured:
    """A factor grown row by row against the same factor computed at once, at this length scale."""
    X, y = stream(500, seed=seed)
    gp = splitgp.SplittingGP(split_limit=500, kernel="rbf", **given(2, length_scale))
    for row in range(len(X)):
        gp.update(X[row : row + 1], y[row : row + 1])
    again = pickle.loads(pickle.dumps(gp))  # a pickle holds no factors
    queries = stream(500, seed=seed + 1)[0]
    difference = np.abs(gp.predict(queries).mean - again.predict(queries).mean).max()
    return [(len(X), "mean_difference", float(difference))]


def no_threshold(threshold: float, seed: int) -> Measured:
    """The local GP with a tiny w_gen against the full GP."""
    X, y = stream(500, seed=seed)
    queries = stream(500, seed=seed + 1)[0]
    local, full = (
        make(method, setting=threshold, observations=len(X), **given(2, 0.3))
        for method in (LOCAL, FULL)
    )
    local.update(X, y)
    full.update(X, y)
    mean = local.predict(queries).mean
    return [
        (len(X), "n_local", float(local.n_local)),
        (len(X), "not_finite", float((~np.isfinite(mean)).sum())),
        (len(X), "mean_difference", float(np.abs(mean - full.predict(queries).mean).max())),
    ]
