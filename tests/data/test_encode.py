import copy
import datetime
import pickle
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError

from winnowkit.data import Frame, MultisplitDiscretizer, load_dataset
from winnowkit.data.encode import CategoryEncoder

NAN = float("nan")
ROWS = [["sunny", 3, True], ["rain", 1, False], ["?", 3, True], ["sunny", 2, False]]
CODES = [[2, 3, 2], [1, 1, 1], [0, 3, 2], [2, 2, 1]]
Y = np.array(["no", "yes", "yes", "no"])


def frame():
    return pd.DataFrame(ROWS, columns=["outlook", "size", "windy"])


TABLES = {
    "lists": ROWS,
    "tuples": tuple(map(tuple, ROWS)),
    "rows of arrays": [np.array(row, dtype=object) for row in ROWS],
    "objects": np.array(ROWS, dtype=object),
    "fortran": np.asfortranarray(np.array(ROWS, dtype=object)),
    "None": np.array([[None if v == "?" else v for v in row] for row in ROWS], dtype=object),
    "NaN": np.array([[NAN if v == "?" else v for v in row] for row in ROWS], dtype=object),
    "float64 NaN": np.array([[np.float64("nan") if v == "?" else v for v in row] for row in ROWS], dtype=object),
    "NA": np.array([[pd.NA if v == "?" else v for v in row] for row in ROWS], dtype=object),
    "NaT": np.array([[pd.NaT if v == "?" else v for v in row] for row in ROWS], dtype=object),
    "numpy NaT": np.array([[np.datetime64("NaT", "s") if v == "?" else v for v in row] for row in ROWS], dtype=object),
    "pandas": frame(),
    "pandas objects": frame().astype(object),
    "pandas categories": frame().replace({"outlook": {"?": None}}).astype("category"),
    "pandas nullable": frame().replace({"outlook": {"?": None}}).convert_dtypes(),
    "pandas nullable, typed": pd.DataFrame(
        {
            "outlook": pd.array(["sunny", "rain", None, "sunny"], dtype="string"),
            "size": pd.array([3, 1, 3, 2], dtype="Int8"),
            "windy": pd.array([True, False, True, False], dtype="boolean"),
        }
    ),
    "pandas arrow": frame().replace({"outlook": {"?": None}}).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame(ROWS, schema=["outlook", "size", "windy"], orient="row"),
    "polars categories": lambda: pl.DataFrame(
        {"outlook": ["sunny", "rain", None, "sunny"], "size": [3, 1, 3, 2], "windy": [True, False, True, False]},
        schema={"outlook": pl.Categorical, "size": pl.Int16, "windy": pl.Boolean},
    ),
    "polars enum": lambda: pl.DataFrame(
        {"outlook": ["sunny", "rain", None, "sunny"], "size": [3, 1, 3, 2], "windy": [True, False, True, False]},
        schema={"outlook": pl.Enum(["sunny", "overcast", "rain"]), "size": pl.Int64, "windy": pl.Boolean},
    ),
}


def made(table):
    """Make a table where it is a function: threads of polars, once begun, would be missing in the forks of tools/."""
    return table() if callable(table) else table


@pytest.mark.parametrize("kind", TABLES)
def test_every_kind_of_table_gives_the_same_codes(kind):
    encoder = CategoryEncoder(missing="ignore", categorical=[1])
    codes = encoder.fit_transform(made(TABLES[kind]), Y)
    assert codes.tolist() == CODES
    assert codes.dtype == np.int32
    assert codes.flags.c_contiguous
    assert encoder.categories_ == [["rain", "sunny"], [1, 2, 3], [False, True]]
    assert encoder.n_categories_.tolist() == [2, 3, 2]
    for other in TABLES.values():
        assert encoder.transform(made(other)).tolist() == CODES


