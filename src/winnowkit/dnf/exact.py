"""Exact weighted sums: the engine that needs no sampling."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from winnowkit.core.bits import MAX_BITS
from winnowkit.dnf.agreement import Agreement
from winnowkit.dnf.bound_search import CLOSED, Search
from winnowkit.dnf.estimate import Decision, Estimate
from winnowkit.dnf.kernels.agree import Floats, Ints, make_space
from winnowkit.dnf.kernels.branch import branch, open_root
from winnowkit.dnf.kernels.sums import DONE, NO_BUDGET, OUT_OF_RANGE, OVER_BUDGET, Sums, problem_sum, row_sums
from winnowkit.dnf.kernels.threshold import NEAR, UNDECIDED, WIDE, Bounds, Sides, part_side, row_bounds, row_sides
from winnowkit.dnf.log import MistakeLog
from winnowkit.dnf.log_arithmetic import exact_sum, log_add, log_of, log_of_counts
from winnowkit.dnf.many_attributes import Piece, pieces
from winnowkit.dnf.resources import LARGEST_REACH, in_threads, let_overflow, powers_of, space_for

_SLACKS = 16.0  # of branches, that the bounds of a wide problem may be apart


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
    Exact : What raises it, if given `max_nodes`.

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


class Exact:
    """Weighted sums by branching over attributes; see :mod:`winnowkit.dnf.kernels.branch` for the algorithm.

    Parameters
    ----------
    max_nodes : int, optional
        Most nodes (branches and tables) one sum may take; past it :class:`BudgetExceeded` is raised. None: no limit.

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
    >>> engine.decide(agreement, alpha=1.5, log_theta=math.log(10)).label
    1
    """

    def __init__(self, max_nodes: int | None = None) -> None:
        if max_nodes is not None and max_nodes < 1:
            raise ValueError(f"max_nodes must be at least 1 or None, got {max_nodes}")
        self.max_nodes = max_nodes

    def __repr__(self) -> str:
        return f"Exact(max_nodes={self.max_nodes})"

    @let_overflow
    def log_sum(self, agreement: Agreement, alpha: float, rng: object = None) -> Estimate:  # noqa: ARG002 - engines' interface
        """Logarithm of the weighted sum; `rng` is not used.

        Parameters
        ----------
        agreement : Agreement
            The example against the log.
        alpha : float
            The learning rate, above 1.
        rng : object
            Not used.

        Returns
        -------
        Estimate
            The logarithm of the sum, to the precision of floats.

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
            if self.max_nodes is not None:  # the search has no more room, and what could go on is slow
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
        self,
        agreement: Agreement,
        alpha: float,
        log_theta: float,
        guess: int | None = None,  # noqa: ARG002 - engines' interface
        rng: object = None,  # noqa: ARG002
        *,
        theta: float | Fraction | None = None,
    ) -> Decision:
        """Whether the weighted sum is at least theta, exactly.

        Parameters
        ----------
        agreement : Agreement
            The example against the log.
        alpha : float
            The learning rate, above 1.
        log_theta : float
            Natural logarithm of the threshold.
        guess : int, optional
            The label expected; not used.
        rng : object
            Not used.
        theta : int, float or Fraction, optional
            The threshold itself, for exact ties. None: the exact sum's logarithm, rounded once, is compared with
            `log_theta`, so ties are right for ``log_theta = math.log(theta)``.

        Returns
        -------
        Decision
            The side of theta, which is certain.

        Examples
        --------
        >>> empty = Agreement.of(MistakeLog(40), np.ones(40))
        >>> [Exact().decide(empty, 1.5, math.log(theta)).label for theta in (2**40, 2**40 + 1)]
        [1, 0]
        """
        _check_alpha(alpha)
        if agreement.n_live <= WIDE and agreement.reach <= LARGEST_REACH:
            space, n_sets = space_for(len(agreement.nets), agreement.n_live), len(agreement.nets)
            space.sets[:n_sets], space.nets[:n_sets] = agreement.sets[:, 0], agreement.nets
            shape = n_sets, agreement.n_live, agreement.n_dead, agreement.n_free
            weights = powers_of(alpha, agreement.reach), log_theta, self.budget
            side, _, _, nodes = part_side(shape, space, weights)
            self._check(nodes)
            if side != UNDECIDED:
                return Decision(side, steps=nodes)
        elif Search.takes(agreement, log_theta):
            search = Search(agreement, alpha)
            search.narrow_by(log_theta, NEAR, self.budget)
            self._check(search.nodes)
            if (wide_side := search.side_of(log_theta, NEAR)) is not None:
                return Decision(wide_side, steps=search.nodes, log_bounds=search.log_bounds)
        return self.decide_by_value(agreement, alpha, log_theta, theta)

    def decide_by_value(
        self, agreement: Agreement, alpha: float, log_theta: float, theta: float | Fraction | None
    ) -> Decision:
        """Compare the whole sum with theta; exactly, if it is near."""
        estimate = self.log_sum(agreement, alpha)
        if abs(estimate.log_sum - log_theta) > NEAR:
            return Decision(int(estimate.log_sum > log_theta), steps=estimate.steps)
        total = exact_sum(self.counts(agreement), alpha)
        reached = total >= Fraction(theta) if theta is not None else log_of(total) >= log_theta
        return Decision(int(reached), steps=estimate.steps)

    def counts(self, agreement: Agreement) -> dict[int, int]:
        """How many subsets of the example's attributes have each net: the sum for every alpha at once.

        Parameters
        ----------
        agreement : Agreement
            The example against the log.

        Returns
        -------
        dict
            How many subsets have each net.

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
            tally, visited = _tally(part, agreement.reach, self.budget - nodes)
            nodes += visited
            self._check(nodes)
            for net in np.flatnonzero(tally).tolist():
                value = net - agreement.reach
                counts[value] = counts.get(value, 0) + (int(tally[net]) << part.free)
        return {net: count for net, count in sorted(counts.items()) if count}

    def log_sums(self, log: MistakeLog, X: npt.ArrayLike, alpha: float, n_jobs: int = 1) -> Floats:
        """Logarithms of the weighted sums of many rows, by `n_jobs` threads; any number gives the same floats.

        Examples
        --------
        >>> log = MistakeLog(2)
        >>> log.append([1, 2], +1)
        >>> np.exp(Exact().log_sums(log, [[1, 2], [1, 1], [0, 0]], alpha=1.5)).round(9)
        array([6. , 5. , 1.5])
        """
        rows = np.ascontiguousarray(X, dtype=np.int32)
        sums = np.zeros(len(rows))
        _check_alpha(alpha)
        if log.reach > LARGEST_REACH:
            sums[:] = [self.log_sum(Agreement.of(log, x), alpha).log_sum for x in rows]
            return sums
        powers = powers_of(alpha, log.reach)

        @let_overflow
        def run(part: slice) -> None:
            nodes, ended = np.zeros((2, len(rows[part])), dtype=np.int64)
            space = space_for(len(log), log.n_attributes)
            out = Sums(sums[part], nodes, ended)
            row_sums(log.arrays, rows[part], space, (powers, self.budget), out)
            if (over := nodes[ended == OVER_BUDGET]).size:
                self._check(int(over[0]))
            for i in np.flatnonzero(ended != DONE):
                sums[part][i] = self.log_sum(Agreement.of(log, rows[part][i]), alpha).log_sum

        in_threads(run, len(rows), n_jobs)
        return sums

    def labels(
        self,
        log: MistakeLog,
        X: npt.ArrayLike,
        alpha: float,
        log_theta: float,
        *,
        theta: float | Fraction | None = None,
        n_jobs: int = 1,
    ) -> Ints:
        """Decide many rows, by `n_jobs` threads: 1 where the weighted sum is at least theta, else 0.

        Examples
        --------
        >>> log = MistakeLog(2)
        >>> log.append([1, 2], +1)
        >>> Exact().labels(log, [[1, 2], [1, 1], [0, 0]], alpha=1.5, log_theta=math.log(5))
        array([1, 1, 0])
        """
        rows = np.ascontiguousarray(X, dtype=np.int32)
        labels = np.full(len(rows), UNDECIDED)
        _check_alpha(alpha)
        powers = powers_of(alpha, log.reach)

        @let_overflow
        def run(part: slice) -> None:
            if log.reach <= LARGEST_REACH:
                nodes = np.zeros(len(rows[part]), dtype=np.int64)
                space = space_for(len(log), log.n_attributes)
                weights = powers, log_theta, self.budget
                row_sides(log.arrays, rows[part], space, weights, Sides(labels[part], nodes))
                self._check(int(nodes.max(initial=0)))
            for i in np.flatnonzero(labels[part] == UNDECIDED):
                agreement = Agreement.of(log, rows[part][i])
                labels[part][i] = self.decide(agreement, alpha, log_theta, theta=theta).label

        in_threads(run, len(rows), n_jobs)
        return labels

    def bounds(
        self, log: MistakeLog, X: npt.ArrayLike, alpha: float, log_slack: npt.ArrayLike, n_jobs: int = 1
    ) -> tuple[Floats, Floats]:
        """Logarithms of bounds of the weighted sums of many rows, each the tighter the smaller its `log_slack`.

        The slack is what one branch of the search may be uncertain by; infinite bounds say that floats do not do.

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
        low, high = np.full(len(rows), -math.inf), np.full(len(rows), math.inf)
        _check_alpha(alpha)
        if log.reach > LARGEST_REACH:
            return low, high
        powers = powers_of(alpha, log.reach)

        @let_overflow
        def run(part: slice) -> None:
            nodes = np.zeros(len(rows[part]), dtype=np.int64)
            space = space_for(len(log), log.n_attributes)
            out = Bounds(low[part], high[part], nodes)
            row_bounds(log.arrays, (rows[part], slacks[part]), space, (powers, self.budget), out)
            self._check(int(nodes.max(initial=0)))
            for i in np.flatnonzero(np.isinf(high[part])):
                agreement = Agreement.of(log, rows[part][i])
                if agreement.n_live > WIDE and Search.takes(agreement, slacks[part][i]):
                    search = Search(agreement, alpha)
                    search.narrow_to(0.0, self.budget, slacks[part][i] + math.log(_SLACKS))
                    self._check(search.nodes)
                    low[part][i], high[part][i] = search.log_bounds

        in_threads(run, len(rows), n_jobs)
        return low, high

    @property
    def budget(self) -> int:
        """Most nodes a sum may take, as a number."""
        return NO_BUDGET if self.max_nodes is None else self.max_nodes

    def _check(self, nodes: int) -> None:
        if nodes > self.budget:
            raise BudgetExceeded(nodes, self.budget)


def _check_alpha(alpha: float) -> None:
    if not 1 < alpha < math.inf:
        raise ValueError(f"alpha must be > 1 and finite, got {alpha}")


def _tally(part: Piece, reach: int, max_nodes: int) -> tuple[Ints, int]:
    """Count one piece by net, net ``-reach`` first; and the nodes visited."""
    space = make_space(len(part.nets), part.live, tally_reach=reach)
    space.sets[: len(part.nets)], space.nets[: len(part.nets)] = part.sets, part.nets
    open_root(space, len(part.nets), part.live)
    _, nodes = branch(space, 0, np.empty(0), max_nodes)
    return space.tally, nodes
