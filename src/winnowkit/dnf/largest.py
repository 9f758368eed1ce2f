"""The largest of several learners' sums: only their order is needed, not their values, so bounds race each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from winnowkit.dnf.answers import Threshold
from winnowkit.dnf.kernels.problem import Codes, Floats, Ints
from winnowkit.dnf.kernels.threshold import NEAR, SLACKS
from winnowkit.dnf.log import MistakeLog

if TYPE_CHECKING:
    from winnowkit.dnf.exact import Exact

Bools = npt.NDArray[np.bool_]
Leaders = Callable[[Sequence[MistakeLog], Codes, float, Floats], list[int]]


def largest_by_bounds(
    exact: Exact,
    logs: Sequence[MistakeLog],
    X: npt.ArrayLike,
    threshold: Threshold,
    above: Ints,
    leaders: Leaders,
    n_jobs: int = 1,
) -> Ints:
    """Find the log under which each row has its largest sum, given which sums are at or above theta.

    A log alone at or above theta has the largest sum. Otherwise bounds race; only sums almost equal need values, among
    which `leaders` chooses.
    """
    rows, (alpha, log_theta, _) = np.ascontiguousarray(X, dtype=np.int32), threshold
    above = above.copy()
    first: Ints = above.argmax(axis=1)
    above[~above.any(axis=1)] = 1  # all logs are candidates
    tied = np.flatnonzero(above.sum(axis=1) > 1)
    if not tied.size:
        return first
    running = race(exact, logs, rows[tied], alpha, log_theta, above[tied] == 1, n_jobs)
    first[tied], above[tied] = running.argmax(axis=1), running
    tied = tied[running.sum(axis=1) > 1]
    sums = np.full((len(tied), len(logs)), -math.inf)
    for c, log in enumerate(logs if tied.size else ()):
        some = np.flatnonzero(above[tied, c])
        sums[some, c] = exact.log_sums(log, rows[tied[some]], alpha, n_jobs)
    for i, values in zip(tied, sums, strict=True):
        first[i] = leaders(logs, rows[i], alpha, values)[0]
    return first


def race(
    exact: Exact,
    logs: Sequence[MistakeLog],
    X: Codes,
    alpha: float,
    log_theta: float,
    running: Bools,
    n_jobs: int = 1,
) -> Bools:
    """Mark the logs, (rows, logs), that may give a row its largest sum: one, or several within 1e-9 of each other.

    The bounds of those still `running` are tightened, and those whose upper bound is below another's lower bound drop
    out. Slacks are parts of theta at first, then of the largest lower bound.

    Examples
    --------
    >>> from winnowkit.dnf import Exact
    >>> logs = [MistakeLog(2), MistakeLog(2), MistakeLog(2)]
    >>> logs[1].append([1, 1], +1)
    >>> X = np.array([[1, 2], [0, 2]], dtype=np.int32)
    >>> race(Exact(), logs, X, alpha=1.5, log_theta=0.0, running=np.ones((2, 3), dtype=bool))
    array([[False,  True, False],
           [False,  True, False]])
    """
    running = running.copy()
    low: Floats = np.full(running.shape, -np.inf)
    high: Floats = np.full(running.shape, np.inf)
    scale: Floats = np.full(len(X), log_theta)
    for slack in (SLACKS[0], *SLACKS):
        tied = running.sum(axis=1) > 1
        if not tied.any():
            break
        for c, log in enumerate(logs):
            rows = np.flatnonzero(tied & running[:, c])
            low[rows, c], high[rows, c] = exact.bounds(log, X[rows], alpha, scale[rows] + np.log(slack), n_jobs)
        best = np.where(running, low, -np.inf).max(axis=1)
        running[tied] &= high[tied] >= best[tied, None] - NEAR
        scale = np.where(np.isfinite(best), best, scale)
    return running
