"""CSV and TSV: dialects, names, types, and one clear sentence for what is wrong."""

import gzip
import io
import sys

import numpy as np
import pytest

from winnowkit.data import DataError, open_table, read_table


def read(text, target=None, **options):
    data = text if isinstance(text, bytes) else text.encode()
    return read_table(io.BytesIO(data), target, **options)


def rows(X):
    return [list(row) for row in np.asarray(X, dtype=object)]


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_delimiter_line_ends_and_mark_are_found_out(delimiter, end, bom):
    lines = ["size,colour,sold", "1,red,yes", '2.5,"blue, dark",no', "?,,no"]
    text = bom + end.join(line.replace(",", delimiter).replace(f"blue{delimiter} dark", "blue, dark") for line in lines)
    X, y = read(text, "sold")
    assert X.columns == ["size", "colour"]
    assert X["size"].tolist()[:2] == [1.0, 2.5]
    assert np.isnan(X["size"][2])
    assert X["colour"].tolist() == ["red", "blue, dark", None]
    assert y.tolist() == ["yes", "no", "no"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n1,2\n", ["a", "b"]),
        ("1,2\n3,4\n", ["x0", "x1"]),
        ("low,no\nhigh,no\nlow,yes\n", ["x0", "x1"]),
        ("size,class\nhigh,no\nlow,yes\n", ["size", "class"]),
        (",a\n0,x\n1,y\n", ["x0", "a"]),
        ("red,1\nblue,2\n", ["x0", "x1"]),
    ],
)
def test_a_first_row_of_names_is_recognised(text, names):
    assert read(text)[0].columns == names


def test_a_column_asked_for_by_name_shows_that_there_are_names():
    X, y = read("1,2\n3,4\n", "2")
    assert (X.columns, y.tolist()) == (["1"], [4])
    assert read("a,b\nc,d\n", header=False)[0].shape == (2, 2)
    assert read("a,b\nc,a\n", header=True)[0].columns == ["a", "b"]
    assert read("1,2\n3,4\n", names=["p", "q"])[0].columns == ["p", "q"]


@pytest.mark.parametrize(
    ("target", "expected"), [("b", [2, 5]), (1, [2, 5]), (-2, [2, 5]), ("-1", [3, 6]), (0, [1, 4])]
)
def test_the_target_is_a_name_or_a_position(target, expected):
    _, y = read("a,b,c\n1,2,3\n4,5,6\n", target)
    assert y.tolist() == expected
    assert y.dtype == np.int64


def test_columns_are_chosen_and_put_in_order():
    X, y = read("a,b,c\n1,2,3\n4,5,6\n", "a", columns=["c", 1])
    assert (X.columns, rows(X), y.tolist()) == (["c", "b"], [[3, 2], [6, 5]], [1, 4])


def test_types_are_numbers_or_categories():
    X, y = read("a,b,c,y\n1,True,1_000,0.5\nNA,False,2,1\n", "y")
    assert {name: dtype.kind for name, dtype in X.dtypes.items()} == {"a": "f", "b": "O", "c": "O"}
    assert X["b"].tolist() == ["True", "False"]
    assert y.tolist() == [0.5, 1.0]
    assert read("a\n1\n2\n", types={"a": "category"})[0]["a"].tolist() == ["1", "2"]
    assert read("a,b\nNA,1\nnone,2\n", missing=["none"])[0]["a"].tolist() == ["NA", None]


def test_quoted_fields_hold_line_ends_and_lines_are_counted_right():
    X, _ = read('a,b\n"x\ny",1\nz,2\n')
    assert X["a"].tolist() == ["x\ny", "z"]
    with pytest.raises(DataError, match="line 4: the row has 1 field"):
        read('a,b\n"x\ny",1\nz\n')


def test_initial_spaces_are_left_out_if_all_fields_have_them():
    assert read("a, b\n1, x\n2, ?\n")[0]["b"].tolist() == ["x", None]


