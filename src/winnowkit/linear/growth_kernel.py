"""Linear learners whose attributes turn up over time; the state is that of :mod:`winnowkit.linear.weights`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Row
from winnowkit.core.jit import jit
from winnowkit.linear.kernel import decision
from winnowkit.linear.weights import (
    FRESH,
    OFFSET,
    TOTAL,
    State,
    contribution,
    is_negative,
    sum_attribute,
    sum_complements,
)


@jit
def refresh_at(
    weights: NDArray[np.float64],
    coef: NDArray[np.float64],
    totals: NDArray[np.float64],
    counts: NDArray[np.int64],
    parameters: NDArray[np.void],
    indices: NDArray[Any],
) -> None:
    """Sum anew what some attributes add to the score; indices out of range are left to whoever walks them next."""
    state = State(weights, coef, totals, counts, parameters)
    for k in range(coef.shape[0]):
        for j in indices:
            if 0 <= j < coef.shape[1]:
                sum_attribute(state, k, j)


@jit
def foresee(
    weights: NDArray[np.float64],
    coef: NDArray[np.float64],
    totals: NDArray[np.float64],
    counts: NDArray[np.int64],
    parameters: NDArray[np.void],
    indices: NDArray[Any],
    data: NDArray[np.float64] | None,
    n_known: int,
    n_new: int,
) -> NDArray[np.float64]:
    """Decisions of a learner that had n_new more attributes, 0 so far, and other parameters; nothing is changed.

    The example has the attributes `indices` at the values of `data` (None: all 1); those from n_known on are new. A
    learner of these attributes alone decides it, with the totals of all.
    """
    n_learners, n_blocks, _ = weights.shape
    size = indices.size
    totals = totals.copy()
    few = np.empty((n_learners, n_blocks, size))
    for k in range(n_learners):
        for block in range(n_blocks):
            for p in range(size):
                few[k, block, p] = weights[k, block, indices[p]] if indices[p] < n_known else totals[k, FRESH + block]
    small = State(few, np.empty((n_learners, size)), totals, counts, parameters)
    row = Row(data, np.arange(size), 0, size, None)
    decisions = np.empty(n_learners)
    for k in range(n_learners):
        for p in range(size):
            sum_attribute(small, k, p)
        if parameters[k]["negations"]:
            sum_complements(State(weights, coef, totals, counts, parameters), k)
            for block in range(n_blocks // 2, n_blocks):
                sign = -1.0 if is_negative(parameters[k], block) else 1.0
                totals[k, OFFSET] += n_new * sign * contribution(parameters[k], totals[k, FRESH + block])
        if parameters[k]["normalized"]:
            totals[k, TOTAL] += n_new * totals[k, FRESH : FRESH + n_blocks].sum()
        decisions[k] = decision(small, k, row)
    return decisions
