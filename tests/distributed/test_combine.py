"""Combining shards: identities, a slow twin, and the control that fails."""

from copy import deepcopy

import numpy as np
import pytest

from winnowkit import (
    AROW,
    AdaptiveWinnow,
    BalancedWinnow,
    BayesBEG,
    CoinBetting,
    Committee,
    Elimination,
    NormalizedWinnow,
    ThresholdedBEG,
    Winnow1,
    Winnow2,
)
from winnowkit.core.csr import Trials
from winnowkit.data import streams
from winnowkit.distributed import combine
from winnowkit.distributed.combine import change, merge, moved
from winnowkit.distributed.forms import LinearForm, form_of
from winnowkit.distributed.shard import Orders, Piece, begin_shard, learn_piece
from winnowkit.dnf.soft_learners import SoftLearners

RULES = {
    "Winnow2": Winnow2(),
    "Winnow1": Winnow1(),
    "Elimination": Elimination(),
    "NormalizedWinnow": NormalizedWinnow(),
    "BalancedWinnow with negations": BalancedWinnow(negations=True),
    "ThresholdedBEG": ThresholdedBEG(),
    "ThresholdedBEG that eliminates": ThresholdedBEG(preset="noise-free"),
    "BayesBEG with negations": BayesBEG(negations=True),
    "AROW": AROW(),
    "CoinBetting": CoinBetting(),
    "AdaptiveWinnow": AdaptiveWinnow(),
    "Committee": Committee(),
    "members": Committee(members=[Winnow2(), AROW()]),
}


@pytest.fixture(scope="module")
def rows():
    return dense(streams.disjunction(n=40, k=3, active=8, label_noise=0.05, seed=0).take(400))


def dense(rows):
    X, y = rows
    return (X if isinstance(X, np.ndarray) else X.toarray()), y


def learned(model, X, y):
    """A learner that has gone on, and how often each weight was updated."""
    shard = learn_piece(begin_shard(model), None, X, y, Piece(0), Orders(None))
    return shard.model._learner, shard.updates


@pytest.fixture(params=RULES)
def case(request, rows):
    """A start that has seen some rows, and the ends and updates of three shards."""
    X, y = rows
    start = deepcopy(RULES[request.param]).partial_fit(X[:100], y[:100], classes=[0, 1])
    found = [learned(start, X[i : i + 100], y[i : i + 100]) for i in (100, 200, 300)]
    ends, updates = zip(*found, strict=True)
    return start._learner, list(ends), None if updates[0] is None else list(updates), X


def decisions(learner, X):
    thresholds = getattr(learner, "state", None)
    linear = hasattr(thresholds, "totals")
    rows = Winnow2()._rows(X) if linear else AROW()._rows(X)
    return learner.decide(rows, 0, len(X))


def test_combining_one_state_is_the_identity(case):
    start, ends, updates, X = case
    same = combine(start, ends[:1], None if updates is None else updates[:1])
    assert (decisions(same, X) == decisions(ends[0], X)).all()


def test_combining_equal_states_is_the_identity_but_for_single_precision(case):
    start, ends, updates, X = case
    same = combine(start, ends[:1] * 3, None if updates is None else updates[:1] * 3)
    np.testing.assert_allclose(decisions(same, X), decisions(ends[0], X), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n_classes", [3, 5, 9])
def test_combining_equal_states_of_several_classes_is_the_identity_but_for_single_precision(rule, n_classes):
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=200)
    X = (rng.random((200, 12)) < 0.2).astype(float)
    X[np.arange(200), y] = 1.0
    start = deepcopy(RULES[rule]).partial_fit(X[:100], y[:100], classes=range(n_classes))
    end, updates = learned(start, X[100:], y[100:])
    same = combine(start._learner, [end] * 3, None if updates is None else [updates] * 3)
    np.testing.assert_allclose(decisions(same, X), decisions(end, X), rtol=2e-5, atol=2e-5)


def test_the_order_of_shards_does_not_matter(case):
    start, ends, updates, X = case
    forward = combine(start, ends, updates)
    backward = combine(start, ends[::-1], None if updates is None else updates[::-1])
    np.testing.assert_allclose(decisions(forward, X), decisions(backward, X), rtol=2e-5, atol=2e-5)


def test_merging_in_steps_is_merging_at_once(case):
    start, ends, updates, X = case
    changes = [change(start, *pair) for pair in zip(ends, updates or [None] * 3, strict=True)]
    at_once = moved(start, merge(start, changes))
    in_steps = moved(start, merge(start, [merge(start, changes[:2]), merge(start, changes[2:])]))
    np.testing.assert_allclose(decisions(at_once, X), decisions(in_steps, X), rtol=2e-5, atol=2e-5)


def test_counts_add_up_and_the_start_stays(case):
    start, ends, updates, _ = case
    before = start.counts.copy()
    together = combine(start, ends, updates)
    assert (together.counts == before + sum(end.counts - before for end in ends)).all()
    assert (start.counts == before).all()


def test_updates_are_counted_as_a_slow_twin_counts_them(rows):
    X, y = rows
    model = Winnow2(negations=True).partial_fit(X[:100], y[:100], classes=[0, 1])
    learner, updates = learned(model, X[100:], y[100:])
    expected, twin = np.zeros((2, 40)), deepcopy(model)
    for x, label in zip(X[100:], y[100:], strict=True):
        if twin.predict(x[None])[0] != label:
            expected[0] += x > 0
            expected[1] += x == 0
        twin.partial_fit(x[None], [label])
    assert (updates[0] == expected).all()
    assert (learner.state.weights == twin._learner.state.weights).all()


