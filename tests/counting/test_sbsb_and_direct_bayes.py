"""What must hold of SBSB, SASB and DirectBayes on any examples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from naive_symmetric import MistakeDriven, NaiveDirect, NaiveSBSB, Voting, run
from winnowkit import SBSB, DirectBayes, bounds
from winnowkit.counting.lead_counts import LAST, N_BINS, NONE, POSITIVES, TRIALS
from winnowkit.counting.learner import sign_of_sum


@st.composite
def tables(draw, max_n=5, max_rows=25):
    n = draw(st.integers(1, max_n))
    bit = st.integers(0, 1)
    rows = draw(st.lists(st.lists(bit, min_size=n + 1, max_size=n + 1), min_size=1, max_size=max_rows))
    table = np.array(rows)
    return table[:, :n], table[:, n]


@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from(["always", "mistake"]), st.integers(0, 4))
def test_labels_are_those_of_rational_arithmetic(table, policy, voting):
    X, y = table
    base = NaiveSBSB(X.shape[1])
    naive = Voting(MistakeDriven(base) if policy == "mistake" else base, voting)
    model = SBSB(policy=policy, voting=voting).begin(X.shape[1], [0, 1])
    assert model.partial_fit_predict(X, y).tolist() == run(naive, X.tolist(), y.tolist())


@settings(max_examples=100, deadline=None)
@given(tables(max_n=12, max_rows=60))
def test_bins_partition_the_attributes_in_order(table):
    X, y = table
    model = SBSB().begin(X.shape[1], [0, 1]).partial_fit(X, y)
    state = model._learner.state
    marks = state.marks[0, 0]
    backwards, slot = [], marks[LAST]
    while slot != NONE:
        backwards.append((state.lead[0, 0, slot], state.size[0, 0, slot]))
        slot = state.before[0, 0, slot]
    leads = np.where(X == 1, np.where(y == 1, 1, -1)[:, None], 0).sum(axis=0)
    values, sizes = np.unique(leads, return_counts=True)
    assert backwards[::-1] == list(zip(values, sizes, strict=True))
    assert (marks[TRIALS], marks[POSITIVES], marks[N_BINS]) == (len(y), y.sum(), len(values))


@settings(max_examples=100, deadline=None)
@given(tables(max_n=6), st.permutations(range(6)))
def test_the_order_of_attributes_does_not_matter(table, order):
    X, y = table
    order = [i for i in order if i < X.shape[1]]
    plain, turned = (SBSB(policy="mistake", voting=2).begin(X.shape[1], [0, 1]) for _ in range(2))
    assert plain.partial_fit_predict(X, y).tolist() == turned.partial_fit_predict(X[:, order], y).tolist()


@settings(max_examples=60, deadline=None)
@given(tables(max_n=4, max_rows=15), st.integers(1, 4), st.sampled_from([0.05, 0.1, 0.2, 0.25, 0.4]))
def test_direct_labels_are_those_of_weighted_majority(table, k, noise):
    X, y = table
    model = DirectBayes(k=k, noise=noise).begin(X.shape[1], [0, 1])
    assert model.partial_fit_predict(X, y).tolist() == run(NaiveDirect(X.shape[1], k, noise), X.tolist(), y.tolist())


@settings(max_examples=60, deadline=None)
@given(tables(max_n=5, max_rows=40), st.sampled_from(["always", "mistake"]))
def test_direct_mistakes_stay_within_the_bound(table, policy):
    X, y = table
    n = X.shape[1]
    model = DirectBayes(k=2, policy=policy).begin(n, [0, 1]).partial_fit(X, y)
    pairs = [(i, j) for i in range(n) for j in range(i, n)]
    best = min(int(((X[:, i] | X[:, j]) != y).sum()) for i, j in pairs)
    assert model.n_mistakes_ <= bounds.weighted_majority(1 / 9, len(pairs), best)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(-6, 6), max_size=6), st.integers(1, 4), st.integers(0, 4))
def test_signs_of_sums(coefficients, numerator, more):
    denominator = numerator + more
    total = sum(c * numerator**j * denominator ** (10 - j) for j, c in enumerate(coefficients))
    assert sign_of_sum(coefficients, lambda _: (numerator, denominator)) == (total > 0) - (total < 0)


@pytest.mark.parametrize(
    ("model", "n", "method", "call"),
    [(SBSB(voting=3), 200, "_give_verdicts", 3), (SBSB(), 200, "_give_room", 1), (DirectBayes(), 6, "_update", 20)],
    ids=["a near tie", "more room", "an update"],
)
def test_an_interrupt_leaves_a_learner_as_it_was(model, n, method, call, monkeypatch):
    rng = np.random.default_rng(3)
    X, y = (rng.random((300, n)) < 0.3).astype(int), rng.integers(0, 2, 300)
    learner = model.begin(n, [0, 1])._learner
    model.partial_fit(X[:2], y[:2])
    before = {name: array.copy() for name, array in learner.arrays().items()}
    original, calls = getattr(type(learner), method), []

    def interrupt(*args, **kwargs):
        calls.append(method)
        if len(calls) == call:
            raise KeyboardInterrupt
        return original(*args, **kwargs)

    monkeypatch.setattr(type(learner), method, interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X[2:], y[2:])
    monkeypatch.undo()
    assert all(np.array_equal(array, before[name]) for name, array in learner.arrays().items())
    whole = clone(model).begin(n, [0, 1]).partial_fit(X, y)
    assert whole.decision_function(X).tolist() == model.partial_fit(X[2:], y[2:]).decision_function(X).tolist()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("policy", ["always", "mistake"])
@pytest.mark.parametrize("method", ["_opinion", "_decisions", "_update", "_make_room"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_an_interrupted_trial_of_direct_bayes_is_undone(method, when, policy, n_classes, monkeypatch):
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 2, (40, 5)), rng.integers(0, n_classes, 40)
    model = DirectBayes(policy=policy).begin(5, range(n_classes)).partial_fit(X, y)
    learner, wrong = model._learner, (model.predict_one(X[0]) + 1) % n_classes
    before = learner.checkpoint()
    original = getattr(type(learner), method)

    def interrupt(*args, **kwargs):
        if when == "after":
            original(*args, **kwargs)
        raise KeyboardInterrupt

    monkeypatch.setattr(type(learner), method, interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.learn_one(X[0], wrong)
    assert all(np.array_equal(array, before[name]) for name, array in learner.arrays().items())
