"""The use of a column: the one policy for tables of every kind and for all learners.

Nothing can be learned from an identifier, a row number or a constant, so that these are left out; a few rows are not
enough to tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.columns import Column, as_floats, is_missing
from winnowkit.core.times import is_date, is_other_date
from winnowkit.data.coders import MAX_CATEGORIES

Floats = NDArray[np.float64]
Use = Literal["number", "flag", "category", "time", "text", "identifier", "row number", "constant"]

LEAVE_OUT: tuple[Use, ...] = ("identifier", "row number", "constant")
"""Nothing can be learned from such columns."""
ENOUGH_ROWS = 50
"""A table of fewer rows says too little about a column to leave it out."""
MOST_REPEATED = 0.1
"""The largest share of the values of an identifier that may repeat others."""
MOST_SPECIAL = 5
"""The most values of a column that are suggested as special ones."""
FEWEST_SPECIAL = 5
"""A suggested special value occurs in at least so many rows."""
FEWEST_WRITTEN = 10
"""Fewer different numbers that are written as text may well be categories, such as rates of tax."""
UNSPACED = "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff"
"""Letters, as ranges of a regular expression, of scripts without spaces between words: Thai, Lao, Burmese, Khmer,
Japanese and Chinese."""
FEWEST_TEXTS = 20
"""So many values are needed to tell free text from categories."""
FEWEST_WORDS = 3.0
"""Free text has at least so many words, on average."""

_CURRENCY = r"(?:[$€£¥₹]|USD|EUR|GBP|CHF|JPY|CNY|INR)"
_SEPARATED = r"(?:\d+|\d{1,3}(?:[,.'\u00a0\u202f]\d{3})+)(?:[.,]\d+)?"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?"
_WRITTEN = re.compile(rf"\(?[-+]?\s?{_CURRENCY}?\s?[-+]?{_SEPARATED}\s?(?:%|{_CURRENCY})?[-)]?|{_CLOCK}")
_PLAIN = re.compile(r"[-+]?\d+(?:\.\d+)?")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_DAY_AND_MONTH = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(?:\d{4}|\d\d)(?!\d).*")
_BETWEEN_PARTS = re.compile(r"[\W_]+")


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


def date_order(values: Iterable[Any]) -> tuple[str, str] | None:
    """Return which part of dates in numbers comes first, "day" or "month", and a date that shows it; None if none does.

    Examples
    --------
    >>> date_order(["01/02/2024", None, "01/13/2024"]), date_order(["28.11.2023", "01.02.2024"])
    (('month', '01/13/2024'), ('day', '28.11.2023'))
    >>> date_order(["01/02/2024", "03/04/2024"]), date_order(["28/11/2023", "11/28/2023"]), date_order(["1 May 2024"])
    (None, None, None)
    """
    shown: dict[str, str] = {}
    for value in values:
        if not is_missing(value):
            found = _DAY_AND_MONTH.fullmatch(value)
            if found is None:
                return None
            for first, day in (("day", found[1]), ("month", found[3])):
                if int(day) > 12:
                    shown.setdefault(first, value)
    return next(iter(shown.items())) if len(shown) == 1 else None


def has_words(values: Iterable[Any]) -> bool:
    """Whether texts have two words on average, which may stand between any marks, as in addresses of web pages.

    Examples
    --------
    >>> has_words(["https://shop.example/shoes/red", "https://shop.example/hats"]), has_words(["Ann Lee", "Bo Ek"])
    (True, True)
    >>> has_words(["customer 17"]), has_words(["550e8400-e29b-41d4-a716-446655440000"]), has_words([])
    (False, False, False)
    """
    texts = [value for value in values if isinstance(value, str)]
    words = [sum(part.isalpha() and len(part) > 1 for part in _BETWEEN_PARTS.split(text)) for text in texts]
    return bool(words) and sum(words) >= 2 * len(words)


def written_number(column: Column) -> str | None:
    """Return the first number with a unit or commas, if all values of a column, at least ten, are numbers; or None.

    Examples
    --------
    >>> prices = [f"{price}" for price in range(950, 999)]
    >>> written_number(Column([None, *prices, "1,299.00 €"])), written_number(Column(prices))
    ('1,299.00 €', None)
    """
    if column.kind != "category" or not all_strings(column.values, _is_plain_or_written):
        return None
    distinct = dict.fromkeys(value for value in column.values if isinstance(value, str))
    if len(distinct) < FEWEST_WRITTEN:
        return None
    return next((value for value in distinct if is_written_number(value)), None)


def is_written_number(text: str) -> bool:
    """Whether a text is a time of day, or a number with a currency, a per cent sign, commas, or brackets for a minus.

    Examples
    --------
    >>> [is_written_number(text) for text in ("$1,299.00", "45.5 %", "1.234,56 €", "(250)", "12,000", "1,5", "8:30")]
    [True, True, True, True, True, True, True]
    >>> [is_written_number(text) for text in ("1299", "K-1299", "45-50", "$", "12 kg", "10.0.0.1")]
    [False, False, False, False, False, False]
    """
    return _is_plain_or_written(text) and not _PLAIN.fullmatch(text)


def _is_plain_or_written(text: str) -> bool:
    return _WRITTEN.fullmatch(text) is not None


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
    return sum(map(n_words, distinct)) >= FEWEST_WORDS * len(distinct)


def n_words(text: str) -> int:
    """Return the number of words; where words are not separated by spaces, a word has some two characters.

    Examples
    --------
    >>> n_words("see you at noon"), n_words("明天中午见")
    (4, 3)
    """
    return len(text.split()) + len(_UNSPACED.findall(text)) // 2


def is_flag(numbers: Floats) -> bool:
    """Whether numbers are 0 and 1 only, a boolean by another name; NaN is missing.

    Examples
    --------
    >>> is_flag(np.array([0.0, 1.0, np.nan])), is_flag(np.array([1.0, 2.0]))
    (True, False)
    """
    present = numbers[~np.isnan(numbers)]
    return bool(present.size and ((present == 0.0) | (present == 1.0)).all())


def is_constant(values: NDArray[Any]) -> bool:
    """Whether enough numbers are all the same; NaN equals nothing.

    Examples
    --------
    >>> is_constant(np.ones(50)), is_constant(np.ones(49)), is_constant(np.arange(50))
    (True, False, False)
    """
    return len(values) >= ENOUGH_ROWS and bool((values == values[0]).all())


def is_identifier(values: Sequence[Any]) -> bool:
    """Whether enough strings are nearly all different.

    Examples
    --------
    >>> is_identifier([f"A{i}" for i in range(60)]), is_identifier([f"A{i % 30}" for i in range(60)])
    (True, False)
    """
    if len(values) < ENOUGH_ROWS:
        return False
    strings = {value for value in values if isinstance(value, str)}
    if len(strings) < (1 - MOST_REPEATED) * ENOUGH_ROWS:  # the usual case, in no time
        return False
    present = [value for value in values if not is_missing(value)]
    if len(present) < ENOUGH_ROWS or not all(isinstance(value, str) for value in present):
        return False
    return len(set(present)) >= (1 - MOST_REPEATED) * len(present)


def are_row_numbers(numbers: Floats) -> bool:
    """Whether enough whole numbers are all different and fill at least half of the range that they span.

    The rows of a random half of a table keep such numbers. For quantities it would be a strange coincidence.

    Examples
    --------
    >>> are_row_numbers(np.arange(100.0)), are_row_numbers(np.arange(100.0) ** 2)
    (True, False)
    """
    if len(numbers) < ENOUGH_ROWS or np.isnan(numbers).any() or (numbers != np.floor(numbers)).any():
        return False
    span = numbers.max() - numbers.min() + 1
    return bool(span <= 2 * len(numbers) and len(np.unique(numbers)) == len(numbers))


def values_apart(numbers: Floats) -> list[float]:
    """Return whole numbers that may be codes for something else, such as -9 or 999 for "unknown".

    They are frequent, and they stand apart from the other values: a few negative numbers where the others are not
    negative, with a gap between; or a number of nines, farther above the others than these are from each other.

    Examples
    --------
    >>> ages = np.arange(18.0, 80.0)
    >>> values_apart(np.concatenate([ages, [-9.0] * 5, [-8.0] * 7]))
    [-9.0, -8.0]
    >>> values_apart(np.concatenate([ages, [999.0] * 5]))
    [999.0]
    >>> values_apart(np.concatenate([ages, [99.0] * 5]))
    []
    """
    distinct, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    n_negative = int(np.searchsorted(distinct, 0.0))
    n_rest = len(distinct) - n_negative
    if 1 <= n_negative <= MOST_SPECIAL and n_rest >= 3:
        negative = distinct[:n_negative]
        gap = distinct[n_negative] - negative[-1]
        whole = (negative == np.floor(negative)).all() and (counts[:n_negative] >= FEWEST_SPECIAL).all()
        return negative.tolist() if whole and gap > np.median(np.diff(distinct[n_negative:])) else []
    if len(distinct) >= 4 and counts[-1] >= FEWEST_SPECIAL and _is_nines(float(distinct[-1])):
        return [float(distinct[-1])] if distinct[-1] - distinct[-2] > distinct[-2] - distinct[0] else []
    return []


def _is_nines(number: float) -> bool:
    """Whether a number is written in two or more nines."""
    return number >= 99 and number.is_integer() and set(str(int(number))) == {"9"}
