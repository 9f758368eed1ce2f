"""The mix of a committee over recorded scores of members that have learned on their own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.jit import jit_in_place
from winnowkit.core.multiclass import positive_class
from winnowkit.linear.mixing import Mix, Room, learn_mix, mix_scores
from winnowkit.linear.voting import CHECK, count_votes, elect, find_awake, let_rest


@jit_in_place
def learn_scores(
    mix: Mix,
    counts: NDArray[np.int64],
    scores: NDArray[np.float64],
    labels: NDArray[np.int64],
    parts: NDArray[np.float64],
    room: Room,
    predicted: NDArray[np.int64],
) -> None:
    """One trial of the mix per row of scores, of shape (rows, learners, members), as in the fused kernel."""
    n_learners = room.scores.shape[1]
    for i in range(scores.shape[0]):
        predicted[i] = ask_scores(mix, scores[i], room)
        counts[0, 0] += 1
        counts[0, 1] += predicted[i] != labels[i]
        part = parts[i] if parts.size else 1.0
        learn_mix(mix, labels[i], part, room.awake[: find_awake(mix, room)], room)
        count_votes(mix, labels[i], room)
        for k in range(n_learners):
            counts[1 + k, 1] += (room.log_odds[k] > 0.0) != (labels[i] == positive_class(k, n_learners))
        if counts[0, 0] % CHECK == 0:
            let_rest(mix)


@jit_in_place
def ask_scores(mix: Mix, scores: NDArray[np.float64], room: Room) -> int:
    """Code of the label that follows from the scores of all members."""
    for k in range(scores.shape[0]):
        for m in range(scores.shape[1]):
            room.scores[m, k] = scores[k, m]
    mix_scores(mix, room)
    return elect(mix, room)


@jit_in_place
def decide_scores(mix: Mix, scores: NDArray[np.float64], room: Room, decisions: NDArray[np.float64]) -> None:
    """Fill in the decisions that follow from the scores of all members; nothing is learned."""
    for i in range(scores.shape[0]):
        ask_scores(mix, scores[i], room)
        for k in range(decisions.shape[1]):
            decisions[i, k] = room.decisions[k]
