"""`python -m splitgp.ray stream`: a table on its way into a model in shards."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from splitgp import _core, _options, _tables
from splitgp._table_model import _given, _require
from splitgp._table_wishes import _FIRST_ROWS
from splitgp.ray._sharded_gp import ShardedGP

_BLOCK = 1 << 22  # bytes of the file that are read at once


class Scores:
    """How good the predictions were that each row was met with, in spans that double."""

    def __init__(self, outputs: list[str]) -> None:
        self.outputs = outputs
        self.rows = 0
        self.squares = np.zeros(len(outputs))
        self.densities = np.zeros(len(outputs))
        self.inside = np.zeros(len(outputs))

    def add(self, before: Any, y: Any) -> None:
        shape = (len(y), len(self.outputs))
        self.rows += len(y)
        self.squares += ((before.mean - y) ** 2).reshape(shape).sum(axis=0)
        self.densities += before.log_density(y).reshape(shape).sum(axis=0)
        low, high = before.interval(0.95)
        self.inside += ((low <= y) & (y <= high)).reshape(shape).sum(axis=0)

    def line(self, output: int) -> str:
        if self.rows == 0:
            return f"{self.outputs[output]:<20} {0:>12,} {'-':>10} {'-':>10} {'-':>8}"
        rmse = math.sqrt(self.squares[output] / self.rows)
        nlpd = -self.densities[output] / self.rows
        inside = 100.0 * self.inside[output] / self.rows
        name = self.outputs[output]
        return f"{name:<20} {self.rows:>12,} {rmse:>10.4g} {nlpd:>10.4g} {inside:>7.1f}%"

    def table(self) -> str:
        head = f"{'target':<20} {'rows':>12} {'RMSE':>10} {'NLPD':>10} {'in 95 %':>8}"
        return "\n".join([head, *(self.line(o) for o in range(len(self.outputs)))])


def read_blocks(path: Path) -> Iterator[Any]:
    """The columns of a CSV file as text, some megabytes at a time; the recipe reads the numbers."""
    import pyarrow as pa
    import pyarrow.csv as csv

    with pa.input_stream(str(path), compression="detect") as source:
        names = source.read(1 << 16).decode("utf-8-sig", "replace").partition("\n")[0].rstrip("\r")
    separator = "\t" if "\t" in names else ";" if ";" in names and "," not in names else ","
    columns = [name.strip('"') for name in names.split(separator)]
    with pa.input_stream(str(path), compression="detect") as source:
        reader = csv.open_csv(
            source,
            read_options=csv.ReadOptions(column_names=columns, skip_rows=1, block_size=_BLOCK),
            parse_options=csv.ParseOptions(delimiter=separator),
            convert_options=csv.ConvertOptions(
                column_types={name: pa.string() for name in columns}, strings_can_be_null=False
            ),
        )
        for batch in reader:
            yield pa.Table.from_batches([batch])


def find_recipe(columns: dict[str, _tables.Column], target: list[str]) -> Any:
    for name in target:
        if name not in columns:
            raise ValueError(f"--target names {name!r}; the columns are {', '.join(columns)}")
    wishes: dict[str, Any] = {
        "targets": target, "inputs": [], "ignored": [], "as": {}, "cycles": None,
        "missing": [], "fill": None, "lags": {}, "by": "", "horizon": 0,
    }  # fmt: skip
    first = [_tables.first_rows(column, _FIRST_ROWS) for column in columns.values()]
    return _core.find_table(list(columns), first, wishes)


def stream(arguments: argparse.Namespace, out: TextIO = sys.stdout) -> None:
    """Learn a file, from where the model's last checkpoint left it."""
    path = Path(arguments.file)
    model_path = Path(arguments.model)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    recipe = None
    if model_path.exists():
        recipe = _core.table_of(_core.notes_of(model_path))
        if sorted(recipe.target_names) != sorted(arguments.target):
            raise ValueError(
                f"--target is {', '.join(arguments.target)}; the model predicts "
                f"{', '.join(recipe.target_names)}"
            )
    model: ShardedGP | None = None
    scores = Scores(arguments.target)
    done = 0  # rows of the file
    rejected = 0
    started = shown = time.monotonic()
    source = str(path.absolute())
    try:
        for block in read_blocks(path):
            if recipe is None:
                recipe, remarks = find_recipe(dict(_tables.columns(block)), arguments.target)
                for line in [*recipe.explanation(), *remarks]:
                    print(line, file=out)
            if model is None:
                model = _open(arguments, recipe)
                skip = model.position(source)
            rows = len(block)
            if done + rows <= skip:
                done += rows
                continue
            columns = dict(_tables.columns(block.slice(max(0, skip - done))))
            _require(columns, [*recipe.used_columns, *recipe.target_names])
            X, y, _, reasons = recipe.inputs(_given(recipe, columns))
            for row, reason in reasons[: max(0, 5 - rejected)]:
                print(f"row {max(done, skip) + row + 1} was rejected: {reason}", file=sys.stderr)
            rejected += len(reasons)
            done += rows
            for start in range(0, len(X), arguments.piece):
                part = slice(start, start + arguments.piece)
                before = model.predict_then_update(
                    X[part], y[part, 0] if y.shape[1] == 1 else y[part]
                )
                scores.add(before, y[part, 0] if y.shape[1] == 1 else y[part])
                if time.monotonic() - shown > 2.0:
                    shown = time.monotonic()
                    _progress(scores, shown - started)
            model.checkpoint({source: done}, recipe.notes())
        if model is None:
            raise ValueError(f"{path} has no rows")
        _progress(scores, time.monotonic() - started, end="\n")
        facts = model.facts()
        print(scores.table(), file=out)
        print(
            f"{facts['n_observations']:,} observations in {facts['n_local']:,} local GPs in "
            f"{len(model.shard_facts())} shards; {rejected:,} rows rejected; in {arguments.model}",
            file=out,
        )
    finally:
        if model is not None:
            model.close()


