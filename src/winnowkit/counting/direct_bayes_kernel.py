"""One error count for each disjunction of at most k of n literals (Helmbold, Panizza & Warmuth, section 3).

Disjunctions stand in the order of a dictionary: x0, x0 x1, x0 x1 x2, x0 x1 x3, ..., x0 x2, ...; those that begin alike
are neighbours. An example satisfies a disjunction if one of its literals is active. To walk those that it satisfies,
or those that it does not, one visits the disjunctions of absent literals with less than k of them: whatever continues
one by an active literal is satisfied, a whole run of neighbours.

Both the prediction and the update walk whichever are fewer. Instead of adding an error to one side, the update may
subtract one from the other: only differences of error counts matter.
"""

from __future__ import annotations

from math import comb, inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows
from winnowkit.core.jit import jit, jit_uncounted

INVISIBLE = 1e-17  # relative size of a remainder that may be left out of a sum
ERROR = 1e-13  # relative error of a sum, at most
DIRECT_PARAMETERS = np.dtype(
    [
        ("n_features", np.int64),  # attributes seen
        ("n_used", np.int64),  # those that have disjunctions, the first ones
        ("k", np.int64),  # size of the largest disjunctions there are
        ("max_k", np.int64),  # and of the largest ones asked for
        ("max_disjunctions", np.int64),
        ("negations", np.bool_),
        ("noise", np.float64),
        ("always", np.bool_),
        ("margin", np.float64),
        ("random", np.bool_),
        ("seed", np.int64),
    ]
)


def n_disjunctions(n: int, k: int, most: float = inf) -> int:
    """Return the number of disjunctions of 1 to k of n literals; if it exceeds `most`, some number above that.

    Examples
    --------
    >>> n_disjunctions(200, 3)
    1333500
    """
    total = 0
    for size in range(1, min(k, n) + 1):
        total += comb(n, size)
        if total > most:
            break
    return total


class DirectState(NamedTuple):
    """All that a family of one-vs-rest learners knows; kernels change the arrays in place."""

    errors: NDArray[np.int32]  # (learners, disjunctions): minus `base`
    base: NDArray[np.int64]  # (learners,): to be added
    tallies: NDArray[np.int64]  # (learners, room): how many disjunctions have `lowest`, `lowest` + 1, ... errors
    lowest: NDArray[np.int64]  # (learners,)
    positives: NDArray[np.int64]  # (learners,): updates on label 1, the errors of a disjunction that is never true
    counts: NDArray[np.int64]  # (1 + learners, 2): trials and wrong labels; then each learner's updates and mistakes
    parameters: NDArray[np.void]  # one record of DIRECT_PARAMETERS


class ExampleLiterals(NamedTuple):
    """The literals of an example."""

    active: NDArray[np.int64]
    absent: NDArray[np.int64]
    rank: NDArray[np.int64]  # rank[v]: how many active ones are below v, for v up to n


class WeightSides(NamedTuple):
    """Weights of the disjunctions that say 1 and 0 (to one scale), and their difference (to its own)."""

    one: float
    zero: float
    net: float
    net_scale: float  # the difference is net times this, if that does not underflow
    certain: bool  # whether the sign of net is


@jit
def literals(rows: Rows, r: int, n_features: int, negations: bool) -> ExampleLiterals:
    """Return the literals of row r: its attributes, then their complements."""
    n = 2 * n_features if negations else n_features
    is_active = np.zeros(n, np.bool_)
    is_active[n_features:] = True
    for p in range(rows.indptr[r], rows.indptr[r + 1]):
        if rows.data[p] > rows.binarize:
            is_active[rows.indices[p]] = True
            if negations:
                is_active[n_features + rows.indices[p]] = False
    rank = np.zeros(n + 1, np.int64)
    for v in range(n):
        rank[v + 1] = rank[v] + is_active[v]
    active, absent = np.empty(rank[n], np.int64), np.empty(n - rank[n], np.int64)
    for v in range(n):
        if is_active[v]:
            active[rank[v]] = v
        else:
            absent[v - rank[v]] = v
    return ExampleLiterals(active, absent, rank)


def begins(n: int, k: int) -> NDArray[np.int64]:
    """Return where disjunctions begin: entry (r, v) counts those that begin below v with at most r more literals."""
    table = np.zeros((k, n + 1), np.int64)
    sizes = np.ones(k, np.int64)  # sizes[r]: sets of at most r of the literals after v
    for v in range(n, 0, -1):
        table[:, v] = sizes
        sizes[1:] += sizes[:-1].copy()
    return table.cumsum(axis=1)


