"""The trade-off of rules: lists for falling prices, and their accuracy on rows held out from the same search."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from winnowkit.dnf.kernels.problem import Codes, Floats, Ints
from winnowkit.dnf.rule_choice.local_search import LEAST, Candidate, RuleLimits, RulePath
from winnowkit.dnf.rule_choice.merged_rows import RuleTable

HIGHEST_PRICE, FACTOR, LOWEST_PRICE = 0.06, 0.6, 0.25
"""Prices of a rule or condition: the first, as a share of all rows; the factor to the next; and the last, in rows."""
PATIENCE = 2
"""Prices after the most accurate one that are still tried."""
LONG = 200
"""The complexity past which no lower price is tried, unless the user gives a limit: nobody reads so many conditions."""
FEW_ROWS, MANY_ROWS = 1_000, 5_000
"""Tables of fewer rows are split into ten parts, of which each is held out once; those of more rows into three. Each
class beyond two counts the rows once more, as rules are looked for in each."""


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
    table : RuleTable
        The table that rules are chosen by if no row is held out.
    part : callable
        Given which rows are held out, makes the table that rules are chosen by without a look at them; returns it and
        the cells of the rows held out.
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
    table: RuleTable
    part: Callable[[npt.NDArray[np.bool_]], tuple[RuleTable, Codes]]
    limits: RuleLimits
    seed: int
    n_jobs: int
    report: Callable[[int, float], None] = lambda *_: None

    def fold(self, held_out: npt.NDArray[np.bool_]) -> Fold:
        """Make a search by some of the rows, which the others measure."""
        table, cells = self.part(held_out)
        return Fold(RulePath(table, self.limits), held_out, cells)


class Fold(NamedTuple):
    """A search by some of the rows; which rows are held out; and their cells."""

    path: RulePath
    held_out: npt.NDArray[np.bool_]
    cells: Codes


class CurvePoint(NamedTuple):
    """A list, chosen by all rows at some price; and the accuracy of such lists on rows held out."""

    chosen: Candidate
    price: float
    accuracy: float
    standard_error: float
    hits: Floats


def curve(task: CurveTask) -> list[CurvePoint]:
    """Find lists for falling prices until rows held out say that longer ones are no better.

    Parameters
    ----------
    task : CurveTask
        The rows.

    Returns
    -------
    list of CurvePoint
        The points in the order of the prices; at least one.
    """
    parts = parts_of(task.targets, np.random.default_rng(task.seed))
    table, whole = task.table, RulePath(task.table, task.limits)
    folds = [task.fold(parts == k) for k in range(parts.max() + 1)] if parts.max() else []
    paths = [*(fold.path for fold in folds), whole]
    points: list[CurvePoint] = []
    with ThreadPoolExecutor(task.n_jobs) as pool:
        for price in prices_of(len(task.targets)):
            jobs = [pool.submit(path.at, price * path.table.total) for path in paths]
            found = [job.result() for job in jobs]
            if points and task.limits.over:
                break
            right = _measure(task, folds, found) if folds else found[-1].predict(table, task.cells) == task.targets
            points.append(CurvePoint(found[-1], price * table.total, *_share(right, task.weights)))
            task.report(len(points), points[-1].accuracy)
            without_error = [one.wrong(path.table) <= LEAST for path, one in zip(paths, found, strict=True)]
            if _is_over(points) or all(without_error) or (task.limits.is_free and points[-1].chosen.complexity > LONG):
                break
    return points


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
    """The part that each row belongs to, each of which has its share of every class; all zeros if rows are too few.

    Examples
    --------
    >>> targets = np.arange(600)
    >>> [int(parts_of(targets % k, np.random.default_rng(0)).max()) + 1 for k in (2, 3, 19)]
    [10, 5, 3]
    """
    n_rows = len(targets)
    work = n_rows * max(1, len(np.unique(targets)) - 1)
    n_parts = 10 if work < FEW_ROWS else 5 if work < MANY_ROWS else 3
    parts = np.zeros(n_rows, dtype=np.int64)
    if n_rows < 2 * n_parts:
        return parts
    order = rng.permutation(n_rows)
    parts[order[np.argsort(targets[order], kind="stable")]] = np.arange(n_rows) % n_parts
    return parts


def _measure(task: CurveTask, folds: list[Fold], found: list[Candidate]) -> npt.NDArray[np.bool_]:
    """Tell which rows get their label from the rules that were chosen without them."""
    right = np.empty(len(task.targets), dtype=np.bool_)
    for fold, candidate in zip(folds, found, strict=False):
        right[fold.held_out] = candidate.predict(fold.path.table, fold.cells) == task.targets[fold.held_out]
    return right


def _share(right: npt.NDArray[np.bool_], weights: Floats) -> tuple[float, float, Floats]:
    """Return the share of the weight that is right, its standard error, and the hits that make it up."""
    shares = weights / weights.sum()
    accuracy = min(1.0, float(right @ shares))  # a sum of shares, rounded
    return accuracy, math.sqrt(float(((shares * (right - accuracy)) ** 2).sum())), np.where(right, shares, 0.0)


def _is_over(points: list[CurvePoint]) -> bool:
    """Whether the last points were no better than the best, or the last one was much worse."""
    best = max(range(len(points)), key=lambda p: points[p].accuracy)
    worse = points[-1].accuracy < points[best].accuracy - 2 * points[best].standard_error
    grown = {points[p].chosen.complexity for p in range(best + 1, len(points))} - {points[best].chosen.complexity}
    return worse or len(grown) >= PATIENCE
