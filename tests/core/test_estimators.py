"""What a user of scikit-learn, river or Vowpal Wabbit would notice: inputs of all kinds, errors, single examples."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import winnowkit as wk
from winnowkit.data import streams

NAMES = ["Elimination", "Winnow1", "Winnow2", "BalancedWinnow", "NormalizedWinnow", "ThresholdedBEG", "BayesBEG"]
MODELS = [getattr(wk, name)() for name in NAMES] + [
    wk.NormalizedWinnow(policy="always"),
    wk.ThresholdedBEG(policy="always"),
    wk.ThresholdedBEG(preset="noise-free"),
    wk.BayesBEG(policy="always"),
    wk.BayesBEG(preset="theorem-3"),
]
model_of_each_kind = pytest.mark.parametrize("model", MODELS, ids=repr)


@pytest.fixture
def noisy():
    return streams.disjunction(n=200, k=4, active=20, label_noise=0.05, seed=3).take(600)


def same_state(a, b):
    return (
        np.array_equal(a.coef_, b.coef_)
        and np.array_equal(a.intercept_, b.intercept_)
        and (a.n_trials_, a.n_mistakes_, a.n_updates_.tolist()) == (b.n_trials_, b.n_mistakes_, b.n_updates_.tolist())
    )


@model_of_each_kind
@pytest.mark.parametrize("negations", [False, True])
def test_one_row_at_a_time_is_the_same(model, negations, noisy):
    X, y = noisy
    at_once = clone(model).set_params(negations=negations)
    predicted = at_once.partial_fit_predict(X, y, classes=[0, 1])
    by_row, by_active, in_parts = (clone(at_once).begin(200, [0, 1]) for _ in range(3))
    dense = X.toarray()
    assert [by_row.learn_one(x, label) for x, label in zip(dense, y, strict=True)] == predicted.tolist()
    active = [X.indices[X.indptr[r] : X.indptr[r + 1]] for r in range(len(y))]
    assert [by_active.learn_active(a, label) for a, label in zip(active, y, strict=True)] == predicted.tolist()
    for part in np.array_split(np.arange(len(y)), 7):
        in_parts.partial_fit(X[part], y[part])
    for other in (by_row, by_active, in_parts):
        assert same_state(other, at_once)
    assert [by_row.predict_one(x) for x in dense[:50]] == at_once.predict(X[:50]).tolist()
    assert [by_row.predict_active(a) for a in active[:50]] == at_once.predict(X[:50]).tolist()


@model_of_each_kind
def test_every_layout_is_the_same(model, noisy):
    X, y = noisy
    long_indices = sparse.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)
    long_indices.indices, long_indices.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    assert long_indices.indices.dtype == np.int64
    read_only = X.copy()
    read_only.data.flags.writeable = False
    names = [f"a{i}" for i in range(200)]
    layouts = {
        "csr matrix": sparse.csr_matrix(X),
        "csc": sparse.csc_array(X),
        "coo": sparse.coo_array(X),
        "int64 indices": long_indices,
        "read-only": read_only,
        "float32": X.astype(np.float32),
        "bool": X.astype(bool),
        "dense": X.toarray(),
        "dense bool": X.toarray() > 0,
        "dense fortran": np.asfortranarray(X.toarray()),
        "pandas": pd.DataFrame(X.toarray(), columns=names),
        "polars": pl.DataFrame(X.toarray(), schema=names),
    }
    model = clone(model).set_params(random_state=0)
    expected = clone(model).fit(X, y)
    for name, layout in layouts.items():
        fitted = clone(model).fit(layout, y)
        assert same_state(fitted, expected), name
        assert np.array_equal(fitted.decision_function(layout), expected.decision_function(X)), name
    assert list(clone(model).fit(layouts["pandas"], y).feature_names_in_) == names


def test_unsorted_and_repeated_indices_mean_what_scipy_means():
    data = np.array([0.4, 0.4, 0.0, 1.0, -3.0])
    messy = sparse.csr_array((data, [2, 2, 0, 1, 0], [0, 3, 5]), shape=(2, 3))
    clean = sparse.csr_array(messy.toarray())
    kwargs = {"binarize": 0.5, "theta": 1.0, "shuffle": False, "max_epochs": 1}
    a, b = wk.Winnow2(**kwargs).fit(messy, [0, 1]), wk.Winnow2(**kwargs).fit(clean, [0, 1])
    assert same_state(a, b)
    assert a.coef_[0, 2] < 1  # 0.4 + 0.4 > 0.5
    assert messy.nnz == 5  # the caller's matrix is left alone


@pytest.mark.parametrize("binarize", [0.0, 2.5, -1.0])
def test_binarize_cuts_values(binarize):
    rng = np.random.default_rng(0)
    X, y = rng.normal(0, 3, (300, 10)), rng.integers(0, 2, 300)
    cut = wk.Winnow2(binarize=binarize, random_state=0).fit(X, y)
    assert same_state(cut, wk.Winnow2(random_state=0).fit((binarize < X).astype(float), y))


@model_of_each_kind
def test_pickle_goes_on_where_it_stopped(model, noisy):
    X, y = noisy
    straight = clone(model).partial_fit(X, y, classes=[0, 1])
    half = clone(model).partial_fit(X[:300], y[:300], classes=[0, 1])
    half = pickle.loads(pickle.dumps(half)).partial_fit(X[300:], y[300:])
    assert same_state(half, straight)


@pytest.mark.parametrize("labels", [["no", "yes"], [-1, 1], [False, True], ["a", "b", "c"], [2.0, 3.0, 7.0]])
def test_any_labels(labels, noisy):
    X, y = noisy
    y = np.array(labels)[y if len(labels) == 2 else np.arange(len(y)) % 3]
    model = wk.Winnow2(random_state=0).fit(X, y)
    assert model.classes_.tolist() == sorted(labels)
    assert set(model.predict(X).tolist()) <= set(labels)
    assert model.learn_active([1, 2, 3], labels[0]) in labels
    assert len(model.n_updates_) == (1 if len(labels) == 2 else 3)


@model_of_each_kind
def test_decisions_are_linear_and_their_sign_is_the_prediction(model, noisy):
    X, y = noisy
    model = clone(model).fit(X, y)
    decisions = model.decision_function(X)
    assert np.array_equal(decisions > 0, model.predict(X) == 1)
    assert decisions == pytest.approx(X @ model.coef_[0] + model.intercept_[0], rel=1e-9, abs=1e-9)


def test_an_exact_tie_returns_the_smallest_positive_float():
    model = wk.Winnow2().begin(3, [0, 1])
    assert model.decision_function([[1, 1, 1], [1, 1, 0]]).tolist() == [5e-324, -1.0]


def test_threads_do_not_change_predictions():
    X, y = streams.disjunction(n=50, k=3, active=10, seed=0).take(1000)
    y = np.arange(1000) % 4
    one, many = (wk.Winnow2(random_state=0, n_jobs=n_jobs).fit(X, y) for n_jobs in (None, 3))
    assert np.array_equal(one.decision_function(X), many.decision_function(X))
    assert np.array_equal(one.predict(X[:2]), many.predict(X[:2]))


def test_each_learner_stops_after_its_own_clean_epoch():
    X = np.eye(3)
    model = wk.Winnow2(theta=1.0, max_epochs=50, random_state=0).fit(X, [0, 1, 2])
    assert model.predict(X).tolist() == [0, 1, 2]
    assert model.n_trials_ < 150


def test_shuffling_is_seeded(noisy):
    X, y = noisy
    fits = [wk.Winnow2(shuffle=True, max_epochs=3, random_state=seed).fit(X, y) for seed in (0, 0, 1)]
    assert same_state(fits[0], fits[1])
    assert not same_state(fits[0], fits[2])


# --- errors come before anything changes ----------------------------------------------------------------------------


def bad_inputs():
    X = np.eye(4)
    nan, infinite = X.copy(), X.copy()
    nan[2, 1], infinite[2, 1] = np.nan, np.inf
    out_of_range = sparse.csr_array(X)
    out_of_range.indices = np.array([0, 1, 9, 3], dtype=np.int32)
    negative = sparse.csr_array(X)
    negative.indices = np.array([0, 1, -2, 3], dtype=np.int32)
    far = sparse.csr_array(X)
    far.indptr = np.array([0, 2**34, 2, 3, 4], dtype=np.int64)
    backwards = sparse.csr_array(X)
    backwards.indptr = np.array([0, 3, 1, 3, 4], dtype=np.int32)
    y = [0, 1, 0, 1]
    return {
        "nan": (nan, y, "contains NaN"),
        "sparse nan": (sparse.csr_array(nan), y, "contains NaN"),
        "infinity": (infinite, y, "infinity"),
        "sparse infinity": (sparse.csr_array(infinite), y, "infinity"),
        "wrong width": (X[:, :3], y, "3 features"),
        "unknown label": (X, [0, 1, 7, 1], "label 7 is not among the classes [0, 1]"),
        "unknown text label": (X, ["0", "1", "0", "1"], "is not among the classes"),
        "no rows": (X[:0], [], "0 sample"),
        "too few labels": (X, [0, 1], "inconsistent numbers of samples"),
        "index out of range": (out_of_range, y, "column indices must be in 0 ... 3"),
        "negative index": (negative, y, "column indices must be in 0 ... 3"),
        "broken row boundaries": (backwards, y, "broken sparse matrix"),
        "row boundaries far outside": (far, y, "broken sparse matrix"),
        "1-d": (X[0], y, "2D array"),
    }


@pytest.mark.parametrize("case", bad_inputs())
@pytest.mark.parametrize("before", ["begun", "learned"])
def test_bad_input_changes_nothing(case, before):
    X, y, message = bad_inputs()[case]
    model = wk.Winnow2().begin(4, [0, 1])
    if before == "learned":
        model.partial_fit([[1, 1, 1, 1]], [0])
    untouched = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match=re.escape(message)):
        model.partial_fit(X, y)
    assert same_state(model, untouched)


def test_a_bad_row_late_in_a_long_batch_undoes_the_rows_before_it(noisy):
    X, y = noisy
    model = wk.Winnow2(random_state=0).fit(X, y)
    untouched = pickle.loads(pickle.dumps(model))
    spoilt = sparse.vstack([X, X, X], format="csr")
    spoilt.data[-1] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        model.partial_fit(spoilt, np.tile(1 - y, 3))
    assert same_state(model, untouched)
    assert not same_state(model.partial_fit(X, 1 - y), untouched)  # the control: these rows do change it


def test_a_failed_fit_leaves_the_fitted_model(noisy):
    X, y = noisy
    model = wk.Winnow2(random_state=0).fit(X, y)
    expected = model.predict(X)
    with pytest.raises(ValueError, match="alpha must be > 1"):
        model.set_params(alpha=1.0).fit(X[:, :7], y)
    assert np.array_equal(model.set_params(alpha=1.5).predict(X), expected)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (wk.Winnow2(alpha=1.0), "alpha must be > 1, got 1.0"),
        (wk.Winnow1(alpha=0.5), "alpha must be > 1, got 0.5"),
        (wk.Winnow2(alpha=np.nan), "alpha must be > 1, got nan"),
        (wk.BalancedWinnow(alpha=np.inf), "alpha must be > 1, got inf"),
        (wk.NormalizedWinnow(alpha=-2.0), "alpha must be > 1"),
        (wk.Winnow2(theta=0.0), "theta must be > 0, got 0.0"),
        (wk.Winnow2(theta=-1.0), "theta must be > 0, got -1.0"),
        (wk.Winnow2(theta="large"), "theta must be a number or 'auto', got 'large'"),
        (wk.Winnow2(floor=1.0), "floor must be in [0, 1), got 1.0"),
        (wk.Winnow2(delta=1.5), "delta must be in (0, 1], got 1.5"),
        (wk.BalancedWinnow(margin=-1.0), "margin must be >= 0, got -1.0"),
        (wk.NormalizedWinnow(k=0), "k must be at least 1, got 0"),
        (wk.NormalizedWinnow(policy="never"), "policy must be 'mistake' or 'always', got 'never'"),
        (wk.ThresholdedBEG(beta0=1.0), "beta0 must be in [0, 1), got 1.0"),
        (wk.ThresholdedBEG(beta1=1.0), "beta1 must be > 1, got 1.0"),
        (wk.ThresholdedBEG(initial=1.0), "initial must be in (0, 1), got 1.0"),
        (wk.ThresholdedBEG(preset="noisy"), "preset must be None or 'noise-free', got 'noisy'"),
        (wk.BayesBEG(gamma=1.0), "gamma must be in (0, 1), got 1.0"),
        (wk.BayesBEG(gamma=0.0), "gamma must be in (0, 1), got 0.0"),
        (wk.BayesBEG(beta0=1.0), "beta0 must be in [0, 1), got 1.0"),
        (wk.BayesBEG(preset="theorem-5"), "preset must be None or one of ['theorem-3', 'theorem-4'], got 'theorem-5'"),
        (wk.BayesBEG(preset=None, beta0=0.5), "preset=None needs beta0, beta1, gamma and initial"),
        (wk.Winnow2(max_epochs=0), "max_epochs must be an integer >= 1, got 0"),
        (wk.Winnow2(binarize=np.nan), "binarize must be a number or None, got nan"),
    ],
    ids=repr,
)
def test_bad_parameters_are_refused(model, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        model.fit([[0, 1], [1, 0]], [0, 1])
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("value", [-0.1, 1.5])
def test_binarize_none_refuses_values_outside_0_1(make, value):
    with pytest.raises(ValueError, match=re.escape("all values must be in [0, 1]")):
        wk.Winnow2(binarize=None).fit(make([[0.5, value], [0.0, 0.3]]), [0, 1])
    model = wk.Winnow2(binarize=None).begin(2, [0, 1])
    with pytest.raises(ValueError, match=re.escape("all values must be in [0, 1]")):
        model.learn_one([0.5, value], 1)
    assert model.n_trials_ == 0


def test_a_negative_cut_makes_no_sense_of_absent_values():
    with pytest.raises(ValueError, match="binarize must be >= 0 for sparse X"):
        wk.Winnow2(binarize=-1.0).fit(sparse.eye(2, format="csr"), [0, 1])


def test_before_begin_there_is_nothing_to_learn_with():
    for call in (
        lambda: wk.Winnow2().learn_one([1.0], 1),
        lambda: wk.Winnow2().learn_active([0], 1),
        lambda: wk.Winnow2().predict_one([1.0]),
        lambda: wk.Winnow2().predict_active([0]),
        lambda: wk.Winnow2().predict([[1.0]]),
        lambda: wk.Winnow2().certificate(k=1),
    ):
        with pytest.raises(NotFittedError, match="begin"):
            call()
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        wk.Winnow2().partial_fit([[1.0]], [1])
    with pytest.raises(ValueError, match="a classifier needs at least two"):
        wk.Winnow2().begin(3, [1])
    with pytest.raises(ValueError, match="a classifier needs at least two"):
        wk.Winnow2().begin(3, [])
    with pytest.raises(ValueError, match="binarize must be a number"):
        wk.Winnow2(binarize=np.nan).begin(3, [0, 1])
    assert len(wk.Winnow2().begin(3, range(30)).classes_) == 30
    with pytest.raises(ValueError, match="n_features must be at least 1"):
        wk.Winnow2().begin(0, [0, 1])
    with pytest.raises(ValueError, match="classes must stay"):
        wk.Winnow2().begin(1, [0, 1]).partial_fit([[1.0]], [1], classes=[0, 2])


def test_active_indices_are_checked_before_anything_changes():
    model = wk.Winnow2(theta=1.0).begin(10, [0, 1])
    for bad in ([3, 10], [-1, 3], np.array([2**40])):
        with pytest.raises(IndexError, match=re.escape("active indices must be in 0 ... 9")):
            model.learn_active(bad, 0)
    for bad in ([0.5], [[1, 2]], ["a"]):
        with pytest.raises(ValueError, match="active indices must be a 1-d array of integers"):
            model.learn_active(bad, 0)
    with pytest.raises(ValueError, match="label 5 is not among the classes"):
        model.learn_active([1], 5)
    with pytest.raises(ValueError, match="1-d array of 10 attributes"):
        model.learn_one([1.0, 0.0], 1)
    with pytest.raises(ValueError, match="NaN"):
        model.learn_one([np.nan] * 10, 1)
    assert model.n_trials_ == 0
    assert (model.coef_ == 1).all()


def test_active_indices_of_any_kind_are_the_same():
    read_only = np.array([1, 4, 7])
    read_only.flags.writeable = False
    kinds = [read_only, np.arange(10)[1::3], np.array([1, 4, 7], dtype=">i8"), [1, 4, 7], (1, 4, 7), range(1, 10, 3)]
    for kind in kinds:
        model = wk.Winnow2(theta=1.0).begin(10, [0, 1])
        assert model.learn_active(kind, 0) == 1
        assert np.flatnonzero(model.coef_[0] < 1).tolist() == [1, 4, 7]


def test_repeated_and_unsorted_active_indices_count_once():
    a, b = (wk.Winnow2(theta=1.0).begin(10, [0, 1]) for _ in range(2))
    assert a.learn_active([7, 3, 3, 7], 0) == b.learn_active(np.array([3, 7], dtype=np.uint8), 0) == 1
    assert same_state(a, b)
    assert a.predict_active([]) == 0


# --- scale and endurance --------------------------------------------------------------------------------------------


def test_ten_million_attributes():
    n = 10_000_000
    X, y = streams.disjunction(n=n, k=3, seed=0).take(3000)
    model = wk.Winnow2(random_state=0).fit(X, y)
    assert model.certificate(k=3).kept
    assert model.learn_active([0, n - 1], 0) == 0
    assert (model.predict(X[-200:]) == y[-200:]).mean() > 0.95


ENDURING = [
    wk.Winnow1(),
    wk.Winnow2(),
    wk.Winnow2(alpha=50.0),
    wk.Winnow2(alpha=1.0001),
    wk.BalancedWinnow(alpha=3.0, margin=5.0),
    wk.NormalizedWinnow(alpha=4.0, policy="always"),
    wk.ThresholdedBEG(policy="always"),
    wk.BayesBEG(policy="always"),
    wk.BayesBEG(policy="always", negations=True),
]


@pytest.mark.parametrize("model", ENDURING, ids=repr)
def test_weights_survive_many_updates_on_noise(model):
    """Labels are biased coins, for a long time to one side, then to the other: weights go far, and back."""
    rng = np.random.default_rng(0)
    X = sparse.csr_array((rng.random((2000, 12)) < 0.4).astype(float))
    model = clone(model).begin(12, [0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for bias in (0.02, 0.98, 0.02, 0.5):
            for _ in range(20):
                model.partial_fit(X, (rng.random(2000) < bias).astype(int))
            state = model._learner.state
            assert np.isfinite(model.decision_function(X)).all()
            assert np.isfinite(model.coef_).all()
            values = np.abs(state.coef[state.coef != 0])
            assert (values >= np.finfo(float).tiny).all(), "denormal numbers are slow"
            if not isinstance(model, wk.Winnow1):
                assert (state.weights != 0).all() or state.parameters["link"][0] > 0


@pytest.mark.slow
@pytest.mark.parametrize("model", ENDURING, ids=repr)
def test_weights_survive_ten_million_updates(model):
    rng = np.random.default_rng(0)
    X = sparse.csr_array((rng.random((10_000, 12)) < 0.4).astype(float))
    model = clone(model).begin(12, [0, 1])
    while model.n_updates_[0] < 10_000_000 and model.n_trials_ < 40_000_000:
        bias = 0.5 + 0.48 * np.sin(model.n_trials_ / 1e6)
        model.partial_fit(X, (rng.random(10_000) < bias).astype(int))
        state = model._learner.state
        assert np.isfinite(model.decision_function(X[:100])).all()
        values = np.abs(state.coef[state.coef != 0])
        assert (values >= np.finfo(float).tiny).all()
    assert model.n_updates_[0] >= 10_000_000 or isinstance(model, wk.Winnow1)


def test_fit_without_shuffling_leaves_the_global_generator_alone():
    np.random.seed(0)  # noqa: NPY002
    expected = np.random.rand()  # noqa: NPY002
    np.random.seed(0)  # noqa: NPY002
    wk.Winnow2(shuffle=False).fit(np.eye(2), [0, 1])
    assert np.random.rand() == expected  # noqa: NPY002


def test_certificates_speak_of_the_parameters_that_learned():
    model = wk.Winnow2(random_state=0).fit(np.eye(6), [0, 1, 0, 1, 0, 1])
    before = model.certificate(k=2)
    assert model.set_params(alpha=4.0, floor=0.5, negations=True).certificate(k=2) == before
    graded = wk.Winnow2(binarize=None).begin(6, [0, 1]).certificate(k=2)
    assert graded.bound == np.inf
    with pytest.raises(ValueError, match="k must be an integer"):
        model.certificate(k=2.5)


def test_given_values_replace_a_presets():
    a = wk.ThresholdedBEG(preset="noise-free", theta=0.5, beta0=0.25).begin(10, [0, 1])
    b = wk.ThresholdedBEG(theta=0.5, beta0=0.25, beta1=np.e).begin(10, [0, 1])
    for model in (a, b):
        model.learn_active([1, 2], 1)
        model.learn_active([2, 3], 0)
    assert same_state(a, b)
    assert a.certificate(k=1).bound == np.inf
    with pytest.raises(ValueError, match="alpha must be > 1"):
        wk.ThresholdedBEG(preset="noise-free", alpha=0.2).begin(10, [0, 1])


def test_probabilities_of_many_classes_survive_tiny_odds():
    X = np.ones((6, 800))
    model = wk.BayesBEG(policy="always", gamma=0.9).fit(X, [0, 1, 2, 0, 1, 2])
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(6))


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize(
    "model", [wk.BayesBEG(policy="always"), wk.SBSB(), wk.DirectBayes(), wk.DirectBayes(k=1, noise=1e-9)], ids=repr
)
def test_the_largest_posterior_is_that_of_the_prediction(model, n_classes):
    """Also where the log-odds of several classes differ by less than probabilities can."""
    rng = np.random.default_rng(0)
    X = (rng.random((3000, 12)) < 0.3).astype(float)
    y = (X @ rng.standard_normal((12, n_classes))).argmax(axis=1)
    model = clone(model).partial_fit(X, y, classes=range(n_classes))
    rows = np.vstack([X, np.zeros(12), np.ones(12)])
    assert np.array_equal(model.predict_proba(rows).argmax(axis=1), model.predict(rows))


def test_margin_keeps_learning_after_an_epoch_without_mistakes():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), [0, 1]
    model = wk.BalancedWinnow(theta=1.0, margin=5.0, max_epochs=100, random_state=0).fit(X, y)
    assert np.abs(model.decision_function(X)).min() >= 5.0


def test_a_weight_driven_to_the_floor_recovers():
    model = wk.Winnow2(alpha=2.0, theta=1.0).begin(2, [0, 1])
    for _ in range(5000):  # the second attribute is innocent, but is demoted with the first as long as that one counts
        model.learn_active([0, 1], 0)
        model.learn_active([0], 1)
    for _ in range(3000):
        model.learn_active([1], 1)
    assert model.predict_active([1]) == 1


def test_bayes_beg_gives_a_posterior_only_if_it_is_one():
    X, y = streams.disjunction(n=50, k=3, active=10, label_noise=0.1, seed=0).take(2000)
    model = wk.BayesBEG(policy="always", random_state=0).fit(X, y)
    probability = model.predict_proba(X)
    assert probability.sum(axis=1) == pytest.approx(np.ones(2000))
    assert np.array_equal(probability[:, 1] > 0.5, model.predict(X) == 1)
    odds = np.log(probability[:, 1] / probability[:, 0])
    assert odds == pytest.approx(model.decision_function(X), abs=1e-9)
    many = wk.BayesBEG(policy="always", random_state=0).fit(X, np.arange(2000) % 3)
    assert many.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(2000))
    assert not hasattr(wk.BayesBEG(), "predict_proba")
    assert not hasattr(wk.Winnow2(), "predict_proba")
