import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

import naive_dnf as naive
from logs import log_of, random_mistakes
from winnowkit.dnf import Agreement, BudgetExceeded, Exact, MistakeLog, Threshold


def shape_of_sum(mistakes, x):
    """An agreement built by hand: frozen sets of attributes with their summed signs."""
    nets = {}
    for z, sign in mistakes:
        agree = frozenset(j for j, code in enumerate(x) if code and z[j] == code)
        nets[agree] = nets.get(agree, 0) + sign
    return sorted((len(agree), value) for agree, value in nets.items() if value)


def test_an_empty_log_counts_terms():
    agreement = Agreement.of(MistakeLog(3), [1, 0, 2])
    assert Exact().log_sum(agreement, 1.5).log_sum == pytest.approx(2 * math.log(2), rel=1e-15)
    assert agreement.n_attributes == 2


def test_an_example_with_nothing_specified_has_one_term():
    log = log_of([([1, 1], 1), ([2, 2], 1), ([1, 2], -1)], 2)
    assert Exact().counts(Agreement.of(log, [0, 0])) == {1: 1}


@pytest.mark.parametrize("net", [32_765, 32_766, 32_767, 32_768, -32_767, -32_768, 40_000])
def test_nets_about_and_beyond_sixteen_bits(net):
    codes, given = np.ones((1, 3), dtype=np.int32), {"n_promotions": max(net, 0), "n_demotions": max(-net, 0)}
    log = MistakeLog.restore(codes, np.array([net]), np.array([0]), **given, max_mistakes=None)
    agreement, expected = Agreement.of(log, [1, 1, 2]), math.log(4 + 4 * 1.0001**net)
    assert Exact().counts(agreement) == {0: 4, net: 4}
    assert Exact().log_sum(agreement, 1.0001).log_sum == pytest.approx(expected, rel=1e-12)
    for near, label in ((-1e-9, 1), (1e-9, 0)):
        assert Exact().decide(agreement, Threshold(1.0001, expected + near)).label == label
        assert Exact().labels(log, [[1, 1, 2]], Threshold(1.0001, expected + near)).tolist() == [label]


def test_agreement_merges_equal_sets_and_drops_those_of_net_0():
    mistakes = [([1, 1, 2], 1), ([1, 1, 3], 1), ([1, 2, 2], 1), ([1, 3, 2], -1), ([2, 1, 1], 1)]
    agreement = Agreement.of(log_of(mistakes, 3), [1, 1, 1])
    assert sorted(agreement.nets.tolist()) == [1, 2]
    assert (agreement.n_live, agreement.n_dead, agreement.n_free) == (2, 0, 1)
    assert (agreement.n_promotions, agreement.n_demotions, agreement.n_mistakes, agreement.reach) == (4, 1, 5, 3)


