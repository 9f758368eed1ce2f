"""Tables with too many columns, or too many categories, for terms of all pairs of columns."""

import itertools

import numpy as np
import pytest

from winnowkit import DNFWinnow, load, save
from winnowkit.dnf import Soft, pair_choice, soft_learners, term_layout
from winnowkit.dnf.kernels.pair_gains import pair_gains
from winnowkit.dnf.kernels.soft_terms import count_literals
from winnowkit.dnf.pair_choice import MOST_PAIRS, rank_pairs, take_pairs
from winnowkit.dnf.soft_learners import SoftLearners
from winnowkit.dnf.term_layout import MOST_TERMS


def test_gains_of_pairs_equal_a_plain_twin():
    rng = np.random.default_rng(0)
    cells, prior = rng.integers(0, [[4], [2], [3], [5]], (4, 150)), 2.0
    residuals, variances = rng.normal(size=(2, 150)), rng.random((2, 150))

    def gain(where):
        total = 0.0
        for r, v in zip(residuals, variances, strict=True):
            for u in np.unique(where):
                total += (r[where == u].sum() ** 2 - v[where == u].sum()) / (v[where == u].sum() + prior)
        return total

    expected = [
        gain(100 * cells[i] + cells[j]) - gain(cells[i]) - gain(cells[j])
        for i, j in itertools.combinations(range(4), 2)
    ]
    found, _, _ = pair_gains(cells.astype(np.uint16), np.array([4, 2, 3, 5]), residuals, variances, prior)
    np.testing.assert_allclose(found, expected)


def test_the_pair_that_matters_comes_first():
    rng = np.random.default_rng(0)
    cells = rng.integers(1, 9, (800, 40))
    targets = ((cells[:, 7] > 4) != (cells[:, 31] > 4)).astype(np.int64)
    some = np.full(40, 8), np.zeros(40, dtype=np.int64)
    assert rank_pairs(cells, *some, np.zeros((1, 800)), targets, np.ones(800))[0] == (7, 31)
    noise = rng.permutation(targets)  # the control: without the interaction nothing puts the pair first
    ranked = rank_pairs(cells, *some, np.zeros((1, 800)), noise, np.ones(800))
    assert (7, 31) not in ranked
    assert len(ranked) < 10  # one on average


def test_a_column_that_matters_alone_gains_nothing_from_pairs():
    rng = np.random.default_rng(1)
    cells = rng.integers(1, 5, (2000, 10))
    targets = (cells[:, 0] > 2).astype(np.int64)
    ranked = rank_pairs(
        cells, np.full(10, 4), np.zeros(10, dtype=np.int64), np.zeros((1, 2000)), targets, np.ones(2000)
    )
    assert len(ranked) < 5


def test_taken_pairs_stay_within_the_limits():
    ordered, other = np.array([32] * 100 + [0] * 20), np.array([0] * 100 + [200] * 20)
    ranked = list(itertools.combinations(range(119, -1, -1), 2))
    taken = take_pairs([(j, i) for i, j in ranked], ordered, other, MOST_TERMS)
    sizes = [count_literals(a, b, 1) for a, b in zip(ordered.tolist(), other.tolist(), strict=True)]
    assert sum(sizes[i] * sizes[j] for i, j in taken) <= MOST_TERMS
    assert len(taken) <= MOST_PAIRS
    assert taken == sorted(taken)
    assert (118, 119) in taken  # the best one


@pytest.fixture(scope="module")
def wide():
    """A table of 80 columns, two of which matter together, and a model of it."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(700, 80)).round(2)
    y = ((X[:, 3] > 0) != (X[:, 70] > 0)) ^ (rng.random(700) < 0.05)
    return X, y, DNFWinnow(random_state=0, verbose=False).fit(X[:500], y[:500])


def test_a_wide_table_is_learned_with_the_pairs_that_matter(wide):
    X, y, model = wide
    assert model.chosen_["max_literals"] == 2
    assert (model.predict(X[500:]) != y[500:]).mean() < 0.12
    sets, _ = model._learners.parts(model.encoder_.transform(X[:5]), 0)
    assert (3, 70) in sets
    assert len(sets) < 80 + 100  # of 3,160 pairs


def test_a_wide_model_explains_itself_and_comes_back_from_a_file(wide, tmp_path):
    X, _, model = wide
    save(model, tmp_path / "wide")
    again = load(tmp_path / "wide")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert {"x3", "x70"} <= set(str(model.explain(X[0].tolist(), max_terms=5)).split())


def test_a_wide_model_of_no_pair_comes_back_from_a_file(tmp_path):
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 2, (60, 70)).astype(str), rng.integers(0, 2, 60)
    model = DNFWinnow(max_literals=2, random_state=0, verbose=False).fit(X, y)
    save(model, tmp_path / "wide")
    np.testing.assert_array_equal(load(tmp_path / "wide").predict_proba(X), model.predict_proba(X))


def test_pairs_of_a_damaged_file_are_refused(wide):
    state = wide[2]._learners.__getstate__()
    for pairs in (state["pairs"][::-1], state["pairs"] + 10, state["pairs"][:, :1], state["pairs"][:-1]):
        with pytest.raises(ValueError, match="soft tables"):
            SoftLearners.__new__(SoftLearners).__setstate__({**state, "pairs": pairs})


def test_a_table_of_many_categories_trains_with_the_pairs_that_fit(monkeypatch):
    for module in (pair_choice, soft_learners, term_layout):
        monkeypatch.setattr(module, "MOST_TERMS", 100_000)
    rng = np.random.default_rng(3)
    X = rng.integers(0, 80, (400, 8)).astype(str).astype(object)
    X[:, :2] = rng.integers(0, 2, (400, 2)).astype(str)
    y = (X[:, 0] == "1") != (X[:, 1] == "1")
    online = DNFWinnow(training=Soft(), random_state=0).partial_fit(X[:100], y[:100], classes=[False, True])
    assert online.predict(X).shape == (400,)  # by single columns: no model says which pairs matter
    model = DNFWinnow(random_state=0, verbose=False).fit(X[:300], y[:300])
    assert (model.predict(X[300:]) == y[300:]).mean() > 0.9
    assert model._learners._tables.weights.size <= 100_000