@jit_uncounted
def fewer_are_satisfied(table: NDArray[np.int64], x: ExampleLiterals) -> bool:
    """Return whether the example satisfies fewer disjunctions than it does not."""
    sizes = table[-1]
    satisfied = sizes[sizes.size - 1 - x.absent.size]  # all but those of the absent literals, were these last
    return 2 * satisfied < sizes[-1]


@jit
def walk(
    errors: NDArray[np.int32],
    table: NDArray[np.int64],
    x: ExampleLiterals,
    satisfied: bool,
    change: int,
    lowest: int,
    tally: NDArray[np.int64],
) -> None:
    """Tally the errors of the disjunctions that x satisfies, or else of the others; then change them.

    `path` is a disjunction of less than k absent literals, as positions in `x.absent`; it goes through all of them.
    """
    k, active, absent = table.shape[0], x.active, x.absent
    path, starts = np.empty(k, np.int64), np.empty(k + 1, np.int64)
    depth, last, starts[0] = 0, -1, -1
    while True:
        more = table[k - 1 - depth]  # by the literal that comes next
        begin = starts[depth] + 1 - more[last + 1]
        position = last + 1 - x.rank[last + 1]  # of the next absent literal
        if not satisfied and depth > 0:
            visit(errors, starts[depth], starts[depth] + 1, change, lowest, tally)
        if depth == k - 1:
            following = active[x.rank[last + 1] :] if satisfied else absent[position:]
            visit_some(errors, begin, following, change, lowest, tally)
            position = absent.size
        elif satisfied:
            for p in range(x.rank[last + 1], active.size):
                visit(errors, begin + more[active[p]], begin + more[active[p] + 1], change, lowest, tally)
        while position == absent.size:  # put the next absent literal in place of the last
            if depth == 0:
                return
            depth -= 1
            position = path[depth] + 1
        path[depth] = position
        more = table[k - 1 - depth]
        after = 0 if depth == 0 else absent[path[depth - 1]] + 1
        last = absent[position]
        starts[depth + 1] = starts[depth] + 1 + more[last] - more[after]
        depth += 1


@jit_uncounted
def visit(errors: NDArray[np.int32], start: int, stop: int, change: int, lowest: int, tally: NDArray[np.int64]) -> None:
    """Tally the error counts of some neighbours, then change them."""
    for p in range(start, stop):
        tally[p & 3, errors[p] - lowest] += 1  # four tallies by turns: one would wait for its own last addition
        if change != 0:
            errors[p] += np.int32(change)


@jit_uncounted
def visit_some(
    errors: NDArray[np.int32],
    begin: int,
    places: NDArray[np.int64],
    change: int,
    lowest: int,
    tally: NDArray[np.int64],
) -> None:
    """Tally the error counts at some places, then change them."""
    for p in range(places.size):
        place = begin + places[p]
        tally[p & 3, errors[place] - lowest] += 1
        if change != 0:
            errors[place] += np.int32(change)


@jit_uncounted
def shift(total: NDArray[np.int64], part: NDArray[np.int64], change: int) -> None:
    """Update the tally of all disjunctions after the errors of a part of them have changed by 1 or -1."""
    for e in range(part.size):
        if part[e] != 0:
            total[e] -= part[e]
            total[e + change] += part[e]


@jit_uncounted
def weigh(total: NDArray[np.int64], part: NDArray[np.int64], satisfied: bool, log_beta: float) -> WeightSides:
    """Sum the weights beta^errors on both sides, given the tallies of all disjunctions and of one side.

    The difference of the two sides is an integer for each number of errors: only integers cancel.
    """
    one, zero, net, spread = 0.0, 0.0, 0.0, 0.0
    first = net_first = -1
    left = total.sum()
    for e in range(total.size):
        if total[e] == 0:
            continue
        ones = part[e] if satisfied else total[e] - part[e]
        zeros = total[e] - ones
        first = e if first < 0 else first
        weight = np.exp(log_beta * (e - first))
        one += ones * weight
        zero += zeros * weight
        if ones != zeros:
            net_first = e if net_first < 0 else net_first
            net_weight = np.exp(log_beta * (e - net_first))
            net += (ones - zeros) * net_weight
            spread += abs(ones - zeros) * net_weight
            left -= total[e]
            if left * net_weight < INVISIBLE * abs(net) and left * weight < INVISIBLE * min(one, zero):
                break
        else:
            left -= total[e]
    if spread == 0.0:
        return WeightSides(one, zero, 0.0, 1.0, True)
    return WeightSides(one, zero, net, np.exp(log_beta * (net_first - first)), abs(net) > ERROR * spread)
