"""Tables of numbers, categories, dates and text for linear learners."""

import datetime
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler

from winnowkit import AROW, Committee, DNFWinnow, Winnow2, load, save
from winnowkit.core.columns import Column
from winnowkit.data import ColumnWarning, Frame, TableEncoder, read_table, write_table
from winnowkit.data.column_use import use_of
from winnowkit.rulesets.ruleset import RuleSet

RNG = np.random.default_rng(0)
N = 300
WORDS = ["free", "prize", "call", "noon", "home", "late", "dinner", "claim", "soon", "love"]
SPAM = RNG.random(N) < 0.4
Y = np.where(SPAM, "spam", "ham")
TEXTS = [
    " ".join(RNG.choice(WORDS, 6).tolist() + (["win cash"] if spam else ["see you"])) + f" {i}"
    for i, spam in enumerate(SPAM.tolist())
]
DAYS = [datetime.date(2020, 1, 1) + datetime.timedelta(days=int(d)) for d in RNG.integers(0, 700, N)]


def frame():
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "message": TEXTS,
            "hour": rng.integers(0, 24, N),
            "sender": rng.choice(["known", "unknown"], N),
            "sent": pd.to_datetime(DAYS),
        }
    )


def as_dictionaries(table):
    return table.to_dict("records")


@pytest.mark.parametrize("form", [lambda df: df, pl.DataFrame, as_dictionaries])
@pytest.mark.parametrize("learner", [Committee, Winnow2, AROW])
def test_any_frame_before_any_linear_learner(form, learner):
    table = frame()
    model = make_pipeline(TableEncoder(), learner()).fit(form(table[:200]), Y[:200])
    assert model.score(form(table[200:]), Y[200:]) > 0.9  # the baseline is about 0.6
    assert model[0].uses_ == {"message": "text", "hour": "number", "sender": "category", "sent": "time"}
    names = model[0].get_feature_names_out()
    assert len(names) == model[0].transform(form(table)).shape[1]
    assert {"message: win cash", "sender = known", "hour"} <= set(names)
    assert any(name.startswith("hour > ") for name in names)


def test_values_lie_between_0_and_1_even_beyond_the_training_rows():
    encoder = TableEncoder().fit([[1.0, "a"], [5.0, "b"], [9.0, None]])
    codes = encoder.transform([[100.0, "new"], [-3.0, None], [None, "a"]]).toarray()
    assert codes.min() == 0.0
    assert codes.max() == 1.0
    assert codes[0, 0] == 1.0
    assert codes[1, 0] == 0.0
    assert codes[1, -1] == 1.0  # "x1 missing"


def test_a_list_of_strings_is_one_column():
    model = make_pipeline(TableEncoder(), Committee()).fit(TEXTS[:200], Y[:200])
    assert model.score(TEXTS[200:], Y[200:]) > 0.9
    assert model[0].feature_names_ == ["text"]


@pytest.mark.parametrize(
    ("values", "use"),
    [
        (TEXTS, "text"),
        (["very good", "not so good", "bad"] * 100, "category"),
        ([f"A{i}" for i in range(N)], "identifier"),
        ([True, False] * 150, "category"),
        (["less than 5 years", "5 years or more"] * 150, "category"),
    ],
)
def test_free_text_is_recognised(values, use):
    assert use_of("x", Column(values)) == use


def test_text_and_categories_can_be_declared():
    table = pd.DataFrame({"word": ["win", "noon"] * 20, "code": [1, 2, 3, 4] * 10})
    encoder = TableEncoder(text=["word"], categorical=["code"]).fit(table)
    assert encoder.get_feature_names_out().tolist() == [
        "word: noon", "word: win", "code = 1", "code = 2", "code = 3", "code = 4",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="there is no column 'words' among word, code"):
        TableEncoder(text=["words"]).fit(table)


def test_dnf_winnow_says_that_it_leaves_text_out():
    with pytest.warns(ColumnWarning, match=r"free text and are left out: 'message'.*TableEncoder\(\), Committee\(\)"):
        DNFWinnow(max_literals=1).fit(frame(), Y)


