"""Committees of linear learners: predictions, and trials on single examples (tables are walked by `linear.learn`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Row, Rows, check_active
from winnowkit.core.jit import jit_in_place
from winnowkit.core.multiclass import PREDICT_ONLY
from winnowkit.core.policy import asks_update
from winnowkit.linear.kernel import BLOCK, decision
from winnowkit.linear.votes import Votes, let_rest, opinion, vote
from winnowkit.linear.weights import State, update


@jit_in_place
def decide(votes: Votes, decisions: NDArray[np.float64], rows: Rows, first: int, opinions: NDArray[np.float64]) -> None:
    """Fill in what the members' decisions on the rows from `first` on amount to, a committee a class."""
    n_committees = opinions.shape[1]
    for i in range(opinions.shape[0]):
        for c in range(n_committees):
            opinions[i, c] = opinion(votes, decisions, i, c)
        if votes.settings[0]["random"]:
            r = first + i
            row = Row(rows.data, rows.indices, rows.indptr[r], rows.indptr[r + 1], rows.binarize)
            drawn = vote(votes, decisions, i, row, PREDICT_ONLY, PREDICT_ONLY)
            for c in range(n_committees):
                opinions[i, c] = 1.0 if drawn == (1 if n_committees == 1 else c) else -1.0


@jit_in_place
def trial_active(state: State, votes: Votes, indices: NDArray[Any], label: int, decisions: NDArray[np.float64]) -> int:
    """As :func:`winnowkit.linear.kernel.trial_active`, for committees; `decisions` is room for one row."""
    n_learners, n = state.coef.shape
    n_members = votes.weights.shape[1]
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
            y = label == (1 if n_learners == n_members else k // n_members)
            state.counts[1 + k, 1] += (score > 0.0) != y
            if asks_update(state.parameters[k], score, y) and not votes.resting[k // n_members, k % n_members]:
                update(state, k, row, y)
    predicted = vote(votes, decisions, 0, row, label, trial)
    if label != PREDICT_ONLY:
        state.counts[0, 0] += 1
        state.counts[0, 1] += predicted != label
    return predicted