@pytest.mark.parametrize(
    ("array", "codes"),
    [
        (np.array([[5, 7], [3, 7]]), [[2, 1], [1, 1]]),
        (np.array([[5, 7], [3, 7]], dtype=np.uint8), [[2, 1], [1, 1]]),
        (np.array([[True, False], [False, False]]), [[2, 1], [1, 1]]),
        (np.array([["b", "?"], ["a", "x"]]), [[2, 0], [1, 1]]),
        (np.array([[b"b", b"y"], [b"a", b"x"]]), [[2, 2], [1, 1]]),
    ],
)
def test_typed_arrays(array, codes):
    encoder = CategoryEncoder(missing="ignore", categorical=[0, 1])
    assert encoder.fit_transform(array).tolist() == codes
    assert encoder.transform(array.astype(object)).tolist() == codes


def test_hashable_values_are_categories():
    rows = [[None, (1, 2)], ["a", (0, 1)]]
    encoder = CategoryEncoder(missing="ignore")
    assert encoder.fit_transform(rows).tolist() == [[0, 2], [1, 1]]


DAYS = ["2020-01-02", "NaT", "2020-01-01"]


@pytest.mark.parametrize(
    "X",
    [
        np.array(DAYS, dtype="M8[ns]")[:, None],
        np.array(DAYS, dtype="M8[D]")[:, None],
        np.array([[1], [2]], dtype="m8[s]"),
        pd.DataFrame({"x0": pd.to_datetime(DAYS)}),
        pd.DataFrame({"x0": pd.to_datetime(DAYS)}).astype(object),
        pd.DataFrame({"x0": pd.Series([datetime.date(2020, 1, 1), None], dtype="date32[pyarrow]")}),
        lambda: pl.DataFrame({"x0": [datetime.datetime(2020, 1, 1), None]}),
        lambda: pl.DataFrame({"x0": [datetime.timedelta(days=1), None]}),
        [[datetime.date(2020, 1, 1)], [None]],
        [[datetime.time(12)], ["noon"]],
    ],
)
def test_dates_are_no_categories(X):
    with pytest.raises(ValueError, match=r"column 'x0' holds dates or times, .* or leave the column out"):
        CategoryEncoder(missing="ignore", categorical=[0]).fit(made(X))


@pytest.mark.parametrize("X", [np.array([[1], [2]], dtype="m8[s]"), [[datetime.time(12)], ["noon"]]])
def test_durations_and_times_of_day_are_refused(X):
    with pytest.raises(ValueError, match=r"turn durations and times of day into numbers"):
        CategoryEncoder(missing="ignore", numbers="bounds").fit(X)


def test_values_that_cannot_be_compared_get_an_order_of_their_own():
    rows = [["a"], [1], [("t",)], [None], [2]]
    encoder = CategoryEncoder(missing="ignore").fit(rows)
    assert encoder.categories_ == [[1, 2, "a", ("t",)]]
    assert CategoryEncoder(missing="ignore").fit(rows[::-1]).categories_ == encoder.categories_


def test_unseen_categories_are_missing():
    encoder = CategoryEncoder(missing="ignore", categorical=[1]).fit(ROWS)
    assert encoder.transform([["snow", 9, None]]).tolist() == [[0, 0, 0]]
    assert encoder.transform([["snow", 9, None]]).tolist() == [[0, 0, 0]]  # and stay so


def test_missing_as_a_value_only_where_fit_saw_it():
    encoder = CategoryEncoder(missing="value", categorical=[1])
    assert encoder.fit_transform(ROWS).tolist() == [[2, 3, 2], [1, 1, 1], [3, 3, 2], [2, 2, 1]]
    assert encoder.n_categories_.tolist() == [3, 3, 2]
    assert encoder.categories_[0] == ["rain", "sunny", None]
    assert encoder.transform([[None, None, NAN], ["snow", 9, True]]).tolist() == [[3, 0, 0], [0, 0, 2]]
    assert encoder.transform_one([None, None, NAN]).tolist() == [3, 0, 0]
    assert encoder.transform_one(["snow", 9, True]).tolist() == [0, 0, 2]
    assert encoder.describe("x0", 3) == "x0 missing"


