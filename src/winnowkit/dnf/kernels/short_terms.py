"""Winnow over the terms of at most k literals, each with a net count in a table.

Literals are numbered, column by column. The term of the literals a_1 < a_2 < ... < a_t is the cell
``C(a_1, 1) + C(a_2, 2) + ... + C(a_t, t)`` of the table's part for size t (the combinatorial number system), so the
terms that differ in their lowest literal alone are neighbours. A sum is a count of terms by net: exact for every alpha.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from winnowkit.core.jit import jit, jit_uncounted
from winnowkit.dnf.kernels.problem import Codes, Floats, Ints, U


class TermCells(NamedTuple):
    """Places of terms' nets: first cell of each size, ``choose[t, a] = C(a, t)``, first literal of each column."""

    first: Ints
    choose: Ints
    literals: Ints


@jit_uncounted
def literals_of(x: Codes, terms: TermCells, numbers: Ints) -> int:
    """Write the numbers of the literals of `x`, ascending; how many there are."""
    size = 0
    for j in range(x.size):
        if x[j] > 0:
            numbers[size] = terms.literals[j] + x[j] - 1
            size += 1
    return size


@jit_uncounted
def first_cell(numbers: Ints, chosen: Ints, size: int, terms: TermCells) -> int:
    """Cell of the term of the chosen literals, the lowest of which counts as 0: the others are ``chosen[1:size]``."""
    cell = terms.first[size]
    for i in range(1, size):
        cell += terms.choose[i + 1, numbers[chosen[i]]]
    return cell


@jit_uncounted
def advance(chosen: Ints, size: int, n_literals: int) -> bool:
    """Next choice of the literals above the lowest, ``chosen[1:size]``, ascending; False after the last."""
    for i in range(1, size):
        limit = chosen[i + 1] if i + 1 < size else n_literals
        if chosen[i] + 1 < limit:
            chosen[i] += 1
            for lower in range(1, i):
                chosen[lower] = lower
            return True
    return False


@jit
def add(x: Codes, net: int, cells: npt.NDArray[np.int32], terms: TermCells) -> None:
    """Add `net` to every term that `x` satisfies."""
    numbers = np.empty(x.size, dtype=np.int64)
    n = literals_of(x, terms, numbers)
    cells[0] += net
    for size in range(1, min(terms.first.size - 1, n) + 1):
        chosen = np.arange(size)
        going = True
        while going:
            cell = first_cell(numbers, chosen, size, terms)
            for a in range(chosen[1] if size > 1 else n):
                cells[U(cell + numbers[U(a)])] += net
            going = advance(chosen, size, n)


@jit
def count(x: Codes, cells: npt.NDArray[np.int32], terms: TermCells, tally: Ints) -> tuple[int, int]:
    """Count the terms that `x` satisfies by net, the middle of `tally`, which is all 0, being net 0.

    Return the lowest and the highest place that is not 0 any more: in a long log, a row has few of all possible nets.
    """
    numbers = np.empty(x.size, dtype=np.int64)
    n, middle = literals_of(x, terms, numbers), tally.size >> 1
    low = high = middle + cells[0]
    tally[low] = 1
    for size in range(1, min(terms.first.size - 1, n) + 1):
        chosen = np.arange(size)
        going = True
        while going:
            cell = first_cell(numbers, chosen, size, terms)
            for a in range(chosen[1] if size > 1 else n):
                place = middle + cells[U(cell + numbers[U(a)])]
                low, high = min(low, place), max(high, place)
                tally[U(place)] += 1
            going = advance(chosen, size, n)
    return low, high


@jit_uncounted
def log_of_tally(tally: Ints, low: int, high: int, log_alpha: float) -> float:
    """Compute the logarithm of the weighted sum of terms counted by net, from place `low` to place `high`."""
    total = 0.0
    for place in range(low, high + 1):
        if tally[place] > 0:
            total += tally[place] * math.exp((place - high) * log_alpha)
    return math.log(total) + (high - (tally.size >> 1)) * log_alpha


@jit
def row_counts(
    X: Codes, cells: npt.NDArray[np.int32], terms: TermCells, reach: int, log_alpha: float, out: Floats
) -> None:
    """Compute the logarithms of the weighted sums of the rows of `X`; no net is further from 0 than `reach`."""
    tally = np.zeros(2 * reach + 1, dtype=np.int64)
    for i in range(len(X)):
        low, high = count(X[i], cells, terms, tally)
        out[i] = log_of_tally(tally, low, high, log_alpha)
        tally[low : high + 1] = 0
