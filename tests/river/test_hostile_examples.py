"""Dictionaries, frames and labels that are wrong: refused in words, and what is refused changes nothing."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import winnowkit
from winnowkit.river import RiverClassifier

NAMES = [name for name in winnowkit.__all__ if name[0].isupper()]
REAL = ["AROW", "CoinBetting", "AdaptiveWinnow", "Committee"]  # they take numbers as they are
GOOD = pd.DataFrame({"a": [0.0, 1.0, 0.0, 1.0], "b": [1.0, 1.0, 0.0, 0.0]})
LABELS = pd.Series([0, 1, 0, 1])


def taught(name):
    learner = getattr(winnowkit, name)()
    if "random_state" in learner.get_params():
        learner.set_params(random_state=0)  # DirectedDrift starts from random weights
    model = RiverClassifier(learner)
    model.learn_many(GOOD, LABELS)
    return model


def state(model):
    return model.n_trials, list(model._labels), model.predict_proba_one({"a": 1.0, "b": 0.0})


def refused(model, error, match, call):
    before = state(model)
    with pytest.raises(error, match=match):
        call()
    assert state(model) == before


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_example_adds_no_class(name):
    model = taught(name)
    for x, match in (({"a": [1, 2]}, "feature 'a'"), ([1, 2], "must be a dictionary"), ({"a": {}}, "feature 'a'")):
        for call in (
            lambda x=x: model.learn_one(x, "new"),
            lambda x=x: model.learn_one(x, 1),
            lambda x=x: model.predict_one(x),
        ):
            refused(model, (TypeError, ValueError), f"{match}|column 'a' is numeric", call)


@pytest.mark.parametrize("name", NAMES)
def test_a_label_that_is_missing_is_no_class(name):
    model = taught(name)
    refused(model, ValueError, "label is NaN", lambda: model.learn_one({"a": 1.0}, float("nan")))
    refused(model, TypeError, "unhashable", lambda: model.learn_one({"a": 1.0}, [1]))


@pytest.mark.parametrize("name", NAMES)
def test_labels_and_columns_that_do_not_fit_the_frame(name):
    model = taught(name)
    for labels in ([0, 1], [0, 1] * 1000):
        refused(model, ValueError, "one label per row", lambda labels=labels: model.learn_many(GOOD, pd.Series(labels)))
    twice = pd.DataFrame(np.ones((4, 2)), columns=["a", "a"])
    refused(model, ValueError, "columns of X must differ", lambda: model.learn_many(twice, LABELS))


@pytest.mark.parametrize("name", REAL)
def test_numbers_that_are_not_finite(name):
    model = taught(name)
    for value in (np.inf, -np.inf, 10**400, -(10**400)):
        refused(model, ValueError, "'a' must be finite", lambda value=value: model.learn_one({"a": value}, 2))
        refused(model, ValueError, "'a' must be finite", lambda value=value: model.predict_one({"a": value}))
    bad = GOOD.copy()
    bad.iloc[0, 0] = np.inf
    refused(model, ValueError, "'a' must be finite", lambda: model.learn_many(bad, LABELS))
    refused(model, ValueError, "'a' must be finite", lambda: model.predict_many(bad))
    refused(model, ValueError, "'a' must be finite", lambda: model.predict_proba_many(bad))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in (*REAL, "DNFWinnow")])
def test_a_huge_integer_is_above_the_cut(name):
    model, twin = taught(name), taught(name)
    for _ in range(3):
        model.learn_one({"a": 10**400, "b": -(10**400)}, 1)
        twin.learn_one({"a": 1, "b": 0}, 1)
    assert state(model) == state(twin)


@pytest.mark.parametrize("name", REAL)
def test_missing_numbers_of_a_frame_are_0_as_in_a_dictionary(name):
    frame = GOOD.copy()
    frame.iloc[2, 0] = frame.iloc[0, 1] = np.nan
    expected = taught(name)
    for x, y in zip(frame.to_dict("records"), LABELS, strict=True):
        expected.learn_one(x, y)
    for rows in (frame, pd.DataFrame.sparse.from_spmatrix(csr_matrix(frame.to_numpy()), columns=frame.columns)):
        model = taught(name)
        model.learn_many(rows, LABELS)
        assert state(model) == state(expected)
        assert model.predict_many(rows).tolist() == [model.predict_one(x) for x in frame.to_dict("records")]
    assert frame.isna().sum().sum() == 2  # the caller's frame is as it was


@pytest.mark.parametrize("name", ["Winnow2", "AROW", "DNFWinnow"])
def test_rows_before_a_refused_one_have_been_learned_from(name):
    frame = pd.DataFrame({"a": ["x", "y", ["no value"], "x"]})
    model, twin = RiverClassifier(getattr(winnowkit, name)()), RiverClassifier(getattr(winnowkit, name)())
    with pytest.raises(TypeError, match="feature 'a'"):
        model.learn_many(frame, pd.Series([0, 1, 2, 1]))
    twin.learn_many(frame.iloc[:2], pd.Series([0, 1]))
    assert state(model) == state(twin)
