"""Weighted sums from populations of terms, where bounds say little."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from winnowkit.dnf.agreement import Agreement, log_add
from winnowkit.dnf.answers import Decision, Estimate, Threshold
from winnowkit.dnf.engine import Engine, in_order
from winnowkit.dnf.kernels.breeding import grow, make_room
from winnowkit.dnf.kernels.problem import Floats
from winnowkit.dnf.mcmc.chains import SlicedMistakes, pack_problem

AT_ONCE = 16
"""Populations between looks at what they say: fewer say little of their spread."""
_FAR = 50.0  # an estimate above theta by more, in logarithms, counts as no more than that
_BOLD = 0.9  # most of the capital that a bet may lose
_AIM = 24  # populations after which intervals are to be narrowest


@dataclass(frozen=True)
class Population(Engine):
    """Weighted sums from populations of terms that grow by one attribute at a time.

    Each population (:mod:`winnowkit.dnf.kernels.breeding`) gives an unbiased estimate of the sum, in milliseconds,
    also where agreement is dense; several, which are independent, give its error.

    Parameters
    ----------
    size : int
        Number of terms in a population.
    tempers : int
        Kinds of terms in it, from typical to heaviest; at least 2.
    min_populations, max_populations : int
        Smallest number of populations of a sum, so that its standard error can be trusted, and largest number, also of
        a side.
    error : float
        Standard error of the sum's logarithm that is good enough.
    delta : float
        Upper bound of the probability that a decided side is wrong.
    n_jobs : int
        Threads, over populations; results do not depend on it.

    See Also
    --------
    Descent : The engine that first proves what it can.
    Ladder : The paper's way, by Markov chains.

    Notes
    -----
    That the sum is at least theta is decided by bets, which are valid whenever they end, as estimates are unbiased and
    positive. That it is below theta cannot be known so, as a heavy term may have been met by no population: there an
    asymptotic confidence sequence decides (Waudby-Smith et al. 2024), which trusts the spread that was seen.

    Examples
    --------
    >>> from winnowkit.dnf import Exact, MistakeLog
    >>> log = MistakeLog(20)
    >>> rng = np.random.default_rng(0)
    >>> for sign in rng.choice([-1, 1], 100):
    ...     log.append(1 + (rng.random(20) < 0.2), sign)
    >>> agreement = Agreement.of(log, np.ones(20))
    >>> estimate = Population().log_sum(agreement, alpha=1.5, rng=0)
    >>> truth = Exact().log_sum(agreement, alpha=1.5).log_sum
    >>> abs(estimate.log_sum - truth) < 4 * estimate.std_err
    True
    >>> Population().decide(agreement, Threshold(1.5, truth + 1), rng=0).label
    0
    """

    size: int = 64
    tempers: int = 6
    min_populations: int = 64
    max_populations: int = 512
    error: float = 0.01
    delta: float = 0.01
    n_jobs: int = 1

    def __post_init__(self) -> None:
        fewest = self.min_populations
        for name, least in (
            ("size", 1),
            ("tempers", 2),
            ("min_populations", 2),
            ("max_populations", fewest),
            ("n_jobs", 1),
        ):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be an integer >= {least}, got {getattr(self, name)}")
        if not self.error >= 0:
            raise ValueError(f"error must be at least 0, got {self.error}")
        if not 0 < self.delta < 0.5:
            raise ValueError(f"delta must be in (0, 0.5), got {self.delta}")

    def log_sum(self, agreement: Agreement, alpha: float, rng: object = None) -> Estimate:
        """Estimate the logarithm of the weighted sum; `chains` are populations."""
        run = _PopulationGrowth(self, agreement, alpha, rng)
        while run.more() and (len(run.log_sums) < self.min_populations or run.summary().std_err > self.error):
            pass
        return run.summary()

    def decide(
        self, agreement: Agreement, threshold: Threshold, guess: int | None = None, rng: object = None
    ) -> Decision:
        """Decide the side of theta; `certain` if it is wrong with probability at most `delta` (see Notes)."""
        alpha, log_theta, _ = threshold
        run = _PopulationGrowth(self, agreement, alpha, rng)
        while run.more():
            ratios = np.exp(np.minimum(run.log_sums - log_theta, _FAR))
            doubt = math.exp(-log_capital(ratios))
            if doubt <= self.delta:
                return Decision(1, chains=len(ratios), steps=run.steps, doubt=doubt)
            if upper_limit(ratios, self.delta) < 1:
                return Decision(0, chains=len(ratios), steps=run.steps, doubt=self.delta)
        summary = run.summary()
        distance = summary.log_sum - log_theta
        doubt = 0.5 * math.erfc(abs(distance) / summary.std_err / math.sqrt(2)) if summary.std_err > 0 else 0.5
        return Decision(int(distance >= 0), certain=False, chains=summary.chains, steps=run.steps, doubt=doubt)


class _PopulationGrowth:
    """Populations grown for one sum."""

    def __init__(self, engine: Population, agreement: Agreement, alpha: float, rng: object) -> None:
        self._engine, self._agreement = engine, agreement
        self._problem: SlicedMistakes = pack_problem(agreement.sets, agreement.nets, (agreement.n_live, 0, 0))
        self._rates: Floats = np.linspace(0.0, math.log(alpha), engine.tempers)
        self._rng = np.random.default_rng(rng)  # type: ignore[arg-type]
        self.log_sums: Floats = np.empty(0)

    def more(self) -> bool:
        """Grow some more populations, if there may be more."""
        left = self._engine.max_populations - len(self.log_sums)
        if left <= 0:
            return False
        streams = self._rng.integers(0, 2**64, (min(AT_ONCE, left), 4), dtype=np.uint64)
        step = -(-len(streams) // self._engine.n_jobs)
        parts = [streams[first : first + step] for first in range(0, len(streams), step)]
        self.log_sums = np.concatenate([self.log_sums, *in_order(self._grow, parts, self._engine.n_jobs)])
        return True

    def _grow(self, streams: np.ndarray[tuple[int, int], np.dtype[np.uint64]]) -> Floats:
        agreement, room = self._agreement, make_room(self._problem, self._engine.size, len(self._rates))
        others = agreement.n_live * math.log(2) + math.log(2**agreement.n_dead - 1) if agreement.n_dead else -math.inf
        free = agreement.n_free * math.log(2)
        sums = [grow(self._problem, room, self._rates, streams, c) for c in range(len(streams))]
        return np.array([free + log_add([value, others]) for value in sums])

    @property
    def steps(self) -> int:
        """Attributes tried for a term, at most."""
        n = self._agreement.n_live
        return len(self.log_sums) * self._engine.size * n * (n + 1) // 2

    def summary(self) -> Estimate:
        """The mean of the populations' sums, and its error."""
        count = len(self.log_sums)
        top = self.log_sums.max()
        shares = np.exp(self.log_sums - top)
        mean = shares.mean()
        error = float(shares.std(ddof=1) / mean / math.sqrt(count)) if count > 1 else math.inf
        return Estimate(
            float(top + math.log(mean)), error, exact=False, chains=count, steps=self.steps, ess=float(count)
        )


