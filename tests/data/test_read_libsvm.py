"""libsvm's text: where an error is, shapes, and hostile input."""

import io

import pytest

from winnowkit.data import DataError, open_table, read_libsvm, read_table
from winnowkit.data.errors import IndexTooLargeError


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:1\nx 1:1\n", "line 2, column 1: expected a number as the label, got 'x'"),
        ("1 1:1\n1,2 1:1\n", "line 2, column 1: expected one label, got '1,2'"),
        ("1 1:1 2:x\n", "line 1, column 9: expected a number as the value, got 'x'"),
        ("1 1:1 2\n", "line 1, column 7: expected index:value with .* got '2'"),
        ("1 -1:1\n", "line 1, column 3: expected index:value"),
        ("1 1:1:1\n", "line 1, column 5: expected a number as the value, got '1:1'"),
        ("1 1:\n", "line 1, column 5: expected a number as the value, got the end of the line"),
        ("1 1:1 1:1\n", "line 1, column 7: the index '1:1' is not larger"),
        ("1 3:1 2:1\n", "line 1, column 7: the index '2:1' is not larger"),
        ("1 1:nan\n", "line 1, column 5: 'nan' is infinite or not a number"),
        ("1 1:-inf\n", "line 1, column 5: '-inf' is infinite"),
        ("1 1:1e999\n", "line 1, column 5: '1e999' is infinite"),
        ("nan 1:1\n", "line 1, column 1: 'nan' is infinite"),
        ("1 qid:x 1:1\n", "line 1, column 3: expected qid: and a whole number, got 'qid:x'"),
        (f"1 {2**60}:1\n", f"line 1, column 3: the index '{2**60}:1' is too large"),
        ("1 2147483647:1\n", "too large; the largest is 2147483646"),
        ("\n# nothing\n", "no rows"),
    ],
)  # fmt: skip
def test_errors_name_the_line_and_the_column(text, message):
    with pytest.raises(DataError, match=message):
        read_libsvm(io.BytesIO(text.encode()))


def test_errors_beyond_the_first_block_are_counted_right():
    text = b"1 1:1\n" * 400_000 + b"1 1:x\n"
    with pytest.raises(DataError, match="line 400001, column 5"):
        read_libsvm(io.BytesIO(text))


def test_shapes_and_where_indices_begin():
    assert read_libsvm(io.BytesIO(b"1 1:1 3:1\n"))[0].indices.tolist() == [0, 2]
    assert read_libsvm(io.BytesIO(b"1 1:1 3:1\n"), zero_based=True)[0].shape == (1, 4)
    assert read_libsvm(io.BytesIO(b"1 0:1 3:1\n"))[0].shape == (1, 4)
    assert read_libsvm(io.BytesIO(b"1 1:1\n"), 5)[0].shape == (1, 5)
    assert read_libsvm(io.BytesIO(b"1\n2 # none\n"))[0].shape == (2, 1)
    with pytest.raises(DataError, match=r"line 1, column 7: the index 3 is too large for 2 columns .* n_features=3"):
        read_libsvm(io.BytesIO(b"1 1:1 3:1\n"), 2)
    with pytest.raises(DataError, match="line 1, column 3: the index is 0, but columns are counted from 1; pass zero"):
        read_libsvm(io.BytesIO(b"1 0:1\n"), zero_based=False)
    with pytest.raises(ValueError, match="zero_based must be"):
        read_libsvm(io.BytesIO(b"1 0:1\n"), zero_based="yes")


def test_a_stream_needs_its_number_of_columns():
    with pytest.raises(DataError, match="pass n_features="):
        open_table(io.BytesIO(b"1 1:1\n"), format="libsvm")
    assert read_table(io.BytesIO(b"1 1:1\n"), format="libsvm")[0].shape == (1, 1)
    with open_table(io.BytesIO(b"1 1:1\n1 0:1\n"), format="libsvm", n_features=3, chunk_rows=1) as reader:
        next(reader)
        with pytest.raises(DataError, match="pass zero_based=True"):
            next(reader)
    with pytest.raises(DataError, match="line 1, column 3: the index 9 is too large for 3 columns"):
        next(open_table(io.BytesIO(b"1 9:1\n"), format="libsvm", n_features=3))


def test_a_file_without_line_end_is_whole():
    assert read_libsvm(io.BytesIO(b"1 1:1\n2 1:2"))[1].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "# a comment 7:1\n1 1:1\n\n0 2:1\n1 qid:8 1:1 9:1 # 6:1\n1 7:1\n",
            "line 5, column 13: the index 9 is too large for 5 columns counted from 1; pass n_features=9 or more",
        ),
        ("1 1:1\n0\t0:1 2:1\n", "line 2, column 3: the index is 0, but columns are counted from 1"),
        (f"0 1:1 #{' ' * 990}\n" * 2000 + "1 1:1 6:1\n", "line 2001, column 7: the index 6 is too large"),
    ],
    ids=["too large", "zero", "in a later block"],
)
@pytest.mark.parametrize("chunk_rows", [1, 10_000])
def test_an_index_out_of_range_is_told_by_line_and_column(tmp_path, text, message, chunk_rows):
    path = tmp_path / "rows.libsvm"
    path.write_text(text)
    with (
        open_table(path, n_features=5, chunk_rows=chunk_rows, zero_based=False) as reader,
        pytest.raises(DataError, match=message) as caught,
    ):
        for _ in reader:
            pass
    assert f"line {caught.value.line}, column {caught.value.column}" in message
    with pytest.raises(DataError, match=message):
        read_libsvm(path, 5, zero_based=False)


def read_in_chunks(path, n_features):
    with open_table(path, n_features=n_features) as reader:
        return list(reader)


def test_an_index_out_of_range_since_another_is_zero(tmp_path):
    text = b"1 2:1 3:1\n1 0:1\n"
    path = tmp_path / "rows.libsvm"
    path.write_bytes(text)
    message = "the index 3 is too large for 3 columns counted from 0; pass n_features=4 or more"
    for read in (read_libsvm, read_in_chunks):
        with pytest.raises(IndexTooLargeError, match=f"line 1, column 7: {message}") as caught:
            read(path, 3)
        assert (caught.value.index, caught.value.place) == (3, f"{path}, line 1, column 7")
    with pytest.raises(DataError, match=f"an open file: {message}"):
        read_libsvm(io.BytesIO(text), 3)
