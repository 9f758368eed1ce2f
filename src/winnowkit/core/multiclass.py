"""Labels, classes and learners: which learner stands for which class, which label decisions choose, and when to update.

Two classes need one learner, whose positive class is ``classes_[1]``; more classes have one learner each, against the
rest, and the largest decision wins, the lower class on a tie. A learner for each of two classes is a pair: the larger
decision wins. Labels are handled as codes: positions among the sorted classes.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.jit import jit_in_place

Policy = Literal["mistake", "always"]
"""When a learner updates: after a mistake (and within its margin), or after every trial."""

PREDICT_ONLY = -1
"""The code that replaces a label to predict without learning."""

SMALLEST = 5e-324
"""The decision on a tie that predicts the positive class."""


def n_learners_for(n_classes: int) -> int:
    """Return the number of learners for this number of classes."""
    return 1 if n_classes == 2 else n_classes


def sources_with_new_class(n_learners: int) -> list[int | None]:
    """Name the present learner that each learner continues once a class has been added; None stands for a new one.

    The single learner of two classes goes on as that of the second class, against the rest.

    Examples
    --------
    >>> sources_with_new_class(1), sources_with_new_class(3)
    ([None, 0, None], [0, 1, 2, None])
    """
    return [None, 0, None] if n_learners == 1 else [*range(n_learners), None]


def class_of(learner: int, n_learners: int) -> int:
    """Return the code of the class that is positive for a learner.

    Examples
    --------
    >>> class_of(0, n_learners=1), [class_of(c, n_learners=3) for c in range(3)]
    (1, [0, 1, 2])
    """
    return 1 if n_learners == 1 else learner


positive_class = jit_in_place(class_of)
"""The same function for kernels."""


def learner_of(code: int, n_learners: int) -> int:
    """Return the learner whose decisions are about a class: its own, or the only one.

    Examples
    --------
    >>> [learner_of(code, n_learners=1) for code in range(2)], [learner_of(code, n_learners=3) for code in range(3)]
    ([0, 0], [0, 1, 2])
    """
    return 0 if n_learners == 1 else code


@jit_in_place
def label_of(best: int, decision: float, n_learners: int) -> int:
    """Code of the label, given the learner with the largest decision and that decision."""
    return int(decision > 0.0) if n_learners == 1 else best


@jit_in_place
def choose(decisions: NDArray[np.float64], i: int) -> int:
    """Return the code of the label that the decisions in row i choose: the first of the largest."""
    best = 0
    for k in range(1, decisions.shape[1]):
        best = k if decisions[i, k] > decisions[i, best] else best
    return int(decisions[i, 0] > 0.0) if decisions.shape[1] == 1 else best


def chosen(decisions: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the codes of the labels that decisions, of shape (rows, learners), choose.

    Examples
    --------
    >>> chosen(np.array([[0.5], [-0.5]])), chosen(np.array([[0.5, 0.7, 0.7]]))
    (array([1, 0]), array([1]))
    """
    return (decisions[:, 0] > 0.0).astype(np.int64) if decisions.shape[1] == 1 else decisions.argmax(axis=1)


def decision_values(decisions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values of `decision_function`: one per row for two classes, else one per row and class."""
    n_learners = decisions.shape[1]
    if n_learners == 1:
        return decisions[:, 0]
    return decisions[:, 1] - decisions[:, 0] if n_learners == 2 else decisions


def encode_labels(classes: NDArray[Any], y: NDArray[Any]) -> NDArray[np.int64]:
    """Return the code of each label; raise ValueError for a label that is not among the sorted classes.

    Examples
    --------
    >>> encode_labels(np.array(["ham", "spam"]), np.array(["spam", "ham", "spam"]))
    array([1, 0, 1])
    """
    if len(classes) == 2:  # two comparisons are faster than a search
        codes: NDArray[np.int64] = (y == classes[1]).astype(np.int64)
        known = (codes == 1) | (y == classes[0])
    else:
        known = np.isin(y, classes)
        codes = np.searchsorted(classes, np.where(known, y, classes[0]))
    if not known.all():
        unknown = y[~known].tolist()[0]
        raise ValueError(f"label {unknown!r} is not among the classes {classes.tolist()}")
    return codes


def check_classes(classes: Any) -> None:
    """Raise ValueError unless the classes are a sorted array of at least two distinct labels."""
    proper = isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes) >= 2
    if not proper or not np.array_equal(np.unique(classes), classes):
        raise ValueError(f"classes_ must be at least 2 distinct labels in order, got {classes!r}")


def check_policy(policy: str) -> None:
    """Refuse an unknown update policy."""
    if policy not in ("mistake", "always"):
        raise ValueError(f"policy must be 'mistake' or 'always', got {policy!r}")


@jit_in_place
def asks_update(parameters: Any, score: float, y: bool) -> bool:
    """Whether the policy asks for an update: always, on a mistake, or within the margin."""
    return parameters["always"] or (score > 0.0) != y or abs(score) < parameters["margin"]
