"""Columns that `fit` leaves out, and values that it warns of."""

import warnings

import numpy as np
import pandas as pd
import pytest

from winnowkit import DNFWinnow
from winnowkit.data import CategoryEncoder
from winnowkit.data.column_use import are_row_numbers, is_constant, is_flag, is_identifier, values_apart
from winnowkit.data.errors import ColumnWarning

RNG = np.random.default_rng(0)
N = 200
LETTERS = RNG.choice(list("abc"), N)
HEIGHTS = RNG.normal(170, 10, N)
NAN = float("nan")


def fitted(X, **parameters):
    """A fitted encoder, and its warnings."""
    encoder = CategoryEncoder(**{"missing": "ignore", "numbers": "bounds", **parameters})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        encoder.fit(X)
    assert all(w.category is ColumnWarning for w in caught)
    assert all(w.filename == __file__ for w in caught)
    return encoder, [str(w.message) for w in caught]


def table(**columns):
    return pd.DataFrame({"letter": LETTERS, "height": HEIGHTS, **columns})


def test_nothing_to_warn_of():
    encoder, said = fitted(table())
    assert said == []
    assert (encoder.n_allowed_ > 0).all()


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        ([f"customer {i}" for i in range(N)], "identifiers (almost every value is different): 'new'"),
        ([f"customer {i % 190}" for i in range(N)], "identifiers (almost every value is different): 'new'"),
        (
            [*(f"customer {i}" for i in range(N - 5)), *[None] * 5],
            "identifiers (almost every value is different): 'new'",
        ),
        (np.arange(N), "row numbers: 'new'"),
        (np.arange(1, N + 1), "row numbers: 'new'"),
        (np.arange(N)[::-1] + 5000.0, "row numbers: 'new'"),
        (RNG.permutation(2 * N)[:N], "row numbers: 'new'"),
        (["same"] * N, "constant: 'new'"),
        ([True] * N, "constant: 'new'"),
        ([0] * N, "constant: 'new'"),
        ([7.5] * N, "constant: 'new'"),
    ],
)
def test_columns_that_are_left_out(column, reason):
    X = table(new=column)
    encoder, said = fitted(X)
    assert said == [f"These columns are left out, because nothing can be learned from them: {reason}."]
    assert encoder.n_categories_[2] == encoder.n_allowed_[2] == encoder.n_ordered_[2] == 0
    assert encoder.categories_[2] == []
    assert not encoder.transform(X)[:, 2].any()
    assert not encoder.transform(table(new="anything"))[:, 2].any()
    assert encoder.transform_one({"new": column[0], "letter": "a", "height": 170})[2] == 0


@pytest.mark.parametrize(
    "column",
    [
        [f"customer {i % 170}" for i in range(N)],  # some come back
        [("tuple", i) for i in range(N)],
        RNG.permutation(4 * N)[:N],
        np.arange(N) * 1.5,
        [*np.arange(N - 1), 0],
        ["same"] * (N - 1) + ["other"],
        ["same"] * (N - 1) + [None],
        [7.5] * (N - 1) + [NAN],
    ],
)
def test_columns_that_are_kept(column):
    encoder, said = fitted(table(new=column))
    assert said == []
    assert encoder.n_allowed_[2] > 0


def test_few_rows_are_not_enough_to_leave_a_column_out():
    X = table(id=[f"customer {i}" for i in range(N)], same="a", row=np.arange(N)).head(49)
    encoder, said = fitted(X)
    assert said == []
    assert (encoder.n_allowed_ > 0).all()


def test_the_first_of_many_rows_are_not_enough_to_leave_a_column_out():
    X = table(id=[f"customer {i}" for i in range(N)], same="a", one=1.5, row=np.arange(N))
    model = DNFWinnow().partial_fit(X, np.where(LETTERS == "a", "yes", "no"), classes=["no", "yes"])
    assert model.encoder_.n_categories_[2:].min() > 0
    encoder = CategoryEncoder(missing="ignore", numbers="bounds").fit(X, more_to_come=True)
    assert encoder.n_categories_[2:].tolist() == [N, 1, 1, 32]


def test_declared_columns_are_kept():
    X = table(id=[f"customer {i}" for i in range(N)], same="a", row=np.arange(N))
    encoder, said = fitted(X, categorical=["id", "same", "row"])
    assert said == []
    assert encoder.n_categories_[2:].tolist() == [N, 1, N]


