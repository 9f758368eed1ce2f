"""Which of several learners has the largest sum: an order is wanted, not values, so bounds race each other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from winnowkit.dnf.exact import Exact
from winnowkit.dnf.kernels.agree import Codes, Floats
from winnowkit.dnf.kernels.threshold import NEAR, SLACKS
from winnowkit.dnf.log import MistakeLog

Bools = npt.NDArray[np.bool_]


def race(
    engine: Exact, logs: list[MistakeLog], X: Codes, alpha: float, log_theta: float, running: Bools, n_jobs: int = 1
) -> Bools:
    """Learners, (rows, learners), that may have a row's largest sum: one, or several within 1e-9 of each other.

    The bounds of those still `running` are tightened, and those whose upper bound is under another's lower one drop
    out. Slacks are parts of theta at first, then of the largest lower bound.

    Examples
    --------
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
        for c, log in enumerate(logs):
            rows = np.flatnonzero(tied & running[:, c])
            low[rows, c], high[rows, c] = engine.bounds(log, X[rows], alpha, scale[rows] + np.log(slack), n_jobs)
        best = np.where(running, low, -np.inf).max(axis=1)
        running[tied] &= high[tied] >= best[tied, None] - NEAR
        scale = np.where(np.isfinite(best), best, scale)
    return running
