"""Sampled answers and their own error: limits, capitals and doubt, by their definitions."""

import itertools
import math

import numpy as np
import pytest

from logs import agreement_of, random_agreement
from winnowkit.dnf import Agreement, Descent, Exact, MistakeLog, Population, Threshold
from winnowkit.dnf.bound_search import Search
from winnowkit.dnf.kernels.random_descents import Tally, bet, note
from winnowkit.dnf.population import log_capital, upper_limit

ALPHA = 1.5


@pytest.mark.parametrize("delta", [0.01, 0.2])
@pytest.mark.parametrize("count", [2, 5, 24, 100])
def test_the_upper_limit_is_that_of_the_paper(count, delta):
    """Waudby-Smith et al. (2024), theorem 2.2, one-sided; rho as in their section on tuning, for 24 values."""
    values = np.random.default_rng(count).exponential(size=count)
    rho = math.sqrt((-2 * math.log(delta) + math.log(-2 * math.log(delta)) + 1) / 24)
    under_root = 2 * (count * rho**2 + 1) / (count * rho) ** 2
    width = math.sqrt(under_root * math.log(1 + math.sqrt(count * rho**2 + 1) / (2 * delta)))
    assert upper_limit(values, delta) == pytest.approx(values.mean() + np.std(values, ddof=1) * width, rel=1e-12)


def test_each_bet_is_kellys_for_what_was_seen_before_it():
    ratios = np.random.default_rng(0).lognormal(-0.2, 1.0, 40)
    expected = math.log1p(0.5 * (ratios[0] - 1))
    for k in range(1, len(ratios)):
        seen = ratios[:k] - 1
        size = np.clip(seen.sum() / (1 + (seen**2).sum()), 0.0, 0.9)
        expected += math.log1p(size * (ratios[k] - 1))
    assert log_capital(ratios) == pytest.approx(expected, rel=1e-12)


def tally_of(values):
    tally = Tally(np.zeros(2, dtype=np.int64), np.zeros(4))
    for k, value in enumerate(values):
        note(tally, value, k + 1)
    return tally


