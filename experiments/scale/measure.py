"""Measures what scaling depends on: `python -m experiments.scale.measure`, results as JSON.

In one process, without Ray: router and shards take turns, so that the processor time of each is
known whatever else the machine does. What Ray adds for a message is measured beside it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from splitgp import _core, _options

BATCH = 1024


class Turns:
    """A router and shards that take turns, with a clock for each."""

    def __init__(self, folder: Path, shards: int, inputs: int, **options: Any) -> None:
        keywords = {**_options.DEFAULTS, **options}
        self.router = _core.Router.create(
            folder / f"m{time.time_ns()}.splitgp", inputs, 1, _options.make(keywords), shards,
            [], [], {},
        )  # fmt: skip
        self.shards = [_core.Shard() for _ in range(shards)]
        self.router_seconds = 0.0
        self.file_seconds = 0.0
        self.shard_seconds = np.zeros(shards)
        for shard, epoch, number, _, message in self.router.start():
            self.shards[shard].begin(epoch, number, message)
        # For each batch: what the router took to route it and to read the replies, and what each
        # shard took; whether routing had to wait for it.
        self.batches: list[dict[str, Any]] = []

    def learn(self, X: Any, y: Any) -> None:
        router = self.router
        clock = time.process_time
        began = clock()
        router.learn(X, y.reshape(-1, 1), None, False)
        self.router_seconds += clock() - began
        while not router.idle:
            rows = router.counts()["rows"]
            began = clock()
            parcels = router.route(BATCH)
            routing = clock() - began
            waits = router.waits
            work = np.zeros(len(self.shards))
            reading = 0.0
            for shard, epoch, number, _, message in parcels:
                began = clock()
                reply = self.shards[shard].apply(epoch, number, message)
                work[shard] += clock() - began
                began = clock()
                router.receive(shard, epoch, number, reply)
                reading += clock() - began
            self.router_seconds += routing + reading
            self.shard_seconds += work
            self.batches.append(
                {
                    "rows": router.counts()["rows"] - rows,
                    "router": routing + reading,
                    "shards": work,
                    "waits": bool(waits),
                }
            )
        began = clock()
        router.checkpoint({}, {})
        self.file_seconds += clock() - began

    def predict(self, X: Any) -> tuple[float, Any]:
        """Processor time of the router, and of each shard."""
        clock = time.process_time
        began = clock()
        asked = self.router.ask(X, np.ones(len(X)))
        parcels = self.router.parcels(asked)
        router = clock() - began
        work = np.zeros(len(self.shards))
        replies = []
        for shard, epoch, _, _, message in parcels:
            began = clock()
            replies.append(self.shards[shard].answer(epoch, message))
            work[shard] += clock() - began
        began = clock()
        self.router.predict(asked, replies)
        return router + clock() - began, work


def random_order(rows: int, inputs: int, seed: int) -> tuple[Any, Any]:
    """Rows from all over the space."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (rows, inputs))
    return X, np.sin(2 * X.sum(axis=1)) + 0.1 * rng.standard_normal(rows)


def time_order(rows: int, inputs: int, seed: int) -> tuple[Any, Any]:
    """A machine whose state wanders slowly: a row is near the last ones."""
    rng = np.random.default_rng(seed)
    steps = rng.standard_normal((rows, inputs))
    X = np.empty((rows, inputs))
    state = rng.standard_normal(inputs)
    for i in range(rows):
        state = 0.999 * state + 0.045 * steps[i]
        X[i] = state
    return X, np.sin(2 * X.sum(axis=1)) + 0.1 * rng.standard_normal(rows)


ORDERS = {"random": random_order, "time": time_order}


