"""Data frames as rows of known attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from winnowkit.core.csr import Rows
from winnowkit.core.rows import encode_rows
from winnowkit.data.vocabulary import Vocabulary


def is_numeric(X: Any) -> bool:
    """Whether all columns are of numbers or booleans."""
    return all(kind.kind in "biuf" for kind in X.dtypes)


def rows_of(X: Any, vocabulary: Vocabulary) -> Rows:
    """Rows of a frame of numbers, dense or sparse, whose columns are all known."""
    slots = np.array([vocabulary[key] for key in X.columns], dtype=np.int64)
    order = np.argsort(slots)
    if all(hasattr(kind, "fill_value") for kind in X.dtypes) and len(slots):
        matrix = sparse.csr_array(X.sparse.to_coo())[:, order]
        matrix.sort_indices()
        rows = encode_rows(matrix, vocabulary.binarize)
    else:
        rows = encode_rows(X.to_numpy(dtype=np.float64, na_value=np.nan)[:, order], vocabulary.binarize)
    return rows._replace(indices=slots[order][rows.indices], indptr=rows.indptr.astype(np.int64))
