from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_cuts
from winnowkit.data.even_cuts import MAX_CUTS, even_cuts, short_cut

NAN = float("nan")
whole = st.integers(-20, 20).map(float)
decimal = st.integers(-3000, 3000).map(lambda i: i / 100)
columns = st.one_of(st.lists(whole, min_size=1, max_size=80), st.lists(decimal, min_size=1, max_size=80))


@settings(max_examples=300, deadline=None)
@given(columns, st.integers(1, 8))
def test_cells_are_not_empty_and_cuts_are_few(values, max_cuts):
    cuts = even_cuts(np.array([*values, NAN]), max_cuts)
    n_distinct = len(set(values))
    assert len(cuts) == min(max_cuts, n_distinct - 1)
    assert all(cell for cell in naive_cuts.cells(values, cuts))
    if n_distinct <= max_cuts + 1:
        assert all(len(set(cell)) == 1 for cell in naive_cuts.cells(values, cuts))


@settings(max_examples=300, deadline=None)
@given(columns, st.integers(1, 8))
def test_each_cut_is_a_shortest_number_between_its_neighbours(values, max_cuts):
    distinct = sorted(set(values))
    for cut in even_cuts(np.array(values), max_cuts).tolist():
        (neighbours,) = [pair for pair in pairwise(distinct) if pair[0] <= cut < pair[1]]
        assert cut in [float(number) for number in naive_cuts.shortest(*neighbours)]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(-20, 20).map(float), min_size=1, max_size=120), st.integers(1, 8))
def test_frequent_values_have_cells_of_their_own_if_there_are_enough_cells(values, max_cuts):
    frequent = naive_cuts.frequent(values, max_cuts + 1)
    distinct = sorted(set(values))
    between = sum(
        value not in frequent and (i == 0 or distinct[i - 1] in frequent) for i, value in enumerate(distinct)
    )  # runs of values that are not frequent
    alone = {cell[0] for cell in naive_cuts.cells(values, even_cuts(np.array(values), max_cuts)) if len(set(cell)) == 1}
    if len(frequent) + between <= max_cuts + 1:
        assert frequent <= alone


def test_rows_are_shared_out_evenly():
    rng = np.random.default_rng(0)
    values = rng.normal(size=3200)
    sizes = [len(cell) for cell in naive_cuts.cells(values, even_cuts(values))]
    assert sizes == [100] * (MAX_CUTS + 1)


def test_a_frequent_value_leaves_the_other_cells_to_the_others():
    rng = np.random.default_rng(0)
    others = rng.choice(1000, 93, replace=False) + 1.0
    values = np.concatenate([np.zeros(9000), others])
    sizes = [len(cell) for cell in naive_cuts.cells(values, even_cuts(values))]
    assert sizes[0] == 9000
    assert set(sizes[1:]) == {3}


def test_the_most_frequent_values_come_first_where_cells_are_scarce():
    rows = {0: 5, 10: 90, 20: 5, 30: 80, 40: 5, 50: 70, 60: 5}
    values = [float(value) for value, n in rows.items() for _ in range(n)]
    cells = naive_cuts.cells(values, even_cuts(np.array(values), 4))
    assert [sorted(set(cell)) for cell in cells] == [[0.0], [10.0], [20.0], [30.0], [40.0, 50.0, 60.0]]


@pytest.mark.parametrize("values", [[], [NAN], [3.0], [3.0, 3.0, NAN]])
def test_less_than_two_values_are_not_cut(values):
    assert even_cuts(np.array(values)).tolist() == []


def test_no_cuts_on_request():
    assert even_cuts(np.arange(5.0), 0).tolist() == []


@pytest.mark.parametrize(
    ("below", "above", "cut"),
    [
        (40, 41, 40),
        (79_100.3, 79_231.7, 79_200),
        (78_900, 79_500, 79_000),
        (99, 101, 100),
        (99, 100, 99),
        (-7, 0, -4),
        (-9, -8, -9),
        (-0.4, 5, 0),
        (0.1, 0.25, 0.2),
        (0.0123, 0.0124, 0.0123),
        (0.0, 5e-324, 0.0),
        (0.0, 0.0, 0.0),  # halfway between 0 and the smallest float there is nothing
        (1.0, np.nextafter(1.0, 2.0), 1.0),
        (-1.7e308, 1.7e308, 0.0),
        (1.2e308, 1.79e308, 1.5e308),  # rounded to one digit, the middle would be too large
        (-1.79e308, -1.2e308, -1.5e308),
    ],
)
def test_short_cuts(below, above, cut):
    found = short_cut(below, above)
    assert found == cut
    assert str(found)[0] != "-" or found < 0  # no negative zero


@settings(max_examples=300)
@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_a_cut_separates_any_two_numbers(one, other):
    below, above = sorted([one, other])
    if below < above:
        assert below <= short_cut(below, above) < above
