"""Readers, columns and streams just at their limits, where a wrong operator changes the result."""

import io
import os
from itertools import islice

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from winnowkit.core.columns import Column
from winnowkit.data import (
    DataError,
    TableEncoder,
    discretize,
    load_dataset,
    open_table,
    read_libsvm,
    read_table,
    streams,
    write_table,
)  # fmt: skip
from winnowkit.data.coded_table import informative
from winnowkit.data.coders import CategoryCoder
from winnowkit.data.column_features import NumberFeatures
from winnowkit.data.discretize import MultisplitDiscretizer
from winnowkit.data.encode import CategoryEncoder
from winnowkit.data.errors import ColumnWarning, shown
from winnowkit.data.even_cuts import even_cuts
from winnowkit.data.formats.kinds import is_integer
from winnowkit.data.formats.source import Source
from winnowkit.data.formats.write import as_frame
from winnowkit.data.number_coders import BoundCoder, _plain, bound_cuts
from winnowkit.data.streams.disjunctions import Distinct


def read(text, **options):
    return read_table(io.BytesIO(text), format="csv", **options)[0]


# --- messages ---------------------------------------------------------------------------------------------------------


def test_forty_characters_are_shown_whole():
    assert shown("x" * 40) == repr("x" * 40)
    assert shown("x" * 41) == repr("x" * 40) + "..."


@pytest.mark.parametrize("width", [10, 11])
def test_ten_columns_are_named_in_a_message(width):
    names = [f"name{j}" for j in range(width)]
    text = ",".join(names) + "\n" + ",".join("1" * width) + "\n"
    with pytest.raises(DataError, match=rf"the columns are {', '.join(names[:10])}{', [.]{3}' * (width > 10)}$"):
        read(text.encode(), columns=["zzz"])
    with pytest.raises(DataError, match=rf"types= names 'zzz', but the columns are {', '.join(names[:10])}$"):
        read(text.encode(), types={"zzz": "category"})


def test_one_field_and_two():
    with pytest.raises(DataError, match="the row has 1 field, but the first row has 2"):
        read(b"a,b\n1,2\n3\n")
    with pytest.raises(DataError, match="gives 1 names, but rows have 2 fields"):
        read(b"1,2\n3,4\n", names=["a"])


def test_a_mark_of_the_byte_order_is_one_at_the_beginning_only():
    rows = [b"abcde,1\n"] * (2**17 + 1)  # a megabyte, and a row that begins a block of its own
    rows[-1] = "\ufeffab,1\n".encode()
    found = read(b"".join(rows), header=False)["x0"]
    assert (len(found), found[-1]) == (2**17 + 1, "\ufeffab")
    assert read("\ufeffab,1\n".encode(), header=False)["x0"].tolist() == ["ab"]


def test_what_to_do_about_a_row_of_another_length():
    with pytest.raises(DataError, match="delete lines above the names"):
        read(b"My table\na,b\n1,2\n3,4\n")
    with pytest.raises(DataError, match="fix it, or quote fields that contain the delimiter"):
        read(b"a,b\n1,2\n3,4,5\n")


def test_a_bad_byte_at_the_very_end():
    with pytest.raises(DataError, match="byte 0xff"):
        read(b"a,b\n1,\xff")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"a;b\n1,5;2,5\n", "fields between semicolons, decimal commas, names in the first line"),
        (b"a;b\n1.5;2.5\n", "fields between semicolons, names in the first line"),
    ],
)
def test_how_a_table_is_read(text, said):
    with open_table(io.BytesIO(text), format="csv") as reader:
        assert reader.dialect == said


# --- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["1_0", "\u0661\u0662", "\uff11"])  # Python's float would take them for numbers
def test_numbers_that_only_python_knows_are_text(field):
    assert read(f"a,b\n1,x\n{field},y\n".encode())["a"].tolist() == ["1", field]
    with pytest.raises(DataError, match="expected a number"):
        read(f"a,b\n1,x\n{field},y\n".encode(), types={"a": "numeric"})


def test_whole_numbers_are_written_without_a_point_where_floats_are_exact():
    assert str(_plain(2.0**53 - 1)) == "9007199254740991"
    assert str(_plain(2.0**53)) == "9007199254740992.0"
    assert str(_plain(-(2.0**53) + 1)) == "-9007199254740991"


