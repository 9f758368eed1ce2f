"""Updates of the built-in experts of a single learner, for two classes, eight attributes at a time."""

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
    G_GRADIENT,
    GRADIENT,
    HYPENTROPY,
    MOST_FACTOR,
    N_BEGS,
    R_QUICK,
    R_SLOW,
    S_QUICK,
    S_SLOW,
    Family,
    beg_factor,
    gradient_gain,
    least_factor,
)
from winnowkit.linear.lane_steps import coin_steps, gradient_sums, hypentropy_steps
from winnowkit.linear.lanes import (
    WIDTH,
    added_up,
    larger,
    load,
    load_field,
    load_records,
    root,
    size_of,
    spread,
    store,
    store_records,
)
from winnowkit.linear.mixing import Room
from winnowkit.linear.scaling import Example
from winnowkit.linear.steps import arow_gain, arow_variance


@jit_in_place
def update_experts(
    records: Any, family: Family, example: Example, size: int, rate: float, y: float, part: float, room: Room
) -> None:
    """Update the experts that learn from this label, 1 or -1; all but the one with a whole matrix.

    `part` is 1, or the fraction of a presentation that a sample weight leaves: BEGs take it as a power of their factor,
    AROW as a variance r / part, the others as a scaled gradient.
    """
    scores, learns = room.scores[:, 0], room.learns[:, 0]
    update_begs(records, family.odds[N_BEGS], example, size - 1, y > 0.0, part, learns)
    if learns[AROW_QUICK] or learns[AROW_SLOW]:
        update_arows(records, example, size, y, part, scores, learns)
    length, curvature = 0.0, 0.0
    clipped = min(1.0, max(-1.0, scores[GRADIENT]))
    if learns[GRADIENT]:
        curvature = 4.0 * part * (clipped - y) ** 2
        length = gradient_length(records, example, size, curvature)
    if learns[COIN] or learns[GRADIENT] or learns[HYPENTROPY]:
        gain = gradient_gain(y, clipped, rate * part, length)
        slope = 2.0 * part * (scores[HYPENTROPY] - y)
        update_second_half(records, example, size, rate, y * part, curvature, gain, slope, learns)


@jit_in_place
def update_arows(
    records: NDArray[np.float32], example: Example, size: int, y: float, part: float, scores: Any, learns: Any
) -> None:
    """Steps of both AROWs, or of the one that learns."""
    by_quick, by_slow = learns[AROW_QUICK], learns[AROW_SLOW]
    in_quick, in_slow = spread(0.0), spread(0.0)
    for p in range(0, size, WIDTH):
        z = load(example.z, p)
        in_quick = in_quick + load_field(records, example.places, p, S_QUICK) * z * z
        in_slow = in_slow + load_field(records, example.places, p, S_SLOW) * z * z
    r_quick, r_slow = R_QUICK / part, R_SLOW / part
    quick = arow_gain(y, scores[AROW_QUICK], added_up(in_quick), r_quick)
    slow = arow_gain(y, scores[AROW_SLOW], added_up(in_slow), r_slow)
    for p in range(0, size, WIDTH):
        z = load(example.z, p)
        beg0, beg1, beg2, beg3, w_quick, s_quick, w_slow, s_slow = load_records(records, example.places, p, 0)
        if by_quick:
            w_quick = w_quick + quick * s_quick * z
            s_quick = arow_variance(s_quick, z, spread(r_quick))
        if by_slow:
            w_slow = w_slow + slow * s_slow * z
            s_slow = arow_variance(s_slow, z, spread(r_slow))
        fields = (beg0, beg1, beg2, beg3, w_quick, s_quick, w_slow, s_slow)
        store_records(records, example.places, p, 0, fields)


@jit_in_place
def gradient_length(records: NDArray[np.float32], example: Example, size: int, curvature: float) -> float:
    """Sum of x^2 / sqrt(G) of the adaptive gradient, whose G takes in the curvature; leaves x / sqrt(G) as steps."""
    length = spread(0.0)
    for p in range(0, size, WIDTH):
        x = load(example.x, p)
        step = x / root(gradient_sums(load_field(records, example.places, p, G_GRADIENT), curvature, x))
        store(example.steps, p, step)
        length = length + x * step
    return float(added_up(length))


@jit_in_place
def update_second_half(
    records: NDArray[np.float32],
    example: Example,
    size: int,
    rate: float,
    outcome: float,
    curvature: float,
    gain: float,
    slope: float,
    learns: Any,
) -> None:
    """Steps of those experts in the second half of a record that learn: coin, gradient, hypentropy."""
    by_coin, by_gradient, by_hypentropy = learns[COIN], learns[GRADIENT], learns[HYPENTROPY]
    for p in range(0, size, WIDTH):
        x, z = load(example.x, p), load(example.z, p)
        total, bets, won, most, w, sums, w_hyp, sums_hyp = load_records(records, example.places, p, COIN_T)
        if by_coin:
            bet = z * outcome
            least = larger(size_of(z), spread(rate))
            total, bets, won, most = coin_steps(total, bets, won, most, bet, size_of(bet), least)
        if by_gradient:
            sums = gradient_sums(sums, curvature, x)
            w = w + load(example.steps, p) * gain
        if by_hypentropy:
            w_hyp, sums_hyp = hypentropy_steps(w_hyp, sums_hyp, x * slope)
        store_records(records, example.places, p, COIN_T, (total, bets, won, most, w, sums, w_hyp, sums_hyp))


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
                    record[e] = min(max(np.float64(record[e]) * beta, least), MOST_FACTOR)
