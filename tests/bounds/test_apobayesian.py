"""No sequence of examples may force more mistakes of SASB than its bound allows.

A naive SASB meets an adversary that picks wrong predictions among many candidates and, on tiny n, an exhaustive search
for the worst sequence. Both must break a bound that is too small, and noise must break the bound without noise.
"""

import math
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from winnowkit import SASB, SBSB, bounds
from winnowkit.data import streams


class Counts(NamedTuple):
    """SASB's state: mistakes, those on positive examples, and for each attribute how often it matched the label."""

    t: int
    m: int
    matches: tuple[int, ...]

    def probabilities(self, X: np.ndarray) -> np.ndarray:
        """The probability of each row with the label 0 and with 1, as if the other attributes were certain."""
        S = np.array(self.matches, dtype=float)
        log_weights = gammaln(S + 1) + gammaln(self.t - S + 1)  # 1 / C(t, S), but for a factor
        weights = np.exp(log_weights - log_weights.max())
        match = (X @ (weights * (S + 1)) + (1 - X) @ (weights * (self.t - S + 1))) / (weights.sum() * (self.t + 2))
        positive = (self.m + 1) / (self.t + 2)
        return np.array([(1 - positive) * (1 - match), positive * match])

    def predict(self, X: np.ndarray) -> np.ndarray:
        zero, one = self.probabilities(X)
        return one > zero

    def update(self, x: np.ndarray, y: int) -> "Counts":
        matches = tuple(s + int(b == y) for s, b in zip(self.matches, x, strict=True))
        return Counts(self.t + 1, self.m + y, matches)


class Threshold(NamedTuple):
    """At least r of the first k of n attributes."""

    r: int
    k: int
    n: int

    def errors(self, X: np.ndarray, labels: np.ndarray) -> np.ndarray:
        active = X[:, : self.k].sum(axis=1)
        return np.maximum(0, np.where(labels == 1, self.r - active, active - self.r + 1))


def offers(state: Counts, X: np.ndarray, target: Threshold, budget: int) -> Iterator[tuple[int, int, int]]:
    """Yield (row, label, attribute errors) of each example that is now wrong and that the budget allows."""
    labels = 1 - state.predict(X).astype(int)
    errors = target.errors(X, labels)
    for i in np.flatnonzero(errors <= budget):
        yield int(i), int(labels[i]), int(errors[i])


def worst_case(target: Threshold, budget: int = 0) -> int:
    """Most mistakes of any sequence, by exhaustive search."""
    X = np.array(list(product((0, 1), repeat=target.n)))
    memory: dict[tuple[Counts, int], int] = {}

    def search(state: Counts, left: int) -> int:
        if (state, left) not in memory:
            found = offers(state, X, target, left)
            memory[state, left] = max(
                (1 + search(state.update(X[i], y), left - cost) for i, y, cost in found), default=0
            )
        return memory[state, left]

    return search(Counts(0, 0, (0,) * target.n), budget)


def attack(target: Threshold, seed: int, budget: int = 0, most: int = 3000) -> int:
    """Mistakes forced by picking wrong predictions among random examples, the closest calls if the seed is even."""
    rng = np.random.default_rng(seed)
    state = Counts(0, 0, (0,) * target.n)
    for mistakes in range(most):
        X = (rng.random((200, target.n)) < rng.random((200, 1))).astype(int)
        X[:100, : target.k] = 0
        for row in range(100):  # barely positive or barely negative: these teach least
            X[row, rng.permutation(target.k)[: target.r - row % 2]] = 1
        found = list(offers(state, X, target, budget))
        if not found:
            return mistakes
        wrong = state.probabilities(X)
        closest = max(range(len(found)), key=lambda f: wrong[found[f][1], found[f][0]])
        i, y, cost = found[closest if seed % 2 == 0 else rng.integers(len(found))]
        state = state.update(X[i], y)
        budget -= cost
    return most


def test_small_cases_by_hand():
    # one attribute that is the label: T mistakes have S = T, and 4^T <= (T + 1) (T + 1) C(T, p) allows T <= 2 only
    slack = [max((t + 1) ** 2 * math.comb(t, p) for p in range(t + 1)) / 4**t for t in range(1, 8)]
    most = max(t for t, value in enumerate(slack, start=1) if value >= 1)
    assert math.floor(bounds.sasb_threshold(1, 1, 1)) == most == 2


@pytest.mark.parametrize("target", [Threshold(1, 1, 2), Threshold(1, 2, 2), Threshold(1, 1, 4), Threshold(2, 2, 2)])
def test_the_worst_sequence_stays_within_the_bound(target):
    assert 0 < worst_case(target) <= bounds.sasb_threshold(*target)


@pytest.mark.parametrize("errors", [1, 3])
def test_the_worst_noisy_sequence_stays_within_the_bound(errors):
    target = Threshold(1, 1, 2)
    assert worst_case(target) < worst_case(target, errors) <= bounds.sasb_threshold(*target, errors)


targets = st.tuples(st.integers(1, 5), st.integers(0, 4), st.integers(0, 25)).map(
    lambda t: Threshold(t[0], t[0] + t[1], t[0] + t[1] + t[2])
)


