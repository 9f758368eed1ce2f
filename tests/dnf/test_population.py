import math

import numpy as np
import pytest

from winnowkit.dnf import Agreement, Descent, Exact, MistakeLog, Population, Threshold
from winnowkit.dnf.population import log_capital, upper_limit

ALPHA = 1.5


def random_agreement(seed, n_mistakes=60, n_attributes=12, p=0.3, most=1):
    rng = np.random.default_rng(seed)
    log = MistakeLog(n_attributes)
    for sign in rng.choice([-1, 1], n_mistakes):
        row = 1 + (rng.random(n_attributes) < p)
        row[rng.random(n_attributes) < 0.05] = 0
        log.give(row, int(sign * rng.integers(1, most + 1)))
    return Agreement.of(log, np.where(rng.random(n_attributes) < 0.05, 0, 1))


@pytest.mark.parametrize(("size", "tempers"), [(1, 2), (4, 3), (32, 6)])
@pytest.mark.parametrize("most", [1, 5])
def test_populations_of_any_size_are_right_in_the_mean(size, tempers, most):
    for seed in range(3):
        agreement = random_agreement(seed, most=most)
        engine = Population(size=size, tempers=tempers, max_populations=256, error=0)
        exact, estimate = Exact().log_sum(agreement, ALPHA).log_sum, engine.log_sum(agreement, ALPHA, rng=seed)
        assert not estimate.exact
        assert estimate.chains == 256
        assert abs(math.expm1(estimate.log_sum - exact)) < 4.5 * estimate.std_err + 1e-9


@pytest.mark.parametrize(
    ("rows", "x", "log2"),
    [
        ([], [1, 1, 1], 3),  # no mistakes
        ([[1, 1, 1]], [1, 1, 1], 3 + math.log2(ALPHA)),  # all attributes in all of them
        ([[2, 2, 2]], [1, 1, 1], math.log2(7 + ALPHA)),  # and in none
        ([[1, 2, 2], [1, 1, 2]], [1, 1, 1], math.log2(4 + 2 * ALPHA + 2 * ALPHA**2)),
        ([[1, 1, 1]], [0, 0, 0], math.log2(ALPHA)),  # nothing specified
    ],
)
def test_sums_that_need_no_luck(rows, x, log2):
    log = MistakeLog(3)
    for row in rows:
        log.append(row, +1)
    estimate = Population().log_sum(Agreement.of(log, x), ALPHA, rng=0)
    assert estimate.log_sum == pytest.approx(log2 * math.log(2), abs=0.05)
    if len(rows) < 2:
        assert estimate.log_sum == pytest.approx(log2 * math.log(2), abs=1e-12)


def test_populations_agree_with_a_search_that_closed_its_bounds_over_a_hundred_attributes():
    rng = np.random.default_rng(1)
    log = MistakeLog(100)
    for _ in range(300):
        row = rng.integers(1, 3, 100)
        log.give(row, 9 if (row[:3] == 1).all() else -1)
    agreement = Agreement.of(log, np.ones(100))
    proved, estimate = Descent().log_sum(agreement, ALPHA), Population().log_sum(agreement, ALPHA, rng=0)
    assert proved.std_err < 1e-9
    assert proved.log_sum > 101 * math.log(2)
    assert abs(estimate.log_sum - proved.log_sum) < 4.5 * estimate.std_err + 1e-6
    assert estimate.std_err < 0.02


def test_dense_agreement_is_decided_where_bounds_and_chains_say_nothing():
    rng = np.random.default_rng(2)
    X = 1 + (rng.random((300, 90)) < 0.12)
    log = MistakeLog(90)
    for row in X:
        log.append(row, 1 if (row[:2] == 1).all() else -1)
    agreement = Agreement.of(log, np.ones(90))
    estimate = Descent().log_sum(agreement, ALPHA, rng=0)
    again = Population(size=400).log_sum(agreement, ALPHA, rng=1)
    assert estimate.chains > 0
    assert abs(estimate.log_sum - again.log_sum) < 4.5 * (estimate.std_err + again.std_err) + 1e-6
    for off in (-0.5, 0.5):
        decision = Descent().decide(agreement, Threshold(ALPHA, again.log_sum + off), rng=0)
        assert decision.label == int(off < 0)
        assert decision.certain
        low, high = decision.log_bounds
        assert low <= again.log_sum + 5 * again.std_err
        assert high >= again.log_sum - 5 * again.std_err


def test_sides_are_certain_away_from_theta_and_in_doubt_at_it():
    agreement = random_agreement(4, 100, 16)
    exact = Exact().log_sum(agreement, ALPHA).log_sum
    for off in (-30.0, -0.3, 0.3, 30.0):
        decision = Population().decide(agreement, Threshold(ALPHA, exact + off), rng=0)
        assert decision.certain
        assert decision.label == int(off < 0)
        assert 0 < decision.doubt <= 0.01
    unclear = Population(max_populations=64).decide(agreement, Threshold(ALPHA, exact), rng=0)
    assert not unclear.certain
    assert unclear.doubt > 0.01
    assert unclear.chains == 64


def test_the_same_seed_gives_the_same_estimate_with_any_number_of_threads():
    agreement = random_agreement(5)
    first, again, other = (
        Population(n_jobs=jobs).log_sum(agreement, ALPHA, rng=seed) for jobs, seed in ((1, 1), (3, 1), (1, 2))
    )
    assert first == again
    assert first.log_sum != other.log_sum


def test_huge_nets_and_many_attributes_stay_finite():
    rng = np.random.default_rng(0)
    log = MistakeLog(1200)
    for sign in (1, 1, -1, -1, 1):
        log.give(rng.integers(1, 3, 1200), int(sign * 5000))
    agreement = Agreement.of(log, np.ones(1200))
    engine = Population(size=2, min_populations=2, max_populations=2)
    estimate = engine.log_sum(agreement, ALPHA, rng=0)
    assert 1200 * math.log(2) < estimate.log_sum < math.inf
    assert Descent(population=engine).log_sum(agreement, ALPHA, rng=0) == estimate
    assert Descent(population=engine).decide(agreement, Threshold(ALPHA, 1e6), rng=0).label == 0


def test_bets_on_a_mean_of_one_win_nothing_on_average():
    rng = np.random.default_rng(0)
    capitals = [math.exp(log_capital(rng.exponential(size=20))) for _ in range(20_000)]
    assert np.mean(capitals) == pytest.approx(1.0, abs=0.1)
    assert np.mean(np.array(capitals) >= 20) < 0.05


def test_limits_hold_at_all_times():
    rng = np.random.default_rng(0)
    missed = 0
    for _ in range(1000):
        values = rng.lognormal(-0.045, 0.3, size=160)
        missed += any(upper_limit(values[:k], 0.05) < 1 for k in range(16, 161, 16))
    assert missed / 1000 < 0.05


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"size": 0}, "size"),
        ({"tempers": 1}, "tempers"),
        ({"min_populations": 1}, "min_populations"),
        ({"max_populations": 7}, "max_populations"),
        ({"error": -1.0}, "error"),
        ({"delta": 0.0}, "delta"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ValueError, match=message):
        Population(**parameters)
