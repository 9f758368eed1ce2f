"""Weights of all short terms of a table, their sums by cell, and soft updates of them all.

Each column of a table has *cells*: 0 (unspecified), then its ordered cells from low to high, then its unordered ones. A
*literal* of one column is an unordered cell, or a bound: all ordered cells up to a cut, or all above it. A *box* is two
bounds of one column, one from each side. The terms over the same columns form *blocks*: in each column of a block all
terms have one literal (form 1) or a box (form 2). The weights of a block are an array with one axis per column.

Every cell of a column satisfies its literals one way or the other, so both directions are linear and go axis by axis:
from sums over rows by cell to sums by term (:func:`to_terms`), and from weights of terms to their sums by cell
(:func:`to_cells`), the transpose of the former. With bounds as literals these are cumulative sums. A score is then one
look-up per set of columns, and a batch of rows updates all terms at once, at a cost that does not depend on the rows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from winnowkit.core.jit import jit, jit_in_place, jit_uncounted
from winnowkit.dnf.kernels.problem import Floats, Ints, U

Cells = npt.NDArray[np.uint16]

ONE_LITERAL = 1
BOX = 2

BIAS_RATE = 0.1
"""Share of a Newton step that the bias makes per batch."""
FLAT = 30.0
"""Scores beyond are as certain as a float64 can tell."""


class Layout(NamedTuple):
    """Places of cells and terms.

    Table t is about the columns ``columns[t]`` (-1 past its last) and has the cells from ``first_cell[t]`` on, its last
    column running fastest. Its blocks are those from ``first_block[t]`` on; the terms of block b begin at
    ``first_term[b]`` and have the forms ``forms[b]``. Column j has ``n_ordered[j]`` ordered cells and ``n_other[j]``
    unordered ones. In a score, the weights of block b are multiplied by ``share[b]``.
    """

    columns: Ints
    first_cell: Ints
    first_block: Ints
    forms: Ints
    first_term: Ints
    n_ordered: Ints
    n_other: Ints
    share: Floats


class SoftState(NamedTuple):
    """The arrays that soft training changes, with one row per learner.

    ``weights`` are those of the terms, ``by_cell`` their sums by cell, ``bias`` the scores of rows that satisfy none.
    """

    weights: Floats
    by_cell: Floats
    bias: Floats


class Step(NamedTuple):
    """The size of a step: rate, beta of the link, and rows that are added to those that a term covers."""

    rate: float
    beta: float
    prior_rows: float


class Batches(NamedTuple):
    """Batches from `first` up to `last`, which is not among them, of those that the rows of an epoch are split into."""

    first: int
    last: int
    in_epoch: int


def count_literals(n_ordered: int, n_other: int, form: int) -> int:
    """Count the literals (form 1) or boxes (form 2) of a column."""
    n_cuts = max(n_ordered - 1, 0)
    return 2 * n_cuts + n_other if form == ONE_LITERAL else n_cuts * (n_cuts - 1) // 2


n_literals = jit_in_place(count_literals)
"""The same function for kernels."""


@jit_in_place
def to_terms(sums: Floats, outer: int, inner: int, n_ordered: int, n_other: int, form: int, out: Floats) -> None:
    """Turn sums by cell of one axis into sums by literal or box: (outer, cells, inner) to (outer, literals, inner)."""
    n_cells, n_cuts = 1 + n_ordered + n_other, max(n_ordered - 1, 0)
    n_out = n_literals(n_ordered, n_other, form)
    for a in range(outer):
        source, target = a * n_cells * inner, a * n_out * inner
        for i in range(inner):
            at = target + i
            if form == BOX:
                for low in range(1, n_cuts):
                    total = 0.0
                    for high in range(low + 1, n_cuts + 1):
                        total += sums[U(source + high * inner + i)]
                        out[U(at)] = total
                        at += inner
                continue
            total = 0.0
            for u in range(1, n_ordered + 1):
                total += sums[U(source + u * inner + i)]
            below = 0.0
            for cut in range(1, n_cuts + 1):
                below += sums[U(source + cut * inner + i)]
                out[U(at)] = below
                out[U(at + n_cuts * inner)] = total - below
                at += inner
            at += n_cuts * inner
            for u in range(n_ordered + 1, n_cells):
                out[U(at)] = sums[U(source + u * inner + i)]
                at += inner


@jit_in_place
def to_cells(weights: Floats, outer: int, inner: int, n_ordered: int, n_other: int, form: int, out: Floats) -> None:
    """Sum weights by cell along one axis: (outer, literals, inner) to (outer, cells, inner)."""
    n_cells, n_cuts = 1 + n_ordered + n_other, max(n_ordered - 1, 0)
    n_in = n_literals(n_ordered, n_other, form)
    out[: outer * n_cells * inner] = 0.0
    for a in range(outer):
        source, target = a * n_in * inner, a * n_cells * inner
        for i in range(inner):
            at = source + i
            if form == BOX:
                for low in range(1, n_cuts):
                    first = at
                    at += (n_cuts - low) * inner
                    total = 0.0
                    for high in range(n_cuts, low, -1):
                        total += weights[U(first + (high - low - 1) * inner)]
                        out[U(target + high * inner + i)] += total
                continue
            total = 0.0
            for cut in range(n_cuts, 0, -1):
                total += weights[U(at + (cut - 1) * inner)]
                out[U(target + cut * inner + i)] += total
            at += n_cuts * inner
            total = 0.0
            for cut in range(1, n_cuts + 1):
                total += weights[U(at)]
                out[U(target + (cut + 1) * inner + i)] += total
                at += inner
            for u in range(n_ordered + 1, n_cells):
                out[U(target + u * inner + i)] = weights[U(at)]
                at += inner


@jit_uncounted
def terms_of_block(sums: Floats, layout: Layout, table: int, block: int, spare: Floats, out: Floats) -> int:
    """Turn a table's sums by cell into sums by term of a block; return the number of terms. `sums` stays."""
    columns, forms = layout.columns[table], layout.forms[block]
    size, inner, outer = 0, 1, 1
    for axis in range(columns.size):
        if columns[axis] >= 0:
            size += 1
            inner *= 1 + layout.n_ordered[columns[axis]] + layout.n_other[columns[axis]]
    source, here, there = sums, out, spare
    if size % 2 == 0:  # so that the last axis writes into `out`
        here, there = spare, out
    for axis in range(size):
        ordered, other = layout.n_ordered[columns[axis]], layout.n_other[columns[axis]]
        inner //= 1 + ordered + other
        to_terms(source, outer, inner, ordered, other, forms[axis], here)
        outer *= n_literals(ordered, other, forms[axis])
        source = here
        here, there = there, here
    return outer


