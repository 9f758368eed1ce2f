"""The side of a threshold on which a sum lies, by branching between bounds that leaves out what cannot matter.

A row goes :func:`row_sides` -> :func:`part_side` -> :func:`ratio_bounds` -> :func:`open_branch`: bounds of its sum are
tightened until they leave no doubt.

A branch holds the subsets A that contain its attributes so far. The one that contains no more is weighed exactly; the
others are divided by their highest further attribute j. What those of j together weigh is bounded from a scan of the
branch's sets. Of the sets that hold j, let P be the promotions and N the demotions, and let M+ and M- count the pairs
of such a subset (but {j} itself) and a promotion or demotion that covers it: ``2^|G below j| - 1`` for each set G.
Every net is between -N and P, and ``alpha^net`` is convex in it, so that

- from below, ``alpha^net >= 1 + c net`` for each c from 1 - 1/alpha to alpha - 1 (nets being integers);
- from above, it lies under its chord over [-N, P], and also, demotions left out, under that over [0, P].

Both are linear in the net, whose sum over the subsets is M+ - M- (:func:`chord_bounds`). Branches whose bounds are no
further apart than a *slack* are not opened. Near a threshold, weight sits in the few small subsets of many promotions:
on a dense table of 36 attributes and 540 mistakes, a sum to one part in a thousand takes 500 branches, the exact one
two million.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from winnowkit.core.bits import bit_length, popcount
from winnowkit.core.jit import jit_uncounted
from winnowkit.dnf.kernels.problem import (
    CELLS_A_NODE,
    DUAL_SIZE,
    Codes,
    Floats,
    Ints,
    LogArrays,
    Space,
    U,
    agree,
    descend,
    dual_leaf,
    nothing,
    open_root,
    table_bits,
    table_leaf,
)

NEAR = 1e-9
"""Sums within this relative distance of the threshold are not decided in floating point."""

BELOW, ABOVE, UNDECIDED, GIVEN_UP = range(4)
"""Sides: 0 and 1 are labels; UNDECIDED is too near for floats, GIVEN_UP is past the budget."""

SLACKS = (1e-2, 1e-4, 1e-7, 1e-12)
"""Parts of the threshold by which a branch may be uncertain, one after the other (measured)."""

WIDE = 40
"""Problems of more live attributes than this are searched best first (:mod:`~winnowkit.dnf.kernels.best_first`)."""

SETS_A_NODE = 16
"""Reading this many sets takes as long as a node."""

MOST_LOG2 = 850
"""Powers of two that leave floats room for the weights."""

_FEW = 2  # open branches of low attributes that are done one by one; more of them are one table (measured)

Shape = tuple[int, int, int, int]  # a problem's sets, live, dead and free attributes


class Comparison(NamedTuple):
    """The terms of a comparison with theta: centred powers of alpha, log theta, and the largest number of nodes."""

    powers: Floats
    log_theta: float
    max_nodes: int


class RowSides(NamedTuple):
    """Results of :func:`row_sides`, one per row."""

    side: Ints
    nodes: Ints


class RowBounds(NamedTuple):
    """Results of :func:`row_bounds`, one per row: logarithms."""

    low: Floats
    high: Floats
    nodes: Ints


@jit_uncounted
def row_sides(log: LogArrays, X: Codes, space: Space, comparison: Comparison, out: RowSides) -> None:
    """Find the side of theta of the sum of each row of `X`."""
    for i in range(len(X)):
        shape = agree(log, nothing(log), X[i], space)
        out.side[i], _, _, out.nodes[i] = part_side(shape, space, comparison)


@jit_uncounted
def part_side(shape: Shape, space: Space, comparison: Comparison) -> tuple[int, float, float, int]:
    """Find the side of theta of the problem in `space`, bounds of its sum over theta, and the nodes visited."""
    lower, upper, nodes = 0.0, np.inf, 0
    powers, log_theta, max_nodes = comparison
    if in_range(shape, log_theta):
        for slack in SLACKS:
            left = Comparison(powers, log_theta, max_nodes - nodes)
            lower, upper, more = ratio_bounds(shape, space, left, (slack, 1.0 + NEAR))
            nodes += more
            if nodes > max_nodes:
                return GIVEN_UP, lower, upper, nodes
            side = compare(lower, upper, 1.0)
            if side != UNDECIDED or upper <= lower:
                return side, lower, upper, nodes
    return UNDECIDED, lower, upper, nodes


@jit_uncounted
def in_range(shape: Shape, log_theta: float) -> bool:
    """Tell whether a problem has few enough attributes to be bounded here, and floats hold its numbers."""
    _, live, dead, free = shape
    within: bool = abs(log_theta - free * math.log(2.0)) <= MOST_LOG2 * math.log(2.0)
    return live <= WIDE and live + dead <= MOST_LOG2 and within


@jit_uncounted
def compare(lower: float, upper: float, threshold: float) -> int:
    """Find the side of `threshold` of a number between `lower` and `upper`."""
    if lower > threshold * (1.0 + NEAR):
        return ABOVE
    if upper < threshold * (1.0 - NEAR):
        return BELOW
    return UNDECIDED


@jit_uncounted
def ratio_bounds(
    shape: Shape, space: Space, comparison: Comparison, goal: tuple[float, float]
) -> tuple[float, float, int]:
    """Bound the sum over theta of the problem in `space`, which is in range; and the nodes visited.

    `goal` is the slack of a branch, and a lower bound that is enough, both over theta too: past the latter the search
    ends, and the upper bound is infinite. So it is past the largest number of nodes.
    """
    n_sets, live, dead, free = shape
    powers, log_theta, max_nodes = comparison
    threshold = math.exp(log_theta - free * math.log(2.0))
    slack, enough = goal[0] * threshold, goal[1] * threshold
    open_root(space, n_sets, live)
    outside = (2.0**dead - 1.0) * 2.0**live
    lower, upper, nodes = outside, outside, 0
    top, fresh = 0, True
    while top >= 0 and lower <= enough and nodes <= max_nodes:
        if fresh:
            least, most, cost = open_branch(space, top, powers, slack)
            lower += least
            upper += most
            nodes += cost
        todo = space.todo[top >> 2]
        fresh = todo != 0
        if fresh:
            j = bit_length(todo) - 1
            space.todo[top >> 2] = todo ^ (1 << j)
            in_no_set = float(descend(space, top, j))
            lower += in_no_set
            upper += in_no_set
            top += 4
        else:
            top -= 4
    return lower / threshold, (np.inf if top >= 0 else upper) / threshold, nodes


@jit_uncounted
def open_branch(space: Space, top: int, powers: Floats, slack: float) -> tuple[float, float, int]:
    """Bound branch `top` but for its parts in ``space.todo``, which are wider than `slack`; and its nodes."""
    frames = space.frames
    rest, scale = frames[top + 2], float(frames[top + 3])
    size, n_sets = popcount(rest), frames[top + 1] - frames[top]
    space.todo[top >> 2] = 0
    if size == 0:
        weight = scale * powers[space.nets[frames[top] : frames[top + 1]].sum() + (powers.size >> 1)]
        return weight, weight, 1
    if n_sets <= min(size, DUAL_SIZE):
        weight = scale * dual_leaf(space, top, powers)
        return weight, weight, 1
    if size <= table_bits(n_sets):
        weight = scale * table_leaf(space, top, powers)
        return weight, weight, 1 + (1 << size) // CELLS_A_NODE
    net = scan_sets(space, top)
    return bound_branches(space, top, net, powers, slack)


@jit_uncounted
def scan_sets(space: Space, top: int) -> int:
    """Add up the net of all sets of branch `top`; ``space.shares[j]`` become P, P + M+, N and N + M- of attribute j."""
    frames, shares = space.frames, space.shares
    rest, net = frames[top + 2], 0
    shares[:] = 0.0
    for k in range(frames[top], frames[top + 1]):
        g, sign = space.sets[U(k)] & rest, space.nets[U(k)]
        net += sign
        at = 0 if sign > 0 else 2
        size = pairs = float(abs(sign))
        while g:
            j = bit_length(g & -g) - 1
            shares[U(j), U(at)] += size
            shares[U(j), U(at + 1)] += pairs
            pairs += pairs
            g &= g - 1
    return net


@jit_uncounted
def bound_branches(space: Space, top: int, net: int, powers: Floats, slack: float) -> tuple[float, float, int]:
    """Bound the parts of a branch that was scanned, as :func:`open_branch` does."""
    frames = space.frames
    rest, scale, n_sets = frames[top + 2], float(frames[top + 3]), frames[top + 1] - frames[top]
    low, nodes = table_bits(n_sets), 1 + n_sets // SETS_A_NODE
    centre = powers.size >> 1
    lower = upper = scale * powers[net + centre]
    todo, left = 0, rest
    for below in range(popcount(rest)):
        if below == low and popcount(todo) > _FEW:
            frames[top + 2] = rest & ~left
            lower = upper = scale * table_leaf(space, top, powers)
            frames[top + 2] = rest
            todo, nodes = 0, nodes + (1 << low) // CELLS_A_NODE
        j = bit_length(left & -left) - 1
        share = space.shares[j]
        promoted, demoted = int(share[0]), int(share[2])
        alone = powers[centre + promoted - demoted]
        least, most = chord_bounds(
            2.0**below - 1.0, share[1] - share[0], share[3] - share[2], (promoted, demoted), powers
        )
        if scale * ((alone + most) - (alone + least)) <= slack:
            lower += scale * (alone + least)
            upper += scale * (alone + most)
        else:
            todo |= 1 << j
        left &= left - 1
    space.todo[top >> 2] = todo
    return lower, upper, nodes


@jit_uncounted
def chord_bounds(others: float, up: float, down: float, caps: tuple[int, int], powers: Floats) -> tuple[float, float]:
    """Bound `others` weights whose promotions and demotions are `up` and `down` in all, and at most `caps` each."""
    centre, net = powers.size >> 1, up - down
    slope = powers[centre + 1] - 1.0 if net > 0 else 1.0 - powers[centre - 1]
    least, most = max(0.0, others + slope * net), others
    if up > 0:
        most += up / caps[0] * (powers[centre + caps[0]] - 1.0)
    if caps[1] > 0:
        end = powers[centre - caps[1]]
        chord = others * end + max(0.0, net + caps[1] * others) / (caps[0] + caps[1]) * (powers[centre + caps[0]] - end)
        most = chord if chord < most else most  # not if it is infinite or no number
    return least, most


@jit_uncounted
def row_bounds(
    log: LogArrays, rows: tuple[Codes, Floats], space: Space, weights: tuple[Floats, int], out: RowBounds
) -> None:
    """Bound the sums of rows, each with the log of its slack; `weights` are powers and the largest number of nodes."""
    X, log_slacks = rows
    powers, max_nodes = weights
    for i in range(len(X)):
        shape = agree(log, nothing(log), X[i], space)
        out.low[i], out.high[i] = -np.inf, np.inf
        if in_range(shape, log_slacks[i]):
            comparison = Comparison(powers, log_slacks[i], max_nodes)
            low, high, out.nodes[i] = ratio_bounds(shape, space, comparison, (1.0, np.inf))
            if 0.0 < low < np.inf:
                out.low[i], out.high[i] = math.log(low) + log_slacks[i], math.log(high) + log_slacks[i]
