"""Jobs of a newcomer: each ends in a sensible model, or in a message that leads to one."""

import csv
import json
import re
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from winnowkit import Committee, DNFWinnow
from winnowkit.cli import main
from winnowkit.data import TableEncoder

N = 400
RNG = np.random.default_rng(0)
AGE = RNG.integers(18, 80, N)
TOWN = RNG.choice(["Bonn", "Rome", "Oslo"], N)
LABEL = np.where((AGE > 45) ^ (RNG.random(N) < 0.03), "yes", "no")


def write(path, columns, delimiter=",", order=None):
    names, values = list(columns), list(zip(*columns.values(), strict=True))
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(names)
        writer.writerows(values if order is None else [values[i] for i in order])
    return str(path)


def fitted(capsys, path, *options):
    """The JSON and the notes of a fit, after checking that the model is far better than the baseline."""
    assert main(["fit", path, "-o", path + ".winnow", "--json", "--seed", "0", *options]) == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert result["error"] < result["error_of_most_frequent_class"] / 2
    return result, err


def test_semicolons_and_decimal_commas(capsys, tmp_path):
    income = [f"{x:.2f}".replace(".", ",") for x in AGE * 100.25]
    path = write(tmp_path / "t.csv", {"income": income, "town": TOWN, "label": LABEL}, delimiter=";")
    result, _ = fitted(capsys, path)
    assert result["read_as"] == "fields between semicolons, decimal commas, names in the first line"


def test_a_file_from_a_spreadsheet_that_is_not_utf_8(run_command, tmp_path):
    lines = [f"{age};Köln;{label}" for age, label in zip(AGE, LABEL, strict=True)]
    (tmp_path / "t.csv").write_bytes("\r\n".join(["Alter;Stadt;Käufer", *lines]).encode("latin-1"))
    words = ("fit", "t.csv", "-o", "m", "--learner", "Winnow2")
    code, _, err = run_command(*words)
    assert code == 2
    assert "is not utf-8" in err
    assert "(--encoding cp1252) for Western European text or 'gb18030' for Chinese" in err
    for encoding in ("latin-1", "cp1252"):
        code, out, _ = run_command(*words, "--encoding", encoding)
        assert code == 0
        assert "'Käufer', 2 classes: no, yes" in out
    (tmp_path / "t.csv").write_bytes("\r\n".join(["年龄,城市,买家", *lines]).replace(";", ",").encode("gb18030"))
    assert run_command(*words)[0] == 2
    assert "'买家', 2 classes: no, yes" in run_command(*words, "--encoding", "gb18030")[1]


@pytest.mark.parametrize("learner", [(), ("--learner", "Committee")])
def test_sorted_rows(capsys, tmp_path, learner):
    path = write(tmp_path / "t.csv", {"age": AGE, "town": TOWN, "label": LABEL}, order=np.argsort(LABEL, kind="stable"))
    fitted(capsys, path, *learner)


def test_identifiers_are_left_out_and_named(capsys, tmp_path):
    ids = [f"C{i:05d}" for i in range(N)]
    path = write(tmp_path / "t.csv", {"id": ids, "row": range(N), "age": AGE, "label": LABEL})
    _, err = fitted(capsys, path)
    assert "identifiers (almost every value is different): 'id'; row numbers: 'row'" in err


def test_dates(capsys, tmp_path):
    days = np.datetime64("2020-01-01") + RNG.integers(0, 700, N).astype("timedelta64[D]")
    late = np.where(days > np.datetime64("2021-01-15"), "late", "early")
    path = write(tmp_path / "t.csv", {"signed": days, "town": TOWN, "label": late})
    fitted(capsys, path)
    assert main(["inspect", path + ".winnow"]) == 0
    assert 'signed > "202' in capsys.readouterr().out


def test_raw_text(capsys, tmp_path):
    texts = [
        f"{'win cash' if label == 'yes' else 'see you'} {' '.join(RNG.choice(['at', 'home', 'call', 'now'], 4))} {i}"
        for i, label in enumerate(LABEL)
    ]
    path = write(tmp_path / "t.csv", {"text": texts, "label": LABEL})
    result, _ = fitted(capsys, path)
    assert (result["learner"], result["reason"]) == ("Committee", "column 'text' holds free text")
    model = path + ".winnow"
    assert main(["inspect", model]) == 0
    assert "text: win cash" in capsys.readouterr().out
    assert main(["explain", model, path]) == 0
    assert '"text: ' in capsys.readouterr().out
    assert main(["evaluate", path, "--model", model]) == 0
    assert main(["predict", model, path, "-q"]) == 0
    assert np.mean(np.array(capsys.readouterr().out.split()[-N:]) == LABEL) > 0.9


def test_a_short_column_is_text_if_the_user_says_so(capsys, tmp_path):
    words = np.where(LABEL == "yes", "win now", "see you")
    path = write(tmp_path / "t.csv", {"subject": words, "label": LABEL})
    assert main(["fit", path, "-o", path + ".winnow", "--json", "--text", "subject"]) == 0
    assert json.loads(capsys.readouterr().out)["learner"] == "Committee"
    assert main(["inspect", path + ".winnow"]) == 0
    assert "subject: win now" in capsys.readouterr().out


