"""Weighted Majority over linear learners: their weighted votes, the cost of a mistake, and trials of committees.

Littlestone & Warmuth 1994: a member that errs has its weight multiplied by beta. Sharing (Herbster & Warmuth 1998)
moves part of all weight back to equal parts after each trial, so that a member that was bad for long can lead again.
The members are the learners of a :class:`~winnowkit.linear.weights.LinearState`, committee after committee.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Row, Rows, check_active, check_indices, check_values, value
from winnowkit.core.jit import jit_brief, jit_in_place
from winnowkit.core.multiclass import PREDICT_ONLY, label_of, positive_class
from winnowkit.core.policy import asks_update
from winnowkit.core.random_streams import scramble
from winnowkit.linear.kernel import BLOCK, block_size, decision, learn_block
from winnowkit.linear.weights import LinearState, update

LEAST = 2.0**-500  # the least weight of a member, relative to the leader's
RESTS = 2.0**-400  # a member with a smaller weight does not update

SETTINGS = np.dtype([("beta", np.float64), ("share", np.float64), ("random", np.bool_), ("seed", np.uint64)])


class Votes(NamedTuple):
    """The weights of the members, the largest of each class being 1, and how they vote."""

    weights: NDArray[np.float64]  # (classes, members); one row if there are two classes
    resting: NDArray[np.bool_]  # of the same shape
    settings: NDArray[np.void]  # one record of SETTINGS


@jit_in_place
def let_rest(votes: Votes) -> None:
    """Spare hopeless members their updates (they go on voting): some err all the time once a label was wrong."""
    for c in range(votes.weights.shape[0]):
        for m in range(votes.weights.shape[1]):
            votes.resting[c, m] = votes.weights[c, m] < RESTS


@jit_in_place
def opinion(votes: Votes, decisions: NDArray[np.float64], i: int, c: int) -> float:
    """Return the share of the weight for class c minus the share against it."""
    n_members = votes.weights.shape[1]
    balance, total = 0.0, 0.0
    for m in range(n_members):
        weight = votes.weights[c, m]
        balance += weight if decisions[i, c * n_members + m] > 0.0 else -weight
        total += weight
    return balance / total


@jit_in_place
def vote(votes: Votes, decisions: NDArray[np.float64], i: int, row: Row, label: int, trial: int) -> int:
    """Return the label that the members vote for in row i of `decisions`; then, given the label, reweight them."""
    n_classes = votes.weights.shape[0]
    best, highest = 0, -np.inf
    for c in range(n_classes):
        score = opinion(votes, decisions, i, c)
        if score > highest:
            best, highest = c, score
    voted = label_of(best, highest, n_classes)
    if votes.settings[0]["random"]:
        voted = draw(votes, decisions, i, uniform(votes.settings[0]["seed"], row, trial))
    if label != PREDICT_ONLY:
        for c in range(n_classes):
            reweight(votes, decisions, i, c, label == positive_class(c, n_classes))
    return voted


@jit_in_place
def draw(votes: Votes, decisions: NDArray[np.float64], i: int, u: float) -> int:
    """Draw a label with the probability that is its share of the weight (notes 3 and 4 of Helmbold et al.)."""
    n_classes = votes.weights.shape[0]
    if n_classes == 1:
        return 1 if u < 0.5 + 0.5 * opinion(votes, decisions, i, 0) else 0
    total = 0.0
    for c in range(n_classes):
        total += 1.0 + opinion(votes, decisions, i, c)
    passed, drawn = 0.0, 0
    for c in range(n_classes):
        if passed <= u * total:
            drawn = c
        passed += 1.0 + opinion(votes, decisions, i, c)
    return drawn


@jit_in_place
def reweight(votes: Votes, decisions: NDArray[np.float64], i: int, c: int, y: bool) -> None:
    """Punish the members that erred, then share."""
    beta, share = votes.settings[0]["beta"], votes.settings[0]["share"]
    n_members = votes.weights.shape[1]
    highest, total = 0.0, 0.0
    for m in range(n_members):
        if (decisions[i, c * n_members + m] > 0.0) != y:
            votes.weights[c, m] *= beta
        highest = max(highest, votes.weights[c, m])
        total += votes.weights[c, m]
    shared = share * total / n_members
    highest = (1.0 - share) * highest + shared
    for m in range(n_members):
        votes.weights[c, m] = max(((1.0 - share) * votes.weights[c, m] + shared) / highest, LEAST)


@jit_in_place
def uniform(seed: Any, row: Row, trial: int) -> float:
    """Draw a number in [0, 1) that depends on the seed, the example and the trial alone."""
    word = scramble(int(seed) ^ int(np.uint64(trial + 1)))
    for p in range(row.start, row.stop):
        if value(row.data, p, row.binarize) > 0.0:
            word = scramble(word ^ int(np.uint64(row.indices[p])))
    return float(word >> 11) * 2.0**-53


@jit_in_place
def learn(
    state: LinearState,
    votes: Votes,
    rows: Rows,
    labels: NDArray[np.int64],
    order: NDArray[np.int64],
    frozen: NDArray[np.bool_],
    checked: bool,
    predicted: NDArray[np.int64],
    decisions: NDArray[np.float64],
) -> int:
    """Run trials as :func:`winnowkit.linear.kernel.learn` does, and vote after each block."""
    n_committees, n_members = votes.weights.shape
    first = 0
    while first < order.size:
        trial = state.counts[0, 0]
        block = order[first : first + block_size(state)]
        flags = 0 if checked else check_indices(rows, first, first + block.size, state.coef.shape[1])
        if flags:
            return flags
        if trial % BLOCK == 0:
            let_rest(votes)
        for k in range(n_committees * n_members):
            positive = positive_class(k // n_members, n_committees)
            rests = frozen[k] or votes.resting[k // n_members, k % n_members]
            learn_block(state, k, rows, labels, block, positive, rests, decisions)
        for i in range(block.size):
            r = block[i]
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
def decide(votes: Votes, decisions: NDArray[np.float64], rows: Rows, first: int, opinions: NDArray[np.float64]) -> None:
    """Fill in the opinions of the committees, given the members' decisions on the rows from `first` on."""
    n_committees = opinions.shape[1]
    for i in range(opinions.shape[0]):
        for c in range(n_committees):
            opinions[i, c] = opinion(votes, decisions, i, c)
        if votes.settings[0]["random"]:
            r = first + i
            row = Row(rows.data, rows.indices, rows.indptr[r], rows.indptr[r + 1], rows.binarize)
            drawn = vote(votes, decisions, i, row, PREDICT_ONLY, PREDICT_ONLY)
            for c in range(n_committees):
                opinions[i, c] = 1.0 if drawn == positive_class(c, n_committees) else -1.0


@jit_brief
def trial_active(
    state: LinearState, votes: Votes, indices: NDArray[Any], label: int, decisions: NDArray[np.float64]
) -> int:
    """As :func:`winnowkit.linear.kernel.trial_active`, for committees; `decisions` is room for one row."""
    n_learners, n = state.coef.shape
    n_committees, n_members = votes.weights.shape
    refused = check_active(indices, n)
    if refused:
        return refused
    row = Row(None, indices, 0, indices.size, 0.0)
    trial = PREDICT_ONLY if label == PREDICT_ONLY else state.counts[0, 0]
    if trial != PREDICT_ONLY and trial % BLOCK == 0:
        let_rest(votes)
    for k in range(n_learners):
        score = decision(state, k, row)
        decisions[0, k] = score
        if label != PREDICT_ONLY:
            y = label == positive_class(k // n_members, n_committees)
            state.counts[1 + k, 1] += (score > 0.0) != y
            if asks_update(state.parameters[k], score, y) and not votes.resting[k // n_members, k % n_members]:
                update(state, k, row, y)
    predicted = vote(votes, decisions, 0, row, label, trial)
    if label != PREDICT_ONLY:
        state.counts[0, 0] += 1
        state.counts[0, 1] += predicted != label
    return predicted
