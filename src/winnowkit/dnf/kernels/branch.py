"""Exact sums over all subsets of attributes, by branching.

A *problem* is a list of sets G_k of attributes, each with a net count s_k; wanted is the sum over all subsets A of the
attributes of ``alpha^net(A)``, ``net(A) = sum_k s_k [A subset of G_k]``, or how many A have each net.

The subsets are split by their highest attribute j: those keep only the sets that hold j, over the attributes below j.
Attributes left in no set, or in all of them, leave such a branch at once. A branch of few attributes ends with a table
of the net of each of its subsets, by superset sums (the zeta transform); one of few sets ends with a table of how many
attribute subsets lie in exactly these sets and no others, by Moebius inversion. All numbers are positive integers, so
nothing cancels. As bit 0 is the most shared attribute, branching is on rare attributes, whose lists are short.

A row goes :func:`row_sums` -> :func:`row_sum` -> :func:`problem_sum` -> :func:`branch`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from winnowkit.core.bits import MAX_BITS, bit_length, popcount
from winnowkit.core.jit import jit_uncounted
from winnowkit.dnf.kernels.problem import (
    CELLS_A_NODE,
    DUAL_SIZE,
    Codes,
    Floats,
    Ints,
    LogArrays,
    Space,
    agree,
    descend,
    dual_leaf,
    nothing,
    open_root,
    table_bits,
    table_leaf,
)

DONE, OVER_BUDGET, OUT_OF_RANGE, TOO_WIDE = range(4)
"""How a sum ended: OUT_OF_RANGE if floats cannot hold it, TOO_WIDE if one word cannot hold its attributes."""

NO_BUDGET = np.iinfo(np.int64).max - 1
_TINY = 1e-270  # below this, weights that underflowed could matter


class RowSums(NamedTuple):
    """Results of :func:`row_sums`, one per row."""

    log_sum: Floats
    nodes: Ints
    ended: Ints


@jit_uncounted
def row_sums(log: LogArrays, X: Codes, space: Space, weights: tuple[Floats, int], out: RowSums) -> None:
    """Fill `out` by :func:`row_sum` of each row of `X`; `weights` are powers and the largest number of nodes."""
    powers, max_nodes = weights
    for i in range(len(X)):
        out.log_sum[i], out.nodes[i], out.ended[i] = row_sum(log, X[i], space, powers, max_nodes)


@jit_uncounted
def row_sum(log: LogArrays, x: Codes, space: Space, powers: Floats, max_nodes: int) -> tuple[float, int, int]:
    """Compute the logarithm of the weighted sum of `x`, the nodes visited, and how it ended."""
    size, live, dead, free = agree(log, nothing(log), x, space)
    if live > MAX_BITS:
        return 0.0, 0, TOO_WIDE
    total, nodes, ended = problem_sum(size, live, space, powers, max_nodes)
    if ended != DONE:
        return 0.0, nodes, ended
    return log_of_sum(total, live, dead, free), nodes, DONE


@jit_uncounted
def problem_sum(n_sets: int, live: int, space: Space, powers: Floats, max_nodes: int) -> tuple[float, int, int]:
    """Sum over the `live` attributes of the problem in `space`; the sum, its nodes, and how it ended."""
    open_root(space, n_sets, live)
    total, nodes = branch(space, 0, powers, max_nodes)
    if nodes > max_nodes:
        return total, nodes, OVER_BUDGET
    if not _TINY < total < np.inf:
        return total, nodes, OUT_OF_RANGE
    return total, nodes, DONE


@jit_uncounted
def log_of_sum(total: float, live: int, dead: int, free: int) -> float:
    """Compute the logarithm of the whole sum, given that over the `live` attributes.

    A subset with a dead attribute has net 0, whatever else it has; a free one doubles everything.
    """
    log_total = math.log(total)
    if dead > 0:
        others = live * math.log(2.0) + dead * math.log(2.0) + math.log1p(-(2.0**-dead))
        high, low = max(log_total, others), min(log_total, others)
        log_total = high + math.log1p(math.exp(low - high))
    return log_total + free * math.log(2.0)


@jit_uncounted
def branch(space: Space, bottom: int, powers: Floats, max_nodes: int) -> tuple[float, int]:
    """Sum ``powers[net]`` over all subsets of branch `bottom`; count them in ``space.tally`` if that is not empty.

    `powers` and the tally are centred: net 0 is their middle. Returns the sum (0 when counting) and the nodes visited,
    which pass `max_nodes` if the search was given up. A large table counts as many, so that nodes take alike long.
    """
    frames = space.frames
    total, nodes, top = 0.0, 0, bottom
    while top >= bottom and nodes <= max_nodes:
        n_sets, rest = frames[top + 1] - frames[top], frames[top + 2]
        size = popcount(rest)
        nodes += 1
        if size == 0:
            net = space.nets[frames[top] : frames[top + 1]].sum()
            total += weigh(net, frames[top + 3], powers, space.tally)
        elif n_sets <= min(size, DUAL_SIZE):
            total += frames[top + 3] * dual_leaf(space, top, powers)
        elif size <= table_bits(n_sets):
            total += frames[top + 3] * table_leaf(space, top, powers)
            nodes += (1 << size) // CELLS_A_NODE
        else:
            j = bit_length(rest) - 1
            total += weigh(0, descend(space, top, j), powers, space.tally)
            frames[top + 2] = rest ^ (1 << j)
            top += 8
        top -= 4
    return total, nodes


@jit_uncounted
def weigh(net: int, count: int, powers: Floats, tally: Ints) -> float:
    """Weigh `count` subsets of one net; or tally them."""
    if tally.size > 0:
        tally[net + (tally.size >> 1)] += count
        return 0.0
    weight: float = count * powers[net + (powers.size >> 1)]
    return weight