def test_missing_numbers_as_a_value():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [NAN]] * 3)
    y = np.array([0, 0, 1, 1, 0] * 3)
    encoder = CategoryEncoder(missing="value")
    assert encoder.fit_transform(X, y)[:5].ravel().tolist() == [1, 1, 2, 2, 3]
    assert encoder.categories_ == [["x0 < 2.5", "x0 >= 2.5", None]]


def test_most_frequent_of_the_class_in_training_rows_only():
    X = [["a", 1], ["a", 2], ["b", 2], [None, 1], ["b", 1], [None, None], ["b", None]]
    y = [0, 0, 0, 0, 1, 1, 1]
    encoder = CategoryEncoder(missing="most_frequent", categorical=[1])
    trained = encoder.fit_transform(X, y)
    assert trained.tolist() == [[1, 1], [1, 2], [2, 2], [1, 1], [2, 1], [2, 1], [2, 1]]
    assert encoder.transform(X)[3:].tolist() == [[0, 1], [2, 1], [0, 0], [2, 0]]
    assert encoder.transform([[None, None]] * 3, [0, 1, 2]).tolist() == [[1, 1], [2, 1], [0, 0]]  # class 2 is new
    assert encoder.transform_one([None, None], 1).tolist() == [2, 1]
    assert encoder.transform_one([None, None]).tolist() == [0, 0]
    assert encoder.n_categories_.tolist() == [2, 2]


def test_most_frequent_where_a_class_has_no_value():
    encoder = CategoryEncoder(missing="most_frequent")
    assert encoder.fit_transform([["a"], [None]], [0, 1]).tolist() == [[1], [0]]


def test_numbers_are_cut_and_declared_codes_are_not():
    rows = [[1.0, 1, "u"], [2.0, 2, "v"], [3.0, 3, "u"], [4, 4, "v"]] * 4
    y = [0, 0, 1, 1] * 4
    encoder = CategoryEncoder(missing="ignore", categorical=[1]).fit(rows, y)
    assert encoder.n_categories_.tolist() == [2, 4, 2]
    assert [encoder.describe(0, code) for code in range(3)] == ["x0 unspecified", "x0 < 2.5", "x0 >= 2.5"]
    codes = encoder.transform([[2.4, 1, "u"], [2.5, 1, "u"], [None, 9, "?"], ["2.6", 1, "u"]])
    assert codes.tolist() == [[1, 1, 1], [2, 1, 1], [0, 0, 0], [2, 1, 1]]
    for row, expected in zip([[2.4, 1, "u"], [None, 9, "?"], [3, 1, "u"], [NAN, 1, "v"]], [1, 0, 2, 0], strict=True):
        assert encoder.transform_one(row)[0] == expected


@pytest.mark.parametrize("dtype", ["float64", "float32", "Float64", "double[pyarrow]", "object"])
def test_floating_columns_of_pandas(dtype):
    values = [1.5, 2.5, None, 3.5, 4.5] * 3
    X = pd.DataFrame({"length": pd.Series(values, dtype=dtype), "letter": list("abcde") * 3})
    encoder = CategoryEncoder(missing="ignore").fit(X, [0, 0, 0, 1, 1] * 3)
    assert encoder.describe("length", 1) == "length < 3"
    assert encoder.transform(X)[:5, 0].tolist() == [1, 1, 0, 2, 2]


@pytest.mark.parametrize("dtype", [pl.Float64, pl.Float32])
def test_floating_columns_of_polars(dtype):
    X = pl.DataFrame({"length": [1.5, 2.5, None, 3.5, NAN] * 3}, schema={"length": dtype})
    assert CategoryEncoder(missing="ignore").fit_transform(X, [0, 0, 0, 1, 1] * 3)[:5, 0].tolist() == [1, 1, 0, 2, 0]


