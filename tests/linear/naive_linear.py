"""Slow, obvious versions of the learners, as the papers print them: every weight a Fraction or a float in a list.

Each has `predict(x) -> 0 or 1`, `update(x, y)` and `wants_update(x, y, predicted)`; :func:`run` plays trials.
"""

from __future__ import annotations

from fractions import Fraction
from math import e, log


def run(learner, examples):
    """The labels predicted before each update."""
    predicted = []
    for x, y in examples:
        guess = learner.predict(x)
        predicted.append(guess)
        if learner.wants_update(x, y, guess):
            learner.update(x, y)
    return predicted


class Naive:
    policy = "mistake"
    ties = 0  # scores that met theta exactly

    def wants_update(self, _x, y, predicted):
        return self.policy == "always" or predicted != y

    def active(self, x):
        return [i for i, value in enumerate(x) if value > 0]


class Elimination(Naive):
    def __init__(self, n):
        self.literals = set(range(n))
        self.ties = 1  # none can occur

    def predict(self, x):
        return int(any(i in self.literals for i in self.active(x)))

    def update(self, x, y):
        if y == 0:
            self.literals -= set(self.active(x))


class Winnow(Naive):
    """Winnow1 (`eliminate`) and Winnow2 of the lecture; exact, for a rational alpha."""

    def __init__(self, n, alpha, theta, eliminate=False, floor=0):
        self.weights = [Fraction(1)] * n
        self.alpha, self.theta, self.eliminate, self.floor = (
            Fraction(alpha),
            Fraction(theta),
            eliminate,
            Fraction(floor),
        )

    def score(self, x):
        return sum(self.weights[i] for i in self.active(x))

    def predict(self, x):
        self.ties += self.score(x) == self.theta
        return int(self.score(x) >= self.theta)

    def update(self, x, y):
        for i in self.active(x):
            if y == 1:
                self.weights[i] *= self.alpha
            elif self.eliminate:
                self.weights[i] = Fraction(0)
            else:
                self.weights[i] = max(self.weights[i] / self.alpha, self.floor)


class NormalizedWinnow(Winnow):
    def score(self, x):
        return super().score(x) / sum(self.weights)


class BalancedWinnow(Naive):
    def __init__(self, n, alpha, theta, margin=0):
        self.u, self.v = [Fraction(2)] * n, [Fraction(1)] * n
        self.alpha, self.theta, self.margin = Fraction(alpha), Fraction(theta), Fraction(margin)

    def score(self, x):
        return sum(self.u[i] - self.v[i] for i in self.active(x))

    def predict(self, x):
        self.ties += self.score(x) == self.theta
        return int(self.score(x) >= self.theta)

    def wants_update(self, x, y, predicted):
        return predicted != y or abs(self.score(x) - self.theta) < self.margin

    def update(self, x, y):
        factor = self.alpha if y == 1 else 1 / self.alpha
        for i in self.active(x):
            self.u[i] *= factor
            self.v[i] /= factor


class ThresholdedBEG(Naive):
    """Update (6) under Winnow's prediction rule; `x` may have values in [0, 1]."""

    def __init__(self, n, beta0, beta1, theta, initial, policy="mistake"):
        self.weights = [initial] * n
        self.beta, self.theta, self.policy = (beta0, beta1), theta, policy

    def margin(self, x):
        return sum(w * value for w, value in zip(self.weights, x, strict=True)) - self.theta

    def predict(self, x):
        return int(self.margin(x) > 0)

    def update(self, x, y):
        for i in self.active(x):
            factor = self.beta[y] ** x[i]
            w = self.weights[i]
            self.weights[i] = w * factor / (1 - w + w * factor)


class BayesBEG(ThresholdedBEG):
    """Update (6) under the prediction rule of Theorem 2."""

    def __init__(self, n, beta0, beta1, gamma, initial, policy="mistake"):
        super().__init__(n, beta0, beta1, n * log(gamma / (1 - gamma)), initial, policy)
        self.gamma = gamma

    def margin(self, x):
        (beta0, beta1), gamma = self.beta, self.gamma
        scale = gamma * (1 - beta0) / ((1 - gamma) * (beta1 - 1))
        z = [log(scale * (1 + w * (beta1 - 1)) / (1 + w * (beta0 - 1))) for w in self.weights]
        return sum(zi * value for zi, value in zip(z, x, strict=True)) - self.theta


def theorem3(n):
    c = ((e + 1) / (e - 1)) ** (1 / n)
    return {"beta0": 0.0, "beta1": 1 + c, "gamma": c / (1 + c), "initial": 1 / n}


def theorem4(n):
    q, epsilon = 1.6, 0.9
    odds = q ** (1 / (n - 1))
    step = (q**1.5 - 1 + epsilon) / (1 + q)
    return {
        "beta0": 1 - step / q ** (1 / (2 * (n - 1))),
        "beta1": 1 + step,
        "gamma": odds / (1 + odds),
        "initial": 1 / n,
    }


def with_negations(x):
    """The example with the complement of every attribute."""
    return [*x, *(1 - value for value in x)]
