"""Trials on single examples, with no more overhead than safety requires."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError

from winnowkit.core.columns import masked_error
from winnowkit.core.csr import Trials
from winnowkit.core.encoded_rows import REAL, check_binarize, encode_rows
from winnowkit.core.learner import Learner
from winnowkit.core.multiclass import PREDICT_ONLY, choose
from winnowkit.core.transaction import ReadWriteLock
from winnowkit.core.validation import overflow_as_value_error

Label = Any  # of whatever type `classes` has
_ARRAY = np.ndarray
_INDEX = np.dtype(np.int64), np.dtype(np.int32)  # kernels are compiled for these, native and writeable


class SingleExamples:
    """The part of a classifier that takes one example at a time."""

    binarize: Any = REAL  # or a number, or None for values in [0, 1]
    classes_: NDArray[Any]
    n_features_in_: int
    _learner: Learner
    _codes: dict[Label, int]
    _lock: ReadWriteLock

    def learn_one(self, x: ArrayLike, y: Label) -> Label:
        """Run one trial.

        Parameters
        ----------
        x : array-like of shape (attributes,)
            The example.
        y : label
            Its label.

        Returns
        -------
        label
            The label predicted before the update.
        """
        with self._lock.writing:
            return self._one(x, self._code(y))

    def learn_active(self, indices: NDArray[Any], y: Label) -> Label:
        """Run one trial on a sparse boolean example, given by its active attributes: the fastest way to learn.

        Parameters
        ----------
        indices : array of int
            Indices of the attributes that are 1; repeated ones count once.
        y : label
            The example's label.

        Returns
        -------
        label
            The label predicted before the update.
        """
        if type(indices) is not _ARRAY or indices.dtype not in _INDEX or not indices.flags.carray or indices.ndim != 1:
            indices = _as_indices(indices)
        acquire, release, readers = self._lock.entrance
        acquire()
        try:
            if readers:
                self._lock.wait_for_readers()
            code = self._codes[y]
            predicted = self._learner.trial_active(indices, code)
            if predicted < 0:
                predicted = self._second_trial(indices, code, predicted)
            return self.classes_[predicted]
        except (KeyError, TypeError, AttributeError):
            self._code(y)  # says what is wrong with the label, or that there is no learner
            raise
        finally:
            release()

    def predict_one(self, x: ArrayLike) -> Label:
        """Predict the label of one example, a 1-d array.

        Parameters
        ----------
        x : array-like of shape (attributes,)
            The example.

        Returns
        -------
        label
            The label predicted.
        """
        with self._lock.reading:
            return self._one(x, PREDICT_ONLY)

    def predict_active(self, indices: NDArray[Any]) -> Label:
        """Predict the label of one sparse boolean example, given by its active attributes.

        Parameters
        ----------
        indices : array of int
            Indices of the attributes that are 1.

        Returns
        -------
        label
            The label predicted.
        """
        if type(indices) is not _ARRAY or indices.dtype not in _INDEX or not indices.flags.carray or indices.ndim != 1:
            indices = _as_indices(indices)
        acquire, release, _ = self._lock.entrance
        acquire()
        try:
            predicted = self._learner.trial_active(indices, PREDICT_ONLY)
            if predicted < 0:
                predicted = self._second_trial(indices, PREDICT_ONLY, predicted)
            return self.classes_[predicted]
        except AttributeError:
            self._check_begun()
            raise
        finally:
            release()

    def _one(self, x: ArrayLike, code: int) -> Label:
        self._check_begun()
        row = x if type(x) is _ARRAY and x.dtype == np.float64 else _as_floats(x)
        if row.shape != (self.n_features_in_,):
            raise ValueError(f"x must be a 1-d array of {self.n_features_in_} attributes, got shape {row.shape}")
        if not np.isfinite(row).all():
            raise ValueError("x contains NaN or infinity")
        if self.binarize is not None and self.binarize != REAL:
            check_binarize(self.binarize)
            return self.classes_[self._learner.trial_active(np.flatnonzero(row > self.binarize), code)]
        rows = encode_rows(row.reshape(1, -1), self.binarize)
        if code != PREDICT_ONLY:
            return self.classes_[self._learner.learn(Trials(rows, np.array([code])))[0]]
        return self.classes_[choose(self._learner.decide(rows, 0, 1), 0)]

    def _second_trial(self, indices: NDArray[Any], code: int, refused: int) -> int:
        """Run the trial with the indices in order and without repetitions, if that is what was wrong with them."""
        if refused == -2:
            raise IndexError(f"active indices must be in 0 ... {self.n_features_in_ - 1}, got {indices.tolist()}")
        return self._learner.trial_active(np.unique(indices), code)

    def _code(self, y: Label) -> int:
        try:
            return self._codes[y]
        except (KeyError, TypeError):
            raise ValueError(f"label {y!r} is not among the classes {self.classes_.tolist()}") from None
        except AttributeError:
            self._check_begun()
            raise

    def _check_begun(self) -> None:
        if not hasattr(self, "_learner"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet; "
                "call fit, partial_fit or begin(n_features, classes) first."
            )


def _as_floats(x: Any) -> NDArray[np.float64]:
    if np.ma.isMaskedArray(x):
        raise masked_error("x")
    if isinstance(x, Mapping):
        raise TypeError(
            "x is a dictionary, and this learner takes an array of all attributes: RiverClassifier of winnowkit.river "
            "takes dictionaries, and learn_active the positions and values of the attributes that are not 0"
        )
    with overflow_as_value_error("x"):
        return np.asarray(x, dtype=np.float64)


def _as_indices(indices: Any) -> NDArray[np.int64]:
    array = np.asarray(indices)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(f"active indices must be a 1-d array of integers, got {indices!r}")
    return array.astype(np.int64)
