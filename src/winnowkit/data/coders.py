"""Encode one column of categories or of monotone booleans; :mod:`winnowkit.data.number_coders` encodes numbers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.booleans import spelled_alike, spellings_of
from winnowkit.core.caller import stacklevel_of_caller
from winnowkit.core.columns import Column, is_missing
from winnowkit.data.errors import ColumnWarning

Codes = NDArray[np.int32]

MISSING = 0
UNSEEN = -1  # the encoder turns it into 0 after missing values have got a category, where they are to have one

MAX_CATEGORIES = 254
"""The most categories of a column: with 0 and a missing value, their codes fit in a byte."""

MOST_LOOKED_AT = 1000
"""So many rows with unknown categories are looked at for other spellings."""
FEWEST_UNKNOWN = 20
"""So many values of a column, none of which training had, are no coincidence; one unknown value is ordinary."""
MOST_SHOWN = 3
"""The most categories that a warning shows."""

_BITS = {0: 0, 1: 1}  # False and 0.0 are equal to 0, True and 1.0 to 1


class Coder(Protocol):
    """The interface of a column that the encoder uses."""

    name: str
    categories: list[Any]  # in the order of their codes, from 1
    n_ordered: int  # how many of them, from the first on, are ordered cells
    cuts: NDArray[np.float64]  # between numbers

    def codes(self, column: Column) -> Codes:
        """Return the codes of a whole column: 1, 2, ..., MISSING or UNSEEN."""

    def code(self, value: Any) -> int:
        """Return the code of one value."""

    def describe(self, first: int, last: int | None = None) -> str:
        """Describe a code of at least 1, or a range of ordered codes, in words."""

    def tests(self, first: int, last: int | None = None) -> list[tuple[str, Any]]:
        """List the comparisons, as (operator, value), that hold where the code is in first, ..., last."""


class _Numbering(dict[Any, int]):
    """Code of each category: while open, a new one gets the next number; once closed, it is UNSEEN."""

    open = True

    def __init__(self) -> None:
        super().__init__({None: MISSING, "?": MISSING})  # the common ones are found without a call

    def __missing__(self, value: Any) -> int:
        if is_missing(value):
            return MISSING
        if not self.open:
            return UNSEEN
        self[value] = code = len(self) - 1
        return code


class UnorderedCoder:
    """Values that are equal or not."""

    n_ordered = 0
    cuts: NDArray[np.float64] = np.empty(0)

    def __init__(self, name: str, categories: list[Any]) -> None:
        self.name = name
        self.categories = categories

    def codes(self, column: Column) -> Codes:
        """Return the codes of a whole column: 1, 2, ..., MISSING or UNSEEN."""
        values = column.values if isinstance(column.values, list) else column.values.tolist()
        try:
            return np.fromiter(map(self._look_up(), values), dtype=np.int32, count=len(values))
        except (KeyError, TypeError):
            for value in values:
                self.code(value)
            raise

    def code(self, value: Any) -> int:
        """Return the code of one value."""
        raise NotImplementedError

    def _look_up(self) -> Callable[[Any], int]:
        """Return a fast version of `code`, whose errors need not be clear."""
        raise NotImplementedError

    def describe(self, first: int, last: int | None = None) -> str:  # noqa: ARG002 - there are no ranges
        """Describe a code of at least 1 in words."""
        return f"{self.name} = {self.categories[first - 1]}"

    def tests(self, first: int, last: int | None = None) -> list[tuple[str, Any]]:  # noqa: ARG002 - as above
        """List the comparisons, as (operator, value), that are equivalent to a code of at least 1."""
        return [("=", self.categories[first - 1])]


class CategoryCoder(UnorderedCoder):
    """Categories: values as they are. Of more than `MAX_CATEGORIES`, the most frequent ones are kept.

    A boolean and its text are one category, which has the name that training had, so that rules compare with what the
    table holds; where it had several, it is the boolean.

    Examples
    --------
    >>> coder = CategoryCoder.of("outlook", Column(["sunny", "rain", None, "sunny"]))
    >>> coder.codes(Column(["rain", "snow", "sunny"]))
    array([ 1, -1,  2], dtype=int32)
    >>> coder.describe(2)
    'outlook = sunny'
    >>> CategoryCoder.of("member", Column(["True", "False"])).codes(Column([True, False]))
    array([2, 1], dtype=int32)
    """

    def __init__(self, name: str, categories: list[Any]) -> None:
        super().__init__(name, categories)
        self.numbers = _Numbering()
        for value in categories:
            self.numbers[value]  # numbers it
        self.numbers.open = False
        for value in categories:
            for spelling in spellings_of(value):
                self.numbers.setdefault(spelling, self.numbers[value])

    @classmethod
    def of(cls, name: str, column: Column) -> CategoryCoder:
        """Return a coder of the values of a column."""
        found = cls(name, [])
        found.numbers.open = True
        counts = np.bincount(found.codes(column) + 1)[2:]
        values = [value for value, code in found.numbers.items() if code != MISSING]
        rows = _with_booleans(dict(zip(values, counts.tolist(), strict=True)))
        values = _in_order(list(rows))
        if len(values) > MAX_CATEGORIES:
            values = _in_order(sorted(values, key=rows.__getitem__, reverse=True)[:MAX_CATEGORIES])
        return cls(name, values)

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "categories": self.categories}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]  # numbers the categories again

    def codes(self, column: Column) -> Codes:
        """Return the codes of a whole column; warn of other spellings than in training, and if no value is known."""
        codes = super().codes(column)
        unseen = np.flatnonzero(codes == UNSEEN)
        if len(unseen):
            found = {column.values[i] for i in unseen[:MOST_LOOKED_AT].tolist()}
            all_unseen = len(unseen) >= FEWEST_UNKNOWN and not (codes > MISSING).any()
            self._warn(self._other_spelling(found) or (self._unknown() if all_unseen else None))
        return codes

    def _warn(self, message: str | None) -> None:
        if message is not None:
            warnings.warn(message, ColumnWarning, stacklevel=stacklevel_of_caller())

    def _other_spelling(self, unseen: set[Any]) -> str | None:
        known = {_as_spelled(value): value for value in self.categories}
        alike = [(value, known[text]) for value in unseen if (text := _as_spelled(value)) in known]
        if not alike:
            return None
        value, meant = min(alike, key=str)
        return (
            f"Column {self.name!r} holds {value!r}, which was not there in training, although {meant!r} was. Such "
            "values count as unknown; write them as in training."
        )

    def _unknown(self) -> str | None:
        """Say that no value is known: the same words for every part of a table that is read in parts."""
        if not self.categories:  # a column without any value in training, of which nothing was learned
            return None
        more = ", ..." if len(self.categories) > MOST_SHOWN else ""
        shown = ", ".join(map(repr, self.categories[:MOST_SHOWN])) + more
        return (
            f"No value of column {self.name!r} was seen in training (which had {shown}). All count as unknown; if they "
            "mean the same, write them as in training."
        )

    def _look_up(self) -> Callable[[Any], int]:
        return self.numbers.__getitem__

    def code(self, value: Any) -> int:
        """Return the code of one value."""
        try:
            return self.numbers[value]
        except TypeError:
            raise TypeError(
                f"column {self.name!r} holds {value!r} ({type(value).__name__}), which cannot be a category: "
                "categories are strings, integers, booleans or other hashable values"
            ) from None


class BooleanCoder(UnorderedCoder):
    """Monotone data: 0 is unspecified, and 1 is the only category.

    Examples
    --------
    >>> BooleanCoder("wings").codes(Column([0, 1, True, False, 1.0]))
    array([0, 1, 1, 0, 1], dtype=int32)
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, [1])

    def _look_up(self) -> Callable[[Any], int]:
        return _BITS.__getitem__

    def code(self, value: Any) -> int:
        """Return the code of one value."""
        try:
            return _BITS[value]
        except (KeyError, TypeError):
            raise ValueError(f"monotone columns must hold 0 or 1; column {self.name!r} holds {value!r}") from None


