"""What a user can get wrong: one sentence with the remedy, exit code 2, no traceback, nothing half-written."""

import os
import signal
import subprocess
import sys
import time

import pytest

from winnowkit import load
from winnowkit.cli import main
from winnowkit.data import streams, write_table

TRAIN = "colour,size,class\n" + "red,1.5,yes\nblue,2.5,no\n" * 20
FILES = {
    "train.csv": TRAIN,
    "empty.csv": "",
    "names.csv": "colour,size,class\n",
    "ragged.csv": TRAIN + "red,1.5\n",
    "twice.csv": "size,size,class\n1,2.5,yes\n2,3.5,no\n",
    "title.csv": "Sales\n\ncolour,class\nred,yes\nblue,no\n",
    "one.csv": "colour,size,class\n" + "red,1.5,yes\nblue,2.5,yes\n" * 20,
    "price.csv": "colour,price\n" + "".join(f"red,{i}\nblue,{1000 - i}\n" for i in range(300)),
    "fractions.csv": "colour,price\n" + "".join(f"red,{i}.5\nblue,{i}.25\n" for i in range(30)),
    "amounts.csv": "colour,price\n" + "".join(f"red,{i}.50 EUR\n" for i in range(300)),
    "unlabelled.csv": "colour,class\n" + "red,yes\nblue,no\n" * 20 + "red,?\n",
    "nameless.csv": "red,1.5\nblue,2.5\n" * 20,
    "narrow.csv": "size,class\n1.5,yes\n",
    "turned.csv": "class,size,colour\nyes,1.5,red\nno,2.5,blue\n",
    "texts.csv": "colour,size,class\nred,small,yes\n",
    "many.csv": "colour,class\n" + "".join(f"red,c{i}\n" for i in range(1500)),
    "single.csv": "class\nyes\nno\n",
    "wide.libsvm": "1 1:1 50:1\n0 2:1\n",
    "broken.libsvm": "1 1:1\n0 2:x\n",
    "folder/readme.txt": "",
}

