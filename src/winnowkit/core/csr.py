"""Rows of a sparse matrix, checked before they are walked, and trials on them: how often a learner is shown each row.

A weight of w, a whole number, stands for w presentations of the row in succession, and 0 for its absence. Of any other
weight the whole part is presented first, and then a fraction of a presentation, whose meaning is up to the learner.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.interpreted import briefly
from winnowkit.core.jit import jit_in_place


class Rows(NamedTuple):
    """Rows in CSR form. `binarize`: a value above it counts as 1, any other as 0; None takes values as they are."""

    data: NDArray[np.float64]
    indices: NDArray[Any]
    indptr: NDArray[Any]
    binarize: float | None


class Row(NamedTuple):
    """Entries start to stop of CSR arrays. `data` None means that every entry is 1."""

    data: NDArray[np.float64] | None
    indices: NDArray[Any]
    start: int
    stop: int
    binarize: float | None


class Trials(NamedTuple):
    """Examples to learn from, with one trial per row.

    Parameters
    ----------
    rows : Rows
        The examples, or another form of them that the learner takes.
    labels : array of shape (rows,)
        The codes of their labels.
    order : array of shape (rows,), optional
        The order in which rows are taken.
    frozen : array of bool, shape (learners,), optional
        Learners that do not update.
    weights : array of shape (rows,), optional
        A row whose weight is w takes part w times in succession, the last time perhaps in part; its label is the one
        predicted the first time.
    """

    rows: Any
    labels: NDArray[np.int64]
    order: NDArray[np.int64] | None = None
    frozen: NDArray[np.bool_] | None = None
    weights: NDArray[np.float64] | None = None

    def presentations(self) -> Presentations:
        """Return the rows as often as they are presented, in order; weights are above 0.

        Examples
        --------
        >>> Trials(None, np.array([1, 1]), order=np.array([1, 0]), weights=np.array([2.0, 1.5])).presentations()
        Presentations(order=array([1, 1, 0, 0]), parts=array([1. , 0.5, 1. , 1. ]), first=array([2, 0]))
        """
        n_rows, order, weights = self.labels.size, self.order, self.weights
        if weights is None and order is None:
            return Presentations(np.arange(n_rows))
        rows = np.arange(n_rows) if order is None else order
        of_rows = np.ones(n_rows) if weights is None else weights[rows]
        repetitions = np.ceil(of_rows).astype(np.int64)
        ends = np.cumsum(repetitions)
        first = np.empty(n_rows, dtype=np.int64)
        first[rows] = ends - repetitions
        repeated = np.repeat(rows, repetitions)
        if (of_rows == repetitions).all():
            return Presentations(repeated, None, first)
        parts = np.ones(repeated.size)
        parts[ends - 1] = of_rows - (repetitions - 1)
        return Presentations(repeated, parts, first)

    def frozen_of(self, n_learners: int) -> NDArray[np.bool_]:
        """Tell for each of so many learners whether it is frozen."""
        return np.zeros(n_learners, dtype=np.bool_) if self.frozen is None else self.frozen


class Presentations(NamedTuple):
    """Rows in the order in which a learner is shown them."""

    order: NDArray[np.int64]  # the row of each presentation
    parts: NDArray[np.float64] | None = None  # how much of a presentation each one is; None if all are whole
    first: NDArray[np.int64] | None = None  # where each row is presented first; None if each once, in its own order

    def by_row(self, predicted: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return, of the labels predicted in each presentation, the first of each row."""
        return predicted if self.first is None else predicted[self.first]


def longest_row(rows: Rows) -> int:
    """Return the largest number of entries of a row."""
    return int(np.diff(rows.indptr).max(initial=0))


UNSORTED, NOT_FINITE, BROKEN = 1, 2, 4  # flags: what may be wrong with a row


class BadRowsError(ValueError):
    """The rows cannot be learned from; `flags` say why. Nothing was changed."""

    def __init__(self, flags: int) -> None:
        super().__init__(flags)
        self.flags = flags


def refuse(flags: int) -> None:
    """Raise BadRowsError if a kernel found something wrong."""
    if flags:
        raise BadRowsError(flags)


