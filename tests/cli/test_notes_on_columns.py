"""Notes of the command line on columns: what each says, and that its advice works."""

import json
import re
import subprocess

import numpy as np
import pytest

from winnowkit.data import read_table

RNG = np.random.default_rng(7)
N = 400
AGE = RNG.integers(18, 80, N)
TOWN = RNG.choice(["Oslo", "Rome", "Bonn", ""], N)
LABEL = np.where((AGE > 45) ^ (RNG.random(N) < 0.03), "yes", "no")


@pytest.fixture
def fit(run_command, tmp_path):
    """Fits a quick model to columns besides the age, and returns the notes."""

    def call(*options, delimiter=",", label=LABEL, **columns):
        columns = {**columns, "age": AGE, "buys": label}
        rows = [delimiter.join(map(str, row)) for row in zip(*columns.values(), strict=True)]
        (tmp_path / "t.csv").write_text("\n".join([delimiter.join(columns), *rows, ""]))
        code, _, err = run_command("fit", "t.csv", "-o", "m", "--set", "max_literals=1", "--json", *options)
        assert code == 0, err
        return err

    return lambda *options, **columns: call("--learner", "DNFWinnow", *options, **columns)


# --- codes with leading zeros -------------------------------------------------------------------------------------


@pytest.mark.parametrize("codes", [5, 5000])
def test_digits_with_leading_zeros_are_codes(fit, codes):
    places = [f"{place:05}" for place in RNG.integers(900, 900 + codes, N)]
    places[0] = "00900"
    err = fit(zip=places)
    assert "note: column 'zip' is read as codes and not as numbers, because of leading zeros as in '00900'" in err
    assert ("identifiers (almost every value is different): 'zip'" in err) == (codes == 5000)
    assert "leading zeros" not in fit("--categorical", "zip", zip=places)
    assert "leading zeros" not in fit(zip=[int(place) for place in places])


def test_classes_with_leading_zeros_stay_as_they_are(fit, run_command):
    fit(place=RNG.choice(["a", "b"], N), label=np.where(LABEL == "yes", "01", "10"))
    code, out, err = run_command("predict", "m", "t.csv")
    assert (code, set(out.split())) == (0, {"01", "10"})
    assert "labels are wrong" in err
    rows = b"age,buys\n" + b"".join(b"%d,%s\n" % (age, b"01" if age > 45 else b"10") for age in AGE)
    words = ("fit", "-", "-o", "m", "--learner", "Winnow2", "--classes", "01", "10", "--json")
    code, out, err = run_command(*words, stdin=rows)
    assert code == 0, err
    assert '"01"' in out


# --- values that training did not have ----------------------------------------------------------------------------


def test_a_column_without_any_known_value_is_named_once(fit, run_command, tmp_path):
    fit(town=RNG.choice(["Oslo", "Rome"], N))
    lines = (tmp_path / "t.csv").read_text().replace("Oslo", "Madrid").replace("Rome", "Lima").splitlines()
    (tmp_path / "new.csv").write_text("\n".join(lines))
    for options in ((), ("--scores",), ("--chunk-rows", "50")):
        code, _, err = run_command("predict", "m", "new.csv", *options)
        assert code == 0
        assert err.count("note: No value of column 'town' was seen in training (which had 'Oslo', 'Rome').") == 1
    (tmp_path / "few.csv").write_text("\n".join(lines[:5]))
    assert "No value" not in run_command("predict", "m", "few.csv")[2]


# --- values that do not fit the columns of a model ----------------------------------------------------------------


@pytest.mark.parametrize(
    "command", [("predict", "m"), ("evaluate", "--model", "m"), ("fit", "--resume", "m"), ("explain", "m")]
)
@pytest.mark.parametrize("kind", ["dates", "numbers"])
def test_the_advice_on_a_value_that_a_model_cannot_take_works(fit, run_command, tmp_path, command, kind):
    first, other, cured = ("2023-11-28", "28/11/2023", "2023-11-28") if kind == "dates" else ("1.5", "none yet", "2")
    fit(new=[first, *([f"2023-01-{i % 28 + 1:02}" for i in range(N - 1)] if kind == "dates" else range(N - 1))])
    text = (tmp_path / "t.csv").read_text()
    (tmp_path / "new.csv").write_text(text.replace(first, other, 1))
    words = [*command, "new.csv"] if command[0] != "fit" else [command[0], "new.csv", *command[1:]]
    code, _, err = run_command(*words)
    assert code == 2
    assert "--categorical" not in err
    if kind == "dates":
        assert "got '28/11/2023'; write dates as in 2023-11-28" in err
        (tmp_path / "new.csv").write_text(text.replace(first, cured, 1))
        assert run_command(*words)[0] == 0
    else:
        assert "got 'none yet'; fix it or, if it stands for a missing value, pass --missing 'none yet'" in err
        assert run_command(*words, "--missing", "none yet")[0] == 0


