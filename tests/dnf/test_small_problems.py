"""Sums, sides and bounds of problems so small that the interpreter does them in milliseconds, beside slow twins."""

import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

import naive_dnf as naive
from logs import log_of
from naive_sums import counts_of_few_attributes, counts_of_few_mistakes, nets_of_terms, total
from winnowkit.dnf import Agreement, BudgetExceeded, Exact, MistakeLog, Threshold
from winnowkit.dnf.bound_search import Search
from winnowkit.dnf.kernels.best_first import Frontier, pop, push

DISTANCES = [Fraction(1, 3), *(Fraction(1, 10**k) for k in (2, 4, 6, 8, 10, 14))]
# Attributes, mistakes, how often a mistake agrees, and how often a mistake is repeated; tables alone, sets alone, both.
SHAPES = [(5, 3, 0.6, 1), (9, 20, 0.6, 1), (12, 5, 0.7, 3), (12, 9, 0.8, 1), (13, 14, 0.6, 2), (13, 10, 0.85, 1)]


def random_mistakes(seed, n, n_mistakes, agreed, repeated):
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random((n_mistakes, n)) < agreed, 1, 2)
    codes[rng.random(codes.shape) < 0.03] = 0
    times = rng.integers(1, repeated + 1, n_mistakes)
    signs = rng.choice([-1, 1], n_mistakes)
    return [(z, s) for z, s, m in zip(codes.tolist(), signs.tolist(), times.tolist(), strict=True) for _ in range(m)]


