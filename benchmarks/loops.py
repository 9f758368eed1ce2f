"""Bare numba loops, as a competent user of numba writes them: no checks, no state beyond the weights."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit
def winnow2(
    data: NDArray[np.float64],
    indices: NDArray[np.int32],
    indptr: NDArray[np.int32],
    y: NDArray[np.int64],
    w: NDArray[np.float64],
    alpha: float,
    theta: float,
    binarize: float,
) -> int:
    """Winnow2 over CSR arrays; returns the number of mistakes."""
    mistakes = 0
    for r in range(y.size):
        score = 0.0
        for p in range(indptr[r], indptr[r + 1]):
            if data[p] > binarize:
                score += w[indices[p]]
        predicted = 1 if score >= theta else 0
        if predicted != y[r]:
            mistakes += 1
            factor = alpha if y[r] == 1 else 1.0 / alpha
            for p in range(indptr[r], indptr[r + 1]):
                if data[p] > binarize:
                    w[indices[p]] *= factor
    return mistakes


@numba.njit
def perceptron(
    data: NDArray[np.float64],
    indices: NDArray[np.int32],
    indptr: NDArray[np.int32],
    y: NDArray[np.int64],
    w: NDArray[np.float64],
) -> int:
    """Rosenblatt's perceptron, with an intercept, over CSR arrays; returns the number of mistakes."""
    mistakes = 0
    intercept = 0.0
    for r in range(y.size):
        score = intercept
        for p in range(indptr[r], indptr[r + 1]):
            score += w[indices[p]] * data[p]
        if (score > 0.0) != (y[r] == 1):
            mistakes += 1
            step = 1.0 if y[r] == 1 else -1.0
            intercept += step
            for p in range(indptr[r], indptr[r + 1]):
                w[indices[p]] += step * data[p]
    return mistakes