class ExcludedCoder(UnorderedCoder):
    """A column that is left out: nothing in it is ever specified.

    Examples
    --------
    >>> ExcludedCoder("id").codes(Column(["A17", None]))
    array([-1, -1], dtype=int32)
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, [])

    def _look_up(self) -> Callable[[Any], int]:
        return self.code

    def code(self, value: Any) -> int:  # noqa: ARG002 - no value has a code
        """Return UNSEEN."""
        return UNSEEN


def _as_spelled(value: Any) -> str:
    """Return a value as text, without its type, capital letters and surplus spaces; single letters stay as they are.

    Examples
    --------
    >>> [_as_spelled(value) for value in (" New  York", 3, "B")]
    ['new york', '3', 'B']
    """
    text = " ".join(str(value).split())
    return text.casefold() if len(text) > 1 else text


def _with_booleans(rows: dict[Any, int]) -> dict[Any, int]:
    """Return numbers of rows by value, with booleans in place of their text if one of them has several spellings.

    Examples
    --------
    >>> _with_booleans({"True": 1, "false": 2}), _with_booleans({"True": 1, "TRUE": 2, "false": 4})
    ({'True': 1, 'false': 2}, {True: 3, False: 4})
    """
    if spelled_alike(rows):
        return rows
    merged: dict[Any, int] = {}
    for value, count in rows.items():
        named = next(iter(spellings_of(value)), value)
        merged[named] = merged.get(named, 0) + count
    return merged


def _in_order(values: list[Any]) -> list[Any]:
    """Sorted where values can be; by type and text where they cannot, so that the order of rows does not matter."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda value: (type(value).__name__, str(value)))