@pytest.mark.parametrize("rule", [Winnow2(), ThresholdedBEG()])
def test_factors_of_weights_are_averaged_over_updates(rows, rule):
    """The formula itself, written out for each weight; a state is the weight, or the logarithm of the odds' factor."""
    X, y = rows
    start = deepcopy(rule).begin(40, [0, 1])
    factor = (lambda state: state) if isinstance(rule, Winnow2) else np.exp
    found = [learned(start, X[i : i + 100], y[i : i + 100]) for i in (0, 100, 200)]
    together = combine(start._learner, *map(list, zip(*found, strict=True)))
    for j in range(40):
        steps = [(factor(end.state.weights[0, 0, j]), n[0, 0, j]) for end, n in found]
        total = sum(n for _, n in steps)
        expected = sum(step * n for step, n in steps) / total if total else 1.0
        np.testing.assert_allclose(factor(together.state.weights[0, 0, j]), expected, rtol=1e-5)


def test_a_weight_that_one_shard_eliminates_is_eliminated():
    start = Winnow1().begin(3, [0, 1])
    one, other = deepcopy(start), deepcopy(start)
    one.learn_active([0, 1, 2], 0)  # a false alarm: 3 >= theta
    other.learn_active([0], 1)
    together = combine(start._learner, [one._learner, other._learner])
    assert together.state.weights[0, 0].tolist() == [0.0, 0.0, 0.0]
    assert combine(together, [together, together]).state.weights[0, 0].tolist() == [0.0, 0.0, 0.0]


def test_weights_that_all_shards_demote_far_are_not_eliminated():
    start = ThresholdedBEG().begin(1, [0, 1])
    ends = [deepcopy(start) for _ in range(2)]
    for end, state in zip(ends, [-1000.0, -1100.0], strict=True):
        end._learner.state.weights[0, 0, 0] = state
    together = combine(start._learner, [end._learner for end in ends])
    np.testing.assert_allclose(together.state.weights[0, 0, 0], -1000.0 - np.log(2.0), rtol=1e-6)


def test_arow_takes_precision_weighted_means():
    start = AROW().begin(1, [0, 1])
    ends = [deepcopy(start) for _ in range(2)]
    for end, (w, variance) in zip(ends, [(1.0, 0.5), (4.0, 0.25)], strict=True):
        end._learner.state.records[1, 0] = w, variance  # gains of precision: 1 and 3
    together = combine(start._learner, [end._learner for end in ends]).state.records[1, 0]
    np.testing.assert_allclose(together, [(1 + 3 * 4) / 4, 1 / (1 + (1 * 1 + 3 * 3) / 4)], rtol=1e-5)


def test_soft_terms_move_by_means_over_rows():
    start = SoftLearners.blank(np.array([3]), np.array([0]), 1, 2)
    cells, targets = np.array([[1], [2], [3]] * 50), np.array([0, 1, 1] * 50)
    end, _ = start.after(cells, targets)
    n_terms = len(end._tables.weights[0])
    updates = [np.ones((1, n_terms)), np.zeros((1, n_terms))]
    np.testing.assert_allclose(
        combine(start, [end, start], updates).decisions(cells),
        end.decisions(cells) + (combine(start, [end, start], updates).bias(0) - end.bias(0)),
        rtol=1e-5,
        atol=1e-6,
    )
    half = combine(start, [end, start], [np.ones((1, n_terms))] * 2)
    links = np.arcsinh(np.array([half._tables.weights, end._tables.weights]) / 10.0)
    np.testing.assert_allclose(links[0], links[1] / 2, rtol=1e-5, atol=1e-9)


def errors_of_eight_shards(mean):
    """Errors on new rows of eight shards of 200 rows whose weights are averaged, or log-weights added: the control."""
    X, y = dense(streams.disjunction(n=1000, k=3, seed=1).take(2600))
    model = Winnow2().begin(1000, [0, 1])
    start, ends = model._learner, []
    for s in range(8):
        ends.append(deepcopy(start))
        ends[-1].learn(Trials(model._rows(X[s:1600:8]), y[s:1600:8].astype(np.int64)))
    if mean:
        model._learner = combine(start, ends)
    else:
        added = sum(np.log(end.state.weights) for end in ends).reshape(-1, 1).astype(np.float32)
        total = merge(start, [change(start, end) for end in ends])
        model._learner = moved(start, total._replace(moved=added[total.places]))
    return np.mean(model.predict(X[1600:]) != y[1600:])


def test_averaging_learns_what_adding_does_not():
    assert errors_of_eight_shards(mean=True) == 0.0
    assert errors_of_eight_shards(mean=False) > 0.2


def errors_of_rounds(rule, factors, monkeypatch):
    """Errors on new rows after four rounds of four shards on rows with as many ones as zeros, and labels with noise."""
    monkeypatch.setattr(LinearForm, "multiplies", factors)
    X, y = dense(streams.disjunction(n=130, k=3, label_noise=0.02, seed=0).take(24_000))
    model = deepcopy(rule).begin(130, [0, 1])
    for first in range(0, 20_000, 5_000):
        found = [learned(model, X[i : first + 5_000 : 4], y[i : first + 5_000 : 4]) for i in range(first, first + 4)]
        model._learner = combine(model._learner, *map(list, zip(*found, strict=True)))
    return np.mean(model.predict(X[20_000:]) != y[20_000:])


@pytest.mark.parametrize("rule", [Winnow2(), ThresholdedBEG()])
def test_means_of_logarithms_lose_the_weights_of_many_attributes_together(rule, monkeypatch):
    assert errors_of_rounds(rule, True, monkeypatch) < 0.05
    assert errors_of_rounds(rule, False, monkeypatch) > 0.08


def test_other_learners_are_refused_by_name():
    with pytest.raises(TypeError, match="cannot be trained on many machines"):
        form_of(object())
