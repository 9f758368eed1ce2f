import math
from fractions import Fraction

import numpy as np
import pytest

from winnowkit.dnf import Agreement, Auto, BudgetExceeded, Descent, Exact, MistakeLog, Population, Threshold
from winnowkit.dnf.bound_search import Search
from winnowkit.dnf.kernels.threshold import NEAR

ALPHA = 1.5


def random_log(rng, n_mistakes, n_attributes, n_values=2, sparse=0.0):
    log = MistakeLog(n_attributes)
    for sign in rng.choice([-1, 1], n_mistakes):
        row = rng.integers(1, n_values + 1, n_attributes)
        row[rng.random(n_attributes) < sparse] = 1
        log.append(row, int(sign))
    return log


def random_agreement(seed, n_mistakes, n_attributes, n_values=2, sparse=0.0):
    rng = np.random.default_rng(seed)
    log = random_log(rng, n_mistakes, n_attributes, n_values, sparse)
    return Agreement.of(log, np.where(rng.random(n_attributes) < 0.05, 0, 1))


@pytest.mark.parametrize("seed", range(12))
def test_bounds_hold_the_sum_tighten_with_the_budget_and_meet(seed):
    n_values, sparse = (2, 3)[seed % 2], (0.0, 0.5, 0.8)[seed % 3]
    agreement = random_agreement(seed, 20 + 10 * seed, 14 + seed, n_values, sparse)
    exact, search = Exact().log_sum(agreement, ALPHA).log_sum, Search(agreement, ALPHA)
    before = -math.inf, math.inf
    for budget in (1, 10, 100, 1000, 10_000, 10**9):
        search.narrow_to(share=0.0, max_nodes=budget)
        low, high = search.log_bounds
        assert low <= exact + 1e-9
        assert exact <= high + 1e-9
        assert low >= before[0] - 1e-9
        assert high <= before[1] + 1e-9
        before = low, high
    assert search.gap == 0.0
    assert search.log_estimate == pytest.approx(exact, abs=1e-9)


