"""Winnow over the terms of at most k literals: every net in a table, so that a sum takes O(n^k)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from winnowkit.core.progress import Progress
from winnowkit.dnf.engine import Engine
from winnowkit.dnf.epochs import Demand, Run
from winnowkit.dnf.estimate import Estimate
from winnowkit.dnf.exact import Exact
from winnowkit.dnf.kernels.agree import Codes, Floats, Ints
from winnowkit.dnf.kernels.bounded import Terms, add, count, row_counts
from winnowkit.dnf.kernels.threshold import NEAR
from winnowkit.dnf.learners import Learners
from winnowkit.dnf.log import MistakeLog
from winnowkit.dnf.log_arithmetic import exact_sum
from winnowkit.dnf.resources import in_threads

MOST_CELLS = 1 << 28
"""Largest tables of all learners together, in cells of four bytes."""

MOST_LITERALS = 1 << 22
MOST_REACH = 1 << 26
"""Largest net of a log from a file: a count by net takes memory in it."""


def n_short_terms(n_categories: npt.ArrayLike, max_literals: int) -> int:
    """How many terms have at most so many literals: elementary symmetric sums of the numbers of categories.

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
    """Size of a table: a little more than the number of terms."""
    n_literals = int(np.sum(n_categories))
    return sum(math.comb(n_literals, size) for size in range(max_literals + 1))


def check_size(n_categories: npt.ArrayLike, max_literals: int, n_learners: int = 1) -> None:
    """Refuse tables that would not fit into memory."""
    cells = n_learners * n_cells(n_categories, max_literals)
    if cells > MOST_CELLS or np.sum(n_categories) > MOST_LITERALS:
        raise ValueError(
            f"max_literals={max_literals} needs tables of {cells:,} terms, more than {MOST_CELLS:,}; "
            "lower it, forbid columns, or do without it (None sums over all terms by branching)"
        )


class ShortLog(MistakeLog):
    """A log of mistakes that keeps the net of every term of at most `max_literals` literals.

    Parameters
    ----------
    n_categories : array of int
        Categories of each attribute.
    max_literals : int
        Longest term.
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
        """How many terms that `x` satisfies have each net: the sum for every alpha at once."""
        tally = np.zeros(2 * self.reach + 1, dtype=np.int64)
        count(self._known(self.check(x)), self._cells, self._terms, tally)
        return {int(net) - self.reach: int(tally[net]) for net in np.flatnonzero(tally)}

    def log_sums(self, X: Codes, alpha: float, n_jobs: int = 1) -> Floats:
        """Logarithms of the weighted sums of the rows."""
        rows, sums = self._known(np.ascontiguousarray(X, dtype=np.int32)), np.zeros(len(X))

        def run(part: slice) -> None:
            row_counts(rows[part], self._cells, self._terms, self.reach, math.log(alpha), sums[part])

        in_threads(run, len(rows), n_jobs)
        return sums

    def _known(self, codes: Codes) -> Codes:
        """Codes as they are; refuses others than the table has room for, as kernels trust them."""
        if codes.shape[-1] != self.n_attributes or (codes > self.n_categories).any():
            raise ValueError(f"codes must be at most {self.n_categories.tolist()} in these columns")
        return codes

    def _blank(self) -> ShortLog:
        return ShortLog(self.n_categories, self.max_literals, self.max_mistakes)

    def _begin_table(self) -> None:
        n_literals, sizes = int(self.n_categories.sum()), range(self.max_literals + 1)
        self._terms = Terms(
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

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """As that of any log; the table is made anew after a failure."""
        try:
            with super().transaction():
                yield
        except BaseException:
            self._fill_table()
            raise

    def _fill_table(self) -> None:
        self._begin_table()
        for row, net in zip(self.codes, self.nets.tolist(), strict=True):
            add(row, net, self._cells, self._terms)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the table, which follows from the log."""
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
    """Make the table of ``C(a, size)``, a row a size up to `most`, for a up to n."""
    table = np.ones((most + 1, n + 1), dtype=np.int64)
    for size in range(1, most + 1):
        table[size, 0] = 0
        np.cumsum(table[size - 1, :-1], out=table[size, 1:])
    return table


