"""Encode one column of numbers: as disjoint intervals, or as ordered cells between bounds.

Some numbers are no quantities, such as -9 for "not asked". Such special values get cells of their own after the others,
and the conditions of a rule exclude them from the intervals that they would lie in.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from winnowkit.core.columns import Column, as_floats
from winnowkit.data.coders import MISSING, UNSEEN, Codes
from winnowkit.data.discretize import MultisplitDiscretizer, interval_names
from winnowkit.data.even_cuts import even_cuts, short_cut

Floats = NDArray[np.float64]
Tests = list[tuple[str, Any]]

MOST_ROWS = 10_000
"""The most rows by which cuts between classes are found."""


class NumberCoder:
    """Numbers between cuts, and special values.

    Parameters
    ----------
    name : str
        The name of the column.
    numbers : float array
        The numbers of the training rows, NaN where missing.
    special : sequence of float
        The special values. Numbers beyond a special value that lies outside the range of the other training values are
        taken for special values that `fit` did not see.
    find_cuts : function
        Computes the cuts, given which of the numbers to look at.
    """

    side: ClassVar[Literal["left", "right"]]  # where a number that equals a cut belongs, as for np.searchsorted
    place: ClassVar[Callable[..., int]]  # the same for one number
    lower: ClassVar[str]  # the operators of the lower and the upper end of a cell
    upper: ClassVar[str]
    ordered: ClassVar[bool]

    def __init__(
        self, name: str, numbers: Floats, special: Sequence[float], find_cuts: Callable[[NDArray[np.bool_]], Floats]
    ) -> None:
        usual = ~np.isnan(numbers) & ~np.isin(numbers, special)
        self.name = name
        self.special = sorted({float(value) for value in special})
        self.cuts = find_cuts(usual)
        self.low: float | None = None
        self.high: float | None = None
        self.empty = not usual.any()
        if not self.empty:
            least, most = float(numbers[usual].min()), float(numbers[usual].max())
            below = [value for value in self.special if value < least]
            above = [value for value in self.special if value > most]
            # values between are numbers where they are nearer to those seen than to the special value
            self.low = short_cut(below[-1], below[-1] / 2 + least / 2) if below else None
            self.high = short_cut(most / 2 + above[0] / 2, above[0]) if above else None
        self._name_cells()

    def _name_cells(self) -> None:
        """Set what follows from the cuts and the special values."""
        n_cells = 0 if self.empty else len(self.cuts) + 1
        self.n_ordered = n_cells if self.ordered else 0
        self.n_intervals = n_cells
        self.categories: list[Any] = [*self._names()[:n_cells], *self.special]

    def _names(self) -> list[str]:
        """Return the names of the cells between cuts."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in ("name", "cuts", "special", "low", "high", "empty")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a saved column; the state comes from a file and may be anything."""
        self.__dict__.update(state)
        cuts = self.cuts
        if not isinstance(cuts, np.ndarray) or cuts.dtype != np.float64 or cuts.ndim != 1 or np.any(np.diff(cuts) <= 0):
            raise ValueError(f"the cuts of column {self.name!r} must be increasing numbers, got {cuts!r}")
        self._name_cells()

    def codes(self, column: Column) -> Codes:
        """Return the codes of a whole column: 1, 2, ..., MISSING or UNSEEN."""
        numbers = self._floats(column)
        codes = np.searchsorted(self.cuts, numbers, side=self.side) + 1
        if self.empty:
            codes[:] = UNSEEN
        if self.low is not None:
            codes[numbers <= self.low] = UNSEEN
        if self.high is not None:
            codes[numbers > self.high] = UNSEEN
        for i, value in enumerate(self.special, start=1):
            codes[numbers == value] = self.n_intervals + i
        codes[np.isnan(numbers)] = MISSING
        return codes.astype(np.int32)

    def _floats(self, column: Column) -> Floats:
        return as_floats(column, self.name)

    def code(self, value: Any) -> int:
        """Return the code of one value."""
        if type(value) is not float or not np.isfinite(value) or self.special or self.empty:
            return int(self.codes(Column([value]))[0])
        return type(self).place(self.cuts, value) + 1

    def describe(self, first: int, last: int | None = None) -> str:
        """Describe a code of at least 1, or a range of ordered codes, in words."""
        if last is None or last == first:
            named = self.categories[first - 1]
            return str(named) if first <= self.n_intervals else f"{self.name} = {named:.12g}"
        return self._in_words(self.tests(first, last))

    def _in_words(self, tests: Tests) -> str:
        """Write the lower and the upper end of a range in one comparison."""
        ends = {operator[0]: (operator, value) for operator, value in tests if operator[0] in "<>"}
        if not ends:
            return f"any {self.name}"
        words = self.name
        if "<" in ends:
            words = f"{words} {ends['<'][0]} {self._written(ends['<'][1])}"
        if ">" in ends:
            operator, value = ends[">"]
            words = (
                f"{self._written(value)} {operator.replace('>', '<')} {words}"
                if "<" in ends
                else f"{words} {operator} {self._written(value)}"
            )
        return words

    def tests(self, first: int, last: int | None = None) -> Tests:
        """List the comparisons, as (operator, value), that hold where the code is in first, ..., last."""
        last = first if last is None else last
        if first > self.n_intervals:
            return [("=", _plain(self.special[first - self.n_intervals - 1]))]
        tests: Tests = []
        if first > 1:
            tests.append((self.lower, self._value(self.cuts[first - 2])))
        elif self.low is not None:
            tests.append((">", _plain(self.low)))
        if last < self.n_intervals:
            tests.append((self.upper, self._value(self.cuts[last - 1])))
        elif self.high is not None:
            tests.append(("<=", _plain(self.high)))
        inside = [value for value in self.special if first <= self._cell(value) <= last]
        return [*tests, *(("!=", _plain(value)) for value in inside)] or [("present", None)]

    def _cell(self, value: float) -> int:
        """Return the cell between cuts that a special value would lie in, or UNSEEN."""
        beyond = (self.low is not None and value <= self.low) or (self.high is not None and value > self.high)
        return UNSEEN if beyond else type(self).place(self.cuts, value) + 1

    def _value(self, cut: float) -> float | str:
        """Return a cut as rules compare with it."""
        return float(cut)

    @staticmethod
    def _written(value: float | str) -> str:
        return value if isinstance(value, str) else f"{value:.12g}"


