"""Weighted sums of whole rows against a log of mistakes: agreement, reduction and branching in one call."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from winnowkit.core.bits import MAX_BITS
from winnowkit.core.jit import jit
from winnowkit.dnf.kernels.agree import Codes, Floats, Ints, LogArrays, Space, agree, nothing
from winnowkit.dnf.kernels.branch import branch, open_root

DONE, OVER_BUDGET, OUT_OF_RANGE, TOO_WIDE = range(4)
"""How a sum ended: OUT_OF_RANGE when floats cannot hold it, TOO_WIDE when one word cannot hold its attributes."""

NO_BUDGET = np.iinfo(np.int64).max - 1
_TINY = 1e-270  # below this, weights that underflowed could matter


@jit
def log_of_sum(total: float, live: int, dead: int, free: int) -> float:
    """Log of the whole sum, given that over the `live` attributes.

    A subset with a dead attribute has net 0, whatever else it has; a free one doubles everything.
    """
    log_total = math.log(total)
    if dead > 0:
        others = live * math.log(2.0) + dead * math.log(2.0) + math.log1p(-(2.0**-dead))
        high, low = max(log_total, others), min(log_total, others)
        log_total = high + math.log1p(math.exp(low - high))
    return log_total + free * math.log(2.0)


@jit
def problem_sum(n_sets: int, live: int, space: Space, powers: Floats, max_nodes: int) -> tuple[float, int, int]:
    """Sum over the `live` attributes of the problem in `space`: the sum, its nodes, and how it ended."""
    open_root(space, n_sets, live)
    total, nodes = branch(space, 0, powers, max_nodes)
    if nodes > max_nodes:
        return total, nodes, OVER_BUDGET
    if not _TINY < total < np.inf:
        return total, nodes, OUT_OF_RANGE
    return total, nodes, DONE


@jit
def row_sum(log: LogArrays, x: Codes, space: Space, powers: Floats, max_nodes: int) -> tuple[float, int, int]:
    """Log of the weighted sum of `x`, nodes visited, and how it ended."""
    size, live, dead, free = agree(log, nothing(log), x, space)
    if live > MAX_BITS:
        return 0.0, 0, TOO_WIDE
    total, nodes, ended = problem_sum(size, live, space, powers, max_nodes)
    if ended != DONE:
        return 0.0, nodes, ended
    return log_of_sum(total, live, dead, free), nodes, DONE


class RowSums(NamedTuple):
    """Results of :func:`row_sums`, one a row."""

    log_sum: Floats
    nodes: Ints
    ended: Ints


@jit
def row_sums(log: LogArrays, X: Codes, space: Space, weights: tuple[Floats, int], out: RowSums) -> None:
    """Fill `out` by :func:`row_sum` of each row of `X`; `weights` are its powers and largest number of nodes."""
    powers, max_nodes = weights
    for i in range(len(X)):
        out.log_sum[i], out.nodes[i], out.ended[i] = row_sum(log, X[i], space, powers, max_nodes)
