"""Turn a table of categories into boolean attributes, one per category, for linear learners."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix


def indicators(codes: NDArray[np.int32], n_categories: NDArray[np.int64]) -> csr_matrix:
    """Make one boolean attribute per category of each column; a missing value sets none of them to 1.

    Parameters
    ----------
    codes : array of shape (rows, columns)
        Codes from 1; 0 is missing (see :class:`winnowkit.data.encode.CategoryEncoder`).
    n_categories : array of shape (columns,)
        The number of categories of each column.

    Returns
    -------
    scipy.sparse.csr_matrix
        The attributes, column after column, of shape (rows, sum of n_categories).

    Examples
    --------
    >>> indicators(np.array([[1, 2], [0, 1]], dtype=np.int32), np.array([1, 3])).toarray()
    array([[1., 0., 1., 0.],
           [0., 1., 0., 0.]])
    """
    first = np.concatenate([[0], np.cumsum(n_categories)])
    known = codes > 0
    indices = (codes + (first[:-1] - 1))[known].astype(np.int32)
    indptr = np.concatenate([[0], np.cumsum(known.sum(axis=1))]).astype(np.int32)
    return csr_matrix((np.ones(len(indices)), indices, indptr), shape=(len(codes), int(first[-1])))
