"""Ten odd tables, as tools write them: each ends in a sensible model, or in a message that leads to one."""

import csv
import io
import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from winnowkit import Committee, DNFWinnow, load, save
from winnowkit.data import TableEncoder

N = 400
RNG = np.random.default_rng(5)
AGE = RNG.integers(18, 80, N)
TOWN = RNG.choice(["Köln", "Rome", "Oslo"], N)
LABEL = np.where((AGE > 45) ^ (RNG.random(N) < 0.03), "yes", "no")
FRAME = pd.DataFrame({"age": AGE, "town": TOWN})
QUICK = DNFWinnow(max_literals=1, random_state=0, verbose=False)
WORDS = make_pipeline(TableEncoder(), Committee(random_state=0))
BOTH = pytest.mark.parametrize("model", [QUICK, WORDS], ids=["DNFWinnow", "TableEncoder"])


def table(columns, end="\r\n"):
    """The text of a CSV file; `end` is the end of each line."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator=end)
    writer.writerow(list(columns))
    writer.writerows(zip(*columns.values(), strict=True))
    return file.getvalue()


@pytest.fixture
def fitted(run_command, tmp_path):
    """Fits a model to a table; returns the result and the notes, if the model is far better than the baseline."""

    def fit(text, *options, encoding="utf-8"):
        (tmp_path / "t.csv").write_bytes(text.encode(encoding))
        words = ("fit", "t.csv", "-o", "m", "--seed", "0", *options)
        code, out, err = run_command(*words, "--json")
        assert code == 0, err
        result = json.loads(out)
        assert result["error"] < result["error_of_most_frequent_class"] / 2
        return result, err

    return fit


def test_a_byte_order_mark_and_line_ends_in_quotes(fitted, run_command):
    remark = np.where(AGE > 30, "called,\nagain", 'no ""answer""')
    result, err = fitted(table({"age": AGE, "remark": remark, "buys": LABEL}), encoding="utf-8-sig")
    assert (result["rows"], result["target"], err) == (N, "buys", "")
    assert len(run_command("predict", "m", "t.csv", "-q")[1].split()) == N


def test_flags_in_every_spelling(fitted):
    flags = {
        "member": np.where(AGE > 45, "Yes", "No"),
        "active": RNG.choice(["1", "0"], N),
        "vip": RNG.choice(["TRUE", "FALSE"], N),
        "opted in": RNG.choice(["Y", "N", ""], N),
    }
    result, err = fitted(table({**flags, "churn": (LABEL == "yes").astype(float)}))
    assert (result["classes"], err) == ([0, 1], "")


def test_thirty_classes(fitted):
    shelf, row = np.divmod(RNG.integers(0, 30, 1500), 6)
    columns = {"x": shelf * 10 + RNG.integers(0, 9, 1500), "y": row * 10 + RNG.integers(0, 9, 1500)}
    result, _ = fitted(table({**columns, "product": [f"P{a}{b}" for a, b in zip(shelf, row, strict=True)]}))
    assert len(result["classes"]) == 30


def test_commas_after_the_last_column_and_a_column_without_values(fitted, run_command, tmp_path):
    text = table({"": range(N), "age": AGE, "comment": [""] * N, "buys": LABEL}, end=",,\n")
    result, err = fitted(text)
    assert result["target"] == "buys"
    assert "nothing can be learned from them: row numbers: 'x0'." in err
    assert "nothing can be learned from 'comment', which has no value in 400 rows" in err
    fitted(text, "--learner", "Committee")
    (tmp_path / "late.csv").write_text("age,buys,\n" + "30,no,\n60,yes,\n" * 5500 + "30,no,7\n")
    code, _, err = run_command("fit", "late.csv", "-o", "m2", "--learner", "Winnow2")
    assert code == 2
    assert "late.csv, line 11002: the row has 3 fields, but the first row has 2" in err


def test_labels_that_differ_only_in_spaces_and_capitals(fitted, run_command):
    sloppy = np.where(np.arange(N) % 9 == 0, np.char.upper(LABEL), np.where(np.arange(N) % 5 == 0, "no ", LABEL))
    text = table({"age": AGE, "buys": np.where(LABEL == "yes", LABEL, sloppy)})
    fitted(text, "--learner", "DNFWinnow")
    _, _, err = run_command("fit", "t.csv", "-o", "m", "--seed", "0", "--learner", "DNFWinnow")
    assert "note: the classes 'NO', 'no', 'no ' differ only in spaces or capital letters" in err


def test_moments_with_time_zones_and_times_of_day(fitted, run_command):
    at = pd.Timestamp("2024-01-01T08:30") + pd.to_timedelta(AGE * 1000, unit="min")
    clock = [
        f"{hour}:{minute:02d}" for hour, minute in zip(RNG.integers(0, 24, N), RNG.integers(0, 60, N), strict=True)
    ]
    moments = [f"{moment.isoformat()}+02:00" for moment in at]
    fitted(table({"at": moments, "buys": LABEL}), "--learner", "DNFWinnow")
    assert re.search(r'at > "2024-', run_command("inspect", "m")[1])
    _, err = fitted(table({"age": AGE, "start": clock, "buys": LABEL}), "--learner", "DNFWinnow")
    assert f"written as text, such as {clock[0]!r}: 'start'." in err
    assert "Turn times of day into hours, such as 8.5." in err
    zoned = FRAME[["town"]].assign(at=at.tz_localize("Europe/Berlin"))
    assert np.mean(QUICK.fit(zoned, LABEL).predict(zoned) == LABEL) > 0.9


def test_names_with_spaces_quotes_and_other_letters(fitted, run_command):
    names = ["Alter (Jahre)", 'la "ville"', " gekauft? "]
    result, _ = fitted(table(dict(zip(names, (AGE, TOWN, LABEL), strict=True))))
    assert result["target"] == "gekauft?"
    assert 'if "Alter (Jahre)" > ' in run_command("inspect", "m")[1]


@BOTH
def test_types_of_arrow_and_labels_of_every_type(model):
    for labels in (pd.Series(LABEL, dtype="string[pyarrow]"), pd.Series(pd.Categorical(LABEL)), LABEL == "yes"):
        arrow = FRAME.convert_dtypes(dtype_backend="pyarrow")
        assert np.mean(model.fit(arrow, labels).predict(arrow) == np.asarray(labels)) > 0.9


@BOTH
def test_frames_that_need_a_step_first(model):
    with pytest.raises(ValueError, match="column names must be distinct, and two columns are named 'age'; rename one"):
        model.fit(FRAME[["age", "town", "age"]], LABEL)
    with pytest.raises(TypeError, match=r"lazy frame, whose rows have not been computed; pass X.collect\(\)"):
        model.fit(pl.from_pandas(FRAME).lazy(), LABEL)
    mixed = FRAME.rename(columns={"age": 1})
    if model is QUICK:  # scikit-learn's own rule; TableEncoder takes such names
        with pytest.raises(TypeError, match=r"X.columns = X.columns.astype\(str\)"):
            model.fit(mixed, LABEL)
    else:
        assert np.mean(model.fit(mixed, LABEL).predict(mixed) == LABEL) > 0.9
    fitted = model.fit(FRAME, LABEL)
    with pytest.raises(ValueError, match="age"):
        fitted.predict(FRAME[["town"]])
    with pytest.raises(ValueError, match="more"):
        fitted.predict(FRAME.assign(more=1))


def test_a_search_is_saved_by_its_best_model(tmp_path):
    search = GridSearchCV(QUICK, {"max_literals": [1, 2]}, cv=2).fit(FRAME, LABEL)
    with pytest.raises(TypeError, match=r"save\(search.best_estimator_, path\)"):
        save(search, tmp_path / "m")
    save(search.best_estimator_, tmp_path / "m")
    assert (load(tmp_path / "m").predict(FRAME) == search.predict(FRAME)).all()
