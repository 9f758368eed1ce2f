"""The first rows of a table: predicted on line although labels decide the cuts of numbers, and checked for codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from winnowkit.cli.labelled_rows import LabelledRows, is_empty
from winnowkit.cli.output import listed
from winnowkit.cli.pipeline import Pipeline
from winnowkit.core.frame import Frame
from winnowkit.dnf.classifier import DNFWinnow

FIRST = 32  # rows before numbers are cut
MOST_CODES = 10  # distinct values of a column of whole numbers that may be codes


def cuts_numbers(pipeline: Pipeline, X: Any) -> bool:
    """Whether labels decide where the numbers of a table are cut."""
    takes = isinstance(pipeline.model, DNFWinnow) and isinstance(X, Frame)
    return takes and any(X[name].dtype.kind == "f" for name in X.columns)


def learn_first(pipeline: Pipeline, rows: LabelledRows, classes: NDArray[Any]) -> tuple[Pipeline, NDArray[Any]]:
    """Learn from the first rows, predicting each row, cuts included, from the rows before it alone.

    After 32, 64, 128, ... rows, numbers are cut again by all rows so far, and a new learner is trained on these. The
    first 32 rows are predicted as the most frequent class before them. In the end the cuts are those of all rows.

    Parameters
    ----------
    pipeline : Pipeline
        A pipeline that has learned nothing yet.
    rows : LabelledRows
        The first rows.
    classes : array
        All classes.

    Returns
    -------
    pipeline : Pipeline
        A pipeline that has learned from these rows.
    predicted : array
        One label per row.
    """
    n = len(rows.y)
    known = min(FIRST, n)
    while known < n and all(is_empty(rows.X[name][:known]) for name in rows.X.columns):
        known = min(2 * known, n)
    predicted = np.empty(n, dtype=classes.dtype)
    predicted[:known] = most_frequent_before(rows.y[:known], classes)
    while True:
        X, y = rows.X[:known], rows.y[:known]
        pipeline = replace(pipeline, model=clone(pipeline.model))
        pipeline.learn(X, y, classes)
        if known == n:
            return pipeline, predicted
        more = slice(known, min(2 * known, n))
        predicted[more] = pipeline.learn(rows.X[more], rows.y[more], classes)
        known = more.stop


def most_frequent_before(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """Return, for each row, the most frequent class before it, and the first one of several.

    Examples
    --------
    >>> most_frequent_before(np.array(["no", "yes", "yes", "no"]), np.array(["no", "yes"])).tolist()
    ['no', 'no', 'no', 'yes']
    """
    counts = np.cumsum(y[:, None] == classes, axis=0)
    before = np.vstack([np.zeros_like(counts[:1]), counts[:-1]])
    predicted: NDArray[Any] = classes[before.argmax(axis=1)]
    return predicted


def hint_on_codes(X: Any, typed: Iterable[str]) -> str | None:
    """Return a hint that names the columns of numbers that may be codes, except those whose type was given, or None.

    Examples
    --------
    >>> print(hint_on_codes(Frame({"doors": np.array([2.0, 4.0, 5.0] * 10), "price": np.arange(30.0)}), ()))
    hint: column 'doors' has few distinct values and is cut into intervals; if these are codes: --categorical 'doors'
    """
    given = set(typed)
    found = [name for name in X.columns if name not in given and _may_be_codes(X[name])] if isinstance(X, Frame) else []
    if not found:
        return None
    columns, has, is_cut = ("columns", "have", "are") if len(found) > 1 else ("column", "has", "is")
    return (
        f"hint: {columns} {listed([repr(name) for name in found])} {has} few distinct values and {is_cut} cut "
        f"into intervals; if these are codes: --categorical {' '.join(map(repr, found[:8]))}"
    )


def _may_be_codes(column: NDArray[Any]) -> bool:
    if column.dtype.kind != "f":
        return False
    values = np.unique(column[~np.isnan(column)])
    return bool(2 < values.size <= MOST_CODES and 5 * values.size <= len(column) and (values == np.floor(values)).all())