@settings(max_examples=12, deadline=None)
@given(target=targets, errors=st.sampled_from([0, 0, 5, 40]), seed=st.integers(0, 2**32 - 1))
def test_an_adversary_stays_within_the_bound(target, errors, seed):
    assert attack(target, seed, errors, most=1500) <= bounds.sasb_threshold(*target, errors)


@pytest.mark.parametrize(("target", "share"), [(Threshold(1, 1, 30), 0.65), (Threshold(2, 3, 30), 0.4)])
def test_control_a_smaller_bound_is_broken(target, share):
    assert attack(target, seed=0) > share * bounds.sasb_threshold(*target)


def test_at_a_mistake_the_true_label_has_a_probability_of_a_quarter_at_most():
    rng = np.random.default_rng(0)
    for _ in range(200):
        t = int(rng.integers(1, 30))
        state = Counts(t, int(rng.integers(t + 1)), tuple(rng.integers(0, t + 1, 5).tolist()))
        assert state.probabilities(rng.integers(0, 2, (20, 5))).min(axis=0).max() <= 0.25 + 1e-12


def test_control_noise_breaks_the_bound_without_noise():
    target = Threshold(1, 2, 10)
    assert attack(target, seed=0, budget=400) > bounds.sasb_threshold(*target)


def test_control_without_separation_there_is_no_bound():
    # the parity of two attributes is no threshold function: mistakes go on for ever
    rng = np.random.default_rng(0)
    state = Counts(0, 0, (0, 0, 0))
    mistakes = 0
    for x in rng.integers(0, 2, (3000, 3)):
        y = int(x[0] != x[1])
        if int(state.predict(x[None])[0]) != y:
            state, mistakes = state.update(x, y), mistakes + 1
    assert mistakes > bounds.sasb_threshold(1, 2, 3)


@settings(max_examples=50, deadline=None)
@given(
    n=st.integers(1, 10_000),
    lower=st.floats(0, 0.9),
    delta=st.floats(0.05, 1),
    noise=st.floats(0, 20),
    share=st.floats(0, 1),
)
def test_the_bound_is_the_largest_number_of_mistakes_that_the_proof_allows(n, lower, delta, noise, share):
    upper = min(1.0, lower + delta)
    entropy = share * math.log(n)
    bound = bounds.sasb(n, lower, upper, entropy, noise)

    def allowed(t: int) -> bool:
        p = np.arange(t + 1.0)
        s = np.maximum(upper * p + (1 - lower) * (t - p) - noise, t / 2)
        count = -2 * gammaln(t + 2) + gammaln(p + 1) + gammaln(t - p + 1) + gammaln(s + 1) + gammaln(t - s + 1)
        return bool((math.log(n) - entropy - count - t * math.log(4) >= -1e-9).any())

    at = math.floor(bound)
    assert not any(allowed(t) for t in range(at + 1, at + 40))
    assert at < 3 or any(allowed(t) for t in range(at - 2, at + 1))  # shares of positive examples are whole there


def test_what_grows_the_bound():
    base = bounds.sasb(100, 0.2, 0.6)
    assert bounds.sasb(200, 0.2, 0.6) > base > bounds.sasb(100, 0.2, 0.7)
    assert bounds.sasb(100, 0.2, 0.6, entropy=1.0) < base < bounds.sasb(100, 0.2, 0.6, shortfall=1.0)


@pytest.mark.parametrize(
    "arguments",
    [(0, 0, 1), (10, 0.5, 0.5), (10, -0.1, 1), (10, 0, 1.1), (10, 0, 1, 3.0), (10, 0, 1, -1.0), (10, 0, 1, 0, -1.0)],
)
def test_what_the_theorem_does_not_cover(arguments):
    with pytest.raises(ValueError, match="must"):
        bounds.sasb(*arguments)


def test_certificate_of_a_learner():
    X, y = streams.disjunction(n=60, k=3, active=20, seed=0).take(500)
    model = SASB().partial_fit(X, y, classes=[0, 1])
    certificate = model.certificate(k=3)
    assert certificate.kept
    assert certificate.mistakes == model.n_mistakes_ > 0
    assert certificate.bound == bounds.sasb_threshold(1, 3, 60)
    assert model.certificate(k=3, attribute_errors=3).bound == bounds.sasb_threshold(1, 3, 60, 3)
    assert model.certificate(k=3, r=2).bound == max(bounds.sasb_threshold(2, k, 60) for k in (2, 3))


def test_certificates_that_do_not_apply():
    X, y = np.eye(4, dtype=int), [0, 1, 0, 1]
    assert SBSB().fit(X, y).certificate(k=1).bound == math.inf
    assert SBSB(policy="mistake").fit(X, y).certificate(k=1).bound == SASB().fit(X, y).certificate(k=1).bound < math.inf
    assert "vote" in SASB(voting=3).fit(X, y).certificate(k=1).theorem
    assert SASB().fit(X, y).certificate(k=9, r=6).bound == math.inf
    with pytest.raises(ValueError, match="r must be"):
        SASB().fit(X, y).certificate(k=1, r=2)
