"""The bounds of learners of real values hold, on random and on adversarial sequences, and are not empty."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from winnowkit import bounds

seeds = st.integers(0, 10**6)


def whole_arow(X, y, r):
    """Run AROW with a whole covariance matrix; return the rows of its updates, and which of them were mistakes."""
    w, covariance = np.zeros(X.shape[1]), np.eye(X.shape[1])
    updates, mistakes = [], []
    for i, x in enumerate(X):
        margin = y[i] * w @ x
        if margin < 1:
            updates.append(i)
            mistakes.append(margin <= 0)
            along = covariance @ x
            w = w + y[i] * (1 - margin) / (x @ along + r) * along
            covariance = covariance - np.outer(along, along) / (x @ along + r)
    return np.array(updates), np.array(mistakes)


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from([0.01, 0.1, 1.0, 10.0]), st.sampled_from([0.0, 0.1, 0.5]), st.sampled_from([0.3, 3, 30]))
def test_arow_keeps_its_bound(seed, r, noise, size):
    rng = np.random.default_rng(seed)
    X, u = rng.normal(size=(100, 4)), size * rng.normal(size=4)
    y = np.where((X @ u > 0) != (rng.random(100) < noise), 1, -1)
    updates, mistakes = whole_arow(X, y, r)
    bound = bounds.arow(u, X[updates], y[updates], r, int((~mistakes).sum()))
    assert mistakes.sum() <= bound + 1e-9


def test_arow_bound_says_something():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 4))
    u = np.array([10.0, 0, 0, 0])
    X = X[np.abs(X[:, 0]) > 0.1]
    y = np.where(X[:, 0] > 0, 1, -1)
    updates, mistakes = whole_arow(X, y, 0.1)
    bound = bounds.arow(u, X[updates], y[updates], 0.1, int((~mistakes).sum()))
    assert mistakes.sum() <= bound < len(X) / 4


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from(["random", "constant", "against"]), st.floats(-50, 50))
def test_coin_betting_keeps_its_bound(seed, how, u):
    rng = np.random.default_rng(seed)
    total = sizes = won = 0.0
    for _ in range(300):
        bet = np.tanh(total / (sizes + 1)) * (1 + won)
        outcome = {"random": rng.uniform(-1, 1), "constant": 1.0, "against": -np.sign(bet) or 1.0}[how]
        won += outcome * bet
        total += outcome
        sizes += abs(outcome)
    assert total * u - won <= bounds.coin_betting(u, sizes) + 1e-9


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from(["random", "constant", "against", "alternating"]), st.floats(-5, 5))
def test_adaptive_winnow_keeps_its_bound(seed, how, u):
    rng = np.random.default_rng(seed)
    w = squares = regret = largest = 0.0
    for i in range(300):
        g = {
            "random": rng.normal(),
            "constant": -0.01,
            "against": np.sign(w) or 1.0,
            "alternating": (-1.0) ** i * rng.uniform(0, 3),
        }[how]
        regret += g * (w - u)
        largest = max(largest, abs(w))
        squares += g * g
        w = 0.1 * np.sinh(np.arcsinh(w / 0.1) - 0.5 * g / np.sqrt(squares))
    assert regret <= bounds.adaptive_winnow(u, squares, largest) * (1 + 1e-12) + 1e-9


def test_a_wrong_bound_would_be_broken():
    """The bettor against constant outcomes needs the logarithm: without it a bound would fail."""
    total = sizes = won = 0.0
    for _ in range(20):
        bet = np.tanh(total / (sizes + 1)) * (1 + won)
        won, total, sizes = won + bet, total + 1, sizes + 1
    u = 1e8
    assert total * u - won > 1 + u * np.sqrt(sizes + 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.arow([1], [[1]], [1], r=0), "r must be"),
        (lambda: bounds.arow([1], [[1]], [0]), "1 or -1"),
        (lambda: bounds.arow([1], [[1]], [1], margin_updates=-1), "margin_updates"),
        (lambda: bounds.coin_betting(1, -1), "sizes"),
        (lambda: bounds.coin_betting(1, 1, 0), "largest"),
        (lambda: bounds.adaptive_winnow(1, -1, 1), "squares"),
        (lambda: bounds.adaptive_winnow(1, 1, -1), "largest"),
        (lambda: bounds.adaptive_winnow(1, 1, 1, rate=0), "rate"),
        (lambda: bounds.adaptive_winnow(1, 1, 1, beta=0), "beta"),
    ],
)
def test_parameters_outside_the_theorems_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
