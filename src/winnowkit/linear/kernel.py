"""Trials of linear on-line learners over CSR rows: score, prediction, and the update that the policy asks for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Row, Rows, check_active, check_indices, check_values, dot
from winnowkit.core.jit import jit_in_place
from winnowkit.core.multiclass import PREDICT_ONLY, SMALLEST, choose
from winnowkit.core.policy import asks_update
from winnowkit.linear.votes import Votes, let_rest, vote
from winnowkit.linear.weights import OFFSET, TOTAL, State, update

TIE = 1e-12  # a score this close to theta, relatively, is a tie that rounding spoilt: powers of 3/2 often tie
BLOCK = 16  # rows that learner after learner walks: few enough for what they look up to stay in the cache


@jit_in_place
def decision(state: State, k: int, row: Row) -> float:
    """Score of learner k minus theta: positive iff it predicts 1."""
    parameters = state.parameters[k]
    score = (state.totals[k, OFFSET] + dot(state.coef[k], row)) / state.totals[k, TOTAL] - parameters["theta"]
    tied = 0.0 if parameters["strict"] else SMALLEST
    return tied if abs(score) <= TIE * abs(parameters["theta"]) else score


@jit_in_place
def learn(
    state: State,
    rows: Rows,
    labels: NDArray[np.int64],
    order: NDArray[np.int64],
    frozen: NDArray[np.bool_],
    checked: bool,
    predicted: NDArray[np.int64],
    decisions: NDArray[np.float64],
    votes: Votes | None,
) -> int:
    """One trial a row, in the given order; fills in the labels predicted before each update.

    Rows not `checked` before, which must then come in their own order, are checked a block at a time: what is needed to
    walk it safely before, its values after, when they are in the cache. Returns the flags of the block where it
    stopped, else 0. Learner after learner walks a block; `decisions` is room for those on one, (BLOCK, learners).
    With `votes`, the learners are the members of committees, one committee a class.
    """
    n_learners, n = state.coef.shape
    n_members = 1
    if votes is not None:
        n_members = votes.weights.shape[1]
    first = 0
    while first < order.size:
        trial = state.counts[0, 0]  # blocks begin at multiples of BLOCK, however the rows come
        block = order[first : first + BLOCK - trial % BLOCK]
        flags = 0 if checked else check_indices(rows, first, first + block.size, n)
        if flags:
            return flags
        if votes is not None and trial % BLOCK == 0:
            let_rest(votes)
        for k in range(n_learners):
            positive = 1 if n_learners == n_members else k // n_members
            rests = frozen[k]
            if votes is not None:
                rests |= votes.resting[k // n_members, k % n_members]
            learn_block(state, k, rows, labels, block, positive, rests, decisions)
        for i in range(block.size):
            r = block[i]
            if votes is None:
                predicted[r] = choose(decisions, i)
            else:
                row = Row(rows.data, rows.indices, rows.indptr[r], rows.indptr[r + 1], rows.binarize)
                predicted[r] = vote(votes, decisions, i, row, labels[r], trial + i)
            state.counts[0, 1] += predicted[r] != labels[r]
        flags = 0 if checked else check_values(rows, first, first + block.size)
        if flags:
            return flags
        state.counts[0, 0] += block.size
        first += block.size
    return 0


@jit_in_place
def learn_block(
    state: State,
    k: int,
    rows: Rows,
    labels: NDArray[np.int64],
    block: NDArray[np.int64],
    positive: int,
    frozen: bool,
    decisions: NDArray[np.float64],
) -> None:
    """Trials of learner k, for which one label is positive, on some rows."""
    for i in range(block.size):
        r = block[i]
        row = Row(rows.data, rows.indices, rows.indptr[r], rows.indptr[r + 1], rows.binarize)
        score = decision(state, k, row)
        decisions[i, k] = score
        y = labels[r] == positive
        state.counts[1 + k, 1] += (score > 0.0) != y
        if asks_update(state.parameters[k], score, y) and not frozen:
            update(state, k, row, y)


@jit_in_place
def decide(state: State, rows: Rows, first: int, decisions: NDArray[np.float64]) -> None:
    """Fill in the decisions of all learners on the rows from `first` on."""
    for k in range(decisions.shape[1]):
        for i in range(decisions.shape[0]):
            r = first + i
            row = Row(rows.data, rows.indices, rows.indptr[r], rows.indptr[r + 1], rows.binarize)
            decisions[i, k] = decision(state, k, row)


@jit_in_place
def trial_active(
    weights: NDArray[np.float64],
    coef: NDArray[np.float64],
    totals: NDArray[np.float64],
    counts: NDArray[np.int64],
    parameters: NDArray[np.void],
    indices: NDArray[Any],
    label: int,
) -> int:
    """One trial on the active indices alone. -1: they do not strictly increase, -2: one is out of range.

    The fields of State come one by one: unpacking a tuple would double the cost of a call.
    """
    n_learners = coef.shape[0]
    refused = check_active(indices, coef.shape[1])
    if refused:
        return refused
    state = State(weights, coef, totals, counts, parameters)
    row = Row(None, indices, 0, indices.size, 0.0)
    best, highest = 0, -np.inf  # as `choose` does
    for k in range(n_learners):
        score = decision(state, k, row)
        if score > highest:
            best, highest = k, score
        if label != PREDICT_ONLY:
            y = label == (1 if n_learners == 1 else k)
            counts[1 + k, 1] += (score > 0.0) != y
            if asks_update(parameters[k], score, y):
                update(state, k, row, y)
    predicted = int(highest > 0.0) if n_learners == 1 else best
    if label != PREDICT_ONLY:
        counts[0, 0] += 1
        counts[0, 1] += predicted != label
    return predicted
