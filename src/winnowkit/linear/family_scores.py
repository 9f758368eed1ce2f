"""Scores of the built-in experts of a single learner, for two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.jit import jit_in_place
from winnowkit.linear.family import (
    AROW_QUICK,
    AROW_SLOW,
    COIN,
    COIN_G,
    COIN_L,
    COIN_R,
    COIN_T,
    FULL_AROW,
    GRADIENT,
    HYPENTROPY,
    N_BEGS,
    N_FIELDS,
    THETA,
    W_GRADIENT,
    W_HYPENTROPY,
    W_QUICK,
    W_SLOW,
    Family,
)
from winnowkit.linear.full_arow import full_score
from winnowkit.linear.scaling import Example
from winnowkit.linear.steps import coin_weight


@jit_in_place
def score_single(
    family: Family, example: Example, size: int, rate: float, resting: Any, scores: NDArray[np.float64]
) -> None:
    """Fill in the scores of all experts, 0 for those at rest; the bias is the last of `size` entries."""
    records = family.records.reshape((family.records.shape[0], N_FIELDS))  # with fixed places of the fields
    score_begs(records, family.odds, example, size - 1, resting, scores)
    quick, slow, coin, gradient, hypentropy = 0.0, 0.0, 0.0, 0.0, 0.0
    bets = not resting[COIN]
    if bets or not (resting[AROW_QUICK] and resting[AROW_SLOW] and resting[GRADIENT] and resting[HYPENTROPY]):
        for p in range(size):
            record = records[example.places[p]]
            x, z = example.x[p], example.z[p]
            quick += record[W_QUICK] * z
            slow += record[W_SLOW] * z
            gradient += record[W_GRADIENT] * x
            hypentropy += record[W_HYPENTROPY] * x
            if bets:
                largest = max(record[COIN_L], np.float32(max(abs(z), rate)))
                coin += z * coin_weight(record[COIN_T], record[COIN_G], record[COIN_R], largest)
    scores[AROW_QUICK, 0] = 0.0 if resting[AROW_QUICK] else quick
    scores[AROW_SLOW, 0] = 0.0 if resting[AROW_SLOW] else slow
    scores[COIN, 0] = coin
    scores[GRADIENT, 0] = 0.0 if resting[GRADIENT] else gradient
    scores[HYPENTROPY, 0] = 0.0 if resting[HYPENTROPY] else hypentropy
    scores[FULL_AROW, 0] = 0.0 if resting[FULL_AROW] else full_score(family.full_weights[0], example, size)


@jit_in_place
def score_begs(
    records: NDArray[np.float32],
    odds: NDArray[np.float64],
    example: Example,
    size: int,
    resting: Any,
    scores: NDArray[np.float64],
) -> None:
    """Fill in the scores of the BEGs, those for clean labels and those for noisy ones in pairs."""
    for e in range(0, N_BEGS, 2):
        first, second = 0.0, 0.0
        if not (resting[e] and resting[e + 1]):
            of_first, of_second = odds[e], odds[e + 1]
            for p in range(size):
                if example.x[p] > 0.0:
                    record = records[example.places[p]]
                    o, other = of_first * record[e], of_second * record[e + 1]
                    first += o / (1.0 + o)
                    second += other / (1.0 + other)
        scores[e, 0] = 0.0 if resting[e] else first / THETA - 1.0
        scores[e + 1, 0] = 0.0 if resting[e + 1] else second / THETA - 1.0
