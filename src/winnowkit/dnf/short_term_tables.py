"""Winnow over the terms of at most k literals: every net is in a table, so that a sum takes O(n^k)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from winnowkit.dnf.agreement import Agreement, exact_sum, log_of_counts
from winnowkit.dnf.answers import Decision, Estimate, Threshold
from winnowkit.dnf.engine import Engine, Logs, Sources, exact_leaders, in_parts
from winnowkit.dnf.kernels.problem import Codes, Floats, Ints
from winnowkit.dnf.kernels.short_terms import TermCells, add, count, row_counts
from winnowkit.dnf.kernels.threshold import NEAR
from winnowkit.dnf.log import Journal, MistakeLog
from winnowkit.dnf.training import ROWS_AT_ONCE, RandomnessOf, Training, TrainingOptions

MOST_CELLS = 1 << 28
"""Largest tables of all learners together, in cells of four bytes."""

MOST_LITERALS = 1 << 22
MOST_REACH = 1 << 26
"""Largest net of a log from a file: a count by net takes memory in it."""


def n_short_terms(n_categories: npt.ArrayLike, max_literals: int) -> int:
    """Count the terms of at most so many literals: elementary symmetric sums of the numbers of categories.

    Examples
    --------
    >>> n_short_terms([2, 2, 2], max_literals=3), n_short_terms([2, 2, 2], max_literals=1)
    (27, 7)
    """
    sums = [1] + [0] * max_literals
    for k in np.asarray(n_categories).tolist():
        for size in range(max_literals, 0, -1):
            sums[size] += k * sums[size - 1]
    return sum(sums)


def n_cells(n_categories: npt.ArrayLike, max_literals: int) -> int:
    """Compute the size of a table: a little more than the number of terms."""
    n_literals = int(np.sum(n_categories))
    return sum(math.comb(n_literals, size) for size in range(max_literals + 1))


def check_size(
    n_categories: npt.ArrayLike, max_literals: int, n_learners: int = 1, names: Sequence[str] | None = None
) -> None:
    """Raise ValueError for tables that would not fit into memory, and name the columns with the most categories."""
    sizes = np.asarray(n_categories)
    cells = n_learners * n_cells(sizes, max_literals)
    if cells > MOST_CELLS or np.sum(sizes) > MOST_LITERALS:
        largest = np.argsort(-sizes, kind="stable")[:3].tolist()
        shown = ", ".join(f"{j if names is None else names[j]!r} ({sizes[j]:,})" for j in largest)
        raise ValueError(
            f"max_literals={max_literals} needs tables of {cells:,} terms, and at most {MOST_CELLS:,} are allowed. The "
            f"columns with the most categories are {shown}: drop such columns or merge categories, lower max_literals, "
            "or set it to None, which sums over all terms by branching"
        )


class ShortLog(MistakeLog):
    """A log of mistakes that keeps the net of every term of at most `max_literals` literals.

    Parameters
    ----------
    n_categories : array of int
        Number of categories of each attribute.
    max_literals : int
        Length of the longest term.
    max_mistakes : int, optional
        As for :class:`MistakeLog`.

    Examples
    --------
    >>> log = ShortLog([2, 2, 2], max_literals=2)
    >>> log.append([1, 1, 2], +1)
    >>> log.counts(np.array([1, 1, 1]))  # of 7 terms, four do without the third attribute: promoted once
    {0: 3, 1: 4}
    """

    def __init__(self, n_categories: npt.ArrayLike, max_literals: int, max_mistakes: int | None = None) -> None:
        self.n_categories: Ints = np.array(n_categories, dtype=np.int64)
        super().__init__(len(self.n_categories), max_mistakes)
        self.max_literals = min(max_literals, self.n_attributes)
        self._begin_table()

    def counts(self, x: Codes) -> dict[int, int]:
        """Count the terms that `x` satisfies by net: the sum for every alpha at once."""
        tally = np.zeros(2 * self.reach + 1, dtype=np.int64)
        count(self._known(self.check(x)), self._cells, self._terms, tally)
        return {int(net) - self.reach: int(tally[net]) for net in np.flatnonzero(tally)}

    def log_sums(self, X: npt.ArrayLike, alpha: float, n_jobs: int = 1) -> Floats:
        """Compute the logarithms of the weighted sums of the rows."""
        rows = self._known(np.ascontiguousarray(X, dtype=np.int32))
        if n_jobs > 1 and len(rows) > 1:
            return np.concatenate(in_parts(lambda part: self.log_sums(rows[part], alpha), len(rows), n_jobs))
        sums = np.zeros(len(rows))
        row_counts(rows, self._cells, self._terms, self.reach, math.log(alpha), sums)
        return sums

    def _known(self, codes: Codes) -> Codes:
        """Return the codes, but refuse those that the table has no room for, as kernels trust them."""
        if codes.shape[-1] != self.n_attributes or (codes > self.n_categories).any():
            raise ValueError(f"codes must be at most {self.n_categories.tolist()} in these columns")
        return codes

    def _blank(self) -> ShortLog:
        return ShortLog(self.n_categories, self.max_literals, self.max_mistakes)

    def _begin_table(self) -> None:
        n_literals, sizes = int(self.n_categories.sum()), range(self.max_literals + 1)
        self._terms = TermCells(
            first=np.cumsum([0, *(math.comb(n_literals, size) for size in sizes)])[:-1],
            choose=_choose(n_literals, self.max_literals),
            literals=np.concatenate([[0], np.cumsum(self.n_categories)[:-1]]),
        )
        self._cells = np.zeros(n_cells(self.n_categories, self.max_literals), dtype=np.int32)

    def _store(self, row: Codes, net: int, when: int) -> None:
        super()._store(self._known(row), net, when)
        add(row, net, self._cells, self._terms)

    def _change(self, slot: int, net: int, when: int) -> None:
        add(np.ascontiguousarray(self._columns[:, slot]), net - int(self._nets[slot]), self._cells, self._terms)
        super()._change(slot, net, when)

    def _remove(self, slot: int) -> None:
        add(np.ascontiguousarray(self._columns[:, slot]), -int(self._nets[slot]), self._cells, self._terms)
        super()._remove(slot)

    def roll_back(self, checkpoint: Journal) -> None:
        """Undo all changes since the checkpoint, and make the table anew: an interrupt may have left it torn."""
        super().roll_back(checkpoint)
        self._fill_table()

    def _fill_table(self) -> None:
        self._begin_table()
        for row, net in zip(self.codes, self.nets.tolist(), strict=True):
            add(row, net, self._cells, self._terms)

    def __getstate__(self) -> dict[str, Any]:
        """Return everything but the table, which follows from the log."""
        return super().__getstate__() | {"n_categories": self.n_categories, "max_literals": self.max_literals}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        n_categories, max_literals = state.pop("n_categories"), state.pop("max_literals")
        super().__setstate__(state)
        self.n_categories, self.max_literals = n_categories, max_literals
        if (
            n_categories.shape != (self.n_attributes,)
            or not 1 <= max_literals <= self.n_attributes
            or (self.codes > n_categories).any()
            or (n_categories < 0).any()
            or self.reach > MOST_REACH
        ):
            raise ValueError("the examples of a log of short terms do not have these categories")
        check_size(n_categories, max_literals)
        self._fill_table()


def _choose(n: int, most: int) -> Ints:
    """Make the table of ``C(a, size)`` for a up to n, one row per size up to `most`."""
    table = np.ones((most + 1, n + 1), dtype=np.int64)
    for size in range(1, most + 1):
        table[size, 0] = 0
        np.cumsum(table[size - 1, :-1], out=table[size, 1:])
    return table


class ShortTerms(Engine):
    """Exact sums over the terms of at most `max_literals` literals, from tables of their nets.

    The tables belong to the logs that :meth:`new_logs` makes, and batches of rows are summed from them. A single
    :class:`Agreement` knows no table: there, the terms are listed.

    Parameters
    ----------
    n_categories : array of int
        Number of categories of each attribute.
    max_literals : int
        Length of the longest term.

    Examples
    --------
    >>> from winnowkit.dnf.learners import Learners
    >>> X = np.array([[a, b, c] for a in (1, 2) for b in (1, 2) for c in (1, 2)])
    >>> y = np.array([int(a == 1 and b == 2) for a, b, c in X])
    >>> learners = Learners(1, 3, alpha=1.5, theta=n_short_terms([2, 2, 2], 2), engine=ShortTerms([2, 2, 2], 2))
    >>> learners.fit(X, y, max_epochs=10).n_mistaken, learners.predict(X).tolist() == y.tolist()
    (4, True)
    """

    compares_exactly = True
    samples = False
    max_literals: int

    def __init__(self, n_categories: npt.ArrayLike, max_literals: int) -> None:
        self.n_categories: Ints = np.array(n_categories, dtype=np.int64)
        self.max_literals = max_literals

    def __repr__(self) -> str:
        return f"ShortTerms(n_categories={self.n_categories.tolist()}, max_literals={self.max_literals})"

    def new_logs(self, n_logs: int, n_attributes: int, max_mistakes: int | None = None) -> list[MistakeLog]:
        """Make empty logs with tables; refuses tables that would not fit into memory."""
        if n_attributes != len(self.n_categories):
            raise ValueError(f"the tables are for {len(self.n_categories)} attributes, not for {n_attributes}")
        check_size(self.n_categories, self.max_literals, n_logs)
        return [ShortLog(self.n_categories, self.max_literals, max_mistakes) for _ in range(n_logs)]

    # --- one example: by listing terms -------------------------------------------------------------------------------

    def log_sum(self, agreement: Agreement, alpha: float, rng: object = None) -> Estimate:
        """Compute the logarithm of the weighted sum of the short terms; `rng` is not used."""
        return Estimate(log_of_counts(self.counts(agreement), alpha))

    def decide(
        self, agreement: Agreement, threshold: Threshold, guess: int | None = None, rng: object = None
    ) -> Decision:
        """Decide exactly whether the sum of the short terms is at least theta."""
        return Decision(int(threshold.is_reached(exact_sum(self.counts(agreement), threshold.alpha))))

    def counts(self, agreement: Agreement) -> dict[int, int]:
        """Count the terms of at most `max_literals` literals that an example satisfies by net.

        Examples
        --------
        >>> log = MistakeLog(3)
        >>> log.append([1, 1, 2], +1)
        >>> ShortTerms([2, 2, 2], max_literals=2).counts(Agreement.of(log, [1, 1, 1]))
        {0: 3, 1: 4}
        """
        live, free = agreement.n_live, agreement.n_free
        members = agreement.members()
        found: dict[int, int] = {}
        for size in range(min(self.max_literals, live) + 1):
            longer = n_short_terms([1] * free, self.max_literals - size)  # attributes in all sets change no net
            for some in combinations(range(live), size):
                net = int(agreement.nets[members[:, some].all(axis=1)].sum())
                found[net] = found.get(net, 0) + longer
        every = n_short_terms([1] * agreement.n_attributes, self.max_literals)
        found[0] = found.get(0, 0) + every - sum(found.values())  # the others have an attribute that is in no set
        return {net: number for net, number in sorted(found.items()) if number}

    # --- many rows: from the tables of the logs ----------------------------------------------------------------------

    def estimates(
        self, log: MistakeLog, X: npt.ArrayLike, alpha: float, n_jobs: int = 1, *, rng_of: RandomnessOf = None
    ) -> list[Estimate]:
        """Compute the sum of each row; all of them are exact."""
        return [Estimate(value) for value in self.log_sums(log, X, alpha, n_jobs, rng_of=rng_of).tolist()]

    def log_sums(
        self, log: MistakeLog, X: npt.ArrayLike, alpha: float, n_jobs: int = 1, *, rng_of: RandomnessOf = None
    ) -> Floats:
        """Compute the logarithms of the sums of many rows, in `n_jobs` threads."""
        return _with_table(log).log_sums(X, alpha, n_jobs)

    def labels(
        self, log: MistakeLog, X: npt.ArrayLike, threshold: Threshold, n_jobs: int = 1, *, rng_of: RandomnessOf = None
    ) -> Ints:
        """Decide many rows: 1 where the sum is at least theta, else 0."""
        rows, table, (alpha, log_theta, _) = np.ascontiguousarray(X, dtype=np.int32), _with_table(log), threshold
        sums = table.log_sums(rows, alpha, n_jobs)
        labels: Ints = (sums >= log_theta).astype(np.int64)
        for i in np.flatnonzero(np.abs(sums - log_theta) <= NEAR):
            labels[i] = threshold.is_reached(exact_sum(table.counts(rows[i]), alpha))
        return labels

    def largest(
        self, logs: Logs, X: npt.ArrayLike, threshold: Threshold, n_jobs: int = 1, *, rngs: Sources = None
    ) -> Ints:
        """Find the log under which each row has its largest sum; the first one on an exact tie."""
        rows = np.ascontiguousarray(X, dtype=np.int32)
        sums = self.log_sums_by_learner(logs, rows, threshold.alpha, n_jobs, rngs=rngs)
        found = [self.leaders(logs, x, threshold.alpha, values)[0] for x, values in zip(rows, sums, strict=True)]
        return np.array(found, dtype=np.int64)

    def leaders(self, logs: Logs, x: Codes, alpha: float, sums: Floats) -> list[int]:
        """List the logs under which a row has its largest sum; sums almost equal are compared as fractions."""
        return exact_leaders(sums, lambda c: exact_sum(_with_table(logs[c]).counts(x), alpha))

    def first_log_sums(self, X: Codes) -> Floats:
        """Compute the logarithms of the sums before anything is learned: the numbers of short terms."""
        n_specified, rows = np.unique(np.count_nonzero(X, axis=1), return_inverse=True)
        longest = min(self.max_literals, X.shape[1])
        sums: Floats = np.log([n_short_terms([1] * int(m), longest) for m in n_specified])[rows]
        return sums

    def training(
        self, X: npt.ArrayLike, y: npt.ArrayLike, threshold: Threshold, **options: Unpack[TrainingOptions]
    ) -> Training:
        """Prepare training that sums a row again only when its sum may have crossed theta since."""
        return ShortTermTraining(self, X, y, threshold, **options)


class ShortTermTraining(Training):
    """Training from tables: a row whose sum cannot have crossed theta since it was summed is not summed again."""

    def __init__(
        self,
        engine: ShortTerms,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        threshold: Threshold,
        **options: Unpack[TrainingOptions],
    ) -> None:
        super().__init__(engine, X, y, threshold, **options)
        self._table = _with_table(self.log)
        self._step, n_rows = math.log(threshold.alpha), len(self.X)
        self._sums, self._ups, self._downs = np.full(n_rows, math.nan), np.zeros(n_rows), np.zeros(n_rows)

    def _first_mistake(self, rows: Ints) -> tuple[int, int | None]:
        some = rows[:ROWS_AT_ONCE]
        for n_passed, row in enumerate(some.tolist(), start=1):
            if self._side(row) != self.y[row]:
                return n_passed, row
        return some.size, None

    def _side(self, row: int) -> int:
        (alpha, log_theta, _), sums = self._threshold_of(row), self._sums
        low, high = sums[row] - self._downs[row] * self._step, sums[row] + self._ups[row] * self._step
        if low > log_theta + NEAR or high < log_theta - NEAR:  # never true of a row not yet summed
            return int(low > log_theta)
        sums[row] = value = self._table.log_sums(self.X[row : row + 1], alpha)[0]
        self._ups[row] = self._downs[row] = 0
        if self.margin or abs(value - log_theta) > NEAR:
            return int(value >= log_theta)
        return int(self.engine.labels(self.log, self.X[row : row + 1], self.threshold)[0])

    def _learn(self, row: int) -> None:
        forgotten = self.log.n_forgotten
        super()._learn(row)
        (self._ups if self.y[row] else self._downs)[:] += 1
        if self.log.n_forgotten > forgotten:
            self._sums[:] = math.nan


def _with_table(log: MistakeLog) -> ShortLog:
    if not isinstance(log, ShortLog):
        raise TypeError(f"short terms are summed from the tables of their own logs, got {log!r}")
    return log
