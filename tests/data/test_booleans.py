"""Booleans: every tool reads true and false in its own way, and a model predicts alike for all of them."""

import itertools
import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline

from winnowkit import Committee, DNFWinnow
from winnowkit.core.columns import Column
from winnowkit.data import CategoryEncoder, TableEncoder, read_table
from winnowkit.data.coders import CategoryCoder
from winnowkit.rulesets import Condition, RuleSet

RNG = np.random.default_rng(4)
N = 400
VIP = RNG.random(N) < 0.5
AGE = RNG.integers(18, 80, N)
LABEL = np.where(VIP & (AGE > 30), "buys", "leaves")
SPELLINGS = [("True", "False"), ("true", "false"), ("TRUE", "FALSE")]


@pytest.fixture(params=SPELLINGS, ids=lambda spelling: spelling[0])
def tables(request, tmp_path):
    """The same table, as several tools read it from a file of text; every tenth value is missing."""
    yes, no = request.param
    words = [("" if i % 10 == 9 else yes if vip else no) for i, vip in enumerate(VIP)]
    path = tmp_path / "t.csv"
    path.write_text("vip,age\n" + "".join(f"{word},{age}\n" for word, age in zip(words, AGE, strict=True)))
    frame = pd.read_csv(path)
    frame.to_parquet(tmp_path / "t.parquet")
    return {
        "ours": read_table(path)[0],
        "pandas": frame,
        "pandas, nullable": frame.convert_dtypes(),
        "polars": pl.read_csv(path),
        "polars from pandas": pl.from_pandas(frame),
        "Parquet": read_table(tmp_path / "t.parquet")[0],
        "a Parquet frame": pd.read_parquet(tmp_path / "t.parquet"),
    }


@pytest.mark.parametrize(
    "make",
    [
        lambda: DNFWinnow(max_literals=2, random_state=0, verbose=False),
        lambda: make_pipeline(TableEncoder(), Committee(random_state=0)),
    ],
    ids=["DNFWinnow", "TableEncoder"],
)
def test_every_reader_gives_the_same_model_and_the_same_predictions(tables, make):
    expected = None
    for fitted, X in tables.items():
        model = make().fit(X, LABEL)
        for predicted, other in tables.items():
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = model.predict_proba(other)
            expected = found if expected is None else expected
            np.testing.assert_array_equal(found, expected, err_msg=f"fitted to {fitted}, predicted {predicted}")
    assert (model.classes_[expected.argmax(axis=1)] == LABEL).mean() > 0.9


def test_rules_hold_on_the_table_of_every_reader(tables):
    for X in tables.values():
        rules = DNFWinnow(max_literals=2, random_state=0, verbose=False).fit(X, LABEL).compact(X, LABEL)
        predict = {}
        exec(rules.to_python(), predict)
        for other in tables.values():
            np.testing.assert_array_equal(rules.predict(other), rules.predict(X))
        vips = tables["pandas"].vip.tolist()
        rows = [{"vip": vip, "age": age} for vip, age in zip(vips, AGE.tolist(), strict=True)]
        assert [predict["predict"](row) for row in rows] == rules.predict(X).tolist()
        assert "vip" in str(rules)


def test_a_category_has_the_name_that_training_had():
    for values in (["True", "False"], ["true", "false"], [True, False]):
        coder = CategoryCoder.of("vip", Column(values))
        assert coder.categories == sorted(values)
        assert [coder.code(value) for value in (True, "True", "true", "TRUE", np.True_)] == [2] * 5
        assert [coder.code(value) for value in (False, "False", "false", "FALSE", np.False_)] == [1] * 5
        assert [coder.code(value) for value in ("yes", "tRUE", None)] == [-1, -1, 0]


def test_several_spellings_are_one_category():
    coder = CategoryCoder.of("vip", Column(["TRUE", "true", "False", "unknown", "true"]))
    assert coder.categories == [False, True, "unknown"]
    assert coder.codes(Column(["TRUE", "true", "False", "unknown", True])).tolist() == [2, 2, 1, 3, 2]


def test_numbers_and_other_words_are_no_booleans():
    coder = CategoryCoder.of("mixed", Column([1, 2, "TRUE"]))
    assert coder.categories == [1, 2, "TRUE"]
    assert [coder.code(value) for value in (1, 2, "True", "1", "yes")] == [1, 2, 3, -1, -1]


def test_a_value_may_be_forbidden_by_any_spelling():
    X = [["True", 1.5], ["False", 2.5]]
    encoder = CategoryEncoder(missing="ignore", numbers="bounds", forbid=[("x0", True)]).fit(X)
    assert encoder.n_allowed_.tolist() == [1, 2]


@pytest.mark.parametrize("wanted", [True, "True", "true", "TRUE"])
def test_conditions_hold_for_every_spelling(wanted):
    values = [True, "True", "true", "TRUE", False, "False", None, "?", "maybe"]
    equal = [True] * 4 + [False] * 5
    unequal = [False] * 4 + [True, True, False, False, True]
    for column in (Column(values), Column([*values[:6], pd.NA, *values[7:]])):
        assert Condition("vip", "=", wanted).among(column).tolist() == equal
        assert Condition("vip", "!=", wanted).among(column).tolist() == unequal


def test_rules_are_written_with_the_value_of_training():
    rules = RuleSet.from_text('if vip = "True" then buys\nelse leaves')
    assert str(rules[0]) == 'if vip = "True" then buys'
    assert """"vip" = 'True'""" in rules.to_sql()
    assert json.loads(rules.to_json())["rules"][0]["if"][0]["value"] == "True"


def test_all_pairs_of_spellings_meet():
    for one, two in itertools.product([*SPELLINGS, (True, False)], repeat=2):
        assert CategoryCoder.of("vip", Column(list(one))).codes(Column(list(two))).tolist() in ([2, 1], [1, 2])
        assert CategoryCoder.of("vip", Column(list(one))).code(two[0]) == 2
