"""SBSB and SASB against their naive twins, trial by trial, and what a user would notice."""

import pickle
from fractions import Fraction
from itertools import product
from math import comb, log

import numpy as np
import pytest

from naive_symmetric import MistakeDriven, NaiveSBSB, Voting, run
from winnowkit import SASB, SBSB
from winnowkit.counting.lead_counts import Bins, compare, log_binomial
from winnowkit.counting.sbsb_learner import exact_verdict
from winnowkit.data import streams


def twin(n, policy, voting):
    return Voting(MistakeDriven(NaiveSBSB(n)) if policy == "mistake" else NaiveSBSB(n), voting)


def matches(naive):
    base = naive.learner
    return base.learner.matches if isinstance(base, MistakeDriven) else base.matches


def examples(seed, rows, n):
    rng = np.random.default_rng(seed)
    X = (rng.random((rows, n)) < rng.choice([0.2, 0.5, 0.8])).astype(int)
    y = X[:, 0] if seed % 3 == 0 else (rng.random(rows) < rng.choice([0.2, 0.5])).astype(int)
    return X, y


@pytest.mark.parametrize("voting", [0, 1, 2, 5])
@pytest.mark.parametrize("policy", ["always", "mistake"])
def test_equals_rational_arithmetic_trial_by_trial(policy, voting):
    for seed in range(40):
        n = 1 + seed % 7
        X, y = examples(seed, 40, n)
        model, naive = SBSB(policy=policy, voting=voting).begin(n, [0, 1]), twin(n, policy, voting)
        assert model.partial_fit_predict(X, y).tolist() == run(naive, X.tolist(), y.tolist())
        assert model.matches_[0].tolist() == matches(naive)
        everything = np.array(list(product([0, 1], repeat=n)))
        assert model.predict(everything).tolist() == [naive.predict(x) for x in everything.tolist()]


def test_every_sequence_of_three_trials_ties_included():
    ties = 0
    for cells in product(list(product([0, 1], repeat=3)), repeat=3):
        X, y = [list(cell[:2]) for cell in cells], [cell[2] for cell in cells]
        naive, predicted = NaiveSBSB(2), []
        for x, label in zip(X, y, strict=True):
            one, zero = naive.sides(x)
            ties += one == zero and naive.trials > 0
            predicted.append(int(one > zero))
            naive.update(x, label)
        assert SBSB().begin(2, [0, 1]).partial_fit_predict(np.array(X), y).tolist() == predicted
    assert ties > 100