@pytest.mark.parametrize("n_attributes", [10, 70, 200])
def test_agreement_holds_the_right_sets_in_one_word_and_in_many(n_attributes):
    rng = np.random.default_rng(n_attributes)
    mistakes = random_mistakes(rng, 60, n_attributes, n_values=2, missing=0.1)
    x = mistakes[0][0]
    agreement = Agreement.of(log_of(mistakes, n_attributes), x)
    sizes = [sum(word.bit_count() for word in row) + agreement.n_free for row in agreement.sets.tolist()]
    assert sorted(zip(sizes, agreement.nets.tolist(), strict=True)) == shape_of_sum(mistakes, x)
    assert agreement.n_attributes == sum(code != 0 for code in x)
    assert agreement.sets.shape[1] == max(1, -(-agreement.n_live // 62))


@pytest.mark.parametrize("seed", range(40))
def test_sums_of_up_to_twenty_attributes_match_a_superset_sum_over_all_of_them(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(13, 20))
    mistakes = random_mistakes(rng, int(rng.integers(20, 200)), n, n_values=int(rng.integers(2, 4)), missing=0.05)
    x = rng.integers(1, 3, n).tolist()
    nets = np.zeros(1 << n, dtype=np.int64)
    for z, sign in mistakes:
        nets[sum(1 << j for j in range(n) if z[j] == x[j])] += sign
    for j in range(n):
        halves = nets.reshape(-1, 2, 1 << j)
        halves[:, 0] += halves[:, 1]
    agreement = Agreement.of(log_of(mistakes, n), x)
    values, how_many = np.unique(nets, return_counts=True)
    assert Exact().counts(agreement) == dict(zip(values.tolist(), how_many.tolist(), strict=True))
    assert Exact().log_sum(agreement, 1.5).log_sum == pytest.approx(math.log(np.sum(1.5**nets)), abs=1e-11)


def test_more_attributes_than_a_word_count_as_two_independent_halves_would():
    # Each mistake agrees within one block only, so a term's net is the block's own or 0.
    n, rng = 40, np.random.default_rng(3)
    x = np.ones(2 * n, dtype=int)
    mistakes, blocks = [], []
    for block in range(2):
        own = []
        for _ in range(30):
            z = np.full(2 * n, 2)
            z[block * n : (block + 1) * n] = rng.integers(1, 3, n)
            own.append((z.tolist(), int(rng.choice([-1, 1]))))
        mistakes += own
        blocks.append(Exact().counts(Agreement.of(log_of(own, 2 * n), np.where(np.arange(2 * n) // n == block, x, 0))))
    agreement = Agreement.of(log_of(mistakes, 2 * n), x)
    assert agreement.n_live > 64
    # Terms inside one block, but for the empty one; terms with attributes of both; the empty term.
    expected = {}
    empties = [sum(sign for _, sign in mistakes[:30]), sum(sign for _, sign in mistakes[30:])]
    for counts, empty in zip(blocks, empties, strict=True):
        for value, count in counts.items():
            expected[value] = expected.get(value, 0) + count - (value == empty)
    expected[sum(empties)] = expected.get(sum(empties), 0) + 1
    expected[0] = expected.get(0, 0) + (2**n - 1) ** 2
    assert Exact().counts(agreement) == {value: count for value, count in sorted(expected.items()) if count}
    assert Exact().log_sum(agreement, 1.5).log_sum == pytest.approx(
        naive.log(sum(count * Fraction(3, 2) ** value for value, count in expected.items())), abs=1e-11
    )


def test_two_thousand_attributes_and_large_nets_stay_finite_and_right():
    n = 2000
    log = log_of([([1] * n, 1)] * 3000 + [([1] * (n - 3) + [2] * 3, -1)] * 4000, n)
    counts = {3000: 7 * 2 ** (n - 3), -1000: 2 ** (n - 3)}
    agreement = Agreement.of(log, [1] * n)
    assert Exact().counts(agreement) == dict(sorted(counts.items()))
    for alpha in (1.0001, 1.5, 100.0):
        expected = naive.log(sum(count * Fraction(alpha) ** value for value, count in counts.items()))
        assert Exact().log_sum(agreement, alpha).log_sum == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("sign", [1, -1])
def test_nets_past_what_sixteen_bits_hold(sign):
    log = MistakeLog.restore([[1, 1], [1, 2]], [sign * 40_000, sign], [1, 2], n_promotions=0, n_demotions=0)
    agreement = Agreement.of(log, [1, 1])
    assert Exact().counts(agreement) == dict(sorted({sign * 40_000: 2, sign * 40_001: 2}.items()))
    expected = naive.log(2 * Fraction(3, 2) ** (sign * 40_000) + 2 * Fraction(3, 2) ** (sign * 40_001))
    assert Exact().log_sum(agreement, 1.5).log_sum == pytest.approx(expected, rel=1e-12)
    assert Exact().log_sums(log, [[1, 1]], 1.5)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n_attributes", [12, 24, 80])
def test_rows_in_threads_equal_rows_one_by_one(n_attributes):
    rng = np.random.default_rng(5)
    log = log_of(random_mistakes(rng, 40, n_attributes, n_values=3), n_attributes)
    X = rng.integers(0, 4, (20, n_attributes))
    alone = Exact().log_sums(log, X, 1.5)
    assert alone.tolist() == Exact().log_sums(log, X, 1.5, n_jobs=3).tolist()
    single = [Exact().log_sum(Agreement.of(log, x), 1.5).log_sum for x in X]
    assert alone == pytest.approx(single, abs=1e-12)


@pytest.mark.parametrize("n_attributes", [5, 12, 24, 80])
@pytest.mark.parametrize("alpha", [1.01, 1.5, 20.0])
def test_labels_are_sides_of_the_sums_and_the_same_in_threads(n_attributes, alpha):
    rng = np.random.default_rng(6)
    log = log_of(random_mistakes(rng, 40, n_attributes, n_values=3, missing=0.1), n_attributes)
    X = rng.integers(0, 4, (20, n_attributes))
    sums = Exact().log_sums(log, X, alpha)
    for log_theta in np.quantile(sums, [0.1, 0.4, 0.8]) + 1e-7:
        expected = (sums >= log_theta).astype(int).tolist()
        assert Exact().labels(log, X, Threshold(alpha, log_theta)).tolist() == expected
        assert Exact().labels(log, X, Threshold(alpha, log_theta), n_jobs=3).tolist() == expected
        assert [Exact().decide(Agreement.of(log, x), Threshold(alpha, log_theta)).label for x in X] == expected


def test_labels_of_exact_ties():
    log = log_of([([1, 1, 1, 1], 1)], 4)
    X = [[1, 1, 1, 1], [1, 1, 1, 0], [2, 2, 2, 2]]  # 24, 12 and 16.5
    assert Exact().labels(log, X, Threshold(1.5, math.log(24), 24)).tolist() == [1, 0, 0]
    assert Exact().labels(log, X, Threshold(1.5, math.log(16.5))).tolist() == [1, 0, 1]


def test_bounds_decide_with_fewer_nodes_than_the_sum_takes():
    agreement = hard_agreement()
    estimate = Exact().log_sum(agreement, 1.5)
    for shift, label in ((-1.0, 1), (3.0, 0)):
        decision = Exact().decide(agreement, Threshold(1.5, estimate.log_sum + shift))
        assert decision.certain
        assert decision.label == label
        assert decision.steps <= estimate.steps
    assert Exact().decide(agreement, Threshold(1.5, estimate.log_sum - 1.0)).steps < estimate.steps / 10


def test_rows_beside_theta_are_decided_right_however_near():
    """Bounds are tightened in steps; thresholds at every distance from the sum make each step decide, or give way."""
    rng = np.random.default_rng(11)
    for n, n_values in ((18, 2), (22, 3), (22, 2)):
        mistakes = random_mistakes(rng, 120, n, n_values)
        log = log_of(mistakes, n)
        for x in rng.integers(1, n_values + 1, (3, n)):
            agreement = Agreement.of(log, x)
            total = sum(count * Fraction(3, 2) ** net for net, count in Exact().counts(agreement).items())
            for distance in (Fraction(1, 2), *(Fraction(1, 10**k) for k in range(1, 14))):
                for theta, label in ((total * (1 + distance), 0), (total * (1 - distance), 1)):
                    assert Exact().decide(agreement, Threshold(1.5, naive.log(theta), theta)).label == label


def test_a_dense_table_is_decided_in_a_hundredth_of_the_nodes_of_its_sums():
    n, rng = 34, np.random.default_rng(12)
    X = rng.integers(1, 3, (800, n))
    y = (X[:, :3] == 1).all(axis=1) | (X[:, 3:6] == 2).all(axis=1)
    training = Exact().training(X, y, Threshold(1.5, n * math.log(3)))
    training.epoch()
    assert len(training.log) > 100
    agreements = [Agreement.of(training.log, x) for x in X[:10]]
    sums = [Exact().log_sum(agreement, 1.5) for agreement in agreements]
    decisions = [Exact().decide(agreement, Threshold(1.5, n * math.log(3))) for agreement in agreements]
    assert [d.label for d in decisions] == [int(estimate.log_sum >= n * math.log(3)) for estimate in sums]
    assert sum(d.steps for d in decisions) < sum(estimate.steps for estimate in sums) / 100


def hard_agreement():
    rng = np.random.default_rng(7)
    return Agreement.of(log_of(random_mistakes(rng, 60, 30), 30), [1] * 30)


def test_a_budget_stops_a_long_sum_and_names_count_and_remedy():
    engine = Exact(max_nodes=10)
    for ask in (
        lambda: engine.log_sum(hard_agreement(), 1.5),
        lambda: engine.counts(hard_agreement()),
        lambda: engine.decide(hard_agreement(), Threshold(1.5, 20.8)),
    ):
        with pytest.raises(
            BudgetExceeded, match=r"max_nodes=10 nodes \(gave up after 1\d\); raise max_nodes"
        ) as caught:
            ask()
        assert caught.value.nodes > caught.value.max_nodes == 10
        assert pickle.loads(pickle.dumps(caught.value)).nodes == caught.value.nodes


def test_a_budget_of_as_many_nodes_as_a_sum_takes_is_enough():
    estimate = Exact().log_sum(hard_agreement(), 1.5)
    assert estimate.exact
    assert estimate.std_err == 0
    assert Exact(max_nodes=estimate.steps).log_sum(hard_agreement(), 1.5) == estimate
    with pytest.raises(BudgetExceeded):
        Exact(max_nodes=estimate.steps - 1).log_sum(hard_agreement(), 1.5)


def test_a_budget_also_holds_for_batches_and_for_many_words():
    rng = np.random.default_rng(8)
    for n in (30, 90):
        log = log_of(random_mistakes(rng, 60, n), n)
        with pytest.raises(BudgetExceeded, match="max_nodes=3 "):
            Exact(max_nodes=3).log_sums(log, [[1] * n], 1.5)


@pytest.mark.parametrize("alpha", [1.5, 1.1])
def test_exact_ties_predict_1_and_the_next_threshold_0(alpha):
    rng = np.random.default_rng(9)
    for _ in range(50):
        mistakes = random_mistakes(rng, 8, 6)
        agreement = Agreement.of(log_of(mistakes, 6), [1] * 6)
        total = naive.weighted_sum([1] * 6, mistakes, alpha)
        step = Fraction(1, 10**40)
        for theta, label in ((total, 1), (total + step, 0), (total - step, 1)):
            assert Exact().decide(agreement, Threshold(alpha, naive.log(theta), theta)).label == label


def test_a_threshold_given_by_its_logarithm_alone_is_the_integer_it_came_from():
    for n in (16, 30, 50):
        empty = Agreement.of(MistakeLog(n), [1] * n)
        assert Exact().decide(empty, Threshold(1.5, math.log(2**n))).label == 1
    log = log_of([([1, 1, 1, 1], 1)], 4)  # 16 terms of weight 1.5
    for theta, label in ((24, 1), (24.000000001, 0), (25, 0), (23, 1)):
        assert Exact().decide(Agreement.of(log, [1] * 4), Threshold(1.5, math.log(theta))).label == label


@pytest.mark.parametrize("alpha", [1.0, 0.5, math.inf, math.nan])
def test_alpha_must_be_above_1(alpha):
    with pytest.raises(ValueError, match="alpha must be > 1"):
        Exact().log_sum(Agreement.of(MistakeLog(1), [1]), alpha)


def test_max_nodes_must_be_positive():
    with pytest.raises(ValueError, match="max_nodes must be at least 1"):
        Exact(max_nodes=0)
