"""Replays measured times for many shards: `python -m experiments.scale.simulate measured.json`.

A stream of 10⁹ rows goes through a router and n shards. What is known from `measure`: the router's
processor time for a row, the shards' together, splits whose second child moves (the router then
waits for its shard), and what a message costs through Ray. Batches have 1,024 rows; each shard that
a batch concerns gets one message. Which shard a row falls to is drawn: evenly in random order; in
time order a batch stays within two shards.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

BATCH = 1024
ROWS = 1_000_000_000
SHARDS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)


def simulate(
    stream: dict[str, Any], ray: dict[str, float], shards: int, batches: int = 400, seed: int = 0
) -> dict[str, float]:
    """Rows a second, and what limits them."""
    rng = np.random.default_rng(seed)
    spread = shards if stream["order"] == "random" else min(shards, 2)
    message = 1e-6 * ray["sender_us_per_message"]
    round_trip = 1e-6 * ray["round_trip_us"]
    router_row = 1e-6 * (stream["router_us_per_row"] + stream["file_us_per_row"])
    # One shard's work for a row: what all shards did for it in `measure`.
    shard_row = 1e-6 * stream["shards_us_per_row"]
    # With one shard nothing moves; with n, as often as with the shards of `measure`.
    moves = stream["moves_per_row"] if shards > 1 else 0.0
    router_busy = 0.0  # when it has done all so far
    shard_free = np.zeros(shards)
    for _ in range(batches):
        first = int(rng.integers(shards))
        load = np.bincount(rng.integers(spread, size=BATCH), minlength=shards)
        load = np.roll(load, first)
        concerned = load > 0
        router_busy += BATCH * router_row + int(concerned.sum()) * message
        start = np.maximum(shard_free[concerned], router_busy)
        shard_free[concerned] = start + load[concerned] * shard_row
        # Four batches may be on their way; then the router waits for the slowest of the first.
        backlog = shard_free.max() - 4 * BATCH * shard_row / min(spread, shards)
        router_busy = max(router_busy, backlog)
        for _ in range(rng.poisson(BATCH * moves)):
            # The child's shard has to be told: the router waits until the parent's has replied.
            router_busy = (
                max(router_busy, float(shard_free[int(rng.integers(shards))])) + round_trip
            )
    total = max(router_busy, float(shard_free.max()))
    rows = batches * BATCH
    return {
        "rows_per_second": rows / total,
        "router_busy": min(1.0, rows * router_row / total),
        "hours_for_1e9_rows": ROWS * total / rows / 3600.0,
    }


def router_limit(stream: dict[str, Any]) -> float:
    """The number of shards at which the router has no time left: its time against theirs."""
    router = stream["router_us_per_row"] + stream["file_us_per_row"]
    return float(stream["shards_us_per_row"] / router)


def table(measured: dict[str, Any]) -> str:
    lines = [
        "| order, inputs | " + " | ".join(f"{n:,}" for n in SHARDS) + " | router is the limit at |",
        "|---|" + "---|" * (len(SHARDS) + 1),
    ]
    for stream in measured["streams"]:
        rates = [simulate(stream, measured["ray"], n)["rows_per_second"] for n in SHARDS]
        cells = " | ".join(f"{rate / 1000:.1f}" for rate in rates)
        limit = f"{router_limit(stream):.0f} shards"
        lines.append(f"| {stream['order']}, {stream['inputs']} | {cells} | {limit} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("measured", type=Path, help="what `experiments.scale.measure --out` wrote")
    given = parser.parse_args()
    measured = json.loads(given.measured.read_text())
    print("Thousands of rows learned a second, θ fixed, by number of shards\n")
    print(table(measured))
    for stream in measured["streams"]:
        best = max(
            (simulate(stream, measured["ray"], n)["hours_for_1e9_rows"], -n) for n in (1000,)
        )
        print(
            f"\n{stream['order']} order, {stream['inputs']} inputs: 10⁹ rows take {best[0]:,.0f} "
            f"hours with 1,000 shards; the shards hold "
            f"{ROWS * stream['shard_memory_bytes'] * stream['shards'] / stream['rows'] / 1e12:.1f} "
            f"TB together, the router {ROWS * stream['router_memory_bytes_per_row'] / 1e9:.0f} GB"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
