"""Trials of a committee with the built-in experts: all of them in one pass over the data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows, check_active
from winnowkit.core.jit import jit_in_place
from winnowkit.core.multiclass import PREDICT_ONLY, positive_class
from winnowkit.linear.family import N_BEGS, Example, Family, asks, score_experts, update_experts
from winnowkit.linear.mixing import Mix, Room, count_votes, elect, learn_mix, let_rest, mix_scores

CHECK = 16
"""Trials after which experts may be put to rest."""


@jit_in_place
def load(family: Family, rows: Rows, r: int, learning: bool, example: Example) -> int:
    """Scale row r; with `learning`, the largest values of its columns are kept. Returns its size with the bias."""
    size, squares = 0, 0.0
    for p in range(rows.indptr[r], rows.indptr[r + 1]):
        value, column = rows.data[p], rows.indices[p]
        if value != 0.0:
            largest = max(family.largest[column], abs(value))
            if learning:
                family.largest[column] = largest
            x = 1.0 if value == largest else value / largest
            example.places[size], example.x[size] = column + 1, x
            squares += x * x
            size += 1
    return finish(size, squares, example)


@jit_in_place
def finish(size: int, squares: float, example: Example) -> int:
    """Fill in z and the bias of an example whose x have this sum of squares; returns its size with the bias."""
    scale = 1.0 / math.sqrt(squares) if size else 0.0
    example.squares[0] = squares
    for p in range(size):
        example.z[p] = scale * example.x[p]
    example.places[size] = 0
    example.x[size] = example.z[size] = 1.0
    return size + 1


@jit_in_place
def ask(family: Family, mix: Mix, example: Example, size: int, room: Room) -> int:
    """Code of the label predicted; scores, features and decisions are left in the room."""
    rate = math.sqrt(max(family.scale[0], 1.0) / max(family.scale[1], 1.0))
    for k in range(room.scores.shape[0]):
        score_experts(family, k, example, size, rate, mix.resting[k], room.scores[k])
    mix_scores(mix, N_BEGS, room)
    return elect(mix, room)


@jit_in_place
def trial(
    family: Family,
    mix: Mix,
    counts: NDArray[np.int64],
    example: Example,
    size: int,
    label: int,
    weight: float,
    room: Room,
) -> int:
    """One trial: the label predicted first. A weight of w is w presentations in a row, the last one perhaps in part."""
    first = -1
    while weight > 0.0:
        part = min(1.0, weight)
        weight -= 1.0
        family.scale[0] += part
        family.scale[1] += part * (1.0 + example.squares[0])
        if counts[0, 0] % CHECK == 0:
            let_rest(mix)
        predicted = ask(family, mix, example, size, room)
        first = predicted if first < 0 else first
        counts[0, 0] += 1
        counts[0, 1] += predicted != label
        learn_mix(mix, label, part, room)
        count_votes(mix, label, room)
        rate = math.sqrt(max(family.scale[0], 1.0) / max(family.scale[1], 1.0))
        n_learners = room.scores.shape[0]
        for k in range(n_learners):
            y = 1.0 if label == positive_class(k, n_learners) else -1.0
            counts[1 + k, 1] += (room.log_odds[k] > 0.0) != (y > 0.0)
            if asks(room.scores[k], mix.resting[k], y, room.learns):
                counts[1 + k, 0] += 1
                update_experts(family, k, example, size, rate, y, part, room.scores[k], room.learns)
    return first


@jit_in_place
def learn(
    family: Family,
    mix: Mix,
    counts: NDArray[np.int64],
    rows: Rows,
    labels: NDArray[np.int64],
    weights: NDArray[np.float64],
    order: NDArray[np.int64],
    example: Example,
    room: Room,
    predicted: NDArray[np.int64],
) -> None:
    """One trial per row, in this order; fills in the labels predicted before each update (-1 where the weight is 0)."""
    for i in range(order.size):
        r = order[i]
        weight = weights[r] if weights.size else 1.0
        if weight > 0.0:
            size = load(family, rows, r, True, example)
            predicted[r] = trial(family, mix, counts, example, size, labels[r], weight, room)


@jit_in_place
def trial_active(
    family: Family,
    mix: Mix,
    counts: NDArray[np.int64],
    indices: NDArray[Any],
    label: int,
    example: Example,
    room: Room,
) -> int:
    """One trial on the active indices, whose values are 1; -1 if they do not strictly increase, -2 if out of range."""
    refused = check_active(indices, family.largest.size)
    if refused:
        return refused
    squares = 0.0
    for p in range(indices.size):
        column = indices[p]
        largest = max(family.largest[column], 1.0)
        if label != PREDICT_ONLY:
            family.largest[column] = largest
        example.places[p], example.x[p] = column + 1, 1.0 / largest
        squares += example.x[p] * example.x[p]
    size = finish(indices.size, squares, example)
    if label == PREDICT_ONLY:
        return ask(family, mix, example, size, room)
    return trial(family, mix, counts, example, size, label, 1.0, room)


@jit_in_place
def decide(
    family: Family, mix: Mix, rows: Rows, first: int, example: Example, room: Room, decisions: NDArray[np.float64]
) -> None:
    """Fill in the decisions on the rows from `first` on; nothing is learned."""
    for i in range(decisions.shape[0]):
        size = load(family, rows, first + i, False, example)
        ask(family, mix, example, size, room)
        for k in range(decisions.shape[1]):
            decisions[i, k] = room.decisions[k]