def test_a_tally_has_the_mean_and_the_squared_deviations():
    for n in range(1, 9):
        values = np.random.default_rng(n).random(n)
        tally = tally_of(values)
        assert tally.counts.tolist() == [n, n * (n + 1) // 2]
        assert tally.sums[0] == pytest.approx(values.mean())
        assert tally.sums[1] == pytest.approx(((values - values.mean()) ** 2).sum(), abs=1e-15)
        assert tally.sums[2:].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("stake", [0.2, 0.5, 0.7])
def test_bets_on_a_true_claim_win_nothing_and_on_a_false_one_they_win(stake):
    """Over all sequences of six descents that find 0 or 1, each with its probability."""

    def mean_capitals(mean):
        capitals = np.zeros(2)
        for found in itertools.product([0.0, 1.0], repeat=6):
            tally = Tally(np.zeros(2, dtype=np.int64), np.zeros(4))
            for value in found:
                bet(tally, stake, value)
                note(tally, value, 1)
            capitals += np.exp(tally.sums[2:]) * mean ** sum(found) * (1 - mean) ** (6 - sum(found))
        return capitals

    assert mean_capitals(stake) == pytest.approx([1.0, 1.0], rel=1e-12)
    assert mean_capitals(0.95)[0] > 1.3
    assert mean_capitals(0.95)[1] < 1
    assert mean_capitals(0.05)[1] > 1.3
    assert mean_capitals(0.05)[0] < 1


def hard_agreement():
    rng = np.random.default_rng(0)
    return agreement_of([(rng.integers(1, 3, 14).tolist(), int(sign)) for sign in rng.choice([-1, 1], 30)], [1] * 14)


def test_descents_are_as_many_as_were_asked_for_and_right_in_the_mean():
    agreement = hard_agreement()
    exact = Exact().log_sum(agreement, ALPHA).log_sum
    search = Search(agreement, ALPHA)
    search.narrow_to(0.0, 1)
    assert search.gap > 0
    low, high = search.log_bounds
    assert search.std_err == pytest.approx(0.5 * search.gap / (search.lower + search.gap / 2))
    before = search.nodes
    search.descend(0, 150, 10**6)
    assert search.tally.counts[0] == 150
    assert search.nodes > before
    assert low < search.log_estimate < high
    n, (mean, deviations) = 150, search.tally.sums[:2]
    expected = search.gap * math.sqrt(deviations / (n - 1) / n) / (search.lower + search.gap * mean)
    assert search.std_err == pytest.approx(expected, rel=1e-12)
    assert abs(search.log_estimate - exact) < 4.5 * search.std_err
    few = Search(agreement, ALPHA)
    few.narrow_to(0.0, 1)
    few.descend(0, 10**6, 1)  # no descent begins once so many steps were taken
    assert 0 < few.tally.counts[0] < 150


def test_a_small_gap_leaves_an_error_too():
    search = Search(hard_agreement(), ALPHA)
    search.narrow_to(0.0, 10**6, log_gap=math.log(0.5))
    assert 0 < search.gap < 1
    assert search.std_err > 0


def test_a_side_that_few_descents_leave_open_is_in_doubt_by_its_distance():
    agreement = hard_agreement()
    exact = Exact().log_sum(agreement, ALPHA).log_sum
    doubts = []
    for off in (-0.02, 0.02, 0.0):
        decision = Descent(max_nodes=64, max_descents=12, delta=1e-9).decide(
            agreement, Threshold(ALPHA, exact + off), rng=0
        )
        if not decision.certain:
            doubts.append(decision.doubt)
    assert len(doubts) > 1
    assert all(0 < doubt <= 0.5 for doubt in doubts)
    assert min(doubts) < 0.45


@pytest.mark.parametrize("most", [2, 16, 17, 33])
def test_populations_are_as_many_as_are_allowed(most):
    agreement = random_agreement(0, n=5, size=8)
    engine = Population(size=1, tempers=2, min_populations=2, max_populations=most, error=0)
    assert engine.log_sum(agreement, ALPHA, rng=0).chains == most
    assert engine.log_sum(agreement, ALPHA, rng=0).ess == most


def test_populations_that_decide_nothing_are_in_doubt_by_their_error():
    agreement = random_agreement(1, n=6, size=12)
    engine = Population(size=2, tempers=2, min_populations=32, max_populations=32, error=0, delta=1e-12)
    estimate = engine.log_sum(agreement, ALPHA, rng=0)
    for off in (-2.0, -0.5, 0.3, 1.0):
        theta = estimate.log_sum + off * estimate.std_err
        decision = engine.decide(agreement, Threshold(ALPHA, theta), rng=0)
        assert not decision.certain
        assert decision.label == int(off < 0)
        assert decision.doubt == pytest.approx(0.5 * math.erfc(abs(off) / math.sqrt(2)), rel=1e-9)


def test_a_sum_without_spread_at_theta_is_in_doubt_by_a_half():
    log = MistakeLog(2)
    log.append([1, 1], 1)
    agreement = Agreement.of(log, [1, 1])
    decision = Population(max_populations=64).decide(agreement, Threshold(ALPHA, math.log(6.0)), rng=0)
    assert decision.doubt <= 0.5


def test_a_sum_well_above_theta_is_certain_by_the_capital_of_its_bets():
    agreement = random_agreement(2, n=6, size=12)
    exact = Exact().log_sum(agreement, ALPHA).log_sum
    engine = Population(size=4, tempers=2)
    decision = engine.decide(agreement, Threshold(ALPHA, exact - 1.0), rng=0)
    assert (decision.label, decision.certain) == (1, True)
    assert decision.chains % 16 == 0
    assert 0 < decision.doubt <= engine.delta
