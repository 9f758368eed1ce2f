"""The result of soft training: weights of terms, and a score per class, made of one look-up per set of columns."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_softmax, softmax

from winnowkit.core.multiclass import chosen, n_learners_for
from winnowkit.dnf.kernels.problem import Floats, Ints
from winnowkit.dnf.kernels.soft_terms import (
    BOX,
    Batches,
    Cells,
    Layout,
    SoftState,
    Step,
    add_scores,
    count_rows,
    learn_batches,
    places,
    sum_weights,
    to_pace,
)
from winnowkit.dnf.term_layout import MOST_TERMS, make_layout, n_terms, scratch_for

STEP = Step(rate=0.1, beta=10.0, prior_rows=100.0)
"""Small steps; the weights of a term grow like those of gradient descent up to about 10, and by factors above."""
BLOCK = 16_384
"""Rows that are scored at a time."""
ONLINE_BATCH = 1_000
"""Rows that move all terms together when learning on line."""


class RangeTerm(NamedTuple):
    """A conjunction of ranges: its literals, as (column, first cell, last cell), and what it adds to the score.

    Parameters
    ----------
    literals : tuple of (int, int, int)
        Columns, and the first and last cell of each that satisfies the term.
    added : float
        The part of the score that the term adds where it holds: a logarithm of odds.

    Examples
    --------
    >>> term = RangeTerm(((0, 2, 3), (1, 1, 1)), added=0.5)
    >>> term.covers(np.array([[2, 1], [1, 1], [3, 2]]))
    array([ True, False, False])
    """

    literals: tuple[tuple[int, int, int], ...]
    added: float

    def covers(self, cells: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """Tell which rows of cells satisfy all literals."""
        covered = np.ones(len(cells), dtype=np.bool_)
        for column, first, last in self.literals:
            covered &= (cells[:, column] >= first) & (cells[:, column] <= last)
        return covered


class SoftTables:
    """The weights of all terms of a layout, and their sums by cell, from which rows are scored.

    Parameters
    ----------
    layout : Layout
        Places of the terms.
    weights : array of float, shape (learners, terms)
        The weights of the terms.
    bias : array of float, shape (learners,)
        The scores of a row that satisfies no term.
    """

    def __init__(self, layout: Layout, weights: Floats, bias: Floats) -> None:
        self.layout, self.weights = layout, weights
        by_cell = np.zeros((len(bias), int(layout.first_cell[-1])))
        scratch = scratch_for(layout)
        for c in range(len(bias)):
            sum_weights(weights[c], layout, scratch, by_cell[c])
        self._state = SoftState(np.empty((len(bias), 0)), by_cell, bias)

    @property
    def bias(self) -> Floats:
        """The scores of a row that satisfies no term."""
        return self._state.bias

    @property
    def by_cell(self) -> Floats:
        """The sums of the weights by cell, as scores have them: one row per learner."""
        return self._state.by_cell

    def scores(self, cells: npt.NDArray[np.integer], n_jobs: int = 1) -> Floats:
        """Compute the scores of rows, as an array of shape (learners, rows)."""
        columns = by_column(cells)
        out = np.empty((len(self.bias), columns.shape[1]))
        compute_scores(columns, self.layout, self._state, out, n_jobs)
        return out


class SoftLearners:
    """Scores of classes over all terms of at most `max_literals` literals.

    With two classes there is one learner, whose score is the logarithm of the odds of class 1; with more, one per
    class, and the probabilities are a softmax of the scores.

    Parameters
    ----------
    n_ordered, n_other : array of int, shape (columns,)
        The number of ordered and of unordered cells of each column.
    max_literals : int
        The length of the longest term.
    tables : SoftTables
        The weights of the terms.
    """

    def __init__(self, n_ordered: Ints, n_other: Ints, max_literals: int, tables: SoftTables) -> None:
        self.n_ordered, self.n_other = n_ordered, n_other
        self.max_literals = min(max_literals, most_literals(len(n_ordered)))
        self._tables = tables

    @property
    def n_learners(self) -> int:
        """The number of learners: one for two classes, else one per class."""
        return len(self._tables.bias)

    # --- predicting --------------------------------------------------------------------------------------------------

    def predict(self, cells: npt.NDArray[np.integer], n_jobs: int = 1) -> Ints:
        """Predict the class of each row."""
        return chosen(self._tables.scores(cells, n_jobs).T)

    def decisions(self, cells: npt.NDArray[np.integer], n_jobs: int = 1) -> Floats:
        """Compute the scores, as an array of shape (rows, learners)."""
        return self._tables.scores(cells, n_jobs).T

    def probabilities(self, cells: npt.NDArray[np.integer], n_jobs: int = 1) -> Floats:
        """Compute the probabilities, as an array of shape (rows, classes)."""
        scores = self._tables.scores(cells, n_jobs)
        return shares_of(scores[0] if len(scores) == 1 else scores.T)

    # --- learning on line ---------------------------------------------------------------------------------------------

    @classmethod
    def blank(cls, n_ordered: Ints, n_other: Ints, max_literals: int, n_classes: int) -> Self:
        """Make learners that have seen nothing."""
        layout = make_layout(n_ordered, n_other, max_literals)
        n_learners = n_learners_for(n_classes)
        tables = SoftTables(layout, np.zeros((n_learners, int(layout.first_term[-1]))), np.zeros(n_learners))
        return cls(n_ordered, n_other, max_literals, tables)

    def after(self, cells: npt.NDArray[np.integer], targets: Ints) -> tuple[Self, Ints]:
        """Make the learners that further rows make of these, and return the classes predicted before each update.

        The rows are taken in order, in batches of up to `ONLINE_BATCH`, each of which moves all terms once.
        """
        layout, scratch = self._tables.layout, scratch_for(self._tables.layout)
        state = SoftState(self._tables.weights.copy(), self._tables.by_cell.copy(), self._tables.bias.copy())
        predicted = np.empty(len(targets), dtype=np.int64)
        pace = np.empty(int(layout.first_term[-1]))
        for first in range(0, len(targets), ONLINE_BATCH):
            some = slice(first, first + ONLINE_BATCH)
            rows, labels = by_column(cells[some]), np.ascontiguousarray(targets[some])
            scores, ones = np.empty((len(state.bias), len(labels))), np.ones(len(labels))
            add_scores(rows, layout, state, 0, len(labels), scores)
            predicted[some] = chosen(scores.T)
            count_rows(rows, ones, layout, scratch, pace)
            to_pace(pace, STEP)
            learn_batches(rows, labels, ones, Batches(0, 1, 1), layout, pace, state, STEP.beta, scratch)
        tables = SoftTables(layout, state.weights, state.bias)
        return type(self)(self.n_ordered, self.n_other, self.max_literals, tables), predicted

    # --- looking into the model --------------------------------------------------------------------------------------

    def added(self, c: int) -> Floats:
        """Compute how much each term adds to the score of learner `c` where it holds."""
        layout = self._tables.layout
        shares: Floats = np.repeat(layout.share, np.diff(layout.first_term)) * self._tables.weights[c]
        return shares

    def terms(self, positions: Sequence[int] | Ints, c: int) -> list[RangeTerm]:
        """The terms at these positions, with what they add to the score of learner `c`."""
        added = self.added(c)
        return [RangeTerm(self._literals(int(position)), float(added[position])) for position in positions]

    def totals(self, cells: npt.NDArray[np.integer], values: Floats) -> Floats:
        """Sum a value per row over the rows that satisfy each term: one sum per term."""
        layout = self._tables.layout
        out = np.empty(int(layout.first_term[-1]))
        count_rows(by_column(cells), np.ascontiguousarray(values, dtype=np.float64), layout, scratch_for(layout), out)
        return out

    def parts(self, cells: npt.NDArray[np.integer], c: int) -> tuple[list[tuple[int, ...]], Floats]:
        """Split the score of learner `c` by sets of columns: the sets, and an array of shape (sets, rows).

        Together with the bias they add up to the score.
        """
        layout, columns = self._tables.layout, by_column(cells)
        where, out = np.empty(columns.shape[1], dtype=np.int64), np.empty((len(layout.columns), columns.shape[1]))
        for table in range(len(layout.columns)):
            places(columns, layout, table, 0, columns.shape[1], where)
            out[table] = self._tables.by_cell[c, where]
        return [tuple(j for j in row if j >= 0) for row in layout.columns.tolist()], out

    def bias(self, c: int) -> float:
        """The score of learner `c` for a row that satisfies no term."""
        return float(self._tables.bias[c])

    def _literals(self, position: int) -> tuple[tuple[int, int, int], ...]:
        """The ranges of the term at a position."""
        layout = self._tables.layout
        block = int(np.searchsorted(layout.first_term, position, side="right")) - 1
        table = int(np.searchsorted(layout.first_block, block, side="right")) - 1
        columns = [j for j in layout.columns[table].tolist() if j >= 0]
        ranges = [
            _ranges(int(self.n_ordered[j]), int(self.n_other[j]), int(form))
            for j, form in zip(columns, layout.forms[block], strict=False)
        ]
        within = np.unravel_index(position - int(layout.first_term[block]), [len(some) for some in ranges])
        return tuple((j, *some[int(i)]) for j, some, i in zip(columns, ranges, within, strict=True))

    # --- saving ------------------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """Return the weights, and the numbers that their layout follows from."""
        columns = self._tables.layout.columns
        pairs = columns[columns[:, -1] >= 0] if columns.shape[1] == 2 else np.empty((0, 2), dtype=np.int64)
        n_alone = len(columns) - len(pairs)
        all_pairs = self.max_literals != 2 or len(pairs) == n_alone * (n_alone - 1) // 2
        some = {} if all_pairs else {"pairs": pairs}
        return some | {
            "n_ordered": self.n_ordered,
            "n_other": self.n_other,
            "max_literals": self.max_literals,
            "weights": self._tables.weights,
            "bias": self._tables.bias,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a saved model; the state comes from a file and may be anything."""
        ordered, other, longest = state["n_ordered"], state["n_other"], state["max_literals"]
        weights, bias = state["weights"], state["bias"]
        counts_fit = (
            isinstance(ordered, np.ndarray)
            and isinstance(other, np.ndarray)
            and ordered.ndim == 1
            and ordered.shape == other.shape
            and ordered.dtype == other.dtype == np.int64
            and min(ordered.min(initial=0), other.min(initial=0)) >= 0
            and (ordered + other).max(initial=0) < np.iinfo(np.uint16).max
            and type(longest) is int
            and 1 <= longest <= most_literals(len(ordered))
        )
        pairs = None
        if counts_fit and "pairs" in state:
            counts_fit = longest == 2 and _are_pairs(state["pairs"], ordered + other)
            pairs = [(i, j) for i, j in state["pairs"].tolist()] if counts_fit else None
        if not counts_fit or n_terms(ordered.tolist(), other.tolist(), longest, pairs) > MOST_TERMS:
            raise ValueError("the columns of soft tables do not have these cells")
        shape = (len(bias), n_terms(ordered.tolist(), other.tolist(), longest, pairs))
        if (
            weights.shape != shape
            or bias.ndim != 1
            or not len(bias)
            or weights.dtype != np.float64
            or bias.dtype != np.float64
            or not (np.isfinite(weights).all() and np.isfinite(bias).all())
        ):
            raise ValueError("the weights of soft tables do not belong to these columns")
        tables = SoftTables(make_layout(ordered, other, longest, pairs), weights, bias)
        self.__init__(ordered, other, longest, tables)  # type: ignore[misc]  # it is the same class


