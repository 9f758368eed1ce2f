"""Optimal multisplits by average class entropy: Elomaa & Rousu (1999), as in Tao & Scott (2004), section 5.1.

Sorted values fall into *blocks*, between which alone an optimal split can cut. The impurity of an interval with class
counts n_1 ... n_m and n = sum n_c is n H = n log n - sum n_c log n_c, and that of a partition is the sum over its
intervals (the paper's cumulativity). So the best way of splitting the first j blocks into k intervals is

    best[k, j] = min over i < j of best[k - 1, i] + impurity(i, j).

The impurity is neither convex nor concave Monge (counts (1, 0), (0, 1), (1, 0) break one inequality; (1, 0), (9, 0),
(0, 1) the other), so the divide-and-conquer and SMAWK speed-ups would be wrong, and every pair (i, j) is looked at.
What makes that cheap: the impurity of a pair is computed once for all k, from prefix counts and a table of n log n; no
argmin is kept, the cuts being found again by walking back; and as splitting never adds impurity, impurity(i, j) only
grows as i moves left, and once it exceeds best[2, j] no i further left can matter.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.jit import jit_in_place


@jit_in_place
def _impurity(prefix: NDArray[np.int64], n_log_n: NDArray[np.float64], i: int, j: int) -> float:
    """Examples times class entropy of blocks i, ..., j - 1, in bits."""
    total = 0
    pure: float = 0.0
    for c in range(prefix.shape[1]):
        count = prefix[j, c] - prefix[i, c]
        total += count
        pure += n_log_n[count]
    return max(float(n_log_n[total]) - pure, 0.0)


def best_splits(prefix: NDArray[np.int64], max_intervals: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Best partition of blocks into 1, 2, ..., max_intervals intervals.

    Parameters
    ----------
    prefix : int64 array, C-contiguous, shape (blocks + 1, classes)
        Examples of each class in the first 0, 1, ..., all blocks.
    max_intervals : int
        At least 1 and at most the number of blocks.

    Returns
    -------
    impurity : array of max_intervals
        Examples times average class entropy, in bits, of the best partition into k + 1 intervals.
    cuts : array (max_intervals, max_intervals - 1)
        Row k: in its first k places, the blocks before which that partition cuts.
    """
    n_log_n = np.zeros(prefix[-1].sum() + 1)
    best = np.full((prefix.shape[0], max_intervals), np.inf)
    cuts = np.zeros((max_intervals, max(max_intervals - 1, 0)), dtype=np.int64)
    _fill_in(prefix, n_log_n, best, cuts)
    return best[-1], cuts


@jit_in_place
def _fill_in(
    prefix: NDArray[np.int64], n_log_n: NDArray[np.float64], best: NDArray[np.float64], cuts: NDArray[np.int64]
) -> None:
    """Fill in n log n, the least impurity for each number of blocks and intervals, and the cuts."""
    blocks, max_intervals = prefix.shape[0] - 1, best.shape[1]
    for n in range(2, n_log_n.size):
        n_log_n[n] = n * math.log2(n)
    for j in range(1, blocks + 1):
        best[j, 0] = _impurity(prefix, n_log_n, 0, j)
        for i in range(j - 1, 0, -1):
            last = _impurity(prefix, n_log_n, i, j)
            if max_intervals == 1 or last >= best[j, 1]:
                break
            for k in range(1, max_intervals):
                candidate = best[i, k - 1] + last
                best[j, k] = candidate if candidate < best[j, k] else best[j, k]
    for k in range(1, max_intervals):
        j = blocks
        for left in range(k, 0, -1):
            least, cut = np.inf, j
            for i in range(j - 1, left - 1, -1):
                candidate = best[i, left - 1] + _impurity(prefix, n_log_n, i, j)
                if candidate < least:
                    least, cut = candidate, i
            cuts[k, left - 1] = j = cut