@jit_uncounted
def cells_of_block(weights: Floats, layout: Layout, table: int, block: int, spare: Floats, out: Floats) -> int:
    """Sum the weights of a block's terms by cell into `out`; return the number of cells. `weights` may be lost."""
    columns, forms = layout.columns[table], layout.forms[block]
    size, outer = 0, 1
    for axis in range(columns.size):
        if columns[axis] >= 0:
            size += 1
            outer *= n_literals(layout.n_ordered[columns[axis]], layout.n_other[columns[axis]], forms[axis])
    source, here, there = weights, out, spare
    if size % 2 == 0:
        here, there = spare, out
    inner = 1
    for axis in range(size - 1, -1, -1):
        ordered, other = layout.n_ordered[columns[axis]], layout.n_other[columns[axis]]
        n_in = n_literals(ordered, other, forms[axis])
        outer = outer // n_in if n_in else 0
        to_cells(source, outer, inner, ordered, other, forms[axis], here)
        inner *= 1 + ordered + other
        source = here
        here, there = there, here
    return inner


@jit_uncounted
def places(X: Cells, layout: Layout, table: int, first: int, last: int, out: Ints) -> None:
    """Find the cell of a table that each of some rows lies in; X has one row per column of the data."""
    base, columns = layout.first_cell[table], layout.columns[table]
    for r in range(last - first):
        out[U(r)] = base
    width = 1
    for axis in range(columns.size - 1, -1, -1):
        j = columns[axis]
        if j < 0:
            continue
        column = X[j]
        for r in range(last - first):
            out[U(r)] += np.int64(column[U(first + r)]) * width
        width *= 1 + layout.n_ordered[j] + layout.n_other[j]


