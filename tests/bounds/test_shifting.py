"""Winnow2 with a floor against adversaries that also change the target, and controls that must break the bound."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from winnowkit import Elimination, Winnow2, bounds
from winnowkit.data import streams


def attack(
    n: int, alpha: float, theta: float, floor: float, *, changes: int, errors: int, seed: int, k: int, most: int = 5000
) -> int:
    """Mistakes forced on a naive Winnow2 by an adversary, which changes the target when every example is right."""
    rng = np.random.default_rng(seed)
    weights = np.ones(n)
    target = set(range(k))
    for mistakes in range(most):
        X = (rng.random((100, n)) < rng.random((100, 1)) ** 2).astype(int)
        X[:50, list(target)] = 0
        X[np.arange(50), rng.choice(sorted(target), 50)] = rng.random(50) < 0.7
        labels = 1 - (X @ weights >= theta).astype(int)
        active = X[:, sorted(target)].sum(axis=1)
        cost = np.where(labels == 1, np.maximum(0, 1 - active), active)
        found = np.flatnonzero(cost <= errors)
        if not found.size:
            if changes == 0:
                return mistakes
            changes -= 1  # the heaviest attribute leaves, the lightest one comes
            target.discard(max(target, key=lambda i: weights[i]))
            target.add(min(set(range(n)) - target, key=lambda i: weights[i]))
            continue
        i = found[rng.integers(found.size)]
        errors -= int(cost[i])
        factor = alpha if labels[i] else 1 / alpha
        weights = np.where(X[i] == 1, np.maximum(weights * factor, floor), weights)
    return most


@settings(max_examples=40, deadline=None)
@given(
    k=st.integers(1, 4),
    n=st.integers(5, 30),
    alpha=st.floats(1.1, 3),
    share=st.floats(0.02, 0.9),
    changes=st.integers(0, 30),
    errors=st.sampled_from([0, 0, 10]),
    seed=st.integers(0, 2**32 - 1),
)
def test_an_adversary_stays_within_the_bound(k, n, alpha, share, changes, errors, seed):
    theta = float(n)
    bound = bounds.winnow_shifting(k, n, alpha, theta, share, changes, errors)
    assert attack(n, alpha, theta, share, changes=changes, errors=errors, seed=seed, k=k) <= bound


def test_control_a_third_of_the_bound_is_broken():
    bound = bounds.winnow_shifting(2, 20, 1.5, 20, 0.05, 40)
    assert attack(20, 1.5, 20, 0.05, changes=40, errors=0, seed=0, k=2) > bound / 3


def test_control_changes_break_the_bound_of_a_target_that_stays():
    assert attack(20, 1.5, 20, 0.05, changes=40, errors=0, seed=0, k=2) > bounds.winnow_shifting(2, 20, 1.5, 20, 0.05)


def test_control_noise_breaks_the_bound_without_noise():
    assert attack(20, 1.5, 20, 0.05, changes=0, errors=200, seed=0, k=2) > bounds.winnow_shifting(2, 20, 1.5, 20, 0.05)


def test_without_a_floor_and_changes_it_is_the_bound_of_winnow2():
    assert bounds.winnow_shifting(3, 100, 1.5, 100, 1e-12) == pytest.approx(
        bounds.winnow_disjunction(3, 100, 1.5, 100), rel=1e-9
    )


@pytest.mark.parametrize("changed", [{"floor": 0}, {"floor": 1.0}, {"theta": 0.5}, {"changes": -1}, {"alpha": 1.0}])
def test_what_the_theorem_does_not_cover(changed):
    with pytest.raises(ValueError, match="must"):
        bounds.winnow_shifting(**({"k": 2, "n": 10, "alpha": 1.5, "theta": 10, "floor": 0.1} | changed))


def test_certificate_of_a_learner():
    X, y = streams.disjunction(n=80, k=2, active=20, drift_every=300, seed=1).take(1200)  # three new disjunctions
    model = Winnow2(floor=0.1).partial_fit(X, y, classes=[0, 1])
    certificate = model.certificate(k=2, changes=6)
    assert certificate.kept
    assert certificate.mistakes == model.n_mistakes_
    assert certificate.bound == bounds.winnow_shifting(2, 80, 1.5, 80, 0.1, 6)
    assert "that changes 6 times" in str(certificate)
    assert model.certificate(k=2).bound == bounds.winnow_shifting(2, 80, 1.5, 80, 0.1)


def test_certificates_that_do_not_apply():
    X, y = np.eye(4, dtype=int), [0, 1, 0, 1]
    for model in (Winnow2(), Elimination(), Winnow2(floor=0.9, theta=1.0), Winnow2(floor=0.1, delta=0.5)):
        assert model.fit(X, y).certificate(k=2, changes=1).bound == math.inf
    with pytest.raises(ValueError, match="changes"):
        Winnow2(floor=0.1).fit(X, y).certificate(k=1, changes=-1)
