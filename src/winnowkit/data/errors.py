"""Errors in data files, each told in one sentence."""

from __future__ import annotations

from typing import Any, Self


class ColumnWarning(UserWarning):
    """Columns are left out, or values in them may mean something else than they seem to.

    See Also
    --------
    CategoryEncoder, TableEncoder : Issue it in `fit`, and in `transform` if a category is only spelled differently,
        or if no category of a column is known.

    Examples
    --------
    >>> import warnings
    >>> from winnowkit.data import CategoryEncoder, ColumnWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", ColumnWarning)
    ...     CategoryEncoder(missing="ignore").fit([["a"]] * 100)
    Traceback (most recent call last):
    winnowkit.data.errors.ColumnWarning: These columns are left out, ...: constant: 'x0'.
    """


class DataError(ValueError):
    """An error in a source: its place, what was expected, what was found, and what to do.

    Attributes
    ----------
    place : str
        The source, and the place in it.
    line : int or None
        The line, counted from 1, if known.
    column : str, int or None
        The column, by name or by its position in the line, counted from 1, if known.

    See Also
    --------
    read_table : Raises this error.

    Examples
    --------
    >>> raise DataError.at("cars.csv", "expected a number, got 'red'", line=3, column="age")
    Traceback (most recent call last):
    winnowkit.data.errors.DataError: cars.csv, line 3, column 'age': expected a number, got 'red'
    """

    place: str = ""
    line: int | None = None
    column: str | int | None = None

    @classmethod
    def at(
        cls, source: str, problem: str, *, line: int | None = None, column: str | int | None = None, **details: Any
    ) -> Self:
        """Make the error for a place in a source; lines and numbered columns count from 1.

        `details` are further attributes of this kind of error.
        """
        place = source
        if line is not None:
            place += f", line {line}"
        if column is not None:
            place += f", column {column!r}"
        error = cls(f"{place}: {problem}")
        vars(error).update(place=place, line=line, column=column, **details)
        return error


class ContradictionError(DataError):
    """A value, `found`, is not of the type `expected` of its column so far; reading `column` as `kind` accepts it."""

    column: str
    kind: str
    expected: str
    found: str


class UnknownColumnError(DataError):
    """A type was given for a column, `name`, that does not exist among `names`."""

    name: str
    names: list[str]


class NoColumnsError(DataError):
    """Columns were requested from a sparse format, which has no named columns."""


class WidthError(DataError):
    """A table has a number of columns, `n_features`, other than the expected one."""

    n_features: int


class IndexTooLargeError(DataError):
    """An `index` in a sparse format exceeds the number of columns."""

    index: int


def shown(text: str | bytes, most: int = 40) -> str:
    """Quote a piece of a file in a message, shortened if it is long.

    Examples
    --------
    >>> print(shown("red"), shown("x" * 1000, most=5))
    'red' 'xxxxx'...
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", errors="replace")
    return repr(text) if len(text) <= most else f"{text[:most]!r}..."
