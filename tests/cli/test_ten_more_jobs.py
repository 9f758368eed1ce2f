"""Ten more jobs of a newcomer, from Python and the shell: a sensible model, or a message that leads to one."""

import csv
import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from winnowkit import Committee, DNFWinnow, Winnow2
from winnowkit.data import ColumnWarning, TableEncoder

N = 400
RNG = np.random.default_rng(3)
AGE = RNG.integers(18, 80, N)
TOWN = RNG.choice(["Köln", "São Paulo", "Oslo"], N)
LABEL = np.where((AGE > 45) ^ (RNG.random(N) < 0.03), "will buy", "won't")
FRAME = pd.DataFrame({"age": AGE, "town": TOWN, "income": RNG.normal(3000, 500, N)})
QUICK = DNFWinnow(max_literals=1, random_state=0, verbose=False)
WORDS = make_pipeline(TableEncoder(), Committee(random_state=0))


def write(path, columns, delimiter=",", encoding="utf-8"):
    with path.open("w", newline="", encoding=encoding) as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(list(columns))
        writer.writerows(zip(*columns.values(), strict=True))
    return path.name


def accuracy(model, X, y=LABEL):
    return np.mean(model.predict(X) == y)


@pytest.mark.parametrize("model", [QUICK, WORDS], ids=["DNFWinnow", "TableEncoder"])
@pytest.mark.parametrize("convert", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
def test_a_frame_of_every_type_with_unseen_categories_later(model, convert):
    frame = FRAME.assign(
        grade=pd.Categorical(RNG.choice(list("abc"), N)),
        since=pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 900, N), unit="D"),
        visits=pd.array(RNG.integers(0, 5, N), dtype="Int64"),
        member=pd.array(RNG.random(N) < 0.5, dtype="boolean"),
        nothing=np.nan,
    )
    frame.loc[::7, "visits"], frame.loc[::5, "member"] = pd.NA, pd.NA
    later = frame.assign(town="Atlantis", grade=pd.Categorical(["z"] * N))
    model = model.fit(convert(frame), LABEL)
    assert accuracy(model, convert(frame)) > 0.9
    with pytest.warns(ColumnWarning, match="No value of column '(town|grade)' was seen in training"):
        assert accuracy(model, convert(later)) > 0.9


