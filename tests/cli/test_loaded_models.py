"""A model file that the command line wrote, in Python: it predicts rows like those of the file."""

import csv
import json

import pandas as pd
import pytest

import winnowkit
from winnowkit.data import TableEncoder
from winnowkit.model_file import read_contents, save


def ok(result):
    code, out, err = result
    assert code == 0, err
    return out


@pytest.fixture
def messages(run_command, tmp_path):
    """A file of messages, a model of it, and the labels that the command predicts."""
    lines = [("offer", "see you at noon", "ham"), ("other", "claim your free prize", "spam")]
    with (tmp_path / "sms.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["kind", "message", "class"])
        writer.writerows([(a, f"{b} {i} and {i + 1}", c) for i in range(60) for a, b, c in lines])
    said = ok(run_command("fit", "sms.csv", "--learner", "Committee", "--text", "message", "-o", "m", "--seed", "0"))
    assert "Committee" in said
    return ok(run_command("predict", "m", "sms.csv")).split()


def test_a_model_of_texts_predicts_rows_of_texts(messages):
    model = winnowkit.load("m")
    rows = pd.read_csv("sms.csv")
    assert model.predict(rows[["kind", "message"]]).tolist() == messages
    assert model.predict(rows[["message", "kind"]]).tolist() == messages  # in any order
    new = [{"kind": "other", "message": "a free prize"}, {"kind": "offer", "message": "at noon"}]
    assert model.predict(new).tolist() == ["spam", "ham"]
    assert isinstance(model[0], TableEncoder)
    assert model[-1].n_trials_ > 0


def test_the_commands_read_what_they_wrote_and_what_older_versions_wrote(run_command, messages):
    model, notes, _ = read_contents("m")
    save(model[-1], "old", notes={**notes, "encoder": model[0]})
    found = []
    for file in ("m", "old"):
        assert ok(run_command("predict", file, "sms.csv", "-q")).split() == messages
        seen = json.loads(ok(run_command("inspect", file, "--json")))
        assert seen["target"] == "class"
        ok(run_command("explain", file, "sms.csv", "--rows", "1"))
        ok(run_command("report", file, "sms.csv", "--output", f"{file}.html", "-q"))
        ok(run_command("fit", "sms.csv", "--resume", file, "-o", f"{file}.more", "-q"))
        found.append([{**seen, "file": None}, winnowkit.load(f"{file}.more")[-1].n_trials_])
    assert found[0] == found[1]
