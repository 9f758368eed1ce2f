"""Fit by the mean of several passes: each is a run of its own from nothing, with the rows in another order.

Passes that go on from one another fit noise, while the mean of independent ones errs less than any of them. It also
makes the order of the rows nearly irrelevant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self, cast

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from winnowkit.core.csr import Rows
from winnowkit.core.learner import BadRowsError
from winnowkit.core.multiclass import encode_labels, n_learners_for
from winnowkit.core.online import generator
from winnowkit.core.online_classifier import OnlineClassifier
from winnowkit.core.transaction import all_or_nothing
from winnowkit.core.validation import repaired_rows


class WeightedLearner(Protocol):
    """A learner of weighted examples whose passes can be averaged."""

    def learn(
        self,
        rows: Rows,
        labels: NDArray[np.int64],
        order: NDArray[np.int64] | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> NDArray[np.int64]:
        """Run one trial per row and return the labels predicted before each update; it changes nothing if it raises."""

    def fold(self, other: Self, part: float) -> None:
        """Move by a part of the way to another learner of the same columns."""


@dataclass(kw_only=True, eq=False, repr=False)
class AveragingClassifier(OnlineClassifier):
    """A learner of real values, whose `fit` is the mean of several passes; `partial_fit` makes one, in order."""

    max_epochs: int = 5
    shuffle: bool = True
    class_weight: Any = None

    @property
    def _averaged(self) -> WeightedLearner:
        return cast(WeightedLearner, self._learner)

    # --- learning ---------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Forget everything and learn from the rows of X, in `max_epochs` passes of their own.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, attributes)
            The examples.
        y : array-like of shape (rows,)
            Their labels.
        sample_weight : array-like of shape (rows,), optional
            Their weights, >= 0.

        Returns
        -------
        self
            The learner. If `fit` is interrupted, it is the mean of the passes that were complete, if any was.
        """
        with all_or_nothing(self):
            X, y = self._validated(X, y, reset=True)
            check_classification_targets(y)
            classes, labels = np.unique(y, return_inverse=True)
            self._start(X.shape[1], classes)
            weights = self._weights(sample_weight, X, y)
            rng = generator(self.random_state)
            orders = [rng.permutation(len(labels)) for _ in range(self.max_epochs)] if self.shuffle else []
            rows = self._pass(X, labels, orders[0] if orders else None, weights)
        self._further_passes(rows, labels, orders[1:], weights)
        return self

    def _pass(
        self, X: Any, labels: NDArray[np.int64], order: NDArray[np.int64] | None, weights: NDArray[np.float64] | None
    ) -> Rows:
        """Learn from the rows of X, put in order if need be; returns them."""
        rows: Rows = self._rows(X)
        try:
            self._averaged.learn(rows, labels, order, weights=weights)
        except BadRowsError as bad:
            rows = repaired_rows(X, bad.flags, self)
            self._averaged.learn(rows, labels, order, weights=weights)
        return rows

    def _further_passes(
        self,
        rows: Rows,
        labels: NDArray[np.int64],
        orders: list[NDArray[np.int64]],
        weights: NDArray[np.float64] | None,
    ) -> None:
        """Add further passes to the mean, a few at a time if there are several threads."""

        def one(order: NDArray[np.int64]) -> WeightedLearner:
            learner: WeightedLearner = self._begin(self.n_features_in_, n_learners_for(len(self.classes_)))
            learner.learn(rows, labels, order, weights=weights)
            return learner

        n_jobs = min(effective_n_jobs(self.n_jobs), max(1, len(orders)))
        done = 1
        for first in range(0, len(orders), n_jobs):
            together = orders[first : first + n_jobs]
            calls = (delayed(one)(order) for order in together)
            learners = [one(together[0])] if n_jobs == 1 else Parallel(n_jobs=n_jobs, prefer="threads")(calls)
            for learner in learners:
                done += 1
                self._averaged.fold(learner, 1.0 / done)

    def partial_fit(
        self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Continue to learn, with one trial per row, in order.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, attributes)
            The examples.
        y : array-like of shape (rows,)
            Their labels.
        classes : array-like, optional
            All labels that may occur; required in the first call.
        sample_weight : array-like of shape (rows,), optional
            Their weights, >= 0.

        Returns
        -------
        self
            The learner.
        """
        with all_or_nothing(self):
            self._trials(X, y, self._classes_for(classes), sample_weight)
        return self

    def _trials(
        self, X: Any, y: Any, classes: NDArray[Any], sample_weight: ArrayLike | None = None
    ) -> NDArray[np.int64]:
        first = not self.__sklearn_is_fitted__()
        X, y = self._validated(X, y, reset=first)
        labels = encode_labels(classes, np.asarray(y))
        if first:
            self._start(X.shape[1], classes)
        weights = self._weights(sample_weight, X, y, on_line=True)
        try:
            return self._averaged.learn(self._rows(X), labels, weights=weights)
        except BadRowsError as bad:
            return self._averaged.learn(repaired_rows(X, bad.flags, self), labels, weights=weights)

    def _weights(
        self, sample_weight: ArrayLike | None, X: Any, y: Any, *, on_line: bool = False
    ) -> NDArray[np.float64] | None:
        """Weights of the examples times those of their classes; None if all are 1."""
        if on_line and isinstance(self.class_weight, str):
            raise ValueError(
                "class_weight='balanced' needs all labels at once; in partial_fit give a dict such as "
                "dict(zip(classes, compute_class_weight('balanced', classes=classes, y=y)))"
            )
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        if self.class_weight is None:
            return weights
        of_classes: NDArray[np.float64] = compute_sample_weight(self.class_weight, y)
        return of_classes if weights is None else weights * of_classes
