"""Hand-computed values, limits and refusals of the mistake bounds."""

import math

import pytest

from winnowkit import bounds
from winnowkit.bounds.helmbold_panizza_warmuth import _theorem4_by_entropy
from winnowkit.linear.beg import theorem4

LN_1_5 = 0.4054651081


def test_winnow1_is_the_lecture_at_its_defaults():
    assert bounds.winnow1(1, 8) == 2 * 4 + 1
    assert bounds.winnow1(5, 100) == pytest.approx(2 * 5 * math.log2(200) + 1)
    # alpha = 3, theta = 9: 3 * 2 * (2 + 1) + 18/9
    assert bounds.winnow1(2, 18, alpha=3, theta=9) == pytest.approx(20)
    # theta = 1/alpha: no promotion is possible, n/theta demotions at most
    assert bounds.winnow1(2, 10, alpha=2, theta=0.5) == pytest.approx(20)


def test_winnow2_values():
    # theta = 1: 8 n / delta^2 + 5 sum w / delta
    assert bounds.winnow2(3, n=4, delta=0.5, theta=1) == pytest.approx(8 * 4 * 4 + 10 * 3)
    assert bounds.winnow2_disjunction(2, 100, theta=math.e) == pytest.approx(800 / math.e + 19 * 2)
    assert bounds.winnow2_disjunction(2, 100) == pytest.approx(8 + (5 + 14 * math.log(100)) * 2)
    # the lecture's exercise, O(r^2 + k r log n): 8 r^2 + (5 r + 14 r^2 ln n) k / r
    assert bounds.winnow2_threshold(3, 3, 50) == pytest.approx(8 * 9 + 15 + 14 * 9 * math.log(50))
    assert bounds.winnow2_threshold(3, 5, 50) == pytest.approx(8 * 9 + (15 + 14 * 9 * math.log(50)) * 5 / 3)


def test_entropies():
    assert bounds.unnormalized_relative_entropy([1, 0, 2], [1, 3, 1]) == pytest.approx(3 + 2 * math.log(2) - 1)
    assert bounds.unnormalized_relative_entropy([0, 0], 0.25) == pytest.approx(0.5)
    assert bounds.binary_relative_entropy([1, 0], [0.5, 0.25]) == pytest.approx(math.log(2) + math.log(4 / 3))
    assert bounds.binary_relative_entropy([0.3, 0.7], [0.3, 0.7]) == pytest.approx(0, abs=1e-15)


def test_winnow_and_thresholded_beg_values():
    # u = (1, 0), w1 = 1/2: ln 2 + 1/2 - 1 + 1/2 = ln 2; (alpha + 1)(ln 2 / ln 2 + 3) at alpha = 2
    assert bounds.winnow([1, 0], 0.5, alpha=2, attribute_errors=3) == pytest.approx(12)
    # u = (1, 0), w1 = 1/2: 2 ln 2
    assert bounds.thresholded_beg([1, 0], 0.5, alpha=2, attribute_errors=3) == pytest.approx(15)
    assert bounds.thresholded_beg_disjunction(1, 2, alpha=2, attribute_errors=3) == pytest.approx(15)
    assert bounds.thresholded_beg_disjunction(1, 1, alpha=2) == pytest.approx(3)


@pytest.mark.parametrize(("k", "n", "alpha", "theta"), [(1, 5, 1.5, 5.0), (3, 7, 2.0, 3.5), (2, 30, 1.1, 100.0)])
def test_winnow_disjunction_is_winnow_rescaled(k, n, alpha, theta):
    scale = alpha * math.log(alpha) / (alpha**2 - 1) / theta
    u = [1] * k + [0] * (n - k)
    assert bounds.winnow_disjunction(k, n, alpha, theta, 2) == pytest.approx(bounds.winnow(u, scale, alpha, 2))


def test_winnow_disjunction_takes_term_spaces_too_large_for_a_float():
    terms = 3**2000
    assert bounds.winnow_disjunction(5, terms, 1.5, terms) == pytest.approx(
        bounds.winnow_disjunction(5, 3**20, 1.5, 3**20) + 2.5 * 5 * 1980 * math.log(3) / LN_1_5
    )


def test_closed_form_of_thresholded_beg_agrees_with_the_sum():
    u = [1, 1, 0, 0, 0, 0, 0]
    assert bounds.thresholded_beg_disjunction(2, 7, 1.3, 0.2, 4) == pytest.approx(
        bounds.thresholded_beg(u, 0.2, 1.3, 4)
    )


def test_normalized_winnow_value_and_simple_form():
    # alpha = 2, k = 1: theta = 2 ln 2 / 3; p = ln 2 - ln(1 + theta), d = -ln(1 - theta/2)
    theta = 2 * math.log(2) / 3
    expected = math.log(8) / min(math.log(2) - math.log(1 + theta), -math.log(1 - theta / 2))
    assert bounds.normalized_winnow_disjunction(1, 8, 2) == pytest.approx(expected)
    for k, n, alpha in [(1, 4, 1.5), (3, 50, 2.0), (10, 1000, 1.2), (5, 5, 3.0)]:
        simple = (alpha + 1) * (k * math.log(n / k) / math.log(alpha) + 3)
        assert bounds.normalized_winnow_disjunction(k, n, alpha, attribute_errors=3) <= simple + 1e-9


