"""Winnow over short terms by definition: each term has a weight of its own."""

from fractions import Fraction
from itertools import combinations


class NaiveShortTerms:
    """Learns from mistakes over every set of at most `k` literals; `literals` says which ones a row satisfies."""

    def __init__(self, literals, theta, k, nets=()):
        self.literals, self.theta, self.k, self.nets = literals, theta, k, dict(nets)

    def terms(self, row):
        literals = self.literals(row)
        return [some for size in range(self.k + 1) for some in combinations(literals, size)]

    def sum(self, row):
        return sum(Fraction(3, 2) ** self.nets.get(term, 0) for term in self.terms(row))

    def trial(self, row, label):
        predicted = int(self.sum(row) >= self.theta)
        for term in self.terms(row) if predicted != label else ():
            self.nets[term] = self.nets.get(term, 0) + (1 if label else -1)
        return predicted
