"""Kills processes of a model in shards while it learns: `python -m experiments.scale.faults`.

The model must end as the one that nobody disturbed: nothing lost, nothing twice.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import ray

import splitgp
from experiments.scale.cluster import Nodes
from experiments.scale.compare import differences
from splitgp.ray import ShardedGP

OPTIONS: dict[str, Any] = {"split_limit": 20, "capacity": 60}


def stream(rows: int, seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A smooth function of two inputs whose scale changes once, so that a surprise comes too."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (rows, 2))
    y = np.sin(3 * X[:, 0]) * np.cos(2 * X[:, 1]) + 0.1 * rng.standard_normal(rows)
    y[rows // 2 :] *= 50.0
    return X, y


class Killer:
    """Ends something at a random moment while a piece of the stream is learned."""

    def __init__(self, nodes: Nodes, model: ShardedGP, seed: int) -> None:
        self.nodes, self.model = nodes, model
        self.rng = np.random.default_rng(seed)
        self.killed: dict[str, int] = {"shard": 0, "router": 0, "node": 0}
        self._pids: dict[str, list[int]] = {}

    def look(self) -> None:
        """Who there is; asked between pieces, since the victims may not answer later."""
        self._pids = {
            "shard": [one["pid"] for one in self.model.shard_facts()],
            "router": [self.model.facts()["pid"]],
        }

    def after(self, seconds: float, kind: str) -> threading.Thread:
        thread = threading.Thread(target=self._kill, args=(seconds, kind))
        thread.start()
        return thread

    def _kill(self, seconds: float, kind: str) -> None:
        time.sleep(seconds)
        if kind == "node":
            self.nodes.kill(self.nodes.nodes[int(self.rng.integers(len(self.nodes.nodes)))])
        else:
            pid = self._pids[kind][int(self.rng.integers(len(self._pids[kind])))]
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.killed[kind] += 1


def trainings(expected: splitgp.SplittingGP) -> list[int]:
    return [one.sequence for one in expected.training_history]


def campaign(
    rows: int, kills: int, shards: int, seed: int, node_share: float = 0.2, out: Any = sys.stdout
) -> list[str]:
    """Returns what differs in the end."""
    X, y = stream(rows, seed)
    expected = splitgp.SplittingGP(**OPTIONS)
    expected.update(X, y)
    rng = np.random.default_rng(seed + 1)
    # Half of the kills are aimed at the rows that are learned when a training comes; between two
    # trainings there is a split every dozen rows.
    pieces = np.unique(np.linspace(0, rows, 2 * kills + 1).astype(int))
    ends = [n for n in trainings(expected) if 64 < n < rows]
    aimed = set(rng.choice(ends, min(len(ends), kills // 2), replace=False).tolist())
    bounds = sorted({*pieces.tolist(), *(n + 3 for n in aimed), *(n - 30 for n in aimed), 0, rows})
    quiet = [n for n in bounds[1:-1] if n - 3 not in aimed]
    at_random = set(rng.choice(quiet, kills - len(aimed), replace=False).tolist())

    nodes = Nodes(3)
    try:
        with tempfile.TemporaryDirectory() as folder:
            model = ShardedGP(
                shards, model=Path(folder) / "m.splitgp", checkpoint_rows=rows // 8, cpus=0.5,
                **OPTIONS,
            )  # fmt: skip
            killer = Killer(nodes, model, seed + 2)
            started = time.monotonic()
            for first, last in itertools.pairwise(bounds):
                thread = None
                if last - 3 in aimed or last in at_random:
                    draw = rng.uniform()
                    kind = "node" if draw < node_share else "router" if draw < 0.5 else "shard"
                    killer.look()
                    thread = killer.after(float(rng.uniform(0.0, 0.05)), kind)
                model.update(X[first:last], y[first:last])
                if thread is not None:
                    thread.join()
                    seconds = time.monotonic() - started
                    print(
                        f"{seconds:.0f} s: row {last}, {kind} killed", file=sys.stderr, flush=True
                    )
                    if len(nodes.nodes) < 3:
                        nodes.add()
            found = differences(model, expected, X[:200])
            facts = model.facts()
            print(
                f"{rows} rows in {shards} shards on 3 nodes, seed {seed}: killed "
                f"{killer.killed['shard']} shards, {killer.killed['router']} routers, "
                f"{killer.killed['node']} nodes, {len(aimed)} of them aimed at trainings; "
                f"{facts['n_local']} local GPs, {len(ends)} trainings, "
                f"{model.router_restarts} times the router was replaced; "
                f"{time.monotonic() - started:.0f} s: "
                + ("; ".join(found) if found else "the same model"),
                file=out,
                flush=True,
            )
            model.close()
            return found
    finally:
        nodes.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    found = campaign(given.rows, given.kills, given.shards, given.seed)
    ray.shutdown()
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
