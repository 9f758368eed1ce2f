"""The built-in experts of several learners: scores and updates, eight learners at a time.

An attribute has the same field of all learners side by side, so that eight of them are loaded at once. If their number
is no multiple of eight, the last eight overlap with those before; three to seven have room for eight in the records.
"""

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
    G_GRADIENT,
    G_HYPENTROPY,
    GRADIENT,
    HYPENTROPY,
    MOST_FACTOR,
    N_BEGS,
    N_EXPERTS,
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
    beg_score,
    gradient_gain,
    least_factor,
)
from winnowkit.linear.full_arow import full_score
from winnowkit.linear.lane_steps import beg_weights, coin_steps, gradient_sums, hypentropy_steps
from winnowkit.linear.lanes import (
    WIDTH,
    is_any,
    larger,
    load,
    load_mask,
    prefetch,
    root,
    size_of,
    smaller,
    spread,
    store,
    where,
)
from winnowkit.linear.mixing import Room
from winnowkit.linear.scaling import Example
from winnowkit.linear.steps import arow_gain, arow_variance, coin_weight

AHEAD = 3
"""How many attributes ahead of their use records are fetched into the cache."""
_LINE = 16  # numbers of 32 bits in a line of the cache


@jit_in_place
def first_lane(first: int, n_learners: int) -> int:
    """Begin of the eight lanes that have the learners from `first` on: it is earlier if there are fewer than eight."""
    return max(0, min(first, n_learners - WIDTH))


# --- scores -----------------------------------------------------------------------------------------------------------


@jit_in_place
def score_several(
    family: Family, example: Example, size: int, rate: float, resting: NDArray[np.bool_], room: Room
) -> None:
    """Fill in the scores of all experts of all learners, 0 for those at rest; the last of `size` values is the bias."""
    n_learners, n_lanes = room.scores.shape[1], family.records.shape[2]
    for first in range(0, n_lanes, WIDTH):
        score_lanes(family, example, size, rate, first_lane(first, n_lanes), room)
    for k in range(n_learners):
        room.lane_scores[FULL_AROW, k] = full_score(family.full_weights[k], example, size)
        for e in range(N_EXPERTS):
            score = beg_score(room.lane_scores[e, k]) if e < N_BEGS else room.lane_scores[e, k]
            room.scores[e, k] = 0.0 if resting[k, e] else score


@jit_in_place
def score_lanes(family: Family, example: Example, size: int, rate: float, first: int, room: Room) -> None:
    """Fill in the scores of the experts of eight learners, those of the BEGs in other units."""
    records = family.records
    beg0, beg1, beg2, beg3 = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    quick, slow, coin, gradient, hypentropy = spread(0.0), spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    for p in range(size):
        if first == 0 and p + AHEAD < size:
            soon = records[example.places[p + AHEAD]]
            for line in range(records.shape[2]):
                prefetch(soon, line * _LINE)
        x, z = example.x[p], example.z[p]
        block = records[example.places[p]]
        if x > 0.0 and p + 1 < size:
            beg0 = beg0 + beg_weights(family.odds[0] * load(block[0], first))
            beg1 = beg1 + beg_weights(family.odds[1] * load(block[1], first))
            beg2 = beg2 + beg_weights(family.odds[2] * load(block[2], first))
            beg3 = beg3 + beg_weights(family.odds[3] * load(block[3], first))
        quick = quick + load(block[W_QUICK], first) * z
        slow = slow + load(block[W_SLOW], first) * z
        gradient = gradient + load(block[W_GRADIENT], first) * x
        hypentropy = hypentropy + load(block[W_HYPENTROPY], first) * x
        largest = larger(load(block[COIN_L], first), spread(max(abs(z), rate)))
        total, bets, won = load(block[COIN_T], first), load(block[COIN_G], first), load(block[COIN_R], first)
        coin = coin + coin_weight(total, bets, won, largest) * z
    store(room.lane_scores[0], first, beg0)
    store(room.lane_scores[1], first, beg1)
    store(room.lane_scores[2], first, beg2)
    store(room.lane_scores[3], first, beg3)
    store(room.lane_scores[AROW_QUICK], first, quick)
    store(room.lane_scores[AROW_SLOW], first, slow)
    store(room.lane_scores[COIN], first, coin)
    store(room.lane_scores[GRADIENT], first, gradient)
    store(room.lane_scores[HYPENTROPY], first, hypentropy)


