"""On which side of a threshold a sum lies, from bounds that are tightened until they leave no doubt."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from winnowkit.core.jit import jit
from winnowkit.dnf.kernels.agree import Codes, Floats, Ints, LogArrays, Space, agree, nothing
from winnowkit.dnf.kernels.bounded_branch import bracket

NEAR = 1e-9
"""Sums within this relative distance of the threshold are not decided in floating point."""

BELOW, ABOVE, UNDECIDED, GIVEN_UP = range(4)
"""Sides: 0 and 1 are labels; UNDECIDED is too near for floats, GIVEN_UP is past the budget."""

SLACKS = (1e-2, 1e-4, 1e-7, 1e-12)
"""Parts of the threshold by which a branch may be uncertain, one after the other (measured)."""

WIDE = 40
"""Problems of more live attributes than this are searched best first (:mod:`~winnowkit.dnf.kernels.best_first`)."""

_MOST = 850  # powers of two that leave floats room for the weights

Shape = tuple[int, int, int, int]  # a problem's sets, live, dead and free attributes


@jit
def compare(lower: float, upper: float, threshold: float) -> int:
    """Side of `threshold` of a number between `lower` and `upper`."""
    if lower > threshold * (1.0 + NEAR):
        return ABOVE
    if upper < threshold * (1.0 - NEAR):
        return BELOW
    return UNDECIDED


@jit
def in_range(shape: Shape, log_theta: float) -> bool:
    """Whether a problem has so few attributes as to be bracketed, and floats hold its numbers."""
    _, live, dead, free = shape
    within: bool = abs(log_theta - free * math.log(2.0)) <= _MOST * math.log(2.0)
    return live <= WIDE and live + dead <= _MOST and within


@jit
def ratio_bounds(
    shape: Shape, space: Space, weights: tuple[Floats, float, int], goal: tuple[float, float]
) -> tuple[float, float, int]:
    """Bounds of the sum over theta of the problem in `space`, which is in range; and the nodes visited.

    `weights` are powers, log theta, and the largest number of nodes; `goal` is as in :func:`bracket`, over theta too.
    """
    n_sets, live, dead, free = shape
    powers, log_theta, max_nodes = weights
    threshold = math.exp(log_theta - free * math.log(2.0))
    problem = n_sets, live, (2.0**dead - 1.0) * 2.0**live
    lower, upper, nodes = bracket(problem, space, powers, (goal[0] * threshold, goal[1] * threshold), max_nodes)
    return lower / threshold, upper / threshold, nodes


@jit
def part_side(shape: Shape, space: Space, weights: tuple[Floats, float, int]) -> tuple[int, float, float, int]:
    """Side of theta of the problem in `space`, bounds of its sum over theta, and the nodes visited."""
    lower, upper, nodes = 0.0, np.inf, 0
    powers, log_theta, max_nodes = weights
    if in_range(shape, log_theta):
        for slack in SLACKS:
            left = powers, log_theta, max_nodes - nodes
            lower, upper, more = ratio_bounds(shape, space, left, (slack, 1.0 + NEAR))
            nodes += more
            if nodes > max_nodes:
                return GIVEN_UP, lower, upper, nodes
            side = compare(lower, upper, 1.0)
            if side != UNDECIDED or upper <= lower:
                return side, lower, upper, nodes
    return UNDECIDED, lower, upper, nodes


class RowSides(NamedTuple):
    """Results of :func:`row_sides`, one a row."""

    side: Ints
    nodes: Ints


@jit
def row_sides(log: LogArrays, X: Codes, space: Space, weights: tuple[Floats, float, int], out: RowSides) -> None:
    """Side of theta of the sum of each row of `X`; `weights` are powers, log theta, and the largest number of nodes."""
    for i in range(len(X)):
        shape = agree(log, nothing(log), X[i], space)
        out.side[i], _, _, out.nodes[i] = part_side(shape, space, weights)


class RowBounds(NamedTuple):
    """Results of :func:`row_bounds`, one a row: logarithms."""

    low: Floats
    high: Floats
    nodes: Ints


@jit
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
            low, high, out.nodes[i] = ratio_bounds(shape, space, (powers, log_slacks[i], max_nodes), (1.0, np.inf))
            if 0.0 < low < np.inf:
                out.low[i], out.high[i] = math.log(low) + log_slacks[i], math.log(high) + log_slacks[i]
