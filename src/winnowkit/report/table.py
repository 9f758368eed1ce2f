"""The rows that a report is about, whatever form they came in: taken, shuffled by column, and shown one by one."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.columns import Column, as_floats, columns_of, is_missing
from winnowkit.core.frame import Frame
from winnowkit.core.times import DAY, as_seconds, written
from winnowkit.rulesets.words import plain


class Table(Protocol):
    """Rows with named columns."""

    names: list[str]
    n_rows: int

    @property
    def native(self) -> Any:
        """The rows in a form that learners take."""

    def take(self, rows: NDArray[np.intp]) -> Table:
        """Return some rows."""

    def shuffled(self, column: int, rng: np.random.Generator) -> Any:
        """Return the rows as learners take them, with the values of one column in a random order."""

    def is_number(self, column: int) -> bool:
        """Whether a column has numbers."""

    def values(self, column: int) -> list[Any]:
        """Return the values of a column as JSON can hold them, None where missing."""

    def row(self, i: int) -> dict[str, Any]:
        """Return the values of a row that are not missing (of a sparse row, not 0) by the name of the column."""


class DenseTable:
    """A table of any kind, as a frame; learners that were given no names are given none.

    Parameters
    ----------
    frame : Frame
        The columns.
    named : bool
        Whether the names were given, and are not x0, x1, ...
    """

    def __init__(self, frame: Frame, *, named: bool) -> None:
        self.frame, self.named = frame, named
        self.names, self.n_rows = frame.columns, len(frame)
        dates = [name for name, kind in frame.dtypes.items() if kind.kind == "M"]
        self._shown = {name: _written_dates(frame[name]) for name in dates}

    @property
    def native(self) -> Any:
        """The rows in a form that learners take."""
        return self._native(self.frame)

    def _native(self, frame: Frame) -> Any:
        if self.named:
            return frame
        numbers = all(kind.kind == "f" for kind in frame.dtypes.values())
        return np.asarray(frame) if numbers else np.asarray(frame, dtype=object)

    def take(self, rows: NDArray[np.intp]) -> DenseTable:
        """Return some rows."""
        return DenseTable(self.frame.take(rows), named=self.named)

    def shuffled(self, column: int, rng: np.random.Generator) -> Any:
        """Return the rows as learners take them, with the values of one column in a random order."""
        name = self.names[column]
        mixed = {other: self.frame[other] for other in self.names}
        mixed[name] = mixed[name][rng.permutation(self.n_rows)]
        return self._native(Frame(mixed))

    def is_number(self, column: int) -> bool:
        """Whether a column has numbers."""
        return bool(self.frame[self.names[column]].dtype.kind == "f")

    def values(self, column: int) -> list[Any]:
        """Return the values of a column as JSON can hold them, None where missing."""
        name = self.names[column]
        return self._shown.get(name) or [as_json(value) for value in self.frame[name].tolist()]

    def row(self, i: int) -> dict[str, Any]:
        """Return the values of a row that are not missing by the name of the column."""
        found = {name: as_json(self._shown.get(name, self.frame[name])[i]) for name in self.names}
        return {name: value for name, value in found.items() if value is not None}


class SparseTable:
    """A sparse matrix, whose rows are shown by their attributes that are not 0.

    Parameters
    ----------
    matrix : sparse matrix
        The rows.
    names : list of str
        Names of the columns.
    """

    def __init__(self, matrix: Any, names: list[str]) -> None:
        self.matrix, self.names, self.n_rows = matrix.tocsr(), names, int(matrix.shape[0])

    @property
    def native(self) -> Any:
        """The rows in a form that learners take."""
        return self.matrix

    def take(self, rows: NDArray[np.intp]) -> SparseTable:
        """Return some rows."""
        return SparseTable(self.matrix[rows], self.names)

    def shuffled(self, column: int, rng: np.random.Generator) -> Any:
        """Return the rows as learners take them, with the values of one column in a random order."""
        mixed, order = self.matrix.tocsc(copy=True), rng.permutation(self.n_rows)
        here = slice(mixed.indptr[column], mixed.indptr[column + 1])
        rows = order[mixed.indices[here]]
        by_row = np.argsort(rows)
        mixed.indices[here], mixed.data[here] = rows[by_row], mixed.data[here][by_row]
        return mixed.tocsr()

    def is_number(self, column: int) -> bool:  # noqa: ARG002 - all of them have
        """Whether a column has numbers."""
        return True

    def values(self, column: int) -> list[Any]:
        """Return the values of a column."""
        found: list[Any] = self.matrix[:, [column]].toarray().ravel().tolist()
        return found

    def row(self, i: int) -> dict[str, Any]:
        """Return the values of a row that are not 0 by the name of the column."""
        row = self.matrix[[i]].tocoo()
        return {self.names[j]: value for j, value in zip(row.col.tolist(), row.data.tolist(), strict=True) if value}


def table_of(X: Any, names: list[str] | None = None) -> DenseTable | SparseTable:
    """Return rows of any form as a table; `names` replaces those of a table without names.

    Examples
    --------
    >>> table = table_of([["sunny", 25.5], [None, 18]])
    >>> table.names, table.row(1), table.is_number(1)
    (['x0', 'x1'], {'x1': 18}, True)
    """
    if hasattr(X, "tocsr"):
        width = X.shape[1]
        return SparseTable(X, names if names and len(names) == width else [f"x{j}" for j in range(width)])
    found = columns_of(X)
    width = len(found.columns)
    shown = found.names or (names if names and len(names) == width else [f"x{j}" for j in range(width)])
    columns = {name: _column(column, name) for name, column in zip(shown, found.columns, strict=True)}
    return DenseTable(Frame(columns), named=found.names is not None)


def _column(column: Column, name: str) -> NDArray[Any]:
    if column.kind == "number":
        return as_floats(column, name)
    if column.kind == "time":
        seconds = as_seconds(column, name)
        dates = (np.nan_to_num(seconds) * 1e6).round().astype("datetime64[us]")
        dates[np.isnan(seconds)] = np.datetime64("NaT")
        return dates
    values = np.empty(len(column.values), dtype=object)
    values[:] = [plain(value) for value in column.values]
    return values


def _written_dates(dates: NDArray[Any]) -> list[str | None]:
    """Return dates as rules write them, None where missing."""
    seconds = as_seconds(Column(dates, "time"), "")
    whole_days = bool((seconds[~np.isnan(seconds)] % DAY == 0.0).all())
    return [None if np.isnan(number) else written(number, whole_days=whole_days) for number in seconds.tolist()]


def as_json(value: Any) -> Any:
    """Return a value as JSON can hold it: text, a number, a boolean, or None where it is missing.

    Examples
    --------
    >>> as_json(3.0), as_json("a"), as_json(float("nan")), as_json("?")
    (3, 'a', None, None)
    """
    value = plain(value)
    if is_missing(value):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value if isinstance(value, str | bool | int | float) else str(value)
