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


class PlainDNFWinnow:
    """Winnow over all terms, on codes (0 unspecified): every sum anew, in fractions. Several learners: one a class."""

    def __init__(self, n_learners: int, theta: Fraction, alpha: float = 1.5) -> None:
        self.mistakes: list[list[Mistake]] = [[] for _ in range(n_learners)]
        self.theta, self.alpha = theta, alpha

    def sums(self, x: Example) -> list[Fraction]:
        return [weighted_sum(x, mistakes, self.alpha) for mistakes in self.mistakes]

    def predict(self, x: Example) -> int:
        sums = self.sums(x)
        return int(sums[0] >= self.theta) if len(sums) == 1 else sums.index(max(sums))

    def learn(self, x: Example, label: int, learners: Iterable[int] | None = None) -> list[int]:
        """One trial; which of these learners were wrong."""
        wrong = []
        sums = self.sums(x)
        for c in range(len(sums)) if learners is None else learners:
            target = label == (1 if len(sums) == 1 else c)
            if (sums[c] >= self.theta) != target:
                self.mistakes[c].append((tuple(x), 1 if target else -1))
                wrong.append(c)
        return wrong

    def fit(self, X: Sequence[Example], labels: Sequence[int], max_epochs: int) -> int:
        """Each learner goes on until it has had an epoch without a mistake of its own; how many epochs."""
        active = list(range(len(self.mistakes)))
        for epoch in range(max_epochs):
            wrong: set[int] = set()
            for x, label in zip(X, labels, strict=True):
                wrong.update(self.learn(x, label, active))
            active = [c for c in active if c in wrong]
            if not active:
                return epoch + 1
        return max_epochs


def heaviest(
    mistakes: Sequence[Mistake], max_terms: int, max_literals: int, slack: int = 0
) -> list[tuple[Mistake, int]]:
    """Every term over the literals of the log: the promoted ones not behind any part of theirs, one a cover.

    A term one of whose literals changes nothing covers the same mistakes as the term without it, which is shorter.
    """
    merged: Counter[tuple[int, ...]] = Counter()
    for z, sign in mistakes:
        merged[tuple(z)] += sign
    mistakes = [(z, total) for z, total in merged.items() if total]
    nets: dict[tuple[tuple[int, int], ...], int] = {}
    for z, _ in mistakes:
        specified = [(j, code) for j, code in enumerate(z) if code != 0]
        for size in range(min(max_literals, len(specified)) + 1):
            for term in combinations(specified, size):
                nets[term] = sum(sign for other, sign in mistakes if all(other[j] == code for j, code in term))
    good = [
        term
        for term, value in nets.items()
        if term and value > 0 and all(nets[part] < value + slack for part in subsets(term) if part not in ((), term))
    ]
    found, covers = [], set()
    for term in sorted(good, key=lambda term: (-nets[term], len(term), term)):
        cover = tuple(all(z[j] == code for j, code in term) for z, _ in mistakes)
        if cover not in covers:
            covers.add(cover)
            found.append((term, nets[term]))
    return found[:max_terms]
