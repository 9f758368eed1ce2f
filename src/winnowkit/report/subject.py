"""The questions that a report asks of a model, whatever its kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from winnowkit.report.measures import Codes, Floats
from winnowkit.report.table import Table
from winnowkit.rulesets.condition import Condition
from winnowkit.rulesets.ruleset import RuleSet

if TYPE_CHECKING:
    from winnowkit.report.held_out import Labelled
    from winnowkit.report.mistakes_over_time import MistakeCurve


class Reason(NamedTuple):
    """Conditions that a row satisfies, and how much they add to the decision; None if they have no amount."""

    conditions: Sequence[Condition]
    amount: float | None


class RulePoint(NamedTuple):
    """A rule set on the way from few rules to many; `accuracy` is measured on rows that it was not chosen by."""

    rules: RuleSet
    complexity: int
    accuracy: float | None = None
    standard_error: float | None = None


class Subject(ABC):
    """A model that a report is about.

    Parameters
    ----------
    classes : sequence
        The labels, in the order of their codes.
    """

    kind: str
    """The name of the model."""
    share_means: str
    """The whole of which a column has an exact share."""

    def __init__(self, classes: Sequence[Any]) -> None:
        self.classes = [label.item() if isinstance(label, np.generic) else label for label in classes]

    def codes(self, y: Any) -> Codes:
        """Return the code of each label, -1 for one that the model does not know."""
        places = {label: code for code, label in enumerate(self.classes)}
        labels = np.asarray(y).tolist() if not isinstance(y, list) else y
        return np.array([places.get(label, -1) for label in labels], dtype=np.int64)

    @abstractmethod
    def predict(self, X: Any) -> NDArray[Any]:
        """Return one label per row of a native table."""

    def predicted(self, X: Any) -> Codes:
        """Return the code of the label predicted for each row of a native table."""
        return self.codes(self.predict(X))

    @abstractmethod
    def probabilities(self, X: Any) -> Floats | None:
        """Return the probabilities of the classes, (rows, classes); None if the model has none."""

    @abstractmethod
    def scores(self, X: Any) -> Floats:
        """Return one score per row and class, by which rows can be ranked."""

    @abstractmethod
    def refitted(self, table: Table, labels: NDArray[Any]) -> Subject | None:
        """Return a model with the same parameters, learned from these rows; None if the model does not learn."""

    @abstractmethod
    def shares(self, table: Table) -> Floats:
        """Return the exact share of each column; they add up to 1, unless all are 0."""

    def moved(self, table: Table) -> list[Floats]:
        """Return how far each column moves the score of each row from its mean, (rows, columns), one array per score.

        There is one score for two classes, else one per class; none if the score is no sum over columns.
        """
        del table
        return []

    @abstractmethod
    def reasons(self, table: Table, rows: NDArray[np.intp]) -> list[list[Reason]]:
        """Return what speaks for the prediction of each of these rows."""

    @abstractmethod
    def points(self, table: Table, y: NDArray[Any]) -> list[RulePoint]:
        """Return rule sets that stand for the model, from few rules to many; none if there are no rules."""

    def best(self, points: list[RulePoint]) -> int:
        """Return the position of the rule set to show first."""
        return len(points) - 1

    def linear(self, kept: NDArray[np.int64] | None = None) -> dict[str, Any] | None:
        """Return the linear model for the page's own computations, or its part for some attributes.

        None if it is shown by its rules, or too large.
        """
        del kept
        return None

    @abstractmethod
    def facts(self) -> list[tuple[str, str]]:
        """Return what is known about how the model was made."""

    def stream(self, data: Labelled, n_rules: int) -> MistakeCurve | None:
        """Return the mistakes of such a learner on a stream of the rows; None if it did not learn on line."""
        del data, n_rules
        return None


def by_class(decisions: Floats, n_classes: int) -> Floats:
    """Return scores per class, given decisions of shape (rows,) or (rows, classes).

    Examples
    --------
    >>> by_class(np.array([0.5]), 2).tolist()
    [[-0.5, 0.5]]
    """
    return np.stack([-decisions, decisions], axis=1) if decisions.ndim == 1 and n_classes == 2 else decisions


def normalised(amounts: Floats) -> Floats:
    """Return amounts as shares of their sum; zeros stay zeros."""
    total = float(amounts.sum())
    return amounts / total if total > 0 else amounts


def parameters_in_words(model: Any) -> str:
    """Return the parameters of an estimator that are not the default ones."""
    defaults = type(model)().get_params(deep=False)
    given = {name: value for name, value in model.get_params(deep=False).items() if repr(value) != repr(defaults[name])}
    return ", ".join(f"{name}={value!r}" for name, value in given.items()) or "all default"


def anew(model: Any) -> Any:
    """Return an estimator with the same parameters that has learned nothing; without a seed, it is given one.

    So a report on the same rows is the same whenever it is made.
    """
    fresh = clone(model)
    return fresh.set_params(random_state=0) if fresh.get_params(deep=False).get("random_state", 0) is None else fresh