ERRORS = {  # the command, and what the sentence must say
    "no such file": ("fit nothing.csv -o new", ["nothing.csv: no such file; check the path"]),
    "a folder": ("fit folder -o new", ["folder", "name a file in it"]),
    "an empty file": ("fit empty.csv -o new", ["empty.csv", "empty"]),
    "names and no rows": ("fit names.csv -o new", ["names.csv: there are no rows below the names"]),
    "a ragged row": ("fit ragged.csv -o new", ["ragged.csv, line 42", "2 fields", "3"]),
    "two columns of the same name": (
        "fit twice.csv -o new",
        [
            "twice.csv, line 1: two columns are named 'size'; rename one, or, if the first line is a row",
            "pass --no-header",
        ],
    ),
    "a title above the names": (
        "fit title.csv -o new",
        ["title.csv, line 3: the row has 2 fields, but the first row has 1; delete lines above the names"],
    ),
    "one class only": (
        "fit one.csv -o new",
        [
            "one.csv: the target 'class' contains a single class, 'yes'; a classifier needs at least two",
            "name another column with --target",
        ],
    ),
    "a numeric target": (
        "fit price.csv -o new",
        ["the target 'price' is a number with 600 distinct values", "--target", "--categorical 'price'"],
    ),
    "a target of fractions": ("fit fractions.csv -o new", ["'price' holds numbers that are not whole", "--target"]),
    "a target of amounts": (
        "fit amounts.csv -o new",
        ["the target 'price' has 300 different values in 300 rows, such as '0.50 EUR'", "--target", "cut a quantity"],
    ),
    "a target of amounts, in parts": ("evaluate amounts.csv --folds 3", ["the target 'price' has 300", "--target"]),
    "a numeric target, on line": ("evaluate price.csv --learner Winnow2", ["'price' is a number with 600 distinct"]),
    "a target of names": ("fit many.csv -o new", ["'class' has 1,500 classes or more", "--target"]),
    "a missing label": ("fit unlabelled.csv -o new", ["the target 'class' is missing; drop such rows"]),
    "one column": ("fit single.csv -o new", ["single.csv has a single column"]),
    "another width": (
        "predict model narrow.csv -o new",
        ["narrow.csv has no column 'colour', which the model learned from; add it"],
    ),
    "no line of names": (
        "predict model nameless.csv -o new",
        [
            "nameless.csv has none of the columns that the model learned from (colour, size)",
            "write them above the rows",
        ],
    ),
    "names that are not read": (
        "predict model train.csv --no-header -o new",
        ["train.csv has none of the columns", "because --no-header gives columns no names"],
    ),
    "another width, sparse": (
        "predict sparse wide.libsvm -o new",
        ["wide.libsvm", "the model has 20 attributes", "index 50", "--n-features"],
    ),
    "a table for a sparse model": (
        "predict sparse train.csv -o new",
        ["learned from sparse data, and train.csv is a table"],
    ),
    "sparse data for a table's model": (
        "predict model wide.libsvm -o new",
        ["learned from a table with named columns"],
    ),
    "text in a column of numbers": ("predict model texts.csv -o new", ["texts.csv, line 2, column 'size'", "'small'"]),
    "an unknown option": ("fit train.csv --outptu new", ["Unknown option '--outptu'. Did you mean --output?"]),
    "an unknown command": ("fitt train.csv", ["Unknown command 'fitt'. Did you mean fit?"]),
    "an unknown learner": (
        "fit train.csv -o new --learner Winow2",
        ["Unknown learner 'Winow2'. Did you mean Winnow2?"],
    ),
    "an unknown parameter": (
        "fit train.csv -o new --learner Winnow2 --set alfa=2",
        ["Winnow2 has no parameter 'alfa'. Did you mean alpha?"],
    ),
    "a parameter out of range": (
        "fit train.csv -o new --learner Winnow2 --set alpha=0.5",
        ["alpha must be > 1, got 0.5"],
    ),
    "a parameter without a value": ("fit train.csv -o new --set alpha", ["--set takes name=value", "'alpha'"]),
    "an unknown target": ("fit train.csv -o new --target clas", ["there is no column 'clas'; did you mean 'class'?"]),
    "an unknown column": ("fit train.csv -o new --ignore colr", ["--ignore names 'colr'", "colour, size"]),
    "data taken for a value": ("fit -o new --set alpha=1.3 train.csv", ["DATA; put it before the options"]),
    "no output": ("fit train.csv", ["--output MODEL"]),
    "an output that is a folder": ("fit train.csv -o folder", ["folder is a folder; name a file in it"]),
    "an output nowhere": ("fit train.csv -o no/where", ["there is no folder", "create it first"]),
    "no such model": ("predict nothing train.csv -o new", ["nothing: no such model file", "winnowkit fit"]),
    "a model that is none": ("inspect train.csv", ["train.csv is not a winnowkit model"]),
    "a damaged model": ("inspect damaged", ["damaged is truncated"]),
    "too many parts": (
        "evaluate train.csv --folds 100",
        ["--folds must be between 2 and the number of rows, 40, got 100"],
    ),
    "other classes in a resumed model": ("fit price.csv --resume model", ["there is no column"]),
    "passes over a pipe": ("fit - --format csv -o new --learner Winnow2 --passes 2", ["--passes needs a file"]),
    "a broken sparse file": ("fit broken.libsvm -o new", ["broken.libsvm", "line 2"]),
    "categories for a sparse learner": (
        "fit wide.libsvm -o new --learner DNFWinnow",
        ["these data are sparse; use Committee"],
    ),
    "no number": ("fit train.csv -o new --passes many", ["expected a whole number of at least 1, got 'many'"]),
    "an unknown data set": ("datasets votin", ["Unknown data set 'votin'. Did you mean voting?"]),
    "a data set into what is no CSV": ("datasets voting -o new.xlsx", ["ends in .csv, got new.xlsx"]),
    "a model with no ONNX form": (
        "convert model new.onnx",
        ["only linear models can be exported to ONNX, got DNFWinnow"],
    ),
    "a format that is none": ("convert train.csv new.docx", ["new.docx", "format must be one of"]),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("errors")
    (place / "folder").mkdir()
    for name, text in FILES.items():
        (place / name).write_text(text)
    before = os.getcwd()
    os.chdir(place)
    write_table(*streams.disjunction(n=20, k=2, active=5, seed=0).take(100), "sparse.libsvm")
    assert main(["fit", "train.csv", "-o", "model", "-q"]) == 0
    assert main(["fit", "sparse.libsvm", "-o", "sparse", "-q"]) == 0
    (place / "damaged").write_bytes((place / "model").read_bytes()[:-10])
    os.chdir(before)
    return place


@pytest.mark.parametrize("name", ERRORS)
def test_one_sentence_with_the_remedy(name, folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    command, expected = ERRORS[name]
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    code = main(command.split())
    out, err = capfd.readouterr()
    assert code == 2, err
    assert out == ""
    assert err.startswith("winnowkit: ")
    assert err.count("\n") == 1, err
    for words in expected:
        assert words in err
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def winnowkit(*words, **options):
    return subprocess.run(
        [sys.executable, "-m", "winnowkit", *words], capture_output=True, text=True, check=False, timeout=300, **options
    )


def test_the_real_command(folder):
    """One process for an error of each kind: of an option, a file, a table; all others are the same code."""
    for name in ("an unknown option", "no such file", "one class only"):
        command, expected = ERRORS[name]
        result = winnowkit(*command.split(), cwd=folder)
        assert result.returncode == 2
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1
        assert "Traceback" not in result.stderr
        assert all(words in result.stderr for words in expected)
    shown = winnowkit("fit", "one.csv", "-o", "new", "--traceback", cwd=folder)
    assert "Traceback" in shown.stderr
    assert shown.returncode == 2


def test_columns_in_another_order_are_no_error(folder):
    result = winnowkit("predict", "model", "turned.csv", cwd=folder)
    assert (result.returncode, result.stdout) == (0, "yes\nno\n"), result.stderr


def test_a_reader_that_has_had_enough(folder):
    line = f'"{sys.executable}" -m winnowkit predict sparse - --format libsvm < many.libsvm | head -n 1'
    (folder / "many.libsvm").write_text("1 1:1 3:1\n" * 200_000)
    result = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, cwd=folder)
    assert result.stdout in ("0\n", "1\n")
    assert result.stderr == ""


def test_ctrl_c_leaves_a_model_that_can_go_on(folder):
    options = ["--format", "libsvm", "--n-features", "20", "--learner", "Winnow2", "--progress", "doubling"]
    process = subprocess.Popen(
        [sys.executable, "-m", "winnowkit", "fit", "-", "-o", "stopped", "--chunk-rows", "1000", *options],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
    )
    process.stdin.write(b"1 1:1 3:1\n0 2:1 4:1\n" * 100_000)  # more than is read at a time; the pipe stays open
    process.stdin.flush()
    seen = b""
    while b" 16 " not in seen:  # rows have been learned from
        seen += process.stderr.read1()
        assert process.poll() is None, seen
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert b"is in stopped; to continue: winnowkit fit - --resume stopped --skip" in err
    assert load(folder / "stopped").n_trials_ >= 16
