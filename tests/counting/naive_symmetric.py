"""Slow, obvious versions of SBSB, SASB and the direct algorithm, in rational arithmetic; and what makes any of them
mistake-driven."""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from itertools import combinations
from math import comb


class NaiveSBSB:
    """Algorithm SBSB of Littlestone & Mesterharm, section 2, with the binomials that the scan lost."""

    def __init__(self, n):
        self.matches, self.positives, self.trials = [0] * n, 0, 0

    def sides(self, x):
        t, m = self.trials, self.positives
        one = zero = Fraction(0)
        for bit, s in zip(x, self.matches, strict=True):
            one += Fraction(bit * (s + 1) + (1 - bit) * (t - s + 1), comb(t, s))
            zero += Fraction((1 - bit) * (s + 1) + bit * (t - s + 1), comb(t, s))
        return (m + 1) * one, (t - m + 1) * zero

    def predict(self, x):
        one, zero = self.sides(x)
        return int(one > zero)

    def probability(self, x):
        one, zero = self.sides(x)
        return one / (one + zero)

    def update(self, x, y):
        self.positives += y
        self.trials += 1
        self.matches = [s + (bit == y) for bit, s in zip(x, self.matches, strict=True)]


class MistakeDriven:
    """The conversion of Littlestone & Mesterharm, section 1: record the state, and restore it after a right trial."""

    def __init__(self, learner):
        self.learner = learner

    def predict(self, x):
        return self.learner.predict(x)

    def update(self, x, y):
        record = deepcopy(self.learner)
        right = self.learner.predict(x) == y
        self.learner.update(x, y)
        if right:
            self.learner = record


class Voting:
    """The current hypothesis and those before the last V mistakes of the learner; ties to the current one."""

    def __init__(self, learner, voters):
        self.learner, self.voters, self.old = learner, voters, []

    def predict(self, x):
        current = self.learner.predict(x)
        votes = [current, *(hypothesis.predict(x) for hypothesis in self.old)]
        ones = sum(votes)
        return current if 2 * ones == len(votes) else int(2 * ones > len(votes))

    def update(self, x, y):
        if self.voters and self.learner.predict(x) != y:
            self.old = [*self.old, deepcopy(self.learner)][-self.voters :]
        self.learner.update(x, y)


class NaiveDirect:
    """Direct Weighted Majority over all disjunctions of 1 to k variables: errors cost a factor beta."""

    def __init__(self, n, k, noise):
        self.noise = Fraction(repr(noise))
        self.weights = {d: Fraction(1) for size in range(1, k + 1) for d in combinations(range(n), size)}

    def share(self, x):
        ones = sum(weight for d, weight in self.weights.items() if any(x[i] for i in d))
        return ones / sum(self.weights.values())

    def probability(self, x):
        return self.noise + (1 - 2 * self.noise) * self.share(x)

    def predict(self, x):
        return int(self.share(x) > Fraction(1, 2))

    def update(self, x, y):
        beta = self.noise / (1 - self.noise)
        for d in self.weights:
            if any(x[i] for i in d) != y:
                self.weights[d] *= beta


class NaiveBayes:
    """Posterior over the same disjunctions by Bayes' rule, label noise given (Helmbold et al., equation 1)."""

    def __init__(self, n, k, noise):
        self.noise = Fraction(repr(noise))
        self.posterior = {d: Fraction(1) for size in range(1, k + 1) for d in combinations(range(n), size)}
        self.normalize()

    def normalize(self):
        total = sum(self.posterior.values())
        self.posterior = {d: p / total for d, p in self.posterior.items()}

    def likelihood(self, d, x, y):
        return 1 - self.noise if any(x[i] for i in d) == y else self.noise

    def probability(self, x):
        return sum(p * self.likelihood(d, x, 1) for d, p in self.posterior.items())

    def predict(self, x):
        return int(self.probability(x) > Fraction(1, 2))

    def update(self, x, y):
        self.posterior = {d: p * self.likelihood(d, x, y) for d, p in self.posterior.items()}
        self.normalize()


def run(learner, X, y):
    """Labels predicted before each update."""
    predicted = []
    for x, label in zip(X, y, strict=True):
        predicted.append(learner.predict(x))
        learner.update(x, label)
    return predicted
