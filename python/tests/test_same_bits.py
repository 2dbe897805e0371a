"""Python gives the bits that C++ gives; and what the two builds of the engine have in common."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import stream

import splitgp


@pytest.mark.parametrize("preset", [None, "paper"])
def test_same_bits_as_cpp(reference_folder, preset):
    X, y = stream(650)
    rows = np.column_stack([X, y, X[:, 1] * X[:, 2] - y])
    learned, queries = rows[:600], rows[600:, :3].copy()
    program = reference_folder / f"reference_stream_{splitgp.instruction_set()}"
    output = subprocess.run(
        [program, "600", "50", preset or "default"],
        input=learned.tobytes() + queries.tobytes(),
        check=True,
        capture_output=True,
    ).stdout.decode()
    expected = np.array([[float.fromhex(w) for w in line.split()] for line in output.splitlines()])

    gp = splitgp.SplittingGP(split_limit=60, seed=7, preset=preset)
    gp.update(learned[:, :3], learned[:, 3:])
    p = gp.predict(queries)
    actual = np.stack([p.mean, p.variance, p.noise_variance], axis=-1).reshape(len(queries), -1)
    assert gp.n_local > 5
    np.testing.assert_array_equal(actual, expected)


PROGRAM = """
import json, numpy as np, splitgp
rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (200, 2))
gp = splitgp.SplittingGP(split_limit=50, training="off")
gp.update(X, np.sin(3 * X[:, 0]) + X[:, 1])
print(json.dumps([splitgp.instruction_set(), gp.predict(X[:20]).mean.tolist()]))
"""


def run(level: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "SPLITGP_INSTRUCTION_SET": level},
        capture_output=True,
        text=True,
    )


def test_both_builds_agree():
    level, baseline = json.loads(run("baseline").stdout)
    assert level == "baseline"
    from splitgp import _cpu

    if not _cpu.supports_avx2():
        assert "does not have AVX2" in run("avx2").stderr
        return
    level, avx2 = json.loads(run("avx2").stdout)
    assert level == "avx2"
    np.testing.assert_allclose(avx2, baseline, rtol=1e-6)


def test_an_unknown_build_is_an_error():
    assert (
        'SPLITGP_INSTRUCTION_SET is "sse9"; it must be one of baseline, avx2' in run("sse9").stderr
    )
