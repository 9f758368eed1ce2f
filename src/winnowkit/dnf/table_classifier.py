"""What a learner on tables of categories has besides its rule: checks, codes, single rows, what it has learned."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length

from winnowkit.core.columns import columns_of
from winnowkit.core.multiclass import check_classes, encode_labels
from winnowkit.core.validation import validate
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.learners import Learners
from winnowkit.dnf.log import MistakeLog

Label = Any  # whatever `classes` holds
Codes = NDArray[np.int32]

BLOCK = 4096
"""Rows that are coded at a time when predicting."""


class TableClassifier(ClassifierMixin, BaseEstimator):
    """Learners of terms over the categories of a table."""

    missing: str
    n_jobs: int | None
    classes_: NDArray[Any]
    encoder_: CategoryEncoder
    n_trials_: int
    n_mistakes_: int
    _learners: Learners

    # --- single rows ------------------------------------------------------------------------------------------------

    def learn_one(self, x: Any, y: Label) -> Label:
        """One trial.

        Parameters
        ----------
        x : sequence or mapping
            A row of values; or values by column name, those absent being missing.
        y : label
            Its label.

        Returns
        -------
        label
            The label predicted before the update.
        """
        self._check_begun()
        label = int(encode_labels(self.classes_, np.array([y]))[0])
        blind = self.encoder_.transform_one(x)
        codes = self.encoder_.transform_one(x, y) if self.missing == "most_frequent" else blind
        predicted = self._learners.trial(codes, label, blind)
        self.n_trials_ += 1
        self.n_mistakes_ += predicted != label
        return self.classes_[predicted]

    def predict_one(self, x: Any) -> Label:
        """Predict the label of one row of values, or of a mapping from column names to values.

        Parameters
        ----------
        x : sequence or mapping
            A row of values; or values by column name, those absent being missing.

        Returns
        -------
        label
            The label predicted.
        """
        self._check_begun()
        return self.classes_[self._learners.predict(self.encoder_.transform_one(x)[None])[0]]

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    def logs_(self) -> list[MistakeLog]:
        """The log of mistakes of each learner."""
        return self._learners.logs

    @property
    def theta_(self) -> float | Fraction:
        """The threshold."""
        return self._learners.theta

    @property
    def log_theta_(self) -> float:
        """Natural logarithm of the threshold."""
        return self._learners.log_theta

    @property
    def n_updates_(self) -> NDArray[np.int64]:
        """Mistakes of each learner (one in all if there are two classes and no pair)."""
        return np.array(self._learners.n_updates, dtype=np.int64)

    # --- inside -----------------------------------------------------------------------------------------------------

    def _checked(self, X: Any, y: Any, *, reset: bool) -> NDArray[Any]:
        """Check the shape and column names of X, and return y as an array."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        self._check_table(X, reset=reset)
        labels: NDArray[Any] = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y", estimator_name=type(self).__name__)
        check_consistent_length(X, labels)
        return labels

    def _check_table(self, X: Any, *, reset: bool) -> None:
        """Compare the number of columns of X, and their names, with those of training, or with `reset` keep them."""
        if isinstance(X, list | tuple) and not X:
            raise ValueError("Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required.")
        if isinstance(X, list | tuple) or getattr(X, "ndim", 2) != 2:
            columns_of(X[:1])  # says what is wrong if X is no table
        validate(self, X, reset=reset, skip_check_array=True)

    def _blocks(self, X: Any) -> Iterator[Codes]:
        """Codes of X, some rows at a time, so that memory does not grow with their number."""
        self._check_begun()
        self._check_table(X, reset=False)
        n_rows = len(X) if hasattr(X, "__len__") else len(np.asarray(X))
        if n_rows <= BLOCK:
            yield self.encoder_.transform(X)
            return
        rows = X.iloc if hasattr(X, "iloc") else X
        for first in range(0, n_rows, BLOCK):
            yield self.encoder_.transform(rows[first : first + BLOCK])

    @property
    def _threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))

    def _check_begun(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("This DNFWinnow instance is not fitted yet; call fit or partial_fit first.")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learners")

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take up where another one was; what comes from a file may be anything."""
        super().__setstate__(state)
        if self.__sklearn_is_fitted__():
            check_classes(self.classes_)
            logs = self._learners.logs
            widths = {log.n_attributes if isinstance(log, MistakeLog) else None for log in logs}
            if widths != {self.encoder_.n_features_in_}:
                raise ValueError(f"logs of {widths} attributes for a table of {self.encoder_.n_features_in_} columns")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True  # missing
        tags.classifier_tags.poor_score = True  # blobs cut into intervals are not what it is for
        return tags


def known_classes(classes: ArrayLike) -> NDArray[Any]:
    """All labels that may come, sorted."""
    check_classification_targets(np.asarray(classes))
    return np.unique(np.asarray(classes))