def test_pandas_categories_of_numbers_are_categories():
    X = pd.DataFrame({"a": pd.Categorical([1, None, 2]), "b": pd.Categorical([1.5, None, 2.5])})
    encoder = CategoryEncoder(missing="ignore").fit(X)
    assert encoder.categories_ == [[1, 2], [1.5, 2.5]]
    assert encoder.transform(X).tolist() == [[1, 1], [0, 0], [2, 2]]


def test_numbers_mixed_with_other_values_are_categories_but_not_with_missing_values():
    rows = [[2, 1.5, NAN], [4, "x", None], [NAN, None, NAN]] * 5
    encoder = CategoryEncoder(missing="ignore").fit(rows, [0, 1, 1] * 5)
    assert encoder.categories_ == [["x0 < 3", "x0 >= 3"], [1.5, "x"], []]
    assert encoder.transform(rows)[:3].tolist() == [[1, 1, 0], [2, 2, 0], [0, 0, 0]]


AGES = [20, 30, 40, 50] * 3
NUMBERS = {
    "lists": [[age] for age in AGES],
    "decimals": [[Decimal(age)] for age in AGES],
    "fractions": [[Fraction(age)] for age in AGES],
    "int64": np.array(AGES)[:, None],
    "uint8": np.array(AGES, dtype=np.uint8)[:, None],
    "float32": np.array(AGES, dtype=np.float32)[:, None],
    "objects": np.array(AGES, dtype=object)[:, None],
    "frame": Frame({"x0": np.array(AGES, dtype=float)}),
    "pandas": pd.DataFrame({"x0": AGES}),
    "pandas nullable": pd.DataFrame({"x0": pd.array(AGES, dtype="Int16")}),
    "pandas arrow": pd.DataFrame({"x0": pd.array(AGES, dtype="int32[pyarrow]")}),
    "polars": pl.DataFrame({"x0": AGES}),
    "polars decimals": lambda: pl.DataFrame({"x0": AGES}, schema={"x0": pl.Decimal(10, 2)}),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_integers_are_numbers_in_every_kind_of_table(kind):
    for more in ({}, {"numbers": "bounds"}):
        encoder = CategoryEncoder(missing="ignore", **more).fit(made(NUMBERS[kind]), [0, 0, 1, 1] * 3)
        assert encoder.transform([[20], [35], [90], [None]]).ravel().tolist() == (
            [1, 3, 4, 0] if more else [1, 2, 2, 0]
        )
        assert encoder.describe("x0", 2) == ("20 < x0 <= 30" if more else "x0 >= 35")


@pytest.mark.parametrize("dtype", ["Int64", "int64[pyarrow]", "object"])
def test_missing_integers_do_not_make_categories(dtype):
    X = pd.DataFrame({"age": pd.array([*AGES, None], dtype=dtype)})
    encoder = CategoryEncoder(missing="ignore").fit(X, [0, 0, 1, 1] * 3 + [0])
    assert encoder.describe("age", 1) == "age < 35"
    assert encoder.transform(X)[-1] == 0
    assert (
        CategoryEncoder(missing="ignore").fit(pl.from_pandas(X), [0, 0, 1, 1] * 3 + [0]).describe("age", 1)
        == "age < 35"
    )


@pytest.mark.parametrize("dtype", [int, float, object])
def test_zeros_and_ones_are_categories(dtype):
    X = np.array([[0], [1], [1]], dtype=dtype)
    encoder = CategoryEncoder(missing="ignore").fit(X)
    assert encoder.categories_ == [[0, 1]]
    assert encoder.describe(0, 2) == "x0 = 1"
    assert encoder.transform([[1.0], [True], [0], [2], [None]]).ravel().tolist() == [2, 2, 1, 0, 0]


def test_strings_are_categories_even_if_they_look_like_numbers():
    X = [["50"], ["60.5"], ["?"]]
    assert CategoryEncoder(missing="ignore").fit(X).categories_ == [["50", "60.5"]]


def test_members_of_enumerations_are_categories():
    class Size(IntEnum):
        SMALL = 3
        LARGE = 7

    assert CategoryEncoder(missing="ignore").fit([[Size.SMALL], [Size.LARGE]]).categories_ == [[3, 7]]


def test_a_discretizer_of_ones_own():
    X = np.arange(6.0)[:, None]
    discretizer = MultisplitDiscretizer(stop=None, max_intervals=3)
    encoder = CategoryEncoder(cuts=discretizer).fit(X, [0, 1, 0, 1, 0, 1])
    assert encoder.n_categories_.tolist() == [3]
    assert not hasattr(discretizer, "cuts_")


def test_a_numeric_column_without_any_number():
    X = np.full((3, 1), NAN)
    encoder = CategoryEncoder(missing="ignore").fit(X, [0, 1, 1])
    assert encoder.n_categories_.tolist() == [0]
    assert encoder.transform([[NAN], [5.0]]).tolist() == [[0], [0]]
    assert encoder.transform_one([5.0]).tolist() == [0]


def test_a_constant_number_of_few_rows_is_one_category():
    encoder = CategoryEncoder(missing="ignore").fit(np.full((3, 1), 2.0), [0, 1, 1])
    assert encoder.n_categories_.tolist() == [1]
    assert encoder.describe(0, 1) == "any x0"


def test_cuts_see_the_rows_of_fit_only():
    X = np.arange(12.0)[:, None]
    encoder = CategoryEncoder(missing="ignore").fit(X, [0] * 6 + [1] * 6)
    before = encoder.categories_
    encoder.transform(X * 100, [1] * 12)
    assert encoder.categories_ == before == [["x0 < 5.5", "x0 >= 5.5"]]


def test_columns_are_matched_by_name():
    X = frame()
    encoder = CategoryEncoder(missing="ignore", categorical=["size"]).fit(X)
    assert encoder.transform(X[["windy", "outlook", "size"]]).tolist() == CODES
    assert encoder.transform(pl.DataFrame(X.to_dict("list")).select("size", "windy", "outlook")).tolist() == CODES
    assert encoder.transform(X.to_numpy()).tolist() == CODES  # no names: by position
    assert encoder.transform_one({"windy": True, "outlook": "rain"}).tolist() == [1, 0, 2]
    assert encoder.describe("outlook", 2) == "outlook = sunny"
    with pytest.raises(ValueError, match="those of fit, and X has no column 'size'"):
        encoder.transform(X.rename(columns={"size": "weight"}))
    with pytest.raises(ValueError, match="those of fit, and X has no column 'windy'"):
        encoder.transform(X[["outlook", "size"]])


def test_frames_whose_columns_have_numbers_for_names():
    encoder = CategoryEncoder(missing="ignore", categorical=["x1"]).fit(pd.DataFrame(ROWS))
    assert encoder.feature_names_ == ["x0", "x1", "x2"]
    assert encoder.transform(frame()).tolist() == CODES


@pytest.mark.parametrize("table", [[["a", 1]], np.array([["a", "b", "c", "d"]])])
def test_a_wrong_width_is_refused(table):
    encoder = CategoryEncoder(missing="ignore").fit(ROWS, Y)
    with pytest.raises(ValueError, match=r"X has \d features, but CategoryEncoder is expecting 3 features as input"):
        encoder.transform(table)
    with pytest.raises(ValueError, match=r"is expecting 3 features"):
        encoder.transform_one(table[0])


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([["a", [1]], ["b", [2]]], TypeError, r"column 'x1' holds \[1\] \(list\), which cannot be a category"),
        ([["a", {}], ["b", 2]], TypeError, r"column 'x1' holds \{\} \(dict\)"),
        ([["a", np.zeros(2)], ["b", 2]], TypeError, r"column 'x1' holds array.*\(ndarray\)"),
        (pd.DataFrame({"bag": [{1}, {2}]}), TypeError, r"column 'bag' holds \{1\} \(set\)"),
        (lambda: pl.DataFrame({"bag": [[1], [2]]}), TypeError, r"column 'bag' holds \[1\] \(list\)"),
        ([["a"], ["b", "c"]], ValueError, "rows must have the same length: row 0 has 1 values, row 1 has 2"),
        (["ab", "cd"], ValueError, "Expected 2D array, got 1D array instead: row 0 is 'ab'"),
        ([1, 2], ValueError, "Expected 2D array, got 1D array instead.*Reshape your data"),
        (np.array(["a", "b"]), ValueError, "Expected 2D array, got 1D array instead.*Reshape your data"),
        (np.zeros((2, 2, 2)), ValueError, "Expected 2D array, got 3D array instead"),
        (np.zeros((2, 2), dtype=complex), ValueError, "Complex data not supported"),
        (csr_array(np.eye(2)), TypeError, "sparse tables are not supported"),
        ([], ValueError, r"0 sample\(s\) \(shape=\(0, 0\)\) while a minimum of 1 is required"),
        (np.empty((0, 3)), ValueError, r"0 sample\(s\) \(shape=\(0, 3\)\)"),
        (np.empty((3, 0)), ValueError, r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, "column names must be distinct"),
        ([[np.inf], [1.0]], ValueError, "column 'x0' contains infinity"),
        (np.array([[1.0], [-np.inf]]), ValueError, "column 'x0' contains infinity"),
    ],
)
def test_tables_that_are_refused(X, error, message):
    with pytest.raises(error, match=message):
        CategoryEncoder(missing="ignore").fit(made(X), [0, 1])


