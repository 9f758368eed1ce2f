"""libsvm's text: the scanner against a naive parser, Python's floats and scikit-learn."""

import io
import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import naive_libsvm
from winnowkit.data import DataError, open_table, read_libsvm

NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1, 1).map(lambda x: f"{x:.17g}"),
    st.floats(-1e6, 1e6).map(lambda x: f"{x:.16g}"),
    st.integers(-(10**25), 10**25).map(str),
    st.from_regex(r"[-+]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})([eE][-+]?[0-9]{1,2})?", fullmatch=True).filter(
        str.isascii
    ),
)


@settings(max_examples=400, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=20))
@example(["9007199254740993", "9007199254740992.5", "0.30000000000000004", "5e-324", "1.7976931348623157e308"])
@example(
    [
        "1000000000000000.05",
        "1.0000000000000001110223024625156540",
        "8.41e21",
        "9.5e-23",
        "0e999",
        "-0",
        "123456789012345678e-3",
    ]
)
def test_numbers_are_those_of_python(texts):
    line = "1 " + " ".join(f"{j}:{text}" for j, text in enumerate(texts)) + "\n"
    X, _ = read_libsvm(io.BytesIO(line.encode()), zero_based=True)
    expected = np.array([float(text) for text in texts])
    assert X.data.view(np.uint64).tolist() == expected.view(np.uint64).tolist()


SPACES = [b" ", b"  ", b"\t", b"\n", b"\r\n"]
GOOD = [b"1", b"-1", b"+2.5", b"1:2", b"2:0", b"3:-1e-3", b"qid:3", b"#", b" 4:1", b" 5:1", b"0:1"]
BAD = [b"7:x", b"qid:", b"nan", b"inf", b":", b",", b"9999999999:1", b".", b"e", b"\x00", b"\xff"]
PIECES = st.sampled_from(SPACES + GOOD + BAD)


@settings(max_examples=600, deadline=None)
@given(st.lists(PIECES, max_size=25).map(b"".join), st.integers(1, 3))
def test_any_text_is_read_or_refused_as_by_a_naive_parser(text, chunk_rows):
    try:
        expected = naive_libsvm.rows(text)
    except ValueError as error:
        with pytest.raises(DataError, match=rf"an open file, line {error.args[0]}, column \d+: "):
            read_libsvm(io.BytesIO(text))
        return
    if not expected:
        with pytest.raises(DataError, match="no rows"):
            read_libsvm(io.BytesIO(text))
        return
    X, y = read_libsvm(io.BytesIO(text), zero_based=True)
    assert y.tolist() == [label for label, _ in expected]
    for i, (_, pairs) in enumerate(expected):
        part = slice(X.indptr[i], X.indptr[i + 1])
        assert list(zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)) == pairs
    chunks = list(
        open_table(io.BytesIO(text), format="libsvm", n_features=X.shape[1], zero_based=True, chunk_rows=chunk_rows)
    )
    assert np.concatenate([chunk.y for chunk in chunks]).tolist() == y.tolist()
    assert [chunk.first_row for chunk in chunks] == list(range(0, len(y), chunk_rows))
    assert sum(chunk.X.sum() for chunk in chunks) == pytest.approx(X.sum())


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_files_of_scikit_learn_are_read_as_scikit_learn_does(tmp_path, zero_based, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 40)) * 10.0 ** rng.integers(-12, 12, size=(300, 40)) * (rng.random((300, 40)) < 0.2)
    X[:, 0] = 1.0  # an index 0 shows which way indices count
    path = tmp_path / "rows.svm"
    dump_svmlight_file(
        X, rng.normal(size=300), str(path), zero_based=zero_based, comment="by scikit-learn", query_id=range(300)
    )
    expected, y = load_svmlight_file(str(path))
    found, labels = read_libsvm(path)
    assert (found != expected).nnz == 0
    assert labels.tolist() == y.tolist()
    with open_table(path, chunk_rows=7) as reader:
        chunks = list(reader)
    assert {chunk.X.shape[1] for chunk in chunks} == {reader.n_features} == {40}
    assert re.fullmatch("libsvm", reader.format)
    assert np.concatenate([chunk.X.toarray() for chunk in chunks]).tolist() == expected.toarray().tolist()
