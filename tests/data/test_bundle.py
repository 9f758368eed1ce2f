import gzip
import sys
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

import winnowkit.data
from winnowkit.data import load_dataset

# name: (rows, columns, numeric columns, missing values, examples a class), from the repository's descriptions.
SHAPES = {
    "iris": (150, 4, 4, 0, {"Iris-setosa": 50, "Iris-versicolor": 50, "Iris-virginica": 50}),
    "car": (1728, 6, 0, 0, {"unacc": 1210, "acc": 384, "good": 69, "vgood": 65}),
    "breast-cancer": (286, 9, 0, 9, {"no-recurrence-events": 201, "recurrence-events": 85}),
    "voting": (435, 16, 0, 392, {"democrat": 267, "republican": 168}),
    "auto": (205, 25, 15, 59, {"0": 67, "1": 54, "2": 32, "3": 27, "-1": 22, "-2": 3}),
    "annealing": (798, 38, 6, 19692, {"3": 608, "2": 88, "5": 60, "U": 34, "1": 8}),
    "annealing-test": (100, 38, 6, 2483, {"3": 76, "2": 11, "5": 7, "U": 6}),
    "tic-tac-toe": (958, 9, 0, 0, {"positive": 626, "negative": 332}),
    "monks-1": (124, 6, 0, 0, {"1": 62, "0": 62}),
    "monks-2": (169, 6, 0, 0, {"0": 105, "1": 64}),
    "monks-3": (122, 6, 0, 0, {"0": 62, "1": 60}),
    "monks-1-test": (432, 6, 0, 0, {"1": 216, "0": 216}),
    "monks-2-test": (432, 6, 0, 0, {"0": 290, "1": 142}),
    "monks-3-test": (432, 6, 0, 0, {"1": 228, "0": 204}),
    "credit-a": (690, 15, 6, 67, {"-": 383, "+": 307}),
    "sms-spam": (5574, 1, 0, 0, {"ham": 4827, "spam": 747}),
    "heart": (270, 13, 6, 0, {"absent": 150, "present": 120}),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_data_set_has_the_published_shape(name):
    rows, columns, numeric, missing, classes = SHAPES[name]
    found = load_dataset(name)
    assert found.data.shape == (rows, columns)
    assert found.target.shape == (rows,)
    assert len(found.feature_names) == columns
    assert list(found.types) == found.feature_names
    assert list(found.types.values()).count("numeric") == numeric
    assert sum(value is None for value in found.data.flat) == missing
    labels, counts = np.unique(found.target, return_counts=True)
    assert dict(zip(labels.tolist(), counts.tolist(), strict=True)) == classes
    assert found.target_names.tolist() == sorted(classes)
    assert "UCI Machine Learning Repository, https://" in found.citation
    assert found.citation in found.DESCR
    assert found.frame is None


def test_every_bundled_file_is_listed_and_tested():
    names = {entry.name for entry in files("winnowkit.data").joinpath("bundled").iterdir()}
    assert names == {f"{name}.csv.gz" for name in SHAPES} | {"datasets.json"}


@pytest.mark.parametrize("name", ["auto", "iris", "voting", "annealing"])
def test_values_are_floats_strings_or_none(name):
    found = load_dataset(name)
    for column, kind in zip(found.data.T, found.types.values(), strict=True):
        expected = float if kind == "numeric" else str
        assert {type(value) for value in column} <= {expected, type(None)}
        assert "?" not in column.tolist()


@pytest.mark.parametrize("name", SHAPES)
def test_a_frame_holds_the_same_values(name):
    plain, framed = load_dataset(name), load_dataset(name, as_frame=True)
    assert framed.data.columns.tolist() == plain.feature_names
    assert framed.target.tolist() == plain.target.tolist()
    assert framed.frame.shape == (framed.data.shape[0], framed.data.shape[1] + 1)
    for j, (column, kind) in enumerate(plain.types.items()):
        series = framed.data[column]
        assert series.dtype == {"numeric": np.float64, "nominal": "category", "text": object}[kind]
        values = [None if pd.isna(value) else value for value in series.tolist()]
        assert values == plain.data[:, j].tolist()


def test_return_x_y():
    X, y = load_dataset("car", return_X_y=True)
    assert X.shape == (1728, 6)
    assert y.shape == (1728,)
    X, y = load_dataset("car", return_X_y=True, as_frame=True)
    assert isinstance(X, pd.DataFrame)
    assert y.name == "class"


def test_the_train_and_test_monks_agree_on_their_rules():
    for name, rule in [
        ("monks-1", lambda a: a[0] == a[1] or a[4] == "1"),
        ("monks-2", lambda a: sum(value == "1" for value in a) == 2),
        ("monks-3-test", lambda a: (a[4] == "3" and a[3] == "1") or (a[4] != "4" and a[1] != "3")),
    ]:
        X, y = load_dataset(name, return_X_y=True)
        assert [str(int(rule(row))) for row in X] == y.tolist(), name


def test_loading_twice_gives_separate_arrays():
    first = load_dataset("car")
    first.data[0, 0] = "changed"
    first.types["buying"] = "changed"
    assert load_dataset("car").data[0, 0] == "vhigh"
    assert load_dataset("car").types["buying"] == "nominal"


def test_an_unknown_name_lists_the_names():
    with pytest.raises(ValueError, match=r"name must be one of iris, car.*got 'irises'"):
        load_dataset("irises")


def test_a_frame_without_pandas_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert load_dataset("iris").data.shape == (150, 4)
    with pytest.raises(ImportError, match="as_frame=True needs pandas"):
        load_dataset("iris", as_frame=True)


def test_the_front_imports_lazily(python):
    code = "import sys, winnowkit.data; assert 'sklearn' not in sys.modules and 'numba' not in sys.modules"
    python(code)
    assert winnowkit.data.load_dataset is load_dataset
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = winnowkit.data.nothing


def test_packed_files_carry_no_time_stamp():
    for name in SHAPES:
        packed = files("winnowkit.data").joinpath("bundled", f"{name}.csv.gz").read_bytes()
        assert packed[4:8] == bytes(4)
        assert gzip.decompress(packed).endswith(b"\n")
