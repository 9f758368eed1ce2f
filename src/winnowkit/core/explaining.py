"""The method by which a learner says why it predicts what it predicts."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.checks import require
from winnowkit.core.multiclass import class_of, learner_of, n_learners_for
from winnowkit.core.transaction import reads
from winnowkit.core.validation import column_names


class Asked(NamedTuple):
    """An example, checked, whose prediction is to be explained.

    Parameters
    ----------
    row : array of shape (attributes,)
        The example.
    learner : int
        The learner whose decision is explained.
    label : label
        The prediction.
    evidence_for : label
        The label that this learner decides about.
    names : list of str
        Names of the attributes.
    most : int
        How many attributes are printed.
    """

    row: NDArray[np.float64]
    learner: int
    label: Any
    evidence_for: Any
    names: list[str]
    most: int


class Explains:
    """A learner that says why it predicts what it predicts; a subclass does so in `_explained`."""

    @abstractmethod
    def _explained(self, asked: Asked) -> Any:
        """Explain the decision on one example."""

    @reads
    def explain(self, x: Any, label: Any = None, max_attributes: int = 10, names: Any = None) -> Any:
        """Say why the label of an example is predicted.

        A linear learner shows what each attribute adds to the decision; the amounts add up to it. A learner that weighs
        attributes or disjunctions against each other (SBSB, SASB, DirectBayes) shows the heaviest of them, and what
        they say about the example.

        Parameters
        ----------
        x : array-like of shape (attributes,), or a sparse matrix of one row
            The example.
        label : label, optional
            The label whose decision is explained; by default the one predicted.
        max_attributes : int, default=10
            The largest number of attributes that are printed.
        names : sequence of str, optional
            Names of the attributes, such as ``pipeline[:-1].get_feature_names_out()``; by default those of the columns.

        Returns
        -------
        LinearExplanation or VoteExplanation
            It can be printed, and a notebook shows it as a table.

        Examples
        --------
        >>> from winnowkit import Winnow2
        >>> from winnowkit.data import streams
        >>> X, y = streams.disjunction(n=1000, k=2, seed=0).take(5000)
        >>> model = Winnow2().partial_fit(X, y, classes=[0, 1])
        >>> print(model.explain(X[[0]], max_attributes=3))
        predicted 1; the decision for 1 is +198.4
            +985.3  x17 = 1
            +17.09  x665 = 1
            +11.39  x964 = 1
            +184.7  62 other attributes
             -1000  without any attribute
        """
        model: Any = self
        model._check_begun()
        require(max_attributes >= 1, "max_attributes must be at least 1", max_attributes)
        row = x.toarray().ravel() if hasattr(x, "toarray") else np.asarray(x, dtype=np.float64)
        predicted = model._code(model.predict_one(row))  # which checks the row
        classes, n_learners = model.classes_.tolist(), n_learners_for(len(model.classes_))
        asked = predicted if label is None else model._code(label)
        k = learner_of(asked, n_learners)
        decided = class_of(k, n_learners)
        found = self._explained(
            Asked(row, k, classes[predicted], classes[decided], column_names(model, names), max_attributes)
        )
        return found if asked == decided else found.for_other(classes[asked])
