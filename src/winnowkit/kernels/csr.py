"""Rows of a sparse matrix, checked before they are walked."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.kernels import jit


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


UNSORTED, NOT_FINITE, BROKEN = 1, 2, 4  # flags: what may be wrong with a row


@jit
def check(rows: Rows, first: int, last: int, n: int) -> int:
    """Flags of the rows from first to last, 0 if they are safe to walk: each loop is one that LLVM vectorises."""
    start, stop = rows.indptr[first], rows.indptr[last]
    if start < 0 or stop < start or stop > rows.indices.size or stop > rows.data.size:
        return BROKEN
    data, indices = rows.data[start:stop], rows.indices[start:stop]
    wild, outside, falls = 0, 0, 0
    for p in range(data.size):
        wild += not abs(data[p]) < np.inf
    if indices.size:
        lowest = highest = indices[0]
        following = indices[1:]
        for p in range(following.size):
            lowest, highest = min(lowest, following[p]), max(highest, following[p])
            falls += following[p] <= indices[p]
        outside = (lowest < 0) | (highest >= n)
    for r in range(first, last):
        if rows.indptr[r + 1] < rows.indptr[r]:
            return BROKEN
        if start < rows.indptr[r] < rows.indptr[r + 1]:  # a fall between two rows is none
            falls -= rows.indices[rows.indptr[r]] <= rows.indices[rows.indptr[r] - 1]
    return BROKEN * (outside > 0) | NOT_FINITE * (wild > 0) | UNSORTED * (falls > 0)


@jit
def value(data: NDArray[np.float64] | None, p: Any, binarize: float | None) -> float:
    """Entry p as a learner sees it."""
    if data is None:
        return 1.0
    if binarize is None:
        return data[p]
    return 1.0 if data[p] > binarize else 0.0


@jit
def dot(coef: NDArray[np.float64], row: Row) -> float:
    """Sum of coef over a row. Unsigned indices spare numba Python's a[-1]: half the time."""
    total = 0.0
    p, stop = np.uint64(row.start), np.uint64(row.stop)
    while p < stop:
        total += coef[np.uint64(row.indices[p])] * value(row.data, p, row.binarize)
        p += np.uint64(1)
    return total