def log_capital(ratios: Floats) -> float:
    """Compute the log capital of bets that unbiased estimates, none of them negative, have a mean above 1.

    If it is 1 or less, the capital ever passes 1 / delta with probability delta at most (Ville's inequality). The size
    of each bet is Kelly's, by what was seen before it.

    Examples
    --------
    >>> log_capital(np.full(8, 1.0))
    0.0
    >>> bool(log_capital(np.full(8, 4.0)) > math.log(100))
    True
    """
    total, bet, won, squares = 0.0, 0.5, 0.0, 1.0
    for ratio in ratios.tolist():
        total += math.log1p(bet * (ratio - 1))
        won += ratio - 1
        squares += (ratio - 1) ** 2
        bet = min(max(won / squares, 0.0), _BOLD)
    return total


def upper_limit(values: Floats, delta: float) -> float:
    """Upper end of an asymptotic confidence sequence for the mean: ever too low with probability delta at most.

    Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024), one-sided, tuned for some tens of values.

    Examples
    --------
    >>> upper_limit(np.array([1.0, 1.0, 1.0, 1.0]), delta=0.01)
    1.0
    """
    count = len(values)
    rho2 = (-2 * math.log(delta) + math.log(-2 * math.log(delta)) + 1) / _AIM
    grown = count * rho2 + 1
    width = math.sqrt(2 * grown / (count**2 * rho2) * math.log(1 + math.sqrt(grown) / (2 * delta)))
    return float(values.mean() + values.std(ddof=1) * width)
