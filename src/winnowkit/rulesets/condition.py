"""A condition: a test of the raw values of one column."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.booleans import spellings_of
from winnowkit.core.columns import Column, as_floats, is_missing
from winnowkit.core.times import as_seconds, is_date
from winnowkit.rulesets.words import plain, word

NUMERIC: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
}
UNARY = ("missing", "present")
EQUALITY = ("=", "!=")
OPERATORS = (*EQUALITY, *NUMERIC, *UNARY)

FLIPPED = {">=": "<=", ">": "<"}
"""How the lower end of a range is written before the name of the column."""

Scalar = str | bool | int | float


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of one column: it equals a value or not, lies on one side of a number, or is missing or present.

    None, NaN and "?" are missing, and satisfy "missing" only. A boolean equals its text: True, "True", "true", "TRUE".

    Parameters
    ----------
    column : str
        Name of the column.
    operator : {"=", "!=", ">=", "<", ">", "<=", "missing", "present"}
        The test.
    value : str, bool, int or float
        The value that the column is compared with: for every operator but "=" and "!=" a number, or a date as ISO 8601
        text; None for "missing" and "present".

    See Also
    --------
    Rule : Conditions that must all hold.

    Examples
    --------
    >>> Condition("outlook", "=", "sunny").holds("sunny")
    True
    >>> print(Condition("humidity", "<", 72.5), "and", Condition("wind speed", "missing"))
    humidity < 72.5 and "wind speed" missing
    """

    column: str
    operator: str
    value: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.column, str):
            raise TypeError(f"column must be a string, got {self.column!r}")
        if self.operator not in OPERATORS:
            raise ValueError(f"operator must be one of {', '.join(OPERATORS)}; got {self.operator!r}")
        object.__setattr__(self, "column", plain(self.column))
        dated = isinstance(self.value, np.generic) and not isinstance(self.value, np.number | np.bool_ | np.str_)
        value = self.value if dated else plain(self.value)
        object.__setattr__(self, "value", value)
        if self.operator in UNARY and value is not None:
            raise ValueError(f"{self.operator!r} takes no value, got {value!r}")
        number = isinstance(value, int | float) and not isinstance(value, bool) and value == value  # noqa: PLR0124
        if self.operator in NUMERIC and not number and not (isinstance(value, str) and is_date(value)):
            raise ValueError(
                f"{self.operator!r} compares with a number, got {value!r}; dates are written as in 2021-03-04"
            )
        if self.operator in EQUALITY and is_missing(value):
            raise ValueError(f"nothing equals {value!r}, which is a missing value; use the operator 'missing'")

    def holds(self, value: Any) -> bool:
        """Whether one value passes the test.

        Parameters
        ----------
        value : object
            A value; None and NaN are missing.

        Returns
        -------
        bool
            Whether the value passes.
        """
        if is_missing(value):
            return self.operator == "missing"
        if self.operator == "=":
            return any(bool(value == spelling) for spelling in self._spellings)
        if self.operator == "!=":
            return all(bool(value != spelling) for spelling in self._spellings)
        if self.operator in UNARY:
            return self.operator == "present"
        if isinstance(self.value, str):
            return bool(self.among(Column([value]))[0])
        return bool(NUMERIC[self.operator](float(value), self.value))

    def among(self, column: Column) -> NDArray[np.bool_]:
        """Which values of a column pass the test.

        Parameters
        ----------
        column : Column
            The values of a column.

        Returns
        -------
        array of bool
            Whether each value passes.
        """
        if self.operator in NUMERIC:
            dated = isinstance(self.value, str)
            bound = as_seconds(Column([self.value]), self.column)[0] if dated else self.value
            numbers = as_seconds(column, self.column) if dated else as_floats(column, self.column)
            passed: NDArray[np.bool_] = NUMERIC[self.operator](numbers, bound)
            return passed
        values = column.values if isinstance(column.values, list) else column.values.tolist()
        wanted = self._spellings
        try:  # the fast way, which fails on pandas' NA
            if self.operator == "=":
                return np.fromiter((value in wanted for value in values), dtype=np.bool_, count=len(values))
        except TypeError:
            pass
        return np.fromiter(map(self.holds, values), dtype=np.bool_, count=len(values))

    @property
    def _spellings(self) -> tuple[Any, ...]:
        return spellings_of(self.value) or (self.value,)

    def __str__(self) -> str:
        if self.operator in UNARY:
            return f"{word(self.column)} {self.operator}"
        return f"{word(self.column)} {self.operator} {word(self.value)}"


def has_date(condition: Condition) -> bool:
    """Whether a condition compares with a date.

    Examples
    --------
    >>> has_date(Condition("signed", ">", "2021-03-04")), has_date(Condition("age", ">", 40))
    (True, False)
    """
    return condition.operator in NUMERIC and isinstance(condition.value, str)


def in_full(date: str) -> str:
    """Write a date with all digits of the time of day, so that dates are in order as text.

    Examples
    --------
    >>> in_full("2021-03-04")
    '2021-03-04 00:00:00.000000'
    """
    text = date.replace("T", " ")
    return text + "0000-00-00 00:00:00.000000"[len(text) :]


def in_words(conditions: Sequence[Condition]) -> str:
    """Write a conjunction in words, with the two ends of a range in one comparison.

    Examples
    --------
    >>> in_words([Condition("length", ">=", 2.45), Condition("length", "<", 4.75), Condition("kind", "=", "a b")])
    '2.45 <= length < 4.75 and kind = "a b"'
    >>> in_words([Condition("age", ">", 40), Condition("age", "<=", 52)])
    '40 < age <= 52'
    """
    parts, left = [], list(conditions)
    while left:
        first = left.pop(0)
        if left and first.operator in FLIPPED and left[0].operator in ("<", "<=") and first.column == left[0].column:
            last = left.pop(0)
            lower = f"{word(first.value)} {FLIPPED[first.operator]} {word(first.column)}"
            parts.append(f"{lower} {last.operator} {word(last.value)}")
        else:
            parts.append(str(first))
    return " and ".join(parts) or "always"
