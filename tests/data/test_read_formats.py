"""ARFF, Vowpal Wabbit's and SNoW's text, Parquet and Feather; which is which."""

import gzip
import io
import sys

import numpy as np
import pyarrow as pa
import pytest
import zstandard
from pyarrow import feather, parquet
from scipy.sparse import issparse

from winnowkit.data import DataError, open_table, read_libsvm, read_table

ARFF = """% cars
@RELATION cars
@attribute size NUMERIC
@attribute 'the colour' {red, 'light blue', "it's"}
@attribute note string
@attribute sold {no, yes}
@data
1, red, 'a, b', yes
% between
?, 'light blue', ?, no
2.5e1, 'it\\'s', x, no
"""
SPARSE = "@relation r\n@attribute a numeric\n@attribute b {0,1}\n@attribute c real\n@attribute y {no,yes}\n@data\n"


def read(text, target=None, **options):
    return read_table(io.BytesIO(text.encode()), target, **options)


def test_dense_arff():
    X, y = read(ARFF, "sold")
    assert X.columns == ["size", "the colour", "note"]
    assert X["size"][[0, 2]].tolist() == [1.0, 25.0]
    assert np.isnan(X["size"][1])
    assert X["the colour"].tolist() == ["red", "light blue", "it's"]
    assert X["note"].tolist() == ["a, b", None, "x"]
    assert y.tolist() == ["yes", "no", "no"]


def test_sparse_arff_is_a_matrix_if_all_is_numbers_else_a_frame():
    rows = "{0 1.5, 3 yes}\n{}\n{1 1, 2 -2}\n"
    X, y = read(SPARSE + rows, "y")
    assert issparse(X)
    assert X.toarray().tolist() == [[1.5, 0, 0], [0, 0, 0], [0, 1, -2]]
    assert y.tolist() == ["yes", "no", "no"]
    X, y = read(SPARSE + rows)
    assert y is None
    assert X["y"].tolist() == ["yes", "no", "no"]
    assert X["b"].tolist() == ["0", "0", "1"]
    assert X["c"].tolist() == [0, 0, -2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ARFF + "1,red\n", "line 12: the row has 2 values for 4 attributes"),
        (ARFF + "1,green,x,no\n", "line 12, column 'the colour': 'green' is not among the declared values"),
        (ARFF + "1,'red,x,no\n", "line 12: the quotes do not match"),
        (ARFF + "one,red,x,no\n", "line 12, column 'size': expected a number"),
        ("@relation r\n@attribute a relational\n@data\n1\n", "line 2, column 'a': expected numeric, string"),
        ("@relation r\n@attribute a numeric\n@attribute a numeric\n@data\n1\n", "two attributes are named 'a'"),
        ("@relation r\n@data\n1\n", "@data comes before any @attribute"),
        ("@relation r\n@attribute a numeric\n", "ends before @data"),
        ("@relation r\n@attribute a numeric\n@data\n", "no rows below @data"),
        (SPARSE + "{0 1, 9 1}\n", "the index 9 is out of order or not below 4"),
        (SPARSE + "{1 1, 0 1}\n", "the index 0 is out of order"),
        (SPARSE + "{0 ?}\n", "line 7, column 'a': expected a finite number in a sparse row"),
        (SPARSE + "{0}\n", "expected index value, got '0'"),
        (SPARSE + "{0 1}\n1,2,3,yes\n", "expected a sparse row"),
    ],
)
def test_arff_errors(text, message):
    with pytest.raises(DataError, match=message):
        read(text, "y" if text.startswith(SPARSE) else None, format="arff")


def test_vowpal_wabbit_text_is_hashed_as_vowpal_wabbit_does():
    vowpalwabbit = pytest.importorskip("vowpalwabbit")
    workspace = vowpalwabbit.Workspace(quiet=True)
    text = "1 2.0 'first|words:2 red blue:0.5 |n 17\n-1 |words red red\n| 5:3\n"
    with open_table(io.BytesIO(text.encode())) as reader:
        (chunk,) = reader
    assert reader.format == "vw"
    words = workspace.hash_space("words")
    column = {name: workspace.hash_feature(name, words) % 2**18 for name in ("red", "blue")}
    seventeen = workspace.hash_feature("17", workspace.hash_space("n")) % 2**18
    workspace.finish()
    assert chunk.X.shape == (3, 2**18)
    assert {j: chunk.X[0, j] for j in chunk.X[0].indices} == {column["red"]: 2.0, column["blue"]: 1.0, seventeen: 1.0}
    assert chunk.X[1, column["red"]] == 2.0
    assert chunk.X[2, 5] == 3.0
    assert chunk.y[:2].tolist() == [1, -1]
    assert np.isnan(chunk.y[2])
    assert (chunk.weights.tolist(), chunk.tags) == ([2, 1, 1], ["first", "", ""])


def test_vowpal_wabbit_text_with_a_vocabulary():
    with open_table(io.BytesIO(b"1 | a b:2 other\n"), vocabulary={"a": 0, "b": 1, "w^c": 2}) as reader:
        assert reader.names == ["a", "b", "w^c"]
        assert next(reader).X.toarray().tolist() == [[1, 2, 0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 | a\nno bar\n", r"line 2: expected label \| feature"),
        ("1:0.5 2:1 | a\n", "costs, actions"),
        ("1 | a:x\n", "line 1: expected a finite number, got 'x'"),
        ("nan | a\n", "expected a finite number"),
        ("1 | :3\n", "expected feature or feature:value"),
        ("\n", "no examples"),
    ],
)
def test_vowpal_wabbit_errors(text, message):
    with pytest.raises(DataError, match=message):
        read(text, format="vw")


