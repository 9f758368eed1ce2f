"""Exact sums over all subsets of attributes, by branching.

A *problem* is a list of sets G_k of attributes, each with a net count s_k; wanted is the sum over all subsets A of the
attributes of ``alpha^net(A)``, ``net(A) = sum_k s_k [A subset of G_k]``, or how many A have each net.

The subsets are split by their highest attribute j: those keep only the sets that hold j, over the attributes below j.
Attributes left in no set, or in all of them, leave such a branch at once. A branch of few attributes ends with a table
of the net of each of its subsets, by superset sums (the zeta transform); one of few sets ends with a table of how many
attribute subsets lie in exactly these sets and no others, by Moebius inversion. All numbers are positive integers, so
nothing cancels. As bit 0 is the most shared attribute, branching is on rare attributes, whose lists are short.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from winnowkit.kernels import jit
from winnowkit.kernels.agree import DUAL_SIZE, Floats, Ints, Space, U, project, table_bits
from winnowkit.kernels.bits import bit_length, popcount

LANES = 16

# Row `low`: for each of the 16 subsets of the four lowest attributes, whether it lies in `low`.
_INSIDE = np.array([lane & low == lane for low in range(LANES) for lane in range(LANES)], dtype=np.int16)


@jit
def open_frame(frames: Ints, top: int, sets: tuple[int, int], attributes: tuple[int, int]) -> None:
    """Put a branch on the stack: first set, last set + 1; attributes, and how many subsets each of theirs stands for."""
    frames[top], frames[top + 1] = sets
    frames[top + 2], frames[top + 3] = attributes


@jit
def branch(n_sets: int, live: int, space: Space, powers: Floats, max_nodes: int) -> tuple[float, int]:
    """Sum ``powers[net]`` over all subsets of `live` attributes; count them in ``space.tally`` if that is not empty.

    `powers` and the tally are centred: net 0 is their middle. The sets stand in ``space.sets[:n_sets]``. Returns the
    sum (0 when counting) and the nodes visited, which pass `max_nodes` if the search was given up.
    """
    sets, nets, frames, tally = space.sets, space.nets, space.frames, space.tally
    total, nodes, top = 0.0, 0, 0
    open_frame(frames, 0, (0, n_sets), ((1 << live) - 1, 1))
    while top >= 0 and nodes <= max_nodes:
        start, end, rest, scale = frames[top], frames[top + 1], frames[top + 2], frames[top + 3]
        nodes += 1
        if popcount(rest) <= table_bits(end - start):
            total += scale * table_leaf(space, top, powers)
            top -= 4
            continue
        j = bit_length(rest) - 1
        below = rest ^ (1 << j)
        frames[top + 2] = below
        out, union, common = end, 0, below
        for k in range(start, end):
            g = sets[U(k)]
            bit = (g >> j) & 1
            sets[U(out)], nets[U(out)] = g, nets[U(k)]
            out += bit
            union |= g & -bit
            common &= g | (bit - 1)
        union &= below
        dead = (1 << popcount(below)) - (1 << popcount(union))
        total += weigh(0, scale * dead, powers, tally)
        scale <<= popcount(common)
        rest = union & ~common
        open_frame(frames, top + 4, (end, out), (rest, scale))
        if rest == 0:
            total += weigh(nets[end:out].sum(), scale, powers, tally)
        elif out - end <= DUAL_SIZE:
            total += scale * dual_leaf(space, top + 4, powers)
        else:
            top += 4
    return total, nodes


@jit
def weigh(net: int, count: int, powers: Floats, tally: Ints) -> float:
    """Weight of `count` subsets of one net; or tally them."""
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
    """Sum of the powers of all cells; four running sums, as one would wait for each addition."""
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
