"""The coder of each column, made from the training rows, and the findings about columns that the user should know."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.caller import stacklevel_of_caller
from winnowkit.core.columns import Column, as_floats, is_missing
from winnowkit.core.times import as_seconds
from winnowkit.data.coders import UNSEEN, CategoryCoder, Coder, Codes, ExcludedCoder
from winnowkit.data.column_use import (
    LEAVE_OUT,
    date_order,
    has_words,
    other_date,
    use_of,
    values_apart,
    written_number,
)
from winnowkit.data.date_coders import DateBoundCoder, DateIntervalCoder
from winnowkit.data.discretize import MultisplitDiscretizer
from winnowkit.data.errors import ColumnWarning
from winnowkit.data.formats.decimal_comma import has_decimal_commas
from winnowkit.data.number_coders import BoundCoder, IntervalCoder

Floats = NDArray[np.float64]

MOST_NAMED = 5
"""The most columns that a warning names, of each kind."""


@contextmanager
def warned_already() -> Iterator[None]:
    """Drop warnings about columns while a table is encoded once more."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ColumnWarning)
        yield


@dataclass
class Findings:
    """Findings of `fit` about columns that the user should know."""

    identifiers: list[str] = field(default_factory=list)
    with_words: list[str] = field(default_factory=list)  # those identifiers whose parts may matter
    row_numbers: list[str] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    many_categories: list[str] = field(default_factory=list)
    other_dates: dict[str, list[tuple[str, str]]] = field(default_factory=dict)  # names and examples, by their order
    written_numbers: dict[str, str] = field(default_factory=dict)
    with_commas: list[str] = field(default_factory=list)  # those whose commas may be decimal marks
    apart: dict[str, list[float]] = field(default_factory=dict)

    def leave_out(self, name: str, use: str, column: Column) -> None:
        """Note that a column is left out, by what it would be used as (:mod:`winnowkit.data.column_use`)."""
        found = {"identifier": self.identifiers, "row number": self.row_numbers, "constant": self.constants}
        found.get(use, self.texts).append(name)
        if use == "identifier" and has_words(column.values):
            self.with_words.append(name)

    def look_at_text(self, name: str, column: Column) -> None:
        """Note dates and numbers that are written in a way that is not understood."""
        if (date := other_date(column)) is not None:
            order, example = date_order(column.values) or ("", date)
            self.other_dates.setdefault(order, []).append((name, example))
        elif (number := written_number(column)) is not None:
            self.written_numbers[name] = number
            if has_decimal_commas({value for value in column.values if not is_missing(value)}, declared=True):
                self.with_commas.append(name)

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
        if self.with_words:
            named = ", ".join(map(repr, self.with_words[:MOST_NAMED]))
            messages[-1] += (
                f" If words in {_listed(self.with_words)} matter, linear learners learn from them: "
                f"make_pipeline(TableEncoder(text=[{named}]), Committee())."
            )
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
        messages += [_on_dates(order, found) for order, found in self.other_dates.items()]
        if self.written_numbers:
            messages.append(self._on_written_numbers())
        if self.apart:
            suggested = {name: [_plain(value) for value in values] for name, values in self.apart.items()}
            messages.append(
                f"Some numbers stand apart and may be codes; if so, declare them with special={suggested}, so that "
                "they are not compared with other numbers."
            )
        for message in messages:
            warnings.warn(message, ColumnWarning, stacklevel=stacklevel_of_caller())

    def _on_written_numbers(self) -> str:
        examples = list(self.written_numbers.values())
        remedy = ""
        if self.with_commas:
            remedy += f" If the comma is the decimal mark of {_listed(self.with_commas)}, read with decimal=','."
        if any(":" in text for text in examples):
            remedy += " Turn times of day into hours, such as 8.5."
        return (
            f"These columns hold numbers that are written as text, such as {examples[0]!r}: "
            f"{_listed(list(self.written_numbers))}. They are not compared by size. Write them as plain numbers, "
            f"without units and separators of thousands.{remedy}"
        )


