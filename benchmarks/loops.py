"""Bare numba loops, as a competent user of numba writes them: no checks, no state beyond the weights."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit
def winnow2(
    data: NDArray[np.float64],
    indices: NDArray[np.int32],
    indptr: NDArray[np.int32],
    y: NDArray[np.int64],
    w: NDArray[np.float64],
    alpha: float,
    theta: float,
    binarize: float,
) -> int:
    """Winnow2 over CSR arrays; returns the number of mistakes."""
    mistakes = 0
    for r in range(y.size):
        score = 0.0
        for p in range(indptr[r], indptr[r + 1]):
            if data[p] > binarize:
                score += w[indices[p]]
        predicted = 1 if score >= theta else 0
        if predicted != y[r]:
            mistakes += 1
            factor = alpha if y[r] == 1 else 1.0 / alpha
            for p in range(indptr[r], indptr[r + 1]):
                if data[p] > binarize:
                    w[indices[p]] *= factor
    return mistakes


@numba.njit
def perceptron(
    data: NDArray[np.float64],
    indices: NDArray[np.int32],
    indptr: NDArray[np.int32],
    y: NDArray[np.int64],
    w: NDArray[np.float64],
) -> int:
    """Rosenblatt's perceptron, with an intercept, over CSR arrays; returns the number of mistakes."""
    mistakes = 0
    intercept = 0.0
    for r in range(y.size):
        score = intercept
        for p in range(indptr[r], indptr[r + 1]):
            score += w[indices[p]] * data[p]
        if (score > 0.0) != (y[r] == 1):
            mistakes += 1
            step = 1.0 if y[r] == 1 else -1.0
            intercept += step
            for p in range(indptr[r], indptr[r + 1]):
                w[indices[p]] += step * data[p]
    return mistakes


PERCEPTRON, PASSIVE_AGGRESSIVE, HINGE, LOG_LOSS = range(4)


@numba.njit
def scikit_learn_mistakes(
    data: NDArray[np.float64],
    indices: NDArray[np.int32],
    indptr: NDArray[np.int32],
    y: NDArray[np.int64],
    rule: int,
    w: NDArray[np.float64],
    intercepts: NDArray[np.float64],
) -> int:
    """Progressive mistakes of scikit-learn's on-line classifiers with their defaults, one learner per row of w.

    scikit-learn itself takes a fraction of a millisecond to predict one row and then learn it; a test compares the
    weights. Those of SGDClassifier shrink in each step: w is kept divided by their common scale.
    """
    alpha, decay, mistakes, scale = 1e-4, 0.01, 0, 1.0  # decay: the intercept's steps are smaller for sparse data
    n_learners, scores = w.shape[0], np.zeros(w.shape[0])
    for r in range(y.size):
        eta, squares = 1.0 / (alpha * (1000.0 + r)), 0.0
        scores[:] = 0.0
        for p in range(indptr[r], indptr[r + 1]):
            squares += data[p] * data[p]
            for k in range(n_learners):
                scores[k] += w[k, indices[p]] * data[p]
        scores[:] = scale * scores + intercepts
        said = int(scores[0] > 0.0) if n_learners == 1 else np.argmax(scores)
        mistakes += said != y[r]
        if rule in (HINGE, LOG_LOSS):
            scale *= 1.0 - eta * alpha
        for k in range(n_learners):
            sign = 1.0 if y[r] == (1 if n_learners == 1 else k) else -1.0
            margin, step = sign * scores[k], 0.0
            if rule == PERCEPTRON:
                step = 1.0 if margin <= 0.0 else 0.0
            elif rule == PASSIVE_AGGRESSIVE:
                step = min(1.0, max(0.0, 1.0 - margin) / squares) if squares > 0.0 else 0.0
            elif rule == HINGE:
                step = eta if margin <= 1.0 else 0.0
            else:
                step = eta / (1.0 + np.exp(margin))
            if step > 0.0:
                intercepts[k] += decay * sign * step
                for p in range(indptr[r], indptr[r + 1]):
                    w[k, indices[p]] += sign * step * data[p] / scale
    w *= scale
    return mistakes


@numba.njit
def idf_so_far(
    data: NDArray[np.float64], indices: NDArray[np.int32], indptr: NDArray[np.int32], n: int
) -> NDArray[np.float64]:
    """Return tf-idf as scikit-learn's TfidfTransformer has it, with the documents counted up to and with each row."""
    counts, weighted = np.zeros(n), np.zeros(data.size)
    for r in range(indptr.size - 1):
        squares = 0.0
        for p in range(indptr[r], indptr[r + 1]):
            counts[indices[p]] += 1.0
            weighted[p] = data[p] * (np.log((2.0 + r) / (1.0 + counts[indices[p]])) + 1.0)
            squares += weighted[p] * weighted[p]
        for p in range(indptr[r], indptr[r + 1]):
            weighted[p] /= np.sqrt(squares)
    return weighted
