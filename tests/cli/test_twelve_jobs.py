"""Twelve more jobs of a newcomer: labels and columns of types that are easily forgotten."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.pipeline import make_pipeline

from winnowkit import AROW, Committee, DNFWinnow, Winnow2
from winnowkit.data import TableEncoder

N = 400
RNG = np.random.default_rng(7)
AGE = RNG.integers(18, 80, N)
BUYS = (AGE > 45) ^ (RNG.random(N) < 0.03)
LABEL = np.where(BUYS, "yes", "no")
FRAME = pd.DataFrame({"age": AGE, "town": RNG.choice(["Köln", "Rome", "Oslo"], N)})
QUICK = DNFWinnow(max_literals=1, random_state=0, verbose=False)
WORDS = make_pipeline(TableEncoder(), Committee(random_state=0))
BOTH = pytest.mark.parametrize("model", [QUICK, WORDS], ids=["DNFWinnow", "TableEncoder"])


def right(model, X, y):
    return np.mean(model.fit(X, y).predict(X) == y)


@BOTH
def test_labels_that_were_missing_once(model):
    """Labels as pandas returns them: booleans and integers as objects, or of a type that may be missing."""
    had = pd.Series(BUYS, dtype=object)
    had[3] = None
    keep = pd.notna(had)  # as the message about missing labels says
    for labels in (had[keep], pd.Series(BUYS, dtype="boolean")[keep], pa.array(BUYS[keep])):
        model.fit(FRAME[keep], labels)
        assert model.classes_.tolist() == [False, True]
        assert model.classes_.dtype == bool
        assert np.mean(model.predict(FRAME) == BUYS) > 0.9
    for labels in (pd.Series(BUYS * 1, dtype="Int64"), (BUYS * 1).astype(object), pd.Categorical(BUYS * 1)):
        assert model.fit(FRAME, labels).predict(FRAME).dtype == np.int64


def test_the_types_of_labels_on_line():
    classes = np.array([False, True], dtype=object)
    model = Winnow2().partial_fit(AGE[:, None] > 45, BUYS.astype(object), classes=classes)
    assert model.classes_.dtype == bool


@BOTH
def test_labels_of_text_and_numbers(model):
    with pytest.raises(ValueError, match=r"some labels are text, such as 'no', and others are not, such as 1: write"):
        model.fit(FRAME, pd.Series(np.where(BUYS, 1, None), dtype=object).where(BUYS, "no"))


@BOTH
@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ("", "the class '' is empty text; if these labels are missing, leave their rows out"),
        ("Yes ", "the classes 'Yes ', 'yes' differ only in spaces or capital letters"),
    ],
)
def test_labels_that_are_probably_an_oversight(model, odd, said):
    with pytest.warns(UserWarning, match=said) as caught:
        model.fit(FRAME, np.where(np.arange(N) % 40 == 0, odd, LABEL))
    assert sum(said in str(warning.message) for warning in caught) == 1


def test_letters_of_both_cases_are_classes():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Winnow2().fit(AGE[:, None] > 45, np.where(BUYS, "a", "A"))


def test_one_row_with_its_columns_in_another_order_and_one_more():
    later = FRAME[["town", "age"]].iloc[[3]]
    model = QUICK.fit(FRAME, LABEL)
    for row in (later, later.assign(more=1), pl.from_pandas(later)):
        with pytest.raises(ValueError, match=r"in their order: X\[list\(model.feature_names_in_\)\]"):
            model.predict(row)
        assert model.predict(row[list(model.feature_names_in_)]) == model.predict(FRAME)[3]
    assert model.predict_one(later.assign(more=1).iloc[0].to_dict()) == model.predict(FRAME)[3]
    assert WORDS.fit(FRAME, LABEL).predict(later) == WORDS.predict(FRAME)[3]


DAYS = pd.Timestamp("2023-01-31") + pd.to_timedelta(RNG.integers(0, 700, N), unit="D")
LATE = np.where(pd.Timestamp("2023-12-31") < DAYS, "late", "early")


@pytest.mark.parametrize("learner", [Committee(), AROW(), Winnow2()])
@pytest.mark.parametrize(
    "convert", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "pyarrow"]
)
def test_dates_given_to_a_learner_of_numbers(learner, convert):
    for frame in (pd.DataFrame({"on": DAYS}), pd.DataFrame({"age": AGE, "on": DAYS.tz_localize("Europe/Vienna")})):
        said = rf"column 'on' holds dates or times, and .*make_pipeline\(TableEncoder\(\), {type(learner).__name__}\(\)"
        with pytest.raises(ValueError, match=said):
            learner.fit(convert(frame), LATE)


def test_arrays_of_dates_given_to_a_learner_of_numbers():
    with pytest.raises(ValueError, match="column 0 holds dates or times"):
        Committee().fit(DAYS.to_numpy()[:, None], LATE)


@BOTH
def test_months_of_pandas_have_an_order(model):
    frame = pd.DataFrame({"month": DAYS.to_period("M")})
    frame.loc[5, "month"] = pd.NaT
    assert right(model, frame, LATE) > 0.95
    if model is QUICK:
        assert model.predict_one({"month": frame.month[0]}) == model.predict(frame.iloc[[0]])
        assert model.rules(max_rules=1).rules[0].conditions[0].operator in (">", "<=")


@pytest.mark.parametrize(
    "texts", [["win a prize"] * N, pd.Series(["win a prize"] * N, index=range(5, N + 5))], ids=type
)
def test_texts_without_an_encoder(texts):
    said = r"X holds texts such as 'win a prize', and Committee .* words into numbers: make_pipeline\(TableEncoder\(\)"
    with pytest.raises(ValueError, match=said):
        Committee().fit(texts, LABEL)
    with pytest.raises(ValueError, match=r"Expected 2D array, got 1D array instead"):
        QUICK.fit(texts, LABEL)


@BOTH
@pytest.mark.parametrize(
    "part", [lambda table: table, lambda table: table.combine_chunks().to_batches()[0]], ids=["table", "batch"]
)
def test_a_table_of_arrow(model, part):
    frame = FRAME.assign(
        on=DAYS.tz_localize("Europe/Vienna"), income=RNG.normal(size=N), town=pd.Categorical(FRAME.town)
    )
    frame["visits"] = pd.array(RNG.integers(0, 5, N), dtype="Int64")
    frame.loc[::7, ["on", "income", "visits", "town"]] = None
    table = part(pa.Table.from_pandas(frame))
    assert right(model, table, LABEL) > 0.9
    assert (model.predict(table.slice(3, 5)) == model.predict(table)[3:8]).all()
    if model is QUICK:
        assert "if age > " in str(model.rules(max_rules=2))
        assert (model.predict(table) == model.fit(frame, LABEL).predict(frame)).all()
        assert right(model, table.to_pylist(), LABEL) > 0.9
    else:
        assert model[0].uses_ == TableEncoder().fit(frame).uses_
        assert list(model[0].uses_.values()) == ["number", "category", "time", "number", "number"]


def test_a_column_that_leaks_the_answer_is_named(run_command, tmp_path):
    frame = FRAME.assign(status=np.where(BUYS, "invoiced", RNG.choice(["open", "closed"], N)), buys=LABEL)
    frame.to_csv(tmp_path / "t.csv", index=False)
    leak = (
        "note: 'status' alone tells the class of 100.0% of the rows; if it is known only after the class, leave it out"
    )
    for learner in ("DNFWinnow", "Committee"):
        code, _, err = run_command("fit", "t.csv", "-o", "m", "--seed", "0", "--learner", learner)
        assert code == 0
        assert f"{leak}: --ignore status" in err
        _, out, err = run_command("fit", "t.csv", "-o", "m", "--seed", "0", "--learner", learner, "--ignore", "status")
        assert "% error (always" in out
        assert "alone tells" not in err  # age tells the class of 97%


def test_comments_in_german_beside_numbers(run_command, tmp_path):
    good, bad = (
        ["schnelle Lieferung", "gerne wieder", "Größe stimmt"],
        ["leider kaputt", "Geld zurück", "völlig falsch"],
    )
    other = ["Sendung kam am Dienstag", "für meine Mutter bestellt", "im Büro benutzt", "drei Stück", "mit der Post"]
    said = ["; ".join([*RNG.choice(other, 3), RNG.choice(good if buys else bad)]) for buys in BUYS]
    FRAME.assign(Kommentar=said, Preis=RNG.lognormal(3, 1, N).round(2), behalten=LABEL).to_csv(
        tmp_path / "t.csv", index=False
    )
    code, out, _ = run_command("fit", "t.csv", "-o", "m", "--seed", "0", "--ignore", "age")
    assert code == 0
    assert "Committee" in out
    assert float(out.split("error ", 1)[1].split("%")[0].split()[-1]) < 5
    out = run_command("inspect", "m", "--top", "4")[1]
    assert "contribution of an attribute to the log-odds of yes" in out
    assert "Kommentar: " in out


def test_a_tab_separated_file_without_names(run_command, tmp_path):
    FRAME.assign(buys=LABEL).to_csv(tmp_path / "t.tsv", sep="\t", header=False, index=False)
    code, out, _ = run_command("fit", "t.tsv", "-o", "m", "--seed", "0", "--learner", "DNFWinnow")
    assert code == 0
    assert "fields between tabs, no names in the first line" in out
    assert "'x2', 2 classes: no, yes" in out
    assert run_command("inspect", "m")[1].count("x0 > 4") > 0


def test_a_dictionary_given_to_a_learner_of_arrays():
    model = Committee().begin(4, classes=["no", "yes"])
    with pytest.raises(TypeError, match=r"x is a dictionary, and .* RiverClassifier of winnowkit.river takes"):
        model.learn_one({"age": 3}, "yes")
    assert model.n_trials_ == 0
