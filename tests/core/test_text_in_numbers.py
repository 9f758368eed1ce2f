"""Learners from numbers that are given text say which column holds it, and what to do."""

import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from winnowkit import SASB, Committee, Winnow2

TABLE = pd.DataFrame({"size": [1, 2] * 5, "code": ["1", "2"] * 5, "colour": ["red", "blue"] * 5})
Y = [0, 1] * 5


@pytest.mark.parametrize("learner", [Winnow2, Committee, SASB])
@pytest.mark.parametrize(
    ("X", "column"),
    [
        (TABLE, "'colour'"),
        (TABLE.astype({"colour": "category"}), "'colour'"),
        (TABLE.astype("string"), "'colour'"),
        (TABLE.to_numpy(), "2"),
        (TABLE.to_numpy().tolist(), "2"),
    ],
    ids=["objects", "categories", "strings", "array", "list"],
)
def test_the_message_names_the_column_and_the_remedy(learner, X, column):
    expected = rf"column {column} holds text such as 'red', and {learner.__name__} learns from numbers: use DNFWinnow.*"
    with pytest.raises(ValueError, match=expected + r"make_pipeline\(TableEncoder\(\), "):
        learner().fit(X, Y)
    with pytest.raises(ValueError, match=expected):
        learner().partial_fit(X, Y, classes=[0, 1])


def test_the_remedy_works_and_other_errors_are_as_before():
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), Winnow2()).fit(TABLE, Y)
    assert model.predict(TABLE).tolist() == Y
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        Winnow2().fit(TABLE[["size"]], Y[:-1])
    assert Winnow2().fit(TABLE[["size", "code"]].astype(float), Y).n_features_in_ == 2