def check_by_numpy(rows: Rows, first: int, last: int, n: int) -> int:
    """Do what :func:`check` does, in ten times the time of machine code, but none to compile it."""
    ends = rows.indptr[first : last + 1]
    start, stop = int(ends[0]), int(ends[-1])
    if start < 0 or stop < start or stop > rows.indices.size or stop > rows.data.size:
        return BROKEN
    if (ends[1:] < ends[:-1]).any() or (ends > stop).any():
        return BROKEN
    filled = ends[:-1] < ends[1:]
    heads, tails = ends[:-1][filled], ends[1:][filled] - 1
    indices = rows.indices[start:stop]
    falls = indices[1:] <= indices[:-1]
    falls[heads[heads > start] - start - 1] = False  # a fall between two rows is none
    if falls.any():
        flags = UNSORTED
    elif (rows.indices[heads] < 0).any() or (rows.indices[tails] >= n).any():
        return BROKEN
    else:
        flags = 0
    return flags if np.isfinite(rows.data[start:stop]).all() else flags | NOT_FINITE


@briefly(lambda rows, first, last, _: 2e-5 + 5e-9 * (rows.data.size + last - first), check_by_numpy)
@jit_in_place
def check(rows: Rows, first: int, last: int, n: int) -> int:
    """Flags of the rows from first to last, 0 if all is well."""
    flags = check_indices(rows, first, last, n)
    return flags if flags & BROKEN else flags | check_values(rows, first, last)


@jit_in_place
def check_indices(rows: Rows, first: int, last: int, n: int) -> int:
    """Flags but NOT_FINITE; if 0 the rows are safe to walk. The loop over entries is one that LLVM vectorises."""
    indptr = rows.indptr
    start, stop = indptr[first], indptr[last]
    if start < 0 or stop < start or stop > rows.indices.size or stop > rows.data.size:
        return BROKEN
    indices, following = rows.indices[start:stop], rows.indices[start + 1 : stop]
    falls = 0
    for p in range(following.size):
        falls += following[p] <= indices[p]
    outside = 0
    for r in range(first, last):
        if indptr[r + 1] < indptr[r] or indptr[r + 1] > stop:
            return BROKEN
        if indptr[r] < indptr[r + 1]:
            outside += (rows.indices[indptr[r]] < 0) | (rows.indices[indptr[r + 1] - 1] >= n)
            if indptr[r] > start:  # a fall between two rows is none
                falls -= rows.indices[indptr[r]] <= rows.indices[indptr[r] - 1]
    return UNSORTED if falls else BROKEN * (outside > 0)


@jit_in_place
def check_values(rows: Rows, first: int, last: int) -> int:
    """NOT_FINITE if a value is NaN or infinite, in rows whose indices have been checked."""
    data = rows.data[rows.indptr[first] : rows.indptr[last]]
    wild = 0
    for p in range(data.size):
        wild += not abs(data[p]) < np.inf
    return NOT_FINITE * (wild > 0)


@jit_in_place
def check_active(indices: NDArray[Any], n: int) -> int:
    """Whether active indices can be walked: 0; -1 if they do not strictly increase, -2 if one is out of range."""
    last, increasing = -1, True
    for i in indices:
        if i < 0 or i >= n:
            return -2
        increasing &= i > last
        last = i
    return 0 if increasing else -1


@jit_in_place
def value(data: NDArray[np.float64] | None, p: Any, binarize: float | None) -> float:
    """Entry p as a learner sees it."""
    if data is None:
        return 1.0
    if binarize is None:
        return data[p]
    return 1.0 if data[p] > binarize else 0.0


@jit_in_place
def dot(coef: NDArray[np.float64], row: Row) -> float:
    """Sum of coef over a row. Unsigned indices spare numba Python's a[-1]: half the time."""
    even, odd = 0.0, 0.0  # two sums, since one addition has to wait for the last
    p, stop = np.uint64(row.start), np.uint64(row.stop)
    while p + np.uint64(1) < stop:
        even += coef[np.uint64(row.indices[p])] * value(row.data, p, row.binarize)
        odd += coef[np.uint64(row.indices[p + np.uint64(1)])] * value(row.data, p + np.uint64(1), row.binarize)
        p += np.uint64(2)
    if p < stop:
        even += coef[np.uint64(row.indices[p])] * value(row.data, p, row.binarize)
    return even + odd
