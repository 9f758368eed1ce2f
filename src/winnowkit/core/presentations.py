"""Trials, and weights of examples: how often, and to what part, a learner is shown each row.

A weight of w, a whole number, stands for w presentations of the row in succession, and 0 for its absence. Of any other
weight the whole part is presented first, and then a fraction of a presentation, whose meaning is up to the learner.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_array

from winnowkit.core.validation import require

MOST_PRESENTATIONS = 2**28
"""In one call: more would fill the memory."""


class Presentations(NamedTuple):
    """Rows in the order in which a learner is shown them."""

    order: NDArray[np.int64]  # the row of each presentation
    parts: NDArray[np.float64] | None = None  # how much of a presentation each one is; None if all are whole
    first: NDArray[np.int64] | None = None  # where each row is presented first; None if each once, in its own order

    def by_row(self, predicted: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return, of the labels predicted in each presentation, the first of each row."""
        return predicted if self.first is None else predicted[self.first]


class Trials(NamedTuple):
    """Examples to learn from, with one trial per row.

    Parameters
    ----------
    rows : Rows
        The examples, or another form of them that the learner takes.
    labels : array of shape (rows,)
        The codes of their labels.
    order : array of shape (rows,), optional
        The order in which rows are taken.
    frozen : array of bool, shape (learners,), optional
        Learners that do not update.
    weights : array of shape (rows,), optional
        A row whose weight is w takes part w times in succession, the last time perhaps in part; its label is the one
        predicted the first time.
    """

    rows: Any
    labels: NDArray[np.int64]
    order: NDArray[np.int64] | None = None
    frozen: NDArray[np.bool_] | None = None
    weights: NDArray[np.float64] | None = None

    def presentations(self) -> Presentations:
        """Return the rows as often as they are presented, in order; weights are above 0.

        Examples
        --------
        >>> Trials(None, np.array([1, 1]), order=np.array([1, 0]), weights=np.array([2.0, 1.5])).presentations()
        Presentations(order=array([1, 1, 0, 0]), parts=array([1. , 0.5, 1. , 1. ]), first=array([2, 0]))
        """
        n_rows, order, weights = self.labels.size, self.order, self.weights
        if weights is None and order is None:
            return Presentations(np.arange(n_rows))
        rows = np.arange(n_rows) if order is None else order
        of_rows = np.ones(n_rows) if weights is None else weights[rows]
        repetitions = np.ceil(of_rows).astype(np.int64)
        ends = np.cumsum(repetitions)
        first = np.empty(n_rows, dtype=np.int64)
        first[rows] = ends - repetitions
        repeated = np.repeat(rows, repetitions)
        if (of_rows == repetitions).all():
            return Presentations(repeated, None, first)
        parts = np.ones(repeated.size)
        parts[ends - 1] = of_rows - (repetitions - 1)
        return Presentations(repeated, parts, first)

    def frozen_of(self, n_learners: int) -> NDArray[np.bool_]:
        """Tell for each of so many learners whether it is frozen."""
        return np.zeros(n_learners, dtype=np.bool_) if self.frozen is None else self.frozen


def present_rows(X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Any, Any, NDArray[np.float64] | None]:
    """Return the rows of X and y whose weight is above 0, and their weights."""
    if sample_weight is None:
        return X, y, None
    if isinstance(sample_weight, Number):
        sample_weight = np.full(X.shape[0], sample_weight)
    weights = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    require(weights.shape == X.shape[:1], f"sample_weight must have shape {X.shape[:1]}", weights.shape)
    require(weights.min() >= 0.0, "sample_weight must be >= 0", float(weights.min()))
    present = weights > 0.0
    return (X, y, weights) if present.all() else (X[present], y[present], weights[present])


def times_class_weights(
    weights: NDArray[np.float64] | None,
    class_weight: Mapping[Any, float] | str | None,
    classes: NDArray[Any],
    labels: NDArray[np.int64],
) -> NDArray[np.float64] | None:
    """Return the weights of rows (None: all 1) times the weights of their classes; None if all of them are 1."""
    if class_weight is not None:
        of_rows = _class_weights(class_weight, classes, labels)[labels]
        weights = of_rows if weights is None else weights * of_rows
    if weights is None or (weights == 1.0).all():
        return None
    total = float(np.ceil(weights).sum())
    require(
        total <= MOST_PRESENTATIONS,
        f"weights must add up to at most {MOST_PRESENTATIONS}, as a weight of w stands for w presentations: divide "
        "them by their mean",
        total,
    )
    return weights


def check_class_weight(class_weight: Any, *, online: bool = False) -> None:
    """Refuse anything but None, "balanced" (not on line, where no label is known in advance) and a dict."""
    if isinstance(class_weight, str):
        require(class_weight == "balanced", "class_weight must be a dict, 'balanced' or None", class_weight)
        if online:
            raise ValueError(
                "class_weight='balanced' needs all labels at once; in partial_fit give a dict such as "
                "dict(zip(classes, compute_class_weight('balanced', classes=classes, y=y)))"
            )
    elif class_weight is not None:
        require(isinstance(class_weight, Mapping), "class_weight must be a dict, 'balanced' or None", class_weight)
        sound = all(0.0 < weight < np.inf for weight in class_weight.values())
        require(sound, "class weights must be finite and above 0", class_weight)


def _class_weights(
    class_weight: Mapping[Any, float] | str, classes: NDArray[Any], labels: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return one weight per class; classes that a dict does not name have weight 1."""
    if isinstance(class_weight, str):
        balanced: NDArray[np.float64] = compute_class_weight(class_weight, classes=np.arange(len(classes)), y=labels)
        return balanced
    known = classes.tolist()
    unknown = [label for label in class_weight if label not in known]
    if unknown and any(label not in class_weight for label in known):
        raise ValueError(f"class_weight names {unknown[0]!r}, which is not among the classes {known}")
    return np.array([class_weight.get(label, 1.0) for label in known], dtype=np.float64)
