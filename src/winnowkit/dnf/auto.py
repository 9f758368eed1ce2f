"""Exact where that is cheap enough, sampled where it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from winnowkit.dnf.agreement import Agreement
from winnowkit.dnf.descent import Descent
from winnowkit.dnf.estimate import Decision, Estimate
from winnowkit.dnf.exact import BudgetExceeded, Exact
from winnowkit.dnf.kernels.threshold import WIDE
from winnowkit.dnf.mcmc.ladder import Ladder
from winnowkit.dnf.population import Population

R = TypeVar("R")

MAX_NODES = 2_000_000
"""Nodes after which a sum is sampled: about a third of a second, as the default ladder takes at 40 attributes."""


@dataclass(frozen=True)
class Auto:
    """Exact sums within a budget of nodes; past it, those of a sampling engine. The estimate says which it was.

    Parameters
    ----------
    exact : Exact
        Asked first; its `max_nodes` is the budget.
    sampler : Descent, Population or Ladder
        Asked when the budget is exceeded; and at once for sides of wide sums, as a :class:`Descent` begins alike.

    See Also
    --------
    Exact : Exact sums.
    Descent : Bounds, and samples between them.
    Population : Sums where bounds say little.
    Ladder : Sums by Markov chains.

    Examples
    --------
    >>> import numpy as np
    >>> from winnowkit.dnf import MistakeLog
    >>> log = MistakeLog(12)
    >>> rng = np.random.default_rng(0)
    >>> for sign in rng.choice([-1, 1], 40):
    ...     log.append(rng.integers(0, 3, 12), sign)
    >>> agreement = Agreement.of(log, np.ones(12))
    >>> [Auto(Exact(max_nodes), Ladder()).log_sum(agreement, alpha=1.5, rng=0).exact for max_nodes in (1, 1000)]
    [False, True]
    """

    exact: Exact = field(default_factory=lambda: Exact(MAX_NODES))
    sampler: Descent | Population | Ladder = field(default_factory=Descent)

    def log_sum(self, agreement: Agreement, alpha: float, rng: object = None) -> Estimate:
        """Logarithm of the weighted sum; `rng` is used only if it is sampled.

        Parameters
        ----------
        agreement : Agreement
            The example against the log.
        alpha : float
            The learning rate, above 1.
        rng : int, SeedSequence, Generator or None
            Source of randomness, if it is sampled.

        Returns
        -------
        Estimate
            The logarithm of the sum; `exact` says which engine it was.
        """
        return _either(
            lambda: self.exact.log_sum(agreement, alpha),
            lambda: self.sampler.log_sum(agreement, alpha, rng),
        )

    def decide(
        self,
        agreement: Agreement,
        alpha: float,
        log_theta: float,
        guess: int | None = None,
        rng: object = None,
        *,
        theta: float | Fraction | None = None,
    ) -> Decision:
        """Side of theta of the weighted sum; `guess` and `rng` are used only if it is sampled.

        Parameters
        ----------
        agreement : Agreement
            The example against the log.
        alpha : float
            The learning rate, above 1.
        log_theta : float
            Natural logarithm of the threshold.
        guess : {0, 1}, optional
            The label expected, if it is sampled.
        rng : int, SeedSequence, Generator or None
            Source of randomness, if it is sampled.
        theta : float or Fraction, optional
            The threshold itself, to decide ties exactly.

        Returns
        -------
        Decision
            The side of theta; `certain` says which engine it was.
        """
        if agreement.n_live > WIDE and isinstance(self.sampler, Descent):
            return self.sampler.decide(agreement, alpha, log_theta, guess, rng, theta=theta)
        return _either(
            lambda: self.exact.decide(agreement, alpha, log_theta, theta=theta),
            lambda: self.sampler.decide(agreement, alpha, log_theta, guess, rng),
        )


def _either(exactly: Callable[[], R], sampled: Callable[[], R]) -> R:
    try:
        return exactly()
    except BudgetExceeded:
        return sampled()
