"""A table of any kind as a list of columns: our frames, pandas or polars frames, arrays, lists of rows."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import Enum
from importlib import import_module
from numbers import Real
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.frame import Frame

Kind = Literal["number", "category", "time"]

_TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


class Column(NamedTuple):
    """One column: its values, and their kind by their type."""

    values: list[Any] | NDArray[Any]
    kind: Kind = "category"


class ColumnTable(NamedTuple):
    """The columns of a table and their names (None if they have none)."""

    columns: list[Column]
    names: list[str] | None
    n_rows: int


def is_missing(value: Any) -> bool:
    """Whether a value is missing: None, NaN, pandas' NA, not-a-time, or "?", as in the UCI files.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), "?", "", 0)]
    [True, True, True, False, False]
    """
    if value is None or (isinstance(value, str) and value == "?"):
        return True
    try:
        return not bool(value == value)  # noqa: PLR0124 - NaN and NaT are not equal to themselves
    except TypeError:  # pandas' NA is neither equal to itself nor unequal
        return type(value).__name__ == "NAType"
    except (
        ValueError
    ):  # the elements of an array give several answers; it is rejected later, because it cannot be hashed
        return False


def columns_of(X: Any, *, strings: bool = False) -> ColumnTable:
    """Split a table into columns.

    Parameters
    ----------
    X : array, pandas or polars frame, table of pyarrow, list of rows, or list of dictionaries
        The table, of two dimensions. A name that a dictionary lacks is a missing value.
    strings : bool, default=False
        Whether a series or a list of strings is a table of one column, "text".

    Returns
    -------
    ColumnTable
        The columns. Integers and floating-point numbers are of the kind "number"; strings, booleans, the categorical
        types of pandas and polars, and numbers mixed with other values are of the kind "category"; dates, times and
        durations are of the kind "time". A column without a type (of a list, or an array of objects) is of the kind of
        its values.

    Examples
    --------
    >>> table = columns_of([["sunny", 25.5, 1, True], ["rain", 18, None, False]])
    >>> [column.values for column in table.columns]
    [['sunny', 'rain'], [25.5, 18], [1, None], [True, False]]
    >>> [column.kind for column in table.columns]
    ['category', 'number', 'number', 'category']
    """
    if np.ma.isMaskedArray(X):
        raise masked_error("X")
    check_frame(X, strings=strings)
    if strings and not isinstance(X, Mapping) and is_series_of_strings(X):
        return ColumnTable([Column(list(X))], ["text"], len(X))
    if isinstance(X, Frame):
        return ColumnTable([_of_ours(X[name]) for name in X.columns], X.columns, len(X))
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        return _of_frame(X)
    if is_arrow(X):
        return ColumnTable(list(map(_of_arrow, X.columns)), list(X.schema.names), X.num_rows)
    if hasattr(X, "toarray"):
        raise TypeError(SPARSE)
    if isinstance(X, list | tuple):
        return _of_dictionaries(X) if X and all(isinstance(row, Mapping) for row in X) else _of_rows(X)
    if isinstance(X, Mapping):
        raise ValueError(
            "Expected 2D array, got a dictionary instead. Pass a single row as [row], a list of one dictionary, and "
            "a dictionary of columns as pandas.DataFrame(columns)"
        )
    array = np.asarray(X)
    if array.ndim == 1 and hasattr(X, "to_frame"):
        raise ValueError(
            "Expected 2D array, got 1D array instead: a series. Pass frame.iloc[[0]] for a single row, frame[['name']] "
            "for a single column"
        )
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data to one row per example: "
            "X.reshape(1, -1) for a single example, X.reshape(-1, 1) for a single column"
        )
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: columns hold categories or real numbers")
    return ColumnTable(list(map(_of_array, array.T)), None, len(array))


def is_series_of_strings(X: Any) -> bool:
    """Whether X is a list, a series or an array of one dimension with nothing but strings and missing values."""
    if isinstance(X, Frame) or hasattr(X, "columns") or hasattr(X, "toarray"):
        return False
    if getattr(X, "ndim", 1) != 1 or not hasattr(X, "__len__") or isinstance(X, str):
        return False
    return any(isinstance(value, str) for value in X) and all(isinstance(v, str) or is_missing(v) for v in X)


def _of_dictionaries(rows: Sequence[Mapping[str, Any]]) -> ColumnTable:
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not all(isinstance(name, str) for name in names):
        raise ValueError("the keys of the dictionaries must be strings, the names of columns")
    columns = [_of_values([row.get(name) for row in rows]) for name in names]
    return ColumnTable(columns, names, len(rows))


def position(names: Sequence[str], column: str | int) -> int:
    """Return the position of a column, given by its name or position.

    Examples
    --------
    >>> position(["age", "sky"], "sky"), position(["age", "sky"], 0)
    (1, 0)
    """
    if isinstance(column, str):
        if column not in names:
            raise ValueError(f"there is no column {column!r} among {', '.join(names)}")
        return list(names).index(column)
    if not 0 <= column < len(names):
        raise ValueError(f"there is no column {column}; columns are numbered from 0 to {len(names) - 1}")
    return int(column)


def matched(table: ColumnTable, names: list[str] | None, n_columns: int, encoder: str) -> ColumnTable:
    """Return a table with its columns in the order of `fit`, found by name where both tables have names.

    Parameters
    ----------
    table : ColumnTable
        Any table.
    names : list of str or None
        The names of the columns in `fit`.
    n_columns : int
        The number of columns in `fit`.
    encoder : str
        The name of the encoder, for messages.
    """
    if names is not None and table.names is not None and names != table.names:
        absent = [name for name in names if name not in table.names]
        unknown = [name for name in table.names if name not in names]
        if absent or unknown:
            raise ValueError(_difference(absent, unknown))
        by_name = dict(zip(table.names, table.columns, strict=True))
        return table._replace(columns=[by_name[name] for name in names])
    if len(table.columns) != n_columns:
        raise ValueError(wrong_width(len(table.columns), n_columns, encoder))
    return table


def _difference(absent: list[str], unknown: list[str]) -> str:
    """Say in which columns a table differs from that of `fit`."""
    if absent:
        return f"the columns must be those of fit, and X has no column {', '.join(map(repr, absent[:5]))}"
    return f"the columns must be those of fit; leave out {', '.join(map(repr, unknown[:5]))}, which fit did not see"


def wrong_width(width: int, expected: int, encoder: str) -> str:
    """Say that a table has the wrong number of columns, as scikit-learn does."""
    return f"X has {width} features, but {encoder} is expecting {expected} features as input"


def masked_error(name: str) -> ValueError:
    """Return the error for a masked array: the values behind its mask would be taken for real ones."""
    return ValueError(
        f"{name} is a masked array, and masks are not supported: replace the masked values ({name}.filled(0)), "
        "or for a table of categories and numbers by missing values, None or NaN"
    )


def as_floats(column: Column, name: str) -> NDArray[np.float64]:
    """Return the numbers of a column, NaN where missing; raise ValueError for other values and for infinity.

    Examples
    --------
    >>> as_floats(Column([1, None, "?", "2.5"]), "price")
    array([1. , nan, nan, 2.5])
    """
    try:
        numbers = np.array(column.values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array([_as_float(value, i, name) for i, value in enumerate(column.values)])
    if np.isinf(numbers).any():
        raise ValueError(f"column {name!r} contains infinity; numbers must be finite, or NaN where missing")
    return numbers


def _as_float(value: Any, row: int, name: str) -> float:
    try:
        return np.nan if is_missing(value) else float(value)
    except OverflowError:
        raise ValueError(f"column {name!r} is numeric, but the number in row {row} is too large") from None
    except (TypeError, ValueError):
        raise ValueError(f"column {name!r} is numeric, but row {row} contains {value!r}") from None


def _of_frame(X: Any) -> ColumnTable:
    """Split a pandas or polars frame; the columns of pandas can be picked by position."""
    names = list(X.columns)
    series = [X.iloc[:, j] for j in range(len(names))] if hasattr(X, "iloc") else list(X.iter_columns())
    named = bool(names) and all(isinstance(name, str) for name in names)
    of_series = _of_pandas if hasattr(X, "iloc") else _of_polars
    return ColumnTable([of_series(column) for column in series], names if named else None, len(X))


MOST_SHOWN = 60
"""The most characters of a text that a message shows."""
SPARSE = (
    "sparse tables are not supported: X must have columns of categories and numbers. DNFWinnow takes such a table "
    "itself, without TableEncoder; Committee takes sparse data. X.toarray() makes a column of each attribute"
)
"""Says what is wrong with a sparse matrix in place of a table."""


def check_frame(X: Any, *, strings: bool = False) -> None:
    """Raise an error for a single text, for a frame not computed yet, and for two columns of the same name.

    Parameters
    ----------
    X : table
        What was passed in place of a table.
    strings : bool, default=False
        Whether a list of strings would be a table.

    Examples
    --------
    >>> import pandas as pd
    >>> check_frame(pd.DataFrame([[31, 42]], columns=["age", "age"]))
    Traceback (most recent call last):
    ValueError: column names must be distinct, and two columns are named 'age'; rename one
    """
    if isinstance(X, str | PathLike):
        name = str(X) if len(str(X)) <= MOST_SHOWN else f"{str(X)[:MOST_SHOWN]}..."
        cure = f"; for a single text, pass a list: [{name!r}]" if strings and isinstance(X, str) else ""
        raise TypeError(f"X is a name, {name!r}, and no table; winnowkit.data.read_table reads files{cure}")
    if type(X).__name__ == "LazyFrame":
        raise TypeError("X is a lazy frame, whose rows have not been computed; pass X.collect()")
    names = list(X.columns) if hasattr(X, "columns") and hasattr(X, "dtypes") else []
    names = X.schema.names if is_arrow(X) else names
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"column names must be distinct, and two columns are named {twice!r}; rename one")


def _of_ours(column: NDArray[Any]) -> Column:
    if column.dtype.kind == "M":
        return Column(column, "time")
    return Column(column, "number") if column.dtype.kind == "f" else Column(column.tolist())


def _of_pandas(series: Any) -> Column:
    dtype = series.dtype
    if dtype.name == "category":  # categories stay categories, even of numbers
        values = np.array([*series.cat.categories.tolist(), None], dtype=object)
        return Column(values[series.cat.codes.to_numpy()].tolist())
    if dtype.kind == "f":
        return Column(series.to_numpy(dtype=np.float64, na_value=np.nan), "number")
    if dtype.kind in "iu":
        return Column(series.tolist() if series.hasnans else series.to_numpy(), "number")
    if dtype.kind in "mM":
        return Column(series.tolist(), "time")
    if dtype.name.startswith("period["):  # months or quarters, say, in the order of their beginnings
        return Column(series.dt.start_time.tolist(), "time")
    untyped = dtype.kind == "O" and dtype.name not in ("str", "string")
    return _of_values(series.tolist()) if untyped else Column(series.tolist())


def _of_polars(series: Any) -> Column:
    dtype = series.dtype
    if dtype.is_float():
        return Column(series.cast(float).to_numpy(), "number")  # null becomes NaN
    if dtype.is_integer() and not series.null_count():
        return Column(series.to_numpy(), "number")
    if dtype.is_numeric():
        return Column(series.to_list(), "number")
    if dtype.is_temporal():
        return Column(series.to_list(), "time")
    return _of_values(series.to_list()) if dtype.is_nested() or str(dtype) == "Object" else Column(series.to_list())


def is_arrow(X: Any) -> bool:
    """Whether a table is one of pyarrow, or a batch of its rows."""
    return hasattr(X, "schema") and hasattr(X, "num_rows") and hasattr(X, "columns")


def _of_arrow(column: Any) -> Column:
    arrow, types = import_module("pyarrow"), import_module("pyarrow.types")  # whoever has such a table has them
    kind = column.type
    if types.is_floating(kind) or (types.is_integer(kind) and not column.null_count):
        return Column(np.asarray(column.cast("float64") if types.is_floating(kind) else column), "number")
    if types.is_integer(kind) or types.is_decimal(kind):
        return Column(column.to_pylist(), "number")
    if types.is_timestamp(kind):  # datetime has no nanoseconds
        return Column(column.cast(arrow.timestamp("us", tz=kind.tz), safe=False).to_pylist(), "time")
    return Column(column.to_pylist(), "time") if types.is_temporal(kind) else Column(column.to_pylist())


def _of_array(column: NDArray[Any]) -> Column:
    if column.dtype.kind in "fiu":
        return Column(column, "number")
    if column.dtype.kind in "mM":  # tolist would turn nanoseconds, and their NaT, into integers
        return Column(list(column), "time")
    return _of_values(column.tolist()) if column.dtype.kind == "O" else Column(column.tolist())


def _of_rows(X: list[Any] | tuple[Any, ...]) -> ColumnTable:
    for i, row in enumerate(X):
        if isinstance(row, str | bytes | Mapping) or not hasattr(row, "__len__"):
            raise ValueError(
                f"Expected 2D array, got 1D array instead: row {i} is {row!r}. Reshape your data: "
                "[row] for a single example, [[value], ...] for a single column; for texts, use "
                "make_pipeline(TableEncoder(), Committee())"
            )
        if len(row) != len(X[0]):
            raise ValueError(f"rows must have the same length: row 0 has {len(X[0])} values, row {i} has {len(row)}")
    return ColumnTable([_of_values(list(column)) for column in zip(*X, strict=True)], None, len(X))


def _of_values(values: list[Any]) -> Column:
    """Make a column without a type: its kind is that of its present values."""
    types = set(map(type, values))
    numbers = set(filter(is_number, types))
    others = types - numbers
    if others and (numbers or any(issubclass(kind, _TIMES) for kind in others)):
        others = {type(value) for value in values if type(value) in others and not is_missing(value)}
    if any(issubclass(kind, _TIMES) for kind in others):
        return Column(values, "time")
    if not numbers or others or all(is_missing(value) for value in values):
        return Column(values)
    return Column(values, "number")


def is_number(kind: type) -> bool:
    """Whether a type is one of real numbers; booleans and members of enumerations are categories instead.

    Examples
    --------
    >>> [is_number(kind) for kind in (int, float, np.int8, bool, str)]
    [True, True, True, False, False]
    """
    return issubclass(kind, Real | Decimal) and not issubclass(kind, bool | np.bool_ | Enum)
