"""How much a column adds to the score by its value: the mean over rows, how far they differ, and how many there are."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.multiclass import class_of
from winnowkit.report.measures import Floats
from winnowkit.report.subject import Subject
from winnowkit.report.table import DenseTable, Table

MOST_SHAPES = 8
"""Columns that have a shape: those with the largest shares."""
MOST_ROWS = 10_000
"""Rows that the means are of, evenly spread."""
MOST_GROUPS = 12
"""Groups of numbers by rows, and as many by distinct values; and categories that are shown."""
SPREAD = (0.1, 0.9)
"""The middle part of the rows of a group, whose amounts the band covers."""


class RowGroup(NamedTuple):
    """Rows of similar value: the range of a number or a category, their number, and what the column adds to them."""

    low: Any
    high: Any
    n_rows: int
    mean: float
    least: float
    most: float


class ColumnShape(NamedTuple):
    """How much a column adds to the score of a label; `missing` is the group of rows that have no value."""

    name: str
    label: Any
    is_number: bool
    groups: list[RowGroup]
    missing: RowGroup | None


def shapes_of(subject: Subject, table: Table, shares: Floats) -> list[ColumnShape]:
    """Return the shapes of the most important columns; none if the score is no sum over columns, or of sparse rows."""
    if not isinstance(table, DenseTable):
        return []
    some = table.take(np.linspace(0, table.n_rows - 1, min(table.n_rows, MOST_ROWS)).astype(np.intp))
    moved = subject.moved(some)
    if not moved:
        return []
    best = [j for j in np.argsort(-shares, kind="stable")[:MOST_SHAPES].tolist() if shares[j] > 0]
    return [_shape(subject, some, moved, j) for j in best]


def _shape(subject: Subject, table: DenseTable, moved: list[Floats], column: int) -> ColumnShape:
    """Return the shape for the second of two labels, or for the one whose score the column moves most."""
    k = int(np.argmax([np.abs(amounts[:, column]).mean() for amounts in moved]))
    label = subject.classes[class_of(k, len(moved))]
    values, amounts = table.values(column), moved[k][:, column]
    present = np.array([value is not None for value in values])
    missing = None if present.all() else _group(None, None, amounts[~present])
    known = [value for value in values if value is not None]
    is_number = table.is_number(column)
    if not known:
        groups = []
    elif is_number:
        groups = _of_numbers(np.array(known, dtype=np.float64), amounts[present])
    else:
        groups = _of_categories(known, amounts[present])
    return ColumnShape(table.names[column], label, is_number, groups, missing)


def _of_numbers(values: Floats, amounts: Floats) -> list[RowGroup]:
    levels = np.linspace(0, 1, MOST_GROUPS + 1)[1:-1]
    cuts = [np.quantile(some, levels, method="lower") for some in (values, np.unique(values))]
    inner = np.unique(np.concatenate(cuts))
    place = np.searchsorted(inner, values, side="left")  # values up to a cut lie below it
    groups = [(values[place == g], amounts[place == g]) for g in np.unique(place)]
    return [_group(float(some.min()), float(some.max()), added) for some, added in groups]


def _of_categories(values: list[Any], amounts: Floats) -> list[RowGroup]:
    """Return the most frequent categories, those that add most first."""
    found = []
    for value, _ in Counter(values).most_common(MOST_GROUPS):
        rows = np.array([other == value for other in values])
        found.append(_group(value, value, amounts[rows]))
    return sorted(found, key=lambda group: -group.mean)


def _group(low: Any, high: Any, amounts: NDArray[np.float64]) -> RowGroup:
    least, most = np.quantile(amounts, SPREAD)
    return RowGroup(low, high, len(amounts), float(amounts.mean()), float(least), float(most))