# --- cures in the words of the shell ------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%-d/%-m/%Y", "%m/%d/%Y", "%d-%m-%Y 10:30"])
def test_the_command_that_rewrites_dates_works(fit, tmp_path, form):
    days = np.datetime64("2023-01-01") + RNG.integers(0, 700, N).astype("timedelta64[D]")
    err = fit(joined=[day.strftime(form) for day in days.tolist()])
    first = "month" if form.startswith("%m") else "day"
    assert f"note: These columns hold dates with the {first} first, such as" in err
    command = re.search(r"for example with (sed -E '.*' old.csv > new.csv), so that", err)[1]
    (tmp_path / "t.csv").rename(tmp_path / "old.csv")
    subprocess.run(command, shell=True, cwd=tmp_path, check=True)
    X, _ = read_table(tmp_path / "new.csv", target="buys")
    assert X["joined"].astype("datetime64[D]").tolist() == days.tolist()
    assert X["age"].tolist() == AGE.tolist()


def test_words_of_identifiers_are_learned_with_the_option_that_the_note_names(fit, run_command):
    urls = [f"https://shop.example/{'hats' if y == 'yes' else 'shoes'}/{i}" for i, y in enumerate(LABEL)]
    err = fit(url=urls)
    assert "If words in 'url' matter, linear learners learn from them: --text 'url'." in err
    code, out, err = run_command("fit", "t.csv", "-o", "m", "--text", "url", "--json")
    assert code == 0, err
    assert json.loads(out)["error"] < 0.02


def test_no_decimal_comma_is_offered_for_separators_of_thousands(fit):
    err = fit(pay=[f'"${pay:,.2f}"' for pay in RNG.integers(1000, 90000, N)])
    assert "numbers that are written as text, such as '$" in err
    assert "--decimal" not in err


def test_no_decimal_comma_is_offered_to_who_named_the_decimal_mark(fit):
    pay = [f"{1 + i % 9},{100 + i % 50}" for i in range(N)]
    assert "If the comma is the decimal mark of 'pay', read with --decimal ','." in fit(delimiter=";", pay=pay)
    err = fit("--decimal", ".", delimiter=";", pay=pay)
    assert "units and separators of thousands." in err
    assert "comma" not in err
    assert "written as text" not in fit("--decimal", ",", delimiter=";", pay=pay)


# --- rows that occur several times --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("copies", "told"),
    [(N // 2, True), (N // 4, True), (N // 10, False), (0, False)],
    ids=["half", "4th", "10th", "none"],
)
def test_many_exact_copies_of_rows_are_told(run_command, tmp_path, copies, told):
    weights = [f"{weight:.3f}" if weight > 50 else "" for weight in RNG.normal(70, 10, N)]
    rows = [f"{age},{weight},{town},{y}" for age, weight, town, y in zip(AGE, weights, TOWN, LABEL, strict=True)]
    lines = ["age,weight,town,buys", *rows[: N - copies], *rows[:copies]]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    code, _, err = run_command("fit", "t.csv", "-o", "m", "--learner", "DNFWinnow", "--set", "max_literals=1")
    assert code == 0
    assert (re.search("note: (50|25)[.].% of the rows are exact copies of others", err) is not None) == told


def test_few_possible_rows_repeat_by_themselves(run_command, tmp_path):
    rows = [f"{town},{age % 3},{y}" for age, town, y in zip(AGE, TOWN, LABEL, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["town,third,buys", *rows]) + "\n")
    code, _, err = run_command("fit", "t.csv", "-o", "m", "--learner", "DNFWinnow", "--set", "max_literals=1")
    assert (code, "exact copies" in err) == (0, False)
