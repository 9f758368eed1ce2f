"""Encode one column of dates: as numbers of seconds, with conditions in ISO dates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.columns import Column
from winnowkit.core.times import DAY, as_seconds, round_cuts, written
from winnowkit.data.discretize import MultisplitDiscretizer
from winnowkit.data.number_coders import BoundCoder, Floats, IntervalCoder, NumberCoder


class _Dates(NumberCoder):
    """The part that all coders of dates share, whether they are cut into intervals or compared with bounds."""

    whole_days: bool

    def _floats(self, column: Column) -> Floats:
        return as_seconds(column, self.name)

    def _round(self, seconds: Floats) -> None:
        """Move the cuts to round dates."""
        self.whole_days = bool((seconds[~np.isnan(seconds)] % DAY == 0).all())
        self.cuts = round_cuts(self.cuts, seconds, upper=self.side == "right")
        self._name_cells()

    def _value(self, cut: float) -> float | str:
        return written(cut, whole_days=self.whole_days)

    def _names(self) -> list[str]:
        known = hasattr(self, "whole_days")  # not before the cuts are round
        return [self._in_words(self.tests(cell)) for cell in range(1, self.n_intervals + 1)] if known else []

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "whole_days": self.whole_days}


class DateBoundCoder(_Dates, BoundCoder):
    """Dates in ordered cells between few cuts, for lower and upper bounds.

    Examples
    --------
    >>> import datetime
    >>> days = Column([datetime.date(2021, 3, day) for day in (1, 8, 15, 22)], "time")
    >>> coder = DateBoundCoder("signed", as_seconds(days, "signed"), 3)
    >>> coder.codes(Column(["2021-03-08", "2021-04-01", None]))
    array([2, 4, 0], dtype=int32)
    >>> coder.describe(2, 3), coder.tests(4)
    ('2021-03-04 < signed <= 2021-03-18', [('>', '2021-03-18')])
    """

    def __init__(self, name: str, seconds: Floats, max_cuts: int) -> None:
        super().__init__(name, seconds, max_cuts)
        self._round(seconds)


class DateIntervalCoder(_Dates, IntervalCoder):
    """Dates, cut into disjoint intervals by the classes of the training rows."""

    def __init__(
        self, name: str, seconds: Floats, labels: NDArray[Any] | None, discretizer: MultisplitDiscretizer
    ) -> None:
        super().__init__(name, seconds, labels, discretizer)
        self._round(seconds)
