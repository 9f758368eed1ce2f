"""Tables as the CSR rows that kernels walk."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import assert_all_finite

from winnowkit.core.csr import NOT_FINITE, UNSORTED, Rows, check
from winnowkit.core.learner import require


def encode_rows(X: Any, binarize: float | None) -> Rows:
    """Rows of a float array or CSR matrix; values that `binarize` does not allow are refused."""
    check_binarize(binarize)
    sparse: bool = issparse(X)
    if sparse:
        if binarize is None:
            _check_unit_interval(X.data)
        else:
            require(binarize >= 0, "binarize must be >= 0 for sparse X, whose absent values are 0", binarize)
        return _normalized(X.data, X.indices, X.indptr, binarize)
    if binarize is None:
        _check_unit_interval(X)
    row, indices = np.nonzero((0.0 if binarize is None else binarize) < X)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=X.shape[0]))])
    data = X[row, indices] if binarize is None else np.ones(len(indices))
    return _normalized(data, indices.astype(np.int32), indptr.astype(np.int32), None if binarize is None else 0.0)


def check_binarize(binarize: float | None) -> None:
    """Refuse a threshold that is not a number."""
    require(binarize is None or np.isfinite(binarize), "binarize must be a number or None", binarize)


def _check_unit_interval(values: NDArray[np.float64]) -> None:
    if values.size and not (values.min() >= 0.0 and values.max() <= 1.0) and np.isfinite(values).all():
        raise ValueError(
            f"with binarize=None all values must be in [0, 1], got {values.min()} ... {values.max()}; "
            "scale them, or set binarize to a number above which a value counts as 1"
        )


def _normalized(data: NDArray[np.float64], indices: NDArray[Any], indptr: NDArray[Any], binarize: float | None) -> Rows:
    """Arrays of one type and layout: a kernel would be compiled again for read-only, strided or mixed ones."""
    index = np.int32 if indices.dtype == indptr.dtype == np.int32 else np.int64
    return Rows(
        _plain(data, np.float64),
        _plain(indices, index),
        _plain(indptr, index),
        None if binarize is None else float(binarize),
    )


def _plain(array: NDArray[Any], dtype: Any) -> NDArray[Any]:
    array = np.ascontiguousarray(array, dtype=dtype)
    return array if array.flags.writeable else array.copy()


def repaired_rows(X: Any, flags: int, estimator: Any) -> Rows:
    """Rows that a kernel can walk, after it refused those of X: repeated indices are added up and all are sorted.

    If that does not help, raises an error that says what is wrong with X.
    """
    if flags == UNSORTED:
        X = X.copy()
        X.sum_duplicates()
        rows = encode_rows(X, estimator.binarize)
        flags = check(rows, 0, X.shape[0], X.shape[1])
        if not flags:
            return rows
    if flags & NOT_FINITE:
        assert_all_finite(X.data, input_name="X", estimator_name=type(estimator).__name__)
    raise ValueError(f"X is a broken sparse matrix: its column indices must be in 0 ... {X.shape[1] - 1}")
