"""Kernels of soft training against slow twins that list every term."""

import itertools

import numpy as np
import pytest

from winnowkit.dnf.kernels.soft_terms import (
    Batches,
    SoftState,
    Step,
    add_scores,
    count_rows,
    learn_batches,
    sum_weights,
    to_pace,
)
from winnowkit.dnf.soft_learners import calibration, losses_of
from winnowkit.dnf.term_layout import blocks_of, make_layout, n_terms, scratch_for

TABLES = [
    ([3, 0, 5], [0, 2, 1], 2),
    ([4, 0, 3, 0], [1, 3, 0, 2], 3),
    ([1, 6], [1, 0], 3),
    ([5], [0], 2),
    ([2, 2], [0, 0], 1),
]


def ranges(n_ordered, n_other, form):
    """First and last cells of all literals, or of all boxes, of a column."""
    if form == 2:
        return [(a + 1, b) for a in range(1, n_ordered) for b in range(a + 1, n_ordered)]
    below, above = [(1, t) for t in range(1, n_ordered)], [(t + 1, n_ordered) for t in range(1, n_ordered)]
    return below + above + [(u, u) for u in range(n_ordered + 1, n_ordered + n_other + 1)]


def listed(n_ordered, n_other, max_literals, X):
    """Whether each row (column of X) satisfies each term, terms in the order of their places."""
    rows = []
    for columns, forms in blocks_of(n_ordered, n_other, max_literals):
        some = [ranges(n_ordered[j], n_other[j], form) for j, form in zip(columns, forms, strict=True)]
        for term in itertools.product(*some):
            holds = [(X[j] >= a) & (X[j] <= b) for j, (a, b) in zip(columns, term, strict=True)]
            rows.append(np.all(holds, axis=0))
    return np.array(rows, dtype=float)


def example(n_ordered, n_other, n_rows=60, seed=0):
    rng = np.random.default_rng(seed)
    cells = [rng.integers(0, 1 + o + e, n_rows) for o, e in zip(n_ordered, n_other, strict=True)]
    return np.array(cells, dtype=np.uint16), rng


@pytest.mark.parametrize(("n_ordered", "n_other", "max_literals"), TABLES)
def test_sums_by_term_and_by_cell_equal_those_over_a_list_of_all_terms(n_ordered, n_other, max_literals):
    X, rng = example(n_ordered, n_other)
    layout = make_layout(np.array(n_ordered), np.array(n_other), max_literals)
    holds, scratch = listed(n_ordered, n_other, max_literals, X), scratch_for(layout)
    assert len(holds) == layout.first_term[-1] == n_terms(n_ordered, n_other, max_literals)
    values, out = rng.normal(size=X.shape[1]), np.empty(len(holds))
    count_rows(X, values, layout, scratch, out)
    np.testing.assert_allclose(out, holds @ values, atol=1e-12)
    weights, by_cell = rng.normal(size=len(holds)), np.empty((1, layout.first_cell[-1]))
    sum_weights(weights, layout, scratch, by_cell[0])
    scores, state = np.empty((1, X.shape[1])), SoftState(np.empty((1, 0)), by_cell, np.array([0.25]))
    add_scores(X, layout, state, 0, X.shape[1], scores)
    shares = np.repeat(layout.share, np.diff(layout.first_term))
    np.testing.assert_allclose(scores[0], 0.25 + (shares * weights) @ holds, atol=1e-12)


@pytest.mark.parametrize(("n_ordered", "n_other", "max_literals"), TABLES)
def test_a_score_is_at_most_the_largest_weight(n_ordered, n_other, max_literals):
    layout = make_layout(np.array(n_ordered), np.array(n_other), max_literals)
    every = np.array(list(itertools.product(*(range(1 + o + e) for o, e in zip(n_ordered, n_other, strict=True))))).T
    holds = listed(n_ordered, n_other, max_literals, every)
    sums = np.repeat(layout.share, np.diff(layout.first_term)) @ holds
    assert sums.max() == pytest.approx(1.0) or len(n_ordered) > 1
    assert sums.max() <= 1 + 1e-12
    assert sums.max() > 0.3