def one(folder: Path, order: str, inputs: int, shards: int, rows: int, **options: Any) -> Any:
    """One stream into a model of so many shards, and queries like its rows."""
    X, y = ORDERS[order](rows, inputs, 1)
    theta = {"length_scale": [0.5 * inputs**0.5] * inputs, "noise_variance": 0.01}
    turns = Turns(
        folder, shards, inputs, **{"training": "off", "hyperparameters": theta, **options}
    )
    half = rows // 2
    turns.learn(X[:half], y[:half])
    # The second half is measured: by then every shard has its part.
    turns.router_seconds, turns.file_seconds, turns.shard_seconds[:] = 0.0, 0.0, 0.0
    turns.batches.clear()
    before = turns.router.counts()
    turns.learn(X[half:], y[half:])
    counts = {name: value - before[name] for name, value in turns.router.counts().items()}
    queries = X[np.random.default_rng(2).integers(half, rows, 2000)] + 0.01
    asked = turns.router.counts()
    router, work = turns.predict(queries)
    many = turns.router.counts()["queries_with_many_shards"] - asked["queries_with_many_shards"]
    learned = rows - half
    # How long the shards take if all work at once and wait for each other where the router waits.
    waiting = sum(one["shards"].max() for one in turns.batches if one["waits"])
    memory = [shard.memory_bytes for shard in turns.shards]
    return {
        "order": order,
        "inputs": inputs,
        "shards": shards,
        "rows": rows,
        "router_us_per_row": 1e6 * turns.router_seconds / learned,
        "file_us_per_row": 1e6 * turns.file_seconds / learned,
        "shards_us_per_row": 1e6 * float(turns.shard_seconds.sum()) / learned,
        "slowest_shard_us_per_row": 1e6 * float(turns.shard_seconds.max()) / learned,
        "bytes_per_row": (counts["bytes_sent"] + counts["bytes_received"]) / learned,
        "splits_per_row": counts["splits"] / learned,
        "moves_per_row": counts["moves"] / learned,
        "waited_us_per_row": 1e6 * float(waiting) / learned,
        "rows_with_many_shards": counts["rows_with_many_shards"] / learned,
        "router_us_per_query": 1e6 * router / len(queries),
        "shards_us_per_query": 1e6 * float(work.sum()) / len(queries),
        "slowest_shard_us_per_query": 1e6 * float(work.max()) / len(queries),
        "queries_with_many_shards": many / len(queries),
        "memory_share": [m / sum(memory) for m in memory],
        "shard_memory_bytes": max(memory),
        "router_memory_bytes_per_row": turns.router.memory_bytes / rows,
        "local_gps": turns.router.n_local,
    }


def ray_messages() -> dict[str, float]:
    """What Ray adds: the sender's processor time for a message and its reply; the round trip."""
    import os

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=80 * 2**20,
             log_to_driver=False, logging_level=40)  # fmt: skip

    class Echo:
        def say(self, message: Any) -> Any:
            return message

    echo = ray.remote(Echo).options(num_cpus=0.1).remote()
    message = np.zeros(64 * 1024, dtype=np.uint8)
    ray.get([echo.say.remote(message) for _ in range(50)])
    began, wall = time.process_time(), time.perf_counter()
    for _ in range(300):
        ray.get(echo.say.remote(message))
    result = {
        "sender_us_per_message": 1e6 * (time.process_time() - began) / 300,
        "round_trip_us": 1e6 * (time.perf_counter() - wall) / 300,
    }
    ray.shutdown()
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=12000)
    parser.add_argument("--out", type=Path, default=None)
    given = parser.parse_args()
    results: dict[str, Any] = {"streams": [], "speed_up": {}}
    with tempfile.TemporaryDirectory() as folder:
        for order in ORDERS:
            for inputs in (4, 8, 21):
                result = one(Path(folder), order, inputs, 8, given.rows)
                print(json.dumps(result), file=sys.stderr, flush=True)
                results["streams"].append(result)
        for shards in (1, 2, 4):
            result = one(
                Path(folder), "random", 8, shards, given.rows, capacity=250, split_limit=250
            )
            print(json.dumps(result), file=sys.stderr, flush=True)
            results["speed_up"][shards] = result
    results["ray"] = ray_messages()
    text = json.dumps(results, indent=1)
    print(text)
    if given.out is not None:
        given.out.write_text(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
