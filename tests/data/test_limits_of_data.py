"""Limits of readers, columns and streams, at the last value that is taken and the first that is refused."""

import io

import numpy as np
import pytest

from winnowkit.core.columns import Column
from winnowkit.data import DataError, coders, open_table, read_table, streams
from winnowkit.data.coders import CategoryCoder
from winnowkit.data.column_use import are_row_numbers, is_identifier, is_text, use_of, values_apart, written_number
from winnowkit.data.streams.targets import HalfSpace, Matches

AGES = np.arange(18.0, 80.0)


# --- what a column is used as -----------------------------------------------------------------------------------------


def test_texts_are_more_than_half_different_and_of_three_words_or_more():
    different = [f"it took {i} years" for i in range(10)]
    assert not is_text(different * 2)  # 10 of 20 are different
    assert is_text([*different * 2, "and one more"])
    assert not is_text([*different, *("no" for _ in range(9))])  # 19 values
    three = [f"took {i} years" for i in range(20)]
    assert is_text(three)
    assert not is_text([*three[:-1], "took years"])


def test_texts_may_be_more_than_categories_can_be(monkeypatch):
    monkeypatch.setattr("winnowkit.data.column_use.MAX_CATEGORIES", 10)
    assert not is_text([f"it took {i} years" for i in range(10)] * 9)
    assert is_text([f"it took {i} years" for i in range(11)] * 9)


def test_identifiers_are_fifty_and_repeat_at_most_one_in_ten():
    names = [f"A{i}" for i in range(50)]
    assert is_identifier(names)
    assert not is_identifier(names[:49])
    assert not is_identifier([*names[:49], None])
    assert is_identifier([*names, None])
    assert is_identifier([*names[:45], *names[:5]])
    assert not is_identifier([*names[:44], *names[:6]])
    assert not is_identifier([*names, 7])


def test_row_numbers_fill_half_of_their_range():
    assert are_row_numbers(np.arange(50.0))
    assert not are_row_numbers(np.arange(49.0))
    assert are_row_numbers(np.append(np.arange(49.0), 99.0))  # 50 of 100
    assert not are_row_numbers(np.append(np.arange(49.0), 100.0))
    assert not are_row_numbers(np.append(np.arange(49.0), 48.0))


def test_written_numbers_need_ten_different_ones():
    texts = [f"{price} €" for price in range(10)]
    assert written_number(Column(texts)) == "0 €"
    assert written_number(Column([*texts[:9], *texts[:9]])) is None
    assert written_number(Column([*texts, "free"])) is None  # one is no number


@pytest.mark.parametrize(("n", "use"), [(49, "category"), (50, "constant")])
def test_equal_categories_are_constant_in_fifty_rows(n, use):
    assert use_of("a", Column(["x"] * n)) == use


def test_codes_that_stand_apart_are_frequent_and_few():
    def apart(*codes, rest=AGES, times=5):
        return values_apart(np.concatenate([rest, np.repeat(codes, times)]))

    assert apart(-9.0) == [-9.0]
    assert apart(-9.0, times=4) == []
    assert apart(-5.0, -4.0, -3.0, -2.0, -1.0) == [-5.0, -4.0, -3.0, -2.0, -1.0]
    assert apart(-6.0, -5.0, -4.0, -3.0, -2.0, -1.0) == []
    assert apart(-9.0, rest=AGES[:3]) == [-9.0]
    assert apart(-9.0, rest=AGES[:2]) == []
    assert apart(-9.5) == []
    assert apart(999.0, rest=AGES[:3]) == [999.0]
    assert apart(999.0, rest=AGES[:2]) == []
    assert apart(999.0, times=4) == []
    assert apart(-1.0, rest=[0.0, 1.0, 2.0]) == []  # no farther from the others than these from each other
    assert apart(99.0, rest=[0.0, 20.0, 49.4]) == [99.0]
    assert apart(99.0, rest=[0.0, 20.0, 49.5]) == []
    assert apart(9.0, rest=[0.0, 1.0, 2.0]) == []
    assert apart(999999999999999.0) == [999999999999999.0]
    assert apart(1e16) == apart(np.inf) == []
    assert apart(141.0) == []
    assert apart(99.0, rest=AGES[:20]) == [99.0]
    assert apart(9.0, rest=np.arange(4.0)) == []  # one nine
    assert apart(999_999_999_999_999.0) == [999_999_999_999_999.0]  # below 2^53
    assert apart(9_999_999_999_999_999.0) == []