class IntervalCoder(NumberCoder):
    """Numbers, cut into disjoint intervals by the classes of the training rows.

    Examples
    --------
    >>> ages, labels = np.array([20.0, 30.0, 40.0, 50.0] * 3), np.array([0, 0, 1, 1] * 3)
    >>> coder = IntervalCoder("age", ages, labels, MultisplitDiscretizer())
    >>> coder.codes(Column([34.9, 35, None], "number"))
    array([1, 2, 0], dtype=int32)
    >>> coder.describe(2)
    'age >= 35'
    """

    side = "right"
    place = staticmethod(bisect_right)
    lower, upper = ">=", "<"
    ordered = False

    def __init__(
        self,
        name: str,
        numbers: Floats,
        labels: NDArray[Any] | None,
        discretizer: MultisplitDiscretizer,
        special: Sequence[float] = (),
    ) -> None:
        if labels is None:
            raise ValueError(f"column {name!r} is numeric, and cutting it needs the class of each row: fit(X, y)")

        def find_cuts(usual: NDArray[np.bool_]) -> Floats:
            among = np.where(usual, numbers, np.nan)
            return clone(discretizer).fit(among[:, None], labels).cuts_[0]

        super().__init__(name, numbers, special, find_cuts)

    def _names(self) -> list[str]:
        return interval_names(self.name, self.cuts)


class BoundCoder(NumberCoder):
    """Numbers in ordered cells between few cuts, for lower and upper bounds: see :func:`bound_cuts`.

    Examples
    --------
    >>> coder = BoundCoder("age", np.array([20.0, 30.0, 40.0, 50.0, -9.0]), 3, special=[-9.0])
    >>> coder.codes(Column([20, 31, 90, None, -9, -8], "number"))
    array([ 1,  3,  4,  0,  5, -1], dtype=int32)
    >>> coder.tests(2), coder.tests(1, 2)
    ([('>', 20), ('<=', 30)], [('>', 0), ('<=', 30)])
    >>> coder.describe(2, 3), coder.describe(3, 4)
    ('20 < age <= 40', 'age > 30')
    """

    side = "left"
    place = staticmethod(bisect_left)
    lower, upper = ">", "<="
    ordered = True

    def __init__(
        self,
        name: str,
        numbers: Floats,
        max_cuts: int,
        special: Sequence[float] = (),
        labels: NDArray[Any] | None = None,
    ) -> None:
        def find_cuts(usual: NDArray[np.bool_]) -> Floats:
            return bound_cuts(numbers[usual], None if labels is None else labels[usual], max_cuts)

        super().__init__(name, numbers, special, find_cuts)

    def _names(self) -> list[str]:
        return [self._in_words(self.tests(cell)) for cell in range(1, self.n_intervals + 1)]

    def _value(self, cut: float) -> float | str:
        return _plain(cut)


def bound_cuts(values: Floats, labels: NDArray[Any] | None, max_cuts: int) -> Floats:
    """Cut numbers where the classes change, and otherwise into cells of about equally many rows.

    Where it matters, a cut has to be at the right place: a cell that holds the limit of a healthy value of a hormone
    mixes classes, whatever its size. :class:`MultisplitDiscretizer` finds such places, and none in columns of noise;
    at most half of the cuts are of that kind. A column of few values has a cell for each of them.

    Parameters
    ----------
    values : float array
        The numbers, none of them missing.
    labels : array or None
        The class of each row; None if it is not known, or not to be looked at.
    max_cuts : int
        The most cuts.

    Returns
    -------
    float array
        The cuts, increasing.

    Examples
    --------
    >>> ages = np.arange(1000.0) / 10
    >>> bound_cuts(ages, ages > 97.25, 4)
    array([24.9, 49.9, 74.9, 97.2])
    >>> bound_cuts(ages, None, 4)
    array([19.9, 39.9, 59.9, 79.9])
    """
    distinct = np.unique(values)
    if labels is None or len(distinct) <= max_cuts + 1:
        return even_cuts(values, max_cuts)
    step = -(-len(values) // MOST_ROWS)
    discretizer = MultisplitDiscretizer(max_intervals=max(2, max_cuts // 2 + 1))
    between = np.searchsorted(distinct, discretizer.fit(values[::step, None], labels[::step]).cuts_[0])
    by_class = [short_cut(distinct[i - 1], distinct[i]) for i in between.tolist()]
    return np.unique([*by_class, *even_cuts(values, max_cuts - len(by_class))])


def _plain(number: float) -> float:
    """Return a whole number as an integer, which rules write without a decimal point."""
    whole = abs(number) < 2**53 and float(number).is_integer()
    return int(number) if whole else float(number)
