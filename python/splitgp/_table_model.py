"""Models of tables as people have them: time stamps, categories, gaps and lags."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from splitgp import _core, _options, _table_wishes, _tables
from splitgp._arrays import ahead_of
from splitgp._results import Prediction
from splitgp._saving import existing, whole_file
from splitgp._signature import takes_options
from splitgp._splitting_gp import SplittingGP

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from splitgp._keywords import Keywords

__all__ = ["TableModel", "TableUpdate", "load"]

_FATES = ("learned", "predicted", "early", "waiting", "rejected")


@dataclass(frozen=True)
class TableUpdate:
    """What became of the rows of a table.

    `fate` has one word for each row. "learned"; "predicted": its target is missing, so there is
    nothing to learn; "early": the lags reach back before the first row; "waiting": with a horizon,
    for its target; "rejected": `rejected` says why, by the row's number from 0.
    """

    fate: NDArray[np.str_]
    rejected: dict[int, str]

    @property
    def learned(self) -> int:
        """How many rows were learned at once."""
        return int(np.sum(self.fate == "learned"))

    def __repr__(self) -> str:
        counts = {fate: int(np.sum(self.fate == fate)) for fate in _FATES}
        return ", ".join(f"{count} {fate}" for fate, count in counts.items() if count) or "no rows"


@takes_options(positional=())
class TableModel:
    """A model of a table's columns as they are: numbers, text, moments, with gaps.

    The first table that is learned says what each column is, by its first 1,000 rows: `recipe`
    tells. A moment becomes hours since the first row and its positions in day, week and year; a
    text becomes a code that is as far from every other; a gap is filled. The keywords say
    otherwise; they are the flags of `splitgp stream`, which makes the same model from the same
    rows.

    A table is a pandas or polars DataFrame, an Arrow table, a list of dicts, or a mapping from
    names to columns; a DatetimeIndex of pandas is a column called by its name, or "time". The
    order of its columns does not matter once there is a model.

    Parameters
    ----------
    target : str or sequence of str
        The columns to predict.
    inputs, ignore : sequence of str, optional
        The columns to predict from (all that can help), and those to leave out.
    as_ : mapping, optional
        What a column is: "number", "category", "time", "day-first", "month-first" or "ignore".
    cycles : sequence of str, optional
        The cycles of moments: "day", "week", "year"; an empty one: none.
    missing : sequence, optional
        Values that mean "no value", besides None, NaN, "", "NA", "null" and "?".
    fill : str, optional
        What takes the place of a gap: "auto" (the default, a guess between the last value and the
        mean), "last", "mean", with "-marked" also a column that says so; "reject" the row.
    lag : mapping, optional
        Earlier values that become inputs, as numbers of rows: ``{"load": [24, 168]}``.
    by : str, optional
        Rows with the same value of this column are one series, for lags and gaps.
    horizon : int, default 0
        Predict the target so many rows ahead. A row is learned when its target arrives.
    {options}

    Examples
    --------
    >>> import splitgp
    >>> rows = [
    ...     {"site": site, "hour": hour % 24, "power": 3.0 * (site == "north") + 0.1 * (hour % 24)}
    ...     for hour in range(100) for site in ("north", "south")
    ... ]
    >>> model = splitgp.TableModel("power")
    >>> model.update(rows)
    200 learned
    >>> model.predict([{"site": "north", "hour": 5}]).mean.round(1)
    array([3.5])
    """

    def __init__(
        self,
        target: str | Sequence[str],
        *,
        inputs: Sequence[str] | None = None,
        ignore: Sequence[str] | None = None,
        as_: Mapping[str, str] | None = None,
        cycles: Sequence[str] | None = None,
        missing: Sequence[object] | None = None,
        fill: str | None = None,
        lag: Mapping[str, Sequence[int]] | None = None,
        by: str | None = None,
        horizon: int = 0,
        **options: Unpack[Keywords],
    ) -> None:
        self._wishes = _table_wishes.make(
            target=target,
            inputs=inputs,
            ignore=ignore,
            as_=as_,
            cycles=cycles,
            missing=missing,
            fill=fill,
            lag=lag,
            by=by,
            horizon=horizon,
        )
        self._model = SplittingGP(**options)
        self._table: _core.Table | None = None
        self._remarks: list[str] = []

    @property
    def model(self) -> SplittingGP:
        """The model behind the recipe: its inputs are `input_names`."""
        return self._model

    @property
    def recipe(self) -> list[str]:
        """What each column was taken for, one line each; then what else one should know."""
        return [
            *(_table_wishes.in_keywords(line) for line in self._ready().explanation()),
            *self._remarks,
        ]

    @property
    def input_names(self) -> list[str]:
        """The inputs that the recipe makes."""
        return self._ready().input_names

    @property
    def targets(self) -> list[str]:
        """The columns that are predicted."""
        return list(self._wishes["targets"]) if self._table is None else self._table.target_names

    @property
    def filled(self) -> dict[str, int]:
        """How many gaps were filled in each column."""
        return dict(self._ready().filled())

    @property
    def n_observations(self) -> int:
        """How many rows the model has learned."""
        return self._model.n_observations

    def update(self, table: Any) -> TableUpdate:
        """Learn the rows of a table, in order; those without a target cannot be learned."""
        return self.predict_then_update(table)[1]

    def predict_then_update(self, table: Any) -> tuple[Prediction, TableUpdate]:
        """Predict each row, then learn it, as `splitgp stream` does; NaN where there is no answer.

        Examples
        --------
        >>> import splitgp
        >>> model = splitgp.TableModel("y")
        >>> rows = [{"x": k / 50, "kind": "ab"[k % 2], "y": k % 2 + k / 50} for k in range(200)]
        >>> before, result = model.predict_then_update(rows)
        >>> result
        200 learned
        >>> bool(abs(before.mean[-1] - rows[-1]["y"]) < 0.01)
        True
        """
        columns = _tables.columns(table)
        recipe, model = self._table, self._model._model
        if recipe is None or model is None:
            if _tables.n_rows(columns) == 0:
                return self._nothing()
            recipe, model, remarks = self._begin(columns)
        else:
            remarks = self._remarks
        _require(columns, [*recipe.used_columns, *recipe.target_names])
        flat = len(recipe.target_names) == 1
        arrays, fates, reasons = recipe.stream(model, _given(recipe, columns), flat)
        if self._table is None and len(reasons) == len(fates):
            row, reason = reasons[0]
            raise ValueError(
                f"none of the {len(fates)} rows can be learned; row {row}: "
                + _table_wishes.in_keywords(reason)
            )
        # Only now: a rejected call fixes nothing.
        self._table, self._remarks = recipe, remarks
        self._model._model, self._model._flat = model, flat
        words = np.array(_FATES)[fates] if len(fates) else np.array([], dtype=str)
        return Prediction(*arrays), TableUpdate(words, dict(reasons))

    def predict(
        self,
        table: Any,
        ahead: ArrayLike | None = 1,
        *,
        errors: Literal["raise", "nan"] = "raise",
    ) -> Prediction:
        """Predict the target of each row, as if the rows came next; nothing is learned.

        Parameters
        ----------
        table : table
            With the columns that are inputs; it need not have the target.
        ahead : number, array with one for each row, or None
            When each row is answered for, as in `SplittingGP.predict`. With a horizon its target
            comes so many rows after it.
        errors : {"raise", "nan"}
            What a row that cannot be predicted is: a ValueError that names it, or NaN.
        """
        if errors not in ("raise", "nan"):
            raise ValueError(f"errors is {errors!r}; it must be one of raise, nan")
        recipe = self._ready()
        columns = _tables.columns(table)
        _require(columns, recipe.used_columns)
        flat = len(recipe.target_names) == 1
        rows_ahead = ahead_of(ahead)
        count = _tables.n_rows(columns)
        if len(rows_ahead) not in (1, count):
            raise ValueError(f"ahead has {len(rows_ahead)} values; the table has {count} rows")
        model = self._model._ready()
        arrays, _, reasons = recipe.predict(model, _given(recipe, columns), rows_ahead, flat)
        if reasons and errors == "raise":
            row, reason = reasons[0]
            others = f" (and {len(reasons) - 1} other rows)" if len(reasons) > 1 else ""
            raise ValueError(f"row {row} cannot be predicted{others}: {reason}")
        return Prediction(*arrays)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write model and recipe to one file, which `load` and the splitgp command read."""
        with whole_file(path, overwrite) as fresh:
            _core.save_table(self._ready(), self._model._ready(), fresh)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model that `save` or `splitgp stream` wrote. The file is left as it is."""
        model, table = _core.load_table(existing(path))
        self = cls.__new__(cls)
        self._wishes, self._remarks, self._table = {}, [], table
        self._model = SplittingGP.__new__(SplittingGP)
        self._model._adopt(model, model.n_outputs == 1)
        return self

    def __copy__(self) -> Self:
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._model = self._model.__copy__()
        other._table = None if self._table is None else self._table.copy()
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()

    def __getstate__(self) -> dict[str, Any]:
        state = {**self.__dict__, "_table": None}
        if self._table is not None:
            with tempfile.TemporaryDirectory(prefix="splitgp-") as folder:
                self.save(Path(folder) / "model")
                state["_table"] = (Path(folder) / "model").read_bytes()
            state["_model"] = self._model._keywords
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if state["_table"] is None:
            return
        with tempfile.TemporaryDirectory(prefix="splitgp-") as folder:
            path = Path(folder) / "model"
            path.write_bytes(state["_table"])
            other = type(self).load(path)
        self._table, self._model = other._table, other._model
        self._model._keywords = state["_model"]

    def __repr__(self) -> str:
        targets = ", ".join(self.targets)
        if self._table is None:
            return f"<TableModel of {targets}: no rows yet>"
        return (
            f"<TableModel of {targets} from {', '.join(self._table.used_columns)}: {self._model}>"
        )

    def _ready(self) -> _core.Table:
        if self._table is None:
            raise ValueError("the model has no rows yet; call update first")
        return self._table

    def _begin(
        self, columns: Mapping[str, _tables.Column]
    ) -> tuple[_core.Table, _core.Model, list[str]]:
        table, remarks = _table_wishes.find_recipe(self._wishes, columns)
        options = _options.make(self._model._keywords)
        if not options.length_scale_groups:
            options.length_scale_groups = table.length_scale_groups
        model = _core.Model(len(table.input_names), len(table.target_names), options)
        return table, model, remarks

    def _nothing(self) -> tuple[Prediction, TableUpdate]:
        none = np.empty(0)
        return Prediction(none, none, none), TableUpdate(np.array([], dtype=str), {})


def load(path: str | os.PathLike[str]) -> SplittingGP | TableModel:
    """Read a model file, whoever wrote it: a TableModel if it has a recipe for a table.

    Examples
    --------
    >>> import os, tempfile, splitgp
    >>> model = splitgp.TableModel("y")
    >>> _ = model.update([{"x": k, "y": 2.0 * k} for k in range(20)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(os.path.join(folder, "m.splitgp"))
    ...     again = splitgp.load(os.path.join(folder, "m.splitgp"))
    >>> again.n_observations, again.targets
    (20, ['y'])
    """
    source = existing(path)
    if "table_recipe" in _core.notes_of(source):
        return TableModel.load(source)
    return SplittingGP.load(source)


def _given(
    recipe: _core.Table, columns: Mapping[str, _tables.Column]
) -> list[_tables.Column | None]:
    return [columns.get(name) for name in recipe.read_columns]


def _require(columns: Mapping[str, _tables.Column], names: Iterable[str]) -> None:
    for name in names:
        if name not in columns:
            raise ValueError(f"the table has no column {name!r}; it has {', '.join(columns)}")
