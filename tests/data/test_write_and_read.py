"""What is written is read back the same."""

import csv
import gzip
import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from winnowkit.core.columns import is_missing
from winnowkit.data import DataError, Frame, load_dataset, open_table, read_table, write_table
from winnowkit.data.catalogue import descriptions
from winnowkit.data.formats.kinds import MISSING

FLOATS = st.floats(allow_nan=False, allow_infinity=False) | st.just(np.nan)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=8).filter(
    lambda text: text not in MISSING
)


@st.composite
def frames(draw):
    n = draw(st.integers(1, 6))
    kinds = draw(st.lists(st.booleans(), min_size=1, max_size=4))
    columns = {}
    for j, numeric in enumerate(kinds):
        values = draw(st.lists(FLOATS if numeric else TEXTS | st.none(), min_size=n, max_size=n))
        columns[f"c{j}"] = np.array(values, dtype=float if numeric else object)
    return Frame(columns)


def types(X):
    return {name: "numeric" if dtype.kind == "f" else "category" for name, dtype in X.dtypes.items()}


@settings(max_examples=150, deadline=None)
@given(frames(), st.sampled_from(["a.csv", "a.tsv", "a.csv.gz", "a.arff", "a.arff.zst", "a.parquet", "a.feather"]))
def test_any_frame_is_read_back(X, name):
    y = np.array(["yes", "no"] * len(X))[: len(X)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write_table(X, y, path)
        options = {"types": types(X)} if "sv" in name else {}
        options |= {"delimiter": ","} if "csv" in name else {}
        found, labels = read_table(path, "class", **options)
        assert [entry.name for entry in Path(folder).iterdir()] == [name]
    assert found == X
    assert labels.tolist() == y.tolist()


@settings(max_examples=150, deadline=None)
@given(frames(), st.integers(1, 4))
def test_csv_is_read_as_by_the_csv_module(X, chunk_rows):
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(X.columns)
    writer.writerows([["" if is_missing(v) else str(v) for v in row] for row in np.asarray(X, dtype=object)])
    data = text.getvalue().encode()
    with open_table(
        io.BytesIO(data), format="csv", delimiter=",", header=True, types=types(X), chunk_rows=chunk_rows
    ) as reader:
        assert Frame.concatenate([chunk.X for chunk in reader]) == X


@pytest.mark.parametrize("suffix", ["csv", "arff"])
@pytest.mark.parametrize("name", sorted(descriptions()))
def test_bundled_sets_are_read_back_equal(tmp_path, name, suffix):
    found = load_dataset(name)
    X = Frame(
        {
            n: column.astype(float if found.types[n] == "numeric" else object)
            for n, column in zip(found.feature_names, found.data.T, strict=True)
        }
    )
    path = tmp_path / f"{name}.{suffix}"
    write_table(X, found.target, path, target="the class")
    given_types = {**types(X), "the class": "category"} if suffix == "csv" else None
    again, y = read_table(path, "the class", types=given_types)
    assert again == X
    assert y.tolist() == found.target.tolist()


@pytest.mark.parametrize("suffix", ["libsvm", "vw", "arff", "libsvm.gz", "vw.zst"])
def test_sparse_matrices_are_read_back(tmp_path, suffix):
    rng = np.random.default_rng(0)
    X = csr_matrix(rng.random((50, 30)) * (rng.random((50, 30)) < 0.2))
    y = rng.integers(0, 2, size=50)
    path = tmp_path / f"rows.{suffix}"
    write_table(X, y, path)
    options = (
        {"zero_based": False} if "libsvm" in suffix else {"hash_bits": 5} if "vw" in suffix else {"target": "class"}
    )
    found, labels = read_table(path, **options)
    assert (found[:, :30] != X).nnz == 0
    assert labels.tolist() == y.tolist()


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "rows.libsvm"
    path.write_text("old")
    with pytest.raises(DataError, match="labels that are numbers"):
        write_table(Frame({"a": [1.0]}), ["yes"], path)
    with pytest.raises(DataError, match="finite numbers only"):
        write_table(Frame({"a": [np.nan]}), [1], path)
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [("rows.libsvm", "old")]


def test_what_cannot_be_written_is_refused(tmp_path):
    X = Frame({"a": [1.0]})
    for arguments, options, message in [
        ((X, [1], tmp_path / "a.xls"), {}, "format must be one of csv"),
        ((X, [1, 2], tmp_path / "a.csv"), {}, "one label per row"),
        ((X, [1], tmp_path / "a.csv"), {"target": "a"}, "X already has a column 'a'"),
        ((X, [1], tmp_path / "none" / "a.csv"), {}, "cannot be written"),
        ((csr_matrix(np.eye(2)), [0, 1], tmp_path / "a.parquet"), {}, "dense tables"),
        ((Frame({"a b": [1.0]}), [1], tmp_path / "a.vw"), {}, "rename 'a b'"),
    ]:
        with pytest.raises(DataError, match=message):
            write_table(*arguments, **options)
    assert list(tmp_path.iterdir()) == []


def test_arrays_and_lists_are_written_too(tmp_path):
    write_table(np.eye(2), None, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "x0,x1\n1,0\n0,1\n"
    write_table([["sunny", 1], [None, 2]], ["a", "b"], tmp_path / "b.csv.gz", names=["sky", "n"], target="t")
    assert gzip.decompress((tmp_path / "b.csv.gz").read_bytes()) == b"sky,n,t\nsunny,1,a\n,2,b\n"
    write_table(Frame({"a": [1, 0, 2], "b": ["x", None, "y"]}), [1, 0, 1], tmp_path / "c.vw")
    assert (tmp_path / "c.vw").read_text() == "1 | a b=x\n0 |\n1 | a:2 b=y\n"


@pytest.mark.parametrize("text", ["\r", "a\rb", "a\nb", "a\r\nb", '"', ",", " a "])
def test_fields_that_csv_must_quote_come_back(tmp_path, text):
    frame = Frame({"x": np.array([text, "plain"], dtype=object)})
    write_table(frame, np.array(["u", "v"]), tmp_path / "table.csv")
    X, y = read_table(tmp_path / "table.csv", target=-1)
    assert X["x"].tolist() == [text, "plain"]
    assert y.tolist() == ["u", "v"]
