"""On-line learning under scikit-learn's face: the calls that learners of boolean attributes and of tables share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from winnowkit.core.model_view import Viewed
from winnowkit.core.transaction import Locked, RestoresAttributes, all_or_nothing
from winnowkit.core.validation import classes_for


class OnlineTrials(Viewed, Locked, RestoresAttributes):
    """The part of a classifier that goes on learning, with one trial per row; a subclass runs them by `_trials`.

    A call that fails or is interrupted changes nothing. Calls that learn take turns, and calls that only look see the
    model before or after one that learns.
    """

    classes_: NDArray[Any]

    @abstractmethod
    def __sklearn_is_fitted__(self) -> bool:
        """Whether the classes are known and there is a learner."""

    @abstractmethod
    def _trials(self, X: Any, y: Any, classes: NDArray[Any]) -> NDArray[np.int64]:
        """Run one trial per row and return the codes of the labels predicted before each update.

        If there is no learner yet, check the parameters and start from nothing, with these classes. The caller puts
        back all attributes if this raises; what a learner has learned must be put back here.
        """

    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Continue to learn, with one trial per row, in order.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, columns)
            The examples. For `DNFWinnow`, which takes no sparse matrices, the first call also fixes the categories and
            the cut points of numeric columns, so that it should be a large one.
        y : array-like of shape (rows,)
            Their labels.
        classes : array-like, optional
            All labels that may occur; required in the first call.

        Returns
        -------
        self
            The learner.
        """
        with self._lock.writing, all_or_nothing(self):
            self._trials(X, y, classes_for(self, classes))
        return self

    def partial_fit_predict(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> NDArray[Any]:
        """Continue to learn, and return the labels predicted *before* each update: the true output of on-line learning.

        Parameters
        ----------
        X, y, classes : array-like
            As for :meth:`partial_fit`.

        Returns
        -------
        array of shape (rows,)
            One label per row.
        """
        with self._lock.writing, all_or_nothing(self):
            predicted = self._trials(X, y, classes_for(self, classes))
            labels: NDArray[Any] = self.classes_[predicted]
        return labels
