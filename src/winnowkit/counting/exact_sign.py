"""The sign of a sum whose terms are too close to call in floating point."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def sign_of_sum(coefficients: Sequence[int], ratio: Callable[[int], tuple[int, int]]) -> int:
    """Sign of ``sum c_j w_j``, for positive weights w_0 >= w_1 >= ... known by their ratios, in integers.

    Parameters
    ----------
    coefficients : sequence of int
        The c_j.
    ratio : callable
        ``ratio(j)`` is ``w_{j+1} / w_j`` <= 1 as a numerator and a denominator > 0. It is asked only as far as needed:
        the sum of the first terms often outweighs whatever the others can add.

    Returns
    -------
    int
        -1, 0 or 1.

    Examples
    --------
    >>> sign_of_sum([1, -3], lambda j: (1, 3))  # 1 - 3/3
    0
    >>> sign_of_sum([1, -3, 1], lambda j: (1, 3))
    1
    """
    left = sum(map(abs, coefficients))
    total, unit = 0, 1  # the sum so far is total / unit times the weight at hand
    for j, coefficient in enumerate(coefficients):
        total += coefficient * unit
        left -= abs(coefficient)
        if abs(total) > left * unit or left == 0:
            break
        numerator, denominator = ratio(j)
        total *= denominator
        unit *= numerator
    return (total > 0) - (total < 0)
