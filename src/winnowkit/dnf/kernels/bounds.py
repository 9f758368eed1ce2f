"""The parts of a sum over all subsets of any number of attributes, and bounds of what each weighs.

Subsets are parted by their highest attribute, as in :mod:`~winnowkit.dnf.kernels.branch`. A *leaf* has not been read
yet: the subsets that contain its `path`, have nothing but that and attributes of its `rest`, and whose highest
attribute in the rest is one of `todo`; or, while `todo` is empty, all of them. To *open* it is to read the promotions
and demotions that cover its path, and to bound its parts, one for each highest attribute j.

Of a part, the subset with nothing more than j is weighed exactly; if its bounds are to be tighter, so are those with
one more attribute, and those with two. The rest is bounded as in :mod:`~winnowkit.dnf.kernels.threshold`, by the
number of pairs of a subset and a promotion (or demotion) that covers it, and by the *cap*: the largest number of
promotions that cover one of them, which is no more than cover a smaller one. Each further attribute about halves the
cap, which is an exponent: that is worth far more than the time it takes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from winnowkit.core.bits import MAX_BITS, bit_length, popcount
from winnowkit.core.jit import jit_uncounted
from winnowkit.dnf.kernels.problem import DUAL_SIZE, Floats, Ints, Space, U, dual_leaf, table_bits, table_leaf
from winnowkit.dnf.kernels.threshold import chord_bounds

PATH, REST, TODO = range(3)

_TINY = 1e-300
_OVERHEAD = 4  # steps that a comparison takes besides its words

STEPS_A_NODE = 128
"""Words compared in the time of a node of the other searches."""


class LeafProblem(NamedTuple):
    """Promotions and demotions one by one: the attributes each covers, ``MAX_BITS`` per word; and room for one leaf.

    `node` is the leaf's path, rest and todo, and `parts` has room for the same. `members` are the promotions and the
    demotions that cover its path, `columns` which of them hold each attribute, 64 per word, and `meets` those that hold
    two. Of each attribute of the rest, `pairs` are the pairs as above, once for promotions and once for demotions,
    `least` and `gap` the bounds of the part of which it is the highest. `lower` lists attributes, `both` how many
    promotions hold them and another.
    """

    promotions: Ints
    demotions: Ints
    powers: Floats
    node: Ints
    parts: Ints
    members: tuple[Ints, Ints]
    columns: tuple[Ints, Ints]
    meets: tuple[Ints, Ints]
    lower: Ints
    both: Ints
    pairs: Floats
    least: Floats
    gap: Floats
    space: Space


@jit_uncounted
def find_members(sets: Ints, path: Ints, members: Ints) -> int:
    """List the sets that contain the path; how many there are."""
    found = 0
    for k in range(len(sets)):
        missing = 0
        for w in range(path.size):
            missing |= path[w] & ~sets[U(k), U(w)]
        members[U(found)] = k
        found += missing == 0
    return found


@jit_uncounted
def reduce(problem: LeafProblem, sizes: tuple[int, int], scale: float) -> tuple[float, float]:
    """Take out of the rest what is in no set or in all of them: the weight of subsets in no set, and the new scale."""
    rest = problem.node[REST]
    before = after = in_all = 0
    for w in range(rest.size):
        union, common = 0, rest[w]
        for sets, members, size in (
            (problem.promotions, problem.members[0], sizes[0]),
            (problem.demotions, problem.members[1], sizes[1]),
        ):
            for i in range(size):
                g = sets[U(members[U(i)]), U(w)]
                union |= g
                common &= g
        union &= rest[w]
        common &= union  # without any set, no attribute is in all of them
        before += popcount(rest[w])
        after += popcount(union)
        in_all += popcount(common)
        rest[w] = union & ~common
    return scale * (2.0**before - 2.0**after), scale * 2.0**in_all


@jit_uncounted
def count_bits(words: Ints) -> int:
    """Count the bits that are set."""
    size = 0
    for w in range(words.size):
        size += popcount(words[w])
    return size


@jit_uncounted
def small_sum(problem: LeafProblem, sizes: tuple[int, int], size: int) -> float:
    """Sum over all subsets of a rest that is small enough for a table, by attributes or by sets."""
    space, rest, powers = problem.space, problem.node[REST], problem.powers
    out = 0
    for sets, members, n_members, net in (
        (problem.promotions, problem.members[0], sizes[0], 1),
        (problem.demotions, problem.members[1], sizes[1], -1),
    ):
        for i in range(n_members):
            packed, b = np.int64(0), 0
            for w in range(rest.size):
                left, g = rest[w], sets[U(members[U(i)]), U(w)]
                while left:
                    packed |= np.int64(g & left & -left != 0) << b
                    b += 1
                    left &= left - 1
            space.sets[U(out)], space.nets[U(out)] = packed, net
            out += 1
    frames = space.frames
    frames[0], frames[1], frames[2], frames[3] = 0, out, (1 << size) - 1, 1
    return dual_leaf(space, 0, powers) if out <= min(size, DUAL_SIZE) else table_leaf(space, 0, powers)


@jit_uncounted
def is_small(n_sets: int, size: int) -> bool:
    """Tell whether :func:`small_sum` can do a branch."""
    return size <= MAX_BITS and (n_sets <= min(size, DUAL_SIZE) or size <= table_bits(n_sets))


@jit_uncounted
def scan_members(sets: Ints, rest: Ints, members: Ints, columns: Ints, pairs: Floats) -> int:
    """Fill `columns`, and `pairs`: subsets by their highest attribute, once for each member that covers them."""
    n_words, steps = (members.size + 63) >> 6, 0
    for j in range(pairs.size):
        pairs[U(j)] = 0.0
        for word in range(n_words):
            columns[U(j), U(word)] = 0
    for i in range(members.size):
        word, bit, covered = i >> 6, np.int64(1) << (i & 63), 1.0
        for w in range(rest.size):
            g, first = sets[U(members[U(i)]), U(w)] & rest[w], w * MAX_BITS
            while g:
                j = first + bit_length(g & -g) - 1
                columns[U(j), U(word)] |= bit
                pairs[U(j)] += covered
                covered += covered
                g &= g - 1
                steps += 1
    return steps


@jit_uncounted
def meet(a: Ints, b: Ints, n_words: int, out: Ints) -> int:
    """Write the members in both; how many there are."""
    size = 0
    for w in range(n_words):
        out[U(w)] = a[U(w)] & b[U(w)]
        size += popcount(out[U(w)])
    return size


@jit_uncounted
def overlap(a: Ints, b: Ints, n_words: int) -> int:
    """Count the members that are in both."""
    size = 0
    for w in range(n_words):
        size += popcount(a[U(w)] & b[U(w)])
    return size


@jit_uncounted
def weigh_part(
    problem: LeafProblem, j: int, below: int, words: tuple[int, int], slack: float
) -> tuple[float, float, int]:
    """Bound the weight of the subsets of highest attribute `j`, no tighter than `slack`; and the steps taken.

    Those of j alone are weighed exactly; then, if need be, those with one more attribute, and with two.
    """
    powers, lower, both = problem.powers, problem.lower, problem.both
    ups, downs = problem.columns
    centre = powers.size >> 1
    promoted, demoted = overlap(ups[j], ups[j], words[0]), overlap(downs[j], downs[j], words[1])
    known = powers[centre + promoted - demoted]
    others, up, down = 2.0**below - 1.0, problem.pairs[0, j] - promoted, problem.pairs[1, j] - demoted
    least, most = chord_bounds(others, up, down, (promoted, demoted), powers)
    steps = 8
    if most - least <= slack:
        return known + least, known + most, steps
    cap, cap_down = 0, 0
    for i in range(below):
        p, n = overlap(ups[j], ups[lower[i]], words[0]), overlap(downs[j], downs[lower[i]], words[1])
        both[U(i)] = p
        cap, cap_down = max(cap, p), max(cap_down, n)
        known += powers[U(centre + p - n)]
        up -= p
        down -= n
    others -= below
    width = words[0] + words[1] + _OVERHEAD
    steps += below * width
    least, most = chord_bounds(others, up, down, (cap, cap_down), powers)
    if most - least <= slack or below < 2:
        return known + least, known + most, steps
    enough = int(math.log(max(slack, _TINY) / max(up, 1.0)) / math.log(powers[centre + 1]))  # a cap that will do
    cap = max(1, enough)
    in_both, in_both_down = problem.meets
    for i in range(1, below):
        if both[U(i)] <= enough:
            continue
        meet(ups[j], ups[lower[i]], words[0], in_both)
        meet(downs[j], downs[lower[i]], words[1], in_both_down)
        for h in range(i):
            p, n = overlap(in_both, ups[lower[h]], words[0]), overlap(in_both_down, downs[lower[h]], words[1])
            cap = max(cap, p)
            known += powers[U(centre + p - n)]
            up -= p
            down -= n
        others -= i
        steps += i * width
    least, most = chord_bounds(others, up, down, (cap, cap_down), powers)
    return known + least, known + most, steps


@jit_uncounted
def bound_parts(
    problem: LeafProblem, words: tuple[int, int], scale: float, slack: float
) -> tuple[float, float, float, int]:
    """Bound the parts of the todo: the sum of ``least``, that of ``gap``, the largest gap, and the steps taken."""
    rest, todo = problem.node[REST], problem.node[TODO]
    total = gaps = largest = 0.0
    below = steps = 0
    for w in range(rest.size):
        left = rest[w]
        while left:
            bit = left & -left
            j = w * MAX_BITS + bit_length(bit) - 1
            if todo[w] & bit:
                least, most, more = weigh_part(problem, j, below, words, slack / scale)
                gap = scale * (most - least)
                problem.least[j], problem.gap[j] = scale * least, gap
                total += scale * least
                gaps += gap
                largest = max(largest, gap)
                steps += more
            problem.lower[below] = j
            below += 1
            left ^= bit
    return total, gaps, largest, steps


@jit_uncounted
def open_leaf(problem: LeafProblem, scale: float, slack: float) -> tuple[float, float, float, float, int]:
    """Open the leaf in ``problem.node``: what is known of it, its scale, gap and largest gap now, and the steps taken.

    Without a gap it is summed. Else ``least`` and ``gap`` are those of the parts in its todo, and what is known counts
    all of ``least``.
    """
    node, powers = problem.node, problem.powers
    p = find_members(problem.promotions, node[PATH], problem.members[0])
    n = find_members(problem.demotions, node[PATH], problem.members[1])
    known, steps = 0.0, (len(problem.promotions) + len(problem.demotions)) * node.shape[1]
    if count_bits(node[TODO]) == 0:
        known, scale = reduce(problem, (p, n), scale)
        steps += (p + n) * node.shape[1]
        size = count_bits(node[REST])
        if is_small(p + n, size):
            steps += (p + n) * size + (1 << min(size, p + n))
            return known + scale * small_sum(problem, (p, n), size), scale, 0.0, 0.0, steps
        known += scale * powers[p - n + (powers.size >> 1)]
        for w in range(node.shape[1]):
            node[TODO, w] = node[REST, w]
    steps += scan_members(problem.promotions, node[REST], problem.members[0][:p], problem.columns[0], problem.pairs[0])
    steps += scan_members(problem.demotions, node[REST], problem.members[1][:n], problem.columns[1], problem.pairs[1])
    least, gaps, largest, more = bound_parts(problem, ((p + 63) >> 6, (n + 63) >> 6), scale, slack)
    return known + least, scale, gaps, largest, steps + more


@jit_uncounted
def copy(source: Ints, target: Ints) -> None:
    """Copy a leaf; numba's own assignment of arrays takes far longer to compile."""
    for part in range(source.shape[0]):
        for w in range(source.shape[1]):
            target[part, w] = source[part, w]


@jit_uncounted
def step_into(node: Ints, j: int) -> None:
    """Make the leaf in `node` that of its part whose highest attribute is `j`."""
    word, bit = j // MAX_BITS, 1 << (j % MAX_BITS)
    node[PATH, word] |= bit
    node[REST, word] &= bit - 1
    for w in range(word + 1, node.shape[1]):
        node[REST, w] = 0
    for w in range(node.shape[1]):
        node[TODO, w] = 0