def _open(arguments: argparse.Namespace, recipe: Any) -> ShardedGP:
    options = dict(arguments.option)
    if not Path(arguments.model).exists():
        options.setdefault("length_scale_groups", recipe.length_scale_groups or None)
    model = ShardedGP(arguments.shards, model=arguments.model, **options)
    model._names = (recipe.input_names, recipe.target_names)
    return model


def _progress(scores: Scores, seconds: float, end: str = "") -> None:
    if not sys.stderr.isatty() and not end:
        return
    rate = scores.rows / max(seconds, 1e-9)
    print(f"\r{scores.rows:,} rows, {rate:,.0f} rows/s", end=end, file=sys.stderr, flush=True)


def option(text: str) -> tuple[str, Any]:
    """NAME=VALUE as a keyword of `SplittingGP`."""
    name, equals, value = text.partition("=")
    name = name.replace("-", "_")
    if not equals or name not in _options.OPTIONS:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE with an option's name")
    kind = _options.OPTIONS[name]["type"]
    if kind == "integer":
        return name, int(value)
    if kind == "number":
        return name, float(value)
    if kind == "switch":
        return name, value.lower() in ("true", "on", "yes", "1")
    return name, value


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m splitgp.ray", description="A model in shards, on a Ray cluster."
    )
    commands = top.add_subparsers(dest="command", required=True)
    one = commands.add_parser("stream", help="predict each row of a table, then learn it")
    one.add_argument("file", help="a CSV or TSV file, compressed or not")
    one.add_argument("--target", required=True, type=lambda text: text.split(","))
    one.add_argument("--model", required=True, help="the model's file; it continues if it exists")
    one.add_argument("--shards", required=True, type=int)
    one.add_argument("--address", help="of a Ray cluster; without it, the one that is running")
    one.add_argument(
        "--option", action="append", default=[], type=option, metavar="NAME=VALUE",
        help="an option of the model, as in docs/options.md; may be repeated",
    )  # fmt: skip
    one.add_argument("--piece", type=int, default=4096, help=argparse.SUPPRESS)
    return top


def main(arguments: list[str] | None = None) -> int:
    given = parser().parse_args(arguments)
    if given.address is not None:
        import ray

        ray.init(address=given.address, log_to_driver=False)
    try:
        stream(given)
    except (ValueError, OSError) as error:
        print(f"splitgp.ray: {error}", file=sys.stderr)
        return 1
    return 0
