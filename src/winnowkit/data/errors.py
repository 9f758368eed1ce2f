"""What is wrong with a file, in one sentence."""

from __future__ import annotations

from typing import Any, Self


class DataError(ValueError):
    """A source that cannot be read as asked: which one, where in it, what was expected, and what to do.

    Attributes
    ----------
    place : str
        The source, and where in it.
    line : int or None
        The line, from 1 on, if there is one.
    column : str, int or None
        The column, by name or, from 1 on, by its place in the line, if there is one.

    See Also
    --------
    read_table : What raises it.

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
        """Make the error for a place in a source; lines and, where it is a number, columns count from 1.

        `details` are attributes that this kind of error has besides.
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
    """A value that is not of the type its column has so far; `column` read as `kind` would take it."""

    column: str
    kind: str


class UnknownColumnError(DataError):
    """A type was given for a column, `name`, that there is not."""

    name: str


class NoColumnsError(DataError):
    """Columns were asked for, and the format is sparse: it has none."""


class WidthError(DataError):
    """A table has another number of columns, `n_features`, than it should."""

    n_features: int


class IndexTooLargeError(DataError):
    """An `index` of a sparse format is past the number of columns."""

    index: int


def shown(text: str | bytes, most: int = 40) -> str:
    """Show a piece of a file in a message, cut if long.

    Examples
    --------
    >>> print(shown("red"), shown("x" * 1000, most=5))
    'red' 'xxxxx'...
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", errors="replace")
    return repr(text) if len(text) <= most else f"{text[:most]!r}..."