def assert_sides_are_right(agreement, alpha, exact):
    for distance in DISTANCES:
        for theta, label in ((exact * (1 + distance), 0), (exact * (1 - distance), 1)):
            assert Exact().decide(agreement, Threshold(alpha, naive.log(theta), theta)).label == label
    assert Exact().decide(agreement, Threshold(alpha, naive.log(exact), exact)).label == 1


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("seed", "alpha"), [(0, 1.5), (1, 1.1), (2, 4.0)])
def test_counts_sums_and_sides_of_few_attributes(shape, seed, alpha):
    mistakes, n = random_mistakes(seed, *shape), shape[0]
    x = [1] * n
    log, counts = log_of(mistakes, n), counts_of_few_attributes(x, mistakes)
    agreement, exact = Agreement.of(log, x), total(counts, alpha)
    assert Exact().counts(agreement) == counts
    assert Exact().log_sum(agreement, alpha).log_sum == pytest.approx(naive.log(exact), abs=1e-12)
    assert_sides_are_right(agreement, alpha, exact)
    rows = [x, [2] * n, [1, 0] * (n // 2) + [2] * (n % 2), [0] * n]
    sums = [naive.log(total(counts_of_few_attributes(row, mistakes), alpha)) for row in rows]
    assert Exact().log_sums(log, rows, alpha) == pytest.approx(sums, abs=1e-12)
    for off in (-1e-5, 1e-5):
        for row, log_sum in zip(rows, sums, strict=True):
            assert Exact().labels(log, [row], Threshold(alpha, log_sum + off)).tolist() == [int(off < 0)]


@pytest.mark.parametrize("shape", SHAPES)
def test_bounds_close_where_little_may_be_left_open(shape):
    mistakes, n = random_mistakes(3, *shape), shape[0]
    log_sum = naive.log(total(counts_of_few_attributes([1] * n, mistakes), 1.5))
    before = math.inf
    for slack in (0.0, -3.0, -8.0, -30.0):
        low, high = Exact().bounds(log_of(mistakes, n), [[1] * n], 1.5, [log_sum + slack])
        assert low[0] - 1e-12 <= log_sum <= high[0] + 1e-12
        assert high[0] - low[0] <= before + 1e-12
        before = high[0] - low[0]
    assert before < 1e-9


def naive_bounds(agreement, alpha):
    """Bound a sum as the kernel's text has it: its empty term, and for each highest attribute a lower and a chord."""
    sets = [(int(row[0]), int(net)) for row, net in zip(agreement.sets, agreement.nets, strict=True)]
    low = high = Fraction(alpha) ** sum(net for _, net in sets)
    alpha = Fraction(alpha)
    for j in range(agreement.n_live):
        holds = [((g & (1 << j) - 1).bit_count(), net) for g, net in sets if g >> j & 1]
        p, n = (sum(max(sign * net, 0) for _, net in holds) for sign in (1, -1))
        up, down = (sum(max(sign * net, 0) * (2**size - 1) for size, net in holds) for sign in (1, -1))
        others = 2**j - 1
        slope = alpha - 1 if up > down else 1 - 1 / alpha
        most = others + (Fraction(up, p) * (alpha**p - 1) if up else 0)
        if n:  # the chord over [-n, p]
            share = max(Fraction(0), Fraction(up - down + n * others)) / (p + n)
            most = min(most, others * alpha**-n + share * (alpha**p - alpha**-n))
        low += alpha ** (p - n) + max(Fraction(0), others + slope * (up - down))
        high += alpha ** (p - n) + most
    outside = (2**agreement.n_dead - 1) * 2**agreement.n_live
    return (low + outside) * 2**agreement.n_free, (high + outside) * 2**agreement.n_free


@pytest.mark.parametrize("alpha", [1.1, 1.5])
@pytest.mark.parametrize("shape", [(12, 9, 0.8, 1), (13, 14, 0.5, 2), (14, 11, 0.85, 1), (16, 40, 0.5, 1)])
def test_bounds_of_a_branch_that_is_not_opened_are_those_of_the_chords(shape, alpha):
    for seed in range(2):
        mistakes, n = random_mistakes(seed, *shape), shape[0]
        log = log_of(mistakes, n)
        agreement = Agreement.of(log, [1] * n)
        assert agreement.n_live > 9  # so many that no table sums them at once
        low, high = Exact().bounds(log, [[1] * n], alpha, [300.0])
        expected = [naive.log(bound) for bound in naive_bounds(agreement, alpha)]
        assert [low[0], high[0]] == pytest.approx(expected, rel=1e-12)


def test_bounds_of_every_slack_hold_the_sum():
    for seed in range(2):
        mistakes = random_mistakes(seed, 14, 20, (0.5, 0.75)[seed % 2], 1)
        log_sum = naive.log(total(counts_of_few_attributes([1] * 14, mistakes), 1.5))
        low, high = Exact().bounds(
            log_of(mistakes, 14), [[1] * 14] * 6, 1.5, log_sum + np.array([5, 0, -1, -2, -4, -6.0])
        )
        assert (low <= log_sum + 1e-12).all()
        assert (log_sum <= high + 1e-12).all()


# --- more attributes than the kernels branch over -------------------------------------------------------------------

WIDE = [(42, 8, 0.3), (45, 8, 0.6), (60, 9, 0.5), (64, 5, 0.9), (90, 6, 0.5), (130, 5, 0.4)]


@pytest.mark.parametrize(("n", "n_mistakes", "agreed"), WIDE)
def test_counts_sums_and_sides_of_many_attributes(n, n_mistakes, agreed):
    mistakes = random_mistakes(n, n, n_mistakes, agreed, 1)
    x = [1] * n
    counts = counts_of_few_mistakes(x, mistakes)
    log = log_of(mistakes, n)
    agreement, exact = Agreement.of(log, x), total(counts, 1.5)
    assert Exact().counts(agreement) == counts
    assert Exact().log_sum(agreement, 1.5).log_sum == pytest.approx(naive.log(exact), abs=1e-11)
    assert Exact().log_sums(log, [x], 1.5)[0] == pytest.approx(naive.log(exact), abs=1e-11)
    for off in (-1e-5, 1e-5):
        assert Exact().labels(log, [x], Threshold(1.5, naive.log(exact) + off)).tolist() == [int(off < 0)]
    for theta, label in ((exact * 2, 0), (exact / 2, 1), (exact + 1, 0), (exact - 1, 1), (exact, 1)):
        assert Exact().decide(agreement, Threshold(1.5, naive.log(theta), theta)).label == label


def test_mistakes_on_many_attributes_that_cancel_leave_every_term_at_0():
    mistakes, n = [], 143  # the last three are in all mistakes
    for agreed in (np.arange(n) < 70, (np.arange(n) >= 70) & (np.arange(n) < 140)):
        for other, sign in ((2, 1), (3, -1)):
            mistakes.append((np.where(agreed | (np.arange(n) >= 140), 1, other).tolist(), sign))
    agreement = Agreement.of(log_of(mistakes, n), [1] * n)
    assert (agreement.n_live, agreement.n_free) == (140, 3)
    assert Exact().counts(agreement) == {0: 2**n}
    assert Exact().log_sum(agreement, 1.5).log_sum == pytest.approx(n * math.log(2), rel=1e-12)
    for theta, label in ((2**n, 1), (2**n + 1, 0), (3 * 2 ** (n - 1), 0)):
        assert Exact().decide(agreement, Threshold(1.5, math.log(theta), theta)).label == label


def test_both_twins_count_alike():
    for seed in range(3):
        mistakes = random_mistakes(seed, 9, 7, 0.6, 2)
        x = [1, 1, 0, 1, 2, 1, 1, 1, 1]
        assert counts_of_few_mistakes(x, mistakes) == counts_of_few_attributes(x, mistakes)
        assert counts_of_few_attributes(x, mistakes) == naive.counts(x, mistakes)


@pytest.mark.parametrize(("n", "n_mistakes", "agreed"), [(12, 16, 0.6), (13, 30, 0.7), (45, 10, 0.5), (70, 9, 0.5)])
def test_bounds_of_a_search_hold_at_every_step_and_meet(n, n_mistakes, agreed):
    mistakes = random_mistakes(7, n, n_mistakes, agreed, 1)
    counts = (counts_of_few_attributes if n < 20 else counts_of_few_mistakes)([1] * n, mistakes)
    agreement = Agreement.of(log_of(mistakes, n), [1] * n)
    log_sum, search = naive.log(total(counts, 1.5)), Search(agreement, 1.5)
    before, budgets = (-math.inf, math.inf), [0, *range(1, 60, 3), 10**6]
    for budget in budgets:
        search.narrow_to(share=0.0, max_nodes=budget)
        low, high = search.log_bounds
        assert before[0] - 1e-9 <= low <= log_sum + 1e-9
        assert log_sum - 1e-9 <= high <= before[1] + 1e-9
        before = low, high
    assert search.gap <= 1e-12 * search.lower
    assert search.log_estimate == pytest.approx(log_sum, abs=1e-9)


@pytest.mark.parametrize(("n", "n_mistakes", "agreed"), [(13, 30, 0.7), (45, 8, 0.6), (65, 7, 0.6)])
def test_a_search_ends_with_the_gap_that_was_asked_for(n, n_mistakes, agreed):
    mistakes = random_mistakes(8, n, n_mistakes, agreed, 1)
    counts = (counts_of_few_attributes if n < 20 else counts_of_few_mistakes)([1] * n, mistakes)
    agreement = Agreement.of(log_of(mistakes, n), [1] * n)
    log_sum, log_lower = naive.log(total(counts, 1.5)), -math.inf
    for share in (10.0, 0.9, 0.1, 0.01, 1e-4):
        for search, log_gap in (
            (Search(agreement, 1.5), -math.inf),
            (Search(agreement, 1.5), log_sum + math.log(share)),
        ):
            search.narrow_to(0.0 if log_gap > 0 else share, max_nodes=10**6, log_gap=log_gap)
            low, high = search.log_bounds
            assert low - 1e-9 <= log_sum <= high + 1e-9
            assert high <= max(low, log_sum) + math.log1p(share) + 1e-9
            log_lower = max(low, log_lower)
    assert log_lower == pytest.approx(log_sum, abs=1e-4)


def test_a_search_for_a_side_ends_on_that_side():
    for n, n_mistakes, agreed in ((13, 30, 0.7), (45, 10, 0.5)):
        mistakes = random_mistakes(9, n, n_mistakes, agreed, 1)
        counts = (counts_of_few_attributes if n < 20 else counts_of_few_mistakes)([1] * n, mistakes)
        agreement = Agreement.of(log_of(mistakes, n), [1] * n)
        log_sum = naive.log(total(counts, 1.5))
        for off in (-3.0, -0.5, -0.01, -1e-6, 1e-6, 0.01, 0.5, 3.0):
            search = Search(agreement, 1.5)
            search.narrow_by(log_sum + off, 1e-9, 10**6)
            assert search.side_of(log_sum + off, 1e-9) == int(off < 0)
            low, high = search.log_bounds
            assert low - 1e-9 <= log_sum <= high + 1e-9


def test_a_search_that_has_no_more_room_ends_with_bounds(monkeypatch):
    monkeypatch.setattr("winnowkit.dnf.bound_search.MOST_LEAVES", 90)
    mistakes = random_mistakes(1, 15, 40, 0.5, 1)
    log_sum = naive.log(total(counts_of_few_attributes([1] * 15, mistakes), 1.5))
    search = Search(Agreement.of(log_of(mistakes, 15), [1] * 15), 1.5)
    search.narrow_to(share=0.0, max_nodes=10**6)
    low, high = search.log_bounds
    assert low < log_sum < high
    assert search.nodes < 10**5


def test_leaves_come_widest_first():
    rng = np.random.default_rng(0)
    room = 40
    frontier = Frontier(
        np.zeros((room, 3, 1), dtype=np.int64), *np.zeros((3, room)), np.arange(-1, room, dtype=np.int64)
    )
    frontier.heap[0] = 0
    open_leaves = []
    for step in range(200):
        if len(open_leaves) < room - 1 and (not open_leaves or rng.random() < (0.7 if step < 100 else 0.3)):
            node, gap = rng.integers(0, 100, (3, 1)), float(rng.integers(0, 30))
            push(frontier, node, gap + 1.0, gap + 2.0, gap)
            open_leaves.append((gap, node.tolist()))
        else:
            place = pop(frontier)
            gap, node = float(frontier.gap[place]), frontier.words[place].tolist()
            assert gap == max(other for other, _ in open_leaves)
            assert (frontier.scale[place], frontier.least[place]) == (gap + 1.0, gap + 2.0)
            open_leaves.remove((gap, node))
        assert frontier.heap[0] == len(open_leaves)
        assert sorted(frontier.heap[1:].tolist()) == list(range(room))


# --- training --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "n_values", "alpha"), [(5, 2, 1.5), (13, 2, 1.5), (6, 3, 2.0), (6, 2, 1.2)])
def test_training_makes_the_mistakes_of_sums_in_fractions(n, n_values, alpha):
    rng, n_rows = np.random.default_rng(n), 14 if n < 10 else 24
    X = rng.integers(1, n_values + 1, (n_rows, n))
    X[rng.random(X.shape) < 0.05] = 0
    y = ((X[:, :2] == 1).all(axis=1) ^ (rng.random(n_rows) < 0.2)).astype(int)
    theta = Fraction(n_values + 1) ** n + Fraction(1, 3)
    training = Exact().training(X, y, Threshold(alpha, naive.log(theta), theta))
    mistakes, wrong = [], []
    for _ in range(5):
        order = rng.permutation(n_rows)
        for i in order.tolist():
            x = X[i].tolist()
            if (total(counts_of_few_attributes(x, mistakes), alpha) >= theta) != y[i]:
                mistakes.append((x, 1 if y[i] else -1))
                wrong.append(i)
        training.epoch(order)
        assert training.mistakes == wrong
    known = training._known
    assert (known.when >= 0).sum() > 5
    assert known.spent[1] > 1 or n == 6  # some rows were followed by meets
    for x, low, high, when in zip(X.tolist(), known.low, known.high, known.when, strict=True):
        if when >= 0:  # what is known of the row's sum held after so many mistakes
            ratio = total(counts_of_few_attributes(x, mistakes[:when]), alpha) / theta
            assert low * (1 - 1e-11) <= ratio <= high * (1 + 1e-11)
            assert low <= high
    assert len(wrong) > 8


# --- what a sum takes -----------------------------------------------------------------------------------------------


def test_a_budget_is_kept_to_the_node():
    log = log_of(random_mistakes(0, 14, 24, 0.6, 1), 14)
    agreement = Agreement.of(log, [1] * 14)
    log_sum = Exact().log_sum(agreement, 1.5).log_sum
    near = Threshold(1.5, log_sum + 1e-5)
    for steps, ask in (
        (Exact().log_sum(agreement, 1.5).steps, lambda exact: exact.log_sum(agreement, 1.5)),
        (Exact().log_sum(agreement, 1.5).steps, lambda exact: exact.log_sums(log, [[1] * 14], 1.5)),
        (Exact().decide(agreement, near).steps, lambda exact: exact.decide(agreement, near)),
        (Exact().decide(agreement, near).steps, lambda exact: exact.labels(log, [[1] * 14], near)),
    ):
        assert steps > 1
        ask(Exact(max_nodes=steps))
        with pytest.raises(BudgetExceeded, match=f"max_nodes={steps - 1} "):
            ask(Exact(max_nodes=steps - 1))


def test_a_problem_of_one_table_takes_one_node():
    few_sets = Agreement.of(log_of(random_mistakes(0, 9, 4, 0.6, 1), 9), [1] * 9)
    few_attributes = Agreement.of(log_of(random_mistakes(0, 5, 20, 0.5, 1), 5), [1] * 5)
    for agreement in (few_sets, few_attributes, Agreement.of(MistakeLog(3), [1] * 3)):
        assert Exact().log_sum(agreement, 1.5).steps == 1
        assert Exact().decide(agreement, Threshold(1.5, 1.0)).steps == 1


def test_a_side_far_from_theta_takes_fewer_nodes_than_one_near_it():
    agreement = Agreement.of(log_of(random_mistakes(0, 14, 16, 0.7, 1), 14), [1] * 14)
    estimate = Exact().log_sum(agreement, 1.5)
    for sign in (-1, 1):
        steps = [
            Exact().decide(agreement, Threshold(1.5, estimate.log_sum + sign * off)).steps for off in (5, 0.3, 1e-3)
        ]
        assert steps == sorted(steps)
        assert steps[0] < estimate.steps / 3


def test_the_first_attributes_of_an_agreement_are_those_of_most_mistakes():
    rng = np.random.default_rng(0)
    for n, n_mistakes in ((9, 14), (70, 30)):
        codes = np.unique(np.where(rng.random((n_mistakes, n)) < rng.random(n), 1, 2), axis=0)
        members = Agreement.of(log_of([(z, 1) for z in codes.tolist()], n), [1] * n).members()
        assert len(members) == len(codes)  # no two mistakes agree alike
        shared = members.sum(axis=0).tolist()
        assert shared == sorted(shared, reverse=True)
        assert len(set(shared)) > 3


def test_a_thread_has_room_for_any_number_of_mistakes():
    mistakes = random_mistakes(0, 9, 200, 0.5, 1)
    expected = naive.log(total(counts_of_few_attributes([1] * 9, mistakes), 1.5))
    agreement = Agreement.of(log_of(mistakes, 9), [1] * 9)
    assert len(agreement.nets) > 64
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(Exact().log_sum, agreement, 1.5).result().log_sum == pytest.approx(expected, abs=1e-12)


def test_nets_of_terms_are_those_of_their_definition():
    mistakes = random_mistakes(1, 4, 6, 0.6, 1)
    expected = sorted(naive.net(term, [1] * 4, mistakes) for term in naive.subsets(range(4)))
    assert sorted(nets_of_terms([1] * 4, mistakes).tolist()) == expected