def test_odd_values_at_prediction():
    encoder = CategoryEncoder(missing="ignore").fit([["a", 1.5], ["b", 2.5]] * 5, [0, 1] * 5)
    with pytest.raises(TypeError, match=r"column 'x0' holds \[1\] \(list\)"):
        encoder.transform([[[1], 1.5]])
    with pytest.raises(TypeError, match=r"column 'x0' holds \[1\] \(list\)"):
        encoder.transform_one([[1], 1.5])
    with pytest.raises(ValueError, match="column 'x1' is numeric, but row 1 contains 'tall'"):
        encoder.transform([["a", 1.5], ["b", "tall"]])
    with pytest.raises(ValueError, match="column 'x1' contains infinity"):
        encoder.transform_one(["a", float("inf")])


def test_what_needs_classes_says_so():
    with pytest.raises(ValueError, match="column 'x0' is numeric, and cutting it needs the class of each row"):
        CategoryEncoder(missing="ignore").fit([[1.5], [2.5]])
    with pytest.raises(ValueError, match='missing="most_frequent" needs the class of each row'):
        CategoryEncoder(missing="most_frequent").fit([["a"]])
    with pytest.raises(ValueError, match=r"y must have one class per row: expected shape \(2,\), got \(3,\)"):
        CategoryEncoder(missing="ignore").fit([["a"], ["b"]], [0, 1, 2])


