"""How far the label of a row is trusted when rules are chosen: by the probability that a model gives it.

Rules that are chosen by labels alone explain the noise in them, too. A model that sums over all terms is less misled by
it, so each row counts as much as the model believes its label. For two classes that is the same as taking the mean of
the label and of the model's probabilities for what each row says: covering a row of class 1 then gains
(1 + p) / 2 - (1 - p) / 2 = p.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Self

import numpy as np

from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.choose import fit_soft
from winnowkit.dnf.fit_settings import FitSettings
from winnowkit.dnf.kernels.problem import Floats, Ints
from winnowkit.dnf.table_fit import TableTask
from winnowkit.dnf.term_layout import TableCells, n_terms

MAX_EPOCHS = 100
"""The most passes of a teacher over its rows."""
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
    """

    encoder: CategoryEncoder
    max_literals: int
    n_classes: int
    n_jobs: int

    @classmethod
    def like(cls, encoder: CategoryEncoder, max_literals: int, n_classes: int, n_jobs: int, n_rows: int) -> Self:
        """Make a teacher with terms as long as those of the model, or shorter ones if those are long or many."""
        n_ordered, n_cells = encoder.n_ordered_, encoder.n_categories_
        n_other, max_literals = (n_cells - n_ordered).tolist(), min(max_literals, LONGEST)
        while max_literals > 1 and n_terms(n_ordered.tolist(), n_other, max_literals) > TERMS_PER_ROW * n_rows:
            max_literals -= 1
        return cls(encoder, max_literals, n_classes, n_jobs)

    def trust(self, X: Any, targets: Ints, weights: Floats, deadline: float = math.inf) -> Floats:
        """Learn from rows, and return the probability of the label of each; ones if a class is absent."""
        if len(np.unique(targets)) < self.n_classes:
            return np.ones(len(targets))
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
        table = TableCells(self.encoder, X, targets, self.n_classes)
        model = fit_soft(task, table, self.max_literals)
        probabilities = model.learners.probabilities(model.encoder.transform(X), self.n_jobs)
        return trusted(probabilities, targets)


def trusted(probabilities: Floats, targets: Ints) -> Floats:
    """Return the probability of the label of each row, in 256ths: sums of these are exact, whatever their order.

    Examples
    --------
    >>> trusted(np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([0, 0])).tolist()
    [0.8984375, 0.3984375]
    """
    found: Floats = np.round(256 * probabilities[np.arange(len(targets)), targets]) / 256
    return found
