"""Jobs of a newcomer: each ends in a sensible model, or in a message that leads to one."""

import csv
import json

import numpy as np
import pytest

from winnowkit.cli import main

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
    days = np.datetime64("2020-01-01") + RNG.integers(0, 700, N)
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
