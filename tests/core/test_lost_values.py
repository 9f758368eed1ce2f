"""Learners that cut values at 0 say once what is lost, and stay silent where nothing is."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

import winnowkit as wk
from winnowkit.core import boolean_classifier
from winnowkit.data import TableEncoder

TEXTS = [f"word{i % 7} word{i % 5} word{i % 3} word{i % 11} again word{i % 2}" for i in range(60)]
Y = np.arange(60) % 2


def said(X, model=None, y=None, **options):
    """Return the warnings of a fit."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (model or wk.Winnow2(**options)).fit(X, Y if y is None else y)
    return [str(warning.message) for warning in caught]


def test_columns_that_become_constant_are_named():
    X, y = load_iris(return_X_y=True, as_frame=True)
    (message,) = said(X, y=y)
    assert "Columns become constant: 'sepal length (cm)', 'sepal width (cm)', 'petal length (cm)' and 1 more" in message
    assert "Committee takes real values as they are" in message
    (message,) = said(X.to_numpy(), y=y)
    assert "Columns become constant: x0, x1, x2 and 1 more" in message


def test_signed_hashes_and_centred_values_are_negative():
    X = HashingVectorizer(n_features=64, norm=None).transform(TEXTS)
    (message,) = said(X)
    assert "negative values are lost: x" in message
    (message,) = said(np.random.default_rng(0).normal(size=(60, 2)))
    assert "negative values are lost: x0, x1" in message
    assert "constant" not in message


def test_fractions_of_tf_idf():
    (message,) = said(TfidfVectorizer().fit_transform(TEXTS))
    assert "fractions are lost: x" in message
    (message,) = said(np.random.default_rng(0).random((60, 2)) * (np.random.default_rng(1).random((60, 2)) < 0.5))
    assert "fractions are lost: x0, x1" in message


@pytest.mark.parametrize(
    "X",
    [
        np.eye(60),
        sparse.eye(60, format="csr"),
        np.eye(60) > 0,
        CountVectorizer().fit_transform(TEXTS),  # counts
        2.0 * np.eye(60) - 1.0,  # -1 and 1
        0.5 * np.eye(60),  # two values
        np.ones((60, 3)),  # constant before
        np.where(np.eye(60) > 0, 7.0, 0.0),
        sparse.csr_matrix((60, 4)),
        pd.DataFrame({"a": Y, "b": 1 - Y}),
    ],
    ids=lambda X: type(X).__name__,
)
def test_silent_where_nothing_is_lost(X):
    assert not said(X)


def test_silent_where_values_are_not_cut_at_0():
    X = np.random.default_rng(0).random((60, 3))
    assert said(X)  # the control
    assert not said(X, binarize=0.5)
    assert not said(X, binarize=None)
    for model in (wk.Committee(), wk.AROW(), wk.CoinBetting(), wk.AdaptiveWinnow()):
        assert not said(X, model)


@pytest.mark.parametrize(
    "model", [wk.ThresholdedBEG(), wk.SBSB(), wk.SASB(), wk.DirectBayes(), wk.DirectedDrift()], ids=repr
)
def test_every_learner_that_cuts_says_so_once(model):
    assert len(said(np.random.default_rng(0).random((60, 3)), model)) == 1


def test_the_first_batch_of_a_stream_is_looked_at_and_the_warning_points_to_the_call():
    X = np.random.default_rng(0).random((60, 3))
    model = wk.Winnow2()
    with pytest.warns(UserWarning, match=r"binarize=0\.0") as caught:
        model.partial_fit(X, Y, classes=[0, 1])
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match=r"binarize=0\.0") as caught:
        model.fit(X, Y)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit(X, Y)


def test_a_warning_that_is_an_error_changes_nothing():
    model = wk.Winnow2()
    before = vars(model).copy()
    X = np.random.default_rng(0).random((60, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="binarize"):
            model.fit(X, Y)
    assert vars(model) == before


def test_a_column_that_varies_outside_the_sample_is_not_called_constant():
    X = np.zeros((100_000, 1))
    X[:, 0] = np.arange(1, 100_001) % 97 + 1
    X[12_345] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        boolean_classifier.warn_of_lost_values(X, None, stacklevel=1)


def test_large_tables_are_sampled():
    rng, rows = np.random.default_rng(0), np.repeat(np.arange(1000), 1000)
    wide = sparse.csr_matrix((rng.random(10**6), (rows, rng.integers(0, 10**6, 10**6))), shape=(1000, 10**6))
    dense = np.ones((200_000, 50))
    for sample in (boolean_classifier._dense_sample(dense), boolean_classifier._sparse_sample(wide)):
        assert boolean_classifier.SAMPLED_VALUES / 2 < len(sample.values) < 3 * boolean_classifier.SAMPLED_VALUES
    with pytest.warns(UserWarning, match="fractions"):
        boolean_classifier.warn_of_lost_values(wide, None, stacklevel=1)


def test_a_sample_has_values_of_all_parts_of_a_table():
    dense = np.add.outer(1000.0 * np.arange(10_000), np.arange(30))
    sample = boolean_classifier._dense_sample(dense)
    assert set(sample.columns) == set(range(30))
    assert (sample.values % 1000 == sample.columns).all()
    assert sample.values.min() == 0.0
    assert sample.values.max() == dense.max()
    rows = np.repeat(np.arange(1000), 200)
    X = sparse.csr_matrix((1.0 + rows, (rows, np.tile(np.arange(200), 1000))))
    sample = boolean_classifier._sparse_sample(X)
    stored = sample.values[sample.values > 0.0]
    assert stored.min() == 1.0
    assert stored.max() == 1000.0
    assert set(sample.columns[sample.values == 0.0]) == set(sample.columns[sample.values > 0.0])


def test_learners_of_scores_say_how_to_get_probabilities():
    model = wk.Winnow2().fit(np.eye(60), Y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="Winnow2") as raised:
        model.predict_proba(np.eye(60))
    assert "CalibratedClassifierCV" in f"{raised.value} {raised.value.__cause__}"


def test_nothing_is_lost_of_numbers_that_are_cut_beside_them():
    """What the message about tables recommends is silent: each number of `TableEncoder` is followed by its bounds."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(size=60), "town": ["Bonn", "Rome", "Oslo"] * 20, "pay": rng.random(60)})
    frame.loc[::9, "age"] = np.nan
    encoded = TableEncoder().fit_transform(frame)
    assert said(encoded) == []
    assert said(encoded.toarray()) == []
    (message,) = said(sparse.hstack([encoded, rng.random((60, 1))]).tocsr())  # a number without bounds
    assert "fractions are lost" in message
