"""Random descents through the parts of a sum, which estimate what is left between its bounds.

From a leaf of the frontier on, one part is drawn with a probability in proportion to its gap and opened, until one is
small enough to be summed. Bounds of the parts of a leaf lie within those of the leaf. So where such an estimate puts
the sum between the frontier's bounds is a number from 0 to 1, whatever was drawn, and right in the mean: bets against
a true claim about that mean win nothing on average, and are unlikely to have ever won much (Ville's inequality).
Against a false claim, bets of Kelly's size do win, and soon (Waudby-Smith & Ramdas 2024).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from winnowkit.core.bits import MAX_BITS, bit_length
from winnowkit.core.jit import jit_uncounted
from winnowkit.core.random_streams import Streams, uniform
from winnowkit.dnf.kernels.best_first import Frontier
from winnowkit.dnf.kernels.bounds import TODO, LeafProblem, copy, open_leaf, step_into
from winnowkit.dnf.kernels.problem import Floats

_BOLD = 0.9  # largest part of the capital that a bet may lose


class Tally(NamedTuple):
    """Results of descents: descents and steps in `counts`; in `sums`, mean, squared deviations, log capitals."""

    counts: np.ndarray[tuple[int], np.dtype[np.int64]]
    sums: Floats


@jit_uncounted
def draw_part(problem: LeafProblem, left: float) -> int:
    """Find the attribute of the todo at which the running sum of gaps passes `left`."""
    last = -1
    for w in range(problem.node.shape[1]):
        todo = problem.node[TODO, w]
        while todo:
            j = w * MAX_BITS + bit_length(todo & -todo) - 1
            if problem.gap[j] > 0.0:
                last = j
                left -= problem.gap[j]
                if left < 0.0:
                    return last
            todo &= todo - 1
    return last


@jit_uncounted
def draw_leaf(running: Floats, left: float) -> int:
    """Find the first place at which the running sum passes `left`, or the last place of all."""
    low, high = 0, running.size - 1
    while low < high:
        middle = (low + high) >> 1
        if running[middle] <= left:
            low = middle + 1
        else:
            high = middle
    return low


@jit_uncounted
def descent(problem: LeafProblem, frontier: Frontier, running: Floats, streams: Streams) -> tuple[float, int]:
    """Descend once: where that puts the sum between the frontier's bounds, from 0 to 1; and the steps it took.

    `running` are the running sums of the gaps over the heap.
    """
    place, node = frontier.heap[1 + draw_leaf(running, running[-1] * uniform(streams, 0))], problem.node
    copy(frontier.words[place], node)
    scale, expected = frontier.scale[place], frontier.least[place]
    share, factor, total_steps = 0.0, 1.0 / frontier.gap[place], 0
    while True:
        known, scale, gaps, _, steps = open_leaf(problem, scale, 0.0)
        share += factor * (known - expected)
        total_steps += steps
        if gaps <= 0.0:
            return min(max(share, 0.0), 1.0), total_steps
        j = draw_part(problem, gaps * uniform(streams, 0))
        factor *= gaps / problem.gap[j]
        expected = problem.least[j]
        step_into(node, j)


@jit_uncounted
def note(tally: Tally, found: float, steps: int) -> None:
    """Add one descent (Welford's running mean and squared deviations)."""
    counts, sums = tally.counts, tally.sums
    counts[0] += 1
    counts[1] += steps
    off = found - sums[0]
    sums[0] += off / counts[0]
    sums[1] += off * (found - sums[0])


@jit_uncounted
def bet(tally: Tally, stake: float, found: float) -> None:
    """Bet, before looking, that the mean is above `stake`, and that it is below; then look at what was found.

    The size of a bet is Kelly's, for the mean and variance seen so far and one observation of the claim itself.
    """
    counts, sums = tally.counts, tally.sums
    n = counts[0] + 1.0
    off = counts[0] / n * (sums[0] - stake)
    spread = (sums[1] + stake * (1.0 - stake)) / n + off * off
    size = off / spread if spread > 0.0 else 0.0
    above, below = min(max(size, 0.0), _BOLD / stake), min(max(-size, 0.0), _BOLD / (1.0 - stake))
    sums[2] += math.log1p(above * (found - stake))
    sums[3] += math.log1p(-below * (found - stake))


@jit_uncounted
def sample(
    problem: LeafProblem,
    frontier: Frontier,
    running: Floats,
    streams: Streams,
    tally: Tally,
    claim: tuple[float, float],
    limits: tuple[int, int],
) -> None:
    """Descend until a capital's logarithm reaches claim[1], or there were as many descents or steps as `limits` say.

    The claim, that the mean is claim[0], is bet on only if it is inside (0, 1).
    """
    stake, won = claim
    while tally.counts[0] < limits[0] and tally.counts[1] < limits[1] and max(tally.sums[2], tally.sums[3]) < won:
        found, steps = descent(problem, frontier, running, streams)
        if 0.0 < stake < 1.0:
            bet(tally, stake, found)
        note(tally, found, steps)