def test_latin_1_is_refused_with_the_remedy_and_read_when_named():
    text = "a,b\n1,x\n2,na\xefve\n".encode("latin-1")
    with pytest.raises(
        DataError, match=r"line 3, column 5: byte 0xef .* is not utf-8; name the encoding .*encoding='cp1252'"
    ):
        read(text)
    assert read(text, encoding="latin-1")[0]["b"].tolist() == ["x", "na\xefve"]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "the file is empty"),
        ("\n\n", {}, "the file is empty"),
        ("a,b\n", {"header": True}, "no rows below the names; .*header=False"),
        ("a,b\n1,2\n3\n", {}, "line 3: the row has 1 field, but the first row has 2"),
        ("a,b\n1,2\n3,4,5\n", {}, "line 3: the row has 3 fields"),
        ('a,b\n1,"2\n3,4\n', {}, 'line 2: a quote " is never closed'),
        ('a,b\n1,"2"x\n', {}, 'line 2: text after a closing quote'),
        ("a,a\n1,2\n", {}, "two columns are named 'a'"),
        ("a,b\n1,inf\n", {}, "line 2, column 'b': 'inf' is infinite"),
        ("a,b\n1,2\n", {"target": "c"}, "there is no column 'c'; the columns are a, b"),
        ("colour,b\n1,2\n", {"target": "color"}, "did you mean 'colour'"),
        ("a,b\n1,2\n", {"target": 2}, "no column at position 2; there are 2"),
        ("a,b\n1,2\n3,\n", {"target": "b"}, "line 3, column 'b': the label is missing"),
        ("a,b\n1,2\n", {"target": "b", "columns": ["b"]}, "column 'b' is the target"),
        ("a,b\n1,2\n", {"n_features": 3}, "expected 3 columns besides the target, got 2"),
        ("a,b\n1,2\n", {"types": {"z": "numeric"}}, "types= names 'z'"),
        ("a,b\n1,2\n", {"hash_bits": 3}, "format 'csv' has no option 'hash_bits'; it has delimiter"),
        ("a,b\n1,2\n", {"format": "xls"}, "format must be 'auto' or one of csv"),
        ("a,b\n1,2\n", {"names": ["a"]}, "names= gives 1 names, but rows have 2 fields"),
        ("a,b\n1," + "x" * 2000 + "\n", {"target": "b"}, "a label has 2000 characters"),
        ("a,b\n1," + "x" * 200_000 + "\n", {}, "field has more than 131072 characters"),
        (b"\xff\xfea\x00", {}, "UTF-16"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_sentence(text, options, message):
    with pytest.raises(DataError, match=message) as caught:
        read(text, **{"format": "csv", **options})
    assert "\n" not in str(caught.value)


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="must be one of numeric, category"):
        read("a\n1\n", types={"a": "colour"})
    with pytest.raises(ValueError, match="one character"):
        read("a\n1\n", format="csv", delimiter=", ")
    with pytest.raises(ValueError, match="encoding must be one that Python knows"):
        read("a\n1\n", encoding="latin-99")
    with pytest.raises(ValueError, match="chunk_rows"):
        open_table(io.BytesIO(b"a\n1\n"), chunk_rows=0)


def test_a_late_text_among_numbers_is_refused_in_chunks_and_read_at_once(tmp_path):
    path = tmp_path / "late.csv"
    path.write_text("a,b\n" + "1,2\n" * 12_000 + "one,2.5\n")
    with open_table(path, "b") as reader:
        assert len(next(reader).X) == 10_000
        remedy = r"late.csv, line 12002, column 'a': expected a number .* got 'one'; .*types=\{'a': 'category'\}"
        with pytest.raises(DataError, match=remedy):
            list(reader)
    with open_table(path, "b", types={"a": "category", "b": "numeric"}) as reader:
        chunks = list(reader)
    X, y = read_table(path, "b")
    assert X["a"][[0, -1]].tolist() == ["1", "one"] == [chunks[0].X["a"][0], chunks[-1].X["a"][-1]]
    assert y[[0, -1]].tolist() == [2.0, 2.5]
    with pytest.raises(DataError, match="expected a number"):
        read_table(path, "b", types={"a": "numeric"})
    with path.open("rb") as file, pytest.raises(DataError, match="expected a number"):
        read_table(file, "b", types={"a": "numeric"})


@pytest.mark.parametrize("chunk_rows", [1, 2, 3, 100])
def test_chunks_hold_the_same_rows_as_the_whole(chunk_rows):
    text = b"a,b,y\n" + b"".join(b"%d,c%d,%d\n" % (i, i % 3, i % 2) for i in range(10))
    X, y = read(text, "y")
    with open_table(io.BytesIO(text), "y", chunk_rows=chunk_rows) as reader:
        assert (reader.names, reader.format, reader.target, reader.n_features) == (["a", "b"], "csv", "y", 2)
        chunks = list(reader)
    assert [chunk.first_row for chunk in chunks] == list(range(0, 10, chunk_rows))
    assert type(X).concatenate([chunk.X for chunk in chunks]) == X
    assert np.concatenate([chunk.y for chunk in chunks]).tolist() == y.tolist()


def test_progress_is_counted_in_packed_bytes(tmp_path):
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 1000))
    with open_table(path) as reader:
        list(reader)
        assert reader.bytes_read == reader.total_bytes == path.stat().st_size


def test_standard_input(monkeypatch):
    class Stdin:
        buffer = io.BytesIO(b"a,b\n1,2\n")

    monkeypatch.setattr(sys, "stdin", Stdin)
    with open_table("-", "b") as reader:
        assert reader.total_bytes is None
        assert [chunk.y.tolist() for chunk in reader] == [[2]]
    Stdin.buffer = io.BytesIO(b"a,b\n1\n")
    with pytest.raises(DataError, match="standard input, line 2"):
        read_table("-")


