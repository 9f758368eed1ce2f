"""CSV files of other habits: semicolons with decimal commas, other delimiters, other words for missing values."""

import json

import numpy as np
import pytest

import winnowkit

SEMICOLONS = "fields between semicolons, decimal commas, names in the first line"


def ok(result):
    code, out, err = result
    assert code == 0, err
    return out


def people(delimiter=";", decimal=",", rows=400, unknown=None):
    """Return a table in which income decides, as text."""
    incomes = np.random.default_rng(0).normal(50, 15, rows).round(2).tolist()
    lines = [f"{i}{delimiter}{'ab'[i % 2]}{delimiter}{'yes' if x > 50 else 'no'}" for i, x in enumerate(incomes)]
    lines = [
        line.replace(str(i), unknown if unknown and i % 20 == 3 else f"{x:.2f}".replace(".", decimal), 1)
        for i, (line, x) in enumerate(zip(lines, incomes, strict=True))
    ]
    return delimiter.join(["income", "group", "class"]) + "\n" + "\n".join(lines) + "\n"


def kinds(run_command, *words):
    """Return what `fit` says in JSON and on standard error, and the types of the columns of the model."""
    code, out, err = run_command("fit", *words, "-o", "m", "--json", "--learner", "Winnow2", "--seed", "0")
    assert code == 0, err
    return json.loads(out), err, winnowkit.model_file.read_contents("m").notes["types"]


def test_semicolons_and_decimal_commas_are_detected_and_said(run_command, tmp_path):
    (tmp_path / "people.csv").write_text(people())
    result, err, types = kinds(run_command, "people.csv")
    assert types == {"income": "numeric", "group": "category"}
    assert result["read_as"] == SEMICOLONS
    assert result["error"] < 0.1
    assert "note" not in err
    for command in (("fit", "-o", "m"), ("evaluate",), ("evaluate", "--folds", 2)):
        said = ok(run_command(*command, "people.csv", "--learner", "Winnow2"))
        assert "read as" in said
        assert SEMICOLONS in said
    (tmp_path / "one.csv").write_text("income;group\n70,125;a\n")  # alone, it might be a thousand
    assert ok(run_command("predict", "m", "one.csv")) == "yes\n"


@pytest.mark.parametrize(
    ("delimiter", "decimal", "options", "said"),
    [
        (",", ".", (), "fields between commas, names in the first line"),
        ("|", ",", (), "fields between vertical bars, decimal commas, names in the first line"),
        ("\t", ".", ("--delimiter", "tab"), "fields between tabs, names in the first line"),
        (":", ".", ("--delimiter", ":"), "fields between ':', names in the first line"),
        (";", ",", ("--decimal", ",", "--header"), SEMICOLONS),
    ],
)
def test_other_delimiters(run_command, tmp_path, delimiter, decimal, options, said):
    (tmp_path / "people.txt").write_text(people(delimiter, decimal))
    result, _, types = kinds(run_command, "people.txt", *options)
    assert (result["read_as"], types["income"]) == (said, "numeric")


def test_no_line_of_names(run_command, tmp_path):
    (tmp_path / "bare.csv").write_text(people().split("\n", 1)[1])
    result, _, types = kinds(run_command, "bare.csv")
    assert result["read_as"] == "fields between semicolons, decimal commas, no names in the first line"
    assert (result["rows"], types) == (400, {"x0": "numeric", "x1": "category"})


def test_words_for_missing_values_are_suggested_and_remembered(run_command, tmp_path):
    (tmp_path / "people.csv").write_text(people(",", ".", unknown="unknown"))
    _, err, types = kinds(run_command, "people.csv")
    assert types["income"] == "category"
    assert "note: column 'income' is read as text, because of 'unknown' among its numbers" in err
    assert "--missing unknown" in err
    _, err, types = kinds(run_command, "people.csv", "--missing", "unknown")
    assert (types["income"], "note" in err) == ("numeric", False)
    assert len(ok(run_command("predict", "m", "people.csv", "-q")).split()) == 400  # it need not be said again
    _, err, types = kinds(run_command, "people.csv", "--categorical", "income")
    assert (types["income"], "read as text" in err) == ("category", False)


def test_commas_that_may_separate_thousands_are_not_taken_for_decimals(run_command, tmp_path):
    lines = [f"{1 + i % 9},{100 + i % 5:03d};{'yes' if i % 2 else 'no'}" for i in range(100)]
    (tmp_path / "sums.csv").write_text("\n".join(["amount;class", *lines]) + "\n")
    _, err, types = kinds(run_command, "sums.csv")
    assert types["amount"] == "category"
    assert "numbers that are written as text, such as '1,100': 'amount'" in err
    assert "If the comma is the decimal mark of 'amount', read with --decimal ','." in err
    _, err, types = kinds(run_command, "sums.csv", "--decimal", ",")
    assert (types["amount"], "written as text" in err) == ("numeric", False)


def test_a_target_by_position_does_not_make_names_of_the_first_row(run_command, tmp_path):
    (tmp_path / "bare.csv").write_text("0,1.5,a\n" + "1,2.5,b\n0,1.25,a\n" * 20)
    result, _, types = kinds(run_command, "bare.csv", "--target", "0")
    assert (result["rows"], result["classes"], result["target"]) == (41, [0, 1], "x0")
    assert types == {"x1": "numeric", "x2": "category"}


def test_options_of_text_are_refused_for_other_formats(run_command, tmp_path):
    (tmp_path / "data.libsvm").write_text("1 1:1\n0 2:1\n")
    code, _, err = run_command("fit", "data.libsvm", "-o", "m", "--decimal", ",")
    assert (code, "format 'libsvm' has no option 'decimal'" in err) == (2, True)
    code, _, err = run_command("fit", "data.libsvm", "-o", "m", "--decimal", "x")
    assert (code, err.count("\n")) == (2, 1)
