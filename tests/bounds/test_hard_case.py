"""The lower bound of the kernel Perceptron, against the learner itself with one weight per conjunction."""

import math
from itertools import product

import numpy as np
import pytest

from winnowkit import bounds
from winnowkit.experiments.khardon_roth_servedio_hard_case import (
    TermWinnow,
    attack,
    length,
    perceptron,
    random_sets,
    size,
    upper_bound,
    winnow,
)


def explicit_perceptron(sets, n):
    """One weight per conjunction, and no kernel."""
    terms = np.array(list(product((0, 1), repeat=n)))
    weights = np.zeros(len(terms))
    mistakes = 0
    for x, label in [(0, 0), (2**n - 1, 1), *((int(x), 0) for x in sets)]:
        bits = np.array([x >> j & 1 for j in range(n)])
        satisfied = (terms <= bits).all(axis=1)
        if int(weights[satisfied].sum() > 0) != label:
            mistakes += 1
            weights[satisfied] += 1 if label else -1
    return mistakes


@pytest.mark.parametrize("n", [4, 7, 9])
def test_the_kernel_is_the_perceptron_over_all_conjunctions(n):
    sets = random_sets(n, n // 2, 60, np.random.default_rng(n))
    assert perceptron(sets) == explicit_perceptron(sets, n) > 1


def test_random_sets_have_their_size():
    sets = random_sets(40, 17, 500, np.random.default_rng(0))
    assert {int(x).bit_count() for x in sets} == {17}
    shares = np.mean([[int(x) >> j & 1 for j in range(40)] for x in sets], axis=0)
    assert abs(shares - 17 / 40).max() < 5 * math.sqrt(0.25 / 500)


@pytest.mark.parametrize("n", [16, 24, 36])
def test_the_perceptron_makes_as_many_mistakes_as_the_bound_says(n):
    made = [perceptron(random_sets(n, size(n), length(n), np.random.default_rng(seed))) for seed in range(20)]
    std_err = np.std(made, ddof=1) / math.sqrt(20)
    bound = bounds.kernel_perceptron(n, size(n))
    assert np.mean(made) + 5 * std_err > bound
    assert np.mean(made) < 3 * bound  # the control: a bound three times as large is broken


def test_the_bound_is_exponential():
    values = [bounds.kernel_perceptron(n, size(n)) for n in (100, 200, 400)]
    assert values[1] > values[0] * math.exp(0.13 * 100)
    assert values[2] > values[1] * math.exp(0.13 * 200)


def test_the_bound_is_the_sum_of_its_proof():
    n, w = 12, 5
    sets = [x for x in range(2**n) if x.bit_count() == w]
    mean = np.mean([2.0 ** (sets[0] & z).bit_count() for z in sets])
    terms = [1 - (1 + j * mean) / 2**w for j in range(100)]
    assert bounds.kernel_perceptron(n, w) == pytest.approx(1 + sum(term for term in terms if term > 0))


@pytest.mark.parametrize("n", [12, 20])
def test_winnow_keeps_its_bound_and_makes_no_mistake_on_the_sequence(n):
    rng = np.random.default_rng(n)
    assert winnow(random_sets(n, size(n), 100, rng), n) == 0
    forced = [attack(n, size(n), rng) for _ in range(3)]
    assert 0.15 * upper_bound(n) < max(forced) <= upper_bound(n)  # the control: a seventh of the bound is broken


def test_winnow_over_terms_predicts_by_exact_sums():
    learner = TermWinnow(3)
    assert [learner.predict(x) for x in (0b111, 0b110, 0)] == [1, 0, 0]  # 8, 4 and 1 terms, theta = 8
    assert learner.trial(0b110, 1)
    assert not learner.trial(0b110, 0)  # 4 * 1.5 = 6
    assert learner.trial(0b110, 1)
    assert learner.predict(0b110) == 1  # 9


@pytest.mark.parametrize(("n", "w"), [(5, 5), (5, 0), (0, 1)])
def test_what_the_theorem_does_not_cover(n, w):
    with pytest.raises(ValueError, match="must"):
        bounds.kernel_perceptron(n, w)
