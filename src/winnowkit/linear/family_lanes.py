"""The built-in experts of several learners: scores and updates, eight learners at a time.

An attribute has the same field of all learners side by side, so that eight of them, a *block*, are loaded at once. If
their number is no multiple of eight, the last block overlaps with the one before; three to seven learners have room for
eight in the records. What is computed about a block has eight *slots* of its own, so that blocks do not mix.

Records of many learners are long. So scores add up over a few attributes at a time (a *tile*), whose records stay in
the fastest cache until all blocks are done. Updates, of which a block may need none, are made block by block.
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
from winnowkit.linear.mixing import BY_GRADIENT, BY_QUICK, BY_SLOW, Room, slot_of
from winnowkit.linear.scaling import Example
from winnowkit.linear.steps import arow_gain, arow_variance, coin_weight

AHEAD = 3
"""How many attributes ahead of their use records are fetched into the cache."""
TILE = 256
"""Records that are used together, 16 KiB: the fastest cache has twice as much."""
LEAST_TILE = 4  # attributes
_LINE = 16  # numbers of 32 bits in a line of the cache


@jit_in_place
def first_lane(first: int, n_lanes: int) -> int:
    """First lane of the block whose slots begin at `first`; the last block overlaps with the one before."""
    return min(first, n_lanes - WIDTH)


@jit_in_place
def tile_of(n_lanes: int) -> int:
    """How many attributes a tile has."""
    return max(LEAST_TILE, TILE // n_lanes)


# --- scores -----------------------------------------------------------------------------------------------------------


@jit_in_place
def score_several(
    family: Family, example: Example, size: int, rate: float, resting: NDArray[np.bool_], room: Room
) -> None:
    """Fill in the scores of all experts of all learners, 0 for those at rest; the last of `size` values is the bias."""
    n_learners, n_lanes = room.scores.shape[1], family.records.shape[2]
    room.slot_scores[:] = 0.0
    for begin in range(0, size, tile_of(n_lanes)):
        end = min(size, begin + tile_of(n_lanes))
        for first in range(0, n_lanes, WIDTH):
            score_block(family, example, size, begin, end, rate, first, room.slot_scores)
    for k in range(n_learners):
        slot = slot_of(k, n_lanes)
        room.slot_scores[FULL_AROW, slot] = full_score(family.full_weights[k], example, size)
        for e in range(N_EXPERTS):
            score = beg_score(room.slot_scores[e, slot]) if e < N_BEGS else room.slot_scores[e, slot]
            room.scores[e, k] = 0.0 if resting[k, e] else score


@jit_in_place
def score_block(
    family: Family,
    example: Example,
    size: int,
    begin: int,
    end: int,
    rate: float,
    first: int,
    scores: NDArray[np.float32],
) -> None:
    """Add what the attributes of a tile contribute to the scores of a block, those of the BEGs in other units."""
    records, lane = family.records, first_lane(first, family.records.shape[2])
    odds0, odds1, odds2, odds3 = (
        spread(family.odds[0]),
        spread(family.odds[1]),
        spread(family.odds[2]),
        spread(family.odds[3]),
    )
    beg0, beg1, beg2, beg3 = (
        load(scores[0], first),
        load(scores[1], first),
        load(scores[2], first),
        load(scores[3], first),
    )
    quick, slow, coin = load(scores[AROW_QUICK], first), load(scores[AROW_SLOW], first), load(scores[COIN], first)
    gradient, hypentropy = load(scores[GRADIENT], first), load(scores[HYPENTROPY], first)
    for p in range(begin, end):
        if first == 0 and p + AHEAD < size:
            soon = records[example.places[p + AHEAD]]
            for line in range(records.shape[2]):
                prefetch(soon, line * _LINE)
        x, z = example.x[p], example.z[p]
        block = records[example.places[p]]
        if x > 0.0 and p + 1 < size:
            beg0 = beg0 + beg_weights(odds0 * load(block[0], lane))
            beg1 = beg1 + beg_weights(odds1 * load(block[1], lane))
            beg2 = beg2 + beg_weights(odds2 * load(block[2], lane))
            beg3 = beg3 + beg_weights(odds3 * load(block[3], lane))
        quick = quick + load(block[W_QUICK], lane) * z
        slow = slow + load(block[W_SLOW], lane) * z
        gradient = gradient + load(block[W_GRADIENT], lane) * x
        hypentropy = hypentropy + load(block[W_HYPENTROPY], lane) * x
        largest = larger(load(block[COIN_L], lane), spread(max(abs(z), rate)))
        total, bets, won = load(block[COIN_T], lane), load(block[COIN_G], lane), load(block[COIN_R], lane)
        coin = coin + coin_weight(total, bets, won, largest) * z
    store(scores[0], first, beg0)
    store(scores[1], first, beg1)
    store(scores[2], first, beg2)
    store(scores[3], first, beg3)
    store(scores[AROW_QUICK], first, quick)
    store(scores[AROW_SLOW], first, slow)
    store(scores[COIN], first, coin)
    store(scores[GRADIENT], first, gradient)
    store(scores[HYPENTROPY], first, hypentropy)


# --- updates ----------------------------------------------------------------------------------------------------------


@jit_in_place
def update_several(
    family: Family, example: Example, size: int, rate: float, label: int, part: float, room: Room
) -> None:
    """Update the experts of all learners that learn from this label, as :func:`.family_updates.update_experts` does.

    All but the expert with a whole matrix.
    """
    n_lanes = family.records.shape[2]
    room.signs[:] = -1.0
    if label < room.scores.shape[1]:  # unless its learner is not among these
        room.signs[slot_of(label, n_lanes)] = 1.0
    for first in range(0, n_lanes, WIDTH):
        add_arow_spreads(family, example, size, first, room)
        add_gradient_lengths(family, example, size, first, part, room)
        find_gains(rate, part, first, room)
        update_begs(family, example, size - 1, first, part, room)
        update_arows(family, example, size, first, part, room)
        update_gradients(family, example, size, first, room)
        update_others(family, example, size, rate, first, part, room)


@jit_in_place
def add_arow_spreads(family: Family, example: Example, size: int, first: int, room: Room) -> None:
    """Add up the S z^2 of a block's AROWs that learn."""
    records, lane = family.records, first_lane(first, family.records.shape[2])
    any_quick = is_any(load_mask(room.learns[AROW_QUICK], first))
    any_slow = is_any(load_mask(room.learns[AROW_SLOW], first))
    if any_quick or any_slow:
        in_quick, in_slow = spread(0.0), spread(0.0)
        for p in range(size):
            block, z = records[example.places[p]], example.z[p]
            if any_quick:
                in_quick = in_quick + load(block[S_QUICK], lane) * (z * z)
            if any_slow:
                in_slow = in_slow + load(block[S_SLOW], lane) * (z * z)
        store(room.gains[BY_QUICK], first, in_quick)
        store(room.gains[BY_SLOW], first, in_slow)


