"""Few cuts between the numbers of a column, for thresholds such as ``age > 40``: even shares and short decimals."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MAX_CUTS = 31
"""The default limit of cuts per column: 32 cells."""


def even_cuts(values: Floats, max_cuts: int = MAX_CUTS) -> Floats:
    """Cut numbers into cells of about equally many rows; a frequent value gets a cell of its own.

    A cut c separates the values x <= c from the values x > c. It lies near the middle between two neighbouring values
    and has as few digits as possible. Each cell contains at least one value. If there are no more than
    ``max_cuts + 1`` distinct values, each of them has a cell of its own.

    A value is frequent if it occurs at least as often as the rows of a cell would be if the other rows were shared out
    evenly among the cells that are left. Where such values and the runs of other values between them need more cells
    than there are, the least frequent ones share cells with their neighbours.

    Parameters
    ----------
    values : float array
        The numbers; NaN is missing.
    max_cuts : int, default=31
        The most cuts.

    Returns
    -------
    float array
        The cuts, increasing.

    Examples
    --------
    >>> even_cuts(np.array([18.0, 25.0, 33.0, 47.0, 52.0, 70.0]), 2)
    array([30., 50.])
    >>> even_cuts(np.array([0.0] * 90 + [1200.5, 3400.25, 7688.0, 99999.0]), 2)
    array([   0., 6000.])
    """
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    n_cells = max_cuts + 1
    if len(distinct) <= n_cells:
        last = np.arange(len(distinct) - 1)
    else:
        last = _last_of_cells(counts.astype(np.int64), n_cells)[:-1]
    return np.array([short_cut(distinct[i], distinct[i + 1]) for i in last.tolist()], dtype=np.float64)


def short_cut(below: float, above: float) -> float:
    """Return the number c with the fewest digits for which below <= c < above, and of these the most central one.

    Examples
    --------
    >>> [short_cut(40, 41), short_cut(79100.3, 79231.7), short_cut(-7, 3), short_cut(0.1, 0.25)]
    [40.0, 79200.0, 0.0, 0.2]
    """
    low, high = float(below), float(above)
    if low >= high:  # neighbouring floats have nothing between
        return low
    middle = low / 2 + high / 2
    largest = max(abs(low), abs(high))
    first = math.floor(math.log10(largest)) + 1
    for exponent in range(first, first - 18, -1):
        for near in (middle, low):
            cut = _rounded(near, exponent)
            if low <= cut < high:
                return cut + 0.0  # not -0.0
    return low


def _rounded(number: float, exponent: int) -> float:
    """Return a number rounded to so many places before the point; infinity if no float is as large."""
    try:
        return round(number, -exponent)
    except OverflowError:
        return math.inf


class _Stretch(NamedTuple):
    """Neighbouring values, the first and the one after the last, that share cells, and how many rows they have."""

    start: int
    stop: int
    rows: int


def _last_of_cells(counts: Integers, n_cells: int) -> Integers:
    """Return the position of the last value of each cell, given the rows of each value."""
    runs = _runs(counts, n_cells)
    cells = [1] * len(runs)
    for _ in range(n_cells - len(runs)):
        fullest = max(range(len(runs)), key=lambda r: _rows_per_cell(runs[r], cells[r]))
        cells[fullest] += 1
    ends = np.cumsum(counts)
    parts = [_even_ends(ends, run, n) for run, n in zip(runs, cells, strict=True)]
    return np.concatenate(parts)


def _rows_per_cell(run: _Stretch, n_cells: int) -> float:
    """Return the rows per cell of a run, or 0 if it cannot be cut further."""
    return run.rows / n_cells if n_cells < run.stop - run.start else 0.0


def _runs(counts: Integers, n_cells: int) -> list[_Stretch]:
    """Split the values into at most `n_cells` runs: frequent values, and the values between them."""
    frequent = _frequent(counts, n_cells)
    by_count = frequent[np.argsort(-counts[frequent], kind="stable")]
    for n_alone in range(len(by_count), -1, -1):
        alone = by_count[:n_alone]
        starts = np.unique(np.concatenate([[0], alone, alone + 1, [len(counts)]])).astype(np.int64)
        if len(starts) - 1 <= n_cells:
            break
    rows = np.concatenate([[0], np.cumsum(counts)])[starts]
    return [_Stretch(a, b, r) for (a, b), r in zip(pairwise(starts.tolist()), np.diff(rows).tolist(), strict=True)]


def _frequent(counts: Integers, n_cells: int) -> Integers:
    """Return the values that have at least an even share of the rows that more frequent values leave."""
    order = np.argsort(-counts, kind="stable")[: n_cells - 1]
    left = int(counts.sum())
    for n_found, rows in enumerate(counts[order].tolist()):
        if rows * (n_cells - n_found) < left:
            return order[:n_found]
        left -= rows
    return order


def _even_ends(ends: Integers, run: _Stretch, n_cells: int) -> Integers:
    """Return the last value of each of `n_cells` cells of a run, given the rows up to the end of each value."""
    found = np.empty(n_cells, dtype=np.int64)
    before = int(ends[run.start - 1]) if run.start else 0
    total, at = before + run.rows, run.start
    for cell in range(n_cells - 1):
        left = n_cells - cell
        target = before + (total - before) / left
        last = run.stop - left  # one value at least for each later cell
        place = int(np.searchsorted(ends, target))
        if place > at and target - ends[place - 1] <= ends[place] - target:
            place -= 1
        place = min(max(place, at), last)
        found[cell], before, at = place, int(ends[place]), place + 1
    found[-1] = run.stop - 1
    return found
