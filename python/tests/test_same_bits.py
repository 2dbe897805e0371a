"""Python gives the bits that C++ gives; and what the instruction sets have in common."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import stream

import splitgp
from splitgp import _core


@pytest.mark.parametrize("preset", [None, "paper"])
def test_same_bits_as_cpp(reference_folder, preset):
    X, y = stream(650)
    rows = np.column_stack([X, y, X[:, 1] * X[:, 2] - y])
    learned, queries = rows[:600], rows[600:, :3].copy()
    output = subprocess.run(
        [reference_folder / "reference_stream", "600", "50", preset or "default"],
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
from splitgp.rivals import FullGP, LoGGP
rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (200, 2))
result = [splitgp.instruction_set()]
off = {"training": "off"}
for gp in (splitgp.SplittingGP(split_limit=50, **off), FullGP(**off), LoGGP(**off)):
    gp.update(X, np.sin(3 * X[:, 0]) + X[:, 1])
    result.append(gp.predict(X[:20]).mean.tolist())
print(json.dumps(result))
"""


def run(instruction_set: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "SPLITGP_INSTRUCTION_SET": instruction_set},
        capture_output=True,
        text=True,
    )


def test_all_instruction_sets_agree():
    _, *baseline = json.loads(run("baseline").stdout)
    assert _core.instruction_sets[-1] == "baseline"
    for wanted in _core.instruction_sets:
        actual, *means = json.loads(run(wanted).stdout)
        assert actual == wanted
        np.testing.assert_allclose(means, baseline, rtol=1e-6)
        # Each method has a compilation of its own for each set, which shows in the last bits.
        if wanted != "baseline":
            assert all(a != b for a, b in zip(means, baseline, strict=True))


@pytest.mark.parametrize("wanted", ["sse9", "avx2", "avx512"])
def test_an_instruction_set_that_cannot_run_is_an_error(wanted):
    if wanted in _core.instruction_sets:
        return
    if len(_core.instruction_sets) == 1:
        pytest.skip("this build or processor has only one")
    expected = (
        f"ImportError: SPLITGP_INSTRUCTION_SET is '{wanted}'; "
        f"here it must be one of {', '.join(_core.instruction_sets)}"
    )
    assert expected in run(wanted).stderr