def most_literals(n_columns: int) -> int:
    """Return a length that no term exceeds: a column has at most a range, which is two literals."""
    return max(2, 2 * n_columns)


def _are_pairs(pairs: Any, n_cells: Ints) -> bool:
    """Tell whether these are pairs of columns that have cells, each once and in order."""
    return bool(
        isinstance(pairs, np.ndarray)
        and pairs.dtype == np.int64
        and pairs.ndim == 2
        and pairs.shape[1] == 2
        and ((pairs >= 0) & (pairs < len(n_cells))).all()
        and (pairs[:, 0] < pairs[:, 1]).all()
        and (np.diff(pairs @ [len(n_cells), 1]) > 0).all()
        and n_cells[pairs].min(initial=1) > 0
    )


def by_column(cells: npt.NDArray[np.integer]) -> Cells:
    """Lay out the cells of rows column by column, as the kernels read them."""
    return np.ascontiguousarray(cells.T, dtype=np.uint16)


def compute_scores(X: Cells, layout: Layout, state: SoftState, out: Floats, n_jobs: int = 1) -> None:
    """Compute the scores of all rows, a block of them at a time."""
    starts = range(0, X.shape[1], BLOCK)

    def block(first: int) -> None:
        last = min(first + BLOCK, X.shape[1])
        add_scores(X, layout, state, first, last, out[:, first:last])

    if n_jobs == 1 or len(starts) < 2:
        for first in starts:
            block(first)
    else:
        with ThreadPoolExecutor(n_jobs) as pool:
            list(pool.map(block, starts))


