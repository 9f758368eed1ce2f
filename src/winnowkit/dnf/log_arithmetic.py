"""Logarithms of sums too large or too small for a float, and sums that are exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction


def exact_sum(counts: dict[int, int], alpha: float) -> Fraction:
    """Weighted sum as a fraction, `alpha` being the fraction that the float is.

    Examples
    --------
    >>> exact_sum({0: 4, 1: 4}, 1.5)
    Fraction(10, 1)
    """
    ratio = Fraction(alpha)
    return sum((count * ratio**net for net, count in counts.items()), start=Fraction(0))


def log_of(value: Fraction) -> float:
    """Logarithm of a positive fraction of any size.

    Examples
    --------
    >>> log_of(Fraction(3**700, 2)) == 700 * math.log(3) - math.log(2)
    True
    """
    try:
        return math.log(value)
    except (OverflowError, ValueError):  # too large, or so small that it becomes 0
        return math.log(value.numerator) - math.log(value.denominator)


def log_add(logs: list[float]) -> float:
    """Logarithm of the sum of numbers given by their logarithms."""
    if len(logs) == 1:
        return logs[0]
    high = max(logs)
    return high + math.log(math.fsum(math.exp(value - high) for value in logs))


def log_of_counts(counts: dict[int, int], alpha: float) -> float:
    """Logarithm of the weighted sum of subsets counted by net."""
    return log_add([math.log(count) + net * math.log(alpha) for net, count in counts.items()])
