"""The processes of a sharded model. Ray starts, places and restarts them, and carries messages.

Nothing here looks at a row: batches are numpy arrays, messages are bytes, and both go straight into
the engine (`splitgp::Router`, `splitgp::Shard`).
"""

from __future__ import annotations

import os
import time
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import ray
from numpy.typing import NDArray
from ray.exceptions import RayActorError

from splitgp import _core, _options

Floats = NDArray[np.float64]
Message = NDArray[np.uint8]

_LOST = 1  # scale::Status::lost
# Rows that are routed together, at least and for each shard: a message costs the router as much as
# some fifty rows do. Messages on their way at once: enough to keep shards busy while others are
# read and written, few enough to wait for.
LEAST_BATCH = 1024
BATCH_PER_SHARD = 256
_MOST_ON_THEIR_WAY = 4
_QUERIES = 2048


class NotAttached(RuntimeError):
    """The router was restarted, and waits for someone to tell it what to do."""


class ShardActor:
    """Holds some of the local GPs."""

    def __init__(self) -> None:
        self._shard = _core.Shard()

    def begin(self, epoch: int, number: int, message: Message) -> Message:
        return self._shard.begin(epoch, number, message)

    def apply(self, epoch: int, number: int, message: Message) -> Message:
        return self._shard.apply(epoch, number, message)

    def answer(self, epoch: int, questions: Message) -> Message:
        return self._shard.answer(epoch, questions)

    def facts(self) -> dict[str, Any]:
        return {
            "pid": os.getpid(),
            "node": ray.get_runtime_context().get_node_id(),
            "n_local": self._shard.n_local,
            "memory_bytes": self._shard.memory_bytes,
            "processor_seconds": time.process_time(),
        }


