"""Later calls with plain matrices skip scikit-learn's validation: the results and the refusals are the same."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from winnowkit import Committee, DirectedDrift, Winnow2
from winnowkit.core import online_classifier

X = (np.random.default_rng(0).random((40, 6)) < 0.4).astype(float)
y = (X[:, 0] + X[:, 1] > 0).astype(int)


def begun(cls=Winnow2):
    return cls(random_state=0).partial_fit(X[:5], y[:5], classes=[0, 1])


@pytest.mark.parametrize("cls", [Winnow2, DirectedDrift, Committee])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_both_ways_learn_and_predict_alike(cls, form, monkeypatch):
    quick = begun(cls).partial_fit(form(X), y)
    monkeypatch.setattr(online_classifier, "is_plain", lambda *_: False)
    slow = begun(cls).partial_fit(form(X), y)
    assert np.array_equal(quick.decision_function(form(X)), slow.decision_function(form(X)))
    assert quick.n_mistakes_ == slow.n_mistakes_


def changed(array, place, value):
    array = array.copy()
    array[place] = value
    return array


WRONG = {
    "NaN": (changed(X, (3, 2), np.nan), y, "NaN"),
    "infinite": (changed(X, (3, 2), np.inf), y, "infinity"),
    "NaN in a sparse matrix": (sp.csr_array(changed(X, (3, 2), np.nan)), y, "NaN"),
    "too few columns": (X[:, :5], y, "5 features"),
    "too few columns of a sparse matrix": (sp.csr_array(X[:, :5]), y, "5 features"),
    "no rows": (X[:0], y[:0], "0 sample"),
    "one dimension": (X[0], y[:1], "2D array"),
    "too few labels": (X, y[:-1], "inconsistent"),
    "labels of two dimensions": (X, np.stack([y, y], axis=1), "1d array"),
    "complex": (X.astype(complex), y, "[Cc]omplex"),
    "masked": (np.ma.masked_array(X, mask=X > 2), y, "masked"),
    "labels with NaN": (X, changed(y.astype(float), 0, np.nan), "NaN"),
    "an unknown label": (X, y + 1, "not among the classes"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_refused_in_later_calls_too(case):
    rows, labels, message = WRONG[case]
    model = begun()
    before = model.coef_
    with pytest.raises(ValueError, match=message):
        model.partial_fit(rows, labels)
    assert np.array_equal(model.coef_, before)


def test_names_of_columns_are_still_compared():
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = Winnow2().partial_fit(frame, y, classes=[0, 1])
    with pytest.warns(UserWarning, match="feature names"):
        model.predict(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(frame)
