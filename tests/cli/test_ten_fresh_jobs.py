"""Ten fresh jobs, with files as other tools leave them: a sensible model, or a message that leads to one."""

import datetime
import gzip
import json
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from winnowkit import Committee, DNFWinnow
from winnowkit.data import ColumnWarning, TableEncoder, load_dataset

N = 400
RNG = np.random.default_rng(11)
AGE = RNG.integers(18, 80, N)
LABEL = np.where((AGE > 45) ^ (RNG.random(N) < 0.03), "yes", "no")
FRAME = pd.DataFrame({"age": AGE, "town": RNG.choice(["New York", "Rome", "Oslo"], N)})
QUICK = DNFWinnow(max_literals=1, random_state=0, verbose=False)
WORDS = make_pipeline(TableEncoder(), Committee(random_state=0))
BOTH = pytest.mark.parametrize("model", [QUICK, WORDS], ids=["DNFWinnow", "TableEncoder"])


@pytest.fixture
def fitted(run_command, tmp_path):
    """Fits a model to a file; returns the result and the notes, if the model is far better than the baseline."""

    def fit(name, content, *options):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        code, out, err = run_command("fit", name, "-o", "m", "--seed", "0", "--json", *options)
        assert code == 0, err
        result = json.loads(out)
        assert result["error"] < result["error_of_most_frequent_class"] / 2
        return result, err

    return fit


def test_the_delimiter_named_above_the_table(fitted, run_command):
    """As a spreadsheet writes it, so that it opens its own file."""
    text = "sep=;\r\n" + FRAME.assign(buys=LABEL).to_csv(index=False, sep=";", lineterminator="\r\n")
    for begin in (b"", b"\xef\xbb\xbf"):
        result, _ = fitted("t.csv", begin + text.encode())
        assert (result["rows"], result["target"]) == (N, "buys")
    assert len(run_command("predict", "m", "t.csv", "-q")[1].split()) == N


def test_years_as_names_of_columns(fitted, run_command):
    sales = RNG.normal(size=(N, 3)).round(2)
    frame = pd.DataFrame(sales, columns=["2019", "2020", "2021"]).assign(town=FRAME.town)
    frame["trend"] = np.where(sales[:, 2] > 0, "up", "down")
    result, _ = fitted("t.csv", frame.to_csv(index=False))
    assert (result["rows"], result["target"], result["classes"]) == (N, "trend", ["down", "up"])
    assert '"2021" > ' in run_command("inspect", "m")[1]
    rows = frame.assign(town=N * ["N/A"]).to_csv(index=False, header=False)
    assert fitted("rows.csv", rows)[0]["rows"] == N  # numbers, as they are no names


def test_names_that_are_words_of_a_language(fitted, run_command):
    heart = load_dataset("heart", as_frame=True)
    words = ["if", "and", "then", "else", "select", "from", "class", "index", "None", "nan", "true", "order by", "x0"]
    frame = heart.data.set_axis(words, axis=1).assign(label=heart.target)
    result, err = fitted("t.csv", frame.to_csv(index=False))
    assert (result["rows"], result["classes"]) == (270, ["absent", "present"])
    assert "is read as text" not in err
    assert run_command("explain", "m", "t.csv", "--rows", "1")[0] == 0
    model = QUICK.fit(frame[words], frame.label)
    rules = model.compact(frame[words], frame.label)
    assert (type(rules).from_text(rules.to_text()).predict(frame[words]) == rules.predict(frame[words])).all()


def test_a_name_that_is_also_a_value_of_its_column(fitted):
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 300, N), unit="D")
    moments = [f"{day.isoformat()}{'Z' if i % 3 else '+02:00'}" for i, day in enumerate(days)]
    late = np.where(days > pd.Timestamp("2024-05-31"), "late", "early")
    result, err = fitted("t.csv", pd.DataFrame({"at": moments, "late": late}).to_csv(index=False))
    assert (result["rows"], result["target"]) == (N, "late")
    assert "identifiers" not in err


def test_fields_between_spaces(fitted, run_command, tmp_path):
    """As many tables of the UCI repository are."""
    rows = FRAME.assign(town=FRAME.town.str.replace(" ", "-"), buys=LABEL)
    result, _ = fitted("t.data", rows.to_csv(index=False, header=False, sep=" "))
    assert result["read_as"] == "fields between spaces, no names in the first line"
    (tmp_path / "words.csv").write_text("see you at noon\nwin a prize\n" * 50)
    code, _, err = run_command("fit", "words.csv", "-o", "m")
    assert (code, "single column" in err) == (2, True)


