"""The model that a program holds; the work is done elsewhere."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import ray
from numpy.typing import ArrayLike
from ray.exceptions import RayActorError, RayTaskError

from splitgp._arrays import Floats, ahead_of, observation_rows, rows
from splitgp._options import DEFAULTS, integer, make
from splitgp._results import Hyperparameters, Prediction
from splitgp._saving import existing
from splitgp.ray._actors import NotAttached, RouterActor, ShardActor

if TYPE_CHECKING:
    from typing_extensions import Self

# Rows that are sent to the router at once.
_PIECE = 8192
_LARGEST = 1e150


class ShardedGP:
    """A `SplittingGP` whose local GPs are shared among the machines of a Ray cluster.

    For the same rows it is the same model: partition, owners and θ are equal, predictions agree to
    rounding, and files are the same files. It is for streams whose local GPs do not fit one
    machine's memory, or whose rows come faster than one machine learns; docs/scale_out.md says what
    was measured, and when one machine is faster.

    Parameters
    ----------
    shards : int
        How many processes share the local GPs.
    model : path, optional
        The file that the model lives in, which must be in a place that the router's machine can
        reach, and another if that one is lost. If it exists, the model continues. Without it, a
        temporary file is used, and gone when the model is closed.
    checkpoint_rows : int
        How many rows may be learned before the file is written. These are kept in this process too,
        so that a router that dies loses none.
    cpus : float, optional
        What Ray reserves for each shard and for the router. Default: 1, or less if the cluster has
        not enough.
    **options
        Those of `SplittingGP`. A ValueError names those that shards cannot keep exactly:
        ``training="background"``, ``outliers="reject"``, ``on_drift="forget"`` and what forgets.
        ``surprise=True``, the default, is kept, but lets the shards wait for each other every 48
        rows or so.

    Examples
    --------
    >>> from splitgp.ray import ShardedGP  # doctest: +SKIP
    >>> model = ShardedGP(shards=4, split_limit=100)  # doctest: +SKIP
    >>> model.update(X, y)  # doctest: +SKIP
    >>> model.predict(X[:5]).mean  # doctest: +SKIP
    >>> model.save("m.splitgp")  # doctest: +SKIP
    >>> model.close()  # doctest: +SKIP
    """

    def __init__(
        self,
        shards: int,
        *,
        model: str | os.PathLike[str] | None = None,
        checkpoint_rows: int = 16384,
        cpus: float | None = None,
        **options: Any,
    ) -> None:
        integer("shards", shards, 1)
        integer("checkpoint_rows", checkpoint_rows, 1)
        unknown = sorted(set(options) - set(DEFAULTS))
        if unknown:
            raise TypeError(f"ShardedGP has no option {unknown[0]!r}")
        self._keywords = {**DEFAULTS, **options}
        _check(self._keywords)
        self._options = make(self._keywords)
        self._every = checkpoint_rows
        self._flat = True
        self._names: tuple[list[str], list[str]] = ([], [])
        self._folder: str | None = None
        self._own_ray = False
        if not ray.is_initialized():
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            ray.init(include_dashboard=False, log_to_driver=False)
            self._own_ray = True
        self._cpus = cpus
        self._shards = [self._new_shard(shards) for _ in range(shards)]
        self._router: Any = self._new_router(shards)
        if model is None:
            self._folder = tempfile.mkdtemp(prefix="splitgp-shards-")
            self._path = str(Path(self._folder) / "model.splitgp")
        else:
            self._path = str(Path(model).absolute())
        # Rows that are not in the file yet: the first one's number, X, y, noise.
        self._unwritten: deque[tuple[int, Floats, Floats, Floats | None]] = deque()
        self._n = 0
        self._make: dict[str, Any] | None = None
        self.router_restarts = 0
        facts = self._attach()
        if facts is not None:
            self._adopt(facts)

    @classmethod
    def load(cls, path: str | os.PathLike[str], shards: int, **settings: Any) -> Self:
        """A copy of the model in a file that `SplittingGP`, the command or a ShardedGP wrote."""
        source = existing(path)
        folder = tempfile.mkdtemp(prefix="splitgp-shards-")
        copy = Path(folder) / "model.splitgp"
        _copy_file(source, copy)
        self = cls(shards, model=copy, **settings)
        self._folder = folder
        return self

    def update(self, X: ArrayLike, y: ArrayLike, noise_variance: ArrayLike | None = None) -> None:
        """Learn the rows of X and y, in order; as `SplittingGP.update`."""
        self._learn(X, y, noise_variance, predict=False)

    def predict_then_update(
        self, X: ArrayLike, y: ArrayLike, noise_variance: ArrayLike | None = None
    ) -> Prediction:
        """The same, and what was predicted for each row just before it was learned."""
        before: Prediction = self._learn(X, y, noise_variance, predict=True)
        return before

    def predict(self, X: ArrayLike, ahead: ArrayLike | None = 1) -> Prediction:
        """Predict at the rows of X; as `SplittingGP.predict`, after all rows that were learned."""
        queries = rows("X", X)
        _check_values("x", queries)
        rows_ahead = ahead_of(ahead)
        if len(rows_ahead) not in (1, len(queries)):
            raise ValueError(f"ahead has {len(rows_ahead)} values; X has {len(queries)} rows")
        if (rows_ahead < 1).any():
            raise ValueError(f"ahead is {rows_ahead.min()}; it must be at least 1, or None")
        if self._make is None:
            raise ValueError("the model has no observations yet; call update first")
        return self._prediction(
            self._call("predict", queries, np.broadcast_to(rows_ahead, len(queries)).copy())
        )

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the model to one file, as `SplittingGP.save` does."""
        target = Path(path).absolute()
        if target.exists() and not overwrite:
            raise FileExistsError(f"{target} exists; pass overwrite=True to replace it")
        if self._make is None:
            raise ValueError("the model has no observations yet; call update first")
        with tempfile.TemporaryDirectory(prefix=".splitgp-", dir=target.parent) as folder:
            fresh = Path(folder) / target.name
            self._call("save", str(fresh))
            os.replace(fresh, target)

    def checkpoint(
        self, positions: dict[str, int] | None = None, notes: dict[str, str] | None = None
    ) -> None:
        """Write everything learned into the model's own file, with positions in sources."""
        if self._make is None:
            return
        committed = self._call("checkpoint", positions or {}, notes or {})
        self._forget_written(committed)

    def position(self, source: str) -> int:
        """How many rows of a source the last checkpoint had read."""
        return 0 if self._make is None else int(self._call("position", source))

    def add_shard(self) -> None:
        """One more process, on whatever machine has room, which takes over its share."""
        self._shards.append(self._new_shard(len(self._shards) + 1))
        if self._make is not None:
            self._call("add_shard", self._shards)

    def close(self) -> None:
        """Write what is left, and end all processes."""
        if self._router is None:
            return
        with contextlib.suppress(RayActorError):
            self.checkpoint()
        for actor in [self._router, *self._shards]:
            ray.kill(actor)
        self._router, self._shards = None, []
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        if self._own_ray:
            ray.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def n_observations(self) -> int:
        """How many observations it holds."""
        return self._n

    @property
    def n_local(self) -> int:
        """How many local GPs there are, in all shards."""
        return 0 if self._make is None else int(self.facts()["n_local"])

    @property
    def memory_bytes(self) -> int:
        """Of the router and all shards."""
        if self._make is None:
            return 0
        shards = sum(int(one["memory_bytes"]) for one in self.shard_facts())
        return int(self.facts()["memory_bytes"]) + shards

    @property
    def hyperparameters(self) -> Hyperparameters:
        """θ now."""
        if self._make is None:
            raise ValueError("the model has no observations yet; call update first")
        return Hyperparameters(**self.facts()["hyperparameters"])

    def facts(self) -> dict[str, Any]:
        """What the router knows about itself: counts of its work, processor time, placement."""
        facts: dict[str, Any] = self._call("facts")
        return facts

    def shard_facts(self) -> list[dict[str, Any]]:
        """The same of each shard: process, node, local GPs, memory, processor time."""
        if self._make is not None:
            self.facts()  # waits for the rows on their way, and for shards that are reloaded
        facts: list[dict[str, Any]] = ray.get([shard.facts.remote() for shard in self._shards])
        return facts

    # The processes.

    def _share(self, shards: int) -> float:
        if self._cpus is not None:
            return self._cpus
        total = float(ray.cluster_resources().get("CPU", 1.0))
        return min(1.0, total / (shards + 1))

    def _new_shard(self, shards: int) -> Any:
        # -1: a shard may be restarted as often as need be. A message that is delivered again does
        # no harm.
        return (
            ray.remote(ShardActor)
            .options(
                num_cpus=self._share(shards),
                max_restarts=-1,
                max_task_retries=-1,
                scheduling_strategy="SPREAD",
            )
            .remote()
        )

    def _new_router(self, shards: int) -> Any:
        return (
            ray.remote(RouterActor)
            .options(num_cpus=self._share(shards), max_restarts=-1, max_task_retries=0)
            .remote()
        )

    def _attach(self) -> dict[str, Any] | None:
        """Tell a new or restarted router what to do; returns what it then knows."""
        deadline = time.monotonic() + 300.0
        while True:
            try:
                facts: dict[str, Any] | None = _get(
                    self._router.attach.remote(self._path, self._shards, self._every, self._make)
                )
                return facts
            except RayActorError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def _adopt(self, facts: dict[str, Any]) -> None:
        self._n = int(facts["n_observations"])
        self._keywords = facts["keywords"]
        self._flat = (
            facts["n_outputs"] == 1 if facts["python"] is None else (facts["python"] == "flat")
        )
        self._make = self._making(facts["n_inputs"], facts["n_outputs"])

    def _making(self, inputs: int, outputs: int) -> dict[str, Any]:
        return {
            "inputs": inputs,
            "outputs": outputs,
            "keywords": self._keywords,
            "input_names": self._names[0],
            "output_names": self._names[1],
            "notes": {"python": "flat" if self._flat else "columns"},
        }

    def _call(self, method: str, *arguments: Any) -> Any:
        """Call the router; if it was lost, attach the next and send what the file lacks."""
        while True:
            try:
                return _get(getattr(self._router, method).remote(*arguments))
            except (RayActorError, NotAttached):
                self._recover()

    def _recover(self) -> None:
        self.router_restarts += 1
        while True:
            try:
                facts = self._attach()
                known = 0 if facts is None else int(facts["n_observations"])
                for first, X, y, noise in list(self._unwritten):
                    if first + len(X) > known:
                        _get(self._router.learn.remote(first, X, y, noise, False))
                return
            except (RayActorError, NotAttached):
                time.sleep(0.1)

    def _learn(
        self, X: ArrayLike, y: ArrayLike, noise_variance: ArrayLike | None, predict: bool
    ) -> Any:
        inputs, outputs, noise, flat = observation_rows(X, y, noise_variance)
        _check_values("x", inputs)
        _check_values("y", outputs)
        if len(inputs) != len(outputs):
            raise ValueError(f"X has {len(inputs)} rows, y has {len(outputs)}")
        if noise is not None and not (noise >= 0).all():
            row = int(np.argmin(noise >= 0))
            raise ValueError(f"noise_variance of row {row} is {noise[row]}; it must be at least 0")
        if self._make is None:
            self._flat = flat
            self._make = self._making(inputs.shape[1], outputs.shape[1])
            try:
                self._call("attach", self._path, self._shards, self._every, self._make)
            except Exception:
                self._make = None
                raise
        width = (self._make["inputs"], self._make["outputs"])
        if (inputs.shape[1], outputs.shape[1]) != width:
            raise ValueError(
                f"X and y have {inputs.shape[1]} inputs and {outputs.shape[1]} outputs; "
                f"the model has {width[0]} and {width[1]}"
            )
        pieces: list[Any] = []
        for start in range(0, len(inputs), _PIECE):
            part = slice(start, start + _PIECE)
            # Copies: the caller may change what it gave us before it is written.
            piece = (
                self._n,
                inputs[part].copy(),
                outputs[part].copy(),
                None if noise is None else noise[part].copy(),
            )
            result = self._send_piece(piece, predict)
            if predict:
                pieces.append(result)
        return self._prediction(pieces) if predict else None

    def _send_piece(self, piece: tuple[int, Floats, Floats, Floats | None], predict: bool) -> Any:
        while True:
            try:
                taken, committed, predictions = _get(self._router.learn.remote(*piece, predict))
                break
            except (RayActorError, NotAttached):
                self._recover()
        if predict and len(predictions[0]) < len(piece[1]):
            raise RuntimeError("rows were learned before they could be predicted")
        self._unwritten.append(piece)
        self._n = taken
        self._forget_written(committed)
        return predictions

    def _forget_written(self, committed: int) -> None:
        while self._unwritten and self._unwritten[0][0] + len(self._unwritten[0][1]) <= committed:
            self._unwritten.popleft()

    def _prediction(self, pieces: list[Any]) -> Prediction:
        parts = [np.concatenate(arrays) for arrays in zip(*pieces, strict=True)]
        if self._flat:
            parts[:4] = [part[:, 0] for part in parts[:4]]
        return Prediction(*parts)


