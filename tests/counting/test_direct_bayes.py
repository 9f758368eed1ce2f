"""DirectBayes against Bayes' rule and Weighted Majority in rational arithmetic, and what a user would notice."""

import pickle
from itertools import combinations, product

import numpy as np
import pytest

from naive_symmetric import MistakeDriven, NaiveBayes, NaiveDirect, run
from winnowkit import DirectBayes, bounds
from winnowkit.core.csr import Rows
from winnowkit.counting import direct_bayes_kernel as direct
from winnowkit.counting.direct_bayes_kernel import n_disjunctions
from winnowkit.data import streams


def examples(seed, rows, n):
    rng = np.random.default_rng(seed)
    X = (rng.random((rows, n)) < rng.choice([0.2, 0.5, 0.8])).astype(int)
    return X, X[:, 0] if seed % 3 == 0 else (rng.random(rows) < 0.5).astype(int)


@pytest.mark.parametrize("twin", [NaiveBayes, NaiveDirect], ids=["posterior", "weighted majority"])
@pytest.mark.parametrize("policy", ["always", "mistake"])
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_equals_rational_arithmetic_trial_by_trial(k, policy, twin):
    for seed in range(8):
        n, noise = 1 + seed % 6, (0.1, 0.25, 0.02, 0.4)[seed % 4]
        X, y = examples(seed, 25, n)
        model = DirectBayes(k=k, noise=noise, policy=policy).begin(n, [0, 1])
        naive = MistakeDriven(twin(n, k, noise)) if policy == "mistake" else twin(n, k, noise)
        assert model.partial_fit_predict(X, y).tolist() == run(naive, X.tolist(), y.tolist())
        if policy == "always":
            everything = np.array(list(product([0, 1], repeat=n)))
            exact = [float(naive.probability(x)) for x in everything.tolist()]
            np.testing.assert_allclose(model.predict_proba(everything)[:, 1], exact, rtol=1e-12)


def test_ties_are_exact_and_predict_zero():
    # x0 and x1 alone, noise 0.1: beta is 1/9, which no float is; nine disjunctions with one error weigh one without
    model = DirectBayes(k=1, noise=0.1).begin(10, [0, 1])
    x = np.zeros((1, 10))
    x[0, 1:] = 1
    model.partial_fit(x, [0])  # the nine err
    assert model.decision_function(x).tolist() == [0.0]
    assert model.predict(x).tolist() == [0]
    assert DirectBayes(k=1, noise=0.1 + 1e-9).begin(10, [0, 1]).partial_fit(x, [0]).predict(x).tolist() == [1]
    assert DirectBayes(k=1, noise=0.1 - 1e-9).begin(10, [0, 1]).partial_fit(x, [0]).decision_function(x)[0] < 0


def test_a_tie_far_from_the_start_is_a_tie():
    # one attribute active, the other not, both right by turns: after many errors of both their weights are equal
    model = DirectBayes(k=1, noise=0.001).begin(2, [0, 1])
    X = np.tile([[1, 0], [0, 1]], (300, 1))
    model.partial_fit(X, np.tile([1, 1], 300))
    assert model.decision_function([[1, 0], [0, 1]]).tolist() == [0.0, 0.0]
    assert model.predict_proba([[1, 0]]).tolist() == [[0.5, 0.5]]


def test_a_tie_is_no_mistake_where_the_label_is_zero():
    model = DirectBayes(k=1).begin(2, [0, 1])
    assert model.learn_active([0], 0) == 0  # one disjunction of two is true
    assert model._learner.counts[:, 1].tolist() == [0, 0]


@pytest.mark.parametrize(("n", "k"), [(1, 1), (5, 1), (6, 2), (7, 3), (6, 6)])
def test_the_walk_meets_each_disjunction_once(n, k):
    order = sorted(d for size in range(1, k + 1) for d in combinations(range(n), size))
    table = direct.begins(n, k)
    assert table[-1, -1] == len(order) == n_disjunctions(n, k)
    for bits in product([0, 1], repeat=n):
        indices = np.flatnonzero(bits).astype(np.int32)
        rows = Rows(np.ones(indices.size), indices, np.array([0, indices.size], dtype=np.int32), 0.0)
        x = direct.literals(rows, 0, n, False)
        says_one = np.array([any(bits[i] for i in d) for d in order])
        assert direct.fewer_are_satisfied(table, x) == (2 * says_one.sum() < len(order))
        for satisfied in (False, True):
            errors, tally = np.zeros(len(order), dtype=np.int32), np.zeros((4, 2), dtype=np.int64)
            direct.walk(errors, table, x, satisfied, 1, 0, tally)
            assert errors.tolist() == (says_one == satisfied).astype(int).tolist()
            assert tally.sum(axis=0).tolist() == [errors.sum(), 0]


def test_errors_are_counted_without_drift():
    X, y = streams.disjunction(n=12, k=2, active=4, label_noise=0.3, seed=0).take(3000)
    model = DirectBayes(k=3, noise=0.45).fit(X, y)
    dense = X.toarray() > 0
    order = sorted(d for size in (1, 2, 3) for d in combinations(range(12), size))
    errors = [int((dense[:, list(d)].any(axis=1) != y).sum()) for d in order]
    learner = model._learner.state
    assert (learner.errors[0] + learner.base[0]).tolist() == errors
    tally = np.bincount(learner.errors[0] - learner.lowest[0], minlength=learner.tallies.shape[1])
    assert learner.tallies[0].tolist() == tally.tolist()


