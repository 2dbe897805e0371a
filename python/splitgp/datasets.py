"""The data sets of the documentation and the benchmarks.

A file is looked for in the folder that $SPLITGP_DATA names, then in ../shared/data beside a
checkout of the project, then in the cache ($XDG_CACHE_HOME/splitgp). `gas_turbine` is downloaded
into the cache from its public source if it is in none of them; for the others an error names the
source.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma
import os
import urllib.request
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["NAMES", "Dataset", "find", "load", "synthetic"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Dataset:
    """Rows in their natural order: time, where there is one."""

    X: Floats
    y: Floats
    input_names: tuple[str, ...]
    output_names: tuple[str, ...]


@dataclass(frozen=True)
class _Source:
    outputs: int
    origin: str
    url: str | None = None
    convert: Callable[[bytes], bytes] | None = None
    sha256: str | None = None  # of the numbers, as float64 by rows


def _gas_turbine(archive: bytes) -> bytes:
    """Five yearly tables, one below the other, with the year in front."""
    lines = ["year,AT,AP,AH,AFDP,GTEP,TIT,TAT,TEY,CDP,CO,NOX"]
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        for year in range(2011, 2016):
            rows = files.read(f"gt_{year}.csv").decode().split()[1:]
            lines += [f"{year},{row}" for row in rows]
    return ("\n".join(lines) + "\n").encode()


_UCI = "https://archive.ics.uci.edu"
_SOURCES = {
    "kin40k_train": _Source(1, "Schwaighofer & Tresp, kin40k"),
    "kin40k_test": _Source(1, "Schwaighofer & Tresp, kin40k"),
    "powergen_unique": _Source(1, f"{_UCI}/dataset/294"),
    "barrett_wam_train": _Source(7, "Nguyen-Tuong et al., Barrett WAM inverse dynamics"),
    "barrett_wam_test": _Source(7, "Nguyen-Tuong et al., Barrett WAM inverse dynamics"),
    "gas_turbine": _Source(
        2,
        f"{_UCI}/dataset/551",
        f"{_UCI}/static/public/551/gas+turbine+co+and+nox+emission+data+set.zip",
        _gas_turbine,
        "7c846f8ed1c83fe174a090f14efdba8eb6271f56997e8a9f54b72e6fe296b41f",
    ),
    "pjme_hourly": _Source(1, "PJM Interconnection, hourly energy consumption"),
    "metro_traffic": _Source(1, f"{_UCI}/dataset/492"),
    "beijing_pm25": _Source(1, f"{_UCI}/dataset/501"),
    "flights3m": _Source(1, "US Bureau of Transportation Statistics, via npm vega-datasets"),
}

NAMES = tuple(_SOURCES)


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "splitgp"


def _folders() -> list[Path]:
    folders = []
    if given := os.environ.get("SPLITGP_DATA"):
        folders.append(Path(given))
    for base in (Path.cwd(), *Path.cwd().parents, *Path(__file__).resolve().parents):
        if (base / "include" / "splitgp").is_dir():  # a checkout of the project
            folders.append(base.parent / "shared" / "data")
            break
    folders.append(_cache())
    return folders


def find(name: str) -> Path:
    """Where the file of a data set is; a FileNotFoundError says where it was looked for."""
    if name not in _SOURCES:
        raise ValueError(f"name is {name!r}; it must be one of {', '.join(NAMES)}")
    folders = _folders()
    for folder in folders:
        for suffix in (".csv", ".csv.gz", ".csv.xz"):
            if (path := folder / f"{name}{suffix}").is_file():
                return path
    source = _SOURCES[name]
    if source.url is None:
        raise FileNotFoundError(
            f"{name}.csv[.gz] is in none of {', '.join(map(str, folders))}; put it in one of them "
            f"(its source: {source.origin})"
        )
    return _download(name, source)


def _download(name: str, source: _Source) -> Path:
    assert source.url is not None
    assert source.convert is not None
    try:
        with urllib.request.urlopen(source.url, timeout=60) as response:
            table = source.convert(response.read())
    except OSError as error:
        raise FileNotFoundError(f"{name} is not here and {source.url} failed: {error}") from error
    numbers = np.loadtxt(io.BytesIO(table), delimiter=",", skiprows=1)
    digest = hashlib.sha256(numbers.tobytes()).hexdigest()
    if digest != source.sha256:
        raise ValueError(f"{name} from {source.url} has sha256 {digest}, not {source.sha256}")
    folder = _cache()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.csv.gz"
    partial = folder / f".{name}.{os.getpid()}"
    partial.write_bytes(gzip.compress(table, mtime=0))
    partial.replace(path)
    return path


def _open(path: Path) -> Any:
    if path.suffix == ".gz":
        return gzip.open(path, "rt")
    if path.suffix == ".xz":
        return lzma.open(path, "rt")
    return open(path)


def load(name: str, max_rows: int | None = None) -> Dataset:
    """Load a data set by its name, one of `NAMES`.

    Parameters
    ----------
    name : str
        For example "kin40k_train" or "gas_turbine".
    max_rows : int, optional
        Read at most this many rows.
    """
    path = find(name)
    outputs = _SOURCES[name].outputs
    with _open(path) as file:
        names = tuple(file.readline().strip().split(","))
        table = np.loadtxt(file, delimiter=",", ndmin=2, max_rows=max_rows)
    X = np.ascontiguousarray(table[:, :-outputs])
    y = np.ascontiguousarray(table[:, -outputs:])
    return Dataset(X, y[:, 0] if outputs == 1 else y, names[:-outputs], names[-outputs:])


def synthetic(
    n: int = 2500, *, variant: str = "paper", noise: float = 0.05, seed: int = 0
) -> tuple[Floats, Floats, Floats]:
    """Make the paper's synthetic data: points of a 100 × 100 grid on [-1, 1]², in random order.

    Parameters
    ----------
    n : int, at most 10,000
        How many points, drawn without replacement.
    variant : {"paper", "code"}
        "paper": f = 5 sin(x1² + x2²) + 3 x1. "code": what the authors' programs use,
        f = 5 sin(x1² + (2 x2)²) + 3 x1, centred.
    noise : float
        Standard deviation of the noise, as a fraction of the largest f.
    seed : int
        Seed of the order and the noise.

    Returns
    -------
    X, y, f : arrays of shape (n, 2), (n,), (n,)
        Inputs, observations, and the function without noise.

    Examples
    --------
    >>> from splitgp.datasets import synthetic
    >>> X, y, f = synthetic(100)
    >>> X.shape, y.shape, f.shape
    ((100, 2), (100,), (100,))
    """
    if variant not in ("paper", "code"):
        raise ValueError(f"variant is {variant!r}; it must be one of paper, code")
    side = np.linspace(-1.0, 1.0, 100)
    grid = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    if not 1 <= n <= len(grid):
        raise ValueError(f"n is {n}; it must lie between 1 and {len(grid)}")
    stretch = 1.0 if variant == "paper" else 2.0
    f = 5.0 * np.sin(grid[:, 0] ** 2 + (stretch * grid[:, 1]) ** 2) + 3.0 * grid[:, 0]
    if variant == "code":
        f -= f.mean()
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(len(grid))[:n]
    scatter = noise * f.max() * rng.standard_normal(n)
    return np.ascontiguousarray(grid[chosen]), f[chosen] + scatter, f[chosen]
