"""The kind of a column of text, numbers or categories, and its conversion to an array."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from math import inf, isfinite, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.columns import Column
from winnowkit.core.times import as_seconds, is_date
from winnowkit.data.errors import ContradictionError, shown
from winnowkit.data.formats.source import Source

MISSING = frozenset({"", "?", "NA", "NaN", "nan", "null", "NULL"})
"""Fields that stand for a missing value."""

KINDS = ("numeric", "category", "integer", "date")
_SWAP = str.maketrans(",.", ".,")
_THOUSANDS = re.compile(r"\s*[-+]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?\s*", re.ASCII)
_DIGITS = re.compile(r"\s*\d+\s*", re.ASCII)
_LEADING_ZERO = re.compile(r"\s*0\d", re.ASCII)
MAX_LABEL = 1000  # characters: every label takes as much memory as the longest


def is_number(text: str) -> bool:
    """Whether a field is a number, finite or not; underscores and digits of other alphabets are not accepted.

    Examples
    --------
    >>> [is_number(text) for text in ("1", " -2.5e3", "inf", "1_000", "1,5", "")]
    [True, True, True, False, False, False]
    """
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii() and "_" not in text


def joined_thousands(text: str) -> str:
    """Drop the points between the thousands of a number with a decimal comma, and return other text as it is.

    Examples
    --------
    >>> joined_thousands("1.234,5"), joined_thousands("1.234.567"), joined_thousands("1.23")
    ('1234,5', '1234567', '1.23')
    """
    return text.replace(".", "") if "." in text and _THOUSANDS.fullmatch(text) else text


def swapped(text: str) -> str:
    """Exchange commas and points, so that a number with a decimal comma becomes one that Python reads.

    A second call returns text that is no number to what it was.

    Examples
    --------
    >>> swapped("1,5"), swapped("1.234,5"), swapped("1.23,5")
    ('1.5', '1234.5', '1,23.5')
    """
    return joined_thousands(text).translate(_SWAP)


def is_integer(text: str) -> bool:
    """Whether a field is a whole number that fits in a 64-bit integer."""
    try:
        return abs(int(text)) < 2**63 and is_number(text)
    except ValueError:
        return False


def code_with_zeros(values: Collection[str]) -> str | None:
    """Return the first value with a leading zero of a column of nothing but digits, as in codes of places; or None.

    Quantities are hardly ever written with leading zeros, and as numbers the codes 0123 and 123 would be the same.

    Examples
    --------
    >>> code_with_zeros(["10115", "01067", "01069"]), code_with_zeros(["10", "00"])
    ('01067', '00')
    >>> [code_with_zeros(values) for values in (["0", "10"], ["0.5", "01"], ["-0", "01"], ["K1", "01"])]
    [None, None, None, None]
    """
    if not all(map(_DIGITS.fullmatch, values)):
        return None
    return min(filter(_LEADING_ZERO.match, values), default=None)


def infer(values: Collection[str], *, label: bool = False) -> str:
    """Return the kind of a column: numeric or date if all values that are not missing are; of labels also "integer".

    Digits with leading zeros are no numbers (:func:`code_with_zeros`).

    Examples
    --------
    >>> infer(["1", "2"]), infer(["1", "two"]), infer(["1", "2"], label=True), infer(["2021-03-04"])
    ('numeric', 'category', 'integer', 'date')
    >>> infer(["01067", "10115"])
    'category'
    """
    if code_with_zeros(values) is not None:
        return "category"
    if label and values and all(map(is_integer, values)):
        return "integer"
    if all(map(is_number, values)):
        return "numeric"
    return "date" if not label and all(map(is_date, values)) else "category"


class Converter:
    """Converts a column of text to an array; an error names the line of the text that does not fit.

    Parameters
    ----------
    source : Source
        The source, which messages name.
    name : str
        Name of the column.
    kind : {"numeric", "category", "integer", "date"}
        Kind of the column.
    missing : frozenset of str
        Fields that stand for a missing value.
    decimal : {".", ","}
        The decimal mark of numbers.
    """

    def __init__(
        self, source: Source, name: str, kind: str, missing: frozenset[str] = MISSING, decimal: str = "."
    ) -> None:
        if kind not in KINDS:
            raise ValueError(f"types={{{name!r}: ...}} must be one of {', '.join(KINDS)}; got {kind!r}")
        self.source, self.name, self.kind, self.missing, self.decimal = source, name, kind, missing, decimal

    def __call__(self, fields: Sequence[str], line_of: Callable[[int], int]) -> NDArray[Any]:
        """Return the column of X: numbers, dates or objects; NaN, NaT or None where missing."""
        if self.kind == "category":
            return self._categories(fields)
        if self.kind == "date":
            return self._dates(fields, line_of)
        return self._numbers(fields, line_of)

    def labels(self, fields: Sequence[str], line_of: Callable[[int], int]) -> NDArray[Any]:
        """Return labels: whole numbers, numbers or strings; raise an error if one is missing."""
        for i, field in enumerate(fields):
            if field in self.missing:
                raise self.source.error(
                    f"the label is missing ({field!r}); drop such rows, or leave the target out to read without labels",
                    line=line_of(i),
                    column=self.name,
                )
            if len(field) > MAX_LABEL:
                raise self.source.error(
                    f"a label has {len(field)} characters; name another target column",
                    line=line_of(i),
                    column=self.name,
                )
        if self.kind == "category":
            return np.array(fields, dtype=np.str_)
        if self.kind == "integer":
            fields = self._with_points(fields)
            for i, field in enumerate(fields):
                if not is_integer(field):
                    kind = "numeric" if is_number(field) else "category"
                    raise self._contradiction(field, "a whole number", kind, line_of(i))
            return np.array([int(field) for field in fields], dtype=np.int64)
        return self._numbers(fields, line_of)

    def _categories(self, fields: Sequence[str]) -> NDArray[Any]:
        missing = self.missing
        known: dict[str, str | None] = dict.fromkeys(missing)
        column = np.empty(len(fields), dtype=object)
        column[:] = [known.setdefault(field, field) for field in fields]  # one object per category
        return column

    def _dates(self, fields: Sequence[str], line_of: Callable[[int], int]) -> NDArray[Any]:
        for i, field in enumerate(fields):
            if field not in self.missing and not is_date(field):
                raise self._contradiction(field, "a date", "category", line_of(i))
        seconds = as_seconds(Column([None if field in self.missing else field for field in fields]), self.name)
        dates = np.full(len(fields), "NaT", dtype="datetime64[us]")
        known = ~np.isnan(seconds)
        dates[known] = np.round(seconds[known] * 1e6).astype(np.int64).astype("datetime64[us]")
        return dates

    def _numbers(self, fields: Sequence[str], line_of: Callable[[int], int]) -> NDArray[np.float64]:
        missing = self.missing
        fields = self._with_points(fields)
        joined = "".join(fields)
        try:
            if joined.isascii() and "_" not in joined:
                numbers = [nan if field in missing else float(field) for field in fields]
                if not np.isinf(numbers).any():
                    return np.array(numbers)
        except ValueError:
            pass
        return np.array([self._number(field, i, line_of) for i, field in enumerate(fields)], dtype=np.float64)

    def _with_points(self, fields: Sequence[str]) -> Sequence[str]:
        """Return the fields with points as decimal marks."""
        if self.decimal == ".":
            return fields
        return [field if field in self.missing else swapped(field) for field in fields]

    def _number(self, field: str, i: int, line_of: Callable[[int], int]) -> float:
        if field in self.missing:
            return nan
        if not is_number(field):
            raise self._contradiction(field, "a number", "category", line_of(i))
        number = float(field)
        if not isfinite(number):
            said = "infinite" if abs(number) == inf else "not a number"
            raise self.source.error(
                f"{shown(field)} is {said}; numbers must be finite, or empty where missing",
                line=line_of(i),
                column=self.name,
            )
        return number

    def _contradiction(self, field: str, expected: str, kind: str, line: int) -> ContradictionError:
        if self.decimal == ",":
            field = swapped(field)  # as it is in the file
        return ContradictionError.at(
            self.source.name,
            f"expected {expected} as in the rows before, got {shown(field)}; fix it, or pass "
            f"types={{{self.name!r}: {kind!r}}}",
            line=line,
            column=self.name,
            kind=kind,
            expected=expected,
            found=field,
        )
