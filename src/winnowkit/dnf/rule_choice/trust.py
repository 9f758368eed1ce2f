"""Asks a model about the rows by which rules are chosen: how far to trust their labels, or which further rows to add.

Rules that are chosen by labels alone explain the noise in them, too. A model that sums over all terms is less misled by
it, so each row counts as much as the model believes its label. For two classes that is the same as taking the mean of
the label and of the model's probabilities for what each row says: covering a row of class 1 then gains
(1 + p) / 2 - (1 - p) / 2 = p.

Where labels are right, rules soon make no error on the rows, and rules with many different bounds make none. Which of
them are best is seen by more rows, and a model that hardly errs can label them: mixtures of rows and their neighbours.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Self

import numpy as np

from winnowkit.data.column_builder import warned_already
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.choose import fit_soft
from winnowkit.dnf.fit_settings import CUT_SHORT, FitSettings
from winnowkit.dnf.kernels.problem import Codes, Floats, Ints
from winnowkit.dnf.table_fit import TableTask
from winnowkit.dnf.term_layout import TableCells, n_terms

MAX_EPOCHS = 100
"""The most passes of a teacher over its rows."""
LITTLE_NOISE = 0.02
"""The error of a model on rows held out below which labels are taken to be right."""
MIXED_PER_ROW, NEAREST, MOST_ROWS = 5, 10, 2_000
"""The mixed rows for each row, the number of its neighbours that they are mixed with, and the most rows of a table that
needs them."""
LONGEST, TERMS_PER_ROW = 2, 200
"""The most literals of the terms of a teacher, and the most terms for each row: with more, it would take longer than
the search for rules does."""


class Teacher(NamedTuple):
    """Trains models like the one whose rules are chosen, for rows of which others are held out.

    Parameters
    ----------
    encoder : CategoryEncoder
        Encodes the columns; copies of it are fitted.
    max_literals : int
        The length of the longest term.
    n_classes : int
        The number of classes.
    n_jobs : int
        The number of threads.
    labels_are_right : bool
        Whether labels are trusted, and further rows are made.
    """

    encoder: CategoryEncoder
    max_literals: int
    n_classes: int
    n_jobs: int
    labels_are_right: bool = False

    @classmethod
    def like(cls, encoder: CategoryEncoder, max_literals: int, n_classes: int, n_jobs: int, n_rows: int) -> Self:
        """Make a teacher with terms as long as those of the model, or shorter ones if those are long or many."""
        n_ordered, n_cells = encoder.n_ordered_, encoder.n_categories_
        n_other, max_literals = (n_cells - n_ordered).tolist(), min(max_literals, LONGEST)
        while max_literals > 1 and n_terms(n_ordered.tolist(), n_other, max_literals) > TERMS_PER_ROW * n_rows:
            max_literals -= 1
        return cls(encoder, max_literals, n_classes, n_jobs)

    def taught(
        self, X: Any, targets: Ints, weights: Floats, cells: Codes, n_ordered: Ints, deadline: float = math.inf
    ) -> tuple[Codes, Floats]:
        """Learn from rows, and say how much each counts for each class.

        Parameters
        ----------
        X : table
            The rows.
        targets, weights : array, shape (rows,)
            Their classes and weights.
        cells : array of int, shape (rows, columns)
            Their cells, as the search for rules sees them.
        n_ordered : array of int, shape (columns,)
            The number of ordered cells of each column.
        deadline : float
            The time at which training must end. Where it ends too soon, all labels count alike.

        Returns
        -------
        cells : array of int
            The cells of the rows; if labels are right, those of mixed rows follow.
        counts : array of float, shape (classes, rows)
            How much each row counts for each class.
        """
        counts = counts_of(targets, weights, self.n_classes)
        if len(np.unique(targets)) < self.n_classes:
            return cells, counts
        settings = FitSettings(MAX_EPOCHS, deadline, lambda _: False, np.random.default_rng(0), self.n_jobs, None)
        task = TableTask(
            X,
            targets,
            targets=targets,
            weights=weights,
            n_classes=self.n_classes,
            encoder=self.encoder,
            settings=settings,
        )
        with warned_already():
            model = fit_soft(task, TableCells(self.encoder, X, targets, self.n_classes), self.max_literals)
        if model.ended in CUT_SHORT:  # it would still believe in the most frequent class alone
            return cells, counts
        own = model.encoder.transform(X)
        if not self.labels_are_right:
            shares = in_256ths(model.learners.probabilities(own, self.n_jobs))
            return cells, counts * shares[np.arange(len(targets)), targets]
        if np.average(model.wrong, weights=weights) >= LITTLE_NOISE:
            return cells, counts
        first, sources = mixed(cells, n_ordered, np.random.default_rng(0))
        every = np.arange(cells.shape[1])
        shares = in_256ths(model.learners.probabilities(own[sources, every], self.n_jobs))
        return np.vstack([cells, cells[sources, every]]), np.hstack([counts, weights[first] * shares.T])


def counts_of(targets: Ints, weights: Floats, n_classes: int) -> Floats:
    """Return the weights of rows, each in the line of its class."""
    found: Floats = np.where(targets == np.arange(n_classes)[:, None], weights, 0.0)
    return found


def in_256ths(probabilities: Floats) -> Floats:
    """Round probabilities to 256ths: sums of these are exact, whatever their order.

    Examples
    --------
    >>> in_256ths(np.array([0.9, 0.4])).tolist()
    [0.8984375, 0.3984375]
    """
    found: Floats = np.round(256 * probabilities) / 256
    return found


def mixed(cells: Codes, n_ordered: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Mix each row with some of those nearest to it, a column at a time (Bucila, Caruana & Niculescu-Mizil 2006).

    Parameters
    ----------
    cells : array of int, shape (rows, columns)
        The cells of the rows.
    n_ordered : array of int, shape (columns,)
        The number of ordered cells of each column.
    rng : Generator
        Chooses the rows and the columns.

    Returns
    -------
    first : array of int
        The row that each mixed one begins with.
    sources : array of int, shape (mixed rows, columns)
        The row that the value of each column comes from.
    """
    n_rows, n_columns = cells.shape
    far = np.zeros((n_rows, n_rows), dtype=np.float32)
    for column, most in zip(cells.T.astype(np.float32), n_ordered.tolist(), strict=True):
        numbers = (column >= 1) & (column <= most)
        between = np.abs(column[:, None] - column) / max(most - 1, 1)
        far += np.where(numbers[:, None] & numbers, between, column[:, None] != column)
    np.fill_diagonal(far, np.inf)
    n_near = min(NEAREST, n_rows - 1)
    near = np.argpartition(far, n_near - 1, axis=1)[:, :n_near]
    first = np.repeat(np.arange(n_rows), MIXED_PER_ROW)
    second = near[first, rng.integers(0, n_near, len(first))]
    return first, np.where(rng.random((len(first), n_columns)) < 0.5, first[:, None], second[:, None])