def test_imbalance_is_shown_beside_the_baseline(capsys, tmp_path):
    rare = np.where(AGE > 77, "yes", "no")
    path = write(tmp_path / "t.csv", {"age": AGE, "town": TOWN, "label": rare})
    assert main(["fit", path, "-o", path + ".winnow"]) == 0
    assert "majority-class baseline" in capsys.readouterr().out


def test_dates_in_another_form_are_named_with_the_cure(capsys, tmp_path):
    days = np.datetime64("2020-01-01") + RNG.integers(0, 700, N).astype("timedelta64[D]")
    other = [f"{day[8:]}/{day[5:7]}/{day[:4]}" for day in days.astype(str)]
    path = write(tmp_path / "t.csv", {"signed": other, "age": AGE, "label": LABEL})
    _, err = fitted(capsys, path)
    assert re.search(r"with the day first, such as '(1[3-9]|2.|3.)/../20..': 'signed'. Write them like 2024-12-31", err)


def test_a_frame_of_mixed_types_and_one_row_of_it():
    frame = pd.DataFrame({"age": AGE, "town": TOWN, "member": AGE % 2 == 0, "signed": "2021-03-04"})
    frame.loc[::2, "signed"] = "2021-04-05"
    table = DNFWinnow(random_state=0, verbose=False).fit(frame, LABEL)
    line = make_pipeline(TableEncoder(), Committee(random_state=0)).fit(frame, LABEL)
    row = frame.iloc[3].to_dict()
    for model in (table, line):
        assert np.mean(model.predict(frame) == LABEL) > 0.9
        expected = model.predict(frame)[3]
        assert model.predict(frame.iloc[[3]]).tolist() == [expected]
        assert model.predict([row]).tolist() == [expected]  # a list of one dictionary
    assert table.predict_one(row) == table.predict_one(frame.iloc[3]) == table.predict(frame)[3]
    assert "predicted" in str(table.explain(frame.iloc[[3]]))


def test_one_row_in_a_file_and_in_a_pipe(run_command, tmp_path):
    path = write(tmp_path / "t.csv", {"age": AGE, "town": TOWN, "label": LABEL})
    assert run_command("fit", path, "-o", "m", "-q", "--seed", "0")[0] == 0
    (tmp_path / "one.csv").write_text("town,age\nBonn,79\n")
    assert run_command("predict", "m", "one.csv", "-q") == (0, "yes\n", "")
    assert run_command("predict", "m", "-", "--format", "csv", "-q", stdin=b"age,town\n19,Rome\n") == (0, "no\n", "")
    code, out, _ = run_command("explain", "m", "one.csv")
    assert code == 0
    assert "yes" in out


def persons(path, n):
    """A table as a census has it: numbers, categories, missing values, and incomes that depend on several columns."""
    rng = np.random.default_rng(1)
    age, hours, years = rng.integers(17, 90, n), rng.integers(10, 80, n), rng.integers(1, 17, n)
    married = rng.choice(["yes", "no"], n)
    work = rng.choice(["private", "public", "own", "?"], n)
    score = 0.05 * (age - 40) + 0.04 * (hours - 40) + 0.3 * (years - 10) + 2.0 * (married == "yes") - 1.5
    income = np.where(score + rng.logistic(size=n) > 0, ">50K", "<=50K")
    columns = {"age": age, "work": work, "years": years, "married": married, "hours": hours, "income": income}
    return write(path, columns)


@pytest.mark.slow
def test_fifty_thousand_rows(capsys, tmp_path):
    path = persons(tmp_path / "t.csv", 50_000)
    result, _ = fitted(capsys, path, "--target", "income")
    assert (result["rows"], result["learner"]) == (50_000, "DNFWinnow")
    assert result["error"] < 0.25
    assert main(["predict", path + ".winnow", path, "-q"]) == 0
    assert len(capsys.readouterr().out.split()) == 50_000


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize("moment", ["trying", "epoch"])
def test_ctrl_c_leaves_a_whole_model_or_none(tmp_path, moment):
    path, model = persons(tmp_path / "t.csv", 50_000), tmp_path / "m.winnow"
    words = ("fit", path, "--target", "income", "--output", str(model), "--progress", "line")
    command = [sys.executable, "-m", "winnowkit", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        said = b""
        while moment.encode() not in said:
            more = child.stderr.read1()
            assert more, said
            said += more
        child.send_signal(signal.SIGINT)
        out, rest = child.communicate(timeout=300)
    last = rest.decode().rsplit("\r", 1)[-1].strip()
    assert (child.returncode, out) == (130, b"")
    if moment == "trying":
        assert last == "interrupted before anything was learned; no model was written"
        assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]
    else:
        assert last.startswith("interrupted: the model learned from 50,000 rows is in ")
        assert sorted(file.name for file in tmp_path.iterdir()) == ["m.winnow", "t.csv"]
        assert main(["predict", str(model), path, "-q", "-o", str(tmp_path / "labels")]) == 0
