"""On which side of a threshold a sum lies, from bounds on the branches not yet summed.

Bounds of a branch come from its subsets A of each size a apart: of the C(r, a) of them, C(|G|, a) lie in a set G, so
their mean net is known, and by Jensen's inequality they weigh at least ``C(r, a) alpha^mean``. Their positive nets
alone, of known mean too, reach at most the sum F of those of sets that large, and a convex function lies under its
chord, so they weigh at most ``C(r, a) (1 + mean+ / F (alpha^F - 1))``. (Over all sizes together, the lower bound was a
millionth of the sum on auto; size by size it is two thirds to all of it.)
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from winnowkit.kernels import jit
from winnowkit.kernels.agree import Codes, Floats, Ints, Log, Space, U, agree, nothing, table_bits
from winnowkit.kernels.bits import MAX_BITS, popcount
from winnowkit.kernels.branch import branch, descend, open_root

NEAR = 1e-9
"""Sums within this relative distance of the threshold are not decided in floating point."""

BELOW, ABOVE, UNDECIDED, GIVEN_UP = range(4)
"""Sides: 0 and 1 are labels; UNDECIDED is too near for floats, GIVEN_UP is past the budget."""

_MOST = 850  # powers of two that leave floats room for the weights
_CHOOSE = np.array([[float(math.comb(r, a)) for a in range(MAX_BITS + 1)] for r in range(MAX_BITS + 1)])


@jit
def bounds_of(space: Space, top: int, powers: Floats) -> tuple[float, float]:
    """Bound the sum over branch `top` from below and above."""
    frames, plus, minus = space.frames, space.weights[:64], space.weights[64:128]
    rest, scale = frames[top + 2], float(frames[top + 3])
    r, centre = popcount(rest), powers.size >> 1
    log_alpha = math.log(powers[centre + 1])
    plus[: r + 1] = 0.0
    minus[: r + 1] = 0.0
    for k in range(frames[top], frames[top + 1]):
        size, net = popcount(space.sets[U(k)] & rest), space.nets[U(k)]
        plus[U(size)] += max(net, 0)
        minus[U(size)] += max(-net, 0)
    lower, upper, reach = 0.0, 0.0, 0
    for a in range(r, -1, -1):
        reach += int(plus[a])
        promoted, demoted = 0.0, 0.0
        for size in range(a, r + 1):
            promoted += plus[size] * _CHOOSE[size, a]
            demoted += minus[size] * _CHOOSE[size, a]
        lower += _CHOOSE[r, a] * math.exp((promoted - demoted) / _CHOOSE[r, a] * log_alpha)
        upper += _CHOOSE[r, a]
        if reach > 0:
            upper += promoted / reach * (powers[centre + reach] - 1.0)
    return scale * lower, scale * upper


@jit
def compare(lower: float, upper: float, threshold: float) -> int:
    """Side of `threshold` of a number between `lower` and `upper`."""
    if lower > threshold * (1.0 + NEAR):
        return ABOVE
    if upper < threshold * (1.0 - NEAR):
        return BELOW
    return UNDECIDED


@jit
def problem_side(
    problem: tuple[int, int, float], space: Space, powers: Floats, threshold: float, max_nodes: int
) -> tuple[int, int]:
    """Side of `threshold` of the sum over the problem in `space`, and the nodes visited.

    `problem` is its number of sets, of live attributes, and what to add to the sum over these. The sum is parted by its
    subsets' highest attribute, all low ones together; the part of the widest bounds is summed next, until the bounds
    of all others leave no doubt. They are added up anew each time: subtracting from a total would lose digits.
    """
    n_sets, live, known = problem
    open_root(space, n_sets, live)
    low = table_bits(n_sets)
    if live > low:
        lower, upper = bounds_of(space, 0, powers)
        side = compare(known + lower, known + upper, threshold)
        if side != UNDECIDED:
            return side, 1
        space.frames[2] = (1 << low) - 1
    total, nodes = branch(space, 0, powers, max_nodes)
    known += total
    lowers, uppers = space.bounds[:MAX_BITS], space.bounds[MAX_BITS : 2 * MAX_BITS]
    space.frames[2] = (1 << live) - 1
    for j in range(low, live):
        known += descend(space, 0, j)
        lowers[j], uppers[j] = bounds_of(space, 4, powers)
    while nodes <= max_nodes:
        lower, upper, widest = known, known, -1
        for j in range(low, live):
            lower += lowers[j]
            upper += uppers[j]
            if uppers[j] > lowers[j] and (widest < 0 or uppers[j] - lowers[j] > uppers[widest] - lowers[widest]):
                widest = j
        side = compare(lower, upper, threshold)
        if side != UNDECIDED or widest < 0:
            return side, nodes
        descend(space, 0, widest)
        lowers[widest], more = branch(space, 4, powers, max_nodes - nodes)
        uppers[widest] = lowers[widest]
        nodes += more
    return GIVEN_UP, nodes


@jit
def part_side(
    shape: tuple[int, int, int, int], space: Space, powers: Floats, log_theta: float, max_nodes: int
) -> tuple[int, int]:
    """Side of theta of the problem in `space` of this `shape`: its sets, live, dead and free attributes."""
    n_sets, live, dead, free = shape
    log_threshold = log_theta - free * math.log(2.0)
    if live > MAX_BITS or live + dead > _MOST or abs(log_threshold) > _MOST * math.log(2.0):
        return UNDECIDED, 0
    outside = (2.0**dead - 1.0) * 2.0**live
    return problem_side((n_sets, live, outside), space, powers, math.exp(log_threshold), max_nodes)


class Sides(NamedTuple):
    """Results of :func:`row_sides`, one a row."""

    side: Ints
    nodes: Ints


@jit
def row_sides(log: Log, X: Codes, space: Space, weights: tuple[Floats, float, int], out: Sides) -> None:
    """Side of theta of the sum of each row of `X`; `weights` are powers, log theta, and the largest number of nodes."""
    powers, log_theta, max_nodes = weights
    for i in range(len(X)):
        shape = agree(log, nothing(log), X[i], space)
        out.side[i], out.nodes[i] = part_side(shape, space, powers, log_theta, max_nodes)