def test_one_warning_names_all_columns_that_are_left_out():
    X = table(**{f"same{i}": "a" for i in range(7)}, row=np.arange(N))
    encoder, said = fitted(X)
    assert said == [
        "These columns are left out, because nothing can be learned from them: row numbers: 'row'; "
        "constant: 'same0', 'same1', 'same2', 'same3', 'same4' and 2 more."
    ]
    assert encoder.n_allowed_[2:].tolist() == [0] * 8


def test_missing_values_of_a_column_that_is_left_out_say_nothing():
    ids = [None if i % 20 == 0 else f"customer {i}" for i in range(N)]
    encoder, _ = fitted(table(new=ids), missing="value")
    assert encoder.n_categories_[2] == 0
    assert not encoder.transform(table(new=ids))[:, 2].any()


def test_rare_categories_of_a_column_of_many_count_as_missing():
    frequent = [f"c{i}" for i in range(254)]
    rare = [f"d{i}" for i in range(1000)]
    X = pd.DataFrame({"city": [*frequent * 6, *rare]})
    encoder, said = fitted(X)
    assert said == [
        "These columns have very many categories: 'city'. The most frequent ones are kept; the others count as missing "
        "values."
    ]
    assert encoder.categories_[0] == sorted(frequent)
    assert encoder.transform(X).ravel().tolist() == [sorted(frequent).index(c) + 1 for c in frequent] * 6 + [0] * 1000
    assert fitted(X[: 254 * 6])[1] == []


def test_of_equally_rare_categories_the_first_in_order_are_kept():
    X = pd.DataFrame({"city": RNG.permutation([f"{i:03}" for i in range(300)] * 2)})
    encoder, _ = fitted(X)
    assert encoder.categories_[0] == [f"{i:03}" for i in range(254)]


def test_rare_categories_are_not_the_most_frequent_ones_of_their_class():
    X = pd.DataFrame({"city": [f"c{i}" for i in range(300)] * 2 + [None]})
    encoder = CategoryEncoder(missing="most_frequent")
    with pytest.warns(ColumnWarning, match="very many categories"):
        codes = encoder.fit_transform(X, [0] * 600 + [1])
    assert codes.max() == 254
    assert codes[-1] == 0


def test_a_hundred_thousand_categories():
    X = pd.DataFrame({"city": [f"c{i}" for i in RNG.permutation(np.arange(100_000).repeat(2))]})
    encoder, _ = fitted(X)
    assert encoder.n_categories_.tolist() == [254]


def test_values_that_stand_apart_are_suggested():
    ages = RNG.integers(18, 90, N)
    ages[:10], ages[10:20] = -9, -8
    days = RNG.integers(0, 30, N)
    days[:50] = 999
    X = table(age=ages, days=days)
    encoder, said = fitted(X)
    assert said == [
        "Some numbers stand apart and may be codes; if so, declare them with "
        "special={'age': [-9, -8], 'days': [999]}, so that they are not compared with other numbers."
    ]
    assert encoder.n_ordered_[2] > 0
    assert fitted(X, special={"age": [-9, -8], "days": [999]})[1] == []
    assert fitted(X, special={"age": [-9]}, categorical=["days"])[1] == []  # the user has looked at both


@pytest.mark.parametrize(
    ("extra", "apart"),
    [
        ([-9.0] * 5, [-9.0]),
        ([-9.0] * 5 + [-7.0] * 5, [-9.0, -7.0]),
        ([-9.0] * 4, []),  # rare
        ([-9.5] * 5, []),  # not whole
        ([value for value in range(-60, 0, 10) for _ in range(5)], []),  # many
        ([999.0] * 5, [999.0]),
        ([999.0] * 4, []),
        ([998.0] * 5, []),
        ([99.0] * 5, []),  # near the others
        ([9.0] * 5, []),
    ],
)
def test_values_apart(extra, apart):
    assert values_apart(np.array([*range(18, 80), *extra, NAN], dtype=float)) == apart


def test_negative_numbers_without_a_gap_do_not_stand_apart():
    assert values_apart(np.repeat(np.arange(-2.0, 9.0), 20)) == []
    assert values_apart(np.repeat([-1.0, 1.0, 2.0, 3.0, 4.0], 20)) == [-1.0]


