"""One shard against two, on Ray: `python -m experiments.scale.speed_up`.

Each shard is a process. Speed-up is told twice: by the wall clock, which on a machine of two cores
also pays for router, client and whatever else runs there; and by the processor time of the busiest
process, which is what the wall clock would tell if each had a core of its own.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any

import numpy as np

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray

from experiments.scale.measure import random_order
from splitgp.ray import ShardedGP


def busiest(model: ShardedGP) -> tuple[float, float, Any]:
    """Processor seconds so far: router, all shards."""
    shards = np.array([one["processor_seconds"] for one in model.shard_facts()])
    return float(model.facts()["processor_seconds"]), float(shards.sum()), shards


def run(shards: int, rows: int, queries: int) -> dict[str, Any]:
    X, y = random_order(rows, 8, 1)
    theta = {"length_scale": [0.5 * 8**0.5] * 8, "noise_variance": 0.01}
    model = ShardedGP(
        shards, cpus=0.1, training="off", hyperparameters=theta, capacity=250, split_limit=250
    )
    half = rows // 2
    model.update(X[:half], y[:half])
    router, _, each = busiest(model)
    began = time.perf_counter()
    model.update(X[half:], y[half:])
    router_after, _, each_after = busiest(model)
    learning = time.perf_counter() - began
    asked = np.ascontiguousarray(X[np.random.default_rng(2).integers(0, rows, queries)] + 0.01)
    began = time.perf_counter()
    model.predict(asked)
    predicting = time.perf_counter() - began
    router_end, _, each_end = busiest(model)
    memory = [one["memory_bytes"] for one in model.shard_facts()]
    model.close()
    return {
        "learning_wall": learning,
        "learning_busiest": max(router_after - router, float((each_after - each).max())),
        "learning_router": router_after - router,
        "predicting_wall": predicting,
        "predicting_busiest": max(router_end - router_after, float((each_end - each_after).max())),
        "predicting_router": router_end - router_after,
        "memory": memory,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=12000)
    parser.add_argument("--queries", type=int, default=20000)
    given = parser.parse_args()
    ray.init(num_cpus=4, include_dashboard=False, object_store_memory=200 * 2**20,
             log_to_driver=False, logging_level=40)  # fmt: skip
    one, two = (run(shards, given.rows, given.queries) for shards in (1, 2))
    ray.shutdown()
    for name in ("learning", "predicting"):
        print(
            f"{name}: {one[name + '_busiest'] / two[name + '_busiest']:.2f} times as fast by the "
            f"busiest process, {one[name + '_wall'] / two[name + '_wall']:.2f} by the clock; "
            f"router {one[name + '_router']:.2f} and {two[name + '_router']:.2f} s, "
            f"busiest {one[name + '_busiest']:.2f} and {two[name + '_busiest']:.2f} s"
        )
    shares = ", ".join(f"{m / sum(one['memory']):.3f}" for m in two["memory"])
    print(f"memory of each of two shards, as a share of one shard's: {shares}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
