"""A table of any kind as a list of columns: our frames, pandas or polars frames, arrays, lists of rows."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.frame import Frame


class Column(NamedTuple):
    """One column: its values, an array if their type is floating and a list if not, and whether they are floats."""

    values: list[Any] | NDArray[Any]
    floating: bool


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


def columns_of(X: Any) -> ColumnTable:
    """Split a table into columns.

    Parameters
    ----------
    X : array, pandas or polars frame, or list of rows
        The table, of two dimensions.

    Returns
    -------
    ColumnTable
        The columns. A column is floating if its type is; a column without a type (of a list or an array of objects) is
        floating if it contains only numbers, and at least one float.

    Examples
    --------
    >>> table = columns_of([["sunny", 25.5, 1], ["rain", 18, 2]])
    >>> [column.values for column in table.columns]
    [['sunny', 'rain'], [25.5, 18], [1, 2]]
    >>> [column.floating for column in table.columns]
    [False, True, False]
    """
    refuse_masked(X, "X")
    if isinstance(X, Frame):
        return ColumnTable([_of_ours(X[name]) for name in X.columns], X.columns, len(X))
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        return _of_frame(X)
    if hasattr(X, "toarray"):
        raise TypeError("sparse tables are not supported: a table of categories is dense; use X.toarray()")
    if isinstance(X, list | tuple):
        return _of_rows(X)
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data to one row per example: "
            "X.reshape(1, -1) for a single example, X.reshape(-1, 1) for a single column"
        )
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: columns hold categories or real numbers")
    return ColumnTable([_of_array(column) for column in array.T], None, len(array))


def refuse_masked(array: Any, name: str) -> None:
    """Raise ValueError for a masked array: the values behind its mask would be taken for real ones."""
    if isinstance(array, np.ma.MaskedArray):
        raise ValueError(
            f"{name} is a masked array, and masks are not supported: replace the masked values ({name}.filled(0)), "
            "or for a table of categories and numbers by missing values, None or NaN"
        )


def as_floats(column: Column, name: str) -> NDArray[np.float64]:
    """Return the numbers of a column, NaN where missing; raise ValueError for other values and for infinity.

    Examples
    --------
    >>> as_floats(Column([1, None, "?", "2.5"], False), "price")
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
    if len(set(names)) < len(names):
        raise ValueError(f"column names must be distinct, got {names}")
    series = [X.iloc[:, j] for j in range(len(names))] if hasattr(X, "iloc") else list(X.iter_columns())
    named = bool(names) and all(isinstance(name, str) for name in names)
    of_series = _of_pandas if hasattr(X, "iloc") else _of_polars
    return ColumnTable([of_series(column) for column in series], names if named else None, len(X))


def _of_ours(column: NDArray[Any]) -> Column:
    return Column(column, True) if column.dtype.kind == "f" else Column(column.tolist(), False)


def _of_pandas(series: Any) -> Column:
    if series.dtype.name == "category":  # categories stay categories, even of floats
        values = np.array([*series.cat.categories.tolist(), None], dtype=object)
        return Column(values[series.cat.codes.to_numpy()].tolist(), False)
    if series.dtype.kind == "f":
        return Column(series.to_numpy(dtype=np.float64, na_value=np.nan), True)
    return _of_values(series.tolist()) if series.dtype.kind == "O" else Column(series.tolist(), False)


def _of_polars(series: Any) -> Column:
    if series.dtype.is_float():
        return Column(series.cast(float).to_numpy(), True)  # null becomes NaN
    return _of_values(series.to_list()) if series.dtype.is_nested() else Column(series.to_list(), False)


def _of_array(column: NDArray[Any]) -> Column:
    if column.dtype.kind == "f":
        return Column(column, True)
    if column.dtype.kind in "mM":  # tolist would turn nanoseconds, and their NaT, into integers
        return Column(list(column), False)
    return _of_values(column.tolist()) if column.dtype.kind == "O" else Column(column.tolist(), False)


def _of_rows(X: list[Any] | tuple[Any, ...]) -> ColumnTable:
    for i, row in enumerate(X):
        if isinstance(row, str | bytes | Mapping) or not hasattr(row, "__len__"):
            raise ValueError(
                f"Expected 2D array, got 1D array instead: row {i} is {row!r}. Reshape your data: "
                "[row] for a single example, [[value], ...] for a single column"
            )
        if len(row) != len(X[0]):
            raise ValueError(f"rows must have the same length: row 0 has {len(X[0])} values, row {i} has {len(row)}")
    return ColumnTable([_of_values(list(column)) for column in zip(*X, strict=True)], None, len(X))


def _of_values(values: list[Any]) -> Column:
    """Make a column without a type: floating if all present values are numbers, and at least one is a float."""
    kinds = set(map(type, values))
    numbers = {kind for kind in kinds if issubclass(kind, Real) and not issubclass(kind, bool | np.bool_)}
    floats = tuple(kind for kind in numbers if issubclass(kind, float | np.floating))
    floating = any(isinstance(value, floats) and not is_missing(value) for value in values) if floats else False
    others = kinds - numbers
    floating = floating and all(is_missing(value) for value in values if type(value) in others)
    return Column(values, floating)
