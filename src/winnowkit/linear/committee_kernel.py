"""Trials of a committee with the built-in experts: all of them in one pass over the data."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows, check_active, longest_row
from winnowkit.core.interpreted import briefly
from winnowkit.core.jit import jit_brief, jit_in_place
from winnowkit.core.multiclass import PREDICT_ONLY, positive_class
from winnowkit.linear.family import FULL_AROW, R_FULL, Family, asks
from winnowkit.linear.family_lanes import score_several, update_several
from winnowkit.linear.family_scores import score_single
from winnowkit.linear.family_updates import update_experts
from winnowkit.linear.full_arow import update_full
from winnowkit.linear.lanes import of_one_learner
from winnowkit.linear.mixing import Mix, Room, learn_mix, mix_scores, slot_of
from winnowkit.linear.scaling import Example, count_example, load, load_active, typical
from winnowkit.linear.voting import CHECK, count_votes, elect, find_awake, let_rest

SMALL = 2**14  # records whose copy costs little beside any call


@jit_in_place
def ask(family: Family, mix: Mix, example: Example, size: int, room: Room) -> int:
    """Code of the label predicted; scores, features and decisions are left in the room."""
    score(family, mix, example, size, room, room.slot_scores)
    mix_scores(mix, room)
    return elect(mix, room)


@jit_in_place
def score(family: Family, mix: Mix, example: Example, size: int, room: Room, lanes: Any) -> None:
    """Fill in the scores of all experts. As `lanes` tell by their type, code for several learners is compiled apart."""
    rate = typical(family.scale)
    if lanes is None:
        score_single(family, example, size, rate, mix.resting[0], room.scores)
    else:
        score_several(family, example, size, rate, mix.resting, room)


@jit_in_place
def trial(
    family: Family,
    mix: Mix,
    counts: NDArray[np.int64],
    example: Example,
    size: int,
    label: int,
    weight: float,
    mixes: bool,
    room: Room,
) -> int:
    """One trial: the label predicted first, which is what `ask` alone would have predicted.

    A weight of w is w presentations in a row, the last one perhaps in part. Without `mixes` the experts that are awake
    learn, and nothing else: the label may then be none of the learners', as there is when a few classes are learned by
    themselves, and counts as another class.
    """
    first = -1
    while weight > 0.0:
        part = min(1.0, weight)
        weight -= 1.0
        score(family, mix, example, size, room, room.slot_scores)
        if mixes:
            mix_scores(mix, room)
            predicted = elect(mix, room)
            first = predicted if first < 0 else first
            if label == PREDICT_ONLY:
                return first
            counts[0, 0] += 1
            counts[0, 1] += predicted != label
            learn_mix(mix, label, part, room.awake[: find_awake(mix, room)], room)
            count_votes(mix, label, room)
        count_example(family.scale, part, example)
        update(family, mix, counts, example, size, label, part, room)
        if mixes and counts[0, 0] % CHECK == 0:
            let_rest(mix)
    return first


@jit_in_place
def update(
    family: Family,
    mix: Mix,
    counts: NDArray[np.int64],
    example: Example,
    size: int,
    label: int,
    part: float,
    room: Room,
) -> None:
    """Let the experts learn that ask for it, and count the learners' mistakes and updates."""
    n_learners, some = room.scores.shape[1], False
    for k in range(n_learners):
        y = 1.0 if label == positive_class(k, n_learners) else -1.0
        counts[1 + k, 1] += (room.log_odds[k] > 0.0) != (y > 0.0)
        slot = slot_of(k, family.records.shape[2])
        if asks(room.scores, mix.resting, k, y, room.learns, slot):
            counts[1 + k, 0] += 1
            some = True
            if room.learns[FULL_AROW, slot]:
                score, r = room.scores[FULL_AROW, k], R_FULL / part
                update_full(family.full_weights[k], family.full_covariance[k], example, size, y, score, r)
    if some:
        update_linear(family, example, size, label, part, room, room.slot_scores)


@jit_in_place
def update_linear(family: Family, example: Example, size: int, label: int, part: float, room: Room, lanes: Any) -> None:
    """Update the experts that learn from this label, all but the one with a whole matrix; `lanes` as in `score`."""
    rate = typical(family.scale)
    if lanes is None:
        update_experts(
            of_one_learner(family.records), family, example, size, rate, 1.0 if label == 1 else -1.0, part, room
        )
    else:
        update_several(family, example, size, rate, label, part, room)


def seconds_to_ask(family: Family, rows: Rows) -> float:
    """Return how long the interpreter would take for one example; several classes have other operations."""
    if family.records.shape[2] > 1:
        return inf
    return 3e-4 + 3e-5 * longest_row(rows)


def seconds_to_learn(
    family: Family, _: Any, __: Any, rows: Rows, ___: Any, weights: Any, order: Any, *____: Any
) -> float:
    """Return how long the interpreter would take; infinitely long if nobody keeps a copy, as it can be interrupted."""
    if family.records.size > SMALL:
        return inf
    trials = weights[order].sum() + order.size if weights.size else order.size
    return trials * (3.0 * seconds_to_ask(family, rows) + 5e-7 * family.full_covariance.size)


@briefly(seconds_to_learn)
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
    mixes: bool,
    room: Room,
    predicted: NDArray[np.int64],
) -> None:
    """One trial per row, in this order; fills in the labels predicted before each update (-1 where the weight is 0)."""
    for i in range(order.size):
        r = order[i]
        weight = weights[r] if weights.size else 1.0
        if weight > 0.0:
            size = load(family.largest, rows, r, True, example)
            predicted[r] = trial(family, mix, counts, example, size, labels[r], weight, mixes, room)


@jit_brief
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
    size = load_active(family.largest, indices, label != PREDICT_ONLY, example)
    return trial(family, mix, counts, example, size, label, 1.0, True, room)


@briefly(lambda family, _, rows, __, ___, ____, decisions: len(decisions) * seconds_to_ask(family, rows))
@jit_in_place
def decide(
    family: Family, mix: Mix, rows: Rows, first: int, example: Example, room: Room, decisions: NDArray[np.float64]
) -> None:
    """Fill in the decisions on the rows from `first` on; nothing is learned."""
    for i in range(decisions.shape[0]):
        size = load(family.largest, rows, first + i, False, example)
        ask(family, mix, example, size, room)
        for k in range(decisions.shape[1]):
            decisions[i, k] = room.decisions[k]
