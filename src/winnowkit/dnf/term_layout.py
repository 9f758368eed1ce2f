"""Which terms of at most k literals a table has, where their weights lie, and into which cells numbers are cut."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from winnowkit.core.multiclass import n_learners_for
from winnowkit.data.column_builder import warned_already
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.kernels.problem import Codes, Floats, Ints
from winnowkit.dnf.kernels.soft_terms import BOX, ONE_LITERAL, Layout, count_literals

MOST_TERMS = 1_000_000
"""Terms of one learner: their weights fit into memory, and an update of them all takes a hundredth of a second."""
CUTS = 31, 15, 7, 3, 1
"""The most cuts of a numeric column: the first of these with which the terms are not too many."""
ROWS_PER_CELL = 10
"""Cells of a numeric column have at least so many rows on average."""


Pairs = Sequence[tuple[int, int]]
Encoded = tuple[CategoryEncoder, Codes]
"""A fitted encoder, and the cells of the rows."""


def blocks_of(
    n_ordered: Sequence[int], n_other: Sequence[int], max_literals: int, pairs: Pairs | None = None
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """List the columns and forms of all blocks of terms, tables in order: shorter ones first.

    With `pairs`, terms of several columns are about these pairs alone, and have at most two literals.

    Examples
    --------
    >>> list(blocks_of([3, 0], [0, 2], max_literals=2))
    [((0,), (1,)), ((0,), (2,)), ((1,), (1,)), ((0, 1), (1, 1))]
    >>> list(blocks_of([0, 0, 0], [2, 2, 2], max_literals=2, pairs=[(0, 2)]))[3:]
    [((0, 2), (1, 1))]
    """
    forms_of: dict[int, list[int]] = {}
    for j, (ordered, other) in enumerate(zip(n_ordered, n_other, strict=True)):
        for form in ONE_LITERAL, BOX:
            if count_literals(ordered, other, form):
                forms_of.setdefault(j, []).append(form)
    useful = list(forms_of)
    for size in range(1, min(max_literals, len(useful)) + 1):
        sets: Iterable[tuple[int, ...]] = combinations(useful, size) if size == 1 or pairs is None else pairs
        for columns in sets:
            for forms in product(*(forms_of[j] for j in columns)):
                if sum(forms) <= max_literals:
                    yield columns, forms


def n_terms(n_ordered: Sequence[int], n_other: Sequence[int], max_literals: int, pairs: Pairs | None = None) -> int:
    """Count the terms of at least one literal, those of several columns about these pairs alone, if given.

    Examples
    --------
    >>> n_terms([3, 0], [0, 2], max_literals=2)  # 4 bounds, a box and 2 values; 8 pairs of a bound and a value
    15
    """
    if pairs is not None:
        blocks = blocks_of(n_ordered, n_other, max_literals, pairs)
        return sum(
            math.prod(count_literals(n_ordered[j], n_other[j], form) for j, form in zip(*block, strict=True))
            for block in blocks
        )
    of_length = [1, 0, *([0] * max_literals)]  # one more place, which stands for lengths below 0 and remains 0
    for ordered, other in zip(n_ordered, n_other, strict=True):
        single, box = count_literals(ordered, other, ONE_LITERAL), count_literals(ordered, other, BOX)
        for length in range(max_literals, 0, -1):
            of_length[length] += single * of_length[length - 1] + box * of_length[length - 2]
    return sum(of_length[1:])


def cuts_for(cuts: Sequence[int], n_rows: int) -> list[int]:
    """The most cuts to try: no more than leave enough rows in a cell."""
    return list(dict.fromkeys(min(most, max(1, n_rows // ROWS_PER_CELL)) for most in cuts))


class TableCells:
    """A table whose numbers are cut into cells, as finely as leaves the terms few enough.

    Parameters
    ----------
    encoder : CategoryEncoder
        Copies of it are fitted.
    X, y : table, array
        The training rows and their labels.
    n_classes : int
        The number of classes.
    more_to_come : bool
        Whether these are the first of many rows to learn from.
    """

    def __init__(
        self, encoder: CategoryEncoder, X: Any, y: NDArray[Any], n_classes: int, *, more_to_come: bool = False
    ) -> None:
        self._encoder, self._X, self._y, self._more_to_come = encoder, X, y, more_to_come
        self.n_learners = n_learners_for(n_classes)
        self._known: dict[int, Encoded] = {}  # by the most cuts

    def each(self, cuts: Sequence[int] = CUTS) -> Iterator[Encoded]:
        """Encode the rows, more and more coarsely."""
        for max_cuts in cuts_for(cuts, len(self._y)):
            if max_cuts not in self._known:
                copy = clone(self._encoder).set_params(numbers="bounds")
                with warned_already() if self._known else nullcontext():
                    cells = copy.fit_transform(self._X, self._y, max_cuts=max_cuts, more_to_come=self._more_to_come)
                self._known[max_cuts] = copy, cells
            yield self._known[max_cuts]

    def for_terms(self, max_literals: int, cuts: Sequence[int] = CUTS) -> Encoded | None:
        """Encode the rows with the first number of cuts that leaves the terms few enough; None if none does.

        Parameters
        ----------
        max_literals : int
            The length of the longest term.
        cuts : sequence of int
            The most cuts of a column, in the order in which they are tried.

        Returns
        -------
        encoder : CategoryEncoder
            The fitted encoder.
        cells : array of int, shape (rows, columns)
            The cells of the rows.
        """
        for encoded in self.each(cuts):
            n_ordered, n_other = cell_counts(encoded[0])
            if self.n_learners * n_terms(n_ordered.tolist(), n_other.tolist(), max_literals) <= MOST_TERMS:
                return encoded
        return None


def too_many_terms(max_literals: int) -> ValueError:
    """Return the error for a table that cannot be encoded so that its terms are few enough."""
    return ValueError(
        f"max_literals={max_literals} gives more than {MOST_TERMS:,} terms, even with a single cut per numeric column; "
        "choose fewer literals, or leave out columns"
    )


def cell_counts(encoder: CategoryEncoder) -> tuple[Ints, Ints]:
    """The numbers of ordered and of other cells of each column."""
    return encoder.n_ordered_, encoder.n_categories_ - encoder.n_ordered_


def make_layout(n_ordered: Ints, n_other: Ints, max_literals: int, pairs: Pairs | None = None) -> Layout:
    """Lay out the terms of at most `max_literals` literals over columns with these numbers of cells.

    With `pairs`, those of several columns are about these pairs alone.

    The shares are such that no score of a row exceeds the largest weight of its terms. Every length of term has the
    same part of them; of terms of one length, every block has; of a block, every term.
    """
    blocks = list(blocks_of(n_ordered.tolist(), n_other.tolist(), max_literals, pairs))
    tables = list(dict.fromkeys(columns for columns, _ in blocks))
    most = max((len(columns) for columns in tables), default=1)
    n_cells = [math.prod(1 + int(n_ordered[j] + n_other[j]) for j in columns) for columns in tables]
    sizes = [
        math.prod(
            count_literals(int(n_ordered[j]), int(n_other[j]), form) for j, form in zip(columns, forms, strict=True)
        )
        for columns, forms in blocks
    ]
    place = {columns: t for t, columns in enumerate(tables)}
    blocks_per_table = np.bincount([place[columns] for columns, _ in blocks], minlength=len(tables))
    return Layout(
        columns=_padded([list(columns) for columns in tables], most, -1),
        first_cell=_starts(n_cells),
        first_block=_starts(blocks_per_table.tolist()),
        forms=_padded([list(forms) for _, forms in blocks], most, 0),
        first_term=_starts(sizes),
        n_ordered=np.array(n_ordered, dtype=np.int64),
        n_other=np.array(n_other, dtype=np.int64),
        share=_shares(blocks, n_ordered, n_other),
    )


def scratch_for(layout: Layout) -> Floats:
    """Allocate the scratch memory of one thread."""
    largest = 1
    for table, columns in enumerate(layout.columns):
        for block in range(layout.first_block[table], layout.first_block[table + 1]):
            size = 1
            for j, form in zip(columns, layout.forms[block], strict=True):
                if j >= 0:
                    ordered, other = int(layout.n_ordered[j]), int(layout.n_other[j])
                    size *= max(1 + ordered + other, count_literals(ordered, other, form))
            largest = max(largest, size)
    return np.empty((4, largest))


def _shares(blocks: list[tuple[tuple[int, ...], tuple[int, ...]]], n_ordered: Ints, n_other: Ints) -> Floats:
    """Compute the factor of each block's weights in a score."""
    lengths = np.array([sum(forms) for _, forms in blocks], dtype=np.int64)
    n_blocks = np.bincount(lengths, minlength=1)
    n_lengths = max(np.count_nonzero(n_blocks), 1)
    held = [
        math.prod(_most_held(int(n_ordered[j]), int(n_other[j]), form) for j, form in zip(columns, forms, strict=True))
        for columns, forms in blocks
    ]
    return np.array([1.0 / (n_lengths * n_blocks[length] * most) for length, most in zip(lengths, held, strict=True)])


def _most_held(n_ordered: int, n_other: int, form: int) -> int:
    """Count the literals or boxes of a column that one cell of it satisfies, at most."""
    if form == BOX:
        return max((u - 1) * (n_ordered - u) for u in range(1, n_ordered + 1))
    return max(n_ordered - 1, int(n_other > 0))


def _padded(rows: list[list[int]], width: int, fill: int) -> Ints:
    table = np.full((len(rows), width), fill, dtype=np.int64)
    for i, row in enumerate(rows):
        table[i, : len(row)] = row
    return table


def _starts(sizes: list[int]) -> Ints:
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts
