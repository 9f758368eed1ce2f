"""Helpers of learners that grow: single examples as rows, and the arrays of learners for other classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows
from winnowkit.core.multiclass import SMALLEST

T = TypeVar("T", bound=np.generic)


def one_row(indices: NDArray[Any], data: NDArray[np.float64] | None, binarize: float | None) -> Rows:
    """Return a single example as rows, with indices of the type that tables have, which kernels are compiled for."""
    narrow = not indices.size or (indices.min() >= -(2**31) and indices.max() < 2**31)
    index = np.int32 if narrow else np.int64
    indptr = np.array([0, indices.size], dtype=index)
    return Rows(np.ones(indices.size) if data is None else data, indices.astype(index, copy=False), indptr, binarize)


def selected(present: NDArray[T], blank: NDArray[T], sources: Sequence[int | None]) -> NDArray[T]:
    """Return the parts of `present` that `sources` name, one after the other, and `blank` for None.

    Examples
    --------
    >>> selected(np.array([[1, 2], [3, 4]]), np.array([0, 0]), [1, None])
    array([[3, 4],
           [0, 0]])
    """
    return np.stack([blank if source is None else present[source] for source in sources])


def selected_counts(counts: NDArray[np.int64], sources: Sequence[int | None]) -> NDArray[np.int64]:
    """Return trials and wrong labels as they are, then the counts of the learners that `sources` name."""
    own = selected(counts[1:], np.zeros(2, dtype=np.int64), sources)
    return np.concatenate([counts[:1], own])


def scaled(decisions: NDArray[np.float64], unit: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return decisions in some unit, above 0 iff they were: a tie that predicts 1 is the smallest number."""
    return np.where(decisions > 0.0, np.maximum(decisions / unit, SMALLEST), decisions / unit)
