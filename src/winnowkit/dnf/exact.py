"""Exact weighted sums: the engine that needs no sampling.

A sum goes :meth:`Exact.log_sum` -> :mod:`~winnowkit.dnf.kernels.branch`, a side :meth:`Exact.labels` ->
:mod:`~winnowkit.dnf.kernels.threshold`, an epoch of training :mod:`~winnowkit.dnf.kernels.incremental`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Unpack

import numpy as np
import numpy.typing as npt

from winnowkit.core.bits import MAX_BITS
from winnowkit.dnf.agreement import Agreement, exact_sum, log_add, log_of_counts
from winnowkit.dnf.answers import Decision, Estimate, Threshold
from winnowkit.dnf.bound_search import CLOSED, Search
from winnowkit.dnf.engine import Engine, Logs, Sources, exact_leaders, in_parts
from winnowkit.dnf.kernels.branch import DONE, NO_BUDGET, OUT_OF_RANGE, OVER_BUDGET, RowSums, problem_sum, row_sums
from winnowkit.dnf.kernels.problem import LARGEST_REACH, Codes, Floats, Ints, let_overflow, powers_of, space_for
from winnowkit.dnf.kernels.threshold import (
    NEAR,
    UNDECIDED,
    WIDE,
    Comparison,
    RowBounds,
    RowSides,
    part_side,
    row_bounds,
    row_sides,
)
from winnowkit.dnf.largest import largest_by_bounds
from winnowkit.dnf.log import MistakeLog
from winnowkit.dnf.many_attributes import pieces, tally_of
from winnowkit.dnf.training import IncrementalTraining, RandomnessOf, Training, TrainingOptions

_WIDE_SLACKS = 16.0  # slacks of a branch that the bounds of a wide problem may be apart


class BudgetExceeded(RuntimeError):  # noqa: N818 - the name users catch is public
    """An exact sum would take more nodes than the engine's budget.

    Parameters
    ----------
    nodes : int
        Nodes visited.
    max_nodes : int
        The budget.

    See Also
    --------
    Exact : The engine that raises it, if given `max_nodes`.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> log = MistakeLog(30)
    >>> for _ in range(100):
    ...     log.append(generator.integers(1, 3, 30), +1)
    >>> try:
    ...     Exact(max_nodes=10).log_sum(Agreement.of(log, np.ones(30)), alpha=1.5)
    ... except BudgetExceeded:
    ...     print("too long")
    too long
    """

    def __init__(self, nodes: int, max_nodes: int) -> None:
        super().__init__(
            f"the exact weighted sum needs more than max_nodes={max_nodes} nodes (gave up after {nodes}); "
            "raise max_nodes, shorten the log with max_mistakes, or sample with a Ladder engine"
        )
        self.nodes = nodes
        self.max_nodes = max_nodes

    def __reduce__(self) -> tuple[type[BudgetExceeded], tuple[int, int]]:
        return type(self), (self.nodes, self.max_nodes)


@dataclass(frozen=True)
class Exact(Engine):
    """Weighted sums by branching over attributes; see :mod:`winnowkit.dnf.kernels.branch` for the algorithm.

    Parameters
    ----------
    max_nodes : int, optional
        Largest number of nodes (branches and tables) of one sum, past which :class:`BudgetExceeded` is raised; None
        means no limit.

    See Also
    --------
    Ladder : Sums by sampling.
    Auto : Exact up to a budget, sampled past it.

    Examples
    --------
    >>> log = MistakeLog(3)
    >>> log.append([1, 1, 2], +1)
    >>> agreement = Agreement.of(log, [1, 1, 1])
    >>> engine = Exact()
    >>> engine.counts(agreement)  # half of the 8 terms do without the third attribute: promoted once
    {0: 4, 1: 4}
    >>> round(math.exp(engine.log_sum(agreement, alpha=1.5).log_sum), 9)
    10.0
    >>> engine.decide(agreement, Threshold(alpha=1.5, log_theta=math.log(10))).label
    1
    """

    max_nodes: int | None = None

    compares_exactly = True
    samples = False

    def __post_init__(self) -> None:
        if self.max_nodes is not None and self.max_nodes < 1:
            raise ValueError(f"max_nodes must be at least 1 or None, got {self.max_nodes}")

    @let_overflow
    def log_sum(self, agreement: Agreement, alpha: float, rng: object = None) -> Estimate:
        """Compute the logarithm of the weighted sum, to the precision of floats; `rng` is not used.

        Examples
        --------
        >>> Exact().log_sum(Agreement.of(MistakeLog(2), [1, 1]), alpha=1.5).log_sum == 2 * math.log(2)
        True
        """
        _check_alpha(alpha)
        if agreement.reach > LARGEST_REACH:
            return Estimate(log_of_counts(self.counts(agreement), alpha))
        if agreement.n_live > MAX_BITS and Search.takes(agreement):
            search = Search(agreement, alpha)
            search.narrow_to(CLOSED, self.budget)
            self._check(search.nodes)
            if search.gap <= CLOSED * search.lower:
                return Estimate(search.log_estimate, steps=search.nodes)
            if self.max_nodes is not None:  # the search has no more room, and going on would be slow
                raise BudgetExceeded(search.nodes, self.max_nodes)
        powers = powers_of(alpha, agreement.reach)
        outside, parts = pieces(agreement, self.budget)
        logs, nodes = [math.log(outside)] if outside else [], len(parts) - 1
        for part in parts:
            space = space_for(len(part.nets), part.live)
            space.sets[: len(part.nets)], space.nets[: len(part.nets)] = part.sets, part.nets
            total, visited, ended = problem_sum(len(part.nets), part.live, space, powers, self.budget - nodes)
            nodes += visited
            self._check(nodes)
            if ended == OUT_OF_RANGE:
                return Estimate(log_of_counts(self.counts(agreement), alpha), steps=nodes)
            logs.append(math.log(total) + part.free * math.log(2))
        return Estimate(log_add(logs), steps=nodes)

    @let_overflow
    def decide(
        self, agreement: Agreement, threshold: Threshold, guess: int | None = None, rng: object = None
    ) -> Decision:
        """Decide exactly whether the weighted sum is at least theta; `guess` and `rng` are not used.

        If the threshold does not name `theta`, the exact sum's logarithm, rounded once, is compared with `log_theta`,
        so ties are right for ``log_theta = math.log(theta)``.

        Examples
        --------
        >>> empty = Agreement.of(MistakeLog(40), np.ones(40))
        >>> [Exact().decide(empty, Threshold(1.5, math.log(theta))).label for theta in (2**40, 2**40 + 1)]
        [1, 0]
        """
        alpha, log_theta, _ = threshold
        _check_alpha(alpha)
        if agreement.n_live <= WIDE and agreement.reach <= LARGEST_REACH:
            space, n_sets = space_for(len(agreement.nets), agreement.n_live), len(agreement.nets)
            space.sets[:n_sets], space.nets[:n_sets] = agreement.sets[:, 0], agreement.nets
            shape = n_sets, agreement.n_live, agreement.n_dead, agreement.n_free
            comparison = Comparison(powers_of(alpha, agreement.reach), log_theta, self.budget)
            side, _, _, nodes = part_side(shape, space, comparison)
            self._check(nodes)
            if side != UNDECIDED:
                return Decision(side, steps=nodes)
        elif Search.takes(agreement, log_theta):
            search = Search(agreement, alpha)
            search.narrow_by(log_theta, NEAR, self.budget)
            self._check(search.nodes)
            if (wide_side := search.side_of(log_theta, NEAR)) is not None:
                return Decision(wide_side, steps=search.nodes, log_bounds=search.log_bounds)
        return self.decide_by_value(agreement, threshold)

    def decide_by_value(self, agreement: Agreement, threshold: Threshold) -> Decision:
        """Compare the whole sum with theta; exactly, if it is near."""
        alpha, log_theta, _ = threshold
        estimate = self.log_sum(agreement, alpha)
        if abs(estimate.log_sum - log_theta) > NEAR:
            return Decision(int(estimate.log_sum > log_theta), steps=estimate.steps)
        reached = threshold.is_reached(exact_sum(self.counts(agreement), alpha))
        return Decision(int(reached), steps=estimate.steps)

    def counts(self, agreement: Agreement) -> dict[int, int]:
        """Count the subsets of the example's attributes by net: the sum for every alpha at once.

        Parameters
        ----------
        agreement : Agreement
            The example compared with the log.

        Returns
        -------
        dict
            The number of subsets of each net.

        Examples
        --------
        >>> log = MistakeLog(100)
        >>> log.append(np.ones(100), -1)
        >>> Exact().counts(Agreement.of(log, np.ones(100))) == {-1: 2**100}
        True
        """
        outside, parts = pieces(agreement, self.budget)
        counts, nodes = {0: outside}, len(parts) - 1
        for part in parts:
            tally, visited = tally_of(part, agreement.reach, self.budget - nodes)
            nodes += visited
            self._check(nodes)
            nets = np.flatnonzero(tally)
            for net, count in zip((nets - agreement.reach).tolist(), tally[nets].tolist(), strict=True):
                counts[net] = counts.get(net, 0) + (int(count) << part.free)
        return {net: count for net, count in sorted(counts.items()) if count}

    # --- many rows, by kernels in threads ----------------------------------------------------------------------------

    @let_overflow
    def log_sums(
        self, log: MistakeLog, X: npt.ArrayLike, alpha: float, n_jobs: int = 1, *, rng_of: RandomnessOf = None
    ) -> Floats:
        """Compute the logarithms of the weighted sums of many rows; any number of threads gives the same floats.

        Examples
        --------
        >>> log = MistakeLog(2)
        >>> log.append([1, 2], +1)
        >>> np.exp(Exact().log_sums(log, [[1, 2], [1, 1], [0, 0]], alpha=1.5)).round(9)
        array([6. , 5. , 1.5])
        """
        rows = np.ascontiguousarray(X, dtype=np.int32)
        _check_alpha(alpha)
        if n_jobs > 1 and len(rows) > 1:
            return np.concatenate(in_parts(lambda part: self.log_sums(log, rows[part], alpha), len(rows), n_jobs))
        if log.reach > LARGEST_REACH:
            return np.array([self.log_sum(Agreement.of(log, x), alpha).log_sum for x in rows])
        sums, (nodes, ended) = np.zeros(len(rows)), np.zeros((2, len(rows)), dtype=np.int64)
        space, weights = space_for(len(log), log.n_attributes), (powers_of(alpha, log.reach), self.budget)
        row_sums(log.arrays, rows, space, weights, RowSums(sums, nodes, ended))
        if (over := nodes[ended == OVER_BUDGET]).size:
            self._check(int(over[0]))
        for i in np.flatnonzero(ended != DONE):
            sums[i] = self.log_sum(Agreement.of(log, rows[i]), alpha).log_sum
        return sums

    @let_overflow
    def labels(
        self, log: MistakeLog, X: npt.ArrayLike, threshold: Threshold, n_jobs: int = 1, *, rng_of: RandomnessOf = None
    ) -> Ints:
        """Decide many rows, in `n_jobs` threads: 1 where the weighted sum is at least theta, else 0.

        Examples
        --------
        >>> log = MistakeLog(2)
        >>> log.append([1, 2], +1)
        >>> Exact().labels(log, [[1, 2], [1, 1], [0, 0]], Threshold(alpha=1.5, log_theta=math.log(5)))
        array([1, 1, 0])
        """
        rows = np.ascontiguousarray(X, dtype=np.int32)
        alpha, log_theta, _ = threshold
        _check_alpha(alpha)
        if n_jobs > 1 and len(rows) > 1:
            return np.concatenate(in_parts(lambda part: self.labels(log, rows[part], threshold), len(rows), n_jobs))
        labels, nodes = np.full(len(rows), UNDECIDED), np.zeros(len(rows), dtype=np.int64)
        if log.reach <= LARGEST_REACH:
            comparison = Comparison(powers_of(alpha, log.reach), log_theta, self.budget)
            space = space_for(len(log), log.n_attributes)
            row_sides(log.arrays, rows, space, comparison, RowSides(labels, nodes))
            self._check(int(nodes.max(initial=0)))
        for i in np.flatnonzero(labels == UNDECIDED):
            labels[i] = self.decide(Agreement.of(log, rows[i]), threshold).label
        return labels

    @let_overflow
    def bounds(
        self, log: MistakeLog, X: npt.ArrayLike, alpha: float, log_slack: npt.ArrayLike, n_jobs: int = 1
    ) -> tuple[Floats, Floats]:
        """Bound the logarithms of the weighted sums of many rows, the more tightly the smaller `log_slack` is.

        The slack is the uncertainty that one branch of the search may leave. Infinite bounds mean that floats cannot
        hold the numbers.

        Examples
        --------
        >>> log = MistakeLog(2)
        >>> log.append([1, 2], +1)
        >>> low, high = Exact().bounds(log, [[1, 2]], alpha=1.5, log_slack=[0.0])
        >>> bool(low[0] <= math.log(6) + 1e-12 and math.log(6) <= high[0] + 1e-12)
        True
        """
        rows = np.ascontiguousarray(X, dtype=np.int32)
        slacks = np.ascontiguousarray(log_slack, dtype=np.float64)
        _check_alpha(alpha)
        if n_jobs > 1 and len(rows) > 1:
            parts = in_parts(lambda part: self.bounds(log, rows[part], alpha, slacks[part]), len(rows), n_jobs)
            lows, highs = zip(*parts, strict=True)
            return np.concatenate(lows), np.concatenate(highs)
        low, high, nodes = (
            np.full(len(rows), -math.inf),
            np.full(len(rows), math.inf),
            np.zeros(len(rows), dtype=np.int64),
        )
        if log.reach > LARGEST_REACH:
            return low, high
        space, weights = space_for(len(log), log.n_attributes), (powers_of(alpha, log.reach), self.budget)
        row_bounds(log.arrays, (rows, slacks), space, weights, RowBounds(low, high, nodes))
        self._check(int(nodes.max(initial=0)))
        for i in np.flatnonzero(np.isinf(high)):
            agreement = Agreement.of(log, rows[i])
            if agreement.n_live > WIDE and Search.takes(agreement, slacks[i]):
                search = Search(agreement, alpha)
                search.narrow_to(0.0, self.budget, slacks[i] + math.log(_WIDE_SLACKS))
                self._check(search.nodes)
                low[i], high[i] = search.log_bounds
        return low, high

    # --- several learners, and training ------------------------------------------------------------------------------

    def largest(
        self, logs: Logs, X: npt.ArrayLike, threshold: Threshold, n_jobs: int = 1, *, rngs: Sources = None
    ) -> Ints:
        """Find the log under which each row has its largest sum: by sides, then bounds, then values if needed."""
        above = self.labels_by_learner(logs, X, threshold, n_jobs, rngs=rngs)
        return largest_by_bounds(self, logs, X, threshold, above, self.leaders, n_jobs)

    def leaders(self, logs: Logs, x: Codes, alpha: float, sums: Floats) -> list[int]:
        """List the logs under which a row has its largest sum; sums almost equal are compared as fractions."""
        return exact_leaders(sums, lambda c: exact_sum(self.counts(Agreement.of(logs[c], x)), alpha))

    def training(
        self, X: npt.ArrayLike, y: npt.ArrayLike, threshold: Threshold, **options: Unpack[TrainingOptions]
    ) -> Training:
        """Prepare training that keeps bounds of each row's sum and brings them up to date."""
        return IncrementalTraining(self, X, y, threshold, self.budget, **options)

    @property
    def budget(self) -> int:
        """The largest number of nodes of a sum, as a number."""
        return NO_BUDGET if self.max_nodes is None else self.max_nodes

    def _check(self, nodes: int) -> None:
        if nodes > self.budget:
            raise BudgetExceeded(nodes, self.budget)


def _check_alpha(alpha: float) -> None:
    if not 1 < alpha < math.inf:
        raise ValueError(f"alpha must be > 1 and finite, got {alpha}")
