"""The built-in experts of several learners: scores and updates, eight learners at a time.

An attribute has the same field of all learners side by side, so that eight of them are loaded at once. If their number
is no multiple of eight, the last eight overlap with those before; fewer than eight are copied into room for eight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.jit import jit_in_place
from winnowkit.linear.family import (
    AROW_QUICK,
    AROW_SLOW,
    BETA_SINGLE,
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
    LEAST_SUM,
    LIMIT,
    MOST_FACTOR,
    N_BEGS,
    N_EXPERTS,
    R_QUICK,
    R_SLOW,
    S_QUICK,
    S_SLOW,
    THETA,
    W_GRADIENT,
    W_HYPENTROPY,
    W_QUICK,
    W_SLOW,
    Family,
    beg_factor,
    gradient_gain,
    least_factor,
)
from winnowkit.linear.full_arow import full_score
from winnowkit.linear.lanes import (
    WIDTH,
    is_any,
    larger,
    load,
    load_mask,
    prefetch,
    root,
    smaller,
    spread,
    store,
    where,
)
from winnowkit.linear.mixing import Room
from winnowkit.linear.scaling import Example
from winnowkit.linear.steps import RATE, arow_gain, arow_variance, coin_weight, cosh_and_sinh

AHEAD = 3
"""How many attributes ahead of their use records are fetched into the cache."""
_LINE = 16  # numbers of 32 bits in a line of the cache


@jit_in_place
def first_lane(first: int, n_learners: int) -> int:
    """Begin of the eight lanes that have the learners from `first` on: it is earlier if there are fewer than eight."""
    return max(0, min(first, n_learners - WIDTH))


@jit_in_place
def take_few(records: NDArray[np.float32], place: int, few: NDArray[np.float32]) -> None:
    """Copy a record of fewer than eight learners, which has no eight lanes of its own."""
    if records.shape[2] < WIDTH:
        for field in range(records.shape[1]):
            for k in range(records.shape[2]):
                few[field, k] = records[place, field, k]


@jit_in_place
def put_back(records: NDArray[np.float32], place: int, few: NDArray[np.float32]) -> None:
    """Write the fields of fewer than eight learners, which were copied, where they belong."""
    if records.shape[2] < WIDTH:
        for field in range(records.shape[1]):
            for k in range(records.shape[2]):
                records[place, field, k] = few[field, k]


# --- scores -----------------------------------------------------------------------------------------------------------


@jit_in_place
def score_several(
    family: Family, example: Example, size: int, rate: float, resting: NDArray[np.bool_], room: Room
) -> None:
    """Fill in the scores of all experts of all learners, 0 for those at rest; the last of `size` values is the bias."""
    n_learners = room.scores.shape[1]
    for first in range(0, n_learners, WIDTH):
        score_lanes(family, example, size, rate, first_lane(first, n_learners), room)
    for k in range(n_learners):
        room.lane_scores[FULL_AROW, k] = full_score(family.full_weights[k], example, size)
        for e in range(N_EXPERTS):
            score = room.lane_scores[e, k] / THETA - 1.0 if e < N_BEGS else room.lane_scores[e, k]
            room.scores[e, k] = 0.0 if resting[k, e] else score


@jit_in_place
def score_lanes(family: Family, example: Example, size: int, rate: float, first: int, room: Room) -> None:
    """Fill in the scores of the experts of eight learners, those of the BEGs in other units."""
    records, few = family.records, room.few
    beg0, beg1, beg2, beg3 = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    quick, slow, coin, gradient, hypentropy = spread(0.0), spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    for p in range(size):
        if first == 0 and p + AHEAD < size:
            soon = records[example.places[p + AHEAD]]
            for line in range(records.shape[2]):
                prefetch(soon, line * _LINE)
        x, z = example.x[p], example.z[p]
        take_few(records, example.places[p], few)
        block = few if records.shape[2] < WIDTH else records[example.places[p]]
        if x > 0.0 and p + 1 < size:
            beg0 = beg0 + beg_weight(family.odds[0] * load(block[0], first))
            beg1 = beg1 + beg_weight(family.odds[1] * load(block[1], first))
            beg2 = beg2 + beg_weight(family.odds[2] * load(block[2], first))
            beg3 = beg3 + beg_weight(family.odds[3] * load(block[3], first))
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


@jit_in_place
def beg_weight(odds: Any) -> Any:
    """Weight, a probability, of a BEG's attribute."""
    return odds / (odds + 1.0)


