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


def worst_case(n: int, alpha: float, theta: float, floor: float, *, k: int, changes: int, first: int | None) -> int:
    """The most mistakes of all sequences without noise: every example, every target and every moment for a change.

    A target is a set of attributes as bits. The first one has `first` attributes, or any number up to k if None.
    """
    targets = [target for target in range(2**n) if target.bit_count() <= k]
    steps = {a: [b for b in targets if b != a and _changes(a, b) == 1] for a in targets}
    known: dict[tuple[tuple[float, ...], int, int], int] = {}

    def most(weights: tuple[float, ...], target: int, left: int) -> int:
        key = (tuple(round(w, 9) for w in weights), target, left)
        if key not in known:
            found = max((most(weights, other, left - 1) for other in steps[target]), default=0) if left else 0
            for x in range(1, 2**n):
                label, score = bool(x & target), sum(w for i, w in enumerate(weights) if x >> i & 1)
                if (score >= theta) != label:
                    factor = alpha if label else 1 / alpha
                    after = tuple(max(w * factor, floor) if x >> i & 1 else w for i, w in enumerate(weights))
                    found = max(found, 1 + most(after, target, left))
            known[key] = found
        return known[key]

    return max(most((1.0,) * n, t, changes) for t in targets if first is None or t.bit_count() == first)


def _changes(a: int, b: int) -> int:
    """Changes from one target to another: attributes added, removed or replaced."""
    return max((a & ~b).bit_count(), (b & ~a).bit_count())


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 3),
    k=st.integers(1, 3),
    alpha=st.floats(1.15, 3),
    times=st.floats(1.0, 3.0),
    share=st.floats(0.05, 0.95),
    changes=st.integers(0, 2),
)
def test_no_sequence_at_all_breaks_the_bound(n, k, alpha, times, share, changes):
    k, theta = min(k, n), times
    floor = share * min(1.0, theta / n)
    most = worst_case(n, alpha, theta, floor, k=k, changes=changes, first=None)
    assert most <= bounds.winnow_shifting(k, n, alpha, theta, floor, changes)


def test_control_a_third_of_the_bound_is_broken_by_some_sequence():
    most = worst_case(3, 1.5, 3.0, 0.3, k=1, changes=2, first=None)
    assert most > bounds.winnow_shifting(1, 3, 1.5, 3.0, 0.3, 2) / 3


def test_control_a_change_that_is_not_counted_breaks_the_bound():
    most = worst_case(3, 1.5, 3.0, 0.3, k=1, changes=2, first=None)
    assert most > bounds.winnow_shifting(1, 3, 1.5, 3.0, 0.3, 0)


def test_a_first_target_without_attributes_is_covered():
    theta, alpha, floor = 1.0, 1.2, 1e-6
    scale = math.log(alpha) / ((alpha - 1) * theta + (1 - 1 / alpha) * (theta - 2 * floor))
    assert scale > 1 / math.e  # where the empty target is the farthest
    gain = (1 - 1 / alpha) * scale * (theta - 2 * floor)
    assert bounds.winnow_shifting(1, 2, alpha, theta, floor) == pytest.approx(2 * scale / gain)
    assert worst_case(2, alpha, theta, floor, k=1, changes=0, first=0) <= 2 * scale / gain


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
