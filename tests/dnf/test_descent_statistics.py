"""Intervals that hold and sides that are right, as often as they claim, over hundreds of logs."""

import numpy as np
import pytest

from winnowkit.dnf import Agreement, Descent, Exact, MistakeLog, Population, Threshold
from winnowkit.dnf.bound_search import Search

pytestmark = pytest.mark.slow
ALPHA = 1.5


def random_agreement(rng):
    n, m = int(rng.integers(18, 28)), int(rng.integers(60, 200))
    X = rng.integers(1, 3, (m, n))
    y = rng.integers(0, 2, m) if rng.random() < 0.5 else (X[:, :3] == 1).all(axis=1) | (X[:, 3:6] == 2).all(axis=1)
    log = MistakeLog(n)
    for row, label in zip(X, y, strict=True):
        log.append(row, 1 if label else -1)
    return Agreement.of(log, rng.integers(1, 3, n))


def sampled(n_instances):
    """Agreements, their exact sums, and searches that left something open but are trusted to sample it."""
    rng = np.random.default_rng(0)
    while n_instances:
        agreement = random_agreement(rng)
        search = Search(agreement, ALPHA)
        search.narrow_to(share=0.0, max_nodes=int(rng.choice([2000, 8000])))
        if 1e-9 * search.lower < search.gap <= Descent().widest * search.lower:
            yield agreement, Exact().log_sum(agreement, ALPHA).log_sum, search
            n_instances -= 1


def test_95_percent_intervals_hold_95_percent_of_the_sums():
    inside = []
    for i, (_, exact, search) in enumerate(sampled(300)):
        search.descend(i, max_descents=1000, max_nodes=10**6)
        inside.append(abs(search.log_estimate - exact) < 1.96 * search.std_err)
    assert 0.92 <= np.mean(inside) <= 0.98


def test_sides_won_by_bets_are_wrong_no_more_often_than_delta():
    delta, won, wrong = 0.1, 0, 0
    for i, (agreement, exact, search) in enumerate(sampled(200)):
        engine = Descent(max_nodes=max(1, search.nodes - 1), max_descents=1000, delta=delta)
        for part in (0.3, -0.3):
            log_theta = exact + part * (exact - search.log_bounds[0])
            decision = engine.decide(agreement, Threshold(ALPHA, log_theta), rng=i)
            if decision.certain and decision.doubt:
                won += 1
                wrong += decision.label != int(exact >= log_theta)
    assert won > 100
    assert wrong <= delta * won


def dense(n_instances):
    """Agreements on tables of mostly equal attributes, and their exact sums."""
    rng = np.random.default_rng(1)
    for _ in range(n_instances):
        n, m, p = int(rng.integers(16, 24)), int(rng.integers(60, 200)), float(rng.choice([0.1, 0.2, 0.3]))
        X = 1 + (rng.random((m, n)) < p)
        y = rng.integers(0, 2, m) if rng.random() < 0.5 else (X[:, :2] == 1).all(axis=1)
        log = MistakeLog(n)
        for row, label in zip(X, y, strict=True):
            log.append(row, 1 if label else -1)
        agreement = Agreement.of(log, 1 + (rng.random(n) < p))
        yield agreement, Exact().log_sum(agreement, ALPHA).log_sum


def test_intervals_of_populations_hold_the_sums():
    inside = []
    for i, (agreement, exact) in enumerate(dense(300)):
        estimate = Population().log_sum(agreement, ALPHA, rng=i)
        inside.append(abs(estimate.log_sum - exact) <= 1.96 * estimate.std_err + 1e-9)
    assert 0.92 <= np.mean(inside) <= 0.98


def test_sides_by_populations_are_wrong_no_more_often_than_delta():
    delta, certain, wrong = 0.05, 0, 0
    for i, (agreement, exact) in enumerate(dense(150)):
        for off in (-0.1, -0.02, 0.02, 0.1):
            decision = Population(delta=delta, max_populations=256).decide(
                agreement, Threshold(ALPHA, exact + off), rng=i
            )
            certain += decision.certain
            wrong += decision.certain and decision.label != int(off < 0)
    assert certain > 400
    assert wrong <= delta * certain
