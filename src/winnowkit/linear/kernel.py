"""Trials of linear on-line learners over CSR rows: score, prediction, and the update that the policy asks for.

`linear/weights.py` says what the state of a weight is, and how it contributes to a score.

:func:`foresee` decides as if there were attributes that have not turned up yet.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Row, Rows, check_active, check_indices, check_values, dot, longest_row, value
from winnowkit.core.interpreted import briefly
from winnowkit.core.jit import jit, jit_brief, jit_in_place
from winnowkit.core.multiclass import PREDICT_ONLY, SMALLEST, asks_update, choose, label_of, positive_class
from winnowkit.linear.weights import (
    FRESH,
    HUGE,
    OFFSET,
    TOTAL,
    TOUCHED,
    LinearState,
    Link,
    contribution,
    is_complement,
    is_negative,
    renormalize,
    sum_attribute,
    sum_complements,
)

TIE = 1e-12  # a score this close to theta, relatively, is a tie but for rounding: powers of 3/2 often tie
SMALL = 2**14  # weights whose copy costs little beside any call
BLOCK = 16  # rows that learner after learner walks: few enough for what they look up to stay in the cache


@jit_in_place
def decision(state: LinearState, k: int, row: Row) -> float:
    """Score of learner k minus theta: positive iff it predicts 1."""
    parameters = state.parameters[k]
    score = (state.totals[k, OFFSET] + dot(state.coef[k], row)) / state.totals[k, TOTAL] - parameters["theta"]
    tied = 0.0 if parameters["strict"] else SMALLEST
    return tied if abs(score) <= TIE * abs(parameters["theta"]) else score


def seconds_to_learn(state: LinearState, rows: Rows, _: Any, order: NDArray[np.int64], *__: Any) -> float:
    """Return how long the interpreter would take; infinitely long if nobody keeps a copy, as it can be interrupted."""
    if state.weights.size > SMALL:
        return inf
    touched = state.coef.shape[1] if state.parameters["negations"].any() else longest_row(rows)
    return order.size * len(state.coef) * (2e-5 + 5e-6 * state.weights.shape[1] * touched)


@briefly(seconds_to_learn)
@jit_in_place
def learn(
    state: LinearState,
    rows: Rows,
    labels: NDArray[np.int64],
    order: NDArray[np.int64],
    parts: NDArray[np.float64] | None,
    frozen: NDArray[np.bool_],
    checked: bool,
    predicted: NDArray[np.int64],
    decisions: NDArray[np.float64],
    recorded: NDArray[np.float64],
    plain: bool | None,
) -> int:
    """Run trials on the rows in the given order, and fill in the label predicted before each update, in that order.

    `parts` says how much of its update each trial makes; None: all of it. `plain` may be None if all learners
    :func:`are_plain`: that is compiled in half the time.

    Rows that were not `checked` before, which must then come in their own order, are checked one block at a time: what
    is needed to walk a block safely is checked before, its values after, when they are in the cache. Returns the flags
    of the block where it stopped, else 0. Learner after learner walks a block; `decisions` is room for those on one, of
    shape (BLOCK, learners). All of them are kept in `recorded`, of shape (trials, learners), unless it has no columns.
    """
    n_learners, n = state.coef.shape
    first_class = positive_class(0, n_learners)  # asked once: a call in the loop costs a tenth of the time
    first: Any = np.int64(0)  # for a literal 0 what is called below would be compiled a second time
    while first < order.size:
        block = order[first : first + block_size(state)]
        flags = 0 if checked else check_indices(rows, first, first + block.size, n)
        if flags:
            return flags
        for k in range(n_learners):
            learn_block(state, k, rows, labels, block, parts, first, first_class + k, frozen[k], decisions, plain)
        for i in range(block.size):
            predicted[first + i] = choose(decisions, i)
            state.counts[0, 1] += predicted[first + i] != labels[block[i]]
            for k in range(recorded.shape[1]):
                recorded[first + i, k] = decisions[i, k]
        flags = 0 if checked else check_values(rows, first, first + block.size)
        if flags:
            return flags
        state.counts[0, 0] += block.size
        first += block.size
    return 0


@jit_in_place
def block_size(state: LinearState) -> int:
    """The number of rows until the next block: blocks begin at multiples of BLOCK trials, however the rows come."""
    return BLOCK - state.counts[0, 0] % BLOCK


@jit_in_place
def learn_block(
    state: LinearState,
    k: int,
    rows: Rows,
    labels: NDArray[np.int64],
    block: NDArray[np.int64],
    parts: NDArray[np.float64] | None,
    first: int,
    positive: int,
    frozen: bool,
    decisions: NDArray[np.float64],
    plain: bool | None,
) -> None:
    """Run the trials of learner k, for which one label is positive, on some rows, the trials from `first` on."""
    for i in range(block.size):
        r = block[i]
        row = Row(rows.data, rows.indices, rows.indptr[r], rows.indptr[r + 1], rows.binarize)
        score = decision(state, k, row)
        decisions[i, k] = score
        y = labels[r] == positive
        state.counts[1 + k, 1] += (score > 0.0) != y
        if asks_update(state.parameters[k], score, y) and not frozen:
            update(state, k, row, y, part_of(parts, first + i), plain)


@jit_in_place
def part_of(parts: NDArray[np.float64] | None, i: int) -> float | None:
    """Return how much of its update trial i makes, None if all make all of it."""
    if parts is None:
        return None
    return parts[i]


@jit_in_place
def update(state: LinearState, k: int, row: Row, y: bool, part: float | None, plain: bool | None) -> None:
    """Change the weights of learner k that were active in this example; None: it is plain."""
    state.counts[1 + k, 0] += 1
    if plain is None:
        for p in range(np.uint64(row.start), np.uint64(row.stop)):
            x = value(row.data, p, row.binarize)
            if x > 0.0:
                change_weight(state, k, np.uint64(row.indices[p]), x, y, part)
        state.totals[k, TOUCHED] += row.stop - row.start
    else:
        update_any(state, k, row, y, part)


@jit_in_place
def update_any(state: LinearState, k: int, row: Row, y: bool, part: float | None) -> None:
    """The same by any rule."""
    parameters = state.parameters[k]
    if parameters["negations"]:
        p = row.start
        for j in range(state.coef.shape[1]):
            x = 0.0
            if p < row.stop and row.indices[p] == j:
                x = value(row.data, p, row.binarize)
                p += 1
            change_attribute(state, k, j, x, y, part)
        sum_complements(state, k)
        step_fresh(state, k, y, part)
        state.totals[k, TOUCHED] = np.inf
    else:
        for p in range(np.uint64(row.start), np.uint64(row.stop)):
            x = value(row.data, p, row.binarize)
            if x > 0.0:
                change_attribute(state, k, np.uint64(row.indices[p]), x, y, part)
        state.totals[k, TOUCHED] += row.stop - row.start
    if parameters["normalized"]:
        renormalize(state, k)


def are_plain(state: LinearState) -> bool:
    """Whether an update of all learners changes the weights of active attributes and nothing else.

    There are neither complements nor negative weights, a weight is what it adds to the score, and their sum is free.
    """
    parameters = state.parameters
    of_weights = bool((parameters["link"] == Link.WEIGHT).all()) and state.weights.shape[1] == 1
    return of_weights and not parameters["normalized"].any()


@jit_in_place
def change_weight(state: LinearState, k: int, j: Any, x: float, y: bool, part: float | None) -> None:
    """Update the only weight of attribute j, whose value is x; coef is the weight (and mostly the same memory)."""
    weights = state.weights[k]
    weights[0, j] = stepped(state.parameters[k], weights[0, j], in_part(x, part), y)
    state.coef[k, j] = weights[0, j]


@jit_in_place
def change_attribute(state: LinearState, k: int, j: Any, x: float, y: bool, part: float | None) -> None:
    """Update every weight of attribute j, whose value is x, and what it adds to the score."""
    parameters = state.parameters[k]
    weights = state.weights[k]
    n_blocks = weights.shape[0]
    if n_blocks == 1 and parameters["link"] == Link.WEIGHT:
        before = weights[0, j]
        change_weight(state, k, j, x, y, part)
        if parameters["normalized"]:
            state.totals[k, TOTAL] += weights[0, j] - before
        return
    for block in range(n_blocks):
        present = 1.0 - x if is_complement(parameters, block, n_blocks) else x
        if present > 0.0:
            y_here = y != is_negative(parameters, block)
            weights[block, j] = stepped(parameters, weights[block, j], in_part(present, part), y_here)
    sum_attribute(state, k, j)


@jit_in_place
def stepped(parameters: Any, state: float, x: float, y: bool) -> float:
    """State of a weight after an update on an example that has its attribute at x > 0."""
    change = parameters["up"] if y else parameters["down"]
    if parameters["link"] != Link.WEIGHT:
        return max(state + x * change, parameters["floor"])
    if x != 1.0:
        change = change**x
    return min(max(state * change if y else state / change, parameters["floor"]), HUGE)


@jit_in_place
def in_part(x: float, part: float | None) -> float:
    """Return the value x of an attribute for an update of which only a part is made; None stands for all of it.

    A part p is the power p of a weight's factor, as a value p of the attribute would be.
    """
    if part is None:
        return x
    return x * part


@jit_in_place
def step_fresh(state: LinearState, k: int, y: bool, part: float | None) -> None:
    """Update the states of an attribute that has been 0 so far: those of its complement."""
    parameters = state.parameters[k]
    n_blocks = state.weights.shape[1]
    for block in range(n_blocks // 2, n_blocks):
        before = state.totals[k, FRESH + block]
        y_here = y != is_negative(parameters, block)
        state.totals[k, FRESH + block] = stepped(parameters, before, in_part(1.0, part), y_here)


@briefly(lambda _, rows, __, decisions: decisions.size * (1e-5 + 2e-6 * longest_row(rows)))
@jit_in_place
def decide(state: LinearState, rows: Rows, first: int, decisions: NDArray[np.float64]) -> None:
    """Fill in the decisions of all learners on the rows from `first` on."""
    for k in range(decisions.shape[1]):
        for i in range(decisions.shape[0]):
            r = first + i
            row = Row(rows.data, rows.indices, rows.indptr[r], rows.indptr[r + 1], rows.binarize)
            decisions[i, k] = decision(state, k, row)


@jit_brief
def trial_active(
    weights: NDArray[np.float64],
    coef: NDArray[np.float64],
    totals: NDArray[np.float64],
    counts: NDArray[np.int64],
    parameters: NDArray[np.void],
    indices: NDArray[Any],
    label: int,
) -> int:
    """Run one trial on the active indices alone. -1: they do not strictly increase, -2: one is out of range.

    The fields of LinearState come one by one: unpacking a tuple would double the cost of a call.
    """
    n_learners = coef.shape[0]
    refused = check_active(indices, coef.shape[1])
    if refused:
        return refused
    state = LinearState(weights, coef, totals, counts, parameters)
    row = Row(None, indices, 0, indices.size, 0.0)
    best, highest = 0, -np.inf  # as `choose` does
    for k in range(n_learners):
        score = decision(state, k, row)
        if score > highest:
            best, highest = k, score
        if label != PREDICT_ONLY:
            y = label == positive_class(k, n_learners)
            counts[1 + k, 1] += (score > 0.0) != y
            if asks_update(parameters[k], score, y):
                update(state, k, row, y, None, True)
    predicted = label_of(best, highest, n_learners)
    if label != PREDICT_ONLY:
        counts[0, 0] += 1
        counts[0, 1] += predicted != label
    return predicted


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
    """Return the decisions of a learner that had n_new more attributes, 0 so far, and other parameters.

    The example has the attributes `indices` at the values of `data` (None: all 1); those from n_known on are new. A
    learner of these attributes alone decides it, with the totals of all. Nothing is changed.
    """
    n_learners, n_blocks, _ = weights.shape
    size = indices.size
    totals = totals.copy()
    few = np.empty((n_learners, n_blocks, size))
    for k in range(n_learners):
        for block in range(n_blocks):
            for p in range(size):
                few[k, block, p] = weights[k, block, indices[p]] if indices[p] < n_known else totals[k, FRESH + block]
    small = LinearState(few, np.empty((n_learners, size)), totals, counts, parameters)
    row = Row(data, np.arange(size), 0, size, None)
    decisions = np.empty(n_learners)
    for k in range(n_learners):
        for p in range(size):
            sum_attribute(small, k, p)
        if parameters[k]["negations"]:
            sum_complements(LinearState(weights, coef, totals, counts, parameters), k)
            for block in range(n_blocks // 2, n_blocks):
                sign = -1.0 if is_negative(parameters[k], block) else 1.0
                totals[k, OFFSET] += n_new * sign * contribution(parameters[k], totals[k, FRESH + block])
        if parameters[k]["normalized"]:
            totals[k, TOTAL] += n_new * totals[k, FRESH : FRESH + n_blocks].sum()
        decisions[k] = decision(small, k, row)
    return decisions