def test_as_many_categories_as_there_may_be_and_one_more(monkeypatch):
    monkeypatch.setattr(coders, "MAX_CATEGORIES", 3)
    assert CategoryCoder.of("a", Column(["x", "y", "z", "z"])).categories == ["x", "y", "z"]
    assert CategoryCoder.of("a", Column(["w", "x", "y", "z", "z"])).categories == ["w", "x", "z"]


# --- readers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("bits", "taken"), [(0, False), (1, True), (30, True), (31, False)])
def test_bits_of_hashed_columns(bits, taken):
    def read():
        with open_table(io.BytesIO(b"1 | a b\n"), format="vw", hash_bits=bits) as reader:
            return reader.n_features

    if taken:
        assert read() == 2**bits
    else:
        with pytest.raises(ValueError, match=r"hash_bits must be in 1 \.\.\. 30"):
            read()


@pytest.mark.parametrize(("place", "taken"), [(-1, False), (0, True), (2**31 - 2, True), (2**31 - 1, False)])
def test_columns_of_a_vocabulary(place, taken):
    def read():
        with open_table(io.BytesIO(b"1 | a b\n"), format="vw", vocabulary={"a": place}) as reader:
            return next(reader).X.indices.tolist()

    if taken:
        assert read() == [place]
    else:
        with pytest.raises(ValueError, match="vocabulary must not be empty and must give columns in 0"):
            read()


@pytest.mark.parametrize(
    ("number", "taken"), [(2**31 - 2, True), (2**31 - 1, False), (10**17, False), (10**18, False), (10**40, False)]
)
def test_ids_of_snow(number, taken):
    text = b"1, %d:\n" % number
    if taken:
        assert read_table(io.BytesIO(text), format="snow")[0].indices.tolist() == [number]
    else:
        with pytest.raises(DataError, match="is too large; the largest is 2147483646"):
            read_table(io.BytesIO(text), format="snow")


@pytest.mark.parametrize("rows", [9_999, 10_000, 10_001, 20_001])
def test_rows_of_the_sample_and_of_chunks(rows):
    text = b"a,b\n" + b"1,x\n" * rows
    with open_table(io.BytesIO(text), format="csv") as reader:
        assert [len(chunk.y) if chunk.y is not None else chunk.X.shape[0] for chunk in reader] == [
            min(10_000, rows - first) for first in range(0, rows, 10_000)
        ]


# --- streams ----------------------------------------------------------------------------------------------------------


def test_streams_take_shares_from_0_to_1_and_one_row_or_more():
    for noise in (0, 1):
        X, y = streams.disjunction(20, 2, 5, label_noise=noise, seed=0).take(50)
        assert X.shape == (50, 20)
        assert set(y.tolist()) == {0, 1}
    for noise in (-0.01, 1.01):
        with pytest.raises(ValueError, match=r"label_noise must be in \[0, 1\]"):
            streams.disjunction(20, 2, 5, label_noise=noise)
    assert streams.disjunction(20, 2, 5).take(1)[0].shape == (1, 20)
    with pytest.raises(ValueError, match="size must be >= 1"):
        streams.disjunction(20, 2, 5).take(0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda n: streams.monotone_dnf(n=2 + n, terms=1), "n must be an integer >= 3"),
        (lambda n: streams.monotone_dnf(n=5, terms=n), "terms must be an integer >= 1"),
        (lambda n: streams.half_spaces(n=n), "n must be an integer >= 1"),
        (lambda n: streams.disjunction(4, n, 2), "k must be an integer >= 1 and <= 3"),
        (lambda n: streams.threshold(20, n, 3, 10), "r must be an integer >= 1 and <= 3"),
    ],
)
def test_sizes_of_targets(make, message):
    make(1).take(3)
    with pytest.raises(ValueError, match=message):
        make(0)


def test_targets_at_a_tie():
    assert Matches((0, 1), 0.1)(np.array([[1, 1], [1, 0], [0, 0]])).tolist() == [1, 0, 0]
    assert HalfSpace((1, -1))(np.array([[1, 1], [1, -1], [-1, 1]])).tolist() == [1, 1, 0]
    assert str(HalfSpace((1, -1))) == "+-"
