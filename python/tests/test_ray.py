"""A model in the shards of a small Ray cluster is the model of one machine, whatever dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import splitgp

ray = pytest.importorskip("ray")

from experiments.scale.cluster import Nodes  # noqa: E402
from experiments.scale.compare import differences  # noqa: E402
from experiments.scale.faults import stream  # noqa: E402
from splitgp.ray import ShardedGP  # noqa: E402

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
OPTIONS = {"split_limit": 20, "capacity": 60}


@pytest.fixture(scope="module")
def nodes():
    nodes = Nodes(2)
    yield nodes
    nodes.close()


def one_machine(X, y, **options):
    model = splitgp.SplittingGP(**{**OPTIONS, **options})
    model.update(X, y)
    return model


def sharded(shards, **settings):
    return ShardedGP(shards, cpus=0.2, **{**OPTIONS, **settings})


def test_same_model_and_same_files(nodes, tmp_path):
    X, y = stream(900, 1)
    with sharded(3) as model:
        model.update(X[:1], y[:1])
        model.update(X[1:600], y[1:600])
        assert model.n_observations == 600
        assert differences(model, one_machine(X[:600], y[:600]), X[:100]) == []
        assert model.n_local == one_machine(X[:600], y[:600]).n_local
        assert model.memory_bytes > 0
        model.save(tmp_path / "m.splitgp")
        with pytest.raises(FileExistsError, match="overwrite"):
            model.save(tmp_path / "m.splitgp")
    # One machine goes on where shards have stopped, and shards where it has.
    single = splitgp.SplittingGP.load(tmp_path / "m.splitgp")
    single.update(X[600:700], y[600:700])
    single.save(tmp_path / "n.splitgp")
    with ShardedGP.load(tmp_path / "n.splitgp", shards=2, cpus=0.2) as model:
        before = model.predict_then_update(X[700:], y[700:])
        assert before.mean.shape == (200,)
        expected = one_machine(X[:700], y[:700])
        theirs, _ = expected.predict_then_update(X[700:], y[700:])
        np.testing.assert_allclose(before.mean, theirs.mean, rtol=0, atol=1e-9 * np.abs(y).max())
        assert differences(model, expected, X[:100]) == []


def test_what_dies_is_replaced(nodes, tmp_path):
    X, y = stream(700, 2)
    expected = one_machine(X, y)
    with sharded(3, model=tmp_path / "m.splitgp", checkpoint_rows=200) as model:
        model.update(X[:300], y[:300])
        victims = [model.shard_facts()[1]["pid"], model.facts()["pid"], model.facts()["pid"]]
        node = nodes.nodes[0]

        def kill(step):
            time.sleep(0.02)
            if step == 2:
                nodes.kill(node)
            else:
                os.kill(victims[step], signal.SIGKILL)

        for step in range(3):
            thread = threading.Thread(target=kill, args=(step,))
            thread.start()
            part = slice(300 + 100 * step, 400 + 100 * step)
            model.update(X[part], y[part])
            thread.join()
        nodes.add()
        os.kill(model.shard_facts()[0]["pid"], signal.SIGKILL)
        model.update(X[600:], y[600:])
        os.kill(model.shard_facts()[2]["pid"], signal.SIGKILL)
        assert differences(model, expected, X[:100]) == []
        assert model.router_restarts >= 1


def test_a_shard_that_is_added_takes_over(nodes):
    X, y = stream(600, 3)
    with sharded(2, training="off") as model:
        model.update(X[:400], y[:400])
        model.add_shard()
        held = [one["n_local"] for one in model.shard_facts()]
        assert held[2] == sum(held) // 3
        model.update(X[400:], y[400:])
        assert differences(model, one_machine(X, y, training="off"), X[:100]) == []


def test_what_is_wrong_is_named(nodes, tmp_path):
    with pytest.raises(ValueError, match="window_size is 5"):
        sharded(2, window_size=5)
    with pytest.raises(ValueError, match="training is background"):
        sharded(2, training="background")
    with pytest.raises(ValueError, match="shards is 0"):
        sharded(0)
    with pytest.raises(TypeError, match="splitlimit"):
        ShardedGP(2, splitlimit=5)
    with pytest.raises(FileNotFoundError):
        ShardedGP.load(tmp_path / "none.splitgp", shards=2)
    with sharded(1) as model:
        with pytest.raises(ValueError, match="no observations yet"):
            model.predict([[0.0, 0.0]])
        X, y = stream(10, 4)
        model.update(X, y)
        X[3, 1] = np.nan
        with pytest.raises(ValueError, match="of row 3 is nan") as ours:
            model.update(X, y)
        with pytest.raises(ValueError, match="of row 3 is nan") as theirs:
            splitgp.SplittingGP().update(X, y)
        assert str(ours.value) == str(theirs.value)
        with pytest.raises(ValueError, match="3 inputs"):
            model.update(np.zeros((5, 3)), np.zeros(5))
        assert model.n_observations == 10


def write_table(path, rows):
    X, y = stream(rows, 5)
    kinds = np.array(["north", "south"])[(X[:, 0] > 0).astype(int)]
    lines = [f"{a:.6f},{b:.6f},{kind},{c:.6f}" for (a, b), kind, c in zip(X, kinds, y, strict=True)]
    lines[7] = "oops" + lines[7][8:]
    path.write_text("\n".join(["a,b,site,y", *lines]) + "\n")


def test_command(nodes, tmp_path):
    table = tmp_path / "data.csv"
    write_table(table, 500)
    command = [
        sys.executable, "-m", "splitgp.ray", "stream", str(table), "--target", "y", "--model",
        str(tmp_path / "m.splitgp"), "--shards", "2",
        "--address", ray.get_runtime_context().gcs_address,
        "--option", "split_limit=20", "--option", "capacity=60",
    ]  # fmt: skip
    first = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert first.returncode == 0, first.stderr
    assert "499" in first.stdout
    assert "row 8 was rejected" in first.stderr
    model = splitgp.load(tmp_path / "m.splitgp")
    assert model.targets == ["y"]
    assert model.n_observations == 499
    again = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert again.returncode == 0, again.stderr
    assert splitgp.load(tmp_path / "m.splitgp").n_observations == 499  # nothing twice


@pytest.mark.parametrize("example", ["log_source.py", "ray_serve.py"])
def test_example(nodes, example):
    env = {**os.environ, "RAY_ADDRESS": ray.get_runtime_context().gcs_address}
    result = subprocess.run(
        [sys.executable, EXAMPLES / example], capture_output=True, text=True, env=env, timeout=150
    )
    assert result.returncode == 0, result.stderr
    assert "ok" in result.stdout
