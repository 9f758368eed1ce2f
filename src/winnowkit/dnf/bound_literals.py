"""Bounds of numbers as attributes of mistake-driven training, so that its terms can say ``40 < age <= 52``.

A column of ordered cells with m cuts becomes m attributes of two values, "at most the cut" and "above it", and one more
for its special values and missing ones. A row with a number satisfies one literal of each of the m attributes, so that
before any mistake all such rows have the same weighted sum, wherever in the column they lie. With one weight per range
instead, a number in the middle would lie in more ranges than one at the edge. The price is that some terms say the same
("age > 30 and age > 40"): a range then counts as often as there are sets of bounds that amount to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.kernels.problem import Codes, Ints
from winnowkit.dnf.short_term_tables import n_short_terms
from winnowkit.dnf.term_layout import CUTS, cuts_for

AT_MOST, ABOVE = 1, 2
"""The codes of an attribute that stands for a cut."""
TERMS_OF_ROW = 20_000
"""The most terms that a row may satisfy, if terms are short: to update all of them takes some 20 microseconds."""
MOST_ATTRIBUTES = 40
"""The most attributes of a row, if terms are of any length."""


class BoundLiterals:
    """The attributes that the columns of a fitted encoder become.

    Parameters
    ----------
    encoder : CategoryEncoder
        The fitted encoder. Where it gives no ordered cells, each column is one attribute, and nothing changes.

    Attributes
    ----------
    column : array of int
        The column of each attribute.
    cut : array of int
        The number of its cut, from 1; 0 if it stands for the values of the column that have no order.
    n_categories, n_allowed : array of int
        The numbers of its values, and of those that terms may ask for.

    Examples
    --------
    >>> encoder = CategoryEncoder(missing="ignore", numbers="bounds")
    >>> cells = encoder.fit_transform([[23, "a"], [35, "b"], [61, "a"]])
    >>> literals = BoundLiterals(encoder)
    >>> cells.tolist(), literals.codes(cells).tolist()  # two cuts
    ([[1, 1], [2, 2], [3, 1]], [[1, 1, 0, 1], [2, 1, 0, 2], [2, 2, 0, 1]])
    >>> literals.ranges([(0, ABOVE), (1, AT_MOST), (3, 2)])  # column, first and last cell
    [(0, 2, 2), (1, 2, 2)]
    """

    def __init__(self, encoder: CategoryEncoder) -> None:
        self._n_ordered: Ints = encoder.n_ordered_
        n_cuts = np.maximum(self._n_ordered - 1, 0)
        self.column = np.repeat(np.arange(len(n_cuts)), n_cuts + 1)
        self.cut: Ints = np.concatenate([[*range(1, m + 1), 0] for m in n_cuts.tolist()]).astype(np.int64)
        self.n_categories = self._sizes(encoder.n_categories_)
        self.n_allowed = np.where(encoder.n_allowed_[self.column] > 0, self._sizes(encoder.n_allowed_), 0)

    def _sizes(self, n_codes: Ints) -> Ints:
        others = np.maximum(n_codes - self._n_ordered, 0)[self.column]
        return np.where(self.cut > 0, ABOVE, others)

    def codes(self, cells: Codes) -> Codes:
        """Turn the cells of rows into the codes of the attributes; 0 is unspecified."""
        if not self.cut.any():
            return cells
        found = np.empty((len(cells), len(self.cut)), dtype=np.int32)
        for a, (j, cut) in enumerate(zip(self.column.tolist(), self.cut.tolist(), strict=True)):
            cell, n_ordered = cells[:, j], self._n_ordered[j]
            if cut:
                found[:, a] = np.where((cell > 0) & (cell <= n_ordered), np.where(cell <= cut, AT_MOST, ABOVE), 0)
            else:
                found[:, a] = np.maximum(cell - n_ordered, 0)
        return found

    def ranges(self, literals: Iterable[tuple[int, int]]) -> list[tuple[int, int, int]]:
        """Express literals as ranges of cells: a column, its first and its last cell; one range per column."""
        found: dict[int, tuple[int, int]] = {}
        for attribute, code in literals:
            j, cut = int(self.column[attribute]), int(self.cut[attribute])
            n_ordered = int(self._n_ordered[j])
            first, last = found.get(j, (1, n_ordered))
            if not cut:
                found[j] = n_ordered + code, n_ordered + code
            else:
                found[j] = (first, min(last, cut)) if code == AT_MOST else (max(first, cut + 1), last)
        return [(j, first, last) for j, (first, last) in found.items()]

    def literal(self, column: int, cell: int) -> tuple[int, int]:
        """Return the attribute and code of a cell that has no order; raise ValueError for one that has."""
        if cell <= self._n_ordered[column]:
            raise ValueError("a rule known beforehand cannot ask for numbers used with bounds")
        attribute = int(np.flatnonzero((self.column == column) & (self.cut == 0))[0])
        return attribute, int(cell - self._n_ordered[column])


def encode_for_mistakes(
    encoder: CategoryEncoder, X: Any, y: NDArray[Any], max_literals: int | None, **options: bool
) -> tuple[CategoryEncoder, Codes]:
    """Fit a copy of an encoder for mistake-driven training, and return the cells of the rows.

    If numbers are used with bounds, there are as many cuts as leave the sums cheap enough.
    """
    if encoder.numbers != "bounds":
        copy = clone(encoder)
        return copy, copy.fit_transform(X, y, **options)
    for max_cuts in cuts_for(CUTS, len(y)):
        copy = clone(encoder)
        cells = copy.fit_transform(X, y, max_cuts=max_cuts, **options)
        n_attributes = int(np.count_nonzero(BoundLiterals(copy).n_allowed))
        few = n_attributes if max_literals is None else n_short_terms([1] * n_attributes, max_literals)
        if few <= (MOST_ATTRIBUTES if max_literals is None else TERMS_OF_ROW):
            break
    return copy, cells