def test_bad_parameters():
    with pytest.raises(ValueError, match=r"missing must be one of 'informative', 'ignore', .*; got 'drop'"):
        CategoryEncoder(missing="drop").fit(ROWS, Y)
    with pytest.raises(ValueError, match="no column 'age' among x0, x1, x2"):
        CategoryEncoder(missing="ignore", categorical=["age"]).fit(ROWS, Y)
    with pytest.raises(ValueError, match="there is no column 3; columns are numbered from 0 to 2"):
        CategoryEncoder(missing="ignore", special={3: [-9]}).fit(ROWS, Y)
    with pytest.raises(ValueError, match=r"numbers must be one of 'auto', 'intervals', 'bounds'; got 'ranges'"):
        CategoryEncoder(numbers="ranges").fit(ROWS, Y)


def test_not_fitted():
    for call in ("transform", "transform_one"):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            getattr(CategoryEncoder(missing="ignore"), call)(ROWS)


def test_describe_refuses_codes_it_does_not_have():
    with pytest.raises(ValueError, match="column 'x0' has codes 0 to 2, got 3"):
        CategoryEncoder(missing="ignore").fit(ROWS, Y).describe(0, 3)


BITS = [[1, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    "X",
    [
        BITS,
        np.array(BITS),
        np.array(BITS, dtype=bool),
        np.array(BITS, dtype=float),
        np.array(BITS, dtype=object),
        pd.DataFrame(BITS, columns=["x0", "x1", "x2"]),
        pd.DataFrame(BITS, columns=["x0", "x1", "x2"]).astype("boolean"),
        pl.DataFrame(np.array(BITS, dtype=bool), schema=["x0", "x1", "x2"]),
    ],
)
def test_monotone_tables(X):
    encoder = CategoryEncoder(missing="ignore", monotone=True)
    assert encoder.fit_transform(X).tolist() == BITS
    assert encoder.n_categories_.tolist() == [1, 1, 1]  # x2, too, though never 1
    assert encoder.describe(2, 1) == "x2 = 1"
    assert encoder.transform_one([True, 0.0, 1]).tolist() == [1, 0, 1]


@pytest.mark.parametrize("value", [2, -1, 0.5, NAN, None, "1", "?", [1]])
def test_monotone_tables_refuse_anything_else(value):
    encoder = CategoryEncoder(missing="ignore", monotone=True)
    with pytest.raises(ValueError, match=r"monotone columns must hold 0 or 1; column 'x1' holds"):
        encoder.fit_transform([[0, 1], [1, value]])
    with pytest.raises(ValueError, match=r"monotone columns must hold 0 or 1; column 'x1' holds"):
        encoder.fit(BITS).transform_one([0, value, 0])


@pytest.mark.filterwarnings("ignore:These columns are left out")
def test_one_row_codes_like_a_table():
    X, y = load_dataset("auto", return_X_y=True)
    for missing in ("ignore", "value", "most_frequent"):
        encoder = CategoryEncoder(missing=missing).fit(X[:100], y[:100])
        expected = encoder.transform(X)
        np.testing.assert_array_equal([encoder.transform_one(row) for row in X], expected)
        trained = encoder.transform(X, y)
        np.testing.assert_array_equal(
            [encoder.transform_one(row, label) for row, label in zip(X, y, strict=True)], trained
        )


@pytest.mark.parametrize("name", ["voting", "auto", "annealing"])
def test_bundled_sets_code_alike_as_arrays_and_as_frames(name):
    X, y = load_dataset(name, return_X_y=True)
    framed, _ = load_dataset(name, return_X_y=True, as_frame=True)
    constant = [1] if name == "annealing" else []
    plain, named = (CategoryEncoder(missing="ignore", categorical=constant) for _ in range(2))
    np.testing.assert_array_equal(plain.fit_transform(X, y), named.fit_transform(framed, y))
    missing = np.array([[value is None for value in row] for row in X])
    np.testing.assert_array_equal(plain.transform(X) == 0, missing)


def test_copies_code_alike():
    X, y = load_dataset("auto", return_X_y=True)
    encoder = CategoryEncoder(missing="value").fit(X, y)
    for twin in (copy.deepcopy(encoder), pickle.loads(pickle.dumps(encoder))):
        np.testing.assert_array_equal(twin.transform(X), encoder.transform(X))
        assert twin.transform_one(X[0]).tolist() == encoder.transform_one(X[0]).tolist()


@pytest.mark.parametrize("kind", ["int", "str", "object"])
def test_a_hundred_thousand_rows_of_any_type_get_the_same_codes(kind):
    digits = np.random.default_rng(0).integers(10, size=(100_000, 20))
    X = digits if kind == "int" else digits.astype("U") if kind == "str" else digits.astype("U").astype(object)
    coded = CategoryEncoder(missing="ignore", categorical=range(20)).fit_transform(X)
    np.testing.assert_array_equal(coded, digits + 1)
