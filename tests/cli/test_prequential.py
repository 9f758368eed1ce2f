"""The first rows of a table of numbers: no prediction knows a label that comes later; numbers that may be codes."""

import json

import numpy as np
import pytest
from sklearn.base import clone

from winnowkit import DNFWinnow
from winnowkit.cli import main
from winnowkit.cli.labelled_rows import LabelledRows
from winnowkit.cli.pipeline import DeclaredColumns, Pipeline
from winnowkit.cli.prequential import hint_on_codes, learn_first
from winnowkit.core.frame import Frame

CLASSES = np.array(["no", "yes"])


def rows(n=300):
    rng = np.random.default_rng(0)
    X = Frame({"x": rng.random(n), "late": np.where(np.arange(n) < 40, np.nan, rng.random(n))})
    return X, CLASSES[(X["x"] > 0.5).astype(int)]


def test_no_prediction_knows_a_later_label():
    model = DNFWinnow(max_literals=None)
    X, y = rows()
    other = np.where(np.arange(len(y)) < 100, y, CLASSES[(10 * X["x"]).astype(int) % 2])
    found = []
    for labels in (y, other):
        begun = Pipeline.begin(clone(model), X, None, DeclaredColumns())
        cut_by_all = Pipeline.begin(clone(model), X, None, DeclaredColumns()).learn(X, labels, CLASSES)
        pipeline, predicted = learn_first(begun, LabelledRows(X, labels), CLASSES)
        found.append((predicted, cut_by_all))
        assert pipeline.model.n_trials_ == len(y)
        assert np.mean(predicted[:100] != labels[:100]) < 0.4
    (first, leaked), (second, leaked_too) = found
    np.testing.assert_array_equal(first[:101], second[:101])
    assert (leaked[:100] != leaked_too[:100]).any()  # as it would be if all rows had a say


def test_rows_without_any_value_wait():
    X = Frame({"x": np.where(np.arange(200) < 70, np.nan, np.arange(200) % 7)})
    y = CLASSES[(np.arange(200) % 7 > 3).astype(int)]
    pipeline = Pipeline.begin(DNFWinnow(max_literals=None), X, None, DeclaredColumns())
    _, predicted = learn_first(pipeline, LabelledRows(X, y), CLASSES)
    assert set(predicted) == set(CLASSES)
    assert np.mean(predicted[128:] == y[128:]) > 0.8


def test_evaluate_is_on_line(capsys, tmp_path):
    X, y = rows(2000)
    path = tmp_path / "numbers.csv"
    lines = [
        f"{x},{'' if np.isnan(late) else late},{label}" for x, late, label in zip(X["x"], X["late"], y, strict=True)
    ]
    path.write_text("\n".join(["x,late,class", *lines]) + "\n")
    for learner in ("Winnow2", "DNFWinnow"):
        assert main(["evaluate", str(path), "--learner", learner, "--json"]) == 0
        result = json.loads(capsys.readouterr().out)
        assert result["rows"] == 2000
        assert 0 < result["mistakes"] < 400


def test_numbers_that_may_be_codes_are_named_once(capsys, tmp_path):
    rng = np.random.default_rng(1)
    path = tmp_path / "coded.csv"
    codes, sizes = rng.integers(1, 5, 80).tolist(), rng.random(80).tolist()
    lines = [f"{code},{x:.3f},{'yes' if code == 2 else 'no'}" for code, x in zip(codes, sizes, strict=True)]
    path.write_text("\n".join(["colour,size,class", *lines]) + "\n")
    model = str(tmp_path / "model")
    for command in (["evaluate", str(path)], ["fit", str(path), "-o", model], ["evaluate", str(path), "--folds", "3"]):
        assert main(command) == 0
        err = capsys.readouterr().err
        assert err.count("hint: column 'colour' has few distinct values") == 1
        assert "--categorical 'colour'" in err
        for more in (["--quiet"], ["--categorical", "colour"]):
            assert main([*command, *more]) == 0
            assert "hint" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "column",
    [
        np.arange(40.0) % 2,  # boolean
        np.arange(40.0) % 20,  # many
        np.arange(40.0) % 4 + 0.5,  # not whole
        np.arange(4.0),  # few rows
        np.array(["1", "2", "3"] * 20, dtype=object),
    ],
    ids=["boolean", "many", "fractions", "few rows", "text"],
)
def test_other_columns_are_not(column):
    assert hint_on_codes(Frame({"a": column}), ()) is None