def test_of_two_equally_even_cuts_the_lower_is_taken():
    assert even_cuts(np.array([0.0, 1.0, 1.0, 2.0]), 1).tolist() == even_cuts(np.array([0.0, 1.0]), 1).tolist()


def test_a_number_that_equals_a_bound_is_not_above_it():
    age = NumberFeatures("age", Column([20.0, 30.0, 40.0], "number"))
    at = dict(zip(age.names, age.transform(Column([30.0], "number")).toarray()[0].tolist(), strict=True))
    assert at == {"age": 0.5, "age > 20": 1.0, "age > 30": 0.0, "age <= 20": 0.0, "age <= 30": 1.0}


def test_numbers_that_are_all_equal_and_numbers_less_than_one_apart():
    same = NumberFeatures("age", Column([30.0, 30.0], "number"))
    assert same.transform(Column([29.0, 30.0, 31.0], "number")).toarray().tolist() == [[0.0], [1.0], [1.0]]
    share = NumberFeatures("share", Column([0.0, 0.5], "number"))
    assert share.transform(Column([0.0, 0.125, 0.5], "number")).toarray().tolist() == [[0.0], [0.25], [1.0]]


def test_cells_are_divided_between_the_numbers_on_both_sides_of_a_frequent_one():
    ages = np.concatenate([np.arange(10.0), np.full(30, 10.0), np.arange(11.0, 21.0)])
    assert even_cuts(ages, 4).tolist() == [4.0, 9.0, 10.0, 15.0]
    assert even_cuts(ages, 6).tolist() == [2.0, 5.0, 9.0, 10.0, 13.0, 16.0]


def test_the_classes_are_looked_at_where_one_number_has_no_cell_of_its_own():
    ages = np.repeat(np.arange(6.0), 10)
    assert even_cuts(ages, 4).tolist() == [0.0, 1.0, 2.0, 3.0]
    assert 4.0 in bound_cuts(ages, ages > 4.0, 4)


@pytest.mark.parametrize(("max_cuts", "by_class"), [(2, 1), (3, 1), (4, 2)])
def test_at_most_half_of_the_cuts_are_found_by_the_classes(max_cuts, by_class):
    ages = np.arange(1000.0) / 10
    cuts = bound_cuts(ages, (ages > 24.05) & (ages <= 97.25), max_cuts)
    assert len(cuts) == max_cuts
    assert len({24.0, 97.2} & set(cuts.tolist())) == by_class


@pytest.mark.parametrize(("most", "n_blocks"), [(2, 2), (3, 3)])
def test_as_many_blocks_as_there_may_be_are_left_as_they_are(most, n_blocks, monkeypatch):
    monkeypatch.setattr(discretize, "MAX_BLOCKS", most)
    labels = [0] * 10 + [1, 0]  # even groups of rows would join the last two blocks
    assert len(discretize._blocks(np.arange(12.0), np.array(labels)).first) == n_blocks


@pytest.mark.parametrize(
    "cuts", [[1.0, 2.0], np.array([1, 2]), np.array([[1.0, 2.0]]), np.array([2.0, 1.0]), np.array([1.0, 1.0])]
)
def test_restored_bounds_are_increasing_numbers(cuts):
    age = NumberFeatures("age", Column([20.0, 30.0, 40.0], "number"))
    with pytest.raises(ValueError, match="must be increasing numbers"):
        age.__setstate__({**age.__dict__, "cuts": cuts})


@pytest.mark.parametrize("n_classes", [2, 3])
def test_absence_that_tells_two_classes_apart_need_not_tell_three_apart(n_classes):
    """Twice the log of the likelihood ratio is 7.3: its 1% level is 6.6 for two classes, and 9.2 for three."""
    absent = np.concatenate([np.arange(50) < k for k in (20, 8, 13)[:n_classes]])
    labels = np.repeat(np.arange(n_classes), 50)
    assert informative(absent[:, None], labels).tolist() == [n_classes == 2]


def test_the_first_category_has_a_code():
    encoder = CategoryEncoder().fit([["a"], ["b"]] * 5, [0, 1] * 5)
    assert [encoder._table.code_of("x0", value) for value in ("a", "b")] == [(0, 1), (0, 2)]
    with pytest.raises(ValueError, match="has no category 'c'"):
        encoder._table.code_of("x0", "c")


