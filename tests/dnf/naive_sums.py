"""Weighted sums of a few more attributes, or of many attributes and few mistakes, still by definition and exact."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np


def sets_of(x, mistakes):
    """Return the attributes on which x agrees with each mistake, as bits, with the mistake's sign."""
    return [(sum(1 << j for j, code in enumerate(x) if code and z[j] == code), sign) for z, sign in mistakes]


def nets_of_terms(x, mistakes):
    """Return the net of every set of specified attributes of x: cell by cell, each mistake in turn."""
    specified = [j for j, code in enumerate(x) if code]
    nets, every = np.zeros(1 << len(specified), dtype=np.int64), np.arange(1 << len(specified))
    for z, sign in mistakes:
        agree = sum(1 << b for b, j in enumerate(specified) if z[j] == x[j])
        nets[every & ~agree == 0] += sign
    return nets


def counts_of_few_attributes(x, mistakes):
    """Count the terms of x by net."""
    return dict(sorted(Counter(nets_of_terms(x, mistakes).tolist()).items()))


def counts_of_few_mistakes(x, mistakes):
    """Count the terms of x by net: how many lie in exactly these of the sets, by inclusion and exclusion."""
    sets = sets_of(x, mistakes)
    inside, nets = [(1 << len(x)) - 1 & sum(1 << j for j, code in enumerate(x) if code)], [0]
    for agree, sign in sets:
        inside += [both & agree for both in inside]
        nets += [net + sign for net in nets]
    numbers = [1 << both.bit_count() for both in inside]
    for k in range(len(sets)):
        for cell in range(len(numbers)):
            if not cell >> k & 1:
                numbers[cell] -= numbers[cell | 1 << k]
    counts = Counter()
    for net, number in zip(nets, numbers, strict=True):
        counts[net] += number
    return dict(sorted((net, number) for net, number in counts.items() if number))


def total(counts, alpha):
    """Return the weighted sum of terms counted by net."""
    return sum((number * Fraction(alpha) ** net for net, number in counts.items()), Fraction(0))