@jit_in_place
def add_gradient_lengths(family: Family, example: Example, size: int, first: int, part: float, room: Room) -> None:
    """Take the curvature into the G of a block's adaptive gradients that learn, and add up x^2 / sqrt(G).

    Leaves x / sqrt(G) as steps.
    """
    records, lane = family.records, first_lane(first, family.records.shape[2])
    learns = load_mask(room.learns[GRADIENT], first)
    if is_any(learns):
        missed = clipped(load(room.slot_scores[GRADIENT], first)) - load(room.signs, first)
        curvature, length = missed * missed * (4.0 * part), spread(0.0)
        for p in range(size):
            x, sums = example.x[p], records[example.places[p], G_GRADIENT]
            before = load(sums, lane)
            total = gradient_sums(before, curvature, x)
            step = spread(x) / root(total)
            store(sums, lane, where(learns, total, before))
            store(example.steps, p * WIDTH, step)
            length = length + step * x
        store(room.gains[BY_GRADIENT], first, length)


@jit_in_place
def find_gains(rate: float, part: float, first: int, room: Room) -> None:
    """Put the factors of a block's steps in the place of the sums that they depend on; 0 for who does not learn."""
    scores, gains, learns = room.slot_scores, room.gains, room.learns
    for slot in range(first, first + WIDTH):
        y = room.signs[slot]
        quick = arow_gain(y, scores[AROW_QUICK, slot], gains[BY_QUICK, slot], R_QUICK / part)
        slow = arow_gain(y, scores[AROW_SLOW, slot], gains[BY_SLOW, slot], R_SLOW / part)
        score = min(1.0, max(-1.0, scores[GRADIENT, slot]))
        gradient = gradient_gain(y, score, rate * part, gains[BY_GRADIENT, slot])
        gains[BY_QUICK, slot] = quick if learns[AROW_QUICK, slot] else 0.0
        gains[BY_SLOW, slot] = slow if learns[AROW_SLOW, slot] else 0.0
        gains[BY_GRADIENT, slot] = gradient if learns[GRADIENT, slot] else 0.0


