"""Slow, obvious twins of the functions of `even_cuts`."""

from collections import Counter
from fractions import Fraction


def shortest(below, above):
    """All numbers in [below, above) that are multiples of the largest power of ten that has a multiple there."""
    below, above = Fraction(repr(below)), Fraction(repr(above))
    for exponent in range(9, -9, -1):
        unit = Fraction(10) ** exponent
        multiple = -(-below // unit)
        found = []
        while multiple * unit < above:
            found.append(multiple * unit)
            multiple += 1
        if found:
            return found
    raise AssertionError("no number between")


def cells(values, cuts):
    """Values of each cell, by comparing each value with each cut."""
    found = [[] for _ in range(len(cuts) + 1)]
    for value in values:
        found[sum(value > cut for cut in cuts)].append(value)
    return found


def frequent(values, n_cells):
    """Values taken out one after the other, as long as the next one has an even share of the rows that are left."""
    left, found = Counter(values), set()
    while left and len(found) < n_cells - 1:
        value, rows = max(left.items(), key=lambda item: (item[1], -item[0]))
        if Fraction(rows) < Fraction(left.total(), n_cells - len(found)):
            break
        found.add(value)
        del left[value]
    return found
