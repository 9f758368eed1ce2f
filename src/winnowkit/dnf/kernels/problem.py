"""From a log of mistakes and one example to a *problem*, and how a problem is taken apart.

A problem is the sets of attributes on which each mistake agrees with the example (:func:`agree`). Attributes on which
no mistake agrees (*dead*), and those on which all do (*free*), leave it at once; the others are numbered by how many
mistakes share them, bit 0 the most shared.

Its subsets of attributes are split by their highest attribute into *branches* (:func:`descend`). A branch of few
attributes ends with a table of the net of each of its subsets (:func:`table_leaf`), one of few sets with a table of how
many subsets lie in exactly these sets (:func:`dual_leaf`). Exact sums (:mod:`~winnowkit.dnf.kernels.branch`) and sides
(:mod:`~winnowkit.dnf.kernels.threshold`) are made of these.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from winnowkit.core.bits import MAX_BITS, bit_length, popcount
from winnowkit.core.jit import jit_uncounted

Ints: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]

# Unsigned indices spare numba's test for negative ones, without which LLVM vectorises (ten times faster).
U = np.uint64

CELL_BITS = 14
"""Largest superset-sum table: ``2**14`` cells of 16 bits fill a first-level cache."""
DUAL_SIZE = 7
"""Largest list of mistakes whose subsets are enumerated."""
LARGEST_REACH = np.iinfo(np.int16).max - 1
"""Nets that the kernels' tables of 16-bit cells hold."""

CELLS_A_NODE = 256
"""Cells of a table that take as long as a node of the search."""

# Kernels let weights overflow and look at the result; run without the JIT they would warn.
let_overflow = np.errstate(over="ignore", under="ignore", invalid="ignore")

_TABLE_MORE = 5  # measured on voting, auto and annealing
_LANES = 16  # subsets of the four lowest attributes, done at once

# Row `low`: for each of the 16 subsets of the four lowest attributes, whether it lies in `low`.
_INSIDE = np.array([lane & low == lane for low in range(_LANES) for lane in range(_LANES)], dtype=np.int16)


class LogArrays(NamedTuple):
    """Mistakes: one attribute per row of `codes`, whose columns from `first` on have these `nets`."""

    codes: Codes
    nets: Ints
    first: int


class Space(NamedTuple):
    """Scratch memory of one thread; `sets` and `nets` hold the problem first, then the lists of open branches."""

    sets: Ints
    nets: Ints
    place: Ints
    slots: Ints
    cells: npt.NDArray[np.signedinteger]
    meets: Ints
    weights: Floats
    projected: Ints
    frames: Ints
    tally: Ints
    shares: Floats
    todo: Ints
    meet: Codes


def make_space(n_mistakes: int, n_attributes: int, tally_reach: int = -1) -> Space:
    """Allocate scratch memory for problems of up to `n_mistakes` sets over up to `n_attributes` attributes.

    With a `tally_reach`, subsets are counted by net, from ``-tally_reach`` to ``tally_reach``, instead of weighed.
    """
    cell = np.int16 if tally_reach <= np.iinfo(np.int16).max else np.int64
    room = max(n_mistakes, 1) * (min(n_attributes, MAX_BITS) + 2)
    return Space(
        sets=np.empty(room, dtype=np.int64),
        nets=np.empty(room, dtype=np.int64),
        place=np.empty(2 * n_attributes + 2, dtype=np.int64),
        slots=np.empty(2 << n_mistakes.bit_length(), dtype=np.int64),
        cells=np.empty(1 << CELL_BITS, dtype=cell),
        meets=np.empty(1 << DUAL_SIZE, dtype=np.int64),
        weights=np.empty(1 << DUAL_SIZE, dtype=np.float64),
        projected=np.empty(n_mistakes + 1, dtype=np.int64),
        frames=np.empty(4 * (MAX_BITS + 2), dtype=np.int64),
        tally=np.zeros(max(0, 2 * tally_reach + 1), dtype=np.int64),
        shares=np.empty((MAX_BITS, 4), dtype=np.float64),
        todo=np.empty(MAX_BITS + 2, dtype=np.int64),
        meet=np.empty(n_attributes, dtype=np.int32),
    )


