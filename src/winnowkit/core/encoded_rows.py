"""Tables of numbers become rows that kernels walk."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows

REAL = "real"  # in place of a threshold: values of any size and sign are taken as they are
Binarize = float | Literal["real"] | None


def encode_rows(X: Any, binarize: Binarize) -> Rows:
    """Rows of a float array or CSR matrix; values that `binarize` does not allow are refused."""
    check_binarize(binarize)
    as_they_are = binarize is None or isinstance(binarize, str)
    sparse = not isinstance(X, np.ndarray)
    if binarize is None:
        check_unit_interval(X.data if sparse else X)
    cut = 0.0 if binarize is None or isinstance(binarize, str) else float(binarize)
    if sparse:
        if cut < 0:
            raise ValueError(f"binarize must be >= 0 for sparse X, whose absent values are 0, got {binarize!r}")
        return _normalized(X.data, X.indices, X.indptr, None if as_they_are else cut)
    row, indices = np.nonzero(X if binarize == REAL else cut < X)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=X.shape[0]))])
    data = X[row, indices] if as_they_are else np.ones(len(indices))
    return _normalized(data, indices.astype(np.int32), indptr.astype(np.int32), None if as_they_are else 0.0)


def check_binarize(binarize: Binarize) -> None:
    """Refuse a threshold that is not a number."""
    if binarize is not None and binarize != REAL and not np.isfinite(binarize):
        raise ValueError(f"binarize must be a number or None, got {binarize!r}")


def check_unit_interval(values: NDArray[Any]) -> None:
    """Refuse values that have no meaning without a threshold."""
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
