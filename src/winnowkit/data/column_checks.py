"""Checks of the values of a column: flags, identifiers, row numbers, constants, and special values.

Nothing can be learned from an identifier, a row number or a constant, so that these are left out; a few rows are not
enough to tell.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.caller import stacklevel_of_caller
from winnowkit.core.columns import is_missing

Floats = NDArray[np.float64]

ENOUGH_ROWS = 50
"""A table of fewer rows says too little about a column to leave it out."""
MOST_REPEATED = 0.1
"""The largest share of the values of an identifier that may repeat others."""
MOST_SPECIAL = 5
"""The most values of a column that are suggested as special ones."""
FEWEST_SPECIAL = 5
"""A suggested special value occurs in at least so many rows."""
MOST_NAMED = 5
"""The most columns that a warning names, of each kind."""


class ColumnWarning(UserWarning):
    """Columns are left out, or values in them may mean something else than they seem to.

    See Also
    --------
    CategoryEncoder : Issues it in `fit`.

    Examples
    --------
    >>> import warnings
    >>> from winnowkit.data import CategoryEncoder, ColumnWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", ColumnWarning)
    ...     CategoryEncoder(missing="ignore").fit([["a"]] * 100)
    Traceback (most recent call last):
    winnowkit.data.column_checks.ColumnWarning: These columns are left out, ...: constant: 'x0'.
    """


@dataclass
class Findings:
    """Findings of `fit` about columns that the user should know."""

    identifiers: list[str] = field(default_factory=list)
    row_numbers: list[str] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    many_categories: list[str] = field(default_factory=list)
    other_dates: dict[str, str] = field(default_factory=dict)
    apart: dict[str, list[float]] = field(default_factory=dict)

    def leave_out(self, name: str, use: str) -> None:
        """Note that a column is left out, by what it would be used as (:mod:`winnowkit.data.column_use`)."""
        found = {"identifier": self.identifiers, "row number": self.row_numbers, "constant": self.constants}
        found.get(use, self.texts).append(name)

    def warn(self) -> None:
        """Issue one warning on columns that are left out, and one on each of the other findings."""
        reasons = {
            "identifiers (almost every value is different)": self.identifiers,
            "row numbers": self.row_numbers,
            "constant": self.constants,
        }
        left_out = "; ".join(f"{reason}: {_listed(names)}" for reason, names in reasons.items() if names)
        messages = []
        if left_out:
            messages.append(f"These columns are left out, because nothing can be learned from them: {left_out}.")
        if self.texts:
            messages.append(
                f"These columns hold free text and are left out: {_listed(self.texts)}. Linear learners learn from its "
                "words: make_pipeline(TableEncoder(), Committee())."
            )
        if self.many_categories:
            messages.append(
                f"These columns have very many categories: {_listed(self.many_categories)}. The most frequent ones are "
                "kept; the others count as missing values."
            )
        if self.other_dates:
            example = next(iter(self.other_dates.values()))
            messages.append(
                f"These columns hold dates in a form whose order in time is unknown, such as {example!r}: "
                f"{_listed(list(self.other_dates))}. Write them like 2024-12-31, for example with "
                "pandas.to_datetime(column, format=...)."
            )
        if self.apart:
            suggested = {name: [_plain(value) for value in values] for name, values in self.apart.items()}
            messages.append(
                f"Some numbers stand apart and may be codes; if so, declare them with special={suggested}, so that "
                "they are not compared with other numbers."
            )
        for message in messages:
            warnings.warn(message, ColumnWarning, stacklevel=stacklevel_of_caller())


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
    return number.is_integer() and 99 <= number < 2**53 and set(str(int(number))) == {"9"}


def _plain(number: float) -> float:
    return int(number) if number.is_integer() else number


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(map(repr, names[:MOST_NAMED])) + (f" and {more} more" if more > 0 else "")
