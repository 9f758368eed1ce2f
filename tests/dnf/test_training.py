import math

import numpy as np
import pytest

from winnowkit.dnf import Agreement, BudgetExceeded, Exact, MistakeLog, Threshold


def plain_epochs(rows, alpha, log_theta, orders, log):
    """What training must do, the obvious way: ask about every row anew."""
    X, y = rows
    wrong = []
    for order in orders:
        wrong.append(0)
        for i in order:
            if Exact().decide(Agreement.of(log, X[i]), Threshold(alpha, log_theta)).label != y[i]:
                log.append(X[i], 1 if y[i] else -1)
                wrong[-1] += 1
    return wrong


def table(rng, shape, n_values=2, missing=0.0, noise=0.0):
    n_rows, n_attributes = shape
    X = rng.integers(1, n_values + 1, (n_rows, n_attributes))
    y = (X[:, :2] == 1).all(axis=1) | (X[:, 2:4] == 2).all(axis=1)
    y ^= rng.random(n_rows) < noise
    X[rng.random(X.shape) < missing] = 0
    return X, y.astype(int)


@pytest.mark.parametrize(
    ("shape", "n_values", "missing", "noise", "alpha"),
    [
        ((80, 6), 2, 0.0, 0.0, 1.5),
        ((60, 9), 3, 0.1, 0.2, 1.5),
        ((60, 12), 2, 0.3, 0.1, 3.0),
        ((60, 20), 2, 0.0, 0.1, 1.5),
        ((40, 20), 2, 0.0, 0.1, 1.05),
        ((25, 70), 3, 0.0, 0.0, 1.5),
    ],
)
def test_epochs_are_those_of_asking_about_every_row_anew(shape, n_values, missing, noise, alpha):
    n_rows, n_attributes = shape
    rng = np.random.default_rng(n_attributes)
    X, y = table(rng, shape, n_values, missing, noise)
    log_theta = n_attributes * math.log(n_values + 1)
    orders = [rng.permutation(n_rows) for _ in range(6)]
    expected = MistakeLog(n_attributes)
    wrong = plain_epochs((X, y), alpha, log_theta, orders, expected)
    training = Exact().training(X, y, Threshold(alpha, log_theta))
    assert [training.epoch(order) for order in orders] == wrong
    assert training.log == expected
    assert sum(wrong) == expected.n_mistakes > 10


@pytest.mark.parametrize(("shape", "n_values"), [((60, 26), 2), ((120, 22), 2)])
def test_what_is_known_of_a_row_holds_its_sum_after_the_mistakes_it_was_followed_to(shape, n_values):
    rng = np.random.default_rng(1)
    X, y = table(rng, shape, n_values, noise=0.1)
    log_theta = shape[1] * math.log(n_values + 1)
    training, mistaken = Exact().training(X, y, Threshold(1.5, log_theta)), []
    for _ in range(8):
        mistaken += training.mistaken()
    known = training._known
    assert known.spent[1] > 1  # some rows were followed by meets
    assert (known.when > 0).all()
    assert np.isfinite(known.high).any()
    for x, low, high, when in zip(X, known.low, known.high, known.when, strict=True):
        log = MistakeLog(shape[1])
        for row in mistaken[:when]:
            log.append(X[row], 1 if y[row] else -1)
        ratio = math.exp(Exact().log_sum(Agreement.of(log, x), 1.5).log_sum - log_theta)
        assert low <= ratio <= high


def test_a_log_of_bounded_length_forgets_the_same_way():
    rng = np.random.default_rng(2)
    X, y = table(rng, (60, 10), noise=0.1)
    orders = [np.arange(60)] * 6
    expected = MistakeLog(10, max_mistakes=12)
    wrong = plain_epochs((X, y), 1.5, 10 * math.log(3), orders, expected)
    training = Exact().training(X, y, Threshold(1.5, 10 * math.log(3)), log=MistakeLog(10, max_mistakes=12))
    assert [training.epoch() for _ in orders] == wrong
    assert training.log == expected
    assert expected.n_forgotten > 0


def test_training_goes_on_from_a_log_and_from_nets_past_sixteen_bits():
    X, y = [[1, 1], [1, 2], [2, 1]], [1, 0, 1]
    for net in (1, 40_000):
        logs = [MistakeLog.restore([[1, 1]], [net], [1], n_promotions=net, n_demotions=0) for _ in range(2)]
        training = Exact().training(X, y, Threshold(1.5, math.log(9)), log=logs[0])
        wrong = plain_epochs((X, y), 1.5, math.log(9), [range(3)] * 3, logs[1])
        assert [training.epoch() for _ in range(3)] == wrong
        assert logs[0] == logs[1]


def test_exact_ties_at_the_start_predict_1():
    training = Exact().training([[1, 1, 1]], [1], Threshold(1.5, 3 * math.log(2), 8))
    assert training.epoch() == 0
    assert Exact().training([[1, 1, 1]], [0], Threshold(1.5, math.log(8))).epoch() == 1


def test_a_budget_too_small_is_said():
    rng = np.random.default_rng(3)
    X, y = table(rng, (120, 30), noise=0.3)
    training = Exact(max_nodes=5).training(X, y, Threshold(1.5, 30 * math.log(3)))
    with pytest.raises(BudgetExceeded, match="max_nodes=5 "):
        list(iter(training.epoch, 0))
