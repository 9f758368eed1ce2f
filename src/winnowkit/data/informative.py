"""That a value is missing may be information, which deserves a code of its own: a test tells."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, xlogy

LEVEL = 0.01
"""The level of the test: how often values missing at random are taken for informative ones."""


def informative(absent: NDArray[np.bool_], labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell for each column whether its missing values depend on the class, by a likelihood-ratio test.

    The alternatives are one rate of missing values per class, and one rate for all classes. If values are missing at
    random, twice the logarithm of the likelihood ratio is asymptotically chi-squared with classes - 1 degrees of
    freedom. This test copes with rare classes better than Pearson's.

    Parameters
    ----------
    absent : array of bool, shape (rows, columns)
        Where a value is missing.
    labels : array of shape (rows,)
        The class of each row.

    Returns
    -------
    array of bool, shape (columns,)
        Whether the missing values of each column are informative, at the 1% level.

    Examples
    --------
    >>> labels = np.repeat(["yes", "no"], 50)
    >>> absent = np.stack([labels == "yes", np.arange(100) % 2 == 0], axis=1)
    >>> informative(absent, labels)
    array([ True, False])
    """
    _, places, n_rows = np.unique(labels, return_inverse=True, return_counts=True)
    of_class = places[:, None] == np.arange(len(n_rows))
    n_absent = absent.T.astype(np.float64) @ of_class
    ratio = _log_likelihood(n_absent, n_rows).sum(axis=1) - _log_likelihood(n_absent.sum(axis=1), n_rows.sum())
    found: NDArray[np.bool_] = chdtrc(max(len(n_rows) - 1, 1), 2 * np.maximum(ratio, 0.0)) < LEVEL
    return found


def _log_likelihood(hits: NDArray[np.float64], tries: Any) -> NDArray[np.float64]:
    """Logarithm of the largest likelihood of so many hits, over all rates."""
    value: NDArray[np.float64] = xlogy(hits, hits / tries) + xlogy(tries - hits, 1 - hits / tries)
    return value