def test_two_letters_in_capitals_are_another_spelling_and_one_is_not():
    states = CategoryCoder.of("state", Column(["ny", "la", "b"]))
    with pytest.warns(ColumnWarning, match="holds 'NY', which was not there in training, although 'ny' was"):
        assert states.codes(Column(["NY", "la"])).tolist() == [-1, 2]
    assert states.codes(Column(["B", "la"])).tolist() == [-1, 2]  # no warning


def test_special_values_are_for_columns_of_numbers():
    rows = [[-9.0, "a"], [1.0, "b"], [2.0, "a"]]
    assert "x0 = -9" in TableEncoder(special={0: [-9]}).fit(rows).get_feature_names_out()
    with pytest.raises(ValueError, match="special values are for columns of numbers, and column 'x1' holds none"):
        TableEncoder(special={1: [-9]}).fit(rows)


def test_a_special_value_next_to_the_smallest_number():
    numbers = [0.0, 5e-324, 1.0, 2.0]
    coder = BoundCoder("size", np.array(numbers), 3, special=[0.0])
    assert coder.codes(Column(numbers, "number")).tolist() == [4, 1, 2, 3]
    assert coder.describe(1) == "0 < size <= 0.5"


def test_the_discretizer_says_that_it_needs_labels_and_takes_gaps():
    tags = MultisplitDiscretizer().__sklearn_tags__()
    assert tags.target_tags.required
    assert tags.input_tags.allow_nan


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_long_table_of_one_line():
    assert read(b";".join([b"12"] * 20_000) + b"\n", header=False).shape == (1, 20_000)


def test_a_row_whose_first_field_is_blank():
    assert read(b"a,b\n1,2\n ,3\n").shape == (2, 2)
    assert read(b"a\nx\n \ny\n").shape == (2, 1)


def test_blank_fields_after_the_last_column_are_no_columns():
    rows = b"a,b,,\n" + b"1,2,,\n" * 10_001
    assert read(rows).shape == (10_001, 2)
    with pytest.raises(DataError, match="line 10003: the row has 4 fields, but the first row has 2"):
        read(rows + b"1,2,,3\n")


@pytest.mark.parametrize(("X", "what"), [(np.empty((0, 2)), "sample"), (np.empty((2, 0)), "feature")])
def test_empty_tables_are_refused_in_the_words_of_scikit_learn(X, what):
    with pytest.raises(ValueError, match=rf"Found array with 0 {what}\(s\)"):
        TableEncoder().fit(X)