def test_negations_are_complement_columns():
    X, y = examples(4, 60, 5)
    doubled, negated = DirectBayes().begin(10, [0, 1]), DirectBayes(negations=True).begin(5, [0, 1])
    labels = doubled.partial_fit_predict(np.hstack([X, 1 - X]), y)
    assert negated.partial_fit_predict(X, y).tolist() == labels.tolist()
    assert negated.n_disjunctions_ == 55


def test_many_classes_are_one_learner_a_class():
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 2, (80, 6)), rng.integers(0, 3, 80)
    model = DirectBayes().fit(X, y)
    alone = np.stack([DirectBayes().fit(X, y == k).decision_function(X) for k in range(3)], axis=1)
    np.testing.assert_array_equal(model.decision_function(X), alone)
    assert model.predict(X).tolist() == alone.argmax(axis=1).tolist()


@pytest.mark.parametrize("prediction", ["majority", "probability"])
def test_ways_in_agree_and_a_pickle_goes_on(prediction):
    X, y = streams.disjunction(n=30, k=2, active=5, label_noise=0.1, seed=2).take(120)
    models = [DirectBayes(prediction=prediction, random_state=3).begin(30, [0, 1]) for _ in range(3)]
    labels = models[0].partial_fit_predict(X, y)
    models[1].partial_fit(X[:50], y[:50])
    models[1] = pickle.loads(pickle.dumps(models[1]))
    assert models[1].partial_fit_predict(X[50:], y[50:]).tolist() == labels[50:].tolist()
    rows = np.split(X.indices, X.indptr[1:-1])
    assert [models[2].learn_active(i, label) for i, label in zip(rows, y, strict=True)] == labels.tolist()
    assert models[0].n_mistakes_ == (labels != y).sum()
    assert [models[2].predict_active(i) for i in rows] == models[0].predict(X).tolist()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_random_predictions_depend_on_the_seed_and_the_row_alone(n_classes):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (200, 8)), rng.integers(0, n_classes, 200)
    model = DirectBayes(noise=0.45, prediction="probability", random_state=1).fit(X, y)
    labels = model.predict(X)
    part = rng.permutation(200)[:50]
    assert model.predict(X[part]).tolist() == labels[part].tolist()
    assert (
        DirectBayes(noise=0.45, prediction="probability", random_state=1).fit(X, y).predict(X).tolist()
        == labels.tolist()
    )
    assert (
        DirectBayes(noise=0.45, prediction="probability", random_state=2).fit(X, y).predict(X).tolist()
        != labels.tolist()
    )
    plain = DirectBayes(noise=0.45).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))
    assert labels.tolist() != plain.predict(X).tolist()
    if n_classes == 2:
        assert ((model.decision_function(X) > 0) == (labels == 1)).all()


def test_refuses_too_many_disjunctions_and_names_them():
    with pytest.raises(ValueError, match=r"max_disjunctions = 10000000.*got 1333335000"):
        DirectBayes(k=3).begin(2000, [0, 1])
    assert DirectBayes(k=3).begin(200, [0, 1]).n_disjunctions_ == 1_333_500
    assert DirectBayes(k=40).begin(3, [0, 1]).n_disjunctions_ == 7


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (DirectBayes(binarize=None), "binarize must be a number"),
        (DirectBayes(k=0), "k must be an integer >= 1"),
        (DirectBayes(noise=0.0), r"noise must be in \(0, 1/2\)"),
        (DirectBayes(noise=0.5), r"noise must be in \(0, 1/2\)"),
        (DirectBayes(policy="never"), "policy must be"),
        (DirectBayes(prediction="maybe"), "prediction must be"),
    ],
)
def test_refuses(model, message):
    with pytest.raises(ValueError, match=message):
        model.begin(3, [0, 1])


def test_posterior_only_where_one_is_meant():
    assert hasattr(DirectBayes(), "predict_proba")
    assert not hasattr(DirectBayes(policy="mistake"), "predict_proba")


@pytest.mark.parametrize("policy", ["always", "mistake"])
def test_mistakes_stay_within_weighted_majoritys_bound(policy):
    stream = streams.disjunction(n=40, k=2, active=8, label_noise=0.1, seed=1)
    X, y = stream.take(400)
    model = DirectBayes(policy=policy).partial_fit(X, y, classes=[0, 1])
    certificate = model.certificate(best_mistakes=int((stream.target(X) != y).sum()))
    assert certificate.kept
    assert certificate.bound == pytest.approx(bounds.weighted_majority(1 / 9, 820, (stream.target(X) != y).sum()))
    assert not model.certificate().kept
    assert DirectBayes(prediction="probability").fit(X, y).certificate().bound == np.inf


def test_a_certificate_is_about_the_parameters_that_learned():
    X, y = streams.disjunction(n=20, k=1, active=4, seed=0).take(50)
    model = DirectBayes(k=1, noise=0.01).partial_fit(X, y, classes=[0, 1])
    before = model.certificate(best_mistakes=5)
    assert model.set_params(k=3, noise=0.45, prediction="probability").certificate(best_mistakes=5) == before