def shares_of(values: Floats) -> Floats:
    """Return probabilities of classes, given logarithms of odds (rows,) or of shares (rows, classes).

    The larger one of two is that of the sign, also where rounding would make them equal.

    Examples
    --------
    >>> shares_of(np.array([0.0, np.log(3)]))
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    >>> int(shares_of(np.array([1e-300])).argmax())
    1
    """
    if values.ndim == 1:
        above = np.maximum(expit(values), np.where(values > 0, np.nextafter(0.5, 1.0), 0.0))
        return np.stack([1.0 - above, above], axis=1)
    shares: Floats = softmax(values, axis=1)
    return shares


def losses_of(scores: Floats, targets: Ints) -> Floats:
    """Compute the logistic loss of each row, given scores of shape (learners, rows)."""
    losses: Floats
    if len(scores) == 1:
        losses = np.logaddexp(0.0, np.where(targets == 1, -scores[0], scores[0]))
    else:
        losses = -log_softmax(scores, axis=0)[targets, np.arange(len(targets))]
    return losses


def calibration(scores: Floats, targets: Ints, weights: Floats, *, shifted: bool = True) -> tuple[float, float]:
    """Find the factor of the scores, and perhaps the shift of a single one, with the least logistic loss (Platt 1999).

    Two further rows, one right and one wrong at the mean distance from 0, keep the factor finite where all rows are
    right. The loss is convex, so that Newton's method with halved steps finds the least. The factor stays positive.
    """
    two_class = len(scores) == 1
    if two_class:
        sides = (2 * targets - 1) * scores[0]  # the loss is log(1 + e^-(scale side + shift sign))
        signs = (2.0 * targets - 1.0).astype(np.float64)
    else:
        others = scores.copy()
        others[targets, np.arange(len(targets))] = -np.inf
        sides = scores[targets, np.arange(len(targets))] - others.max(axis=0)  # against the best rival
        signs = np.zeros(len(targets))
    typical = float(np.abs(sides) @ weights / weights.sum())
    sides, signs = np.append(sides, [typical, -typical]), np.append(signs, [0.0, 0.0])
    weights = np.append(weights, [1.0, 1.0])
    features = np.stack([sides, signs]) if two_class and shifted else sides[None]
    at = np.eye(len(features))[0]

    def loss(at: Floats) -> float:
        return float(np.logaddexp(0.0, -(at @ features)) @ weights)

    present = loss(at)
    for _ in range(50):
        wrong = 1.0 / (1.0 + np.exp(np.clip(at @ features, -30, 30)))
        hessian = (features * (weights * wrong * (1 - wrong))) @ features.T + 1e-9 * np.eye(len(features))
        step = np.linalg.solve(hessian, features @ (weights * wrong))
        tries = [at + step / 2**halvings for halvings in range(12)]
        better = next((new for new in tries if new[0] > 0.0 and loss(new) < present), None)
        if better is None or present - loss(better) < 1e-9 * weights.sum():
            break
        at, present = better, loss(better)
    return float(at[0]), float(at[1]) if len(at) > 1 else 0.0


def _ranges(n_ordered: int, n_other: int, form: int) -> list[tuple[int, int]]:
    """First and last cells of the literals or boxes of a column, in the order of the kernels."""
    if form == BOX:
        return [(low + 1, high) for low in range(1, n_ordered) for high in range(low + 1, n_ordered)]
    below = [(1, cut) for cut in range(1, n_ordered)]
    above = [(cut + 1, n_ordered) for cut in range(1, n_ordered)]
    return [*below, *above, *((cell, cell) for cell in range(n_ordered + 1, n_ordered + n_other + 1))]
