"""Which pairs of columns get terms, where a table has too many columns for all of them.

All pairs of 65 columns have terms. A wider table, or one whose categories make too many terms, has those of the pairs
that promise something: the residuals of the model of single columns, on rows held out, depend on the cells of the pair
by more than on those of either column (compare FAST: Lou, Caruana, Gehrke & Hooker 2013). So memory and the time of an
epoch stay bounded, and every term can still be named, unlike those of hashed tables.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.special import gammaincc

from winnowkit.dnf.kernels.pair_gains import pair_gains
from winnowkit.dnf.kernels.problem import Codes, Floats, Ints
from winnowkit.dnf.kernels.soft_terms import Cells, Layout, count_literals
from winnowkit.dnf.soft_learners import STEP, by_column, shares_of
from winnowkit.dnf.term_layout import MOST_TERMS, Encoded, Pairs, TableCells, cell_counts, make_layout, n_terms

MOST_PAIRS = 2_080
"""All pairs of 65 columns."""
BY_CHANCE = 1.0
"""So many pairs that tell nothing are taken, on average: others would share the score with those that matter, and the
rows held out, which the choice has seen, would not show the harm."""
MOST_COLUMNS = 1_000
"""Pairs are formed of so many columns: of more, those are taken whose cells tell most by themselves."""
GROUPS = 4
"""Ordered cells are joined to so many groups, of about equally many cells, to look for pairs."""
MOST_VISITS = 1_000_000_000
"""Rows times pairs times classes that are looked at: some of the rows, where there are more."""


def needs_choice(table: TableCells, max_literals: int) -> bool:
    """Tell whether only some pairs of columns can have terms."""
    if max_literals != 2:
        return False
    n_useful = len(_useful(*cell_counts(next(table.each())[0])))
    return n_useful * (n_useful - 1) // 2 > MOST_PAIRS or table.for_terms(max_literals) is None


def terms_of_pairs(table: TableCells, scores: Floats, targets: Ints, weights: Floats) -> tuple[Encoded, Layout] | None:
    """Choose cuts and pairs: coarser cuts first, then fewer pairs, until the terms are few enough.

    Parameters
    ----------
    table : TableCells
        The rows.
    scores, targets, weights : array
        As for :func:`rank_pairs`.

    Returns
    -------
    encoded : (CategoryEncoder, array of int)
        The fitted encoder, and the cells of the rows.
    layout : Layout
        The places of the terms. None in place of both if single columns have too many terms.
    """
    encoder, cells = next(table.each())
    ranked, found = rank_pairs(cells, *cell_counts(encoder), scores, targets, weights), None
    for encoded in table.each():
        n_ordered, n_other = cell_counts(encoded[0])
        left = MOST_TERMS // table.n_learners - n_terms(n_ordered.tolist(), n_other.tolist(), 2, [])
        pairs = take_pairs(ranked, n_ordered, n_other, left)
        if left >= 0:
            found = encoded, make_layout(n_ordered, n_other, 2, pairs)
        if left >= 0 and len(pairs) == min(len(ranked), MOST_PAIRS):
            break
    return found


def rank_pairs(
    cells: Codes, n_ordered: Ints, n_other: Ints, scores: Floats, targets: Ints, weights: Floats
) -> list[tuple[int, int]]:
    """List the pairs of columns that promise something, the best first.

    Parameters
    ----------
    cells : array of int, shape (rows, columns)
        Cells, as the encoder numbers them.
    n_ordered, n_other : array of int, shape (columns,)
        The number of ordered and of unordered cells of each column.
    scores : array of float, shape (learners, rows)
        Scores by single columns, each from models that did not learn from the row.
    targets : array of int, shape (rows,)
        The code of the class of each row.
    weights : array of float, shape (rows,)
        The weight of each row.

    Returns
    -------
    list of (int, int)
        Pairs of columns.
    """
    residuals, variances = _residuals(scores, targets, weights)
    useful = _useful(n_ordered, n_other)
    groups, n_groups = _groups(by_column(cells), n_ordered, n_other)
    if len(useful) > MOST_COLUMNS:
        known = weights * (targets - float(targets @ weights / weights.sum()))
        told = [_told_by(groups[j], known) for j in useful]
        useful = np.sort(useful[np.argsort(told)[::-1][:MOST_COLUMNS]])
    n_visits = len(useful) ** 2 // 2 * residuals.size
    rows = slice(None, None, max(1, round(n_visits / MOST_VISITS)))
    gains, means, spread = pair_gains(
        np.ascontiguousarray(groups[useful][:, rows]),
        n_groups[useful],
        np.ascontiguousarray(residuals[:, rows]),
        np.ascontiguousarray(variances[:, rows]),
        STEP.prior_rows / 4.0,
    )
    pairs = list(combinations(useful.tolist(), 2))
    order = np.argsort(-gains, kind="stable")
    likely = _by_chance(gains, means, spread * _dependence(len(scores))) * len(pairs)
    return [pairs[i] for i in order[likely[order] < BY_CHANCE].tolist()]


def take_pairs(ranked: Pairs, n_ordered: Ints, n_other: Ints, most_terms: int) -> list[tuple[int, int]]:
    """Take the first pairs, as many as are allowed, but for those whose terms do not fit any more; in order of columns.

    Examples
    --------
    >>> take_pairs([(0, 2), (0, 1), (1, 2)], np.array([0, 0, 0]), np.array([2, 50, 2]), most_terms=110)
    [(0, 1), (0, 2)]
    """
    sizes = [count_literals(int(a), int(b), 1) for a, b in zip(n_ordered, n_other, strict=True)]
    taken: list[tuple[int, int]] = []
    for i, j in ranked:
        if len(taken) == MOST_PAIRS:
            break
        if sizes[i] * sizes[j] <= most_terms:
            taken.append((i, j))
            most_terms -= sizes[i] * sizes[j]
    return sorted(taken)


def _by_chance(gains: Floats, means: Floats, variances: Floats) -> Floats:
    """Compute the probability of such a gain or more if a pair tells nothing: a sum of squares, by its two moments.

    Examples
    --------
    >>> _by_chance(np.array([24.996 - 15]), np.array([15.0]), np.array([30.0])).round(3)  # chi square, 15 degrees
    array([0.05])
    """
    safe = np.maximum(variances, 1e-12)
    likely: Floats = gammaincc(means**2 / safe, np.maximum(gains + means, 0.0) * means / safe)
    return likely


def _dependence(n_learners: int) -> float:
    """Compute the factor of the variance for learners whose residuals add up to 0 in each row."""
    return 1.0 if n_learners == 1 else n_learners / (n_learners - 1)


def _useful(n_ordered: Ints, n_other: Ints) -> Ints:
    """List the columns that have literals."""
    return np.flatnonzero((n_ordered > 1) | (n_other > 0))


def _residuals(scores: Floats, targets: Ints, weights: Floats) -> tuple[Floats, Floats]:
    """Compute the weighted residuals of rows, by learner, and their variances."""
    shares = shares_of(scores[0] if len(scores) == 1 else scores.T).T[-len(scores) :]
    classes = np.arange(2 - len(scores) if len(scores) == 1 else 0, 2 if len(scores) == 1 else len(scores))
    residuals: Floats = weights * (shares - (targets == classes[:, None]))
    return residuals, weights**2 * shares * (1.0 - shares)


def _groups(cells: Cells, n_ordered: Ints, n_other: Ints) -> tuple[Cells, Ints]:
    """Join ordered cells to few groups, and return the groups of the rows by column, with the number of groups."""
    groups, n_groups = np.empty_like(cells), np.empty(len(cells), dtype=np.int64)
    for j, column in enumerate(cells):
        n, few = int(n_ordered[j]), min(int(n_ordered[j]), GROUPS)
        joined = np.concatenate([[0], 1 + np.arange(n) * few // max(n, 1), few + 1 + np.arange(int(n_other[j]))])
        groups[j], n_groups[j] = joined[column], 1 + few + int(n_other[j])
    return groups, n_groups


def _told_by(groups: Cells, residuals: Floats) -> float:
    """Compute how much sums of residuals by group differ from 0, in terms of the rows of the group."""
    sums, rows = np.bincount(groups, residuals), np.bincount(groups)
    return float(np.sum(sums**2 / (rows + STEP.prior_rows)))
