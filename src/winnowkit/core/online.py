"""On-line learning under scikit-learn's face: the calls that learners of boolean attributes and of tables share."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets

from winnowkit.core.locking import Locked
from winnowkit.core.transaction import RestoresAttributes, all_or_nothing


class OnlineTrials(Locked, RestoresAttributes):
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
            self._trials(X, y, self._classes_for(classes))
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
            predicted = self._trials(X, y, self._classes_for(classes))
            labels: NDArray[Any] = self.classes_[predicted]
        return labels

    def _classes_for(self, classes: ArrayLike | None) -> NDArray[Any]:
        """The classes of this call: those given in the first one, which may not change later."""
        if not self.__sklearn_is_fitted__():
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            return known_classes(classes)
        if classes is not None and not np.array_equal(known_classes(classes), self.classes_):
            given = known_classes(classes).tolist()
            raise ValueError(f"classes must stay {self.classes_.tolist()} after the first call, got {given}")
        return self.classes_


def known_classes(classes: ArrayLike) -> NDArray[Any]:
    """All labels that may occur, sorted and without repetitions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # "so many classes for so few examples": these are no examples
        check_classification_targets(np.asarray(classes))
    return np.unique(np.asarray(classes))


def check_two_classes(classes: NDArray[Any]) -> None:
    """Refuse fewer than two classes."""
    if len(classes) < 2:
        raise ValueError(f"y contains only one class, {classes.tolist()}; a classifier needs at least two")


def check_n_features(estimator: Any, n_features: int) -> None:
    """Raise ValueError unless the attributes of a restored classifier are as many as its learner has."""
    claimed, names = getattr(estimator, "n_features_in_", None), getattr(estimator, "feature_names_in_", None)
    if type(claimed) is not int or claimed != n_features:
        raise ValueError(f"n_features_in_ must be {n_features}, as the learner has it, got {claimed!r}")
    if names is not None and (not isinstance(names, np.ndarray) or names.shape != (n_features,)):
        raise ValueError(f"feature_names_in_ must be an array of {n_features} names")


def generator(random_state: Any) -> np.random.Generator:
    """The generator that `random_state` stands for."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31))
