"""Updates of the built-in experts of a single learner, for two classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from winnowkit.core.jit import jit_in_place
from winnowkit.linear.family import (
    AROW_QUICK,
    AROW_SLOW,
    BETA_SINGLE,
    COIN,
    COIN_L,
    COIN_T,
    G_GRADIENT,
    G_HYPENTROPY,
    GRADIENT,
    HYPENTROPY,
    LEAST_SUM,
    LIMIT,
    MOST_FACTOR,
    N_BEGS,
    R_QUICK,
    R_SLOW,
    S_QUICK,
    S_SLOW,
    W_GRADIENT,
    W_HYPENTROPY,
    W_QUICK,
    W_SLOW,
    Family,
    beg_factor,
    gradient_gain,
    least_factor,
)
from winnowkit.linear.mixing import Room
from winnowkit.linear.scaling import Example
from winnowkit.linear.steps import arow_gain, arow_variance, coin_step, hypentropy_step


@jit_in_place
def update_experts(
    records: Any, family: Family, example: Example, size: int, rate: float, y: float, part: float, room: Room
) -> None:
    """Update the experts that learn from this label, 1 or -1; all but the one with a whole matrix.

    `part` is 1, or the fraction of a presentation that a sample weight leaves: BEGs take it as a power of their factor,
    AROW as a variance r / part, the others as a scaled gradient.
    """
    scores, learns, steps = room.scores[:, 0], room.learns[:, 0], example.steps
    update_begs(records, family.odds[N_BEGS], example, size - 1, y > 0.0, part, learns)
    in_quick, in_slow, length = 0.0, 0.0, 0.0
    clipped = min(1.0, max(-1.0, scores[GRADIENT]))
    curvature = 4.0 * part * (clipped - y) ** 2
    by_quick, by_slow, by_coin = learns[AROW_QUICK], learns[AROW_SLOW], learns[COIN]
    by_gradient, by_hypentropy = learns[GRADIENT], learns[HYPENTROPY]
    if by_quick or by_slow or by_gradient:
        for p in range(size):
            record = records[example.places[p]]
            x, z = example.x[p], example.z[p]
            in_quick += record[S_QUICK] * z * z
            in_slow += record[S_SLOW] * z * z
            if by_gradient and x != 0.0:
                total = min(max(np.float32(record[G_GRADIENT] + curvature * x * x), LEAST_SUM), LIMIT)
                record[G_GRADIENT] = total
                steps[p] = np.float32(x) / math.sqrt(total)
                length += x * steps[p]
    r_quick, r_slow = R_QUICK / part, R_SLOW / part
    quick = np.float32(arow_gain(y, scores[AROW_QUICK], in_quick, r_quick))
    slow = np.float32(arow_gain(y, scores[AROW_SLOW], in_slow, r_slow))
    gradient = gradient_gain(y, clipped, rate * part, length)
    slope = 2.0 * part * (scores[HYPENTROPY] - y)
    for p in range(size):
        record = records[example.places[p]]
        x, z = example.x[p], np.float32(example.z[p])
        if by_quick:
            record[W_QUICK] += quick * record[S_QUICK] * z
            record[S_QUICK] = arow_variance(record[S_QUICK], z, np.float32(r_quick))
        if by_slow:
            record[W_SLOW] += slow * record[S_SLOW] * z
            record[S_SLOW] = arow_variance(record[S_SLOW], z, np.float32(r_slow))
        if by_coin and z != 0.0:
            largest = max(record[COIN_L], abs(z), np.float32(rate))
            coin_step(record[COIN_T:], np.float32(y * part) * z, largest, LIMIT)
        if by_gradient and x != 0.0:
            record[W_GRADIENT] += gradient * steps[p]
        if by_hypentropy:
            record[W_HYPENTROPY], record[G_HYPENTROPY] = hypentropy_step(
                record[W_HYPENTROPY], record[G_HYPENTROPY], np.float32(slope * x), LIMIT, BETA_SINGLE
            )


@jit_in_place
def update_begs(
    records: Any,
    floor: float,
    example: Example,
    size: int,
    positive: bool,
    part: float,
    learns: Any,
) -> None:
    """Multiply the odds of the BEGs that learn; no factor falls below the floor, or a tiny number if it is not 0."""
    for e in range(N_BEGS):
        if learns[e]:
            beta, least = beg_factor(e, positive, part), least_factor(e, floor)
            for p in range(size):
                if example.x[p] > 0.0:
                    record = records[example.places[p]]
                    record[e] = min(max(record[e] * beta, least), MOST_FACTOR)
