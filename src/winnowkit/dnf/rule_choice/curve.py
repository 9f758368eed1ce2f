"""The trade-off of rules: lists for falling prices, and their accuracy on rows held out from the same search."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from winnowkit.dnf.kernels.problem import Codes, Floats, Ints
from winnowkit.dnf.rule_choice.local_search import Candidate, RuleLimits, RulePath
from winnowkit.dnf.rule_choice.table import RuleColumns, RuleTable

HIGHEST_PRICE, FACTOR, LOWEST_PRICE = 0.06, 0.6, 0.25
"""Prices of a rule or condition: the first, as a share of all rows; the factor to the next; and the last, in rows."""
PATIENCE = 2
"""Prices after the most accurate one that are still tried."""
FEW_ROWS, MANY_ROWS = 1_000, 10_000
"""Tables of fewer rows are split into ten parts, of which each is held out once; those of more rows into three."""


class CurveTask(NamedTuple):
    """Rows to choose rules by.

    Parameters
    ----------
    cells : array of int, shape (rows, columns)
        The cells of the rows.
    targets : array of int, shape (rows,)
        Their classes.
    weights : array of float, shape (rows,)
        Their weights.
    n_classes : int
        The number of classes.
    columns : RuleColumns
        The cells of the columns.
    limits : RuleLimits
        The limits of the rules.
    seed : int
        Seed of what is held out.
    n_jobs : int
        The number of threads.
    report : callable
        Is called after each price with the number of prices so far, and the accuracy on rows held out.
    """

    cells: Codes
    targets: Ints
    weights: Floats
    n_classes: int
    columns: RuleColumns
    limits: RuleLimits
    seed: int
    n_jobs: int
    report: Callable[[int, float], None] = lambda *_: None

    def table(self, rows: npt.NDArray[np.bool_] | None = None) -> RuleTable:
        """Make the table of all rows, or of some."""
        chosen = slice(None) if rows is None else rows
        targets, weights = self.targets[chosen], self.weights[chosen]
        lines = np.where(targets == np.arange(self.n_classes)[:, None], weights, 0.0)
        return RuleTable(self.cells[chosen], lines, self.columns)


class CurvePoint(NamedTuple):
    """A list, chosen by all rows at some price; and the accuracy of such lists on rows held out."""

    chosen: Candidate
    price: float
    accuracy: float
    standard_error: float


def curve(task: CurveTask) -> tuple[list[CurvePoint], RuleTable]:
    """Find lists for falling prices until rows held out say that longer ones are no better.

    Parameters
    ----------
    task : CurveTask
        The rows.

    Returns
    -------
    points : list of CurvePoint
        The points in the order of the prices; at least one.
    table : RuleTable
        All rows, with all candidates that were found.
    """
    parts = parts_of(task.targets, np.random.default_rng(task.seed))
    table = task.table()
    whole = RulePath(table, task.limits)
    folds = [RulePath(task.table(parts != k), task.limits) for k in range(parts.max() + 1)] if parts.max() else []
    points: list[CurvePoint] = []
    with ThreadPoolExecutor(task.n_jobs) as pool:
        for price in prices_of(len(task.targets)):
            jobs = [pool.submit(path.at, price * path.table.total) for path in (*folds, whole)]
            found = [job.result() for job in jobs]
            if points and task.limits.over:
                break
            accuracy, error = _measure(task, parts, folds, found) if folds else _on_same_rows(task, found[-1], table)
            points.append(CurvePoint(found[-1], price * table.total, accuracy, error))
            task.report(len(points), accuracy)
            if _is_over(points) or all(
                path.table.total - _right(path.table, candidate) <= 1e-9
                for path, candidate in zip((*folds, whole), found, strict=True)
            ):
                break
    return points, table


def prices_of(n_rows: int) -> list[float]:
    """The prices of a rule or condition, in shares of the weight of all rows.

    Examples
    --------
    >>> [round(price, 4) for price in prices_of(20)]
    [0.06, 0.036, 0.0216, 0.013]
    """
    n_prices = 1 + max(0, math.floor(math.log(LOWEST_PRICE / (HIGHEST_PRICE * n_rows)) / math.log(FACTOR)))
    return [HIGHEST_PRICE * FACTOR**p for p in range(n_prices)]


def parts_of(targets: Ints, rng: np.random.Generator) -> Ints:
    """The part that each row belongs to, each of which has its share of every class; all zeros if rows are too few."""
    n_rows = len(targets)
    n_parts = 10 if n_rows < FEW_ROWS else 5 if n_rows < MANY_ROWS else 3
    parts = np.zeros(n_rows, dtype=np.int64)
    if n_rows < 2 * n_parts:
        return parts
    order = rng.permutation(n_rows)
    parts[order[np.argsort(targets[order], kind="stable")]] = np.arange(n_rows) % n_parts
    return parts


def _measure(task: CurveTask, parts: Ints, folds: list[RulePath], found: list[Candidate]) -> tuple[float, float]:
    """The accuracy on rows held out, and its standard error."""
    right = np.empty(len(parts), dtype=np.bool_)
    for k, fold in enumerate(folds):
        held = parts == k
        right[held] = found[k].predict(fold.table, task.cells[held]) == task.targets[held]
    return _share(right, task.weights)


def _on_same_rows(task: CurveTask, found: Candidate, table: RuleTable) -> tuple[float, float]:
    """The accuracy on the rows that the rules are chosen by, where they are too few to hold any out."""
    return _share(found.predict(table, task.cells) == task.targets, task.weights)


def _share(right: npt.NDArray[np.bool_], weights: Floats) -> tuple[float, float]:
    total = float(weights.sum())
    accuracy = float(right @ weights) / total
    return accuracy, math.sqrt(float((weights * (right - accuracy)) @ (weights * (right - accuracy)))) / total


def _right(table: RuleTable, candidate: Candidate) -> float:
    return table.total - candidate.wrong(table)


def _is_over(points: list[CurvePoint]) -> bool:
    """Whether the last points were no better than the best, or the last one was much worse."""
    best = max(range(len(points)), key=lambda p: points[p].accuracy)
    worse = points[-1].accuracy < points[best].accuracy - 2 * points[best].standard_error
    grown = {points[p].chosen.complexity for p in range(best + 1, len(points))} - {points[best].chosen.complexity}
    return worse or len(grown) >= PATIENCE