def test_log_odds_are_those_of_the_posterior():
    X, y = examples(1, 300, 5)
    model, naive = SBSB().begin(5, [0, 1]), NaiveSBSB(5)
    model.partial_fit(X, y)
    run(naive, X.tolist(), y.tolist())
    exact = np.array([float(naive.probability(x)) for x in X.tolist()])
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], exact, rtol=1e-12)
    sides = [naive.sides(x) for x in X.tolist()]
    exact = [log(one / zero) for one, zero in sides]
    np.testing.assert_allclose(model.decision_function(X), exact, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("t", [1, 2, 15, 16, 17, 40, 1000])
def test_log_binomials(t):
    for s in {0, 1, t // 3, t // 2, t - 1, t}:
        assert log_binomial(t, s) == pytest.approx(log(comb(t, s)), rel=4e-15, abs=2e-15)
        assert log_binomial(t, s) == log_binomial(t, t - s)


def test_log_binomials_of_millions_keep_their_digits():
    t, s = 3_000_000, 12
    exact = sum(log(t - j) - log(j + 1) for j in range(s))
    assert log_binomial(t, s) == pytest.approx(exact, rel=1e-14)


def test_exact_verdicts_equal_fractions():
    rng = np.random.default_rng(0)
    signs = set()
    for _ in range(2000):
        t = int(rng.integers(0, 12))
        m = int(rng.integers(0, t + 1))
        bins = np.array(
            [[s, size, rng.integers(0, size + 1)] for s, size in zip(range(t + 1), rng.integers(1, 4, t + 1))]  # noqa: B905
        )
        total = Fraction(0)
        for s, size, active in bins.tolist():
            one = active * (s + 1) + (size - active) * (t - s + 1)
            zero = active * (t - s + 1) + (size - active) * (s + 1)
            total += Fraction((m + 1) * one - (t - m + 1) * zero, comb(t, s))
        assert exact_verdict(t, m, bins) == (total > 0) - (total < 0)
        signs.add(exact_verdict(t, m, bins))
    assert signs == {-1, 0, 1}


def test_what_the_kernel_is_certain_of_is_exact():
    # states near balance, where sides nearly cancel, for few trials and many, few attributes and millions
    rng = np.random.default_rng(1)
    uncertain, ties = 0, 0
    for _ in range(6000):
        t = int(rng.choice([3, 10, 40, 200, 3000, 100_000]))
        m = int(np.clip(t // 2 + rng.integers(-1, 2), 0, t))
        near = rng.choice([t // 2, 0, t]) + rng.integers(-6, 7, 4) * rng.choice([1, max(1, int(t**0.5))])
        s = np.unique(np.clip(np.concatenate([near, t - near]), 0, t))
        size = rng.integers(1, 4, len(s)) * int(rng.choice([1, 2, 1_000_000]))
        active = size // 2 if rng.random() < 0.3 else rng.integers(0, size + 1)
        bins = Bins(
            lead=s - (t - m),
            size=size,
            after=np.arange(1, len(s) + 1),
            before=np.arange(-1, len(s) - 1),
            marks=np.array([t, m, 0, len(s) - 1, len(s), len(s), -1, 0]),
        )
        score, certain = compare(bins, active, int(size.sum()))
        verdict = exact_verdict(t, m, np.stack([s, size, active], axis=1))
        assert not certain or np.sign(score) == verdict
        uncertain += not certain
        ties += verdict == 0
    assert 0 < uncertain < 2000
    assert ties > 50


def test_a_tie_across_bins_is_decided_exactly():
    # balanced labels, one attribute that matched s times, another that matched t - s times: both active is a tie
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2
    matching = rng.random(600) < 0.7
    X = np.stack([matching == y, matching != y], axis=1).astype(int)
    model = SBSB().begin(2, [0, 1]).partial_fit(X, y)
    assert len(set(model.matches_[0].tolist())) == 2
    assert model.decision_function([[1, 1], [0, 0]]).tolist() == [0.0, 0.0]
    assert model.predict([[1, 1], [0, 0]]).tolist() == [0, 0]
    assert model.partial_fit([[1, 1]], [1]).predict([[1, 1]]).tolist() == [1]  # one more positive breaks it


def test_negations_change_nothing_as_doubled_columns_show():
    X, y = examples(4, 200, 6)
    doubled = SBSB().begin(12, [0, 1])
    plain, negated = SBSB().begin(6, [0, 1]), SBSB(negations=True).begin(6, [0, 1])
    labels = doubled.partial_fit_predict(np.hstack([X, 1 - X]), y)
    assert plain.partial_fit_predict(X, y).tolist() == labels.tolist()
    assert negated.partial_fit_predict(X, y).tolist() == labels.tolist()
    np.testing.assert_allclose(negated.decision_function(X), doubled.decision_function(np.hstack([X, 1 - X])))


@pytest.mark.parametrize("voting", [0, 3])
def test_many_classes_are_one_learner_a_class(voting):
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 2, (300, 8)), rng.integers(0, 3, 300)
    y[X[:, 0] == 1] = 2
    model = SASB(voting=voting).partial_fit(X, y, classes=[0, 1, 2])
    alone = [SASB(voting=voting).partial_fit(X, y == k, classes=[False, True]) for k in range(3)]
    assert model.n_updates_.tolist() == [m.n_updates_[0] for m in alone]
    decisions = np.stack([m.decision_function(X) for m in alone], axis=1)
    np.testing.assert_array_equal(model.decision_function(X), decisions)
    assert model.predict(X).tolist() == decisions.argmax(axis=1).tolist()
    shares = SBSB().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)


@pytest.mark.parametrize("voting", [0, 4])
def test_ways_in_agree_and_a_pickle_goes_on(voting):
    X, y = streams.disjunction(n=5000, k=2, active=40, label_noise=0.1, seed=2).take(400)
    model = SASB(voting=voting).begin(5000, [0, 1])
    labels = model.partial_fit_predict(X, y)
    single = SASB(voting=voting).begin(5000, [0, 1])
    halves = SASB(voting=voting).begin(5000, [0, 1])
    halves.partial_fit(X[:170], y[:170])
    halves = pickle.loads(pickle.dumps(halves))
    assert labels[170:].tolist() == halves.partial_fit_predict(X[170:], y[170:]).tolist()
    rows = np.split(X.indices, X.indptr[1:-1])
    assert [single.learn_active(i, label) for i, label in zip(rows, y, strict=True)] == labels.tolist()
    assert single.n_mistakes_ == model.n_mistakes_ == (labels != y).sum()
    np.testing.assert_array_equal(single.matches_, halves.matches_)
    assert single.predict_active(rows[0]) == halves.predict(X[:1])[0]
    with pytest.raises(IndexError, match="active indices must be in"):
        single.learn_active(np.array([5000]), 1)
    assert single.n_trials_ == 400


def test_counts_outgrow_their_first_room():
    rng = np.random.default_rng(0)
    X = rng.random((600, 300)) < np.linspace(0, 1, 300)  # as many leads as attributes
    y = rng.random(600) < 0.5
    model = SBSB(voting=3).begin(300, [0, 1])
    model.partial_fit(X, y)
    assert model.matches_[0].tolist() == (y[:, None] == X).sum(axis=0).tolist()
    assert model._learner.state.lead.shape[2] > 64


def test_mistakes_are_of_the_vote_and_updates_of_the_base():
    X, y = streams.bernoulli(n=20, k=5, p=0.1, seed=1).take(3000)
    voted, plain = (SASB(voting=voting).partial_fit(X, y, classes=[0, 1]) for voting in (30, 0))
    assert voted.n_updates_[0] == plain.n_updates_[0] == plain.n_mistakes_
    assert voted.n_mistakes_ != plain.n_mistakes_
    before = voted.n_mistakes_
    assert (voted.partial_fit_predict(X, y) != y).sum() + before == voted.n_mistakes_


def test_decisions_of_a_vote_have_its_sign():
    X, y = streams.bernoulli(n=10, k=3, p=0.2, seed=1).take(500)
    model = SASB(voting=3, random_state=0).fit(X, y)
    assert ((model.decision_function(X) > 0) == (model.predict(X) == 1)).all()
    assert np.abs(model.decision_function(X)).max() <= 1.125


def test_posterior_only_where_one_is_meant():
    assert hasattr(SBSB(), "predict_proba")
    for other in (SASB(), SBSB(policy="mistake"), SBSB(voting=2)):
        assert not hasattr(other, "predict_proba")
    with pytest.raises(AttributeError):
        SBSB(voting=2).predict_proba([[1]])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SBSB(binarize=None), "binarize must be a number"),
        (SASB(voting=-1), "voting must be an integer >= 0"),
        (SASB(voting=1.5), "voting must be an integer >= 0"),
        (SBSB(policy="never"), "policy must be"),
    ],
)
def test_refuses(model, message):
    with pytest.raises(ValueError, match=message):
        model.begin(3, [0, 1])


def test_a_million_trials_without_drift():
    rng = np.random.default_rng(0)
    model, matched, positives = SBSB().begin(6, [0, 1]), np.zeros(6, dtype=np.int64), 0
    for _ in range(10):
        X, y = rng.random((100_000, 6)) < 0.5, rng.random(100_000) < 0.5
        model.partial_fit(X, y)
        matched += (y[:, None] == X).sum(axis=0)
        positives += int(y.sum())
    assert model.matches_[0].tolist() == matched.tolist()
    for x in product([0, 1], repeat=6):
        bins = np.array([[s, 1, bit] for s, bit in zip(matched, x, strict=True)])
        assert model.predict_one(x) == (exact_verdict(1_000_000, positives, bins) > 0)