class ColumnBuilder:
    """Makes the coder of one column after the other, and collects what the user should know.

    Parameters
    ----------
    labels : array or None
        The class of each training row.
    max_cuts : int or None
        The most cuts of a column whose numbers are used with bounds; None stands for intervals.
    discretizer : MultisplitDiscretizer or None
        Finds intervals; None stands for one with default parameters.
    keep_all : bool
        Whether no column is left out.
    """

    def __init__(
        self,
        labels: NDArray[Any] | None,
        max_cuts: int | None,
        discretizer: MultisplitDiscretizer | None,
        *,
        keep_all: bool = False,
    ) -> None:
        self.labels = labels
        self.max_cuts = max_cuts
        self.discretizer = discretizer
        self.keep_all = keep_all
        self.findings = Findings()

    def build(self, name: str, column: Column, *, declared: bool, special: Sequence[float] = ()) -> tuple[Coder, Codes]:
        """Return the coder of a column, and the codes of its training rows.

        Parameters
        ----------
        name : str
            The name of the column.
        column : Column
            The training rows.
        declared : bool
            Whether the user declared it to be a column of categories.
        special : sequence of float
            The special values among its numbers.
        """
        if len(special) and (declared or column.kind != "number"):
            raise ValueError(f"special values are for columns of numbers, and column {name!r} holds categories")
        if declared and column.kind == "time":
            raise ValueError(
                f"column {name!r} holds dates or times, which cannot be categories: use them as ordered numbers, turn "
                "them into text such as the month, or leave the column out"
            )
        if len(special):
            return self._numbers(name, as_floats(column, name), [_special(name, value) for value in special])
        use = "category" if declared else use_of(name, column, keep_all=self.keep_all)
        if use == "time":
            return self._dates(name, column)
        if not declared:
            self.findings.look_at_text(name, column)
        if use in LEAVE_OUT or (use == "text" and not self.keep_all):
            self.findings.leave_out(name, use, column)
            excluded = ExcludedCoder(name)
            return excluded, excluded.codes(column)
        if use == "number":
            return self._numbers(name, as_floats(column, name), [])
        if use == "flag":
            numbers = as_floats(column, name).tolist()
            column = Column([None if np.isnan(number) else int(number) for number in numbers])
        coder = CategoryCoder.of(name, column)
        codes = coder.codes(column)
        if (codes == UNSEEN).any():
            self.findings.many_categories.append(name)
        return coder, codes

    def _numbers(self, name: str, numbers: Floats, special: list[float]) -> tuple[Coder, Codes]:
        if not special and (apart := values_apart(numbers)):
            self.findings.apart[name] = apart
        coder: Coder = (
            IntervalCoder(name, numbers, self.labels, self.discretizer or MultisplitDiscretizer(), special)
            if self.max_cuts is None
            else BoundCoder(name, numbers, self.max_cuts, special, None if self.keep_all else self.labels)
        )
        return coder, coder.codes(Column(numbers, "number"))

    def _dates(self, name: str, column: Column) -> tuple[Coder, Codes]:
        seconds = as_seconds(column, name)
        coder: Coder = (
            DateIntervalCoder(name, seconds, self.labels, self.discretizer or MultisplitDiscretizer())
            if self.max_cuts is None
            else DateBoundCoder(name, seconds, self.max_cuts)
        )
        return coder, coder.codes(column)


def _on_dates(order: str, found: list[tuple[str, str]]) -> str:
    """Say what to do about dates in another form than ISO 8601, whose first part is the day, the month or unknown."""
    names, examples = zip(*found, strict=True)
    kind = f"dates with the {order} first" if order else "dates in a form whose order in time is unknown"
    cure = f"dayfirst={order == 'day'}" if order else "format=..."
    return (
        f"These columns hold {kind}, such as {examples[0]!r}: {_listed(names)}. Write them like 2024-12-31, for "
        f"example with pandas.to_datetime(column, {cure}), so that they are compared in time."
    )


def _special(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not isfinite(number):
        raise ValueError(f"special values of column {name!r} must be numbers, got {value!r}")
    return number


def _plain(number: float) -> float:
    return int(number) if number.is_integer() else number


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(map(repr, names[:MOST_NAMED])) + (f" and {more} more" if more > 0 else "")
