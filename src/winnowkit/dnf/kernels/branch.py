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
import numpy.typing as npt

from winnowkit.core.bits import MAX_BITS, bit_length, popcount
from winnowkit.core.jit import jit
from winnowkit.dnf.kernels.agree import (
    DUAL_SIZE,
    Codes,
    Floats,
    Ints,
    LogArrays,
    Space,
    U,
    agree,
    nothing,
    project,
    table_bits,
)

LANES = 16
CELLS_A_NODE = 256

DONE, OVER_BUDGET, OUT_OF_RANGE, TOO_WIDE = range(4)
"""How a sum ended: OUT_OF_RANGE if floats cannot hold it, TOO_WIDE if one word cannot hold its attributes."""

NO_BUDGET = np.iinfo(np.int64).max - 1
_TINY = 1e-270  # below this, weights that underflowed could matter

# Row `low`: for each of the 16 subsets of the four lowest attributes, whether it lies in `low`.
_INSIDE = np.array([lane & low == lane for low in range(LANES) for lane in range(LANES)], dtype=np.int16)


class RowSums(NamedTuple):
    """Results of :func:`row_sums`, one per row."""

    log_sum: Floats
    nodes: Ints
    ended: Ints


@jit
def row_sums(log: LogArrays, X: Codes, space: Space, weights: tuple[Floats, int], out: RowSums) -> None:
    """Fill `out` by :func:`row_sum` of each row of `X`; `weights` are powers and the largest number of nodes."""
    powers, max_nodes = weights
    for i in range(len(X)):
        out.log_sum[i], out.nodes[i], out.ended[i] = row_sum(log, X[i], space, powers, max_nodes)


@jit
def row_sum(log: LogArrays, x: Codes, space: Space, powers: Floats, max_nodes: int) -> tuple[float, int, int]:
    """Compute the logarithm of the weighted sum of `x`, the nodes visited, and how it ended."""
    size, live, dead, free = agree(log, nothing(log), x, space)
    if live > MAX_BITS:
        return 0.0, 0, TOO_WIDE
    total, nodes, ended = problem_sum(size, live, space, powers, max_nodes)
    if ended != DONE:
        return 0.0, nodes, ended
    return log_of_sum(total, live, dead, free), nodes, DONE


@jit
def problem_sum(n_sets: int, live: int, space: Space, powers: Floats, max_nodes: int) -> tuple[float, int, int]:
    """Sum over the `live` attributes of the problem in `space`; the sum, its nodes, and how it ended."""
    open_root(space, n_sets, live)
    total, nodes = branch(space, 0, powers, max_nodes)
    if nodes > max_nodes:
        return total, nodes, OVER_BUDGET
    if not _TINY < total < np.inf:
        return total, nodes, OUT_OF_RANGE
    return total, nodes, DONE


@jit
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


@jit
def open_root(space: Space, n_sets: int, live: int) -> None:
    """Make the problem in ``space.sets[:n_sets]`` the branch at the bottom of the stack.

    A branch is four numbers in ``space.frames``: its first set and last set + 1; the attributes still to split by; and
    how many subsets each of their subsets stands for.
    """
    frames = space.frames
    frames[0], frames[1], frames[2], frames[3] = 0, n_sets, (1 << live) - 1, 1


@jit
def descend(space: Space, top: int, j: int) -> int:
    """Open, above branch `top`, that of the subsets whose highest attribute is `j`; how many of them lie in no set."""
    sets, nets, frames = space.sets, space.nets, space.frames
    start, end, scale = frames[top], frames[top + 1], frames[top + 3]
    below = frames[top + 2] & ((1 << j) - 1)
    out, union, common = end, 0, below
    for k in range(start, end):
        g = sets[U(k)]
        bit = (g >> j) & 1
        sets[U(out)], nets[U(out)] = g, nets[U(k)]
        out += bit
        union |= g & -bit
        common &= g | (bit - 1)
    union &= below
    frames[top + 4], frames[top + 5], frames[top + 6] = end, out, union & ~common
    frames[top + 7] = scale << popcount(common)
    outside: int = scale * ((1 << popcount(below)) - (1 << popcount(union)))
    return outside


