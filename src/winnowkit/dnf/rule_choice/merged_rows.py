"""Rows and columns as the choice of rules sees them: identical rows merged, with the weight of each class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from winnowkit.dnf.kernels.problem import Codes, Floats, Ints
from winnowkit.dnf.kernels.rule_search import ABOVE, AT_MOST, EQUAL, RuleCells, SearchLimits, search

Literals = tuple[tuple[int, int, int], ...]
"""The conditions of a rule, sorted: (column, kind, cell)."""

WIDTH = 16
"""Members of the beam: wider ones find rules that fit the rows better, and other rows no better."""


class RuleColumns(NamedTuple):
    """The cells of the columns.

    Parameters
    ----------
    n_ordered, n_cells : array of int, shape (columns,)
        The numbers of ordered cells and of all cells of each column; the ordered ones come first.
    monotonic : array of int, shape (columns,)
        1 if class 1 may only become more likely as the column grows, -1 if less likely, else 0.
    """

    n_ordered: Ints
    n_cells: Ints
    monotonic: Ints

    def allowed(self, c: int) -> Ints:
        """Which kinds of conditions rules for class `c` may have on each column: one bit per kind.

        Rules that respect a monotonic constraint compare with lower bounds only, or with upper bounds only. Then a
        growing value makes rules for class 1 begin to hold and rules for class 0 cease to, or the other way round; so
        the constraint holds for each list of such rules, whatever their order and default.
        """
        bounds = np.where(self.n_ordered > 1, 1 << AT_MOST | 1 << ABOVE, 0)
        bits = bounds | np.where(self.n_cells > self.n_ordered, 1 << EQUAL, 0)
        direction = self.monotonic if c == 1 else -self.monotonic
        rising, falling = bounds & (1 << ABOVE), bounds & (1 << AT_MOST)
        found: Ints = np.where(direction > 0, rising, np.where(direction < 0, falling, bits)).astype(np.int64)
        return found


class RuleTable:
    """Rows to choose rules by.

    Parameters
    ----------
    cells : array of int, shape (rows, columns)
        The cells of the rows.
    weights : array of float, shape (classes, rows)
        The weight of each row, in the line of its class; 0 in the others.
    columns : RuleColumns
        The cells of the columns.

    Examples
    --------
    >>> columns = RuleColumns(np.array([3, 0]), np.array([3, 2]), np.zeros(2, dtype=np.int64))
    >>> cells = np.array([[1, 1], [2, 1], [3, 1], [3, 2], [3, 2]])
    >>> table = RuleTable(cells, np.array([[1.0, 0, 0, 1, 1], [0, 1, 1, 0, 0]]), columns)
    >>> table.n_rows, table.best(table.weights[1] - table.weights[0], 1, price=0.25, max_literals=2)
    (4, ((0, 1, 1), (1, 2, 1)))
    >>> table.covers(((0, 1, 1), (1, 2, 1)), cells).tolist()
    [False, True, True, False, False]
    """

    def __init__(self, cells: Codes, weights: Floats, columns: RuleColumns) -> None:
        distinct, place = np.unique(cells, axis=0, return_inverse=True)
        place = place.reshape(-1)
        self.codes, self.columns = np.ascontiguousarray(distinct), columns
        self.weights: Floats = np.stack([np.bincount(place, line, minlength=len(distinct)) for line in weights])
        self.total = float(weights.sum())
        first = np.concatenate([[0], np.cumsum(columns.n_cells + 1)]).astype(np.int64)
        marks = np.random.default_rng(0).integers(1, 2**63, len(distinct), dtype=np.uint64)
        places = distinct + first[:-1]
        small = places.astype(np.uint16) if first[-1] <= 2**16 else places.astype(np.uint32)
        self._cells = RuleCells(small, first, columns.n_ordered, marks)
        self._allowed = [columns.allowed(c) for c in range(len(weights))]

    @property
    def n_rows(self) -> int:
        """The number of distinct rows."""
        return len(self.codes)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.weights)

    def best(
        self,
        gains: Floats,
        c: int,
        *,
        price: float,
        max_literals: int,
        wrong_cost: float = 1.0,
        like: Literals = (),
    ) -> Literals | None:
        """Find the term for class `c` with the largest gain over the rows, less its price; None if none gains anything.

        `like` is a term to start from, too: each of its conditions is replaced by others.
        """
        starts = np.zeros((len(like), max_literals, 3), dtype=np.int64)
        for k in range(len(like)):
            rest = like[:k] + like[k + 1 :]
            starts[k, : len(rest)] = np.reshape(rest, (len(rest), 3))
        lengths = np.full(len(like), max(len(like) - 1, 0), dtype=np.int64)
        limits = SearchLimits(max_literals, WIDTH, price, wrong_cost)
        found = search(self._cells, gains, self._allowed[c], limits, starts, lengths).tolist()
        return tuple(sorted((column, kind, cell) for column, kind, cell in found)) or None

    def covers(self, term: Literals, cells: Codes | None = None) -> npt.NDArray[np.bool_]:
        """Tell which of the distinct rows, or of other rows, satisfy a term."""
        codes = self.codes if cells is None else cells
        covered = np.ones(len(codes), dtype=np.bool_)
        for first, last, column in self.ranges(term):
            covered &= (codes[:, column] >= first) & (codes[:, column] <= last)
        return covered

    def ranges(self, term: Literals) -> Sequence[tuple[int, int, int]]:
        """Return the first and last cells of a term, and their columns; each column occurs once."""
        found: dict[int, tuple[int, int]] = {}
        for column, kind, cell in term:
            first, last = found.get(column, (1, int(self.columns.n_ordered[column])))
            if kind == EQUAL:
                found[column] = cell, cell
            else:
                found[column] = (first, cell) if kind == AT_MOST else (cell + 1, last)
        return [(first, last, column) for column, (first, last) in found.items()]
