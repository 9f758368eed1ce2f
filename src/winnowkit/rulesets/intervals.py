"""Shares with their uncertainty: Wilson's interval and Laplace's estimate."""

from __future__ import annotations

import math

Z95 = 1.959963984540054
"""The 97.5% point of the normal distribution, for intervals that hold with 95% confidence."""


def wilson(right: int, n: int, z: float = Z95) -> tuple[float, float]:
    """Return Wilson's confidence interval of a share (Wilson 1927): the values that `right` of `n` do not contradict.

    These are the shares p with ``|right/n - p| <= z * sqrt(p * (1 - p) / n)``. Unlike the usual interval, it never
    leaves [0, 1], and it is not a single point where all or none are right.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(9, 10)]
    [0.596, 0.982]
    >>> [round(end, 3) for end in wilson(10, 10)]
    [0.722, 1.0]
    """
    share, spread = right / n, z * z / n
    centre = (share + spread / 2) / (1 + spread)
    half = math.sqrt(share * (1 - share) * spread + spread * spread / 4) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)


def laplace(right: int, n: int, n_classes: int) -> float:
    """Return the share of `right` among `n` after adding one row of each class to the rows (Laplace's estimate).

    Examples
    --------
    >>> laplace(9, 10, n_classes=2), laplace(0, 0, n_classes=4)
    (0.8333333333333334, 0.25)
    """
    return (right + 1) / (n + n_classes)
