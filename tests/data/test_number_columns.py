"""Numbers as ordered cells and as intervals: codes, special values, and conditions that hold where the codes say."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from winnowkit.data import CategoryEncoder, Frame, MultisplitDiscretizer
from winnowkit.data.coded_table import CodedTable
from winnowkit.data.even_cuts import even_cuts
from winnowkit.data.number_coders import bound_cuts
from winnowkit.rulesets import Condition

NAN = float("nan")


def bounds(**parameters):
    return CategoryEncoder(**{"missing": "ignore", "numbers": "bounds", **parameters})


def naive_code(encoder, value):
    """The code of a number of column 0, by comparing it with each cut and each special value."""
    cuts, n_ordered = encoder.cuts_[0], int(encoder.n_ordered_[0])
    special = sorted(encoder.special["x0"]) if encoder.special else []
    if np.isnan(value):
        return 0
    if value in special:
        return n_ordered + 1 + special.index(value)
    return 1 + sum(value > cut for cut in cuts)


def test_ordered_cells_then_special_values_then_missing():
    X = [[23], [35], [61], [48], [-9], [-8], [None]]
    encoder = bounds(missing="value", special={"x0": [-8, -9]}).fit(X)
    assert encoder.transform(X).ravel().tolist() == [1, 2, 4, 3, 5, 6, 7]
    assert encoder.n_categories_.tolist() == encoder.n_allowed_.tolist() == [7]
    assert encoder.n_ordered_.tolist() == [4]
    assert encoder.n_ordered_.dtype == np.int64
    assert encoder.cuts_[0].tolist() == [30, 40, 50]
    assert encoder.categories_ == [["0 < x0 <= 30", "30 < x0 <= 40", "40 < x0 <= 50", "x0 > 50", -9.0, -8.0, None]]
    assert [encoder.tests(0, code) for code in (4, 5, 7)] == [[(">", 50)], [("=", -9)], [("missing", None)]]
    assert [encoder.describe(0, code) for code in (5, 7)] == ["x0 = -9", "x0 missing"]


def test_numbers_beyond_the_training_range_are_in_the_outermost_cells():
    encoder = bounds().fit([[23], [35], [61], [48]])
    assert encoder.transform([[-1e9], [1e9], [23], [61], [NAN]]).ravel().tolist() == [1, 4, 1, 4, 0]
    assert [encoder.transform_one([value])[0] for value in (-1e9, 1e9, 40.0, 40.5, 40, NAN, None)] == [
        1,
        4,
        2,
        3,
        2,
        0,
        0,
    ]


def test_categories_have_no_order():
    encoder = bounds(categorical=["x2"]).fit([["a", True, 3, 3.5, 0], ["b", False, 4, 4.5, 1]])
    assert encoder.n_ordered_.tolist() == [0, 0, 0, 2, 0]
    assert [cuts.tolist() for cuts in encoder.cuts_] == [[], [], [], [4.0], []]
    with pytest.raises(ValueError, match="column 'x0' has ordered codes 1 to 0, got the range 1 to 2"):
        encoder.tests(0, 1, 2)


def test_an_encoder_alone_takes_intervals():
    X, y = np.arange(2.0, 14.0)[:, None], [0] * 6 + [1] * 6
    auto, intervals = (
        CategoryEncoder(missing="ignore", numbers=numbers).fit(X, y) for numbers in ("auto", "intervals")
    )
    assert auto.categories_ == intervals.categories_ == [["x0 < 7.5", "x0 >= 7.5"]]
    assert auto.n_ordered_.tolist() == [0]
    assert auto.cuts_[0].tolist() == [7.5]
    assert auto.tests(0, 1) == [("<", 7.5)]
    with pytest.raises(ValueError, match="has ordered codes 1 to 0"):
        auto.tests(0, 1, 2)


def test_the_number_of_cuts():
    X = np.random.default_rng(0).normal(size=(500, 2))
    assert bounds().fit(X).n_ordered_.tolist() == [32, 32]
    assert bounds().fit(X, max_cuts=7).n_ordered_.tolist() == [8, 8]
    encoder = bounds()
    codes = encoder.fit_transform(X, max_cuts=1)
    assert codes.max(axis=0).tolist() == [2, 2]
    assert encoder.transform(X).tolist() == codes.tolist()


numbers = st.lists(st.integers(-6, 30).map(float), min_size=5, max_size=60)
others = st.lists(st.integers(-12, 40).map(float), max_size=20)


@settings(max_examples=300, deadline=None)
@given(numbers, others, st.integers(1, 6), st.sets(st.integers(-9, 33).map(float), max_size=3), st.data())
def test_conditions_hold_where_the_codes_are_in_the_range(train, other, max_cuts, special, data):
    encoder = bounds(special={"x0": list(special)}).fit([[value + 0.5] for value in train], max_cuts=max_cuts)
    values = [*(value + 0.5 for value in train), *other, *(value + 0.5 for value in other), *special]
    codes = encoder.transform([[value] for value in values]).ravel().tolist()
    for value, code in zip(values, codes, strict=True):
        assert code in (0, naive_code(encoder, value))
        if code == 0:  # on the far side of a special value outside the range of the others
            assert value < min(train) + 0.5 or value > max(train) + 0.5
        assert encoder.transform_one([value])[0] == code
    n_ordered = int(encoder.n_ordered_[0])
    first = data.draw(st.integers(1, int(encoder.n_categories_[0])))
    last = data.draw(st.integers(first, max(first, n_ordered))) if first <= n_ordered else first
    conditions = [Condition("x0", *test) for test in encoder.tests(0, first, last)]
    for value, code in zip([*values, NAN], [*codes, 0], strict=True):
        assert all(condition.holds(value) for condition in conditions) == (first <= code <= last)


@settings(max_examples=100, deadline=None)
@given(numbers, others, st.sets(st.integers(-9, 33).map(float), max_size=3), st.data())
def test_conditions_hold_where_the_code_is_that_of_an_interval(train, other, special, data):
    discretizer = MultisplitDiscretizer(stop=None, max_intervals=4)
    encoder = CategoryEncoder(missing="ignore", special={"x0": list(special)}, cuts=discretizer)
    encoder.fit([[value + 0.5] for value in train], [int(value) % 2 for value in train])
    values = [*(value + 0.5 for value in train), *other, *(value + 0.5 for value in other), *special]
    codes = encoder.transform([[value] for value in values]).ravel().tolist()
    code = data.draw(st.integers(1, int(encoder.n_categories_[0])))
    conditions = [Condition("x0", *test) for test in encoder.tests(0, code)]
    for value, found in zip([*values, NAN], [*codes, 0], strict=True):
        assert all(condition.holds(value) for condition in conditions) == (found == code)


def test_only_the_sides_that_are_needed():
    encoder = bounds().fit([[20], [30], [40], [50], [60]])
    cuts = encoder.cuts_[0].tolist()
    assert cuts == [20, 30, 40, 50]
    assert encoder.tests(0, 1, 2) == [("<=", 30)]
    assert encoder.tests(0, 3, 5) == [(">", 30)]
    assert encoder.tests(0, 2, 3) == [(">", 20), ("<=", 40)]
    assert encoder.tests(0, 1, 5) == [("present", None)]
    assert [encoder.describe(0, *range_) for range_ in ((1, 2), (3, 5), (2, 3), (1, 5))] == [
        "x0 <= 30",
        "x0 > 30",
        "20 < x0 <= 40",
        "any x0",
    ]


def test_a_special_value_among_the_others_is_excluded_by_name():
    encoder = bounds(special={0: [0.0]}).fit([[-5.5], [-2.5], [0.0], [2.5], [7.5]], max_cuts=1)
    assert encoder.cuts_[0].tolist() == [0]
    assert encoder.tests(0, 1) == [("<=", 0), ("!=", 0)]
    assert encoder.tests(0, 2) == [(">", 0)]
    assert encoder.tests(0, 1, 2) == [("!=", 0)]


def test_a_column_of_special_values_only():
    encoder = bounds(special={"x0": [-9, -8]}).fit([[-9.0], [-8.0], [-9.0], [NAN]])
    assert encoder.n_ordered_.tolist() == [0]
    assert encoder.transform([[-9], [-8], [5], [NAN]]).ravel().tolist() == [1, 2, 0, 0]


@pytest.mark.parametrize(
    ("special", "message"),
    [
        ({"x0": ["a"]}, "special values of column 'x0' must be numbers, got 'a'"),
        ({"x0": [NAN]}, "special values of column 'x0' must be numbers, got nan"),
        ({"x1": [3]}, "special values are for columns of numbers, and column 'x1' holds categories"),
        ({"x2": [3]}, "special values are for columns of numbers, and column 'x2' holds categories"),
    ],
)
def test_special_values_must_be_numbers_of_numeric_columns(special, message):
    with pytest.raises(ValueError, match=message):
        bounds(special=special, categorical=["x2"]).fit([[2.0, "a", 3], [3.0, "b", 4]])


def test_forbidding_numbers():
    rows = [[23, "a"], [35, "b"], [-9, "b"]]
    encoder = bounds(forbid=["x0"]).fit(rows)
    assert encoder.n_allowed_.tolist() == [0, 2]
    assert encoder.transform(rows)[:, 0].tolist() == [0, 0, 0]
    encoder = bounds(forbid=[("x0", -9)], special={"x0": [-9]}).fit(rows)
    assert encoder.n_allowed_.tolist() == [2, 2]
    assert encoder.transform(rows)[:, 0].tolist() == [1, 2, 0]
    with pytest.raises(ValueError, match="column 'x0' holds numbers: forbid the whole column"):
        bounds(forbid=[("x0", 23)]).fit(rows)


def test_most_frequent_cell_of_the_class():
    X, y = [[1.5], [9.5], [9.5], [NAN], [NAN]], [0, 1, 1, 0, 1]
    assert bounds(missing="most_frequent").fit_transform(X, y).ravel().tolist() == [1, 2, 2, 1, 2]


def test_copies_code_alike_and_check_themselves():
    X = Frame({"age": np.array([23.0, 35.0, -9.0, 61.0, NAN])})
    encoder = bounds(missing="value", special={"age": [-9]}).fit(X)
    for twin in (copy.deepcopy(encoder), pickle.loads(pickle.dumps(encoder))):
        assert twin.transform(X).tolist() == encoder.transform(X).tolist()
        assert twin.categories_ == encoder.categories_
        assert twin.tests(0, 2, 3) == encoder.tests(0, 2, 3)
    for name, value in {
        "n_categories_": np.array([2]),
        "n_ordered_": np.array([9]),
        "n_features_in_": 2,
        "n_allowed_": np.array([9]),
    }.items():
        state = {**encoder.__getstate__(), name: value}
        with pytest.raises(ValueError, match="do not agree with its columns"):
            CategoryEncoder().__setstate__(state)
    table = encoder._table
    for name, value, message in (
        ("modes", {0: np.array([99], dtype=np.int32)}, "the most frequent codes of a class must be codes"),
        ("modes", {0: np.array([-1], dtype=np.int32)}, "the most frequent codes of a class must be codes"),
        ("modes", {0: np.array([1, 1], dtype=np.int32)}, "the most frequent codes of a class must be codes"),
        ("names", ["age", "size"], "2 names of 1 columns"),
    ):
        with pytest.raises(ValueError, match=message):
            CodedTable.__new__(CodedTable).__setstate__({**table.__dict__, name: value})
    coder = table.coders[0]
    for cuts in (np.array([2.0, 1.0]), np.array([[1.0]]), np.array([1, 2]), [1.0, 2.0]):
        with pytest.raises(ValueError, match="the cuts of column 'age' must be increasing numbers"):
            type(coder).__new__(type(coder)).__setstate__({**coder.__getstate__(), "cuts": cuts})


def test_bounds_are_cut_where_classes_change_and_nowhere_else_by_the_classes():
    rng = np.random.default_rng(0)
    values = rng.normal(size=3000)
    in_tail = values > 2.2  # 1.4% of the rows: within the last of 32 cells of equally many
    found = bound_cuts(values, in_tail, 31)
    assert ((found > 2.1) & (found < 2.3)).any()
    assert not ((even_cuts(values) > 2.1) & (even_cuts(values) < 2.3)).any()
    assert len(found) <= 31
    noise = rng.random(3000) < 0.3
    np.testing.assert_array_equal(bound_cuts(values, noise, 31), even_cuts(values))


def test_no_label_is_looked_at_while_more_rows_are_to_come():
    values = np.arange(1000.0)[:, None]
    first, second = (
        CategoryEncoder(missing="ignore", numbers="bounds").fit(values, labels, more_to_come=True).cuts_[0]
        for labels in (values[:, 0] > 990, values[:, 0] > 500)
    )
    np.testing.assert_array_equal(first, second)