class ShortLearners(Learners):
    """Winnows over the terms of at most `max_literals` literals; sums are exact, and so are ties.

    Parameters
    ----------
    n_learners, alpha, theta, max_mistakes
        As for :class:`Learners`.
    n_categories : array of int
        Categories of each attribute.
    max_literals : int
        Longest term.

    Examples
    --------
    >>> X = np.array([[a, b, c] for a in (1, 2) for b in (1, 2) for c in (1, 2)])
    >>> y = np.array([int(a == 1 and b == 2) for a, b, c in X])
    >>> learners = ShortLearners(1, [2, 2, 2], 2, alpha=1.5, theta=n_short_terms([2, 2, 2], 2))
    >>> learners.fit(X, y, max_epochs=10).n_mistaken, learners.predict(X).tolist() == y.tolist()
    (4, True)
    """

    logs: list[ShortLog]  # type: ignore[assignment]  # the same, with more to it

    def __init__(
        self,
        n_learners: int,
        n_categories: npt.ArrayLike,
        max_literals: int,
        alpha: float,
        theta: float | Fraction,
        max_mistakes: int | None = None,
    ) -> None:
        check_size(n_categories, max_literals, n_learners)
        super().__init__(n_learners, len(np.asarray(n_categories)), alpha, theta, Exact(), max_mistakes)
        self.logs = [ShortLog(n_categories, max_literals, max_mistakes) for _ in range(n_learners)]

    def predict(self, X: Codes, n_jobs: int = 1) -> Ints:
        """Class of each row."""
        if len(self.logs) == 1:
            return self._sides(0, X, n_jobs)
        sums = self.log_sums(X, n_jobs=n_jobs)
        return np.array([self._largest(x, values)[0] for x, values in zip(X, sums, strict=True)], dtype=np.int64)

    def log_sums(self, X: Codes, engine: Engine | None = None, n_jobs: int = 1) -> Floats:
        """Logarithms of the weighted sums, (rows, learners)."""
        if engine is not None:
            raise ValueError(f"with max_literals sums come from tables, not from {engine!r}; leave engine=None")
        return np.stack([log.log_sums(X, self.alpha, n_jobs) for log in self.logs], axis=1)

    def estimates(self, X: Codes, engine: Engine | None = None, n_jobs: int = 1) -> list[list[Estimate]]:
        """An estimate for each row and learner; all of them are exact."""
        return [[Estimate(value) for value in row] for row in self.log_sums(X, engine, n_jobs).tolist()]

    def _run(self, c: int, X: Codes, target: Ints, progress: Progress, demand: Demand) -> Run:
        """Make what presents all rows once; a row whose sum cannot have crossed theta since is not summed again."""
        step, n_rows = math.log(self.alpha), len(X)
        sums, ups, downs = np.full(n_rows, math.nan), np.zeros(n_rows), np.zeros(n_rows)
        left = np.full(n_rows, demand.limit(self._log_ratios(X), self.alpha) or np.inf)

        def side(row: int) -> int:
            low, high = sums[row] - downs[row] * step, sums[row] + ups[row] * step
            log_theta = demand.log_theta(self.log_theta, target[row])
            if low > log_theta + NEAR or high < log_theta - NEAR:  # never true of a row not yet summed
                return int(low > log_theta)
            sums[row] = self.logs[c].log_sums(X[row : row + 1], self.alpha)[0]
            ups[row] = downs[row] = 0
            return int(sums[row] >= log_theta) if demand.margin else self._side(c, X[row], float(sums[row]))

        def run(order: Ints | None) -> list[int]:
            wrong, log = [], self.logs[c]
            for row in range(n_rows) if order is None else order.tolist():
                if left[row] and side(row) != target[row]:
                    forgotten = log.n_forgotten
                    log.append(X[row], 1 if target[row] else -1)
                    (ups if target[row] else downs)[:] += 1
                    left[row] -= 1
                    if log.n_forgotten > forgotten:
                        sums[:] = math.nan
                    wrong.append(row)
                progress.rows(1)
            return wrong

        return run

    def _log_ratios(self, X: Codes) -> Floats:
        n_specified, rows = np.unique(np.count_nonzero(X, axis=1), return_inverse=True)
        longest = self.logs[0].max_literals
        ratios: Floats = self.log_theta - np.log([n_short_terms([1] * int(m), longest) for m in n_specified])[rows]
        return ratios

    def _sides(self, c: int, X: Codes, n_jobs: int) -> Ints:
        sums = self.logs[c].log_sums(X, self.alpha, n_jobs)
        sides: Ints = (sums >= self.log_theta).astype(np.int64)
        for i in np.flatnonzero(np.abs(sums - self.log_theta) <= NEAR):
            sides[i] = exact_sum(self.logs[c].counts(X[i]), self.alpha) >= Fraction(self.theta)
        return sides

    def _largest(self, x: Codes, sums: Floats) -> list[int]:
        near: list[int] = np.flatnonzero(sums >= sums.max() - NEAR).tolist()
        if len(near) == 1:
            return near
        exact = {c: exact_sum(self.logs[c].counts(x), self.alpha) for c in near}
        return [c for c in near if exact[c] == max(exact.values())]
