"""A sum that equals theta predicts 1, whichever engine computed or sampled it."""

import math

import numpy as np
import pytest

from winnowkit.dnf import Agreement, Descent, Exact, Ladder, MistakeLog, Population, Threshold
from winnowkit.dnf.bound_search import Search
from winnowkit.dnf.mcmc.ladder_kernel import Walk, stops
from winnowkit.dnf.mcmc.rungs import first_guess

ALPHA = 1.5


def random_agreement(seed, n_mistakes=40, n_attributes=10):
    rng = np.random.default_rng(seed)
    log = MistakeLog(n_attributes)
    for sign in rng.choice([-1, 1], n_mistakes):
        log.append(rng.integers(1, 3, n_attributes), int(sign))
    return Agreement.of(log, np.ones(n_attributes))


@pytest.mark.parametrize(
    "engine",
    [Population(size=4, max_populations=64, error=0, delta=1e-9), Ladder(steps=20, burn_in=5, early_stop=False)],
    ids=["Population", "Ladder"],
)
def test_a_sampled_sum_that_equals_theta_predicts_1(engine):
    agreement = random_agreement(0)
    sampled = engine.log_sum(agreement, ALPHA, rng=3).log_sum
    for log_theta, label in [(sampled, 1), (np.nextafter(sampled, np.inf), 0), (np.nextafter(sampled, 0), 1)]:
        decision = engine.decide(agreement, Threshold(ALPHA, log_theta), rng=3)
        assert (decision.label, decision.certain) == (label, False)
        assert decision.doubt == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize(("beyond", "label"), [(0.0, 1), (1e-12, 0)])
def test_descents_that_estimate_theta_predict_1(beyond, label, monkeypatch):
    agreement = random_agreement(1, 150, 30)
    log_theta = Exact().log_sum(agreement, ALPHA).log_sum
    monkeypatch.setattr(Search, "log_estimate", property(lambda _: log_theta - beyond))
    decision = Descent(max_nodes=20_000, max_descents=10).decide(agreement, Threshold(ALPHA, log_theta), rng=0)
    assert (decision.label, decision.certain) == (label, False)


def test_sums_known_without_chains_that_equal_theta_predict_1():
    agreement = Agreement.of(MistakeLog(3), [1, 1, 1])
    (log_sum,) = {engine.log_sum(agreement, ALPHA).log_sum for engine in (Ladder(), Exact())}
    assert Ladder().decide(agreement, Threshold(ALPHA, log_sum)).label == 1
    assert Ladder().decide(agreement, Threshold(ALPHA, np.nextafter(log_sum, 9))).label == 0


def test_a_walk_stops_at_theta_only_if_the_guess_was_1():
    for guess, log_sum, ends in [(1, 2.0, True), (1, 1.9, False), (0, 2.0, False), (0, 1.9, True), (-1, 1.9, False)]:
        assert stops(Walk(guess, 0.0, 0.0, 2.0), log_sum) == ends
    assert (first_guess(3, 3 * math.log(2)), first_guess(3, 3 * math.log(2) + 1e-9)) == (1, 0)
