"""What the tests share: streams, and where the C++ programs are."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import splitgp


def stream(n: int, inputs: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A smooth function with noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, inputs))
    return X, np.sin(3 * X[:, 0]) + X[:, -1] + 0.1 * rng.standard_normal(n)


@pytest.fixture(scope="session")
def learned() -> splitgp.SplittingGP:
    """A model with several local GPs; tests must not change it."""
    gp = splitgp.SplittingGP(split_limit=50, seed=1)
    gp.update(*stream(300))
    return gp


@pytest.fixture(scope="session")
def reference_folder() -> Path:
    """Where the C++ programs are: a build with SPLITGP_PYTHON_REFERENCE=ON."""
    given = os.environ.get("SPLITGP_REFERENCE")
    if not given:
        pytest.skip("SPLITGP_REFERENCE does not name the build folder with the C++ programs")
    folder = Path(given)
    assert (folder / "reference_stream").exists(), folder
    return folder