@jit
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


@jit
def weigh(net: int, count: int, powers: Floats, tally: Ints) -> float:
    """Weigh `count` subsets of one net; or tally them."""
    if tally.size > 0:
        tally[net + (tally.size >> 1)] += count
        return 0.0
    weight: float = count * powers[net + (powers.size >> 1)]
    return weight


@jit
def table_leaf(space: Space, top: int, powers: Floats) -> float:
    """Sum over the subsets of the top branch from a table of their nets."""
    frames = space.frames
    start, end, rest, scale = frames[top], frames[top + 1], frames[top + 2], frames[top + 3]
    cells, index, nets, tally = space.cells, space.projected[: end - start], space.nets, space.tally
    size = 1 << popcount(rest)
    cells[: max(size, LANES)] = 0
    project(space.sets[start:end], rest, index)
    for k in range(index.size):
        base, row = index[k] & -LANES, (index[k] & (LANES - 1)) * LANES
        net = cells.dtype.type(nets[U(start + k)])
        for lane in range(LANES):
            cells[U(base + lane)] += net * _INSIDE[U(row + lane)]
    superset_sums(cells, size)
    if tally.size > 0:
        for i in range(size):
            tally[np.int64(cells[i]) + (tally.size >> 1)] += scale
        return 0.0
    return look_up(cells, size, powers)


@jit
def superset_sums(cells: npt.NDArray[np.signedinteger], size: int) -> None:
    """Add to each cell those of its supersets, the four lowest attributes being done already."""
    step = LANES
    while step < size:
        for low in range(0, size, 2 * step):
            for i in range(step):
                cells[U(low + i)] += cells[U(low + step + i)]
        step *= 2


@jit
def look_up(cells: npt.NDArray[np.signedinteger], size: int, powers: Floats) -> float:
    """Sum the powers of all cells; in four running sums, as one would wait for each addition."""
    centre = powers.size >> 1
    a = b = c = d = 0.0
    for i in range(size & 3):
        a += powers[U(np.int64(cells[U(i)]) + centre)]
    for i in range(0, size & -4, 4):
        a += powers[U(np.int64(cells[U(i)]) + centre)]
        b += powers[U(np.int64(cells[U(i + 1)]) + centre)]
        c += powers[U(np.int64(cells[U(i + 2)]) + centre)]
        d += powers[U(np.int64(cells[U(i + 3)]) + centre)]
    return (a + b) + (c + d)


@jit
def dual_leaf(space: Space, top: int, powers: Floats) -> float:
    """Sum over the subsets of the top branch by which of its few sets they lie in."""
    frames = space.frames
    start, end, rest, scale = frames[top], frames[top + 1], frames[top + 2], frames[top + 3]
    meets, weights, tally = space.meets, space.weights, space.tally
    counting = tally.size > 0
    meets[0], weights[0] = rest, 0.0 if counting else 1.0
    size = 1
    for k in range(start, end):
        g, net = space.sets[U(k)], space.nets[U(k)]
        weight = np.float64(net) if counting else powers[U(net + (powers.size >> 1))]
        for i in range(size):
            meets[U(size + i)] = meets[U(i)] & g
            weights[U(size + i)] = weights[U(i)] + weight if counting else weights[U(i)] * weight
        size *= 2
    for i in range(size):
        meets[U(i)] = 1 << popcount(meets[U(i)])
    step = 1
    while step < size:
        for low in range(0, size, 2 * step):
            for i in range(step):
                meets[U(low + i)] -= meets[U(low + step + i)]
        step *= 2
    if counting:
        for i in range(size):
            tally[np.int64(weights[i]) + (tally.size >> 1)] += scale * meets[i]
        return 0.0
    total = 0.0
    for i in range(size):
        total += meets[U(i)] * weights[U(i)]
    return total