# --- updates ----------------------------------------------------------------------------------------------------------


@jit_in_place
def update_several(
    family: Family, example: Example, size: int, rate: float, label: int, part: float, room: Room
) -> None:
    """Update the experts of all learners that learn from this label, as :func:`.family_updates.update_experts` does.

    All but the expert with a whole matrix. `room.learns` is used up: the last eight lanes may have been done in part.
    """
    n_learners, n_lanes, learns = room.scores.shape[1], family.records.shape[2], room.learns
    room.signs[:] = -1.0
    if label < n_learners:  # unless its learner is not among these
        room.signs[label] = 1.0
    for first in range(0, n_lanes, WIDTH):
        lane = first_lane(first, n_lanes)
        update_begs(family, example, size - 1, lane, part, room)
        if is_any(load_mask(learns[AROW_QUICK], lane)) or is_any(load_mask(learns[AROW_SLOW], lane)):
            update_arows(family, example, size, lane, part, room)
        if is_any(load_mask(learns[GRADIENT], lane)):
            update_gradients(family, example, size, rate, lane, part, room)
        if is_any(load_mask(learns[COIN], lane)) or is_any(load_mask(learns[HYPENTROPY], lane)):
            update_others(family, example, size, rate, lane, part, room)
        for e in range(N_EXPERTS):
            for k in range(lane, lane + WIDTH):
                learns[e, k] = False


@jit_in_place
def update_begs(family: Family, example: Example, size: int, first: int, part: float, room: Room) -> None:
    """Multiply the odds of the BEGs of eight learners that learn."""
    records, positive = family.records, load(room.signs, first) > 0.0
    for e in range(N_BEGS):
        learns = load_mask(room.learns[e], first)
        if is_any(learns):
            factor = where(positive, spread(beg_factor(e, True, part)), spread(beg_factor(e, False, part)))
            factor, least = where(learns, factor, spread(1.0)), spread(least_factor(e, family.odds[N_BEGS]))
            for p in range(size):
                if example.x[p] > 0.0:
                    odds = records[example.places[p], e]
                    store(odds, first, smaller(larger(load(odds, first) * factor, least), spread(MOST_FACTOR)))


@jit_in_place
def update_arows(family: Family, example: Example, size: int, first: int, part: float, room: Room) -> None:
    """Steps of the AROWs of eight learners that learn; a part is as for a single learner."""
    records, scores, y = family.records, room.lane_scores, load(room.signs, first)
    by_quick, by_slow = load_mask(room.learns[AROW_QUICK], first), load_mask(room.learns[AROW_SLOW], first)
    any_quick, any_slow = is_any(by_quick), is_any(by_slow)
    in_quick, in_slow = spread(0.0), spread(0.0)
    for p in range(size):
        block, z = records[example.places[p]], example.z[p]
        if any_quick:
            in_quick = in_quick + load(block[S_QUICK], first) * (z * z)
        if any_slow:
            in_slow = in_slow + load(block[S_SLOW], first) * (z * z)
    r_quick, r_slow = R_QUICK / part, R_SLOW / part
    quick = where(by_quick, arow_gain(y, load(scores[AROW_QUICK], first), in_quick, r_quick), spread(0.0))
    slow = where(by_slow, arow_gain(y, load(scores[AROW_SLOW], first), in_slow, r_slow), spread(0.0))
    for p in range(size):
        block, z = records[example.places[p]], example.z[p]
        if any_quick:
            move_arow(block[W_QUICK], block[S_QUICK], by_quick, quick, z, r_quick, first)
        if any_slow:
            move_arow(block[W_SLOW], block[S_SLOW], by_slow, slow, z, r_slow, first)