def test_more_attributes_than_a_word_has_bits():
    rng = np.random.default_rng(0)
    log = random_log(rng, 40, 150, n_values=4)
    x = rng.integers(1, 5, 150)
    agreement = Agreement.of(log, x)
    assert agreement.sets.shape[1] > 1
    exact, search = Exact().log_sum(agreement, ALPHA).log_sum, Search(agreement, ALPHA)
    search.narrow_to(share=0.0, max_nodes=10**9)
    assert search.log_bounds == pytest.approx((exact, exact), abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_descents_are_right_in_the_mean(seed):
    agreement = random_agreement(seed, 120, 24, sparse=(0.0, 0.3)[seed % 2])
    exact, search = Exact().log_sum(agreement, ALPHA).log_sum, Search(agreement, ALPHA)
    search.narrow_to(share=0.0, max_nodes=2000)
    assert search.gap > 0
    search.descend(seed, max_descents=3000, max_nodes=10**9)
    assert 0 < search.std_err < 0.05
    assert abs(search.log_estimate - exact) < 4.5 * search.std_err
    assert math.exp(exact) > math.exp(search.log_bounds[0])


def test_sums_and_sides_are_exact_where_search_settles_them():
    for seed in range(6):
        agreement = random_agreement(seed, 60, 20)
        exact = Exact().log_sum(agreement, ALPHA).log_sum
        estimate = Descent().log_sum(agreement, ALPHA)
        assert estimate.exact
        assert estimate.log_sum == pytest.approx(exact, abs=1e-9)
        for off in (-0.01, 0.01):
            decision = Descent().decide(agreement, Threshold(ALPHA, exact + off))
            assert decision.certain
            assert decision.doubt == 0
            assert decision.label == int(off < 0)
            low, high = decision.log_bounds
            assert low <= exact + 1e-9
            assert exact <= high + 1e-9


def test_a_side_is_certain_only_if_proved_or_won():
    agreement, nodes = random_agreement(3, 150, 30), 20_000
    exact, search = Exact().log_sum(agreement, ALPHA).log_sum, Search(agreement, ALPHA)
    search.narrow_to(share=0.0, max_nodes=nodes)
    below = (search.log_bounds[0] + exact) / 2  # not proved
    won = Descent(max_nodes=nodes, max_descents=10_000).decide(agreement, Threshold(ALPHA, below), rng=0)
    assert won.label == 1
    assert won.certain
    assert 0 < won.doubt <= 0.01
    drawn = Descent(max_nodes=nodes, max_descents=10).decide(agreement, Threshold(ALPHA, exact + 1e-8), rng=0)
    assert not drawn.certain
    assert 0.01 < drawn.doubt <= 0.5


def test_the_same_seed_gives_the_same_estimate():
    agreement = random_agreement(5, 150, 30)
    engine = Descent(max_nodes=100)
    first, again, other = (engine.log_sum(agreement, ALPHA, rng=seed) for seed in (1, 1, 2))
    assert repr(first) == repr(again)  # since Python 3.13, records with the same NaN differ
    assert not first.exact
    assert first.log_sum != other.log_sum


def test_where_bounds_are_too_far_apart_populations_are_asked():
    agreement = random_agreement(7, 60, 20, sparse=0.8)
    population = Population(size=8, delta=0.2)
    engine = Descent(max_nodes=1, population=population, delta=0.05)
    assert repr(engine.log_sum(agreement, ALPHA, rng=4)) == repr(population.log_sum(agreement, ALPHA, rng=4))
    theta = population.log_sum(agreement, ALPHA, rng=4).log_sum + 0.05
    assert engine.decide(agreement, Threshold(ALPHA, theta), rng=4).doubt <= 0.05


def test_wide_sides_are_those_of_the_exact_sum_and_ties_are_exact():
    rng = np.random.default_rng(2)
    log = random_log(rng, 12, 90, n_values=3)
    agreement = Agreement.of(log, rng.integers(1, 4, 90))
    counts = Exact().counts(agreement)
    total = sum((count * Fraction(3, 2) ** net for net, count in counts.items()), Fraction(0))
    for engine in (Exact(), Descent(), Auto()):
        for theta, label in ((total, 1), (total + Fraction(1, 10**9), 0), (total - 1, 1), (total * 2, 0)):
            log_theta = math.log(theta.numerator) - math.log(theta.denominator)
            assert engine.decide(agreement, Threshold(ALPHA, log_theta, theta)).label == label


def test_a_wide_exact_decision_keeps_to_its_budget():
    rng = np.random.default_rng(0)
    log = random_log(rng, 400, 80)
    agreement = Agreement.of(log, np.ones(80))
    exact = Descent().log_sum(agreement, ALPHA, rng=0)
    with pytest.raises(BudgetExceeded, match="max_nodes=3"):
        Exact(max_nodes=3).decide(agreement, Threshold(ALPHA, exact.log_sum))


def test_a_wide_sum_with_a_budget_ends_where_the_search_has_no_more_room():
    agreement = random_agreement(0, 300, 80, sparse=0.7)
    with pytest.raises(BudgetExceeded):
        Exact(max_nodes=10**9).log_sum(agreement, ALPHA)


def test_huge_nets_are_above_any_threshold_that_floats_hold():
    log = MistakeLog(60)
    rng = np.random.default_rng(0)
    for _ in range(50):
        log.give(rng.integers(1, 3, 60), 100)
    agreement = Agreement.of(log, np.ones(60))
    assert Descent().decide(agreement, Threshold(ALPHA, 500.0)).label == 1
    search = Search(agreement, ALPHA)
    search.narrow_by(500.0, NEAR, 10**6)
    assert search.lower == math.inf


def test_wide_rows_are_followed_as_if_asked_anew():
    rng = np.random.default_rng(3)
    X = rng.integers(1, 3, (60, 46))
    y = ((X[:, :2] == 1).all(axis=1) | (X[:, 2:4] == 2).all(axis=1)).astype(int)
    log_theta, log = 46 * math.log(3), MistakeLog(46)
    training = Exact().training(X, y, Threshold(ALPHA, log_theta))
    for _ in range(4):
        order, wrong = rng.permutation(60), 0
        for i in order:
            if Exact().decide(Agreement.of(log, X[i]), Threshold(ALPHA, log_theta)).label != y[i]:
                log.append(X[i], 1 if y[i] else -1)
                wrong += 1
        assert training.epoch(order) == wrong
    assert training.log == log


def test_bounds_of_wide_rows_hold_their_sums():
    rng = np.random.default_rng(8)
    log = random_log(rng, 60, 50, n_values=3)
    X = rng.integers(1, 4, (5, 50))
    low, high = Exact().bounds(log, X, ALPHA, np.full(5, 40 * math.log(2)))
    sums = Exact().log_sums(log, X, ALPHA)
    assert (low <= sums + 1e-9).all()
    assert (sums <= high + 1e-9).all()
    assert (high - low < 1.0).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"delta": 0.5}, "delta"),
        ({"max_nodes": 0}, "max_nodes"),
        ({"max_descents": 0}, "max_descents"),
        ({"widest": -1.0}, "widest"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ValueError, match=message):
        Descent(**parameters)
