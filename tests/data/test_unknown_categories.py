"""Categories that training did not have: a whole column of them is remarked on, a single one is ordinary."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from winnowkit import Committee, DNFWinnow
from winnowkit.core.columns import Column
from winnowkit.data import ColumnWarning, TableEncoder
from winnowkit.data.coders import FEWEST_UNKNOWN, CategoryCoder

RNG = np.random.default_rng(1)
N = 200
X = pd.DataFrame(
    {"city": RNG.choice(["Oslo", "Rome", "Bonn", "Kyiv"], N), "vip": RNG.choice(["yes", "no"], N), "age": range(N)}
)
Y = np.where((X.city == "Rome") ^ (X.vip == "yes"), "buys", "leaves")


def said(work):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    assert all(w.category is ColumnWarning for w in caught)
    return [str(w.message) for w in caught]


@pytest.mark.parametrize(
    "model",
    [DNFWinnow(max_literals=1, random_state=0, verbose=False), make_pipeline(TableEncoder(), Committee())],
    ids=["DNFWinnow", "TableEncoder"],
)
def test_a_column_without_any_known_value_is_named_once(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ColumnWarning)
        model.fit(X, Y)
    assert said(lambda: model.predict(X)) == []
    new = X.assign(city="Madrid", vip=RNG.choice([7, 8], N))
    assert said(lambda: model.predict(new)) == [
        "No value of column 'city' was seen in training (which had 'Bonn', 'Kyiv', 'Oslo', ...). All count as unknown; "
        "if they mean the same, write them as in training.",
        "No value of column 'vip' was seen in training (which had 'no', 'yes'). All count as unknown; if they mean the "
        "same, write them as in training.",
    ]
    assert said(lambda: model.predict(new[:1])) == []
    assert said(lambda: model.predict(new[: FEWEST_UNKNOWN - 1])) == []
    assert len(said(lambda: model.predict(new[:FEWEST_UNKNOWN]))) == 2


def coded(values):
    return said(lambda: CategoryCoder.of("city", Column(["Oslo", "Rome"])).codes(Column(values)))


def test_one_known_value_or_too_few_present_ones_are_enough_to_be_quiet():
    assert coded(["Madrid"] * 500 + ["Rome"]) == []
    assert coded(["Madrid"] * (FEWEST_UNKNOWN - 1) + [None] * 500) == []
    assert len(coded(["Madrid"] * FEWEST_UNKNOWN + [None] * 500)) == 1


def test_another_spelling_is_the_better_explanation():
    (message,) = coded(["OSLO"] * 50 + ["Madrid"] * 50)
    assert "'OSLO', which was not there in training, although 'Oslo' was" in message


def test_a_column_without_a_value_in_training_says_nothing():
    assert said(lambda: CategoryCoder.of("city", Column([None] * 30)).codes(Column(["Oslo"] * 30))) == []


def test_an_empty_table_is_said_to_have_no_rows():
    with pytest.raises(ValueError, match="there are no rows to learn from: the table is empty"):
        DNFWinnow().fit(X[:0], Y[:0])
