"""One weighted sum between bounds, which are narrowed by search and then, if need be, by samples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from winnowkit.core.bits import MAX_BITS
from winnowkit.dnf.agreement import Agreement
from winnowkit.dnf.kernels.best_first import Frontier, Goal, search
from winnowkit.dnf.kernels.bounds import REST, STEPS_A_NODE, LeafProblem
from winnowkit.dnf.kernels.problem import LARGEST_REACH, Ints, let_overflow, make_space, powers_of
from winnowkit.dnf.kernels.random_descents import Tally, sample
from winnowkit.dnf.kernels.threshold import MOST_LOG2

CLOSED = 1e-12
"""Relative gap between bounds that passes for none."""

MOST_LEAVES = 1 << 15
_SLACK = 1e-5  # part of theta by which a part of the search may be uncertain (measured)
_FAR = 1e300


class Search:
    """Bounds of the weighted sum of an example, over ``2^free``; made for one sum, of any number of attributes.

    Parameters
    ----------
    agreement : Agreement
        The example against the log.
    alpha : float
        The learning rate, above 1.

    Examples
    --------
    >>> from winnowkit.dnf import MistakeLog
    >>> log = MistakeLog(100)
    >>> log.append(np.arange(100) % 3 + 1, +1)
    >>> search = Search(Agreement.of(log, np.ones(100)), alpha=1.5)
    >>> search.narrow_to(share=1e-9, max_nodes=1000)
    >>> [round(bound / math.log(2), 6) for bound in search.log_bounds]
    [100.0, 100.0]
    """

    def __init__(self, agreement: Agreement, alpha: float) -> None:
        n_words = agreement.sets.shape[1]
        self._log_scale = agreement.n_free * math.log(2)
        self._problem = _problem(agreement, alpha, n_words)
        self._frontier = Frontier(
            words=np.empty((MOST_LEAVES, 3, n_words), dtype=np.int64),
            scale=np.empty(MOST_LEAVES),
            least=np.empty(MOST_LEAVES),
            gap=np.empty(MOST_LEAVES),
            heap=np.arange(-1, MOST_LEAVES, dtype=np.int64),
        )
        self._frontier.heap[0] = 1
        root = np.zeros((3, n_words), dtype=np.int64)
        for b in range(agreement.n_live):
            root[REST, b // MAX_BITS] |= 1 << (b % MAX_BITS)
        self._frontier.words[0], self._frontier.scale[0] = root, 1.0
        self._frontier.least[0], self._frontier.gap[0] = 0.0, math.inf
        self._outside = (2.0**agreement.n_dead - 1.0) * 2.0**agreement.n_live
        self.lower, self.gap = self._outside, math.inf
        self.nodes = 0
        self.tally = Tally(np.zeros(2, dtype=np.int64), np.zeros(4))

    @staticmethod
    def takes(agreement: Agreement, log_theta: float = 0.0) -> bool:
        """Tell whether floats hold the numbers of a sum that is compared with theta."""
        size = agreement.n_live + agreement.n_dead
        log2_theta = (log_theta - agreement.n_free * math.log(2)) / math.log(2)
        return agreement.reach <= LARGEST_REACH and max(size, abs(log2_theta)) <= MOST_LOG2

    def narrow_by(self, log_theta: float, near: float, max_nodes: int) -> None:
        """Search until the sum is on one side of theta, by a relative distance `near`."""
        theta = math.exp(log_theta - self._log_scale)
        self._search(Goal(theta * (1 + near), theta * (1 - near), 0.0, near / 8, _SLACK * theta), max_nodes)

    def narrow_to(self, share: float, max_nodes: int, log_gap: float = -math.inf) -> None:
        """Search until the gap between the bounds is at most `share` of the sum, or the exponential of `log_gap`."""
        gap = math.exp(min(log_gap - self._log_scale, math.log(_FAR)))
        self._search(Goal(math.inf, 0.0, gap, share, gap / 100), max_nodes)

    @let_overflow
    def _search(self, goal: Goal, max_nodes: int) -> None:
        max_steps = _steps(max(0, max_nodes - self.nodes))
        self._outside, self.lower, self.gap, steps = search(
            self._problem, self._frontier, self._outside, goal, max_steps
        )
        self.nodes += 1 + steps // STEPS_A_NODE

    @property
    def log_bounds(self) -> tuple[float, float]:
        """Logarithms of the bounds of the whole sum."""
        return self._log(self.lower), self._log(self.lower + self.gap)

    def _log(self, part: float) -> float:
        return (math.log(part) if part > 0 else -math.inf) + self._log_scale

    def side_of(self, log_theta: float, near: float) -> int | None:
        """Return the label that the bounds prove, or None."""
        low, high = self.log_bounds
        return 1 if low > log_theta + near else 0 if high < log_theta - near else None

    @let_overflow
    def descend(
        self, rng: Any, max_descents: int, max_nodes: int, log_theta: float | None = None, doubt: float = 0.0
    ) -> None:
        """Sample, once, what the bounds leave; with a `log_theta`, until its side is in no more than `doubt`."""
        count = self._frontier.heap[0]
        if not (count and 0.0 < self.gap < math.inf):
            return
        running = np.cumsum(self._frontier.gap[self._frontier.heap[1 : count + 1]])
        stake = -1.0 if log_theta is None else (math.exp(log_theta - self._log_scale) - self.lower) / self.gap
        claim = stake, (math.log(1 / doubt) if doubt else math.inf)
        streams = np.random.default_rng(rng).integers(0, 2**64, (1, 4), dtype=np.uint64)
        sample(self._problem, self._frontier, running, streams, self.tally, claim, (max_descents, _steps(max_nodes)))
        self.nodes += 1 + int(self.tally.counts[1]) // STEPS_A_NODE

    @property
    def log_estimate(self) -> float:
        """Logarithm of the sum that was found or, on average, drawn; of the middle of the bounds before any descent."""
        return self._log(self._estimate)

    @property
    def std_err(self) -> float:
        """Standard error of :attr:`log_estimate`; before two descents, half the gap, as nothing between is further."""
        n = int(self.tally.counts[0])
        deviation = math.sqrt(self.tally.sums[1] / (n - 1) / n) if n > 1 else 0.5
        return self.gap * deviation / self._estimate if self.gap > 0 else 0.0

    @property
    def _estimate(self) -> float:
        return self.lower + self.gap * (float(self.tally.sums[0]) if self.tally.counts[0] else 0.5)


def _steps(nodes: int) -> int:
    """Steps in the time of so many nodes, as far as the kernels count."""
    return min(nodes * STEPS_A_NODE, np.iinfo(np.int64).max)


def _problem(agreement: Agreement, alpha: float, n_words: int) -> LeafProblem:
    promotions, demotions = (np.repeat(agreement.sets, np.maximum(s * agreement.nets, 0), axis=0) for s in (1, -1))
    n, sizes = n_words * MAX_BITS, (len(promotions), len(demotions))

    def ints(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return LeafProblem(
        promotions,
        demotions,
        powers_of(alpha, agreement.reach),
        node=ints(3, n_words),
        parts=ints(3, n_words),
        members=(ints(sizes[0] + 1), ints(sizes[1] + 1)),
        columns=(ints(n, sizes[0] // 64 + 1), ints(n, sizes[1] // 64 + 1)),
        meets=(ints(sizes[0] // 64 + 1), ints(sizes[1] // 64 + 1)),
        lower=ints(n + 1),
        both=ints(n + 1),
        pairs=np.zeros((2, n)),
        least=np.zeros(n),
        gap=np.zeros(n),
        space=make_space(sum(sizes), MAX_BITS),
    )
