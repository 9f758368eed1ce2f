"""Committee: its vote is Weighted Majority's, its members are the learners they would be alone."""

import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone

import winnowkit as wk
from winnowkit import bounds
from winnowkit.data import streams
from winnowkit.linear.committee_kernel import LEAST

MEMBERS = [wk.Winnow1(), wk.Winnow2(), wk.ThresholdedBEG(), wk.BayesBEG(policy="always"), wk.NormalizedWinnow(k=3)]


def naive_weighted_majority(members, beta, share, X, y):
    """Members predict, the heavier side wins, members that erred pay; then weight is shared out."""
    weights = np.ones(len(members))
    predicted = []
    for x, label in zip(X, y, strict=True):
        votes = np.array([member.predict_one(x) for member in members])
        predicted.append(int(weights[votes == 1].sum() > weights[votes == 0].sum()))
        weights[votes != label] *= beta
        weights = (1 - share) * weights + share * weights.mean()
        weights = np.maximum(weights / weights.max(), LEAST)
        for member in members:
            member.learn_one(x, label)
    return predicted, weights


@pytest.mark.parametrize("share", [0.0, 0.1])
@pytest.mark.parametrize("negations", [False, True])
def test_it_is_weighted_majority(share, negations):
    X, y = streams.disjunction(n=60, k=3, active=12, label_noise=0.1, seed=2).take(400)
    alone = [clone(member).set_params(negations=negations).begin(60, [0, 1]) for member in MEMBERS]
    expected, weights = naive_weighted_majority(alone, 0.7, share, X.toarray(), y)
    committee = wk.Committee(members=MEMBERS, beta=0.7, share=share, negations=negations)
    assert committee.partial_fit_predict(X, y, classes=[0, 1]).tolist() == expected
    assert committee.weights_[0] == pytest.approx(weights, rel=1e-9)
    assert committee.member_mistakes_[0].tolist() == [member.n_mistakes_ for member in alone]