_of_thread = threading.local()


def space_for(n_sets: int, n_attributes: int) -> Space:
    """Return scratch memory of this thread that is large enough."""
    room: tuple[int, int] = getattr(_of_thread, "room", (-1, -1))
    if room[0] < n_sets or room[1] < n_attributes:
        _of_thread.room = max(2 * n_sets, 64, room[0]), max(n_attributes, room[1])
        _of_thread.space = make_space(*_of_thread.room)
    space: Space = _of_thread.space
    return space


@lru_cache(maxsize=32)
def _powers(alpha: float, reach: int) -> Floats:
    with np.errstate(over="ignore", under="ignore"):
        return np.float64(alpha) ** np.arange(-reach, reach + 1, dtype=np.float64)


def powers_of(alpha: float, reach: int) -> Floats:
    """Compute powers of `alpha`, exponent 0 in the middle, out to `reach` at least; few lengths, so they are cached."""
    return _powers(float(alpha), min(LARGEST_REACH, 1 << max(8, reach.bit_length())))


@jit_uncounted
def table_bits(n_sets: int) -> int:
    """Return the largest number of attributes for which a table of all subsets beats branching."""
    return min(CELL_BITS, bit_length(n_sets) + _TABLE_MORE)


@jit_uncounted
def shared(log: LogArrays, more: LogArrays, x: Codes, place: Ints) -> tuple[int, int, int]:
    """Count `live`, `dead` and `free` attributes of `x`; ``place[:live]`` are the live ones, the most shared first."""
    live = dead = free = 0
    n = x.size
    for j in range(n):
        if x[j] == 0:
            continue
        count = 0
        for part in (log, more):
            column, value, first = part.codes[j], x[j], part.first
            for s in range(part.nets.size):
                count += column[U(first + s)] == value
        if count == 0:
            dead += 1
        elif count == log.nets.size + more.nets.size:
            free += 1
        else:
            b = live
            while b > 0 and place[n + b - 1] < count:
                place[b], place[n + b] = place[b - 1], place[n + b - 1]
                b -= 1
            place[b], place[n + b] = j, count
            live += 1
    return live, dead, free


@jit_uncounted
def pack(log: LogArrays, x: Codes, place: Ints, sets: Ints) -> None:
    """Fill `sets`: bit b of set s says whether mistake s agrees with `x` on attribute ``place[b]``."""
    first = log.first
    for s in range(sets.size):
        sets[s] = 0
    for b in range(place.size):
        column, value = log.codes[place[b]], x[place[b]]
        for s in range(sets.size):
            sets[s] |= np.int64(column[U(first + s)] == value) << b


@jit_uncounted
def merge(size: int, space: Space) -> int:
    """Add the nets of equal sets and drop those of net 0; the number of sets left."""
    sets, nets, slots = space.sets, space.nets, space.slots
    mask = slots.size - 1
    slots[:] = -1
    kept = 0
    for k in range(size):
        g = sets[U(k)]
        h = g ^ (g >> 31)
        h ^= (h >> 15) ^ (h >> 7)
        h &= mask
        while slots[U(h)] >= 0 and sets[U(slots[U(h)])] != g:
            h = (h + 1) & mask
        at = slots[U(h)]
        if at >= 0:
            nets[U(at)] += nets[U(k)]
        else:
            slots[U(h)] = kept
            sets[U(kept)], nets[U(kept)] = g, nets[U(k)]
            kept += 1
    out = 0
    for k in range(kept):
        sets[U(out)], nets[U(out)] = sets[U(k)], nets[U(k)]
        out += nets[U(k)] != 0
    return out


@jit_uncounted
def project(sets: Ints, rest: int, index: Ints) -> None:
    """Move the bits of each set that `rest` selects to the low end, into `index`."""
    if rest & (rest + 1) == 0:
        for k in range(index.size):
            index[k] = sets[k] & rest
        return
    index[:] = 0
    b = 0
    while rest:
        at = bit_length(rest & -rest) - 1
        for k in range(index.size):
            index[k] |= ((sets[k] >> at) & 1) << b
        rest &= rest - 1
        b += 1