def test_sources_that_cannot_be_opened(tmp_path):
    with pytest.raises(DataError, match=r"nothing.csv: no such file; check the path"):
        read_table(tmp_path / "nothing.csv")
    with pytest.raises(DataError, match="is a folder"):
        read_table(tmp_path)
    with pytest.raises(DataError, match="open as text; open it in binary mode"):
        read_table(io.StringIO("a,b\n1,2\n"))
    with pytest.raises(DataError, match="source must be a path"):
        read_table(3)


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("a;b\n1,5;x\n2;y\n", {}, [1.5, 2.0]),
        ("a;b\n1,5;1.5\n2;2.5\n", {}, ["1,5", "2"]),  # points are decimals here
        ("a;b\n1,350;x\n2,500;y\n", {}, ["1,350", "2,500"]),  # perhaps thousands
        ("a;b\n0,350;x\n2,500;y\n", {}, [0.35, 2.5]),  # a thousand does not begin with 0
        ("a;b\n1,350;x\n2,500;y\n", {"decimal": ","}, [1.35, 2.5]),
        ("a;b\n1,350;x\n2,500;y\n", {"types": {"a": "numeric"}}, [1.35, 2.5]),
        ("a;b\n1.350,5;x\n2,5;y\n", {}, [1350.5, 2.5]),  # points between thousands
        ("a;b\n1.350;x\n900,25;y\n12.345.678;z\n", {}, [1350, 900.25, 12345678]),
        ("a;b\n1.350;x\n2.500;y\n", {}, [1.35, 2.5]),
        ("a;b\n1.350;x\n2.500;y\n", {"decimal": ","}, [1350, 2500]),
        ("a;b\n0.350;x\n2.500;y\n", {"decimal": ","}, ["0.350", "2.500"]),  # no number with decimal commas
        ("a;b\n1.35,5;x\n2,5;y\n", {"decimal": ","}, ["1.35,5", "2,5"]),
        ("a;b\n1,5;x\n2;y\n", {"decimal": "."}, ["1,5", "2"]),
        ('a,b\n"1,5",x\n"2,5",y\n', {"decimal": ","}, [1.5, 2.5]),
        ("1,5;2,5;x\n3,5;4,5;y\n", {}, [1.5, 3.5]),  # as many commas as semicolons
        ("a\tb\n1,5\tx\n?\ty\n", {"format": "tsv"}, [1.5, None]),
    ],
)
def test_decimal_commas(text, options, expected):
    X, _ = read_table(io.BytesIO(text.encode()), **{"format": "csv", **options})
    column = X[X.columns[0]]
    found = [None if isinstance(value, float) and np.isnan(value) else value for value in column.tolist()]
    assert found == expected


def test_labels_with_points_between_thousands():
    text = "a;y\n1,5;1.000\n2,5;2.000\n"
    assert read_table(io.BytesIO(text.encode()), format="csv", target="y", decimal=",")[1].tolist() == [1000, 2000]
    types = {"y": "integer"}
    with pytest.raises(DataError, match="expected a whole number as in the rows before, got '1000,5'"):
        read_table(
            io.BytesIO(text.replace("2.000", "1.000,5").encode()), format="csv", target="y", decimal=",", types=types
        )


def test_a_decimal_mark_that_is_none():
    with pytest.raises(ValueError, match=r"decimal must be '\.' or ',', got ';'"):
        read_table(io.BytesIO(b"a;b\n1;2\n"), format="csv", decimal=";")


def test_a_contradiction_shows_the_text_of_the_file():
    text = "a;b\n" + "1,5;x\n" * 12_000 + "1.5;y\n"
    with (
        open_table(io.BytesIO(text.encode()), format="csv") as reader,
        pytest.raises(DataError, match=r"line 12002, column 'a': expected a number .* got '1\.5'"),
    ):
        list(reader)


def test_positions_are_not_names():
    X, y = read_table(io.BytesIO(b"0,1.5\n1,2.5\n0,3.5\n"), "0", format="csv")
    assert (X.columns, y.tolist()) == (["x1"], [0, 1, 0])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["01067", "10115", ""], "category"),
        ([f"{i:05}" for i in range(3000)], "category"),
        (["1", "00", "2"], "category"),
        ([" 01", "10"], "category"),
        (["0", "10", "5"], "numeric"),
        (["0.5", "-0.3", "0"], "numeric"),
        (["01.5", "2.5"], "numeric"),
        (["-01", "-10"], "numeric"),
        (["0e3", "05"], "numeric"),
    ],
)
def test_digits_with_leading_zeros_are_codes(values, kind):
    X, _ = read_table(csv_of(values))
    assert X.dtypes["code"].kind == ("O" if kind == "category" else "f")
    if kind == "category":
        assert X["code"].tolist() == [value or None for value in values]
        declared, _ = read_table(csv_of(values), types={"code": "numeric"})
        assert declared["code"][0] == float(values[0])


def test_labels_with_leading_zeros_stay_as_they_are():
    assert read_table(csv_of(["01", "02", "10"]), target="code")[1].tolist() == ["01", "02", "10"]
    assert read_table(csv_of(["1", "2", "10"]), target="code")[1].tolist() == [1, 2, 10]


def csv_of(values):
    return io.BytesIO(("code;other\n" + "".join(f"{value};x\n" for value in values)).encode())
