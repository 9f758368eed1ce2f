"""A slow, obvious twin of Committee: one object per expert, in double precision, straight from the formulas."""

import math

import numpy as np

BETA = 0.9  # factor of a wrong vote
LIMIT = 2.0**22


class Scaled:
    """One example: x is the values over the largest so far, z is x over its norm; a bias of 1 comes first."""

    def __init__(self, values, largest, rate, part=1.0):
        x = np.divide(values, largest, out=np.zeros(len(values)), where=largest > 0)
        norm = math.sqrt(float(x @ x))
        self.active = x > 0
        self.x = np.append(1.0, x)
        self.z = np.append(1.0, x / norm if norm > 0 else x)
        self.rate, self.part = rate, part
        self.squares = float(x @ x)


class Beg:
    """Thresholded-BEG on [x > 0], with theta = 0.4; its factors are bounded."""

    widest = 1.0

    def __init__(self, n, beta0, beta1, initial, margin, floor):
        start = min(0.5, initial / max(2, n))
        self.odds, self.start = np.full(n, start / (1 - start)), start / (1 - start)
        self.beta0, self.beta1, self.margin = beta0, beta1, margin - 1e-6  # fresh weights often add up to the margin
        self.floor = floor if beta0 == 0.0 else max(floor, 1e-30)

    def score(self, example):
        odds = self.odds[example.active]
        score = float((odds / (1 + odds)).sum()) / 0.4 - 1
        return score if abs(score) >= 1e-6 else 0.0  # it is on the threshold

    def update(self, example, y, _score):
        factor = (self.beta1 if y > 0 else self.beta0) ** example.part
        factors = self.odds[example.active] / self.start * factor
        self.odds[example.active] = np.clip(factors, self.floor, 1e30) * self.start


class Arow:
    """AROW with a variance per weight, on z."""

    widest, margin = 3.0, 1.0

    def __init__(self, n, r):
        self.w, self.S, self.r = np.zeros(n + 1), np.ones(n + 1), r

    def score(self, example):
        return float(self.w @ example.z)

    def update(self, example, y, score):
        z, r = example.z, self.r / example.part
        c = float(self.S @ z**2)
        self.w += y * (1 - y * score) / (c + r) * self.S * z
        self.S /= 1 + self.S * z**2 / r


class Coin:
    """Coin betting on the hinge loss, one bettor per attribute, on z."""

    widest, margin = 3.0, 1.0

    def __init__(self, n):
        self.T, self.G, self.R, self.L = (np.zeros(n + 1) for _ in range(4))

    def weights(self, z, rate):
        L = np.maximum(np.maximum(self.L, np.abs(z)), rate)
        return self.T * (L + self.R) / (L * (self.G + L)), L

    def score(self, example):
        return float(self.weights(example.z, example.rate)[0] @ example.z)

    def update(self, example, y, _score):
        z = example.z
        w, L = self.weights(z, example.rate)
        there = z != 0
        self.L[there] = L[there]
        self.R = np.maximum(0, self.R + y * z * example.part * w)
        self.G += np.abs(z) * example.part
        self.T += y * z * example.part
        full = self.G > LIMIT * self.L
        self.G[full] /= 2
        self.T[full] /= 2


class Gradient:
    """Vowpal Wabbit's adaptive, normalised gradient of the squared loss, on x."""

    widest, margin = 3.0, 1.0

    def __init__(self, n):
        self.w, self.G = np.zeros(n + 1), np.zeros(n + 1)

    def score(self, example):
        return float(self.w @ example.x)

    def update(self, example, y, score):
        p = min(1.0, max(-1.0, score))
        self.G = np.minimum(self.G + 4 * example.part * (p - y) ** 2 * example.x**2, LIMIT)
        there = example.x != 0
        x, root = example.x[there], np.sqrt(np.maximum(self.G[there], 1e-30))
        h = float((x**2 / root).sum())
        self.w[there] += (y - p) * (1 - math.exp(-2 * 0.5 * example.rate * example.part * h)) / h * x / root


class Hypentropy:
    """Adaptive mirror descent on the squared loss, in the geometry of hypentropy, on x."""

    widest, margin = 3.0, 1.0

    def __init__(self, n):
        self.w, self.G = np.zeros(n + 1), np.zeros(n + 1)

    def score(self, example):
        return float(self.w @ example.x)

    def update(self, example, y, score):
        g = 2 * example.part * (score - y) * example.x
        self.G = np.minimum(self.G + g**2, LIMIT)
        d = np.clip(np.where(g != 0, -0.5 * g / np.sqrt(np.maximum(self.G, 1e-300)), 0), -0.5, 0.5)
        self.w = self.w * np.cosh(d) + np.sqrt(self.w**2 + 0.01) * np.sinh(d)


class FullArow:
    """AROW with a whole matrix, on x."""

    widest, margin = 3.0, 1.0

    def __init__(self, n):
        self.w, self.S = np.zeros(n + 1), np.eye(n + 1)

    def score(self, example):
        return float(self.w @ example.x)

    def update(self, example, y, score):
        direction = self.S @ example.x
        spread = float(direction @ example.x) + 0.1 / example.part
        self.w += y * (1 - y * score) / spread * direction
        self.S -= np.outer(direction, direction) / spread


class Absent:
    """The place of the expert with a whole matrix among many attributes: its score is 0, and it rests."""

    widest, margin = 3.0, 1.0

    def score(self, _example):
        return 0.0


