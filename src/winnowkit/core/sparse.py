"""The structure of sparse matrices, checked before anything walks them.

Their arrays are public attributes, so that anyone may have put others in their place; scipy and kernels trust them, and
walk out of them if they do not fit together. No import of scipy is needed for that.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def check_sparse(X: Any, *, entries: bool = True) -> None:
    """Raise ValueError if the arrays of a sparse matrix contradict each other.

    Without `entries`, those of CSR are not looked at: that takes time in the number of rows, and kernels check the
    entries that they walk. Other formats are converted by code that trusts their entries, which are always checked.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> X = csr_matrix((3, 2))
    >>> X.indptr = X.indptr[:2]
    >>> check_sparse(X)
    Traceback (most recent call last):
    ...
    ValueError: X is a broken sparse matrix: indptr must have 4 entries, got 2
    """
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D sparse array instead: X needs one row per example")
    if X.format in ("csr", "csc"):
        n_major, n_minor = X.shape if X.format == "csr" else X.shape[::-1]
        _check_pointers(X.indptr, n_major, X.indices)
        _require(_is_list(X.data, "biufc"), "its values must be a 1-d array of numbers")
        _require(len(X.data) == len(X.indices), f"it has {len(X.data)} values at {len(X.indices)} indices")
        if entries or X.format == "csc":
            _check_range(X.indices[: X.indptr[-1]], n_minor)
    elif X.format == "bsr":
        _check_blocks(X)
    elif X.format == "coo":
        _require(_is_list(X.data, "biufc"), "its values must be a 1-d array of numbers")
        for indices, end in ((X.row, X.shape[0]), (X.col, X.shape[1])):
            _require(_is_list(indices, "iu") and len(indices) == len(X.data), "row, col and data must be of one length")
            _check_range(indices, end)


def _check_blocks(X: Any) -> None:
    _require(isinstance(X.data, np.ndarray) and X.data.ndim == 3, "its blocks must be a 3-d array")
    rows, columns = X.data.shape[1:]
    _require(rows > 0 and columns > 0, "its blocks are empty")
    _require(X.shape[0] % rows == 0 and X.shape[1] % columns == 0, "its shape must be a multiple of that of its blocks")
    _check_pointers(X.indptr, X.shape[0] // rows, X.indices)
    _require(len(X.data) == len(X.indices), f"it has {len(X.data)} blocks at {len(X.indices)} indices")
    _check_range(X.indices[: X.indptr[-1]], X.shape[1] // columns)


def _check_pointers(indptr: Any, n: int, indices: Any) -> None:
    _require(_is_list(indices, "iu"), "indices must be a 1-d array of integers")
    _require(_is_list(indptr, "iu"), "indptr must be a 1-d array of integers")
    _require(len(indptr) == n + 1, f"indptr must have {n + 1} entries, got {len(indptr)}")
    increasing = indptr[0] == 0 and bool((indptr[1:] >= indptr[:-1]).all())
    _require(increasing, "indptr must begin with 0 and never decrease")
    _require(indptr[-1] <= len(indices), f"indptr ends at {indptr[-1]}, but there are {len(indices)} indices")


def _check_range(indices: Any, end: int) -> None:
    inside = len(indices) == 0 or (indices.min() >= 0 and indices.max() < end)
    _require(inside, f"its indices must be in 0 ... {end - 1}")


def _is_list(array: Any, kinds: str) -> bool:
    return isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype.kind in kinds


def _require(condition: Any, expected: str) -> None:
    if not condition:
        raise ValueError(f"X is a broken sparse matrix: {expected}")