def test_strings_name_the_encoder():
    for learner in (Committee(), Winnow2()):
        with pytest.raises(ValueError, match=r"column 'message' holds text.*make_pipeline\(TableEncoder\(\)"):
            learner.fit(frame()[["message"]], Y)


@pytest.mark.parametrize(
    "steps",
    [
        [TableEncoder()],
        [TableEncoder(vectorizer=TfidfVectorizer(ngram_range=(1, 2)))],
        [TableEncoder(vectorizer=CountVectorizer(max_features=50))],
    ],
)
def test_pipelines_are_saved(tmp_path, steps):
    table = frame()
    model = make_pipeline(*map(clone, steps), Committee()).fit(table, Y)
    save(model, tmp_path / "m")
    same = load(tmp_path / "m")
    np.testing.assert_array_equal(same.decision_function(table), model.decision_function(table))
    assert same[0].get_feature_names_out().tolist() == model[0].get_feature_names_out().tolist()


def test_known_steps_of_scikit_learn_are_saved_and_others_named(tmp_path):
    X = RNG.normal(size=(50, 3))
    y = X[:, 0] > 0
    for model, rows in (
        (make_pipeline(StandardScaler(), AROW()), X),
        (make_pipeline(OneHotEncoder(handle_unknown="ignore"), Winnow2()), (X > 0).astype(str)),
        (make_pipeline(TfidfVectorizer(), Committee()), TEXTS[:50]),
    ):
        save(model.fit(rows, y), tmp_path / "m")
        np.testing.assert_array_equal(load(tmp_path / "m").predict(rows), model.predict(rows))
    with pytest.raises(TypeError, match=r"its step 'polynomialfeatures' is not one of them.*TableEncoder"):
        save(make_pipeline(PolynomialFeatures(), AROW()), tmp_path / "m")
    with pytest.raises(TypeError, match="last step is not a learner"):
        save(make_pipeline(StandardScaler()), tmp_path / "m")
    with pytest.raises(TypeError, match="cannot hold"):
        save(make_pipeline(CountVectorizer(tokenizer=str.split), Winnow2()), tmp_path / "m")


def test_dates_are_ordered_and_rules_compare_with_iso_dates(tmp_path):
    table = frame().drop(columns="message")
    late = np.where(table["sent"] > "2021-01-15", "late", "early")
    model = DNFWinnow(max_literals=1).fit(table[:200], late[:200])
    assert model.score(table[200:], late[200:]) > 0.95
    rules = model.compact(table[:200], late[:200])
    assert re.search(r'sent (>|<=) "202[01]-\d\d-\d\d', str(rules))
    assert re.search(r'"sent" (>|<=) \'202[01]-\d\d-\d\d', rules.to_sql())
    assert RuleSet.from_json(rules.to_json()) == rules
    assert RuleSet.from_text(rules.to_text()).rules[0].conditions == rules.rules[0].conditions
    made = {}
    exec(rules.to_python(), made)
    predicted = rules.predict(table).tolist()
    assert [made["predict"](row) for row in as_dictionaries(table)] == predicted
    texts = table.assign(sent=table["sent"].dt.strftime("%Y-%m-%d"))
    assert [made["predict"](row) for row in as_dictionaries(texts)] == predicted
    with pytest.raises(ValueError, match="rules on dates cannot be written as PMML"):
        rules.to_pmml()
    assert "sent" in str(model.explain(table.iloc[[3]]))
    save(model, tmp_path / "m")
    np.testing.assert_array_equal(load(tmp_path / "m").predict(table), model.predict(table))


def test_dates_in_files(tmp_path):
    table = Frame({"sent": np.array([*DAYS[:3], "NaT"], dtype="M8[us]"), "x": np.arange(4.0)})
    for suffix in ("csv", "parquet"):
        write_table(table, np.array(list("abab")), tmp_path / f"t.{suffix}", target="y")
        X, _ = read_table(tmp_path / f"t.{suffix}", target="y")
        assert table == X
    assert repr(X) == "Frame of 4 rows: sent (date), x (numeric)"
