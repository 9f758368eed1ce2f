"""Scores of the built-in experts of a single learner, for two classes, eight attributes at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.jit import jit_in_place
from winnowkit.linear.family import (
    AROW_QUICK,
    AROW_SLOW,
    COIN,
    COIN_T,
    FULL_AROW,
    GRADIENT,
    HYPENTROPY,
    Family,
    beg_score,
)
from winnowkit.linear.full_arow import full_score
from winnowkit.linear.lane_steps import beg_weights
from winnowkit.linear.lanes import (
    WIDTH,
    added_up,
    larger,
    load,
    load_records,
    numbered,
    of_one_learner,
    size_of,
    spread,
    where,
)
from winnowkit.linear.scaling import Example
from winnowkit.linear.steps import coin_weight


@jit_in_place
def score_single(
    family: Family, example: Example, size: int, rate: float, resting: Any, scores: NDArray[np.float64]
) -> None:
    """Fill in the scores of all experts, 0 for those at rest; the bias is the last of `size` entries."""
    records = of_one_learner(family.records)
    begs = not (resting[0] and resting[1] and resting[2] and resting[3])
    if begs or not (resting[AROW_QUICK] and resting[AROW_SLOW]):
        score_first_half(records, family.odds, example, size, begs, scores)
    if not (resting[COIN] and resting[GRADIENT] and resting[HYPENTROPY]):
        score_second_half(records, example, size, rate, not resting[COIN], scores)
    if not resting[FULL_AROW]:
        scores[FULL_AROW, 0] = full_score(family.full_weights[0], example, size)
    for e in range(scores.shape[0]):
        scores[e, 0] = 0.0 if resting[e] else scores[e, 0]


@jit_in_place
def score_first_half(
    records: NDArray[np.float32],
    odds: NDArray[np.float64],
    example: Example,
    size: int,
    begs: bool,
    scores: NDArray[np.float64],
) -> None:
    """Fill in the scores of the experts in the first half of a record: the BEGs, unless all of them rest, and AROWs."""
    beg0, beg1, beg2, beg3 = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    quick, slow = spread(0.0), spread(0.0)
    for p in range(0, size, WIDTH):
        x, z = load(example.x, p), load(example.z, p)
        o0, o1, o2, o3, w_quick, _, w_slow, _ = load_records(records, example.places, p, 0)
        quick, slow = quick + w_quick * z, slow + w_slow * z
        if begs:
            seen = where(numbered() < size - 1 - p, x, spread(0.0))  # the bias is no attribute of a disjunction
            beg0 = beg0 + where(seen > 0.0, beg_weights(odds[0] * o0), spread(0.0))
            beg1 = beg1 + where(seen > 0.0, beg_weights(odds[1] * o1), spread(0.0))
            beg2 = beg2 + where(seen > 0.0, beg_weights(odds[2] * o2), spread(0.0))
            beg3 = beg3 + where(seen > 0.0, beg_weights(odds[3] * o3), spread(0.0))
    scores[0, 0], scores[1, 0] = beg_score(added_up(beg0)), beg_score(added_up(beg1))
    scores[2, 0], scores[3, 0] = beg_score(added_up(beg2)), beg_score(added_up(beg3))
    scores[AROW_QUICK, 0], scores[AROW_SLOW, 0] = added_up(quick), added_up(slow)


@jit_in_place
def score_second_half(
    records: NDArray[np.float32], example: Example, size: int, rate: float, bets: bool, scores: NDArray[np.float64]
) -> None:
    """Fill in the scores of the experts in the second half: coin, unless it rests, gradient and hypentropy."""
    coin, gradient, hypentropy = spread(0.0), spread(0.0), spread(0.0)
    for p in range(0, size, WIDTH):
        x, z = load(example.x, p), load(example.z, p)
        total, stakes, won, most, w_gradient, _, w_hypentropy, _ = load_records(records, example.places, p, COIN_T)
        gradient, hypentropy = gradient + w_gradient * x, hypentropy + w_hypentropy * x
        if bets:
            largest = larger(most, larger(size_of(z), spread(rate)))
            coin = coin + coin_weight(total, stakes, won, largest) * z
    scores[COIN, 0], scores[GRADIENT, 0], scores[HYPENTROPY, 0] = (
        added_up(coin),
        added_up(gradient),
        added_up(hypentropy),
    )
