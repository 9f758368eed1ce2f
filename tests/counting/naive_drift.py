"""Directed Drift, slow and obvious: lists of -1 and 1, and a batch that is kept whole."""

import math
from dataclasses import dataclass, field

MASK = 2**64 - 1


def draw(seed: int, t: int, size: int) -> int:
    """Number t of the stream of a seed, in 0 ... size - 1: splitmix64, its upper 32 bits scaled."""
    x = (seed + t * 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    x ^= x >> 31
    return ((x >> 32) * size) >> 32


@dataclass
class Drift:
    """One learner: the paper's steps D1 to D5, on positive examples and on the mirror images of negative ones."""

    w: list[int]
    mode: str
    flips: str = "paper"
    batch: int | str = "auto"
    delta: float = 0.05
    stop: str = "valid"
    seed: int = 0
    confidence: int = 0
    mistakes: int = 0
    epochs: int = 0
    called: list[list[int]] = field(default_factory=list)
    ended: bool = False

    def product(self, u: list[int]) -> int:
        return sum(w * v for w, v in zip(self.w, u, strict=True))

    @property
    def m(self) -> int:
        n = max(2, len(self.w))
        if self.batch != "auto":
            return self.batch
        return math.ceil({"single": 0.5, "multiple": 1}[self.mode] * math.pi * n * math.log(n))

    @property
    def needed(self) -> float:
        """How many consistent examples in a row end learning."""
        n = max(2, len(self.w))
        if self.stop == "paper":
            return math.sqrt(math.pi * n / 2) * math.log(1 / self.delta)
        k = self.epochs + 1  # hypotheses tried
        half = n // 2
        least = math.comb(2 * half, half) / 4**half
        least = least if n % 2 else least / (1 + least)
        return math.ceil(math.log(k * (k + 1) / self.delta) / -math.log(1 - least))

    def trial(self, u: list[int], y: int) -> int:
        """Learn from one example of -1 and 1; the label predicted before."""
        predicted = int(self.product(u) >= 0)
        if not self.ended:
            self.learn(u if y == 1 else [-v for v in u], predicted == y)
        return predicted

    def learn(self, u: list[int], consistent: bool) -> None:
        if self.called:
            self.called.append(u)
        elif consistent:
            self.confidence += 1
            self.ended = self.confidence >= self.needed
            return
        else:
            self.mistakes += 1
            self.confidence = 0
            if self.mode == "online":
                differ = [j for j in range(len(u)) if self.w[j] != u[j]]
                self.w[differ[draw(self.seed, self.epochs, len(differ))]] *= -1
                self.epochs += 1
                return
            self.called = [u]
        if len(self.called) == self.m:
            self.update()

    def update(self) -> None:
        votes = [sum(u[j] != self.w[j] for u in self.called) for j in range(len(self.w))]
        most_voted = sorted(range(len(self.w)), key=lambda j: (-votes[j], j))
        if self.mode == "single":
            chosen = most_voted[:1]
        elif self.flips == "paper":
            chosen = most_voted[: max(1, (1 - self.product(self.called[0])) // 2)]
        else:
            chosen = [j for j in range(len(self.w)) if votes[j] > self.m / 2]
        for j in chosen:
            self.w[j] *= -1
        self.called = []
        self.epochs += 1


def one_vs_rest(learners: list[Drift], u: list[int], label: int) -> int:
    """One trial of one learner a class: the class of the largest product before, the lowest of several."""
    products = [learner.product(u) for learner in learners]
    for k, learner in enumerate(learners):
        learner.trial(u, int(label == k))
    return products.index(max(products))
