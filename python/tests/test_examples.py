"""The examples run, briefly, and do what they say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from splitgp import datasets

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run(script: str, *arguments: str) -> str:
    result = subprocess.run(
        [sys.executable, EXAMPLES / script, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "MPLBACKEND": "agg"},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def needs(name: str) -> None:
    try:
        datasets.find(name)
    except FileNotFoundError as missing:
        pytest.skip(str(missing))


def test_sensor_monitoring(tmp_path):
    needs("gas_turbine")
    output = run("sensor_monitoring.py", "--hours", "1200", "--plot", str(tmp_path / "m.png"))
    assert "2 of 2 faults found" in output
    assert (tmp_path / "m.png").stat().st_size > 1000


def test_inverse_dynamics():
    needs("barrett_wam_train")
    lines = run(
        "inverse_dynamics.py", "--rows", "3000", "--capacity", "60", "--loop", "800"
    ).splitlines()
    table = {line[:22].strip(): line[22:].split() for line in lines[2:7]}
    error = {name: float(values[0]) for name, values in table.items()}
    assert [len(values) for values in table.values()] == 5 * [8]  # the mean and seven joints
    assert error["rigid body"] < error["linear model"]
    assert error["rigid body + splitgp"] < error["splitgp"] < 1.0
    assert "median" in lines[-1]


def test_drop_in_gaussian_process():
    output = run("drop_in_gaussian_process.py", "--rows", "600", "--exact-rows", "200")
    assert output.count("SplittingGPRegressor") == 2
    assert output.count("GaussianProcessRegressor") == 1


def test_drift_detectors():
    output = run("drift_detectors.py", "--rows", "3000")
    for detector in ("splitgp's own", "ADWIN", "KSWIN", "PageHinkley"):
        assert detector in output
    assert "found after" in next(line for line in output.splitlines() if "splitgp's own" in line)


def test_every_example_is_tested():
    here = Path(__file__)
    tests = here.read_text() + (here.parent / "test_ray.py").read_text()
    for script in EXAMPLES.glob("*.py"):
        assert f'"{script.name}"' in tests, script


def test_learning_control():
    lines = run("learning_control.py", "--laps", "2").splitlines()
    errors = [float(line.split("tracking error")[1].split()[0]) for line in lines]
    assert len(errors) == 3
    assert errors[1] < 0.5 * errors[0]  # one lap of learning
    assert errors[2] < 0.5 * errors[0]
