"""The coder of each column: the one place that decides whether a column holds categories or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.columns import Column, as_floats
from winnowkit.core.times import as_seconds
from winnowkit.data.coders import UNSEEN, CategoryCoder, Coder, Codes, ExcludedCoder
from winnowkit.data.column_checks import Findings, values_apart
from winnowkit.data.column_use import LEAVE_OUT, other_date, use_of
from winnowkit.data.date_coders import DateBoundCoder, DateIntervalCoder
from winnowkit.data.discretize import MultisplitDiscretizer
from winnowkit.data.number_coders import BoundCoder, IntervalCoder

Floats = NDArray[np.float64]


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
        if declared:
            return self._categories(name, column)
        if len(special):
            return self._numbers(name, as_floats(column, name), [_special(name, value) for value in special])
        use = use_of(name, column, keep_all=self.keep_all)
        if use == "time":
            return self._dates(name, column)
        if (date := other_date(column)) is not None:
            self.findings.other_dates[name] = date
        if use in LEAVE_OUT or (use == "text" and not self.keep_all):
            self.findings.leave_out(name, use)
            coder = ExcludedCoder(name)
            return coder, coder.codes(column)
        if use == "flag":
            numbers = as_floats(column, name).tolist()
            return self._categories(name, Column([None if np.isnan(number) else int(number) for number in numbers]))
        return self._numbers(name, as_floats(column, name), []) if use == "number" else self._categories(name, column)

    def _categories(self, name: str, column: Column) -> tuple[Coder, Codes]:
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


def _special(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not isfinite(number):
        raise ValueError(f"special values of column {name!r} must be numbers, got {value!r}")
    return number