@BOTH
def test_categories_that_are_written_otherwise_later(model):
    model.fit(FRAME, LABEL)
    with pytest.warns(ColumnWarning, match=r"'town' holds 'NEW YORK', which was not there in training, although 'New"):
        model.predict(FRAME.assign(town=FRAME.town.str.upper()))
    codes = FRAME.assign(town=FRAME.town.map({"New York": 10115, "Rome": 187, "Oslo": 150}).astype("category"))
    model.fit(codes, LABEL)
    with pytest.warns(
        ColumnWarning, match=r"'town' holds '10115', which was not there in training, although 10115 was"
    ):
        model.predict(codes.astype({"town": str}))
    with pytest.warns(
        ColumnWarning, match=r"No value of column 'town' was seen in training \(which had 150, 187, 10115"
    ):
        model.predict(codes.assign(town="Atlantis"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(codes.astype({"town": object}).assign(town=["Atlantis", *codes.town[1:]]))


def test_categories_that_are_written_otherwise_later_in_the_shell(fitted, run_command, tmp_path):
    fitted("t.csv", FRAME.assign(buys=LABEL).to_csv(index=False))
    FRAME.assign(town=FRAME.town + " ").replace({"town": {"Oslo ": "oslo"}}).to_csv(tmp_path / "later.csv", index=False)
    code, out, err = run_command("predict", "m", "later.csv")
    assert (code, len(out.split()), err.count("note:")) == (0, N, 1)
    assert "note: column 'town' holds" in err.lower()
    FRAME.rename(columns=str.title).to_csv(tmp_path / "title.csv", index=False)
    code, _, err = run_command("predict", "m", "title.csv")
    assert (code, "has no column 'age', which the model learned from; rename 'Age' if it is meant" in err) == (2, True)


@BOTH
def test_a_quantity_in_place_of_classes(model):
    price = AGE * 1000 + np.arange(N)
    frame = FRAME.assign(price=price)
    said = "y has 400 different labels in 400 rows, such as .* cut it into a few classes first, for example by pandas"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # scikit-learn says so, too
        for labels in (price, frame.price, [f"{value} €" for value in price]):
            with pytest.raises(ValueError, match=said):
                model.fit(FRAME, labels)
    fractions = "Unknown label type: continuous. winnowkit has classifiers only, and y is a quantity: cut it .* pandas"
    with pytest.raises(ValueError, match=fractions):
        model.fit(FRAME, price + 0.5)
    few = pd.qcut(frame.price, 3, labels=["low", "middle", "high"])
    assert np.mean(model.fit(FRAME, few).predict(FRAME) == np.asarray(few)) > 0.9
    with pytest.raises(TypeError, match=r"X is a name, 't.csv', and no table; winnowkit.data.read_table reads files"):
        model.fit("t.csv", LABEL)


def test_a_single_text_and_a_table_that_was_encoded_for_another_learner():
    texts, labels = ["win a free prize now", "see you at noon today"] * 30, ["spam", "ham"] * 30
    pipeline = make_pipeline(TableEncoder(text=[0]), Committee()).fit(texts, labels)
    with pytest.raises(
        TypeError, match=r"X is a name, 'free prize', .*; for a single text, pass a list: \['free prize'\]$"
    ):
        pipeline.predict("free prize")
    assert pipeline.predict(["free prize"]).tolist() == ["spam"]
    with pytest.raises(TypeError, match="DNFWinnow takes such a table itself, without TableEncoder; Committee takes"):
        make_pipeline(TableEncoder(), DNFWinnow()).fit(FRAME, LABEL)


def test_parquet_of_every_type(fitted, run_command, tmp_path):
    start = datetime.date(1960, 1, 1)
    frame = pd.DataFrame(
        {
            "age": pd.array(AGE, dtype="Int64"),
            "born": [start + datetime.timedelta(days=int(days)) for days in RNG.integers(0, 20_000, N)],
            "seen": pd.Timestamp("2024-01-01", tz="Europe/Vienna")
            + pd.to_timedelta(RNG.integers(0, 10**7, N), unit="s"),
            "paid": [Decimal(int(cents)) / 100 for cents in RNG.integers(0, 10**5, N)],
            "town": FRAME.town.astype("category"),
            "rich": pd.array(LABEL == "yes", dtype="boolean"),
        }
    )
    frame.loc[::9, ["age", "born", "paid", "town"]] = None
    frame.to_parquet(tmp_path / "source.parquet")
    result, err = fitted("t.parquet", (tmp_path / "source.parquet").read_bytes())
    assert (result["classes"], "left out" in err) == (["False", "True"], False)
    frame.assign(tags=[["a"]] * N).to_parquet(tmp_path / "nested.parquet")
    code, _, err = run_command("fit", "nested.parquet", "-o", "m2", "--target", "rich")
    assert code == 2
    assert "column 'tags': the type list<" in err
    assert "leave the column out" in err


def test_tiny_tables_and_a_packed_pipe(run_command, tmp_path):
    frame = FRAME.assign(buys=LABEL)
    frame[:3].assign(buys=["yes", "no", "yes"]).to_csv(tmp_path / "three.csv", index=False)
    code, _, err = run_command("fit", "three.csv", "-o", "m")
    assert (code, "the model is no better than the baseline; 3 rows may be too few to learn from" in err) == (0, True)
    frame.loc[7, "buys"] = "maybe"
    frame.to_csv(tmp_path / "t.csv", index=False)
    code, _, err = run_command("fit", "t.csv", "-o", "m", "--learner", "DNFWinnow", "--seed", "0")
    assert (code, "note: class 'maybe' has a single row" in err) == (0, True)
    packed = gzip.compress(frame[:300].to_csv(index=False).encode())
    code, out, _ = run_command("fit", "-", "-o", "m", "--seed", "0", stdin=packed)
    assert (code, "300 rows" in out) == (0, True)
    code, out, _ = run_command("predict", "m", "-", "-q", stdin=gzip.compress(frame[300:].to_csv(index=False).encode()))
    assert np.mean(np.array(out.split()) == LABEL[300:]) > 0.9