def test_bayes_beg_values():
    # n = 2: c = 1.4711, 2 / (2.4711 * 1.7183) = 0.471 < 1: no promotion at all
    assert bounds.bayes_beg_theorem3(1, 2) == pytest.approx(6.48)
    # n = 9: c = 1.0896, 16 / (2.0896 * 1.7183) = 4.456, log2 = 2.16, so 1 + 3
    assert bounds.bayes_beg_theorem3(2, 9) == pytest.approx(6.48 + 2.48 * 2 * 4)
    assert bounds.bayes_beg_theorem4(2, 2) == pytest.approx(24.79 + 11.52)
    assert bounds.thresholded_beg_noise_free(2, 2) == pytest.approx(3.76 + 5.44 * math.log(2))


@pytest.mark.parametrize(("k", "n"), [(1, 2), (3, 7), (2, 1000)])
def test_the_entropy_argument_is_about_the_learner_that_runs(k, n):
    beta0, beta1, gamma, initial = theorem4(n)
    a, b, odds = beta1 - 1, 1 - beta0, n * math.log(gamma / (1 - gamma))  # ln(q) n / (n - 1)
    steps = math.log(beta1) - a / (a + b) * odds * (n - 0.5) / n, b / (a + b) * odds / 2
    distance = -k * math.log(initial) - (n - k) * math.log(1 - initial)
    assert _theorem4_by_entropy(k, n) == pytest.approx(distance / min(steps))


def test_theorem_4_follows_from_our_entropy_argument():
    # Both sides are linear in k, so k = 1 and k = n settle all k; n runs over every small value, then a fine grid.
    sizes = [*range(2, 2000), *(int(10 ** (e / 20)) for e in range(66, 601))]
    for n in sizes:
        for k in (1, n):
            assert 0 < _theorem4_by_entropy(k, n) <= bounds.bayes_beg_theorem4(k, n)


def test_constants_proven_for_winnow2_are_below_the_theorem():
    for delta in (i / 1000 for i in range(1, 1001)):
        assert 2 * (4 - delta**2) / (1 + delta) <= 8
        assert (4 + delta) / (1 + delta) <= 5
        assert delta * (4 + delta) / ((1 + delta) * math.log1p(delta / 2)) <= 14


def test_other_learners():
    assert bounds.elimination(7) == 7
    assert bounds.weighted_majority(0.5, 8, 0) == pytest.approx(math.log(8) / math.log(4 / 3))
    assert bounds.weighted_majority(0.5, 8, 3) == pytest.approx(math.log(8 * 2**3) / math.log(4 / 3))
    assert bounds.weighted_majority(0, 8, 0) == 3
    assert bounds.dnf_winnow(2, 10, 1) == pytest.approx(8 + 280 * math.log(2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.winnow1(1, 10, alpha=0.5), "alpha must be > 1, got 0.5"),
        (lambda: bounds.winnow1(1, 10, alpha=math.nan), "alpha must be > 1, got nan"),
        (lambda: bounds.winnow1(1, 10, theta=0.4), "theta must be finite and >= 0.5, got 0.4"),
        (lambda: bounds.winnow1(11, 10), "k must be <= n = 10, got 11"),
        (lambda: bounds.winnow1(0, 10), "k must be an integer >= 1, got 0"),
        (lambda: bounds.winnow1(1.5, 10), "k must be an integer >= 1, got 1.5"),
        (lambda: bounds.winnow2(1, 10, 0, 1), r"delta must be in \(0, 1\], got 0"),
        (lambda: bounds.winnow2(1, 10, 1.1, 1), r"delta must be in \(0, 1\], got 1.1"),
        (lambda: bounds.winnow2(1, 10, 1, 0.9), "theta must be finite and >= 1, got 0.9"),
        (lambda: bounds.winnow2(0, 10, 1, 1), "weights_sum must be finite and > 0, got 0"),
        (lambda: bounds.winnow2_threshold(4, 3, 10), "r must be <= k = 3, got 4"),
        (lambda: bounds.winnow([0.5], 1, 2), "u must be 0 or 1"),
        (lambda: bounds.winnow([1], 0, 2), "w must be finite and > 0"),
        (lambda: bounds.winnow([1], 1, 2, -1), "attribute_errors must be finite and >= 0, got -1"),
        (lambda: bounds.unnormalized_relative_entropy([-1], 1), "u must be >= 0"),
        (lambda: bounds.winnow_disjunction(1, 10, 1, 10), "alpha must be > 1, got 1"),
        (lambda: bounds.winnow_disjunction(1, 10, 2, 0), "theta must be finite and > 0, got 0"),
        (lambda: bounds.normalized_winnow_disjunction(2, 10, 2, theta=0.42), "theta must be < 0.414214 for a target"),
        (lambda: bounds.binary_relative_entropy([2], 0.5), r"u must be in \[0, 1\]"),
        (lambda: bounds.thresholded_beg([1], 1, 2), r"w must be in \(0, 1\)"),
        (lambda: bounds.thresholded_beg([2], 0.5, 2), "u must be 0 or 1"),
        (lambda: bounds.thresholded_beg_disjunction(1, 10, 2, initial=1), r"initial must be in \(0, 1\), got 1"),
        (lambda: bounds.thresholded_beg_noise_free(1, 1), "n must be an integer >= 2, got 1"),
        (lambda: bounds.bayes_beg_theorem3(1, 1), "n must be an integer >= 2, got 1"),
        (lambda: bounds.bayes_beg_theorem4(1, 1), "n must be an integer >= 2, got 1"),
        (lambda: bounds.weighted_majority(1, 3, 0), r"beta must be in \[0, 1\), got 1"),
        (lambda: bounds.weighted_majority(0, 3, 1), "best_mistakes must be 0 when beta = 0, got 1"),
        (lambda: bounds.dnf_winnow(0, 3, 1), "terms must be an integer >= 1, got 0"),
        (lambda: bounds.elimination(0), "n must be an integer >= 1, got 0"),
    ],
)
def test_parameters_outside_the_theorem_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
