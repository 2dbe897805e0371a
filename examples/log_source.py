"""Learns from a log of records that is polled by offset, as Kafka's are, into a model in shards.

The log here is a LOCAL STAND-IN, a list in memory with the two calls that matter: poll(offset) and
the offset it has reached. With Kafka they are `consumer.seek` and `consumer.poll`; nothing else
changes. The offset is written into the model file in the same transaction as the rows, so after a
crash the next start continues exactly there: nothing lost, nothing learned twice.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from splitgp.ray import ShardedGP


class StandInLog:
    """Not Kafka: a partition's records, in memory."""

    def __init__(self, records: np.ndarray) -> None:
        self._records = records

    def poll(self, offset: int, most: int) -> np.ndarray:
        return self._records[offset : offset + most]


def follow(log: StandInLog, path: Path, until: int) -> int:
    """Learn from where the file says that the last one stopped."""
    with ShardedGP(2, model=path, cpus=0.2, split_limit=20, capacity=60) as model:
        offset = model.position("sensors-0")
        print(f"starts at offset {offset}")
        while offset < until:
            records = log.poll(offset, 256)
            model.update(records[:, :2], records[:, 2])
            offset += len(records)
            model.checkpoint({"sensors-0": offset})
        return model.n_observations


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (1000, 2))
    y = np.sin(3 * X[:, 0]) + X[:, 1] + 0.1 * rng.standard_normal(1000)
    log = StandInLog(np.column_stack([X, y]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sensors.splitgp"
        follow(log, path, until=512)
        learned = follow(log, path, until=1000)
    print(f"{learned} records learned, each once:", "ok" if learned == 1000 else "wrong")


if __name__ == "__main__":
    main()
