"""Whether a model in shards is the one that a single machine has."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import splitgp
from splitgp.ray import ShardedGP


def differences(
    sharded: ShardedGP, expected: splitgp.SplittingGP, queries: NDArray[np.float64]
) -> list[str]:
    """What differs: nothing, if all is well. Factors may differ by rounding, nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.splitgp"
        sharded.save(path)
        stored = splitgp.SplittingGP.load(path)
    found = []
    if stored.n_observations != expected.n_observations:
        found.append(f"{stored.n_observations} observations, not {expected.n_observations}")
    for name, a, b in zip("Xy", stored.observations(), expected.observations(), strict=False):
        if not np.array_equal(a, b):
            found.append(f"other observations: {name}")
    if stored.n_local != expected.n_local:
        found.append(f"{stored.n_local} local GPs, not {expected.n_local}")
    else:
        for i in range(stored.n_local):
            ours, theirs = stored.points(i), expected.points(i)
            if not (
                np.array_equal(ours.sequence, theirs.sequence)
                and np.array_equal(ours.owned, theirs.owned)
            ):
                found.append(f"local GP {i} holds others")
    if stored.split_history != expected.split_history:
        found.append("another history of splits")
    ours_theta, theirs_theta = stored.hyperparameters.as_dict(), expected.hyperparameters.as_dict()
    for name, value in theirs_theta.items():
        if not np.array_equal(ours_theta[name], value):
            found.append(f"another {name}")
    trained = [one.sequence for one in expected.training_history]
    if [one.sequence for one in stored.training_history] != trained:
        found.append("trained at other rows")
    answers = expected.predict(queries)
    for name, prediction in (
        ("shards", sharded.predict(queries)),
        ("file", stored.predict(queries)),
    ):
        total = answers.variance + answers.noise_variance
        worst = max(
            float(np.abs(prediction.mean - answers.mean).max() / np.abs(answers.mean).max()),
            float((np.abs(prediction.variance - answers.variance) / total).max()),
            float((np.abs(prediction.noise_variance - answers.noise_variance) / total).max()),
        )
        if not worst < 1e-9:
            found.append(f"predictions of the {name} differ by {worst:.1e}")
    return found
