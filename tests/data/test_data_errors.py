"""Errors of readers say by their kind and attributes, not by their wording alone, what is wrong."""

import io

import numpy as np
import pytest

from winnowkit.core.frame import Frame
from winnowkit.data import DataError, open_table, write_table
from winnowkit.data.errors import ContradictionError, IndexTooLargeError, NoColumnsError, UnknownColumnError, WidthError

TEXTS = {
    "csv": b"a,b\n1,2\n3,4\n",
    "tsv": b"a\tb\n1\t2\n3\t4\n",
    "arff": b"@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\n3,4\n",
    "libsvm": b"1 1:1\n0 2:1 7:1\n",
    "snow": b"0, 11, 12:\n1, 17:\n",
    "vw": b"1 | a b\n-1 | c\n",
}
TABLES, SPARSE = ("csv", "tsv", "arff"), ("libsvm", "snow", "vw")


def read(format, **options):  # noqa: A002
    with open_table(io.BytesIO(TEXTS[format]), format=format, **options) as reader:
        return list(reader)


@pytest.mark.parametrize("format", TABLES)
def test_of_tables(format):  # noqa: A002
    with pytest.raises(UnknownColumnError) as unknown:
        read(format, types={"z": "numeric"})
    assert unknown.value.name == "z"
    with pytest.raises(WidthError) as width:
        read(format, n_features=3)
    assert width.value.n_features == 2
    assert isinstance(width.value, DataError)


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_of_files_of_columns(suffix, tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / f"table.{suffix}"
    write_table(Frame({"a": np.arange(3.0)}), None, path)
    with pytest.raises(UnknownColumnError) as unknown:
        open_table(path, types={"z": "numeric"})
    assert (unknown.value.name, unknown.value.place) == ("z", str(path))


@pytest.mark.parametrize("format", SPARSE)
def test_of_sparse_formats(format):  # noqa: A002
    with pytest.raises(NoColumnsError):
        read(format, types={"a": "numeric"}, n_features=20)


@pytest.mark.parametrize(("format", "index", "line"), [("libsvm", 7, 2), ("snow", 12, 1)])
def test_of_indices(format, index, line):  # noqa: A002
    with pytest.raises(IndexTooLargeError) as large:
        read(format, n_features=5)
    assert (large.value.index, large.value.line) == (index, line)


def test_of_values():
    text = io.BytesIO(b"a,b\n" + b"1,2\n" * 10_001 + b"1,red\n")
    with open_table(text, format="csv") as reader, pytest.raises(ContradictionError) as contradiction:
        list(reader)
    error = contradiction.value
    assert (error.column, error.kind, error.line) == ("b", "category", 10_003)
    assert str(error).startswith(f"{error.place}: ")