@jit_in_place
def clipped(scores: Any) -> Any:
    """Scores cut at 1."""
    return smaller(larger(scores, spread(-1.0)), spread(1.0))


@jit_in_place
def update_begs(family: Family, example: Example, size: int, first: int, part: float, room: Room) -> None:
    """Multiply the odds of a block's BEGs that learn."""
    records, positive = family.records, load(room.signs, first) > 0.0
    lane = first_lane(first, records.shape[2])
    for e in range(N_BEGS):
        learns = load_mask(room.learns[e], first)
        if is_any(learns):
            factor = where(positive, spread(beg_factor(e, True, part)), spread(beg_factor(e, False, part)))
            factor, least = where(learns, factor, spread(1.0)), spread(least_factor(e, family.odds[N_BEGS]))
            for p in range(size):
                if example.x[p] > 0.0:
                    odds = records[example.places[p], e]
                    store(odds, lane, smaller(larger(load(odds, lane) * factor, least), spread(MOST_FACTOR)))


@jit_in_place
def update_arows(family: Family, example: Example, size: int, first: int, part: float, room: Room) -> None:
    """Steps of a block's AROWs that learn; a part is as for a single learner."""
    records, lane = family.records, first_lane(first, family.records.shape[2])
    by_quick, by_slow = load_mask(room.learns[AROW_QUICK], first), load_mask(room.learns[AROW_SLOW], first)
    any_quick, any_slow = is_any(by_quick), is_any(by_slow)
    quick, slow = load(room.gains[BY_QUICK], first), load(room.gains[BY_SLOW], first)
    if any_quick or any_slow:
        for p in range(size):
            block, z = records[example.places[p]], example.z[p]
            if any_quick:
                move_arow(block[W_QUICK], block[S_QUICK], by_quick, quick, z, R_QUICK / part, lane)
            if any_slow:
                move_arow(block[W_SLOW], block[S_SLOW], by_slow, slow, z, R_SLOW / part, lane)


@jit_in_place
def move_arow(weights: Any, variances: Any, learns: Any, gain: Any, z: float, r: float, lane: int) -> None:
    """A step of AROW."""
    variance = load(variances, lane)
    store(weights, lane, load(weights, lane) + gain * variance * z)
    store(variances, lane, where(learns, arow_variance(variance, spread(z), spread(r)), variance))


@jit_in_place
def update_gradients(family: Family, example: Example, size: int, first: int, room: Room) -> None:
    """Steps of a block's adaptive gradients that learn."""
    lane = first_lane(first, family.records.shape[2])
    if is_any(load_mask(room.learns[GRADIENT], first)):
        gain = load(room.gains[BY_GRADIENT], first)
        for p in range(size):
            weights = family.records[example.places[p], W_GRADIENT]
            store(weights, lane, load(weights, lane) + load(example.steps, p * WIDTH) * gain)


@jit_in_place
def update_others(
    family: Family, example: Example, size: int, rate: float, first: int, part: float, room: Room
) -> None:
    """Rounds of coin betting, and steps of hypentropy, of a block's learners that learn."""
    records, y, lane = family.records, load(room.signs, first), first_lane(first, family.records.shape[2])
    by_coin, by_hypentropy = load_mask(room.learns[COIN], first), load_mask(room.learns[HYPENTROPY], first)
    any_coin, any_hypentropy = is_any(by_coin), is_any(by_hypentropy)
    slope = where(by_hypentropy, (load(room.slot_scores[HYPENTROPY], first) - y) * (2.0 * part), spread(0.0))
    outcome = where(by_coin, y * part, spread(0.0))
    if any_coin or any_hypentropy:
        for p in range(size):
            block, x, z = records[example.places[p]], example.x[p], example.z[p]
            if any_coin:
                least = spread(max(abs(z), rate))
                total, bets, won = load(block[COIN_T], lane), load(block[COIN_G], lane), load(block[COIN_R], lane)
                bet = outcome * z
                now = coin_steps(total, bets, won, load(block[COIN_L], lane), bet, size_of(bet), least)
                store(block[COIN_T], lane, now[0])
                store(block[COIN_G], lane, now[1])
                store(block[COIN_R], lane, now[2])
                store(block[COIN_L], lane, now[3])
            if any_hypentropy:
                w, sums = load(block[W_HYPENTROPY], lane), load(block[G_HYPENTROPY], lane)
                w, sums = hypentropy_steps(w, sums, slope * x)
                store(block[W_HYPENTROPY], lane, w)
                store(block[G_HYPENTROPY], lane, sums)
