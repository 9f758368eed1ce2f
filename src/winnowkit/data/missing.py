"""Whether a gap says something: a missing value may be no accident."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, xlogy

LEVEL = 0.01
"""How often a column whose gaps are accidents is taken for one whose gaps are not."""


def informative(gaps: NDArray[np.bool_], labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell for each column whether its gaps go with the classes, by a likelihood-ratio test.

    Twice the logarithm of the likelihood ratio, a share of gaps for each class against one for all, is chi-squared with
    classes - 1 degrees of freedom where gaps are accidents. It bears rare classes better than Pearson's test.

    Parameters
    ----------
    gaps : array of bool, shape (rows, columns)
        Where a value is missing.
    labels : array of shape (rows,)
        The classes.

    Returns
    -------
    array of bool, shape (columns,)
        Whether gaps say something, at a level of 1%.

    Examples
    --------
    >>> labels = np.repeat(["yes", "no"], 50)
    >>> gaps = np.stack([labels == "yes", np.arange(100) % 2 == 0], axis=1)
    >>> informative(gaps, labels)
    array([ True, False])
    """
    _, places, n_rows = np.unique(labels, return_inverse=True, return_counts=True)
    of_class = places[:, None] == np.arange(len(n_rows))
    n_gaps = gaps.T.astype(np.float64) @ of_class
    ratio = _log_likelihood(n_gaps, n_rows).sum(axis=1) - _log_likelihood(n_gaps.sum(axis=1), n_rows.sum())
    found: NDArray[np.bool_] = chdtrc(max(len(n_rows) - 1, 1), 2 * np.maximum(ratio, 0.0)) < LEVEL
    return found


def _log_likelihood(hits: NDArray[np.float64], tries: Any) -> NDArray[np.float64]:
    """Logarithm of the likelihood of so many hits by the share that fits them best."""
    value: NDArray[np.float64] = xlogy(hits, hits / tries) + xlogy(tries - hits, 1 - hits / tries)
    return value
