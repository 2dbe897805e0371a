"""Files, pickles and copies of a model."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from splitgp import _core, _options
from splitgp._contents import Contents

if TYPE_CHECKING:
    from typing_extensions import Self


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str], overwrite: bool) -> Iterator[Path]:
    """Where to write a file; it is moved to its place afterwards, so it is never half there."""
    target = Path(path)
    if target.exists() and not overwrite:
        raise FileExistsError(f"{target} exists; pass overwrite=True to replace it")
    with tempfile.TemporaryDirectory(prefix=".splitgp-", dir=target.parent) as folder:
        fresh = Path(folder) / target.name
        yield fresh
        os.replace(fresh, target)


def existing(path: str | os.PathLike[str]) -> Path:
    source = Path(path)
    if not source.exists():
        raise FileNotFoundError(f"{source} does not exist")
    return source


class Saving(Contents):
    """The part of SplittingGP that keeps it."""

    _options: _core.Options

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the model to one file, which `SplittingGP.load` and the splitgp command read.

        Parameters
        ----------
        path : path
            The file to make.
        overwrite : bool
            Replace a file that exists; without it that is a FileExistsError.

        Examples
        --------
        >>> import os, tempfile, splitgp
        >>> gp = splitgp.SplittingGP()
        >>> _ = gp.update([[0.0], [1.0]], [1.0, 2.0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "model.splitgp")
        ...     gp.save(path)
        ...     again = splitgp.SplittingGP.load(path)
        >>> again.n_observations
        2
        """
        with whole_file(path, overwrite) as fresh:
            _core.save(self._ready(), fresh, "flat" if self._flat else "columns")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model that `save` or the splitgp command wrote. The file is left as it is."""
        model, note = _core.load(existing(path))
        self = cls.__new__(cls)
        self._adopt(model, model.n_outputs == 1 if note is None else note == "flat")
        return self

    def _adopt(self, model: _core.Model, flat: bool) -> None:
        self._model, self._flat = model, flat
        self._options = model.options()
        self._keywords = _options.keywords_of(self._options)

    def __copy__(self) -> Self:
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        if self._model is not None:
            other._model = self._model.copy()
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()

    def __getstate__(self) -> dict[str, Any]:
        state = {"keywords": self._keywords, "flat": self._flat, "file": None}
        if self._model is not None:
            with tempfile.TemporaryDirectory(prefix="splitgp-") as folder:
                self.save(Path(folder) / "model")
                state["file"] = (Path(folder) / "model").read_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._keywords, self._flat = state["keywords"], state["flat"]
        self._options = _options.make(self._keywords)
        self._model = None
        if state["file"] is not None:
            with tempfile.TemporaryDirectory(prefix="splitgp-") as folder:
                path = Path(folder) / "model"
                path.write_bytes(state["file"])
                self._model, _ = _core.load(path)
