import math

import numpy as np
import pytest

from winnowkit.dnf import Agreement, Exact, MistakeLog
from winnowkit.dnf.agreement import exact_sum
from winnowkit.dnf.largest import race
from winnowkit.dnf.learners import Learners


def learners_of(rng, n_learners, n_attributes, n_mistakes, theta=None):
    learners = Learners(n_learners, n_attributes, 1.5, 3**n_attributes if theta is None else theta)
    for log in learners.logs:
        for t, z in enumerate(rng.integers(1, 3, (n_mistakes, n_attributes))):
            log.append(z, (-1) ** t)
    return learners


def plain_largest(learners, x):
    sums = [exact_sum(Exact().counts(Agreement.of(log, x)), 1.5) for log in learners.logs]
    return sums.index(max(sums))


@pytest.mark.parametrize(
    ("n_learners", "n_attributes", "n_mistakes", "theta"),
    [(2, 6, 6, None), (3, 8, 20, None), (4, 20, 60, None), (3, 20, 60, 1), (3, 12, 30, 2**300)],
)
def test_the_largest_sum_wins_whatever_theta_is(n_learners, n_attributes, n_mistakes, theta):
    rng = np.random.default_rng(n_attributes)
    learners = learners_of(rng, n_learners, n_attributes, n_mistakes, theta)
    X = rng.integers(0, 3, (40, n_attributes)).astype(np.int32)
    expected = [plain_largest(learners, x) for x in X]
    assert len(set(expected)) > 1
    assert learners.predict(X).tolist() == expected
    assert learners.predict(X, n_jobs=3).tolist() == expected


def test_ties_go_to_the_lower_class_and_sums_beside_each_other_to_the_larger():
    rng = np.random.default_rng(0)
    learners = learners_of(rng, 3, 16, 40)
    learners.logs[2] = MistakeLog.restore(
        learners.logs[0].codes, learners.logs[0].nets, learners.logs[0].last, n_promotions=40, n_demotions=0
    )
    X = rng.integers(1, 3, (30, 16)).astype(np.int32)
    assert learners.predict(X).tolist() == [plain_largest(learners, x) for x in X]
    assert 2 not in learners.predict(X)
    # A mistake that agrees with an example nowhere moves one of its 2^40 terms: less than floats can tell.
    wide = Learners(2, 40, 1.5, 3**40)
    wide.logs[1].append(np.full(40, 2), +1)
    assert wide.predict(np.ones((1, 40), dtype=np.int32)).tolist() == [1]


def test_bounds_separate_learners_before_their_sums_are_known():
    rng = np.random.default_rng(1)
    learners = learners_of(rng, 2, 30, 80)
    X = rng.integers(1, 3, (5, 30)).astype(np.int32)
    sums = learners.log_sums(X)
    left = race(Exact(), learners.logs, X, 1.5, 30 * math.log(3), np.ones((5, 2), dtype=bool))
    assert left.argmax(axis=1).tolist() == sums.argmax(axis=1).tolist()
    assert (left.sum(axis=1) == 1).all()
    low, high = Exact().bounds(learners.logs[0], X, 1.5, sums[:, 0] - 5)
    assert (low <= sums[:, 0] + 1e-12).all()
    assert (sums[:, 0] <= high + 1e-12).all()
    assert (low < high).all()


def test_nets_past_what_kernels_hold_and_more_attributes_than_a_word_are_compared_by_value():
    learners = Learners(2, 2, 1.5, 9)
    learners.logs[1] = MistakeLog.restore([[1, 1]], [40_000], [1], n_promotions=40_000, n_demotions=0)
    assert learners.predict(np.array([[1, 2], [0, 0]], dtype=np.int32)).tolist() == [1, 1]
    rng = np.random.default_rng(2)
    learners = learners_of(rng, 3, 90, 6)
    X = rng.integers(1, 3, (5, 90)).astype(np.int32)
    assert learners.predict(X).tolist() == [plain_largest(learners, x) for x in X]