@jit_uncounted
def shrink(size: int, live: int, dead: int, free: int, space: Space) -> tuple[int, int, int]:
    """Take out attributes that merging has left in no set or in all of them: `live`, `dead`, `free` after it."""
    every = (1 << live) - 1
    union, common = 0, every
    for k in range(size):
        union |= space.sets[U(k)]
        common &= space.sets[U(k)]
    if size == 0:
        return 0, 0, live + dead + free  # all nets are 0: every attribute doubles the sum
    rest = union & ~common
    if rest != every:
        project(space.sets[:size], rest, space.projected[:size])
        for k in range(size):
            space.sets[U(k)] = space.projected[U(k)]
    return popcount(rest), dead + popcount(every & ~union), free + popcount(common)


@jit_uncounted
def agree(log: LogArrays, more: LogArrays, x: Codes, space: Space, merged: bool = False) -> tuple[int, int, int, int]:
    """Write the problem of `x` against the mistakes of `log` and `more`: its number of sets, `live`, `dead`, `free`.

    Unless they are to be `merged`, sets of so few attributes that their sum will be one table stay as they are: the
    table merges them. With more than ``MAX_BITS`` live attributes no set is written.
    """
    half, size = log.nets.size, log.nets.size + more.nets.size
    live, dead, free = shared(log, more, x, space.place)
    if live <= MAX_BITS:
        for part, sets, nets in (
            (log, space.sets[:half], space.nets[:half]),
            (more, space.sets[half:size], space.nets[half:size]),
        ):
            pack(part, x, space.place[:live], sets)
            for s in range(nets.size):
                nets[U(s)] = part.nets[U(s)]
        if merged or live > table_bits(size):
            size = merge(size, space)
            live, dead, free = shrink(size, live, dead, free, space)
    return size, live, dead, free


@jit_uncounted
def nothing(log: LogArrays) -> LogArrays:
    """No mistakes, for :func:`agree`."""
    return LogArrays(log.codes, log.nets[:0], 0)


@jit_uncounted
def open_root(space: Space, n_sets: int, live: int) -> None:
    """Make the problem in ``space.sets[:n_sets]`` the branch at the bottom of the stack.

    A branch is four numbers in ``space.frames``: its first set and last set + 1; the attributes still to split by; and
    how many subsets each of their subsets stands for.
    """
    frames = space.frames
    frames[0], frames[1], frames[2], frames[3] = 0, n_sets, (1 << live) - 1, 1


@jit_uncounted
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


@jit_uncounted
def table_leaf(space: Space, top: int, powers: Floats) -> float:
    """Sum over the subsets of the top branch from a table of their nets."""
    frames = space.frames
    start, end, rest, scale = frames[top], frames[top + 1], frames[top + 2], frames[top + 3]
    cells, index, nets, tally = space.cells, space.projected[: end - start], space.nets, space.tally
    size = 1 << popcount(rest)
    cells[: max(size, _LANES)] = 0
    project(space.sets[start:end], rest, index)
    for k in range(index.size):
        base, row = index[k] & -_LANES, (index[k] & (_LANES - 1)) * _LANES
        net = cells.dtype.type(nets[U(start + k)])
        for lane in range(_LANES):
            cells[U(base + lane)] += net * _INSIDE[U(row + lane)]
    superset_sums(cells, size)
    if tally.size > 0:
        for i in range(size):
            tally[np.int64(cells[i]) + (tally.size >> 1)] += scale
        return 0.0
    return look_up(cells, size, powers)


@jit_uncounted
def superset_sums(cells: npt.NDArray[np.signedinteger], size: int) -> None:
    """Add to each cell those of its supersets, the four lowest attributes being done already."""
    step = _LANES
    while step < size:
        for low in range(0, size, 2 * step):
            for i in range(step):
                cells[U(low + i)] += cells[U(low + step + i)]
        step *= 2


@jit_uncounted
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


@jit_uncounted
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
