"""Tables from other libraries as columns that the engine reads: no library is needed but numpy."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# Numbers (NaN: missing), moments (seconds since 1970, whether they have a zone), or a list of
# texts, numbers and None.
Column = Floats | tuple[Floats, bool] | list[Any]

_EPOCH = datetime.datetime(1970, 1, 1)
_DAY = datetime.timedelta(days=1)


def columns(table: Any) -> dict[str, Column]:
    """The columns of a pandas or polars DataFrame, an Arrow table, a list of dicts, or a mapping.

    A DatetimeIndex of pandas is a column too, under its name or "time". Whatever else gives itself
    as an Arrow stream is taken as the Arrow table that it gives.

    >>> columns([{"a": 1, "b": "x"}, {"a": 2.5}])
    {'a': array([1. , 2.5]), 'b': ['x', None]}
    """
    library = type(table).__module__.partition(".")[0]
    if library == "polars" and hasattr(table, "collect"):
        table = table.collect()
    if library == "pandas" and hasattr(table, "columns"):
        named = [*_pandas_index(table)]
        named += [(name, _pandas(table.iloc[:, k])) for k, name in enumerate(table.columns)]
    elif library == "polars" and hasattr(table, "iter_columns"):
        named = [(one.name, _polars(one)) for one in table.iter_columns()]
    elif library == "pyarrow" and hasattr(table, "column_names"):
        named = [(name, _arrow(table.column(k))) for k, name in enumerate(table.column_names)]
    elif isinstance(table, Mapping):
        named = [(name, _values(list(values))) for name, values in table.items()]
    elif isinstance(table, Sequence) and all(isinstance(row, Mapping) for row in table):
        names = dict.fromkeys(name for row in table for name in row)
        named = [(name, _values([row.get(name) for row in table])) for name in names]
    elif hasattr(table, "__arrow_c_stream__"):
        import pyarrow as pa

        return columns(pa.table(table))
    else:
        raise ValueError(
            f"the table is a {type(table).__name__}; it must be a pandas or polars DataFrame, an "
            "Arrow table, a list of dicts or a mapping from names to columns"
        )
    found: dict[str, Column] = {}
    for name, column in named:
        if str(name) in found:
            raise ValueError(f"the table has column {str(name)!r} twice")
        found[str(name)] = column
    return found


def n_rows(table: Mapping[str, Column]) -> int:
    """How many rows a table has; those of its first column."""
    for column in table.values():
        return len(column[0]) if isinstance(column, tuple) else len(column)
    return 0


def first_rows(column: Column, rows: int) -> Column:
    """The beginning of a column."""
    return (column[0][:rows], column[1]) if isinstance(column, tuple) else column[:rows]


def seconds(moment: datetime.date) -> tuple[float, bool]:
    """Seconds since 1970, on the clock of the moment's zone-less self or in UTC if it has a zone.

    >>> seconds(datetime.datetime(1970, 1, 2)), seconds(datetime.date(1970, 1, 2))
    ((86400.0, False), (86400.0, False))
    """
    if not isinstance(moment, datetime.datetime):
        return (moment - _EPOCH.date()) / _DAY * 86400.0, False
    if moment.tzinfo is None:
        return (moment - _EPOCH).total_seconds(), False
    return moment.timestamp(), True


def _since_1970(moments: NDArray[Any], zoned: bool) -> tuple[Floats, bool]:
    microseconds = moments.astype("datetime64[us]")
    values = microseconds.astype(np.int64) / 1e6
    values[np.isnat(microseconds)] = np.nan
    return values, zoned


def _pandas_index(table: Any) -> list[tuple[str, Column]]:
    """The index of a table if it holds moments: numbers of rows cannot help."""
    import pandas as pd

    index = table.index
    if isinstance(index, pd.PeriodIndex):
        index = index.to_timestamp()
    if not isinstance(index, pd.DatetimeIndex):
        return []
    name = "time" if index.name is None else str(index.name)
    # set_index(..., drop=False) leaves the column where it was.
    return [] if name in map(str, table.columns) else [(name, _pandas(index.to_series()))]


def _pandas(series: Any) -> Column:
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, pd.DatetimeTZDtype):
        return _since_1970(series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy(), True)
    if pd.api.types.is_datetime64_dtype(kind):
        return _since_1970(series.to_numpy(), False)
    if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind):
        return np.ascontiguousarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
    missing = series.isna().to_numpy()
    return _values([None if gap else v for v, gap in zip(series.tolist(), missing, strict=True)])


def _polars(series: Any) -> Column:
    import polars as pl

    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        floats = series.cast(pl.Float64).fill_null(float("nan"))
        return np.ascontiguousarray(floats.to_numpy(), dtype=np.float64)
    if series.dtype == pl.Datetime:
        zoned = series.dtype.time_zone is not None
        return _since_1970(series.dt.epoch("us").cast(pl.Datetime("us")).to_numpy(), zoned)
    if series.dtype == pl.Date:
        return _since_1970(series.to_numpy(), False)
    return _values(series.to_list())


def _arrow(column: Any) -> Column:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_timestamp(kind):
        values = column.cast(pa.timestamp("us", kind.tz)).cast(pa.int64()).to_pylist()
        moments = [np.nan if one is None else one / 1e6 for one in values]
        return np.array(moments, dtype=np.float64), kind.tz is not None
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        values = column.to_pylist()
        return np.array([np.nan if one is None else one for one in values], dtype=np.float64)
    return _values(column.to_pylist())


def _values(values: list[Any]) -> Column:
    """A column of Python's own objects."""
    present = [value for value in values if value is not None]
    if any(isinstance(value, datetime.date) for value in present):
        return _moments(values)
    if all(isinstance(value, int | float | np.number | np.bool_) for value in present):
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    return [_plain(value) for value in values]


def _moments(values: Iterable[Any]) -> tuple[Floats, bool]:
    found, zones = [], set()
    for row, value in enumerate(values):
        if value is None or value != value:  # NaT is not itself
            found.append(np.nan)
            continue
        if not isinstance(value, datetime.date):
            raise ValueError(f"row {row} has {value!r} among moments; it must be one too, or None")
        moment, zoned = seconds(value)
        found.append(moment)
        zones.add(zoned)
        if len(zones) > 1:
            raise ValueError(f"row {row} has {value!r}: moments with and without a zone are mixed")
    return np.array(found), True in zones


def _plain(value: Any) -> Any:
    """Numbers and NaN of numpy as Python's, for the engine."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and value != value else value
