"""Weighted sums against brute force in exact rational arithmetic, on thousands of random logs."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_dnf as naive
from brute_force import BruteForce
from logs import log_of
from winnowkit.dnf import Agreement, Exact, MistakeLog, Threshold

ALPHAS = [1.0001, 1.1, 1.5, 2.0, 3.7, 100.0]


def nets_by_superset_sums(x, mistakes):
    """Net of every subset of x's specified attributes: the naive definition, fast enough for thousands of logs."""
    specified = [j for j, code in enumerate(x) if code]
    nets = np.zeros(1 << len(specified), dtype=np.int64)
    every = np.arange(nets.size)
    for z, sign in mistakes:
        agree = sum(1 << b for b, j in enumerate(specified) if z[j] == x[j])
        nets[every & ~agree == 0] += sign
    return nets


@st.composite
def problems(draw, max_attributes=6, max_mistakes=12):
    n = draw(st.integers(1, max_attributes))
    examples = st.lists(st.integers(0, draw(st.integers(1, 3))), min_size=n, max_size=n)
    pool = draw(st.lists(examples, min_size=1, max_size=max_mistakes))  # drawn from again: repeats and cancellations
    mistakes = draw(st.lists(st.tuples(st.sampled_from(pool), st.sampled_from([1, -1])), max_size=2 * max_mistakes))
    return draw(examples), mistakes


@given(problems(), st.sampled_from(ALPHAS))
@settings(max_examples=150, deadline=None)
def test_the_sum_is_that_of_brute_force(problem, alpha):
    x, mistakes = problem
    agreement = Agreement.of(log_of(mistakes, len(x)), x)
    assert Exact().counts(agreement) == naive.counts(x, mistakes)
    expected = naive.log(naive.weighted_sum(x, mistakes, alpha))
    assert Exact().log_sum(agreement, alpha).log_sum == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("seed", range(8))
def test_thousands_of_random_logs_of_up_to_twelve_attributes(seed):
    rng = np.random.default_rng(seed)
    for _ in range(300):
        n = int(rng.integers(1, 13))
        values = int(rng.integers(1, 4))
        lowest = int(rng.integers(0, 2))  # 0: missing values too
        pool = rng.integers(lowest, values + 1, (int(rng.integers(1, 40)), n)).tolist()
        picks = rng.integers(0, len(pool), int(rng.integers(0, 60)))
        mistakes = [(pool[i], int(rng.choice([-1, 1]))) for i in picks]
        x, alpha = rng.integers(lowest, values + 1, n).tolist(), float(rng.choice(ALPHAS))
        log = log_of(mistakes, n)
        agreement = Agreement.of(log, x)
        values, how_many = np.unique(nets_by_superset_sums(x, mistakes), return_counts=True)
        counts = dict(zip(values.tolist(), how_many.tolist(), strict=True))
        total = sum(count * Fraction(alpha) ** net for net, count in counts.items())
        assert Exact().counts(agreement) == counts
        assert Exact().log_sum(agreement, alpha).log_sum == pytest.approx(naive.log(total), abs=1e-10)
        assert Exact().log_sums(log, [x], alpha)[0] == pytest.approx(naive.log(total), abs=1e-10)
        assert Exact().decide(agreement, Threshold(alpha, naive.log(total), total)).label == 1
        near = total * (1 + Fraction(int(rng.choice([-1, 1])), int(rng.choice([10**30, 10**12, 10**8, 100, 3]))))
        assert Exact().decide(agreement, Threshold(alpha, naive.log(near), near)).label == (total >= near)


@given(problems(max_attributes=9), st.sampled_from([1, -1]), st.data())
@settings(max_examples=150, deadline=None)
def test_one_more_mistake_moves_the_sum_by_the_sum_of_the_meet(problem, sign, data):
    """Identity 5: W'(x) = W(x) + (alpha^s - 1) W(x meet z), in exact arithmetic."""
    x, mistakes = problem
    z = data.draw(st.lists(st.integers(0, 3), min_size=len(x), max_size=len(x)))
    alpha = Fraction(3, 2)

    def total(example, log):
        counts = Exact().counts(Agreement.of(log, example))
        return sum(count * alpha**net for net, count in counts.items())

    log = log_of(mistakes, len(x))
    before, of_meet = total(x, log), total(naive.meet(x, z), log)
    log.append(z, sign)
    assert total(x, log) == before + (alpha**sign - 1) * of_meet


@given(problems(max_attributes=10, max_mistakes=20), st.sampled_from(ALPHAS))
@settings(max_examples=100, deadline=None)
def test_counts_give_the_sum_of_every_alpha_and_add_up_to_all_terms(problem, alpha):
    x, mistakes = problem
    agreement = Agreement.of(log_of(mistakes, len(x)), x)
    counts = Exact().counts(agreement)
    assert sum(counts.values()) == 2**agreement.n_attributes
    from_counts = math.log(math.fsum(count * alpha**net for net, count in counts.items()))
    assert Exact().log_sum(agreement, alpha).log_sum == pytest.approx(from_counts, abs=1e-11)


def test_brute_force_refuses_what_would_take_hours():
    with pytest.raises(ValueError, match=r"max_attributes must be in 1 \.\.\. 62, got 63"):
        BruteForce(63)
    assert repr(BruteForce(3)) == "BruteForce(max_attributes=3)"
    agreement = Agreement.of(MistakeLog(4), [1, 1, 1, 1])
    assert BruteForce(4).counts(agreement) == {0: 2**4}
    with pytest.raises(ValueError, match=r"2\^4 terms is more than max_attributes=3 allows; use Exact\(\)"):
        BruteForce(3).counts(agreement)