def test_an_export_of_a_spreadsheet_with_currencies_and_thousands(run_command, tmp_path):
    columns = {
        "revenue": [f"€ {age * 1234.5:,.2f}" for age in AGE],
        "discount": [f"{share:.1f}%" for share in RNG.random(N) * 100],
        "tax": RNG.choice(["7%", "19%"], N),  # two categories
        "buys": LABEL,
    }
    path = write(tmp_path / "t.csv", columns, ";", "utf-8-sig")
    code, _, err = run_command("fit", path, "-o", "m", "--learner", "Winnow2")
    assert code == 0
    assert f"numbers that are written as text, such as '{columns['revenue'][0]}': 'revenue', 'discount'." in err
    with pytest.warns(ColumnWarning, match="written as text.*'revenue', 'discount'"):
        TableEncoder().fit(pd.DataFrame(columns).drop(columns="buys"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TableEncoder().fit(pd.DataFrame({"revenue": AGE * 1234.5, "tax": columns["tax"]}))


def test_months_as_text(run_command, tmp_path):
    path = write(tmp_path / "t.csv", {"month": [f"20{age}-{1 + age % 12:02d}" for age in AGE], "buys": LABEL})
    _, _, err = run_command("fit", path, "-o", "m", "--learner", "Winnow2")
    assert "order in time is unknown, such as" in err


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
@pytest.mark.parametrize("model", [QUICK, WORDS, Winnow2()], ids=["DNFWinnow", "TableEncoder", "Winnow2"])
def test_a_target_with_missing_values_from_python(model, missing):
    labels = LABEL.astype(object)
    labels[[3, 5]] = missing
    with pytest.raises(
        ValueError, match=r"2 of 400 labels are missing. Leave those rows out: keep = pandas.notna\(y\)"
    ):
        model.fit(FRAME[["age"]], labels)
    keep = pd.notna(labels)
    assert len(model.fit(FRAME[["age"]][keep], labels[keep]).classes_) == 2


def test_targets_from_the_shell(run_command, tmp_path):
    path = write(tmp_path / "t.csv", {"age": AGE, "buys": ["" if i == 7 else label for i, label in enumerate(LABEL)]})
    code, _, err = run_command("fit", path, "-o", "m")
    assert (code, err.strip()) == (
        2,
        "winnowkit: t.csv, row 8: the target 'buys' is missing; drop such rows, or name another column with --target",
    )
    path = write(tmp_path / "f.csv", {"age": AGE, "buys": (LABEL == "will buy").astype(float)})
    code, out, _ = run_command("fit", path, "-o", "m", "--learner", "Winnow2", "--json")
    assert (code, json.loads(out)["classes"]) == (0, [0, 1])
    path = write(tmp_path / "q.csv", {"town": TOWN, "age": AGE})
    _, _, err = run_command("fit", path, "-o", "m", "--learner", "Winnow2")
    assert "different numbers, and each is a class of its own; if it is a quantity, cut it into a few classes" in err


def test_no_column_is_left(run_command, tmp_path):
    path = write(tmp_path / "t.csv", {"id": [f"K-{i:04d}" for i in range(N)], "what": ["x"] * N, "buys": LABEL})
    code, _, err = run_command("fit", path, "-o", "m")
    assert code == 0
    assert "identifiers (almost every value is different): 'id'; constant: 'what'" in err
    assert "the model is no better than the baseline" in err
    code, _, err = run_command("fit", path, "-o", "m", "--learner", "Committee")
    assert code == 2
    assert "no column is left to learn from; name columns of free text in --text and columns of codes in --cat" in err


def test_one_case_in_two_hundred(run_command, tmp_path):
    path = write(tmp_path / "t.csv", {"age": AGE, "fraud": np.where(np.arange(N) % 200 == 7, "yes", "no")})
    code, out, err = run_command("fit", path, "-o", "m")
    assert code == 0
    assert "0.50% error (always 'no')" in out
    assert "only 0.5% of the rows are of class 'yes'" in err
    code, out, _ = run_command("predict", "m", path, "--scores", "-q")
    assert (code, out.splitlines()[0]) == (0, "label,score of yes")


@pytest.mark.parametrize("model", [QUICK, WORDS], ids=["DNFWinnow", "TableEncoder"])
def test_one_row_in_a_form_that_is_no_table(model):
    model.fit(FRAME, LABEL)
    with pytest.raises(ValueError, match=r"got a dictionary instead. Pass a single row as \[row\]"):
        model.predict(FRAME.iloc[0].to_dict())
    with pytest.raises(ValueError, match=r"a series. Pass frame.iloc\[\[0\]\] for a single row"):
        model.predict(FRAME.iloc[0])
    if model is QUICK:
        with pytest.raises(ValueError, match="the row has none of the columns that the model learned from"):
            model.predict_one({"Age": 50})


def test_files_that_differ_from_those_of_training(run_command, tmp_path):
    FRAME.assign(buys=LABEL).to_csv(tmp_path / "t.csv.gz", index=False)
    assert run_command("fit", "t.csv.gz", "-o", "m", "-q", "--seed", "0")[0] == 0
    code, expected, _ = run_command("predict", "m", "t.csv.gz", "-q")
    assert np.mean(np.array(expected.splitlines()) == LABEL) > 0.9
    FRAME[["income", "age", "town"]].assign(more=1).to_parquet(tmp_path / "other.parquet")
    assert run_command("predict", "m", "other.parquet", "-q") == (0, expected, "")
    FRAME[["town", "income"]].to_csv(tmp_path / "less.csv", index=False)
    code, _, err = run_command("predict", "m", "less.csv", "-q")
    assert code == 2
    assert "has no column 'age', which the model learned from" in err
    for name, text in {"t.jsonl": b'{"age": 3}\n', "t.json": b'[{"age": 3}]', "t.xlsx": b"PK\x03\x04..."}.items():
        (tmp_path / name).write_bytes(text)
        code, _, err = run_command("fit", name, "-o", "m2")
        assert code == 2
        assert "cannot be read; write it as CSV or Parquet first" in err


@pytest.mark.parametrize(
    ("spam", "ham"),
    [
        ("恭喜您中奖了请点击领取奖金", "明天我们一起吃午饭好吗"),
        ("اربح جائزة نقدية الآن مجانا", "نلتقي غدا في المكتب صباحا"),
    ],
    ids=["Chinese", "Arabic"],
)
def test_text_in_other_scripts(spam, ham):
    texts = [f"{spam if label == 'will buy' else ham} {i}" for i, label in enumerate(LABEL)]
    model = WORDS.fit(texts[:300], LABEL[:300])
    assert accuracy(model, texts[300:], LABEL[300:]) > 0.9


def test_tools_of_scikit_learn():
    frame = FRAME.copy()
    frame.loc[::7, "town"], frame.loc[::11, "income"] = None, np.nan
    search = GridSearchCV(QUICK, {"max_literals": [1, 2]}, cv=2).fit(frame, LABEL)
    assert search.best_score_ > 0.9
    assert accuracy(CalibratedClassifierCV(QUICK, cv=2).fit(frame, LABEL), frame) > 0.9
    predicted = cross_val_predict(WORDS, frame, LABEL, cv=2)
    assert np.mean(predicted == LABEL) > 0.9
    importances = permutation_importance(QUICK.fit(frame, LABEL), frame, LABEL, n_repeats=2, random_state=0)
    assert importances.importances_mean.argmax() == 0
    columns = make_column_transformer((OneHotEncoder(), ["town"]), (StandardScaler(), ["age", "income"]))
    assert accuracy(make_pipeline(columns, Committee(random_state=0)).fit(FRAME, LABEL), FRAME) > 0.9
    with pytest.raises(ValueError, match=r"Input X contains NaN.*make_pipeline\(TableEncoder\(\), Committee\(\)\)"):
        Committee().fit(frame[["age", "income"]], LABEL)
