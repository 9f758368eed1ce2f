"""Tables of whole numbers and booleans as rows that kernels walk, without a table of floating-point numbers between.

Files keep such tables column by column, in one byte per value. A tile of some thousand rows at a time becomes words of
64 bits per row, one bit for each value that counts; the positions of the ones are the indices.
"""

from __future__ import annotations

from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.bits import popcount
from winnowkit.core.csr import Rows
from winnowkit.core.encoded_rows import REAL, Binarize, check_binarize, check_unit_interval
from winnowkit.core.jit import jit_in_place

TILE = 2048
"""Rows at a time, so that the bits of a hundred columns stay in the nearest cache."""
BITS = 64


def integers_of(X: Any) -> NDArray[Any] | None:
    """Return a data frame or an array that holds nothing but whole numbers and booleans as one array; None for others.

    Examples
    --------
    >>> integers_of(np.array([[True, False]]))
    array([[1, 0]], dtype=uint8)
    >>> integers_of(np.array([[0.5, 1.0]]))
    """
    is_frame = hasattr(X, "iloc")
    if not is_frame and (type(X) is not np.ndarray or X.ndim != 2):
        return None
    types = list(set(X.dtypes)) if is_frame else [X.dtype]
    if 0 in X.shape or not all(isinstance(one, np.dtype) and one.kind in "biu" for one in types):
        return None
    if len(types) == 1:
        table = np.asarray(X)
        return table.view(np.uint8) if table.dtype == np.bool_ else table
    wide = np.result_type(*(np.uint8 if one.kind == "b" else one for one in types))
    return None if wide.kind == "f" else np.asarray(X.to_numpy(dtype=wide))


def integer_rows(X: NDArray[Any], binarize: Binarize) -> Rows:
    """Rows of a table of whole numbers, the same as :func:`.encode_rows` makes of it as floating-point numbers.

    Examples
    --------
    >>> rows = integer_rows(np.array([[1, 0, 3], [0, 0, 2]]), binarize=1.0)
    >>> rows.indices.tolist(), rows.indptr.tolist()
    ([2, 2], [0, 1, 2])
    """
    check_binarize(binarize)
    as_they_are = binarize is None or isinstance(binarize, str)
    if binarize is None:
        check_unit_interval(X)
    cut = 0 if binarize is None or isinstance(binarize, str) else floor(binarize)
    indptr, parts = np.zeros(X.shape[0] + 1, np.int64), []
    for first in range(0, X.shape[0], TILE):
        some = X[first : first + TILE]
        counts = np.ascontiguousarray((some != 0 if binarize == REAL else some > cut).T).view(np.uint8)
        words = np.zeros((-(-X.shape[1] // BITS), len(some)), np.uint64)
        pack(counts, words)
        parts.append(np.empty(np.count_nonzero(counts), np.int32))
        unpack(words, parts[-1], indptr[first + 1 : first + TILE + 1])
    np.cumsum(indptr, out=indptr)
    index = np.int32 if indptr[-1] < 2**31 else np.int64
    indices = np.concatenate(parts).astype(index, copy=False)
    if as_they_are:
        data = X[np.repeat(np.arange(X.shape[0]), np.diff(indptr)), indices].astype(np.float64)
    else:
        data = np.ones(len(indices))
    return Rows(data, indices, indptr.astype(index), None if as_they_are else 0.0)


@jit_in_place
def pack(counts: NDArray[np.uint8], words: NDArray[np.uint64]) -> None:
    """Set bit j of a row's words, which are 0, where row j of `counts` is 1. LLVM vectorises the inner loop."""
    for j in range(counts.shape[0]):
        column, word, place = counts[j], words[j // BITS], np.uint64(j % BITS)
        for r in range(column.size):
            word[r] |= np.uint64(column[r]) << place


@jit_in_place
def unpack(words: NDArray[np.uint64], indices: NDArray[np.int32], lengths: NDArray[np.int64]) -> None:
    """Write the positions of the ones of each row, and how many it has."""
    p = np.uint64(0)
    for r in range(words.shape[1]):
        first = p
        for g in range(words.shape[0]):
            left = words[g, r]
            while left:
                lower = left & (left - np.uint64(1))  # without its lowest one
                indices[p] = BITS * g + popcount((left ^ lower) - np.uint64(1))
                p += np.uint64(1)
                left = lower
        lengths[r] = p - first