def test_bytes_are_counted_and_a_file_that_shrinks_is_noticed(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(b"1,2\n" * 1_000_000)
    with Source(path) as source:
        assert sum(map(len, source.pieces())) == source.bytes_read == source.total_bytes == 4_000_000
    with Source(path) as source:
        pieces = source.pieces()
        next(pieces)
        os.truncate(path, 2_000_000)
        with pytest.raises(DataError, match="ends at byte 2000000 of 4000000: it was truncated"):
            list(pieces)


@pytest.mark.parametrize("place", [9_998, 9_999, 10_000])
def test_kinds_are_inferred_from_ten_thousand_rows(place):
    rows = ["1"] * 10_002
    rows[place] = "x"
    with open_table(io.BytesIO(("a,b\n" + "".join(f"{row},0\n" for row in rows)).encode()), format="csv") as reader:
        if place < 10_000:
            assert sum(len(chunk.X) for chunk in reader) == len(rows)
        else:
            with pytest.raises(DataError, match=f"line {place + 2}.*expected a number"):
                list(reader)


def test_as_many_columns_as_a_text_file_may_have(tmp_path):
    with pytest.raises(DataError, match="X has 1,000,001 columns"):
        write_table(csr_matrix((1, 1_000_001)), None, tmp_path / "wide.csv")


def test_rows_of_libsvm_are_as_many_as_lines_in_a_file_of_several_blocks():
    X, y = read_libsvm(io.BytesIO(b"1 1:1\n-1\n" * 300_000))
    assert X.shape == (600_000, 1)
    assert X.nnz == 300_000
    assert y.sum() == 0


@pytest.mark.parametrize("zero_based", [False, True, "auto"])
def test_columns_of_a_libsvm_file_are_counted_beforehand(zero_based, tmp_path):
    path = tmp_path / "rows.libsvm"
    path.write_bytes(b"1 1:1\n-1 7:2\n")
    with open_table(path, format="libsvm", zero_based=zero_based) as reader:
        assert reader.n_features == (8 if zero_based is True else 7)
        assert next(reader).X.shape == (2, reader.n_features)


def test_whole_numbers_beside_text_stay_numbers():
    frame = as_frame([["a", 1, True], ["b", 2, None]])
    assert frame.dtypes == {"x0": object, "x1": np.float64, "x2": object}
    with_a_gap = as_frame([["a", 1], ["b", None]])
    assert with_a_gap.dtypes == {"x0": object, "x1": np.float64}
    np.testing.assert_array_equal(with_a_gap["x1"], [1.0, np.nan])


def test_numbers_and_booleans_of_a_frame_stay_numbers():
    pa = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    file = io.BytesIO()
    columns = {"text": pa.array(["1.5", None]), "flag": pa.array([True, None])}
    feather.write_feather(pa.table(columns), file, compression="uncompressed")
    X, _ = read_table(io.BytesIO(file.getvalue()), types={"text": "numeric"})
    assert X.dtypes == {"text": np.float64, "flag": object}
    np.testing.assert_array_equal(X["text"], [1.5, np.nan])


def test_the_row_of_a_missing_label_is_counted_over_all_chunks():
    pa = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    file = io.BytesIO()
    feather.write_feather(pa.table({"a": [1, 2, 3, 4, 5], "y": ["u", "v", "u", None, "v"]}), file)
    with open_table(io.BytesIO(file.getvalue()), target="y", chunk_rows=2) as reader:
        assert next(reader).first_row == 0
        with pytest.raises(DataError, match="the label of row 4 is missing"):
            next(reader)
    with open_table(io.BytesIO(file.getvalue()), chunk_rows=2) as reader:
        assert [chunk.first_row for chunk in reader] == [0, 2, 4]


def test_entries_that_a_matrix_holds_twice_are_written_once(tmp_path):
    twice = csr_matrix((np.array([1.0, 2.0, 4.0]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    write_table(twice, np.array([1]), tmp_path / "rows.libsvm")
    assert (tmp_path / "rows.libsvm").read_text().split() == ["1", "1:2", "3:5"]
    assert twice.nnz == 3  # the caller's matrix is as it was


def test_a_bundled_table_says_what_it_holds():
    assert "435 rows; columns: 16 nominal" in load_dataset("voting").DESCR


@pytest.mark.parametrize("text", ["1 | a\n-1 | b\n1 | c\n", "0, 1:\n1, 2:\n0, 3:\n"])
def test_rows_before_a_chunk_are_counted(text):
    size = {"hash_bits": 5} if "|" in text else {"n_features": 4}
    with open_table(io.BytesIO(text.encode()), format="vw" if "|" in text else "snow", chunk_rows=1, **size) as reader:
        assert [chunk.first_row for chunk in reader] == [0, 1, 2]


def test_a_tag_touches_the_bar_or_has_a_quote():
    with open_table(io.BytesIO(b"1 2 tag| a\n1 3 'other | a\n1 4| a\n1 5 | a\n"), format="vw") as reader:
        (chunk,) = reader
    assert chunk.tags == ["tag", "other", "4", ""]
    assert chunk.weights.tolist() == [2, 3, 1, 5]


def test_fields_between_spaces_are_as_many_in_each_row_and_a_column_holds_numbers():
    assert read(b"a b c\nx 1 u\ny 2 v\n").columns == ["a", "b", "c"]
    assert read(b"a b c\nx y u\n1 2 v\n").columns == ["a b c"]
    assert read(b"a b c\nx 1 u\ny 2 v w\n").columns == ["a b c"]


def test_a_second_line_of_which_only_the_beginning_is_looked_at():
    """In as much of it as is looked at, it has the same number of commas as the first line, but fewer semicolons."""
    row = b"1,5;2,5" + b";12" * 20_000 + b";3,5" * 2 + b"\n"
    with open_table(io.BytesIO(row[:-9] + b";12;12\n" + row), format="csv", header=False) as reader:
        assert reader.n_features == 20_004


def test_names_that_occur_twice_before_blank_fields():
    with pytest.raises(DataError, match="line 1: two columns are named 'a'"):
        read(b"a,a,,\n1,2,,\n")


def test_whole_numbers_of_64_bits():
    assert is_integer(str(2**63 - 1))
    assert not is_integer(str(2**63))
    labels = read_table(io.BytesIO(f"a,y\n1,{2**63}\n2,7\n".encode()), target="y", format="csv")[1]
    assert labels.tolist() == [2.0**63, 7.0]


@pytest.mark.parametrize(("labels", "kind"), [([1, 2], "integer"), ([1.5, 2.0], "numeric"), (["u", "v"], "{u,v}")])
def test_the_kind_of_the_labels_in_arff(labels, kind, tmp_path):
    write_table(np.eye(2), labels, tmp_path / "rows.arff", target="y")
    assert f"@attribute y {kind}\n" in (tmp_path / "rows.arff").read_text()


def test_labels_of_many_digits_in_libsvm():
    texts = ["0.1234567890123456789", "1", "-2.1234567890123456789", "3.1234567890123456789"]
    _, y = read_libsvm(io.BytesIO("".join(f"{text} 1:1\n" for text in texts).encode()))
    assert y.tolist() == [float(text) for text in texts]


@pytest.mark.parametrize("at_once", [20, 100, 1000])
def test_a_libsvm_file_that_is_longer_than_what_is_read_at_once(at_once, tmp_path, monkeypatch):
    monkeypatch.setattr("winnowkit.data.formats.source.BLOCK_BYTES", at_once)
    path = tmp_path / "rows.libsvm"
    path.write_text("".join(f"{i} 1:{i}\n" for i in range(300)))
    X, y = read_libsvm(path)
    assert X.toarray().ravel().tolist() == y.tolist() == list(range(300))


def test_the_longest_example_of_snow_may_follow_another_one():
    """The text before the line on which an example ends counts: here seven characters."""
    text, options = b"0,\n1:\n0,\n1,\n2:\n", {"format": "snow", "n_features": 3}
    for most in (6, 7):
        with open_table(io.BytesIO(text), max_line_bytes=most, **options) as reader:
            if most == 7:
                assert [chunk.X.shape for chunk in reader] == [(2, 3)]
            else:
                with pytest.raises(DataError, match="an example is longer than 6 bytes"):
                    list(reader)


def test_no_column_is_allowed_in_libsvm():
    with pytest.raises(DataError, match="index 1 is too large for 0 columns counted from 1; pass n_features=1"):
        read_libsvm(io.BytesIO(b"1 1:1\n"), 0)


# --- streams ----------------------------------------------------------------------------------------------------------


def test_chunks_have_the_size_that_was_asked_for_across_blocks():
    chunks = list(islice(streams.disjunction(20, 2, 5).chunks(1500), 6))
    assert [len(y) for _, y in chunks] == [X.shape[0] for X, _ in chunks] == [1500] * 6


def test_half_of_the_literals_are_negated():
    negated = streams.disjunction(2000, 900, 950, negations=True, seed=0).target.negated
    assert 450 - 75 < len(negated) < 450 + 75  # five standard errors


def test_streams_begin_with_seed_0():
    made = [
        streams.disjunction(20, 2, 5), streams.threshold(20, 2, 3, 5), streams.monotone_dnf(n=5, terms=1),
        streams.bernoulli(9, 3, 0.1), streams.half_spaces(9),
    ]  # fmt: skip
    assert [stream.seed for stream in made] == [0] * 5
    assert all(len(stream.take(3)[1]) == 3 for stream in made)


def test_no_attribute_is_added_where_the_literals_are_all_that_is_active():
    X, _ = streams.disjunction(20, 3, active=3, seed=1).take(500)
    assert set(np.diff(X.indptr).tolist()) == {3}
    assert (X[:, list(streams.disjunction(20, 3, active=3, seed=1).target.variables)].sum(axis=1) == 3).any()


def test_the_first_and_the_last_attribute_by_the_law_of_zipf():
    n, rows = 9, 20_000
    pool = Distinct(np.arange(n, dtype=np.int32), "zipf", absent=n)
    drawn = pool.draw(np.random.default_rng(0), np.ones(rows, int), np.full((rows, 0), n, dtype=np.int32), width=1)
    chances = 1 / np.arange(1, n + 1)
    chances /= chances.sum()
    found = np.bincount(drawn.ravel(), minlength=n) / rows
    off = np.abs(found - chances) / np.sqrt(chances * (1 - chances) / rows)
    assert off.max() < 5  # standard errors
    assert abs(found[-1] - 2 * chances[-1]) > 10 * np.sqrt(chances[-1] / rows)  # it could tell
