"""What is wrong with a file, in one sentence."""

from __future__ import annotations


class DataError(ValueError):
    """A source that cannot be read as asked: which one, where in it, what was expected, and what to do.

    See Also
    --------
    read_table : What raises it.

    Examples
    --------
    >>> raise DataError.at("cars.csv", "expected a number, got 'red'", line=3, column="age")
    Traceback (most recent call last):
    winnowkit.data.errors.DataError: cars.csv, line 3, column 'age': expected a number, got 'red'
    """

    @classmethod
    def at(cls, source: str, problem: str, *, line: int | None = None, column: str | int | None = None) -> DataError:
        """Make the error for a place in a source; lines and, where it is a number, columns count from 1."""
        place = source
        if line is not None:
            place += f", line {line}"
        if column is not None:
            place += f", column {column!r}"
        return cls(f"{place}: {problem}")


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
