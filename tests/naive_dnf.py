"""Slow, obvious twins of the weighted sums: every subset of attributes, every mistake, exact fractions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain, combinations

Example = Sequence[int]
Mistake = tuple[Example, int]


def subsets(attributes: Sequence[int]) -> Iterable[tuple[int, ...]]:
    return chain.from_iterable(combinations(attributes, size) for size in range(len(attributes) + 1))


def net(term: Iterable[int], x: Example, mistakes: Sequence[Mistake]) -> int:
    """Promotions less demotions of the term that fixes these attributes of x."""
    term = tuple(term)
    return sum(sign for z, sign in mistakes if all(z[j] == x[j] for j in term))


def counts(x: Example, mistakes: Sequence[Mistake]) -> dict[int, int]:
    specified = [j for j, code in enumerate(x) if code != 0]
    return dict(sorted(Counter(net(term, x, mistakes) for term in subsets(specified)).items()))


def weighted_sum(x: Example, mistakes: Sequence[Mistake], alpha: float) -> Fraction:
    return sum((count * Fraction(alpha) ** value for value, count in counts(x, mistakes).items()), Fraction(0))


def meet(x: Example, z: Example) -> list[int]:
    return [a if a == b else 0 for a, b in zip(x, z, strict=True)]


def log(value: Fraction) -> float:
    """Logarithm of a fraction too large or too small for a float."""
    return math.log(value.numerator) - math.log(value.denominator)
