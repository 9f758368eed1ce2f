"""Weighted sums beyond the reach of exact ones: bounds by search, and samples of what is left between them."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace

from winnowkit.dnf.agreement import Agreement
from winnowkit.dnf.answers import Decision, Estimate, Threshold
from winnowkit.dnf.bound_search import CLOSED, Search
from winnowkit.dnf.engine import Engine
from winnowkit.dnf.exact import BudgetExceeded, Exact
from winnowkit.dnf.kernels.threshold import NEAR
from winnowkit.dnf.population import Population

# After these parts of the nodes, the gap over the lower bound past which the rest is saved (measured: where bounds
# close in the end, it is 1e9 and 10 then; where agreement is dense, 1e14 and more).
_TRIALS = (1 / 64, 1e12), (1 / 8, 1e6), (1, math.inf)


@dataclass(frozen=True)
class Descent(Engine):
    """Search until the sum is known well enough, then random descents.

    The search alone often settles a side, or a sum to many digits. Descents
    (:mod:`winnowkit.dnf.kernels.random_descents`) are unbiased, and their results lie within proved bounds, so that
    sides are decided with a known probability of error at whatever time that is possible. Where the bounds are too far
    apart for descents to tell anything (agreement is dense: most mistakes agree with most of the example), a
    :class:`Population` is asked instead.

    Parameters
    ----------
    delta : float
        Upper bound of the probability that a side decided by descents is wrong.
    max_nodes : int
        Largest number of nodes of the search, and again of the descents.
    max_descents : int
        Largest number of descents of one sum.
    widest : float
        Largest gap of the bounds, as a multiple of the lower one, at which descents are trusted to give a value.
    population : Population
        The engine asked beyond that gap; its `delta` is that of the descents.

    See Also
    --------
    Exact : Exact sums.
    Population : Sums where bounds say little.

    Examples
    --------
    >>> import numpy as np
    >>> from winnowkit.dnf import MistakeLog
    >>> log = MistakeLog(100)
    >>> rng = np.random.default_rng(0)
    >>> for sign in rng.choice([-1, 1], 200):
    ...     log.append(rng.integers(1, 3, 100), sign)
    >>> agreement = Agreement.of(log, np.ones(100))
    >>> Descent(max_nodes=10_000).log_sum(agreement, alpha=1.5, rng=0).std_err < 1e-6
    True
    >>> Descent().decide(agreement, Threshold(alpha=1.5, log_theta=100 * math.log(3))).label
    0
    """

    delta: float = 0.01
    max_nodes: int = 2_000_000
    max_descents: int = 2000
    widest: float = 1.0
    population: Population = Population()  # noqa: RUF009 - it cannot change

    searches_first = True

    def __post_init__(self) -> None:
        if not 0 < self.delta < 0.5:
            raise ValueError(f"delta must be in (0, 0.5), got {self.delta}")
        for name in ("max_nodes", "max_descents"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        if not self.widest >= 0:
            raise ValueError(f"widest must be at least 0, got {self.widest}")

    def log_sum(self, agreement: Agreement, alpha: float, rng: object = None) -> Estimate:
        """Estimate the logarithm of the weighted sum; `exact` if the search closed the bounds."""
        if not Search.takes(agreement):
            return self.population.log_sum(agreement, alpha, rng)
        search = Search(agreement, alpha)
        for part, hopeless in _TRIALS:
            search.narrow_to(CLOSED, int(part * self.max_nodes))
            if search.gap <= CLOSED * search.lower:
                return Estimate(search.log_estimate, steps=search.nodes)
            if not search.gap <= max(hopeless, self.widest) * search.lower:
                break
        if not search.gap <= self.widest * search.lower:
            return self.population.log_sum(agreement, alpha, rng)
        search.descend(rng, self.max_descents, self.max_nodes)
        return Estimate(
            search.log_estimate, search.std_err, exact=False, steps=search.nodes, ess=float(search.tally.counts[0])
        )

    def decide(
        self, agreement: Agreement, threshold: Threshold, guess: int | None = None, rng: object = None
    ) -> Decision:
        """Decide the side of theta; `certain` if it is proved, or wrong with probability at most `delta`."""
        population, (alpha, log_theta, _) = replace(self.population, delta=self.delta), threshold
        if not Search.takes(agreement, log_theta):
            return population.decide(agreement, threshold, guess, rng)
        search = Search(agreement, alpha)
        for part, hopeless in _TRIALS:
            search.narrow_by(log_theta, NEAR, int(part * self.max_nodes))
            if (side := search.side_of(log_theta, NEAR)) is not None:
                return Decision(side, steps=search.nodes, log_bounds=search.log_bounds)
            if not search.gap <= max(hopeless, self.widest) * search.lower:
                break
        else:
            if search.gap <= NEAR * search.lower:
                with suppress(BudgetExceeded):
                    return Exact(self.max_nodes).decide_by_value(agreement, threshold)
            search.descend(rng, self.max_descents, self.max_nodes, log_theta, self.delta)
            above, below = search.tally.sums[2:]
            doubt = math.exp(-max(above, below))
            if doubt <= self.delta:
                return Decision(int(above > below), steps=search.nodes, doubt=doubt, log_bounds=search.log_bounds)
        if not search.gap <= self.widest * search.lower:
            return replace(population.decide(agreement, threshold, guess, rng), log_bounds=search.log_bounds)
        distance, error = search.log_estimate - log_theta, search.std_err
        doubt = 0.5 * math.erfc(abs(distance) / error / math.sqrt(2)) if 0 < error < math.inf else 0.5
        return Decision(int(distance >= 0), certain=False, steps=search.nodes, doubt=doubt)
