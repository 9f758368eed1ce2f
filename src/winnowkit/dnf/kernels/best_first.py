"""Bounds of a sum over all subsets, tightened best first: the part that is least certain is opened next.

The *frontier* is a heap of leaves (:mod:`winnowkit.dnf.kernels.bounds`), widest bounds first. Of a leaf that is opened,
parts with a wide gap (upper less lower bound) become leaves of their own, and the others stay together as one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from winnowkit.core.bits import MAX_BITS, bit_length
from winnowkit.core.jit import jit_uncounted
from winnowkit.dnf.kernels.bounds import TODO, LeafProblem, copy, open_leaf, step_into
from winnowkit.dnf.kernels.problem import Floats, Ints, U

_SHARE, _SLACKS = 0.25, 16.0  # a part stands alone with this share of the largest gap, or this many slacks (measured)


class Frontier(NamedTuple):
    """Leaves: their path, rest and todo, how many subsets each of theirs stands for, and bounds; ``heap`` orders them.

    ``heap[0]`` is how many there are; ``heap[1:]`` their places, first the leaves' and then the unused ones.
    """

    words: Ints
    scale: Floats
    least: Floats
    gap: Floats
    heap: Ints


class Goal(NamedTuple):
    """The goal of a search: the sum is at least `above`, or under `below`, or its gap at most `gap` + `share` of it.

    `slack` is what a part may be uncertain by.
    """

    above: float
    below: float
    gap: float
    share: float
    slack: float


@jit_uncounted
def push(frontier: Frontier, node: Ints, scale: float, least: float, gap: float) -> None:
    """Add a leaf."""
    heap, gaps = frontier.heap, frontier.gap
    heap[0] += 1
    i = heap[0]
    place = heap[i]
    copy(node, frontier.words[place])
    frontier.scale[place] = scale
    frontier.least[place], gaps[place] = least, gap
    while i > 1 and gaps[heap[i >> 1]] < gap:
        heap[i], i = heap[i >> 1], i >> 1
    heap[i] = place


@jit_uncounted
def pop(frontier: Frontier) -> int:
    """Take out the leaf with the largest gap: its place, which stays as it is until the next leaf is added."""
    heap, gaps = frontier.heap, frontier.gap
    widest, last = heap[1], heap[heap[0]]
    heap[heap[0]] = widest
    heap[0] -= 1
    i, size = 1, heap[0]
    while 2 * i <= size:
        child = 2 * i
        if child < size and gaps[heap[child + 1]] > gaps[heap[child]]:
            child += 1
        if gaps[heap[child]] <= gaps[last]:
            break
        heap[i], i = heap[child], child
    if size > 0:
        heap[i] = last
    return widest


@jit_uncounted
def open_widest(problem: LeafProblem, frontier: Frontier, slack: float) -> tuple[float, int]:
    """Open the leaf with the largest gap: the weight in it that is known and in no new leaf; and the steps taken."""
    node, place = problem.node, pop(frontier)
    copy(frontier.words[place], node)
    known, scale, gaps, largest, steps = open_leaf(problem, frontier.scale[place], slack)
    if not (gaps > 0.0 and known < np.inf):
        return known, steps
    parts, alone = problem.parts, min(_SHARE * largest, _SLACKS * slack)
    copy(node, parts)
    least = gap = 0.0
    for w in range(parts.shape[1]):
        left = parts[TODO, w]
        while left:
            bit = left & -left
            left ^= bit
            j = w * MAX_BITS + bit_length(bit) - 1
            if problem.gap[j] > 0.0 and problem.gap[j] >= alone:
                copy(parts, node)
                step_into(node, j)
                push(frontier, node, scale, problem.least[j], problem.gap[j])
                known -= problem.least[j]
                parts[TODO, w] ^= bit
            else:
                least += problem.least[j]
                gap += problem.gap[j]
    if gap > 0.0:
        push(frontier, parts, scale, least, gap)
        known -= least
    return known, steps


@jit_uncounted
def totals(frontier: Frontier) -> tuple[float, float]:
    """Add up the leaves' lower bounds, and their gaps."""
    least = gap = 0.0
    for i in range(1, frontier.heap[0] + 1):
        place = frontier.heap[U(i)]
        least += frontier.least[U(place)]
        gap += frontier.gap[U(place)]
    return least, gap


@jit_uncounted
def search(
    problem: LeafProblem, frontier: Frontier, outside: float, goal: Goal, max_steps: int
) -> tuple[float, float, float, int]:
    """Open leaves until the goal is reached, there is no room, or more than `max_steps` were taken.

    `outside` is what weighs in no leaf; returned are that, the sum's lower bound and gap, and the steps taken.
    """
    steps = check = 0
    room = frontier.gap.size - problem.gap.size - 1
    lower = 0.0
    while True:
        ended = frontier.heap[0] == 0 or frontier.heap[0] > room or steps > max_steps or not outside < np.inf
        if check == 0 or ended:
            least, gap = totals(frontier)
            lower = outside + least
            if ended or lower >= goal.above or lower + gap < goal.below or gap <= goal.gap + goal.share * lower:
                return outside, lower, gap, steps
            check = 8 + (frontier.heap[0] >> 3)
        known, more = open_widest(problem, frontier, goal.slack + 1e-3 * goal.share * lower)
        outside += known
        steps += more
        check -= 1
