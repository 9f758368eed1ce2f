"""Sums of fixed rows, followed while the log grows.

One more mistake z of sign s moves a sum to ``W'(x) = W(x) + (alpha^s - 1) W(x meet z)``, where the meet keeps what
agrees: it has far fewer attributes, so its sum costs far less. And as ``0 < W(x meet z) <= W(x)``, the mistakes since a
row was last summed leave its sum between alpha^-demotions and alpha^promotions times what it was: often that is enough.
Sides are all that is wanted, so bounds are kept of each sum, no tighter than they need be, and so are those of meets.
All bounds of a row are over the theta of its label: with a margin, positive rows have a larger one than negative rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from winnowkit.core.jit import jit_uncounted
from winnowkit.dnf.kernels.problem import Codes, Floats, Ints, LogArrays, Space, agree, nothing
from winnowkit.dnf.kernels.threshold import (
    GIVEN_UP,
    SETS_A_NODE,
    UNDECIDED,
    Comparison,
    compare,
    in_range,
    part_side,
    ratio_bounds,
)

MOST_MEETS = 1024
"""Largest number of mistakes since a row's last sum for which meets are tried."""

FAR = 1e250
"""Sums further than this factor from theta are not followed: floats might not hold what they become."""

_MEET_SLACK = 1e-4  # part of theta by which a branch of a meet may be uncertain
_ROUNDING = 1e-12  # relative error of a bound, with a wide margin


class Events(NamedTuple):
    """The merged log; and its mistakes in order: their codes, their negated signs, and the promotions before each."""

    log: LogArrays
    codes: Codes
    undo: Ints
    promotions: Ints


class Followed(NamedTuple):
    """Bounds of each row's sum over theta, after how many events they hold, and the nodes that they took.

    `spent` are the nodes that meets took so far, and their number; and the same of whole rows.
    """

    low: Floats
    high: Floats
    when: Ints
    nodes: Ints
    spent: Ints


class TrainingRows(NamedTuple):
    """Training rows, their labels, the order in which they come, and log theta for rows of label 0 and 1."""

    X: Codes
    y: Ints
    order: Ints
    log_thetas: Floats


@jit_uncounted
def meet_bounds(events: Events, t: int, x: Codes, space: Space, comparison: Comparison) -> tuple[float, float, int]:
    """Bound the sum of the meet of `x` with event `t` over theta, before that event; and the nodes visited."""
    meet = space.meet[: x.size]
    for j in range(x.size):
        meet[j] = x[j] if events.codes[j, t] == x[j] else 0
    later = LogArrays(events.codes, events.undo[t:], t)
    shape = agree(events.log, later, meet, space)
    if not in_range(shape, comparison.log_theta):
        return 0.0, np.inf, 0
    return ratio_bounds(shape, space, comparison, (_MEET_SLACK, np.inf))


@jit_uncounted
def catch_up(events: Events, row: tuple[int, Codes], known: Followed, space: Space, comparison: Comparison) -> int:
    """Find the side of a row by the mistakes since its last sum; UNDECIDED when a new sum would cost less."""
    i, x = row
    now, t, low, high = events.undo.size, known.when[i], known.low[i], known.high[i]
    centre = comparison.powers.size >> 1
    if t < 0 or now - t > min(centre, MOST_MEETS):
        return UNDECIDED
    overhead = events.log.nets.size // SETS_A_NODE
    of_meets = (now - t) * (overhead + known.spent[0] // known.spent[1])
    of_sum = known.nodes[i] if known.nodes[i] > 0 else known.spent[2] // known.spent[3]
    stop = now if of_meets <= overhead + of_sum else t
    alpha = comparison.powers[centre + 1]
    while True:
        promotions = events.promotions[now] - events.promotions[t]
        least, most = (
            low * comparison.powers[centre - (now - t - promotions)],
            high * comparison.powers[centre + promotions],
        )
        side = compare(least, most, 1.0)
        known.low[i], known.high[i], known.when[i] = low, high, t
        if side != UNDECIDED or t == stop:
            return side
        least, most, nodes = meet_bounds(events, t, x, space, comparison)
        known.spent[0] += nodes
        known.spent[1] += 1
        if events.undo[t] < 0:
            low, high = low + (alpha - 1.0) * least, high + (alpha - 1.0) * min(most, high)
        else:
            low, high = max(low / alpha, low - (1.0 - 1.0 / alpha) * most), high - (1.0 - 1.0 / alpha) * least
        low, high = low * (1.0 - _ROUNDING), high * (1.0 + _ROUNDING)
        t += 1


@jit_uncounted
def next_mistake(
    events: Events, rows: TrainingRows, known: Followed, space: Space, limits: tuple[Floats, int]
) -> tuple[int, int]:
    """Find the first row in the order that is wrong or undecided: its place, past the end if none is, and its side.

    A side is UNDECIDED if the sum is too near theta, or exceeds one word or the budget. `limits` are centred powers of
    alpha, and the largest number of nodes.
    """
    powers, max_nodes = limits
    for place in range(rows.order.size):
        i = rows.order[place]
        comparison = Comparison(powers, rows.log_thetas[rows.y[i]], max_nodes)
        side = catch_up(events, (i, rows.X[i]), known, space, comparison)
        if side == UNDECIDED:
            known.when[i] = -1
            shape = agree(events.log, nothing(events.log), rows.X[i], space)
            side, low, high, nodes = part_side(shape, space, comparison)
            if side in (GIVEN_UP, UNDECIDED):
                return place, UNDECIDED
            known.spent[2] += nodes
            known.spent[3] += 1
            known.nodes[i] = nodes
            if 1.0 / FAR < low < FAR:  # high may be infinite
                known.low[i], known.high[i] = low * (1.0 - _ROUNDING), high * (1.0 + _ROUNDING)
                known.when[i] = events.undo.size
        if side != rows.y[i]:
            return place, side
    return rows.order.size, UNDECIDED
