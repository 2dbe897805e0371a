"""Python threads: nobody waits for the interpreter's lock, and nothing breaks."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from conftest import stream

import splitgp


def test_the_interpreter_runs_while_the_engine_computes():
    X, y = stream(2000)
    gp = splitgp.SplittingGP(split_limit=200, training="off")
    done = threading.Event()
    counted = 0

    def compute() -> None:
        gp.update(X, y)
        gp.predict(X)
        done.set()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(100)  # only a thread that gives the lock away lets another run
    try:
        thread = threading.Thread(target=compute)
        thread.start()
        while not done.is_set():
            done.wait(1e-4)
            counted += 1
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert counted > 10


def test_many_threads_use_one_model():
    X, y = stream(800)
    gp = splitgp.SplittingGP(split_limit=50, training="off")
    gp.update(X[:50], y[:50])

    def update(part: int) -> None:
        for i in range(50 + part, 800, 4):
            gp.update(X[i : i + 1], y[i : i + 1])

    def read(_: int) -> None:
        for _ in range(30):
            assert np.isfinite(gp.predict(X[:20]).mean).all()
            assert sum(local.owned for local in gp.local_gps) <= 800
            assert gp.n_local >= 1

    with ThreadPoolExecutor(8) as pool:
        for job in [*pool.map(update, range(4)), *pool.map(read, range(4))]:
            assert job is None
    assert gp.n_observations == 800
    assert len(gp.observations()[0]) == 800


def test_threads_wake_a_loaded_model_together(tmp_path):
    X, y = stream(400)
    gp = splitgp.SplittingGP(split_limit=40)
    gp.update(X, y)
    gp.save(tmp_path / "model")
    loaded = splitgp.SplittingGP.load(tmp_path / "model")
    with ThreadPoolExecutor(4) as pool:
        predictions = list(pool.map(lambda _: loaded.predict(X).mean, range(8)))
    for other in predictions:
        np.testing.assert_array_equal(other, predictions[0])
