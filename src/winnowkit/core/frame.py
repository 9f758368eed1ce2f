"""A light table of named columns, numbers and categories, that needs nothing but numpy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from winnowkit.core.optional import import_optional

_KINDS = {"f": "numeric", "M": "date"}


class Frame:
    """Named columns of equal length: numbers (NaN where missing), dates (NaT), or objects (None where missing).

    :func:`winnowkit.data.read_table` returns a frame for a table. scikit-learn can split it (`train_test_split`,
    `cross_val_score`), `DNFWinnow` accepts it, and so do the other learners if all columns are numeric.

    Parameters
    ----------
    columns : mapping of str to array
        The columns by name. Booleans and other numbers become float64, dates of numpy datetime64[us]; anything else
        becomes objects.

    See Also
    --------
    winnowkit.data.read_table : Returns a frame.

    Examples
    --------
    >>> from winnowkit.data import Frame
    >>> frame = Frame({"age": [31, 42, float("nan")], "colour": ["red", None, "blue"]})
    >>> frame
    Frame of 3 rows: age (numeric), colour (category)
    >>> frame["age"]
    array([31., 42., nan])
    >>> frame[1:].shape, frame.take([0, 2])["colour"].tolist(), frame.select(["colour"]).columns
    ((2, 2), ['red', 'blue'], ['colour'])
    """

    def __init__(self, columns: Mapping[str, ArrayLike]) -> None:
        self._columns = {name: _column(name, values) for name, values in columns.items()}
        lengths = {name: len(values) for name, values in self._columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns must have the same length, got {lengths}")
        self._n_rows = next(iter(lengths.values()), 0)

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self._columns)

    @property
    def dtypes(self) -> dict[str, np.dtype[Any]]:
        """Type of each column: float64, datetime64[us] or object."""
        return {name: values.dtype for name, values in self._columns.items()}

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self._n_rows, len(self._columns)

    @property
    def ndim(self) -> int:
        """Number of dimensions, 2."""
        return 2

    def __len__(self) -> int:
        return self._n_rows

    def __repr__(self) -> str:
        kinds = [f"{name} ({_KINDS.get(values.dtype.kind, 'category')})" for name, values in self._columns.items()]
        if len(kinds) > 8:
            kinds[7:-1] = [f"... {len(kinds) - 8} more ..."]
        return f"Frame of {self._n_rows} rows: {', '.join(kinds)}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frame):
            return NotImplemented
        return self.columns == other.columns and all(
            values.dtype == other[name].dtype
            and np.array_equal(values, other[name], equal_nan=values.dtype.kind in "fM")
            for name, values in self._columns.items()
        )

    __hash__ = None  # type: ignore[assignment]  # it compares by value and holds arrays

    def __getitem__(self, key: Any) -> Any:
        """Return the column of a name, or the rows of a slice, mask or array of positions, as a frame.

        ``frame[rows, ...]`` and ``frame[:, columns]`` work too, as scikit-learn indexes this way.
        """
        if isinstance(key, str):
            try:
                return self._columns[key]
            except KeyError:
                raise KeyError(f"no column {key!r}; the columns are {self.columns}") from None
        if isinstance(key, tuple):
            rows, columns = key
            frame = self if columns is Ellipsis else self.select(_names(self.columns, columns))
            return frame[rows]
        if isinstance(key, int | np.integer):
            return np.array([values[key] for values in self._columns.values()], dtype=object)
        rows = key if isinstance(key, slice) else np.asarray(key)
        if not isinstance(rows, slice) and rows.size == 0:
            rows = rows.astype(np.intp)
        return self._with({name: values[rows] for name, values in self._columns.items()})

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return a matrix of floating-point numbers if all columns are numeric, or a matrix of objects if requested."""
        if copy is False:
            raise ValueError("a Frame stores each column separately, so that an array of it is always a copy")
        wanted = np.dtype(np.float64 if dtype is None else dtype)
        texts = [name for name, values in self._columns.items() if values.dtype.kind != "f"]
        if texts and wanted.kind != "O":
            raise ValueError(
                f"columns {texts[:5]} contain categories, not numbers: use a learner of tables (DNFWinnow), leave "
                "them out (frame.select), or encode the table: make_pipeline(TableEncoder(), Committee())"
            )
        matrix = np.empty(self.shape, dtype=wanted)
        for j, values in enumerate(self._columns.values()):
            matrix[:, j] = values
        return matrix

    def select(self, names: Iterable[str]) -> Frame:
        """Return a frame of some columns, in the given order.

        Parameters
        ----------
        names : iterable of str
            The columns.

        Returns
        -------
        Frame
            The selected columns.
        """
        return self._with({name: self[name] for name in names})

    def take(self, rows: ArrayLike, axis: int = 0) -> Frame:
        """Return a frame of some rows (or columns, with axis=1), by position, in the given order.

        Parameters
        ----------
        rows : array-like of int
            The positions.
        axis : {0, 1}
            Whether these are positions of rows (0) or of columns (1).

        Returns
        -------
        Frame
            The selected rows or columns.
        """
        if axis == 1:
            return self.select(self.columns[j] for j in np.asarray(rows))
        taken: Frame = self[np.asarray(rows, dtype=np.intp)]
        return taken

    def to_pandas(self) -> Any:
        """Return a pandas frame of floating-point, datetime and categorical columns.

        Returns
        -------
        pandas.DataFrame
            The same table.
        """
        pandas = import_optional("pandas", "Frame.to_pandas needs pandas", "pandas")
        return pandas.DataFrame(
            {
                name: pandas.Series(values, dtype="category" if values.dtype.kind == "O" else values.dtype)
                for name, values in self._columns.items()
            }
        )

    @classmethod
    def concatenate(cls, frames: list[Frame]) -> Frame:
        """Return the rows of all frames, whose columns must have the same names and types.

        Examples
        --------
        >>> Frame.concatenate([Frame({"x": [1.0]}), Frame({"x": [2.0]})])["x"]
        array([1., 2.])
        """
        return cls({name: np.concatenate([frame[name] for frame in frames]) for name in frames[0].columns})

    def _with(self, columns: dict[str, NDArray[Any]]) -> Frame:
        """Return a frame of columns that have already been checked."""
        frame = Frame({})
        frame._columns = columns
        frame._n_rows = len(next(iter(columns.values()))) if columns else self._n_rows
        return frame


def _column(name: str, values: ArrayLike) -> NDArray[Any]:
    if not isinstance(name, str):
        raise TypeError(f"column names must be strings, got {name!r}")
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"column {name!r} must have one dimension, got {array.ndim}")
    if array.dtype.kind in "fiub":
        return array.astype(np.float64, copy=False)
    if array.dtype.kind == "M":
        return array.astype("datetime64[us]", copy=False)
    if array.dtype.kind == "O":
        return array
    objects = np.empty(len(array), dtype=object)
    objects[:] = array.tolist()
    return objects


def _names(columns: list[str], key: Any) -> list[str]:
    """Return the names of the columns that a key of any kind selects."""
    if isinstance(key, str):
        return [key]
    if isinstance(key, list | np.ndarray) and len(key) and isinstance(key[0], str):
        return list(key)
    picked: list[str] = np.atleast_1d(np.array(columns, dtype=object)[key]).tolist()
    return picked
