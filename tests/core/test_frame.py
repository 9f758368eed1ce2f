"""A light table: what scikit-learn and the learners can do with it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.utils import _safe_indexing

from winnowkit import DNFWinnow, Winnow2
from winnowkit.data import Frame, load_dataset


def voting():
    found = load_dataset("voting")
    return Frame(dict(zip(found.feature_names, found.data.T, strict=True))), found.target


@pytest.fixture
def frame():
    return Frame({"age": [31, 42, np.nan], "colour": ["red", None, "blue"]})


def test_columns_are_numbers_or_objects(frame):
    assert frame.columns == ["age", "colour"]
    assert frame.dtypes == {"age": np.dtype(float), "colour": np.dtype(object)}
    assert Frame({"b": [True, False]})["b"].tolist() == [1.0, 0.0]
    assert Frame({"s": np.array(["a", "b"])})["s"].dtype == object
    assert (frame.shape, len(frame), list(frame), "age" in frame) == ((3, 2), 3, ["age", "colour"], True)


def test_equality_knows_missing_values(frame):
    assert frame == Frame({"age": [31, 42, np.nan], "colour": ["red", None, "blue"]})
    assert frame != Frame({"age": [31, 42, 1], "colour": ["red", None, "blue"]})
    assert frame != Frame({"age": [31, 42, np.nan], "colour": ["red", "red", "blue"]})
    assert frame != frame.select(["colour", "age"])


@pytest.mark.parametrize(
    "rows", [[2, 0], np.array([2, 0]), np.array([True, False, True]), slice(1, None), [], np.array([], dtype=bool)[:0]]
)
def test_rows_are_picked_as_numpy_does(frame, rows):
    expected = np.arange(3)[rows if len(np.atleast_1d(rows)) else slice(0, 0)]
    assert frame[rows].take(range(len(expected)))["colour"].tolist() == frame["colour"][expected].tolist()


def test_scikit_learn_indexes_rows_and_columns(frame):
    assert _safe_indexing(frame, [2, 0])["colour"].tolist() == ["blue", "red"]
    assert _safe_indexing(frame, [True, False, True])["colour"].tolist() == ["red", "blue"]
    assert _safe_indexing(frame, [1], axis=1).columns == ["colour"]
    assert frame[0].tolist() == [31.0, "red"]


def test_an_array_of_categories_is_refused_with_the_remedy(frame):
    with pytest.raises(ValueError, match=r"columns \['colour'\] contain categories.*DNFWinnow"):
        np.asarray(frame)
    assert np.asarray(frame, dtype=object)[0].tolist() == [31.0, "red"]
    assert np.asarray(frame.select(["age"])).dtype == np.float64


def test_bad_columns_are_refused():
    with pytest.raises(ValueError, match="the same length"):
        Frame({"a": [1], "b": [1, 2]})
    with pytest.raises(ValueError, match="one dimension"):
        Frame({"a": [[1]]})
    with pytest.raises(TypeError, match="must be strings"):
        Frame({1: [1]})
    with pytest.raises(KeyError, match="no column 'b'"):
        Frame({"a": [1]})["b"]


def test_pandas_gets_the_same_values(frame):
    found = frame.to_pandas()
    assert found["age"].dtype == np.float64
    assert found["colour"].dtype == "category"
    assert [None if pd.isna(value) else value for value in found["colour"]] == ["red", None, "blue"]


def test_dnf_winnow_learns_the_same_from_a_frame_as_from_an_array():
    X, y = voting()
    plain = DNFWinnow(max_literals=None, max_epochs=2, random_state=0).fit(load_dataset("voting").data[:100], y[:100])
    model = DNFWinnow(max_literals=None, max_epochs=2, random_state=0).fit(X[:100], y[:100])
    assert model.feature_names_in_.tolist() == X.columns
    assert model.predict(X[100:200]).tolist() == plain.predict(load_dataset("voting").data[100:200]).tolist()


def test_columns_in_another_order_are_refused_with_the_remedy():
    X, y = voting()
    model = DNFWinnow(max_literals=None, max_epochs=1).fit(X[:50], y[:50])
    turned = X.select(X.columns[::-1])
    with pytest.raises(ValueError, match=r"not in the order of fit.*X.select\(model.feature_names_in_\)"):
        model.predict(turned)
    assert model.predict(turned.select(model.feature_names_in_)).tolist() == model.predict(X).tolist()
    with pytest.raises(ValueError, match=r"missing: \['handicapped-infants'\]"):
        model.predict(X.select(X.columns[1:]))


def test_scikit_learn_splits_and_validates_across_folds():
    X, y = voting()
    train, test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
    assert isinstance(train, Frame)
    assert len(train) + len(test) == len(X) == len(y_train) + len(y_test)
    model = DNFWinnow(max_literals=None, max_epochs=10, random_state=0)
    scores = cross_val_score(model, X[:120], y[:120], cv=2)
    assert scores.tolist() == cross_val_score(model, load_dataset("voting").data[:120], y[:120], cv=2).tolist()
    majority = max(np.unique(y[:120], return_counts=True)[1]) / 120
    assert scores.min() > majority  # a constant prediction would agree too


def test_linear_learners_take_numeric_frames_with_names():
    X = Frame({"a": [1, 0, 1, 0], "b": [0, 0, 1, 1]})
    model = Winnow2(shuffle=False, max_epochs=1).fit(X, [1, 0, 1, 0])
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.predict(X).tolist() == model.fit(np.asarray(X), [1, 0, 1, 0]).predict(np.asarray(X)).tolist()
    assert model.partial_fit(X, [1, 0, 1, 0]).n_trials_ == 8
    with pytest.raises(ValueError, match="contain categories"):
        Winnow2().fit(Frame({"a": ["x", "y"]}), [0, 1])