def experts(n, floor):
    """The ten experts of one learner."""
    return [
        Beg(n, 0.0, 3.0, 4.0, 0.5, floor),
        Beg(n, 0.0, 32.0, 1.0, 0.5, floor),
        Beg(n, 0.5, 2.0, 1.0, 0.9, floor),
        Beg(n, 0.5, 8.0, 1.0, 0.9, floor),
        Arow(n, 0.1),
        Arow(n, 1.0),
        Coin(n),
        Gradient(n),
        Hypentropy(n),
        FullArow(n) if n <= 64 else Absent(),
    ]


def label_of(values):
    """The label that one value per learner amounts to."""
    return int(values[0] > 0) if len(values) == 1 else int(np.argmax(values))


class NaiveCommittee:
    """All experts, the logistic regression that mixes their scores, and the vote."""

    def __init__(self, n, n_classes, share=0.0):
        self.share, self.n_learners = share, 1 if n_classes == 2 else n_classes
        self.experts = [experts(n, 0.5 if share > 0 else 0.0) for _ in range(self.n_learners)]
        self.n_experts = len(self.experts[0])
        self.resting = np.array([[isinstance(e, Absent) for e in own] for own in self.experts])
        self.mistakes = np.zeros((self.n_learners, self.n_experts), dtype=int)
        self.largest = np.zeros(n)
        self.t, self.total = 0.0, 0.0
        self.weights = np.array([0.3] * 4 + [0.6] * (self.n_experts - 4) + [0.0])
        self.precision_inverse = np.eye(self.n_experts + 1)
        self.prior = np.append(np.full(self.n_experts, 0.5 / self.n_experts), 0.5)
        self.votes = self.prior.copy()
        self.label_mistakes = np.zeros(self.n_experts + 1, dtype=int)
        self.awake_mistakes = np.zeros(self.n_experts, dtype=int)
        self.n_trials = self.n_mistakes = 0

    @property
    def rate(self):
        return math.sqrt(max(self.t, 1.0) / max(self.total, 1.0))

    def ask(self, example):
        """Fill in scores, features and log-odds, and return the label with the most votes."""
        self.scores = np.array([[e.score(example) for e in own] for own in self.experts])
        self.scores[self.resting] = 0.0
        widest = np.array([e.widest for e in self.experts[0]])
        if self.n_learners == 1 and self.share == 0:
            widest[7] = 0.5  # the adaptive gradient, so that the mix can bend
        cut = np.where(self.resting, 0.0, np.clip(self.scores, -widest, widest))
        bias = np.full((self.n_learners, 1), 1.0 if self.n_learners == 1 else 0.0)
        self.features = np.hstack([cut, bias])
        self.log_odds = self.features @ self.weights
        choice = label_of(self.log_odds)
        absent = self.resting.all(axis=0)  # an expert at rest repeats what the mix says
        said = [choice if absent[e] else label_of(self.scores[:, e]) for e in range(self.n_experts)]
        self.said = [*said, choice]
        ballots = np.bincount(self.said, weights=self.votes, minlength=max(2, self.n_learners))
        return choice if ballots[choice] >= ballots.max() else int(ballots.argmax())

    def predict(self, values):
        return self.ask(Scaled(values, np.maximum(self.largest, np.abs(values)), self.rate))

    def learn(self, values, label, weight=1.0):
        """A weight of w is w presentations, the last one perhaps in part; returns what was predicted first."""
        if weight == 0:
            return None
        self.largest = np.maximum(self.largest, np.abs(values))
        first = None
        while weight > 0:
            predicted = self.present(Scaled(values, self.largest, self.rate, min(1.0, weight)), label)
            first = predicted if first is None else first
            weight -= 1
        return first

    def present(self, example, label):
        part = example.part
        predicted = self.ask(example)
        self.n_trials += 1
        self.n_mistakes += predicted != label
        self.learn_mix(label, part)
        self.count_votes(label)
        self.t += part
        self.total += part * (1 + example.squares)
        example.rate = self.rate
        for k, own in enumerate(self.experts):
            y = 1.0 if label == (1 if self.n_learners == 1 else k) else -1.0
            for e, expert in enumerate(own):
                score = float(self.scores[k, e])
                if not self.resting[k, e]:
                    self.mistakes[k, e] += (score > 0) != (y > 0)
                    if y * score < expert.margin:
                        expert.update(example, y, score)
        if self.n_trials % 16 == 0 and self.share == 0:
            fewest = np.where(self.resting, 10**9, self.mistakes).min(axis=1, keepdims=True)
            self.resting |= self.mistakes > (1.1 if self.n_learners == 1 else 2.0) * fewest + 40
        return predicted

    def learn_mix(self, label, part):
        """A Newton step of the logistic regression."""
        S = self.precision_inverse
        S += np.diag(np.full(len(S), 0.03 * self.share))
        if self.n_learners == 1:
            f, p = self.features[0], 1 / (1 + math.exp(-self.log_odds[0]))
            if abs(part * (label - p)) < 1e-3:
                return
            curvature = part * max(p * (1 - p), 1e-4) * np.outer(f, f)
            step = part * (label - p) * f
        else:
            p = np.exp(self.log_odds - self.log_odds.max())
            p /= p.sum()
            if part * (1 - p[label]) < 1e-3:
                return
            centred = self.features - p @ self.features
            counted = np.where(p > 1e-3, p, 0)
            curvature = part * (centred.T * counted) @ centred
            step = part * centred[label]
        self.precision_inverse = np.linalg.inv(np.linalg.inv(S) + curvature)
        self.weights = self.weights + self.precision_inverse @ step

    def count_votes(self, label):
        """Weighted Majority with fixed share."""
        wrong = np.array(self.said) != label
        self.label_mistakes += wrong
        self.awake_mistakes += wrong[:-1] & ~self.resting.all(axis=0)
        self.votes[wrong] *= BETA
        self.votes = (1 - self.share) * self.votes + self.share * self.votes.sum() * self.prior