@pytest.mark.parametrize("n_learners", [1, 3])
def test_an_epoch_equals_its_plain_twin(n_learners):
    n_ordered, n_other, max_literals = [4, 0, 3], [1, 3, 0], 3
    X, rng = example(n_ordered, n_other, n_rows=50)
    y, row_weights = rng.integers(0, max(2, n_learners), 50), rng.integers(0, 3, 50).astype(float)
    layout = make_layout(np.array(n_ordered), np.array(n_other), max_literals)
    holds, scratch = listed(n_ordered, n_other, max_literals, X), scratch_for(layout)
    covered, step, n_batches = holds @ row_weights, Step(rate=0.1, beta=2.0, prior_rows=5.0), 7
    pace = covered.copy()
    to_pace(pace, step)
    state = SoftState(
        np.zeros((n_learners, len(holds))), np.zeros((n_learners, layout.first_cell[-1])), np.full(n_learners, 0.1)
    )
    links, bias = np.zeros((n_learners, len(holds))), np.full(n_learners, 0.1)
    shares = np.repeat(layout.share, np.diff(layout.first_term))
    for _ in range(3):
        learn_batches(X, y, row_weights, Batches(0, n_batches, n_batches), layout, pace, state, step.beta, scratch)
        for batch in range(n_batches):
            rows = np.arange(batch * 50 // n_batches, (batch + 1) * 50 // n_batches)
            scores = bias[:, None] + (shares * step.beta * np.sinh(links)) @ holds[:, rows]
            if n_learners == 1:
                wrong = 1 / (1 + np.exp(-scores)) - y[rows]
            else:
                wrong = np.exp(scores) / np.exp(scores).sum(axis=0) - (y[rows] == np.arange(n_learners)[:, None])
            wrong = wrong * row_weights[rows]
            part = row_weights[rows].sum() / row_weights.sum()
            bias -= 0.1 * 4 * wrong.sum(axis=1) / row_weights[rows].sum()
            moved = step.rate * (wrong @ holds[:, rows].T) / (part * (covered + step.prior_rows) / 4)
            links -= np.where(covered > 0, moved, 0.0)
    np.testing.assert_allclose(state.weights, step.beta * np.sinh(links), atol=1e-9)
    np.testing.assert_allclose(state.bias, bias, atol=1e-10)
    by_cell = np.empty(layout.first_cell[-1])
    sum_weights(step.beta * np.sinh(links[-1]), layout, scratch, by_cell)
    np.testing.assert_allclose(state.by_cell[-1], by_cell, atol=1e-9)


def test_calibration_recovers_the_scale_and_shift_of_the_log_odds():
    rng = np.random.default_rng(0)
    log_odds = rng.normal(scale=2.0, size=20_000)
    y = (rng.random(20_000) < 1 / (1 + np.exp(-log_odds))).astype(np.int64)
    scale, shift = calibration((log_odds[None] - 0.7) / 3.0, y, np.ones(20_000))
    assert abs(scale - 3.0) < 0.15  # about five standard errors
    assert abs(shift - 0.7) < 0.1
    stretched = losses_of((log_odds[None] - 0.7) / 3.0, y).mean()
    assert losses_of(scale * (log_odds[None] - 0.7) / 3.0 + shift, y).mean() < stretched


def test_calibration_of_rows_that_are_all_right_stays_finite():
    y = np.array([0, 1] * 50)
    scale, shift = calibration(np.where(y == 1, 1.0, -1.0)[None], y, np.ones(100))
    assert 1.0 < scale < 10.0
    assert abs(shift) < 0.1


def test_calibration_of_several_classes_scales_towards_the_truth():
    rng = np.random.default_rng(1)
    scores = rng.normal(scale=2.0, size=(3, 20_000))
    shares = np.exp(scores) / np.exp(scores).sum(axis=0)
    y = (rng.random(20_000) > np.cumsum(shares, axis=0)).sum(axis=0)
    scale, shift = calibration(scores / 4.0, y, np.ones(20_000))
    assert shift == 0.0
    assert losses_of(scale * scores / 4.0, y).mean() < 1.05 * losses_of(scores, y).mean()