@jit
def add_scores(X: Cells, layout: Layout, state: SoftState, first: int, last: int, out: Floats) -> None:
    """Compute the scores of the rows from `first` on: one row of `out` per learner."""
    where = np.empty(last - first, dtype=np.int64)
    for c in range(state.bias.size):
        out[c, : last - first] = state.bias[c]
    for table in range(layout.columns.shape[0]):
        places(X, layout, table, first, last, where)
        for c in range(state.bias.size):
            by_cell, scores = state.by_cell[c], out[c]
            for r in range(last - first):
                scores[U(r)] += by_cell[U(where[U(r)])]


@jit_uncounted
def to_residuals(scores: Floats, y: Ints, weights: Floats, first: int, n_rows: int) -> None:
    """Replace the scores of rows by the derivatives of their weighted logistic losses."""
    n_learners = scores.shape[0]
    for r in range(n_rows):
        label, weight = y[first + r], weights[first + r]
        if n_learners == 1:
            score = min(max(scores[0, r], -FLAT), FLAT)
            scores[0, r] = weight * (1.0 / (1.0 + math.exp(-score)) - label)
            continue
        top = scores[0, r]
        for c in range(1, n_learners):
            top = max(top, scores[c, r])
        total = 0.0
        for c in range(n_learners):
            scores[c, r] = math.exp(scores[c, r] - top)
            total += scores[c, r]
        for c in range(n_learners):
            scores[c, r] = weight * (scores[c, r] / total - (label == c))


@jit
def count_rows(X: Cells, weights: Floats, layout: Layout, scratch: Floats, out: Floats) -> None:
    """Compute the total weight of the rows that satisfy each term."""
    n_rows = X.shape[1]
    where = np.empty(n_rows, dtype=np.int64)
    sums, spare, terms = scratch[0], scratch[1], scratch[2]
    for table in range(layout.columns.shape[0]):
        places(X, layout, table, 0, n_rows, where)
        sum_by_cell(weights, where, layout.first_cell[table], layout.first_cell[table + 1], n_rows, sums)
        for block in range(layout.first_block[table], layout.first_block[table + 1]):
            n_terms = terms_of_block(sums, layout, table, block, spare, terms)
            copy_to(terms, 0, n_terms, out, layout.first_term[block])


@jit_in_place
def copy_to(values: Floats, first: int, last: int, out: Floats, at: int) -> None:
    """Copy some values to the place `at`; numba's own assignment of slices takes a second to compile."""
    for q in range(last - first):
        out[U(at + q)] = values[U(first + q)]


@jit_uncounted
def sum_by_cell(values: Floats, where: Ints, first_cell: int, last_cell: int, n_rows: int, out: Floats) -> None:
    """Sum one value per row by the cells of a table, whose cells are those from `first_cell` on."""
    out[: last_cell - first_cell] = 0.0
    for r in range(n_rows):
        out[U(where[U(r)] - first_cell)] += values[U(r)]