# --- updates ----------------------------------------------------------------------------------------------------------


@jit_in_place
def update_several(
    family: Family, example: Example, size: int, rate: float, label: int, part: float, room: Room
) -> None:
    """Update the experts of all learners that learn from this label, as :func:`.family_updates.update_experts` does.

    All but the expert with a whole matrix. `room.learns` is used up: the last eight lanes may have been done in part.
    """
    n_learners = room.scores.shape[1]
    room.signs[:] = -1.0
    if label < n_learners:  # unless its learner is not among these
        room.signs[label] = 1.0
    for first in range(0, n_learners, WIDTH):
        lane = first_lane(first, n_learners)
        update_begs(family, example, size - 1, lane, part, room)
        learns = room.learns
        some = is_any(load_mask(learns[AROW_QUICK], lane)) or is_any(load_mask(learns[AROW_SLOW], lane))
        some = some or is_any(load_mask(learns[COIN], lane)) or is_any(load_mask(learns[GRADIENT], lane))
        if some or is_any(load_mask(learns[HYPENTROPY], lane)):
            update_lanes(family, example, size, rate, lane, part, room)
        for e in range(N_EXPERTS):
            for k in range(lane, lane + WIDTH):
                learns[e, k] = False


@jit_in_place
def update_begs(family: Family, example: Example, size: int, first: int, part: float, room: Room) -> None:
    """Multiply the odds of the BEGs of eight learners that learn."""
    records, few, positive = family.records, room.few, load(room.signs, first) > 0.0
    for e in range(N_BEGS):
        learns = load_mask(room.learns[e], first)
        if is_any(learns):
            factor = where(positive, spread(beg_factor(e, True, part)), spread(beg_factor(e, False, part)))
            factor, least = where(learns, factor, spread(1.0)), spread(least_factor(e, family.odds[N_BEGS]))
            for p in range(size):
                if example.x[p] > 0.0:
                    take_few(records, example.places[p], few)
                    block = few if records.shape[2] < WIDTH else records[example.places[p]]
                    odds = larger(load(block[e], first) * factor, least)
                    store(block[e], first, smaller(odds, spread(MOST_FACTOR)))
                    put_back(records, example.places[p], few)


