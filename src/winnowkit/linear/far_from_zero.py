"""A warning about columns whose values are far from 0, from which learners that do not centre them learn little."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from winnowkit.core.boolean_classifier import listed, spread

SAMPLED_ROWS = 512
FAR = 2.5  # standard deviations


def warn_of_values_far_from_zero(X: Any, names: Sequence[str] | None, stacklevel: int) -> None:
    """Warn if the mean of a column is far from 0 in standard deviations, so that hardly any value is near 0.

    Parameters
    ----------
    X : array or CSR matrix of shape (rows, columns)
        The table. A sparse one has zeros, and no warning.
    names : sequence of str or None
        The names of its columns.
    stacklevel : int
        How many calls above this one the warning points to.
    """
    if issparse(X):
        return
    columns = np.flatnonzero(far_from_zero(X[spread(X.shape[0], SAMPLED_ROWS)]))
    if len(columns):
        warnings.warn(
            f"the values of {listed(columns.tolist(), names)} are far from 0 compared with how much they differ, "
            "so that this learner may learn hardly anything from them. Standardise them first "
            "(sklearn.preprocessing.StandardScaler), or use DNFWinnow",
            UserWarning,
            stacklevel=stacklevel + 1,
        )


def far_from_zero(X: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which columns have more than two values, and a mean that is far from 0.

    Examples
    --------
    >>> far_from_zero(np.array([[1.70, 1.0, 0.0], [1.85, 1.0, 1.0], [1.62, 2.0, 3.0], [1.78, 1.0, 4.0]])).tolist()
    [True, False, False]
    """
    is_extreme = (X.min(axis=0) == X) | (X.max(axis=0) == X)
    with np.errstate(over="ignore", invalid="ignore"):  # of numbers close to the largest, nothing is said
        return ~is_extreme.all(axis=0) & (np.abs(X.mean(axis=0)) > FAR * X.std(axis=0))
