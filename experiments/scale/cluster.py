"""Several Ray nodes on this machine, to be killed."""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray
from ray.cluster_utils import Cluster

_STORE = 80 * 2**20  # bytes of shared memory for each node: batches are small


class Nodes:
    """A head node, which must live, and others."""

    def __init__(self, nodes: int, cpus: int = 4) -> None:
        self._cpus = cpus
        self._cluster = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": 0,
                "object_store_memory": _STORE,
                "include_dashboard": False,
            },
        )
        self.nodes: list[Any] = [self._new() for _ in range(nodes)]
        ray.init(address=self._cluster.address, log_to_driver=False, logging_level=40)

    def _new(self) -> Any:
        return self._cluster.add_node(
            num_cpus=self._cpus, object_store_memory=_STORE, dashboard_agent_listen_port=0
        )

    def add(self) -> Any:
        self.nodes.append(self._new())
        return self.nodes[-1]

    def kill(self, node: Any) -> None:
        """All its processes at once, without notice."""
        self.nodes.remove(node)
        self._cluster.remove_node(node, allow_graceful=False)

    def close(self) -> None:
        ray.shutdown()
        self._cluster.shutdown()