def test_snow_text(tmp_path):
    text = "0, 7, 5,\n 13(2.5):\n1, 3:2,:\n"
    X, y = read(text, format="snow")
    assert X.shape == (3, 14)
    assert X.toarray()[0, [5, 7, 13]].tolist() == [1, 1, 2.5]
    assert y.tolist() == [0, 1, 2]
    X, y = read("7, 1:\n0, 7:\n7, 9:\n", labels=[0, 1])
    assert y.tolist() == [1, 0, -1]
    assert X[:, 7].toarray().ravel().tolist() == [1, 1, 1]
    path = tmp_path / "rows.snow"
    path.write_text(text)
    with open_table(path, chunk_rows=1) as reader:
        assert [chunk.X.shape for chunk in reader] == [(1, 14)] * 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1, 2:\n1, x:\n", "line 2: expected an id"),
        ("1, 2:\n1, 3\n", "does not end with a colon"),
        ("1, 2(nan):\n", "expected a finite number as the strength"),
        (f"1, {2**60}:\n", "is too large; the largest"),
        ("\n", "no examples"),
    ],
)
def test_snow_errors(text, message):
    with pytest.raises(DataError, match=message):
        read(text, format="snow")
    with pytest.raises(DataError, match="pass n_features="):
        open_table(io.BytesIO(text.encode()), format="snow")


@pytest.fixture
def arrow():
    return pa.table(
        {
            "size": pa.array([1.5, None, 3.0]),
            "count": pa.array([1, 2, None]),
            "flag": pa.array([True, False, None]),
            "colour": pa.array(["red", None, "blue"]).dictionary_encode(),
            "sold": pa.array([1, 0, 1]),
        }
    )


@pytest.mark.parametrize("write", [parquet.write_table, feather.write_feather])
@pytest.mark.parametrize("packing", ["", ".gz", ".zst", "stream"])
def test_parquet_and_feather(tmp_path, arrow, write, packing):
    path = tmp_path / ("rows.parquet" if write is parquet.write_table else "rows.feather")
    write(arrow, path)
    data = path.read_bytes()
    source = path
    if packing == "stream":
        source = io.BytesIO(data)
    elif packing:
        source = path.with_name(path.name + packing)
        source.write_bytes(gzip.compress(data) if packing == ".gz" else zstandard.compress(data))
    X, y = read_table(source, "sold")
    assert X["size"][[0, 2]].tolist() == [1.5, 3.0]
    assert np.isnan(X["size"][1])
    assert np.isnan(X["count"][2])
    assert X["flag"].tolist() == ["True", "False", None]
    assert X["colour"].tolist() == ["red", None, "blue"]
    assert y.tolist() == [1, 0, 1]
    with open_table(path, "sold", chunk_rows=2, columns=["colour"], types={"sold": "category"}) as reader:
        assert [chunk.y.tolist() for chunk in reader] == [["1", "0"], ["1"]]
    with pytest.raises(DataError, match="label of row 2 is missing"):
        read_table(path, "colour")


@pytest.mark.parametrize("name", ["rows.parquet", "rows.feather"])
def test_damaged_arrow_files(tmp_path, arrow, name):
    path = tmp_path / name
    parquet.write_table(arrow, path) if "parquet" in name else feather.write_feather(arrow, path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DataError, match=f"{name}: is no"):
        read_table(path)


def test_missing_extras_say_what_to_install(monkeypatch):
    for module, data in (("pyarrow.parquet", b"PAR1...."), ("zstandard", zstandard.compress(b"a,b\n1,2\n"))):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, module, None)
            with pytest.raises(ImportError, match=r"pip install 'winnowkit\[files\]'"):
                read_table(io.BytesIO(data))


@pytest.mark.parametrize(
    "pack",
    [gzip.compress, zstandard.compress, lambda data: zstandard.compress(data[:9]) + zstandard.compress(data[9:])],
)
def test_packed_text(pack):
    text = b"1 1:0.5\n" * 5000
    packed = pack(text)
    X, _ = read_libsvm(io.BytesIO(packed))
    assert X.shape == (5000, 1)
    with pytest.raises(DataError, match=r"ends too early|is damaged"):
        read_libsvm(io.BytesIO(packed[:-6]))
    with pytest.raises(DataError, match="is damaged"):
        read_libsvm(io.BytesIO(packed[:12] + bytes(20) + packed[20:]))


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (b"1 3:1 7:0.5\n", "", "libsvm"),
        (b"-1 qid:3 1:1\n", "", "libsvm"),
        (b"1 | a b\n", "", "vw"),
        (b"|w a b\n", "", "vw"),
        (b"a|b\n1|2\n", "", "csv"),
        (b"0, 5, 7:\n", "", "snow"),
        (b"a\tb\n1\t2\n", "", "tsv"),
        (b"a,b\n1,2\n", "", "csv"),
        (b"% hello\n@RELATION x\n@attribute a numeric\n@data\n1\n", "", "arff"),
        (b"1 3:1\n2 4:1\n", "rows.CSV", "csv"),
        (b"1 3:1\n", "rows.svm.gz", "libsvm"),
    ],
)  # fmt: skip
def test_the_format_goes_by_the_name_then_by_the_content(tmp_path, text, name, expected):
    source = io.BytesIO(text)
    if name:
        source = tmp_path / name
        source.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    options = {"n_features": 8} if expected in ("libsvm", "snow") else {}
    with open_table(source, **options) as reader:
        assert reader.format == expected


def test_sparse_formats_refuse_what_is_for_named_columns():
    with pytest.raises(DataError, match="this format includes the labels; leave out the target 'y'"):
        read("1 1:1\n", "y", format="libsvm")
    with pytest.raises(DataError, match="no named columns"):
        read("1 1:1\n", format="vw", columns=["a"])