def test_single_checks_at_their_edges():
    assert not is_flag(np.array([]))
    assert not is_flag(np.array([NAN]))
    assert not is_flag(np.array([0.0, 0.5, 1.0]))
    assert not is_constant(np.full(50, NAN))
    assert is_identifier([f"a{i}" for i in range(50)])
    assert not is_identifier([f"a{i}" for i in range(49)] + [3])
    assert not is_identifier([f"a{i}" for i in range(49)] + [None])
    assert not are_row_numbers(np.append(np.arange(60.0), NAN))
    assert not are_row_numbers(np.arange(60.0) + 0.5)


def test_iso_dates_of_text_are_dates_and_others_are_named():
    days = (np.datetime64("2020-01-01") + np.random.default_rng(0).integers(0, 700, N).astype("timedelta64[D]")).astype(
        str
    )
    encoder, said = fitted(table(signed=days))
    assert said == []
    assert any("signed <= 2020-" in encoder.describe(2, code) for code in range(1, encoder.n_categories_[2] + 1))
    with pytest.raises(ValueError, match="column 'signed' holds dates, but row 0 contains 'soon'"):
        encoder.transform(table(signed=["soon", *days[1:]]))
    assert fitted(table(signed=days), categorical=["signed"])[0].n_categories_[2] > 100
    other = [f"{day[8:]}.{day[5:7]}.{day[:4]}" for day in days]
    _, said = fitted(table(signed=other))
    shown = next(date for date in other if int(date[:2]) > 12)
    assert f"These columns hold dates with the day first, such as '{shown}': 'signed'. Write them like" in said[-1]
    assert "pandas.to_datetime(column, dayfirst=True)" in said[-1]
    assert fitted(table(signed=[*other[1:], "soon"]))[1] == []  # a single other value, and it is no column of dates


@pytest.mark.parametrize(
    ("dates", "order"),
    [
        (["01/02/2024", "13/02/2024"], "the day first, such as '13/02/2024'"),
        (["01/02/2024", "02/13/2024"], "the month first, such as '02/13/2024'"),
        (["1.2.2024 10:30", "13.2.2024 9:15"], "the day first, such as '13.2.2024 9:15'"),
        (["01-02-24", "31-02-24"], "the day first, such as '31-02-24'"),
        (["01/02/2024", "03/04/2024"], "a form whose order in time is unknown, such as '01/02/2024'"),
        (["02/13/2024", "13/02/2024"], "a form whose order in time is unknown, such as '02/13/2024'"),
        (["1 May 2024", "31 May 2024"], "a form whose order in time is unknown, such as '1 May 2024'"),
    ],
)
def test_the_order_of_day_and_month_is_told_by_numbers_above_twelve(dates, order):
    _, said = fitted(table(signed=dates * (N // 2)))
    assert f"dates {'in' if 'form' in order else 'with'} {order}: 'signed'" in said[-1]


def test_orders_that_differ_between_columns_are_told_apart():
    dates = {"german": ["28.11.2023", "01.02.2024"], "american": ["11/28/2023", "02/01/2024"]}
    _, said = fitted(table(**{name: values * (N // 2) for name, values in dates.items()}))
    assert ["day first" in text and "'german'" in text for text in said] == [True, False]
    assert ["month first" in text and "'american'" in text for text in said] == [False, True]


def test_identifiers_made_of_words_may_be_text():
    urls = [f"https://shop.example/{RNG.choice(['shoes', 'hats'])}/{i}" for i in range(N)]
    _, said = fitted(table(url=urls, number=[f"ID-{i}" for i in range(N)]))
    assert said == [
        "These columns are left out, because nothing can be learned from them: identifiers (almost every value is "
        "different): 'url', 'number'. If words in 'url' matter, linear learners learn from them: "
        "make_pipeline(TableEncoder(text=['url']), Committee())."
    ]


@pytest.mark.parametrize(
    ("last", "offered"),
    [("12,5", True), ("$28,727.94", False), ("12,5 €", False), ("45%", False), ("1.234,5", True)],
)
def test_a_decimal_comma_is_offered_only_where_it_would_help(last, offered):
    _, said = fitted(table(price=[*(f"{i % 40},5" if offered else str(i % 40) for i in range(N - 1)), last]))
    assert "numbers that are written as text" in said[0]
    assert ("If the comma is the decimal mark of 'price', read with decimal=','." in said[0]) == offered
