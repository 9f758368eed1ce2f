"""A sum over all subsets of attributes between two bounds: branching that leaves out what cannot matter.

A branch holds the subsets A that contain its attributes so far. The one that contains no more is weighed exactly; the
others are parted by their highest further attribute j. What those of j together weigh is bounded from a scan of the
branch's sets. Of the sets that hold j, let P be the promotions and N the demotions, and let M+ and M- count the pairs
of such a subset (but {j} itself) and a promotion or demotion that covers it: ``2^|G below j| - 1`` for each set G.
Every net is between -N and P, and ``alpha^net`` is convex in it, so that

- from below, ``alpha^net >= 1 + c net`` for each c from 1 - 1/alpha to alpha - 1 (nets being integers);
- from above, it lies under its chord over [-N, P], and also, demotions left out, under that over [0, P].

Both are linear in the net, whose sum over the subsets is M+ - M-. Branches whose bounds are no further apart than a
*slack* are not opened. Near a threshold, weight sits in the few small subsets of many promotions: on a dense table of
36 attributes and 540 mistakes, a sum to one part in a thousand takes 500 branches, the exact one two million.
"""

from __future__ import annotations

import numpy as np

from winnowkit.core.bits import bit_length, popcount
from winnowkit.core.jit import jit
from winnowkit.dnf.kernels.agree import DUAL_SIZE, Floats, Space, U, table_bits
from winnowkit.dnf.kernels.branch import CELLS_A_NODE, descend, dual_leaf, open_root, table_leaf

SETS_A_NODE = 16
"""Reading this many sets takes as long as a node."""

_FEW = 2  # open branches of low attributes that are done one by one; more of them are one table (measured)


@jit
def bracket(
    problem: tuple[int, int, float], space: Space, powers: Floats, goal: tuple[float, float], max_nodes: int
) -> tuple[float, float, int]:
    """Bounds of the sum over the problem in `space`, and the nodes visited: past `max_nodes` if it was given up.

    `problem` is its number of sets, of live attributes, and what to add to the sum over these. `goal` is the slack of a
    branch, and a lower bound that is enough: past it the search ends, and the upper bound is infinite.
    """
    n_sets, live, outside = problem
    slack, enough = goal
    open_root(space, n_sets, live)
    lower, upper, nodes = outside, outside, 0
    top, fresh = 0, True
    while top >= 0 and lower <= enough and nodes <= max_nodes:
        if fresh:
            least, most, cost = enter(space, top, powers, slack)
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
    return lower, np.inf if top >= 0 else upper, nodes


@jit
def enter(space: Space, top: int, powers: Floats, slack: float) -> tuple[float, float, int]:
    """Bounds of branch `top` but for its parts in ``space.todo``, which are wider than `slack`; and its nodes."""
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
    net = scan(space, top)
    return part(space, top, net, powers, slack)


@jit
def scan(space: Space, top: int) -> int:
    """Net of all sets of branch `top`; ``space.shares[j]`` are P, P + M+, N and N + M- of each attribute j."""
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


@jit
def part(space: Space, top: int, net: int, powers: Floats, slack: float) -> tuple[float, float, int]:
    """Bound the parts of a branch that was scanned, as :func:`enter` does."""
    frames = space.frames
    rest, scale, n_sets = frames[top + 2], float(frames[top + 3]), frames[top + 1] - frames[top]
    low, nodes = table_bits(n_sets), 1 + n_sets // SETS_A_NODE
    lower = upper = scale * powers[net + (powers.size >> 1)]
    todo, left = 0, rest
    for below in range(popcount(rest)):
        if below == low and popcount(todo) > _FEW:
            frames[top + 2] = rest & ~left
            lower = upper = scale * table_leaf(space, top, powers)
            frames[top + 2] = rest
            todo, nodes = 0, nodes + (1 << low) // CELLS_A_NODE
        j = bit_length(left & -left) - 1
        least, most = bounds(space.shares[j], below, powers)
        if scale * (most - least) <= slack:
            lower += scale * least
            upper += scale * most
        else:
            todo |= 1 << j
        left &= left - 1
    space.todo[top >> 2] = todo
    return lower, upper, nodes


@jit
def bounds(share: Floats, below: int, powers: Floats) -> tuple[float, float]:
    """Bound what the subsets of one highest attribute weigh, given its row of ``shares`` and the attributes below."""
    centre = powers.size >> 1
    promoted, demoted = int(share[0]), int(share[2])
    others, up, down = 2.0**below - 1.0, share[1] - share[0], share[3] - share[2]  # all but the attribute alone
    net = up - down
    slope = powers[centre + 1] - 1.0 if net > 0 else 1.0 - powers[centre - 1]
    least = max(0.0, others + slope * net)
    most = others
    if up > 0:
        most += up / promoted * (powers[centre + promoted] - 1.0)
    if demoted > 0:
        end, reach = powers[centre - demoted], promoted + demoted
        chord = others * end + max(0.0, net + demoted * others) / reach * (powers[centre + promoted] - end)
        most = chord if chord < most else most  # not if it is infinite or no number
    alone = powers[centre + promoted - demoted]
    return alone + least, alone + most
