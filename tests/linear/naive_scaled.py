"""Slow, obvious twins of AROW, coin betting and hypentropy, from the formulas of their papers, for dense rows."""

import math

import numpy as np


class NaiveScaled:
    """One learner against the rest; examples are scaled by the largest values so far."""

    def __init__(self, n, rule, r=1.0):
        self.rule, self.r = rule, r
        self.w, self.variance = np.zeros(n + 1), np.ones(n + 1)
        self.total, self.sizes, self.reward, self.high = (np.zeros(n + 1) for _ in range(4))
        self.squares = np.zeros(n + 1)
        self.largest, self.trials, self.norms = np.zeros(n), 0.0, 0.0

    def scaled(self, row):
        """Return x and z, the bias last."""
        high = np.maximum(self.largest, np.abs(row))
        x = np.divide(row, high, out=np.zeros(len(row)), where=high > 0)
        length = math.sqrt((x * x).sum())
        return np.append(x, 1.0), np.append(x / length if length else x, 1.0)

    def typical(self):
        return math.sqrt(max(self.trials, 1.0) / max(self.norms, 1.0))

    def score(self, row):
        x, z = self.scaled(row)
        if self.rule == "arow":
            return self.w @ z
        if self.rule == "adaptive winnow":
            return self.w @ x
        high = np.maximum(np.maximum(self.high, np.abs(z)), self.typical())
        return (self.total * (high + self.reward) / (high * (self.sizes + high))) @ z

    def see(self, row, part=1.0):
        """Take note of the sizes of an example, after it has been scored."""
        self.largest = np.maximum(self.largest, np.abs(row))
        x, _ = self.scaled(row)
        self.trials += part
        self.norms += part * (x @ x)  # with the bias

    def learn(self, row, y, part=1.0):
        """Update on y = 1 or -1."""
        s = self.score(row)
        self.see(row, part)
        if y * s >= 1:
            return
        x, z = self.scaled(row)
        if self.rule == "arow":
            r = self.r / part
            self.w += y * (1 - y * s) / (self.variance @ (z * z) + r) * self.variance * z
            self.variance = 1 / (1 / self.variance + z * z / r)
        elif self.rule == "adaptive winnow":
            g = 2 * part * (s - y) * x
            self.squares += g * g
            step = np.divide(g, np.sqrt(self.squares), out=np.zeros(len(g)), where=self.squares > 0)
            self.w = 0.1 * np.sinh(np.arcsinh(self.w / 0.1) - 0.5 * step)
        else:
            for i in np.flatnonzero(z):
                high = max(self.high[i], abs(z[i]), self.typical())
                bet = self.total[i] * (high + self.reward[i]) / (high * (self.sizes[i] + high))
                self.reward[i] = max(0.0, self.reward[i] + part * y * z[i] * bet)
                self.high[i] = high
                self.sizes[i] += part * abs(z[i])
                self.total[i] += part * y * z[i]


def scores_of_trials(X, codes, n_classes, rule, r=1.0, weights=None):
    """Return the scores before each trial, (rows, learners); codes are those of classes."""
    learners = [NaiveScaled(X.shape[1], rule, r) for _ in range(1 if n_classes == 2 else n_classes)]
    found = np.zeros((len(X), len(learners)))
    weights = np.ones(len(X)) if weights is None else weights
    for i, row in enumerate(X):
        for k, learner in enumerate(learners):
            y = 1 if codes[i] == (1 if n_classes == 2 else k) else -1
            left, first = weights[i], True
            while left > 0:
                part = min(1.0, left)
                left -= 1
                if first:
                    found[i, k], first = learner.score(row), False
                learner.learn(row, y, part)
    return found