@jit_uncounted
def update_block(gradient: Floats, pace: Floats, weights: Floats, beta: float, part: float, out: Floats) -> None:
    """Move the weights of a block against the gradient, and copy them to `out`.

    A weight is ``beta * sinh(link)``, and its link moves by d: so the weight becomes ``w cosh d + sqrt(w^2 + beta^2)
    sinh d``. As |d| <= 4 rate, nine terms of the series are exact to 1e-10, and unlike exp they work on several weights
    at once.
    """
    square = beta * beta
    for q in range(weights.size):
        d = -gradient[U(q)] * pace[U(q)] / part
        t = d * d
        cosh = 1.0 + t * (0.5 + t * (1 / 24 + t * (1 / 720 + t / 40320)))
        sinh = d * (1.0 + t * (1 / 6 + t * (1 / 120 + t * (1 / 5040 + t / 362880))))
        w = weights[U(q)]
        w = w * cosh + math.sqrt(w * w + square) * sinh
        weights[U(q)] = w
        out[U(q)] = w


def to_pace(covered: Floats, step: Step) -> None:
    """Replace the weight of the rows that satisfy each term by its pace: Newton's step, for it alone, per gradient."""
    covered[:] = 4.0 * step.rate / (np.where(covered > 0.0, covered, np.inf) + step.prior_rows)


@jit_in_place
def sum_of(values: Floats, first: int, last: int) -> float:
    """Add some values in order; numba's own sum takes longer to compile."""
    total = 0.0
    for r in range(first, last):
        total += values[U(r)]
    return total


@jit
def learn_batches(
    X: Cells,
    y: Ints,
    weights: Floats,
    batches: Batches,
    layout: Layout,
    pace: Floats,
    state: SoftState,
    beta: float,
    scratch: Floats,
) -> None:
    """Learn from some batches of an epoch: all terms are moved after each of them."""
    n_rows, n_learners, n_batches = X.shape[1], state.bias.size, batches.in_epoch
    most = -(-n_rows // n_batches)
    residuals, where = np.empty((n_learners, most)), np.empty(most, dtype=np.int64)
    sums, spare, terms, new = scratch[0], scratch[1], scratch[2], scratch[3]
    total = sum_of(weights, 0, n_rows)
    for batch in range(batches.first, batches.last):
        first, last = batch * n_rows // n_batches, (batch + 1) * n_rows // n_batches
        if first == last:
            continue
        add_scores(X, layout, state, first, last, residuals)
        to_residuals(residuals, y, weights, first, last - first)
        part = sum_of(weights, first, last) / total
        for c in range(n_learners):
            if part > 0.0:
                state.bias[c] -= BIAS_RATE * 4.0 * sum_of(residuals[c], 0, last - first) / (part * total)
        for table in range(layout.columns.shape[0]):
            places(X, layout, table, first, last, where)
            first_cell, last_cell = layout.first_cell[table], layout.first_cell[table + 1]
            for c in range(n_learners):
                sum_by_cell(residuals[c], where, first_cell, last_cell, last - first, sums)
                by_cell = state.by_cell[c, first_cell:last_cell]
                by_cell[:] = 0.0
                for block in range(layout.first_block[table], layout.first_block[table + 1]):
                    n_terms = terms_of_block(sums, layout, table, block, spare, terms)
                    at = layout.first_term[block]
                    weights_here = state.weights[c, at : at + n_terms]
                    update_block(terms, pace[at : at + n_terms], weights_here, beta, part, new)
                    cells_of_block(new, layout, table, block, spare, terms)
                    share = layout.share[block]
                    for q in range(by_cell.size):
                        by_cell[U(q)] += share * terms[U(q)]


@jit_uncounted
def sum_weights(weights: Floats, layout: Layout, scratch: Floats, out: Floats) -> None:
    """Sum the weights of all terms by cell, as scores have them."""
    spare, terms, new = scratch[1], scratch[2], scratch[3]
    out[:] = 0.0
    for table in range(layout.columns.shape[0]):
        by_cell = out[layout.first_cell[table] : layout.first_cell[table + 1]]
        for block in range(layout.first_block[table], layout.first_block[table + 1]):
            at, end = layout.first_term[block], layout.first_term[block + 1]
            copy_to(weights, at, end, new, 0)
            cells_of_block(new, layout, table, block, spare, terms)
            for q in range(by_cell.size):
                by_cell[U(q)] += layout.share[block] * terms[U(q)]