@jit_in_place
def sum_lanes(family: Family, example: Example, size: int, curvature: Any, first: int, room: Room) -> Any:
    """Sums of S z^2 of both AROWs, and of x^2 / sqrt(G) of the gradient, whose G takes in the curvature."""
    records, few, learns = family.records, room.few, load_mask(room.learns[GRADIENT], first)
    in_quick, in_slow, length = spread(0.0), spread(0.0), spread(0.0)
    for p in range(size):
        x, z = example.x[p], example.z[p]
        take_few(records, example.places[p], few)
        block = few if records.shape[2] < WIDTH else records[example.places[p]]
        in_quick = in_quick + load(block[S_QUICK], first) * (z * z)
        in_slow = in_slow + load(block[S_SLOW], first) * (z * z)
        if x != 0.0:
            before = load(block[G_GRADIENT], first)
            total = smaller(larger(before + curvature * (x * x), spread(LEAST_SUM)), spread(LIMIT))
            store(block[G_GRADIENT], first, where(learns, total, before))
            length = length + spread(x * x) / root(total)
            put_back(records, example.places[p], few)
    return in_quick, in_slow, length


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
def update_lanes(family: Family, example: Example, size: int, rate: float, first: int, part: float, room: Room) -> None:
    """Update the experts of real values of eight learners; a part is as for a single learner."""
    records, few, scores, y = family.records, room.few, room.lane_scores, load(room.signs, first)
    by_quick, by_slow = load_mask(room.learns[AROW_QUICK], first), load_mask(room.learns[AROW_SLOW], first)
    by_coin, by_gradient = load_mask(room.learns[COIN], first), load_mask(room.learns[GRADIENT], first)
    by_hypentropy = load_mask(room.learns[HYPENTROPY], first)
    clipped = smaller(larger(load(scores[GRADIENT], first), spread(-1.0)), spread(1.0))
    curvature = where(by_gradient, (clipped - y) * (clipped - y) * (4.0 * part), spread(0.0))
    in_quick, in_slow, length = sum_lanes(family, example, size, curvature, first, room)
    r_quick, r_slow = R_QUICK / part, R_SLOW / part
    quick = where(by_quick, arow_gain(y, load(scores[AROW_QUICK], first), in_quick, r_quick), spread(0.0))
    slow = where(by_slow, arow_gain(y, load(scores[AROW_SLOW], first), in_slow, r_slow), spread(0.0))
    gradient = gradient_gains(clipped, rate * part, length, first, room)
    slope = where(by_hypentropy, (load(scores[HYPENTROPY], first) - y) * (2.0 * part), spread(0.0))
    for p in range(size):
        x, z = example.x[p], example.z[p]
        take_few(records, example.places[p], few)
        block = few if records.shape[2] < WIDTH else records[example.places[p]]
        move_arow(block[W_QUICK], block[S_QUICK], by_quick, quick, z, r_quick, first)
        move_arow(block[W_SLOW], block[S_SLOW], by_slow, slow, z, r_slow, first)
        if x != 0.0:
            total = larger(load(block[G_GRADIENT], first), spread(LEAST_SUM))
            moved = load(block[W_GRADIENT], first) + gradient * (spread(x) / root(total))
            store(block[W_GRADIENT], first, moved)
            move_hypentropy(block, slope * x, first)
        if z != 0.0:
            move_coin(block, by_coin, y * (part * z), abs(part * z), max(abs(z), rate), first)
        put_back(records, example.places[p], few)


@jit_in_place
def move_arow(weights: Any, variances: Any, learns: Any, gain: Any, z: float, r: float, first: int) -> None:
    """A step of AROW."""
    variance = load(variances, first)
    store(weights, first, load(weights, first) + gain * variance * z)
    store(variances, first, where(learns, arow_variance(variance, spread(z), spread(r)), variance))


@jit_in_place
def move_coin(block: Any, learns: Any, outcome: Any, bet: float, least: float, first: int) -> None:
    """A round of coin betting: :func:`.steps.coin_step` in each lane."""
    total, bets, won = load(block[COIN_T], first), load(block[COIN_G], first), load(block[COIN_R], first)
    before = load(block[COIN_L], first)
    largest = larger(before, spread(least))
    now = larger(won + outcome * coin_weight(total, bets, won, largest), spread(0.0))
    more = bets + bet
    half = where(more > largest * LIMIT, spread(0.5), spread(1.0))
    store(block[COIN_T], first, where(learns, (total + outcome) * half, total))
    store(block[COIN_G], first, where(learns, more * half, bets))
    store(block[COIN_R], first, where(learns, now, won))
    store(block[COIN_L], first, where(learns, largest, before))


@jit_in_place
def move_hypentropy(block: Any, gradient: Any, first: int) -> None:
    """A step in the geometry of hypentropy: :func:`.steps.hypentropy_step` in each lane; none if the gradient is 0."""
    w = load(block[W_HYPENTROPY], first)
    total = smaller(load(block[G_HYPENTROPY], first) + gradient * gradient, spread(LIMIT))
    direction = gradient / root(larger(total, spread(LEAST_SUM)))
    cosh, sinh = cosh_and_sinh(smaller(larger(direction, spread(-1.0)), spread(1.0)) * -RATE)
    store(block[W_HYPENTROPY], first, w * cosh + root(w * w + BETA_SINGLE) * sinh)
    store(block[G_HYPENTROPY], first, total)
