"""Replays measured times for many shards: `python -m experiments.scale.simulate measured.json`.

A stream of 10⁹ rows goes through a router and n shards. Known from `measure`: the processor time
of router and shards for a row, how often the second child of a split moves, and what a
message costs through Ray. Rows are routed in batches, as splitgp.ray does: 256 for each shard, at
least 1,024, cut short at a move, where the router waits until all shards are done and one has
replied. Each shard that a batch concerns gets one message. Which shard a row falls to is drawn:
evenly in random order; in time order a batch stays within the shards that `spread` says.

In random order there are two answers: with moves as often as in a model as small as the measured
one, and without: they become rare as local GPs become many, since shards then grow alike.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from splitgp.ray._actors import BATCH_PER_SHARD, LEAST_BATCH

ROWS = 1_000_000_000
SHARDS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
ON_THEIR_WAY = 4  # batches


def simulate(
    stream: dict[str, Any],
    ray: dict[str, float],
    shards: int,
    with_moves: bool,
    rows: int = 400_000,
    seed: int = 0,
) -> float:
    """Rows a second."""
    rng = np.random.default_rng(seed)
    # In time order neighbors of one place work: the owner's shard, and one or two beside it.
    spread = shards if stream["order"] == "random" else min(shards, 3)
    message = 1e-6 * ray["sender_us_per_message"]
    round_trip = 1e-6 * ray["round_trip_us"]
    router_row = 1e-6 * (stream["router_us_per_row"] + stream["file_us_per_row"])
    shard_row = 1e-6 * stream["shards_us_per_row"]
    moves = stream["moves_per_row"] if with_moves and shards > 1 else 0.0
    largest = max(LEAST_BATCH, BATCH_PER_SHARD * shards)
    rows = max(rows, 8 * largest)
    router = 0.0  # when it has done all so far
    free = np.zeros(shards)  # the same for each shard
    finished: list[float] = []
    done = 0
    while done < rows:
        until_move = int(rng.geometric(moves)) if moves > 0.0 else largest + 1
        batch = min(largest, until_move)
        # A stream in time order wanders from shard to shard.
        first = done // 20_000
        load = np.roll(np.bincount(rng.integers(spread, size=batch), minlength=shards), first)
        concerned = load > 0
        router += batch * router_row + int(concerned.sum()) * message
        free[concerned] = np.maximum(free[concerned], router) + load[concerned] * shard_row
        finished.append(float(free[concerned].max()))
        if until_move <= largest:
            router = max(router, float(free.max())) + round_trip
        elif len(finished) >= ON_THEIR_WAY:
            router = max(router, finished[-ON_THEIR_WAY])
        done += batch
    return done / max(router, float(free.max()))


def router_limit(stream: dict[str, Any]) -> float:
    """The number of shards at which the router has no time left: its time against theirs."""
    router = stream["router_us_per_row"] + stream["file_us_per_row"]
    return float(stream["shards_us_per_row"] / router)


def table(measured: dict[str, Any], with_moves: bool) -> str:
    lines = [
        "| order, inputs | " + " | ".join(f"{n:,}" for n in SHARDS) + " |",
        "|---|" + "---|" * len(SHARDS),
    ]
    for stream in measured["streams"]:
        if stream["order"] == "time" and not with_moves:
            continue
        rates = [simulate(stream, measured["ray"], n, with_moves) for n in SHARDS]
        cells = " | ".join(f"{rate / 1000:.1f}" for rate in rates)
        lines.append(f"| {stream['order']}, {stream['inputs']} | {cells} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("measured", type=Path, help="what `experiments.scale.measure --out` wrote")
    given = parser.parse_args()
    measured = json.loads(given.measured.read_text())
    print("Thousands of rows learned a second, θ fixed, by number of shards\n")
    print(table(measured, with_moves=False))
    print("\nThe same, with moves as often as measured\n")
    print(table(measured, with_moves=True))
    print()
    for stream in measured["streams"]:
        moves = stream["order"] == "time"
        best = max(simulate(stream, measured["ray"], n, moves) for n in SHARDS)
        memory = stream["shard_memory_bytes"] * stream["shards"] / stream["rows"]
        print(
            f"{stream['order']} order, {stream['inputs']} inputs: the router is the limit at "
            f"{router_limit(stream):.1f} shards; 10⁹ rows take {ROWS / best / 3600:.0f} hours at "
            f"best; shards hold {ROWS * memory / 1e12:.1f} TB together, the router "
            f"{ROWS * stream['router_memory_bytes_per_row'] / 1e9:.0f} GB"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
