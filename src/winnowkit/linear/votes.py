"""Weighted Majority over learners: their weighted vote, and what a mistake costs a member.

Littlestone & Warmuth 1994: a member that errs has its weight multiplied by beta. Sharing (Herbster & Warmuth 1998)
moves part of all weight back to equal parts after each trial, so that a member that was bad for long can lead again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Row, value
from winnowkit.core.jit import jit_in_place
from winnowkit.core.multiclass import PREDICT_ONLY
from winnowkit.core.random_streams import scramble

LEAST = 2.0**-500  # no member's weight is less, relative to the leader's
RESTS = 2.0**-400  # a member whose weight is less does not update

SETTINGS = np.dtype([("beta", np.float64), ("share", np.float64), ("random", np.bool_), ("seed", np.uint64)])


class Votes(NamedTuple):
    """The members' weights, the largest of a class always 1, and how they vote."""

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
    """Share of the weight for class c minus the share against it."""
    n_members = votes.weights.shape[1]
    balance, total = 0.0, 0.0
    for m in range(n_members):
        weight = votes.weights[c, m]
        balance += weight if decisions[i, c * n_members + m] > 0.0 else -weight
        total += weight
    return balance / total


@jit_in_place
def vote(votes: Votes, decisions: NDArray[np.float64], i: int, row: Row, label: int, trial: int) -> int:
    """Label that the members' decisions in row i of `decisions` amount to; then, given the label, their new weights."""
    n_classes = votes.weights.shape[0]
    best, highest = 0, -np.inf
    for c in range(n_classes):
        score = opinion(votes, decisions, i, c)
        if score > highest:
            best, highest = c, score
    if votes.settings[0]["random"]:
        best = draw(votes, decisions, i, uniform(votes.settings[0]["seed"], row, trial))
    elif n_classes == 1:
        best = 1 if highest > 0.0 else 0
    if label != PREDICT_ONLY:
        for c in range(n_classes):
            reweight(votes, decisions, i, c, label == (1 if n_classes == 1 else c))
    return best


@jit_in_place
def draw(votes: Votes, decisions: NDArray[np.float64], i: int, u: float) -> int:
    """A label drawn with the probability that is its share of the weight (notes 3 and 4 of Helmbold et al.)."""
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