def _get(ref: Any) -> Any:
    """The result of a remote call, or what it raised there."""
    try:
        return ray.get(ref)
    except RayTaskError as error:
        raise error.cause from None


def _check(keywords: dict[str, Any]) -> None:
    """Options that shards cannot keep; the engine says the same when the model is made."""
    for name, refused in (("training", "background"), ("outliers", "reject")):
        if keywords[name] == refused:
            raise ValueError(f"{name} is {refused}; a model in shards cannot keep it exactly")
    if keywords["on_drift"] == "forget":
        raise ValueError("on_drift is forget; a model in shards forgets nothing")
    for name in ("window_size", "max_observations", "max_age"):
        if keywords[name]:
            raise ValueError(f"{name} is {keywords[name]}; a model in shards forgets nothing")


def _check_values(field: str, values: Floats) -> None:
    good = np.abs(values) <= _LARGEST
    if good.all():
        return
    row, column = (int(i) for i in np.argwhere(~good)[0])
    raise ValueError(
        f"{field}[{column}] of row {row} is {values[row, column]:g}; "
        "it must be finite and at most 1e+150 in magnitude"
    )


def _copy_file(source: Path, target: Path) -> None:
    """With what its log holds, if somebody is writing it."""
    import sqlite3

    with (
        contextlib.closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as a,
        contextlib.closing(sqlite3.connect(target)) as b,
    ):
        a.backup(b)
