"""Trials of AROW, coin betting and hypentropy on scaled values, each on its own.

The rule is a number: a kernel that took functions could not be kept on disk.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows, check_active, longest_row
from winnowkit.core.interpreted import briefly
from winnowkit.core.jit import jit_brief, jit_in_place
from winnowkit.core.multiclass import PREDICT_ONLY, positive_class
from winnowkit.linear.mixing import WIDEST, StepRoom, label_of, relax, step_alone, step_classes
from winnowkit.linear.scaling import Example, count_example, load, load_active, typical
from winnowkit.linear.steps import BETA_HYPENTROPY, arow_gain, arow_variance, coin_step, coin_weight, hypentropy_step

AROW, COIN, HYPENTROPY = 0, 1, 2
N_FIELDS = (2, 4, 2)
"""How many numbers the record of an attribute has, for each rule."""
LEAST_SLOPE = 0.01
"""Slopes of the log-odds stay positive, so that the label with the largest score is the most probable one."""


class ScaledState(NamedTuple):
    """Learners by one rule, and what they know of the columns."""

    records: NDArray[np.float64]  # (n + 1, learners, N_FIELDS[rule]), the bias first
    largest: NDArray[np.float64]  # of each column, the largest absolute value so far
    scale: NDArray[np.float64]  # how many trials there were, and the sum of 1 + ||x||^2 over them
    weights: NDArray[np.float64]  # log-odds per unit of a score above 0, and of one below
    covariance: NDArray[np.float64]  # of these two
    settings: NDArray[np.float64]  # share (0; `relax` asks for it), rule, and r of AROW
    counts: NDArray[np.int64]  # trials and wrong labels; then the updates and mistakes of each learner


@jit_in_place
def score(state: ScaledState, k: int, example: Example, size: int) -> float:
    """Score of learner k."""
    rule, rate, total = int(state.settings[1]), typical(state.scale), 0.0
    for p in range(size):
        record, z = state.records[example.places[p], k], example.z[p]
        if rule == AROW:
            total += record[0] * z
        elif rule == COIN:
            total += z * coin_weight(record[0], record[1], record[2], max(record[3], abs(z), rate))
        else:
            total += record[0] * example.x[p]
    return total


@jit_in_place
def update(state: ScaledState, k: int, example: Example, size: int, y: float, part: float, total: float) -> None:
    """Update learner k on a label, 1 or -1, given its score; `part` is that of a presentation."""
    rule, rate = int(state.settings[1]), typical(state.scale)
    r, spread = state.settings[2] / part, 0.0
    if rule == AROW:
        for p in range(size):
            spread += state.records[example.places[p], k, 1] * example.z[p] * example.z[p]
    gain = arow_gain(y, total, spread, r)
    slope = 2.0 * part * (total - y)
    for p in range(size):
        record, z = state.records[example.places[p], k], example.z[p]
        if rule == AROW:
            record[0] += gain * record[1] * z
            record[1] = arow_variance(record[1], z, r)
        elif rule == COIN:
            coin_step(record, y * z * part, max(record[3], abs(z), rate), np.inf)
        else:
            gradient = slope * example.x[p]
            record[0], record[1] = hypentropy_step(record[0], record[1], gradient, np.inf, BETA_HYPENTROPY)


@jit_in_place
def ask(state: ScaledState, example: Example, size: int, room: StepRoom) -> int:
    """Code of the label predicted; scores and log-odds are left in the room."""
    for k in range(room.scores.shape[1]):
        total = score(state, k, example, size)
        room.scores[0, k] = total  # features, from which slopes are learned, are cut
        room.features[k, 0] = min(WIDEST, max(0.0, total))
        room.features[k, 1] = max(-WIDEST, min(0.0, total))
        room.log_odds[k] = state.weights[0] * room.features[k, 0] + state.weights[1] * room.features[k, 1]
    return label_of(room.scores[0])


@jit_in_place
def calibrate(state: ScaledState, label: int, part: float, room: StepRoom) -> None:
    """Learn how fast log-odds rise with scores, on each side of 0."""
    relax(state)
    if room.features.shape[0] == 1:
        step_alone(state, label, part, room.awake, room)
    else:
        step_classes(state, label, part, room.awake, room)
    for i in range(2):
        state.weights[i] = max(state.weights[i], LEAST_SLOPE)


@jit_in_place
def trial(
    state: ScaledState, example: Example, size: int, label: int, weight: float, room: StepRoom, first: Any
) -> int:
    """One trial: the label predicted first, which is what `ask` alone would have predicted.

    A weight of w is w presentations in a row, the last one perhaps in part. The scores before the first of them are
    left in `first`, unless it is empty.
    """
    n_learners, predicted = room.scores.shape[1], -1
    while weight > 0.0:
        part = min(1.0, weight)
        weight -= 1.0
        said = ask(state, example, size, room)
        if predicted < 0:
            predicted = said
            for k in range(first.size):
                first[k] = room.scores[0, k]
        if label == PREDICT_ONLY:
            return said
        state.counts[0, 0] += 1
        state.counts[0, 1] += said != label
        if state.settings[1] == AROW:
            calibrate(state, label, part, room)
        count_example(state.scale, part, example)
        for k in range(n_learners):
            y = 1.0 if label == positive_class(k, n_learners) else -1.0
            total = room.scores[0, k]
            state.counts[1 + k, 1] += (total > 0.0) != (y > 0.0)
            if y * total < 1.0:
                state.counts[1 + k, 0] += 1
                update(state, k, example, size, y, part, total)
    return predicted


@jit_in_place
def learn(
    state: ScaledState,
    rows: Rows,
    labels: NDArray[np.int64],
    weights: NDArray[np.float64],
    order: NDArray[np.int64],
    example: Example,
    room: StepRoom,
    predicted: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> None:
    """One trial per row, in this order; fills in the labels predicted before each update (-1 where the weight is 0).

    Also fills in the scores, of shape (rows, learners), unless it has no columns.
    """
    for i in range(order.size):
        r = order[i]
        weight = weights[r] if weights.size else 1.0
        if weight > 0.0:
            size = load(state.largest, rows, r, True, example)
            predicted[r] = trial(state, example, size, labels[r], weight, room, scores[r])


@jit_brief
def trial_active(
    state: ScaledState,
    indices: NDArray[Any],
    label: int,
    example: Example,
    room: StepRoom,
    nowhere: NDArray[np.float64],
) -> int:
    """One trial on the active indices, whose values are 1; -1 if they do not strictly increase, -2 if out of range."""
    refused = check_active(indices, state.largest.size)
    if refused:
        return refused
    size = load_active(state.largest, indices, label != PREDICT_ONLY, example)
    return trial(state, example, size, label, 1.0, room, nowhere)


@briefly(lambda _, rows, __, ___, ____, _____, decisions: decisions.size * (2e-5 + 1e-5 * longest_row(rows)))
@jit_in_place
def decide(
    state: ScaledState, rows: Rows, first: int, calibrated: bool, example: Example, room: StepRoom, decisions: Any
) -> None:
    """Fill in the scores (or with `calibrated` the log-odds) of the rows from `first` on; nothing is learned."""
    for i in range(decisions.shape[0]):
        size = load(state.largest, rows, first + i, False, example)
        ask(state, example, size, room)
        for k in range(decisions.shape[1]):
            total = room.scores[0, k]
            decisions[i, k] = total * state.weights[0 if total > 0.0 else 1] if calibrated else total