class RouterActor:
    """Holds everything else, and the model file.

    Its methods are called by one client. What a shard has lost it gets back here; if the router
    itself is lost, the client attaches the next one, which begins with the file.
    """

    def __init__(self) -> None:
        self._core: _core.Router | None = None
        self._shards: list[Any] = []
        # For each message on its way: shard, epoch, number.
        self._sent: dict[Any, tuple[int, int, int]] = {}
        self._taken = 0  # rows
        self._committed = 0  # of them in the file
        self._before = 0  # in the file when this process began
        self._every = 1
        self._reloads = 0
        self._waited = 0.0

    def attach(
        self,
        path: str,
        shards: list[Any],
        every: int,
        make: dict[str, Any] | None,
    ) -> dict[str, Any] | None:
        """Open the file, or make it; None if there is none and nothing to make it with."""
        self._shards = shards
        self._every = every
        if self._core is None:
            if Path(path).exists():
                self._core = _core.Router.open(Path(path), len(shards))
            elif make is not None:
                self._core = _core.Router.create(
                    Path(path),
                    make["inputs"],
                    make["outputs"],
                    _options.make(make["keywords"]),
                    len(shards),
                    make["input_names"],
                    make["output_names"],
                    make["notes"],
                )
            else:
                return None
            self._taken = self._committed = self._before = self._core.n_observations
            self._send(self._core.start())
        return self.facts()

    def learn(
        self, first: int, X: Floats, y: Floats, noise: Floats | None, predict: bool
    ) -> tuple[int, int, Any]:
        """Learn rows, of which `first` is the first one's number; those it has are left out.

        Returns how many rows it has taken, how many of them are in the file, and predictions made
        before each row, if asked for.
        """
        core = self._ready()
        known = self._taken
        if first > known:
            raise NotAttached(f"rows {known} to {first - 1} are missing")
        # Not after this call's rows: whoever asks again for their predictions must find them new.
        if known - self._committed >= self._every:
            self.checkpoint({}, {})
        skip = min(known - first, len(X))
        if skip < len(X):
            core.learn(X[skip:], y[skip:], None if noise is None else noise[skip:], predict)
            self._taken = known + len(X) - skip
        self._work(self._routed_all)
        predictions = None
        if predict:
            self._settle()
            predictions = core.take_predictions()
        return self._taken, self._committed, predictions

    def predict(self, X: Floats, ahead: Floats) -> list[Any]:
        """Predictions at the rows of X, in pieces; one value of `ahead` for each."""
        core = self._ready()
        self._settle()
        pieces: list[Any] = []
        asked: deque[tuple[Floats, Floats, Any, list[Any]]] = deque()

        def answer() -> None:
            queries, rows_ahead, questions, refs = asked.popleft()
            while True:
                replies = self._get_answers(core.parcels(questions), refs)
                result = None if replies is None else core.predict(questions, replies)
                if result is not None:
                    pieces.append(result)
                    return
                self._settle()
                questions, refs = self._ask(queries, rows_ahead)

        for start in range(0, len(X), _QUERIES):
            queries = X[start : start + _QUERIES]
            rows_ahead = ahead[start : start + _QUERIES]
            asked.append((queries, rows_ahead, *self._ask(queries, rows_ahead)))
            if len(asked) > 2:
                answer()
        while asked:
            answer()
        return pieces

    def checkpoint(self, positions: dict[str, int], notes: dict[str, str]) -> int:
        """Write what was learned into the file; returns how many rows it holds."""
        core = self._ready()
        self._settle()
        core.checkpoint(positions, notes)
        self._committed = core.n_observations
        return self._committed

    def save(self, path: str) -> None:
        core = self._ready()
        self.checkpoint({}, {})
        core.save(Path(path))

    def add_shard(self, shards: list[Any]) -> None:
        """Let the last of these, which is new, take over its share."""
        core = self._ready()
        if len(shards) <= core.n_shards:
            return
        self._settle()
        core.add_shard()
        self._shards = shards
        self._send(core.start())
        self._settle()
        self.checkpoint({}, {})

    def facts(self) -> dict[str, Any]:
        core = self._ready()
        self._settle()
        return {
            "pid": os.getpid(),
            "node": ray.get_runtime_context().get_node_id(),
            "n_inputs": core.n_inputs,
            "n_outputs": core.n_outputs,
            "n_observations": core.n_observations,
            "n_local": core.n_local,
            "committed": self._committed,
            "memory_bytes": core.memory_bytes,
            "hyperparameters": core.hyperparameters(),
            "keywords": _options.keywords_of(core.options()),
            "theta_version": core.theta_version,
            "counts": core.counts(),
            "shard_of": np.asarray(core.shard_of, dtype=np.int64),
            "processor_seconds": time.process_time(),
            "waited_seconds": self._waited,
            "reloads": self._reloads,
            "python": core.note("python"),
        }

    def position(self, source: str) -> int:
        return self._ready().position(source)

    def note(self, key: str) -> str | None:
        return self._ready().note(key)

    # The messages.

    def _ready(self) -> _core.Router:
        if self._core is None:
            raise NotAttached("the router has no file yet")
        return self._core

    def _routed_all(self) -> bool:
        # There is nothing left to send, though replies may be on their way.
        core = self._ready()
        return core.idle or (self._taken == self._before + core.counts()["rows"] and not core.waits)

    def _settle(self) -> None:
        core = self._ready()
        self._work(lambda: core.idle)

    def _work(self, done: Any) -> None:
        """Send and receive until `done`."""
        core = self._ready()
        while not done():
            on_their_way = len(self._sent)
            if on_their_way < _MOST_ON_THEIR_WAY * len(self._shards) and not core.waits:
                parcels = core.route(max(LEAST_BATCH, BATCH_PER_SHARD * len(self._shards)))
                if parcels:
                    self._send(parcels)
                    continue
            if self._sent:
                self._receive()
        # What has come meanwhile.
        if self._sent:
            self._receive(0.0)

    def _send(self, parcels: list[Any]) -> None:
        for shard, epoch, number, begins, message in parcels:
            actor = self._shards[shard]
            method = actor.begin if begins else actor.apply
            ref = method.remote(epoch, number, message)
            self._sent[ref] = (shard, epoch, -1 if begins else number)

    def _receive(self, timeout: float | None = None) -> None:
        before = time.perf_counter()
        refs = list(self._sent)
        ready, _ = ray.wait(refs, num_returns=1, timeout=timeout)
        if len(refs) > 1 and ready:
            ready, _ = ray.wait(refs, num_returns=len(refs), timeout=0)
        if timeout is None:
            self._waited += time.perf_counter() - before
        for ref in ready:
            # A shard that had to be reloaded has taken others with it.
            if ref not in self._sent:
                continue
            shard, epoch, number = self._sent.pop(ref)
            try:
                reply = ray.get(ref)
            except RayActorError:
                self._reload(shard)
                continue
            if number >= 0 and not self._ready().receive(shard, epoch, number, reply):
                self._reload(shard)

    def _reload(self, shard: int) -> None:
        self._reloads += 1
        for ref in [ref for ref, sent in self._sent.items() if sent[0] == shard]:
            del self._sent[ref]
        self._send(self._ready().reload(shard))

    def _ask(self, X: Floats, ahead: Floats) -> tuple[Any, list[Any]]:
        core = self._ready()
        questions = core.ask(X, ahead)
        refs = [
            self._shards[shard].answer.remote(epoch, message)
            for shard, epoch, _, _, message in core.parcels(questions)
        ]
        return questions, refs

    def _get_answers(self, parcels: list[Any], refs: list[Any]) -> list[Message] | None:
        replies: list[Message] = []
        lost: set[int] = set()
        for (shard, *_), ref in zip(parcels, refs, strict=True):
            try:
                reply = ray.get(ref)
            except RayActorError:
                lost.add(shard)
                continue
            if reply[0] == _LOST:
                lost.add(shard)
            replies.append(reply)
        for shard in lost:
            self._reload(shard)
        return None if lost else replies
