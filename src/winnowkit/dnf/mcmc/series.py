"""Errors of averages along a Markov chain."""

from __future__ import annotations

import math

from winnowkit.core.jit import jit
from winnowkit.dnf.kernels.agree import Floats

_FEWEST = 4  # values from which a correlation can be told at all


@jit
def variance_of_mean(series: Floats) -> tuple[float, float]:
    """Variance of the mean of a stationary series, and the effective number of its values.

    Geyer's (1992) initial monotone sequence: autocovariances are summed in pairs while these are positive, each pair
    cut to the one before. Never below what independent values would give.
    """
    n = series.size
    mean = 0.0
    for value in series:
        mean += value / n
    spread = 0.0
    for value in series:
        spread += (value - mean) ** 2 / n
    if spread == 0.0 or n < _FEWEST:
        return spread / max(n - 1, 1), float(n)
    total, before = -spread, math.inf
    for lag in range(0, n - 1, 2):
        pair = 0.0
        for k in (lag, lag + 1):
            for t in range(n - k):
                pair += (series[t] - mean) * (series[t + k] - mean) / n
        if pair <= 0.0:
            break
        before = min(pair, before)
        total += 2.0 * before
    total = max(total, spread)
    return total / (n - 1), n * spread / total