@jit_in_place
def move_arow(weights: Any, variances: Any, learns: Any, gain: Any, z: float, r: float, first: int) -> None:
    """A step of AROW."""
    variance = load(variances, first)
    store(weights, first, load(weights, first) + gain * variance * z)
    store(variances, first, where(learns, arow_variance(variance, spread(z), spread(r)), variance))


@jit_in_place
def update_gradients(
    family: Family, example: Example, size: int, rate: float, first: int, part: float, room: Room
) -> None:
    """Steps of the adaptive gradients of eight learners that learn."""
    records, y, learns = family.records, load(room.signs, first), load_mask(room.learns[GRADIENT], first)
    clipped = smaller(larger(load(room.lane_scores[GRADIENT], first), spread(-1.0)), spread(1.0))
    curvature, length = (clipped - y) * (clipped - y) * (4.0 * part), spread(0.0)
    for p in range(size):
        x, sums = example.x[p], records[example.places[p], G_GRADIENT]
        before = load(sums, first)
        total = gradient_sums(before, curvature, x)
        step = spread(x) / root(total)
        store(sums, first, where(learns, total, before))
        store(example.steps, p * WIDTH, step)
        length = length + step * x
    gain = gradient_gains(clipped, rate * part, length, first, room)
    for p in range(size):
        weights = records[example.places[p], W_GRADIENT]
        store(weights, first, load(weights, first) + load(example.steps, p * WIDTH) * gain)


@jit_in_place
def gradient_gains(clipped: Any, rate: float, length: Any, first: int, room: Room) -> Any:
    """Factors of x / sqrt(G) in the steps of the adaptive gradient; 0 for learners that do not learn."""
    store(room.gains, first, length)
    store(room.lane_scores[GRADIENT], first, clipped)
    for k in range(first, first + WIDTH):
        gain = gradient_gain(room.signs[k], room.lane_scores[GRADIENT, k], rate, room.gains[k])
        room.gains[k] = gain if room.learns[GRADIENT, k] else 0.0
    return load(room.gains, first)


@jit_in_place
def update_others(
    family: Family, example: Example, size: int, rate: float, first: int, part: float, room: Room
) -> None:
    """Rounds of coin betting, and steps of hypentropy, of eight learners that learn."""
    records, y = family.records, load(room.signs, first)
    by_coin, by_hypentropy = load_mask(room.learns[COIN], first), load_mask(room.learns[HYPENTROPY], first)
    any_coin, any_hypentropy = is_any(by_coin), is_any(by_hypentropy)
    slope = where(by_hypentropy, (load(room.lane_scores[HYPENTROPY], first) - y) * (2.0 * part), spread(0.0))
    outcome = where(by_coin, y * part, spread(0.0))
    for p in range(size):
        block, x, z = records[example.places[p]], example.x[p], example.z[p]
        if any_coin:
            least = spread(max(abs(z), rate))
            total, bets, won = load(block[COIN_T], first), load(block[COIN_G], first), load(block[COIN_R], first)
            bet = outcome * z
            now = coin_steps(total, bets, won, load(block[COIN_L], first), bet, size_of(bet), least)
            store(block[COIN_T], first, now[0])
            store(block[COIN_G], first, now[1])
            store(block[COIN_R], first, now[2])
            store(block[COIN_L], first, now[3])
        if any_hypentropy:
            w, sums = load(block[W_HYPENTROPY], first), load(block[G_HYPENTROPY], first)
            w, sums = hypentropy_steps(w, sums, slope * x)
            store(block[W_HYPENTROPY], first, w)
            store(block[G_HYPENTROPY], first, sums)
