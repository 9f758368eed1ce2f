"""What an engine answers: an estimate of a weighted sum, or the side of a threshold it lies on."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A weighted sum.

    Parameters
    ----------
    log_sum : float
        Natural logarithm of the sum.
    std_err : float
        Standard error of `log_sum`; 0 if exact.
    exact : bool
        Whether the sum was computed rather than sampled.
    chains : int
        Markov chains run.
    steps : int
        Work done: steps of all chains, burn-in included, or nodes of the search.
    ess : float
        Effective sample size: as many independent samples a chain would have the same `std_err`. Infinite if exact.
    acceptance : float
        Share of the steps that changed a state; NaN if exact.
    swap_rate : float
        Share of the swaps tried (parallel tempering) that took place; NaN if none was.

    See Also
    --------
    Decision : The side of a threshold alone.

    Examples
    --------
    >>> estimate = Estimate(log_sum=2.0)
    >>> estimate.std_err, estimate.exact
    (0.0, True)
    """

    log_sum: float
    std_err: float = 0.0
    exact: bool = True
    chains: int = 0
    steps: int = 0
    ess: float = math.inf
    acceptance: float = math.nan
    swap_rate: float = math.nan


@dataclass(frozen=True, slots=True)
class Decision:
    """Which side of the threshold a weighted sum lies on.

    Parameters
    ----------
    label : int
        1 if the sum is at least theta, else 0.
    certain : bool
        Whether the side is proved, or (then `doubt` is not 0) as good as the engine's confidence asks.
    chains : int
        Markov chains run.
    chains_saved : int
        Chains that stopping early spared.
    steps : int
        Work done: steps of all chains, burn-in included, or nodes of the search.
    doubt : float
        Probability that the other side is right: a bound if `certain`, 0 if proved, else an estimate from the standard
        error of what was sampled.
    log_bounds : tuple of float
        Logarithms of proved bounds of the sum.

    See Also
    --------
    Estimate : The sum itself.

    Examples
    --------
    >>> Decision(label=1)
    Decision(label=1, certain=True, chains=0, chains_saved=0, steps=0, doubt=0.0, log_bounds=(-inf, inf))
    """

    label: int
    certain: bool = True
    chains: int = 0
    chains_saved: int = 0
    steps: int = 0
    doubt: float = 0.0
    log_bounds: tuple[float, float] = (-math.inf, math.inf)
