"""Sums of fixed rows, followed while the log grows.

One more mistake z of sign s moves a sum to ``W'(x) = W(x) + (alpha^s - 1) W(x meet z)``, where the meet keeps what
agrees: it has far fewer attributes, so its sum costs far less. And as ``0 < W(x meet z) <= W(x)``, the mistakes since a
row was last summed leave its sum between alpha^-demotions and alpha^promotions times what it was: often that is enough.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from winnowkit.kernels import jit
from winnowkit.kernels.agree import Codes, Floats, Ints, Log, Space, agree
from winnowkit.kernels.bits import MAX_BITS
from winnowkit.kernels.rows import DONE, log_of_sum, problem_sum, row_sum
from winnowkit.kernels.side import UNDECIDED, compare

MOST_MEETS = 1024
"""Most mistakes since a row's last sum for which meets are tried."""

FAR = 600.0
"""Logarithms further apart than this are not followed: floats cannot hold their ratio."""

_SETS_A_NODE = 16  # comparing an example with this many mistakes takes as long as a node
_ROUNDING = 1e-13  # relative error of one sum, with a wide margin
_WORN = 1e-10  # relative error past which a sum is computed afresh


class Events(NamedTuple):
    """The merged log; and its mistakes in order: their codes, their negated signs, and the promotions before each."""

    log: Log
    codes: Codes
    undo: Ints
    promotions: Ints


class Followed(NamedTuple):
    """What is known of each row: its sum over theta, the error of that, after how many events; and the nodes of a sum.

    `spent` are the nodes that meets took so far, and their number; and the same of whole sums.
    """

    ratio: Floats
    error: Floats
    when: Ints
    nodes: Ints
    spent: Ints


class Rows(NamedTuple):
    """Training rows, their labels, and the order in which they come."""

    X: Codes
    y: Ints
    order: Ints


class Rule(NamedTuple):
    """Winnow's numbers: centred powers of alpha, log theta, and most nodes a sum may take."""

    powers: Floats
    log_theta: float
    max_nodes: int


@jit
def meet_ratio(events: Events, t: int, x: Codes, space: Space, rule: Rule) -> tuple[float, int]:
    """Sum of the meet of `x` with event `t` over theta, before that event (NaN if not to be had), and its nodes."""
    meet = space.meet[: x.size]
    for j in range(x.size):
        meet[j] = x[j] if events.codes[j, t] == x[j] else 0
    later = Log(events.codes, events.undo[t:], t)
    size, live, dead, free = agree(events.log, later, meet, space)
    if live > MAX_BITS:
        return np.nan, 0
    total, nodes, ended = problem_sum(size, live, space, rule.powers, rule.max_nodes)
    if ended != DONE:
        return np.nan, nodes
    return math.exp(log_of_sum(total, live, dead, free) - rule.log_theta), nodes


@jit
def catch_up(events: Events, row: tuple[int, Codes], known: Followed, space: Space, rule: Rule) -> int:
    """Side of theta of a row by the mistakes since its last sum; UNDECIDED when a new one would cost less."""
    i, x = row
    now, t, ratio, error = events.undo.size, known.when[i], known.ratio[i], known.error[i]
    centre = rule.powers.size >> 1
    if t < 0 or now - t > min(centre, MOST_MEETS):
        return UNDECIDED
    overhead = events.log.nets.size // _SETS_A_NODE
    of_meets = (now - t) * (overhead + known.spent[0] // known.spent[1])
    of_sum = known.nodes[i] if known.nodes[i] > 0 else known.spent[2] // known.spent[3]
    stop = now if of_meets <= overhead + of_sum else t
    alpha = rule.powers[centre + 1]
    while True:
        promotions = events.promotions[now] - events.promotions[t]
        least = (ratio - error) * rule.powers[centre - (now - t - promotions)]
        side = compare(least, (ratio + error) * rule.powers[centre + promotions], 1.0)
        known.ratio[i], known.error[i], known.when[i] = ratio, error, t
        if side != UNDECIDED or t == stop:
            return side
        change, nodes = meet_ratio(events, t, x, space, rule)
        known.spent[0] += nodes
        known.spent[1] += 1
        change *= alpha - 1.0 if events.undo[t] < 0 else 1.0 / alpha - 1.0
        ratio += change
        error += _ROUNDING * abs(change) + _ROUNDING * 0.01 * ratio
        if not error < _WORN * ratio:
            return UNDECIDED
        t += 1


@jit
def follow(events: Events, row: tuple[int, Codes], known: Followed, space: Space, rule: Rule) -> int:
    """Side of theta of a row; UNDECIDED if it is too near, or its sum not to be had within one word and the budget."""
    side = catch_up(events, row, known, space, rule)
    if side != UNDECIDED:
        return side
    i, x = row
    known.when[i] = -1
    log_sum, nodes, ended = row_sum(events.log, x, space, rule.powers, rule.max_nodes)
    if ended != DONE:
        return UNDECIDED
    known.spent[2] += nodes
    known.spent[3] += 1
    if abs(log_sum - rule.log_theta) > FAR:
        return 1 if log_sum > rule.log_theta else 0
    ratio = math.exp(log_sum - rule.log_theta)
    known.ratio[i], known.error[i], known.when[i] = ratio, 10.0 * _ROUNDING * ratio, events.undo.size
    known.nodes[i] = nodes
    return compare(ratio, ratio, 1.0)


@jit
def next_mistake(events: Events, rows: Rows, known: Followed, space: Space, rule: Rule) -> tuple[int, int]:
    """Find the first row in the order that is wrong or undecided: its place, past the end if none is, and its side."""
    for place in range(rows.order.size):
        i = rows.order[place]
        side = follow(events, (i, rows.X[i]), known, space, rule)
        if side != rows.y[i]:
            return place, side
    return rows.order.size, UNDECIDED
