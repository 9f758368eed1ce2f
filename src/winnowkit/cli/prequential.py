"""The first rows of a table: predicted on line although numbers are cut by labels, and looked at for codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from winnowkit.cli.output import listed
from winnowkit.cli.pipeline import Pipeline
from winnowkit.cli.source import Rows, is_empty
from winnowkit.core.frame import Frame
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.classifier import DNFWinnow

FIRST = 32  # rows before anything is cut
MOST_CODES = 10  # values of a column of whole numbers that may be codes


def cuts_numbers(pipeline: Pipeline, X: Any) -> bool:
    """Whether labels decide where numbers of the table are cut."""
    takes = pipeline.encoder is not None or isinstance(pipeline.model, DNFWinnow)
    return takes and isinstance(X, Frame) and any(X[name].dtype.kind == "f" for name in X.columns)


def learn_first(pipeline: Pipeline, rows: Rows, classes: NDArray[Any]) -> tuple[Pipeline, NDArray[Any]]:
    """Learn from the first rows, each predicted by what those before it taught, cuts included.

    After 32, 64, 128, ... rows, numbers are cut anew by all rows so far, and a new learner goes over these; the first
    32 rows are predicted as the most frequent class before them. In the end the cuts are those of all these rows.

    Parameters
    ----------
    pipeline : Pipeline
        One that has learned nothing.
    rows : Rows
        The first rows.
    classes : array
        All classes.

    Returns
    -------
    pipeline : Pipeline
        One that has learned from them.
    predicted : array
        A label a row.
    """
    n = len(rows.y)
    known = min(FIRST, n)
    while known < n and all(is_empty(rows.X[name][:known]) for name in rows.X.columns):
        known = min(2 * known, n)
    predicted = np.empty(n, dtype=classes.dtype)
    predicted[:known] = most_frequent_before(rows.y[:known], classes)
    while True:
        X, y = rows.X[:known], rows.y[:known]
        encoder = None if pipeline.encoder is None else CategoryEncoder(missing="ignore").fit(X, y)
        pipeline = replace(pipeline, model=clone(pipeline.model), encoder=encoder)
        pipeline.learn(X, y, classes)
        if known == n:
            return pipeline, predicted
        more = slice(known, min(2 * known, n))
        predicted[more] = pipeline.learn(rows.X[more], rows.y[more], classes)
        known = more.stop


def most_frequent_before(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """Of each row the most frequent class before it, the first of equals.

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
    """Say which columns of numbers may be codes; None if none may, or their type was given.

    Examples
    --------
    >>> print(hint_on_codes(Frame({"doors": np.array([2.0, 4.0, 5.0] * 10), "price": np.arange(30.0)}), ()))
    hint: column 'doors' has few whole numbers and is cut into intervals; if they are codes: --types 'doors=category'
    """
    told = set(typed)
    found = [name for name in X.columns if name not in told and _may_be_codes(X[name])] if isinstance(X, Frame) else []
    if not found:
        return None
    columns, has, is_cut = ("columns", "have", "are") if len(found) > 1 else ("column", "has", "is")
    return (
        f"hint: {columns} {listed([repr(name) for name in found])} {has} few whole numbers and {is_cut} cut into "
        f"intervals; if they are codes: --types {' '.join(repr(f'{name}=category') for name in found[:8])}"
    )


def _may_be_codes(column: NDArray[Any]) -> bool:
    if column.dtype.kind != "f":
        return False
    values = np.unique(column[~np.isnan(column)])
    return bool(2 < values.size <= MOST_CODES and 5 * values.size <= len(column) and (values == np.floor(values)).all())
