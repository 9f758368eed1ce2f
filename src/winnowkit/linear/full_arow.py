"""AROW with a whole covariance matrix, for committees among few attributes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.jit import jit_in_place
from winnowkit.linear.scaling import Example
from winnowkit.linear.steps import arow_gain


@jit_in_place
def full_score(weights: NDArray[np.float64], example: Example, size: int) -> float:
    """Score of an example; 0 if there are no weights."""
    total = 0.0
    if weights.size:
        for p in range(size):
            total += weights[example.places[p]] * example.x[p]
    return total


@jit_in_place
def update_full(
    weights: NDArray[np.float64],
    covariance: NDArray[np.float64],
    example: Example,
    size: int,
    y: float,
    score: float,
    r: float,
) -> None:
    """AROW with a whole covariance matrix, touching only the columns that the example has."""
    n, direction = weights.size, example.direction
    direction[:] = 0.0
    for p in range(size):
        i, x = example.places[p], example.x[p]
        for j in range(n):
            direction[j] += covariance[i, j] * x
    confidence = 0.0
    for p in range(size):
        confidence += direction[example.places[p]] * example.x[p]
    step = arow_gain(y, score, confidence, r)
    for i in range(n):
        weights[i] += step * direction[i]
        for j in range(n):
            covariance[i, j] -= direction[i] * direction[j] / (confidence + r)
