"""Rows that cannot be learned from, wherever they stand: a clear error, and nothing changed."""

import numpy as np
import pytest
import scipy.sparse as sp

from winnowkit import ThresholdedBEG, Winnow2

ROWS, N = 400, 20  # several blocks of rows


def table() -> tuple[sp.csr_array, np.ndarray]:
    rng = np.random.default_rng(0)
    X = sp.csr_array((rng.random((ROWS, N)) < 0.5).astype(float))
    X.sort_indices()
    return X, X[:, [3]].toarray().ravel().astype(int)


def unsort(X: sp.csr_array, row: int) -> None:
    start, stop = X.indptr[row], X.indptr[row + 1]
    X.indices[start:stop] = X.indices[start:stop][::-1].copy()
    X.has_sorted_indices = False


def not_finite(X: sp.csr_array) -> None:
    X.data[X.indptr[-1] - 1] = np.nan


def outside(X: sp.csr_array) -> None:
    X.indices[X.indptr[-1] - 1] = N + 7


@pytest.mark.parametrize("learner", [Winnow2, ThresholdedBEG])
@pytest.mark.parametrize("unsorted_too", [False, True])
@pytest.mark.parametrize(("spoil", "message"), [(not_finite, "contains NaN"), (outside, "broken sparse matrix")])
def test_a_bad_last_row_leaves_the_learner_as_it_was(learner, unsorted_too, spoil, message):
    X, y = table()
    model = learner().partial_fit(X, y, classes=[0, 1])
    coef, trials, mistakes = model.coef_, model.n_trials_, model.n_mistakes_
    if unsorted_too:
        unsort(X, row=0)
    spoil(X)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X, 1 - y)
    np.testing.assert_array_equal(model.coef_, coef)
    assert (model.n_trials_, model.n_mistakes_) == (trials, mistakes)


@pytest.mark.parametrize("learner", [Winnow2, ThresholdedBEG])
def test_unsorted_rows_are_learned_like_sorted_ones(learner):
    X, y = table()
    expected = learner().partial_fit(X, y, classes=[0, 1])
    unsort(X, row=ROWS - 1)
    found = learner().partial_fit(X, y, classes=[0, 1])
    np.testing.assert_array_equal(found.coef_, expected.coef_)
    assert found.n_mistakes_ == expected.n_mistakes_ > 0
