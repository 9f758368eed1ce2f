"""The use of a column: the one policy for tables of every kind and for all learners."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from winnowkit.core.columns import Column, as_floats, is_missing
from winnowkit.core.times import is_date, is_other_date
from winnowkit.data.coders import MAX_CATEGORIES
from winnowkit.data.column_checks import ENOUGH_ROWS, are_row_numbers, is_constant, is_flag, is_identifier

Use = Literal["number", "flag", "category", "time", "text", "identifier", "row number", "constant"]

LEAVE_OUT: tuple[Use, ...] = ("identifier", "row number", "constant")
"""Nothing can be learned from such columns."""
FEWEST_TEXTS = 20
"""So many values are needed to tell free text from categories."""
FEWEST_WORDS = 3.0
"""Free text has at least so many words, on average."""


def use_of(name: str, column: Column, *, keep_all: bool = False) -> Use:
    """Return what a column is used as.

    Parameters
    ----------
    name : str
        The name of the column, for messages.
    column : Column
        Its training rows.
    keep_all : bool
        Whether no column is left out.

    Returns
    -------
    str
        "number", "flag" (0 and 1 only), "category", "time" (dates, also as ISO 8601 text) or "text"; or "identifier",
        "row number" or "constant", from which nothing can be learned.

    Examples
    --------
    >>> use_of("age", Column([31, 42], "number")), use_of("sky", Column(["blue", "grey"]))
    ('number', 'category')
    >>> use_of("id", Column([f"A{i}" for i in range(60)]))
    'identifier'
    >>> use_of("signed", Column(["2021-03-04", None, "2021-03-11"]))
    'time'
    >>> use_of("message", Column([f"see you at {i} pm" for i in range(60)]))
    'text'
    """
    if column.kind == "time":
        return "time"
    use: Use = _of_numbers(name, column) if column.kind == "number" else _of_categories(list(column.values))
    if keep_all and use in LEAVE_OUT:
        return "number" if column.kind == "number" else "category"
    return use


def _of_numbers(name: str, column: Column) -> Use:
    numbers = as_floats(column, name)
    if is_constant(numbers):
        return "constant"
    if is_flag(numbers):
        return "flag"
    return "row number" if are_row_numbers(numbers) else "number"


def _of_categories(values: list[Any]) -> Use:
    if all_strings(values, is_date):
        return "time"
    if is_text(values) and not all_strings(values, is_other_date):
        return "text"
    if is_identifier(values):
        return "identifier"
    return "constant" if len(values) >= ENOUGH_ROWS and _all_equal(values) else "category"


def other_date(column: Column) -> str | None:
    """Return the first date of a column whose values are all dates, but not as ISO 8601 writes them; otherwise None.

    Examples
    --------
    >>> other_date(Column([None, "31/12/2024", "1/2/2025"])), other_date(Column(["2024-12-31"]))
    ('31/12/2024', None)
    """
    if column.kind != "category" or not all_strings(column.values, is_other_date):
        return None
    return next(value for value in column.values if not is_missing(value))


def all_strings(values: Iterable[Any], holds: Callable[[str], bool]) -> bool:
    """Whether all values that are not missing, at least one, are strings of which something holds.

    Examples
    --------
    >>> all_strings(["2021-03-04", None], is_date), all_strings([None], is_date), all_strings(["old", 3], str.islower)
    (True, False, False)
    """
    found = False
    for value in values:
        if not is_missing(value):
            if not isinstance(value, str) or not holds(value):
                return False
            found = True
    return found


def _all_equal(values: list[Any]) -> bool:
    first = values[0]
    try:
        return not is_missing(first) and all(bool(value == first) for value in values)
    except (TypeError, ValueError):  # pandas' NA, and arrays, which are refused later
        return False


def is_text(values: Sequence[Any]) -> bool:
    """Whether enough strings have several words each, and are mostly different or more than categories can be.

    Examples
    --------
    >>> is_text(["less than 5 years", "5 years or more"] * 30), is_text([f"it took {i} years" for i in range(60)])
    (False, True)
    """
    present = [value for value in values if isinstance(value, str) and value != "?"]
    if len(present) < FEWEST_TEXTS:
        return False
    distinct = set(present)
    if len(distinct) <= min(len(present) / 2, MAX_CATEGORIES):
        return False
    return sum(len(text.split()) for text in distinct) >= FEWEST_WORDS * len(distinct)
