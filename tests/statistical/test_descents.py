"""Intervals that hold and sides that are right, as often as they claim, over hundreds of logs."""

import numpy as np
import pytest

from winnowkit.dnf import Agreement, Descent, Exact, MistakeLog
from winnowkit.dnf.searching import Search

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
            decision = engine.decide(agreement, ALPHA, log_theta, rng=i)
            if decision.certain and decision.doubt:
                won += 1
                wrong += decision.label != int(exact >= log_theta)
    assert won > 100
    assert wrong <= delta * won
