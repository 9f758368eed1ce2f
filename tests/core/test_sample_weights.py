"""Weights of examples and classes: whole numbers are presentations in succession, fractions powers, 0 absence."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import winnowkit as wk
from winnowkit.core.online_classifier import OnlineClassifier
from winnowkit.core.validation import MOST_PRESENTATIONS

LINEAR = [
    wk.Elimination(),
    wk.Winnow1(),
    wk.Winnow2(),
    wk.Winnow2(negations=True, floor=0.01),
    wk.Winnow2(binarize=None),
    wk.BalancedWinnow(theta=1.0, margin=0.5),
    wk.BalancedWinnow(negations=True),
    wk.NormalizedWinnow(k=2),
    wk.NormalizedWinnow(k=2, policy="always"),
    wk.ThresholdedBEG(),
    wk.ThresholdedBEG(beta0=0.5, beta1=2, theta=0.4, margin=0.36, negations=True),
    wk.BayesBEG(),
    wk.BayesBEG(policy="always"),
]
COUNTING = [
    wk.SBSB(),
    wk.SBSB(voting=3),
    wk.SASB(),
    wk.DirectBayes(k=2),
    wk.DirectBayes(k=2, prediction="probability", random_state=0),
    wk.DirectedDrift(random_state=0),
    wk.DirectedDrift(mode="online", random_state=0),
]
ALL = [*LINEAR, *COUNTING, wk.AROW(), wk.CoinBetting(), wk.AdaptiveWinnow(), wk.Committee()]


def table(n_classes, seed=0, rows=60, n=8):
    rng = np.random.default_rng(seed)
    X = (rng.random((rows, n)) < 0.4).astype(float)
    y = (X[:, 0] + 2 * X[:, 1] > 0).astype(int) if n_classes == 2 else np.minimum(X[:, :3] @ [1, 1, 2], 2).astype(int)
    flipped = rng.random(rows) < 0.1
    return X, np.where(flipped, (y + 1) % n_classes, y), rng


def begun(model, n_classes):
    return clone(model).begin(8, np.arange(n_classes))


def assert_equal_learners(one, other):
    states = [model._learner.arrays() for model in (one, other)]
    assert states[0].keys() == states[1].keys()
    for name, array in states[0].items():
        np.testing.assert_array_equal(array, states[1][name], err_msg=name)


def name_of(model):
    return repr(model).replace("\n", "")


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", ALL, ids=name_of)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_whole_weights_are_presentations_in_succession(model, n_classes, form):
    X, y, rng = table(n_classes)
    weights = rng.integers(0, 4, len(y))
    weighted, repeated = (begun(model, n_classes) for _ in range(2))
    weighted.partial_fit(form(X), y, sample_weight=weights)
    repeated.partial_fit(form(np.repeat(X, weights, axis=0)), np.repeat(y, weights))
    assert_equal_learners(weighted, repeated)


@pytest.mark.parametrize("model", ALL, ids=name_of)
def test_fit_does_not_see_rows_of_weight_0(model):
    X, y, rng = table(3)
    weights = rng.integers(0, 3, len(y)).astype(float)
    present = weights > 0
    model = clone(model).set_params(random_state=0)
    weighted, fewer = clone(model), clone(model)
    weighted.fit(X, y, sample_weight=weights)
    fewer.fit(X[present], y[present], sample_weight=weights[present])
    assert_equal_learners(weighted, fewer)


def test_a_class_whose_rows_all_weigh_0_is_unknown():
    X, y, _ = table(3)
    assert wk.Winnow2().fit(X, y, sample_weight=y != 1).classes_.tolist() == [0, 2]
    with pytest.raises(ValueError, match="only one class"):
        wk.Winnow2().fit(X, y, sample_weight=y == 1)
    model = wk.Winnow2().partial_fit(X, y, classes=[0, 1, 2], sample_weight=np.zeros(len(y)))
    assert model.n_trials_ == 0


@pytest.mark.parametrize("model", ALL, ids=name_of)
def test_class_weights_multiply_those_of_rows(model):
    X, y, rng = table(3)
    weights = rng.integers(1, 3, len(y))
    by_class = clone(model).set_params(class_weight={0: 2, 2: 3}).begin(8, [0, 1, 2])
    by_class.partial_fit(X, y, sample_weight=weights)
    by_row = begun(model, 3).partial_fit(X, y, sample_weight=weights * np.array([2, 1, 3])[y])
    assert_equal_learners(by_class, by_row)


@pytest.mark.parametrize("model", [*LINEAR, wk.AROW(), wk.Committee()], ids=name_of)
def test_balanced_classes(model):
    X, y, _ = table(2)
    of_classes = len(y) / (2 * np.bincount(y))
    model = clone(model).set_params(random_state=0)
    balanced = clone(model).set_params(class_weight="balanced").fit(X, y)
    by_row = clone(model).fit(X, y, sample_weight=of_classes[y])
    assert_equal_learners(balanced, by_row)


def test_predictions_before_updates_are_the_first_of_each_row():
    X, y, _ = table(3)
    weighted, plain = wk.Winnow2(class_weight={0: 3.0, 1: 2.5}), wk.Winnow2()
    labels = np.concatenate([weighted.partial_fit_predict(X[:1], y[:1], classes=[0, 1, 2])])
    assert labels == plain.partial_fit_predict(X[:1], y[:1], classes=[0, 1, 2])
    before = weighted.predict(X[1:2])
    assert weighted.partial_fit_predict(X[1:2], y[1:2]) == before
    assert len(weighted.partial_fit_predict(X, y)) == len(y)


# --- fractions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [0.25, 0.5, 1.75, 2.5])
def test_a_fraction_is_a_power_of_the_factor(weight):
    X, y = np.array([[1.0, 1.0, 0.0]]), [1]
    whole, part = int(weight), weight % 1
    winnow = wk.Winnow2(alpha=2.0, theta=1e9).begin(3, [0, 1]).partial_fit(X, y, sample_weight=[weight])
    np.testing.assert_allclose(winnow.coef_[0], [2.0**weight, 2.0**weight, 1.0], rtol=1e-15)
    beg = (
        wk.ThresholdedBEG(alpha=2.0, theta=0.9, initial=0.01).begin(3, [0, 1]).partial_fit(X, y, sample_weight=[weight])
    )
    odds = beg.coef_[0] / (1 - beg.coef_[0])
    np.testing.assert_allclose(odds, np.array([2.0**weight, 2.0**weight, 1.0]) * 0.01 / 0.99, rtol=1e-12)
    assert winnow.n_trials_ == beg.n_trials_ == whole + (part > 0)


def test_the_complement_of_an_absent_attribute_takes_part_in_fractions():
    X, y = np.array([[1.0, 0.0]]), [1]
    model = wk.Winnow2(alpha=4.0, theta=1e9, negations=True).begin(2, [0, 1]).partial_fit(X, y, sample_weight=[0.5])
    np.testing.assert_array_equal(model._learner.state.weights[0], [[2.0, 1.0], [1.0, 2.0]])


def test_any_weight_above_0_eliminates():
    X, y = np.array([[1.0, 0.0]]), [0]
    for model in (wk.Elimination(), wk.Winnow1(theta=1.0)):
        assert model.begin(2, [0, 1]).partial_fit(X, y, sample_weight=[0.1]).coef_.tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("model", COUNTING, ids=name_of)
def test_learners_that_count_refuse_fractions(model):
    X, y, _ = table(2)
    model = begun(model, 2)
    before = {name: array.copy() for name, array in model._learner.arrays().items()}
    with pytest.raises(ValueError, match=r"weights must be whole numbers: round them, for example np.rint"):
        model.partial_fit(X, y, sample_weight=np.full(len(y), 1.5))
    for name, array in model._learner.arrays().items():
        np.testing.assert_array_equal(array, before[name])


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"class_weight": "heavy"}, "class_weight must be a dict, 'balanced' or None, got 'heavy'"),
        ({"class_weight": 3}, "class_weight must be a dict, 'balanced' or None, got 3"),
        ({"class_weight": {0: 0.0}}, "class weights must be finite and above 0"),
        ({"class_weight": {7: 2.0}}, r"class_weight names 7, which is not among the classes \[0, 1\]"),
    ],
)
def test_class_weights_that_make_no_sense(parameters, message):
    X, y, _ = table(2)
    with pytest.raises(ValueError, match=message):
        wk.Winnow2(**parameters).fit(X, y)


def test_sample_weights_that_make_no_sense():
    X, y, _ = table(2)
    for weights, message in [
        (np.full(len(y), -1.0), r"sample_weight must be >= 0, got -1.0"),
        (np.zeros(len(y)), "all values of sample_weight are zero"),
        (np.full(len(y), np.nan), "NaN"),
        (np.ones(3), r"sample_weight must have shape \(60,\), got \(3,\)"),
        (np.full(len(y), 1e300), f"weights must add up to at most {MOST_PRESENTATIONS}"),
    ]:
        with pytest.raises(ValueError, match=message):
            wk.Winnow2().fit(X, y, sample_weight=weights)


def test_balanced_needs_all_labels_at_once():
    X, y, _ = table(2)
    with pytest.raises(ValueError, match="in partial_fit give a dict such as"):
        wk.Winnow2(class_weight="balanced").partial_fit(X, y, classes=[0, 1])


def test_every_online_classifier_is_here():
    classes = {getattr(wk, name) for name in wk.__all__ if name[0].isupper()}
    assert {kind for kind in classes if issubclass(kind, OnlineClassifier)} == {type(model) for model in ALL}