@pytest.mark.parametrize("prediction", ["majority", "probability"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_chunks_rows_and_pickles_do_not_matter(prediction, n_classes):
    X, _ = streams.disjunction(n=80, k=3, active=10, seed=4).take(700)
    y = np.random.default_rng(0).integers(0, n_classes, 700)
    model = wk.Committee(prediction=prediction, random_state=5)
    at_once, in_parts, by_row, by_active = (clone(model) for _ in range(4))
    predicted = at_once.partial_fit_predict(X, y, classes=range(n_classes))
    parts = []
    for part in np.array_split(np.arange(700), 9):
        parts.extend(in_parts.partial_fit_predict(X[part], y[part], classes=range(n_classes)))
        in_parts = pickle.loads(pickle.dumps(in_parts))
    by_row.begin(80, range(n_classes))
    by_active.begin(80, range(n_classes))
    rows = [by_row.learn_one(x, label) for x, label in zip(X.toarray(), y, strict=True)]
    active = [X.indices[X.indptr[r] : X.indptr[r + 1]] for r in range(700)]
    actives = [by_active.learn_active(a, label) for a, label in zip(active, y, strict=True)]
    assert predicted.tolist() == parts == rows == actives
    for other in (in_parts, by_row, by_active):
        assert np.array_equal(other.weights_, at_once.weights_)
        assert np.array_equal(other.predict(X), at_once.predict(X))
        assert (other.n_mistakes_, other.n_trials_) == (at_once.n_mistakes_, 700)
    assert [by_row.predict_one(x) for x in X.toarray()[:40]] == at_once.predict(X[:40]).tolist()


def test_a_committee_of_one_does_as_its_member():
    X, y = streams.disjunction(n=50, k=2, active=10, label_noise=0.1, seed=0).take(500)
    alone = wk.Winnow2().partial_fit_predict(X, y, classes=[0, 1])
    assert np.array_equal(wk.Committee(members=[wk.Winnow2()]).partial_fit_predict(X, y, classes=[0, 1]), alone)


def test_the_leader_can_be_read():
    stream = streams.disjunction(n=5000, k=4, label_noise=0.02, seed=6)
    model = wk.Committee().fit(*stream.take(5000))
    assert sorted(model.leader_coef_[0].argsort()[-4:].tolist()) == list(stream.target.variables)


def test_hopeless_members_rest_and_nothing_else_changes():
    """Noise kills members that eliminate; they stop updating but the vote hardly notices."""
    X, y = streams.disjunction(n=300, k=3, active=20, label_noise=0.05, seed=0).take(20_000)
    model = wk.Committee().fit(X, y)
    resting = model._committee.votes.resting[0]
    assert resting[:2].tolist() == [True, True]
    assert not resting.all()
    best = int(np.argmin(model.member_mistakes_[0]))
    assert best >= 2
    assert model.n_mistakes_ < 1.02 * model.member_mistakes_[0, best] + 50


@pytest.mark.parametrize("beta", [0.1, 0.5, 0.9])
def test_mistakes_stay_under_weighted_majoritys_bound(beta):
    rng = np.random.default_rng(1)
    for noise in (0.0, 0.1, 0.5):
        X, y = streams.disjunction(n=100, k=3, active=15, seed=int(rng.integers(1000)), label_noise=noise).take(2000)
        model = wk.Committee(members=MEMBERS, beta=beta).fit(X, y)
        certificate = model.certificate()
        assert certificate.kept
        assert certificate.bound == bounds.weighted_majority(beta, 5, model.member_mistakes_.min())


def test_random_votes_have_the_shares_for_probabilities():
    """z < 4.5 in each of 20 cells: a false alarm of 1.4e-4 in all, with fixed seeds none; the control is off by 0.1."""
    X, y = streams.disjunction(n=40, k=2, active=8, label_noise=0.3, seed=1).take(60)
    shares = wk.Committee(members=MEMBERS, beta=0.9).fit(X, y).decision_function(X[:20])
    chance = (1 + shares) / 2
    runs = 400
    drawn = np.zeros(20)
    for seed in range(runs):
        model = wk.Committee(members=MEMBERS, beta=0.9, prediction="probability", random_state=seed).fit(X, y)
        drawn += model.predict(X[:20])
    error = np.sqrt(np.maximum(chance * (1 - chance), 1e-12) / runs)
    assert (np.abs(drawn / runs - chance) <= 4.5 * error + 1e-9).all()
    moved = np.clip(chance + np.where(chance < 0.5, 0.1, -0.1), 0, 1)
    assert (np.abs(drawn / runs - moved) > 4.5 * error + 1e-9).any()


def test_random_predictions_depend_on_the_row_alone():
    X, y = streams.disjunction(n=40, k=2, active=8, label_noise=0.3, seed=1).take(200)
    model = wk.Committee(prediction="probability", random_state=0, beta=0.99).fit(X, y)
    together = model.predict(X)
    assert [model.predict(X[[r]])[0] for r in range(200)] == together.tolist()
    other = wk.Committee(prediction="probability", random_state=1, beta=0.99).fit(X, y)
    assert (other.predict(X) != together).any()


def test_a_shifting_committee_recovers():
    """Mistakes after a change, in which the old target is unlearned too, beside those after the start."""
    start, plain, shifting = 0, 0, 0
    for seed in range(4):
        X, y = streams.disjunction(n=2000, k=4, active=30, drift_every=3000, seed=seed).take(12_000)
        wrong = {}
        for share in (0.0, 0.01):
            predicted = wk.Committee(share=share).partial_fit_predict(X, y, classes=[0, 1])
            wrong[share] = (predicted != y).reshape(4, 3000).sum(axis=1)
        start += wrong[0.01][0]
        plain += wrong[0.0][1:].mean()
        shifting += wrong[0.01][1:].mean()
    assert shifting < 1.8 * start
    assert plain > 1.8 * start  # the control


def test_a_bad_batch_changes_nothing():
    X, y = streams.disjunction(n=50, k=2, active=8, seed=1).take(800)
    spoilt = X.copy()
    spoilt.data[-1] = np.nan
    fresh, learned = wk.Committee().begin(50, [0, 1]), wk.Committee().fit(X, y)
    for model in (fresh, learned):
        before = pickle.loads(pickle.dumps(model))
        with pytest.raises(ValueError, match="contains NaN"):
            model.partial_fit(spoilt, 1 - y)
        assert np.array_equal(model.weights_, before.weights_)
        assert np.array_equal(model.partial_fit_predict(X, y), before.partial_fit_predict(X, y))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (wk.Committee(beta=1.0), "beta must be in (0, 1), got 1.0"),
        (wk.Committee(share=1.0), "share must be in [0, 1), got 1.0"),
        (
            wk.Committee(members="relatives"),
            "members must be 'family' or a list of linear classifiers, got 'relatives'",
        ),
        (wk.Committee(members=[]), "a committee needs at least 1 member, got 0"),
        (wk.Committee(members=[wk.BalancedWinnow()]), "members must keep one weight per attribute"),
        (wk.Committee(members=[wk.SASB()]), "members must be linear classifiers of winnowkit"),
        (wk.Committee(members=[wk.Winnow2(alpha=0.5)]), "alpha must be > 1, got 0.5"),
        (wk.Committee(prediction="coin"), "prediction must be 'majority' or 'probability', got 'coin'"),
    ],
    ids=repr,
)
def test_bad_parameters_are_refused(model, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        model.fit([[0, 1], [1, 0]], [0, 1])
