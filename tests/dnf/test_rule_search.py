"""The search for one rule beside its twin: the same rule, for any width of the beam, price, limit and start."""

import itertools

import numpy as np
import pytest

from naive_rule_search import ABOVE, AT_MOST, EQUAL, NaiveRuleSearch
from winnowkit.dnf.rule_choice.merged_rows import RuleColumns, RuleTable

N_ORDERED, N_CELLS = [4, 3, 0, 6], [4, 5, 3, 7]


def random_table(rng, n_rows):
    columns = RuleColumns(np.array(N_ORDERED), np.array(N_CELLS), np.zeros(4, dtype=np.int64))
    cells = np.stack([rng.integers(0, n + 1, n_rows) for n in N_CELLS], axis=1).astype(np.int32)
    return RuleTable(cells, np.ones((2, n_rows)), columns)


def gains_of(rng, table, share):
    """Make gains that a conjunction of three conditions explains in part."""
    inside = (table.codes[:, 0] >= 2) & (table.codes[:, 3] > 2) & (table.codes[:, 2] != 1)
    good = np.where(rng.random(table.n_rows) < share, inside, rng.random(table.n_rows) < 0.4)
    return np.where(good, 1.0, -1.0) * rng.integers(0, 5, table.n_rows)


LIKES = ((), ((0, AT_MOST, 2), (3, ABOVE, 2)), ((1, EQUAL, 4),), ((0, ABOVE, 1), (0, AT_MOST, 3)))


@pytest.mark.parametrize("width", [1, 2, 4, 6, 16])
@pytest.mark.parametrize("wrong_cost", [1.0, 4.0])
@pytest.mark.parametrize("like", LIKES)
def test_the_search_finds_what_its_twin_finds(width, wrong_cost, like, monkeypatch):
    monkeypatch.setattr("winnowkit.dnf.rule_choice.merged_rows.WIDTH", width)
    lengths = set()
    for seed in range(8):
        rng = np.random.default_rng(100 * width + seed)
        table = random_table(rng, int(rng.integers(5, 70)))
        unit = float(rng.choice([1.0, 1 / 16]))
        gains = gains_of(rng, table, 0.8) * unit
        if seed % 2:  # many conjunctions of equal worth
            gains = np.sign(gains) * unit
        price, max_literals = float(rng.choice([0.25, 0.5, 2.5])) * unit, int(rng.integers(1, 6))
        if len(like) > max_literals:
            continue
        twin = NaiveRuleSearch(
            table.codes.tolist(), N_ORDERED, N_CELLS, gains.tolist(), table.columns.allowed(1).tolist(),
            max_literals=max_literals, width=width, price=price, wrong_cost=wrong_cost,
        )  # fmt: skip
        expected = twin.best([like[:k] + like[k + 1 :] for k in range(len(like))])
        found = table.best(gains, 1, price=price, max_literals=max_literals, wrong_cost=wrong_cost, like=like)
        assert found == expected
        lengths.add(len(found or ()))
    assert max(lengths) > 1


@pytest.mark.parametrize("tens", range(6))
def test_a_beam_of_two_has_the_best_by_either_score(tens, monkeypatch):
    """Categories of which three together gain: which of two members goes on decides what is found."""
    monkeypatch.setattr("winnowkit.dnf.rule_choice.merged_rows.WIDTH", 2)
    none, three = np.zeros(6, dtype=np.int64), np.full(6, 3)
    for seed in range(10 * tens, 10 * tens + 10):
        rng = np.random.default_rng(seed)
        table = RuleTable(
            rng.integers(1, 4, (60, 6)).astype(np.int32), np.ones((2, 60)), RuleColumns(none, three, none)
        )
        inside = (table.codes[:, 0] == 1) & (table.codes[:, 1] != 2) & (table.codes[:, 2] == 3)
        good = np.where(rng.random(table.n_rows) < 0.75, inside, rng.random(table.n_rows) < 0.3)
        gains = np.where(good, 3.0, -1.0) * rng.integers(1, 4, table.n_rows)
        twin = NaiveRuleSearch(
            table.codes.tolist(), none.tolist(), three.tolist(), gains.tolist(), [1 << EQUAL] * 6,
            max_literals=4, width=2, price=0.25, wrong_cost=1.0,
        )  # fmt: skip
        assert table.best(gains, 1, price=0.25, max_literals=4) == twin.best()


@pytest.mark.parametrize("unit", [1.0, 8.0, 1 / 32])
def test_the_search_ends_after_two_conditions_in_vain(unit):
    """Four conditions would gain more than one, but two or three gain nothing."""
    cells = np.array([[*row, 1] for row in itertools.product([1, 2], repeat=4)] + [[0, 0, 0, 0, 2]], dtype=np.int32)
    none = np.zeros(5, dtype=np.int64)
    table = RuleTable(cells, np.ones((2, 17)), RuleColumns(none, np.full(5, 2), none))
    gains = np.where((table.codes[:, :4] == 1).all(axis=1), 1.0, -1.0) * unit
    gains[table.codes[:, 4] == 2] = 0.5 * unit
    one, four = ((4, EQUAL, 2),), tuple((j, EQUAL, 1) for j in range(4))
    worths = [gains[table.covers(term)].sum() - unit / 16 * (1 + len(term)) for term in (one, four)]
    assert 0 < worths[0] < worths[1]
    assert table.best(gains, 1, price=unit / 16, max_literals=5) == one
    gains[table.codes[:, 4] == 2] = 0.0
    assert table.best(gains, 1, price=unit / 16, max_literals=5) == four


@pytest.mark.parametrize("largest", [2.0**-10, 8.0, 2.0**600])
def test_the_unit_of_gains_does_not_matter(largest):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        table = random_table(rng, 30)
        gains = gains_of(rng, table, 0.8)
        expected = table.best(gains, 1, price=0.25, max_literals=3)
        assert expected is not None
        assert table.best(gains * largest, 1, price=0.25 * largest, max_literals=3) == expected


def test_rows_without_a_gain_do_not_matter():
    rng = np.random.default_rng(1)
    table = random_table(rng, 30)
    gains = gains_of(rng, table, 0.8)
    expected = table.best(gains, 1, price=0.25, max_literals=3)
    assert expected is not None
    fewer = RuleTable(table.codes[gains != 0], np.ones((2, np.count_nonzero(gains))), table.columns)
    assert fewer.n_rows < table.n_rows
    assert fewer.best(gains[gains != 0], 1, price=0.25, max_literals=3) == expected


@pytest.mark.parametrize("largest", [0.0, 1e-305, 1e-280])
def test_rows_that_gain_next_to_nothing_have_no_rule(largest):
    table = random_table(np.random.default_rng(0), 5)
    assert table.best(np.full(table.n_rows, largest), 1, price=0.25, max_literals=3) is None
    assert table.best(np.full(table.n_rows, -largest), 1, price=0.0, max_literals=3) is None
