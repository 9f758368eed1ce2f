"""What every learner of boolean attributes has in common: data in, trials, labels out."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self, TypeVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets

from winnowkit.core.csr import NOT_FINITE, UNSORTED, Rows
from winnowkit.core.growing import Growing
from winnowkit.core.learner import BadRowsError, Learner, require
from winnowkit.core.multiclass import check_classes, encode_labels
from winnowkit.core.one_example import SingleExamples
from winnowkit.core.rows import check_binarize, encode_rows, explain, sort_rows
from winnowkit.core.transaction import RestoresAttributes, all_or_nothing
from winnowkit.core.validation import validate

T = TypeVar("T")


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineClassifier(RestoresAttributes, SingleExamples, ClassifierMixin, BaseEstimator):
    """A rule with scikit-learn's face; a subclass says which rule by `_begin`."""

    binarize: float | None = 0.0
    negations: bool = False
    n_epochs: int = 1
    shuffle: bool = False
    random_state: Any = None
    n_jobs: int | None = None

    @abstractmethod
    def _begin(self, n_features: int, n_learners: int) -> Any:
        """Check the parameters and return a learner that has seen nothing."""

    def new_learner(self, n_features: int, n_learners: int) -> Growing:
        """Return a learner with these parameters that has seen nothing and can grow; the classifier stays as it is.

        This is for adapters to streams whose attributes and classes appear over time.

        Parameters
        ----------
        n_features : int
            Number of attributes seen so far.
        n_learners : int
            Number of learners: 1 for two classes, else one per class.

        Returns
        -------
        Growing
            The learner.
        """
        learner: Growing = clone(self)._begin(n_features, n_learners)
        return learner

    # --- starting ---------------------------------------------------------------------------------------------------

    def begin(self, n_features: int, classes: ArrayLike) -> Self:
        """Start from nothing, for `n_features` attributes, before any example has been seen.

        Parameters
        ----------
        n_features : int
            How many attributes an example has.
        classes : array-like
            All labels that may come.

        Returns
        -------
        self
            The learner.
        """
        with all_or_nothing(self):
            require(n_features >= 1, "n_features must be at least 1", n_features)
            self._start(n_features, self._known_classes(classes))
            self.n_features_in_ = int(n_features)
            self.__dict__.pop("feature_names_in_", None)
        return self

    def _start(self, n_features: int, classes: NDArray[Any]) -> None:
        require(
            isinstance(self.n_epochs, (int, np.integer)) and self.n_epochs >= 1, "n_epochs must be >= 1", self.n_epochs
        )
        check_binarize(self.binarize)
        if len(classes) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 classes, got {classes.tolist()}: one class is no choice"
            )
        self._learner: Learner = self._begin(n_features, 1 if len(classes) == 2 else len(classes))
        self._know(classes)

    def _know(self, classes: NDArray[Any]) -> None:
        self._codes = {label: code for code, label in enumerate(classes.tolist())}
        self.classes_ = classes

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take up where another one was; what comes from a file may be anything."""
        super().__setstate__(state)
        if self.__sklearn_is_fitted__():
            check_classes(self.classes_)
            self._know(self.classes_)
            require(isinstance(self._learner, Learner), "a fitted classifier has a learner", type(self._learner))

    @staticmethod
    def _known_classes(classes: ArrayLike) -> NDArray[Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # "so many classes for so few examples": these are none
            check_classification_targets(np.asarray(classes))
        return np.unique(np.asarray(classes))

    # --- learning ---------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Forget everything and learn from the rows of X, `n_epochs` times over.

        Each learner (one a class, if there are more than two) stops after an epoch without a mistake or update.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, attributes)
            The examples.
        y : array-like of shape (rows,)
            Their labels.

        Returns
        -------
        self
            The learner.
        """
        with all_or_nothing(self):
            X, y = self._validated(X, y, reset=True)
            check_classification_targets(y)
            classes, labels = np.unique(y, return_inverse=True)
            self._start(X.shape[1], classes)
            self._with_rows(X, lambda rows: self._run_epochs(rows, labels.astype(np.int64, copy=False)))
        return self

    def _run_epochs(self, rows: Rows, labels: NDArray[np.int64]) -> None:
        rng = generator(self.random_state) if self.shuffle else None
        frozen = np.zeros(len(self._learner.counts) - 1, dtype=np.bool_)
        for _ in range(self.n_epochs):
            before = self._learner.counts[1:].copy()
            order = None if rng is None else rng.permutation(len(labels))
            self._learner.learn(rows, labels, order, frozen)
            frozen |= (self._learner.counts[1:] == before).all(axis=1)
            if frozen.all():
                break

    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Go on learning: one trial a row, in order.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, attributes)
            The examples.
        y : array-like of shape (rows,)
            Their labels.
        classes : array-like, optional
            All labels that may come; needed at the first call.

        Returns
        -------
        self
            The learner.
        """
        self.partial_fit_predict(X, y, classes)
        return self

    def partial_fit_predict(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> NDArray[Any]:
        """Go on learning, and return the labels predicted *before* each update: the on-line learner's real output.

        Parameters
        ----------
        X, y, classes : array-like
            As for :meth:`partial_fit`.

        Returns
        -------
        array of shape (rows,)
            A label a row.
        """
        first = not self.__sklearn_is_fitted__()
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        with all_or_nothing(self):
            known = self.classes_ if classes is None else self._known_classes(classes)
            if not first and not np.array_equal(known, self.classes_):
                raise ValueError(
                    f"classes must stay {self.classes_.tolist()} after the first call, got {known.tolist()}"
                )
            X, y = self._validated(X, y, reset=first)
            labels = encode_labels(known, np.asarray(y))
            if first:
                self._start(X.shape[1], known)
            predicted = self._with_rows(X, lambda rows: self._learner.learn(rows, labels))
        labels_predicted: NDArray[Any] = self.classes_[predicted]
        return labels_predicted

    # --- predicting -------------------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Score of each row minus the threshold: above 0 iff the prediction is ``classes_[1]``.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, attributes)
            The examples.

        Returns
        -------
        array of shape (rows,), or (rows, classes) if there are more than two
            A decision a row, or a row and class.
        """
        self._check_begun()
        X = self._validated(X, "no_validation", reset=False)
        decisions = self._with_rows(X, lambda rows: self._decide(rows, X.shape[0]))
        return decisions[:, 0] if decisions.shape[1] == 1 else decisions

    def _decide(self, rows: Rows, n_rows: int) -> NDArray[np.float64]:
        n_jobs = min(effective_n_jobs(self.n_jobs), n_rows)
        if n_jobs == 1:
            return self._learner.decide(rows, 0, n_rows)
        edges = np.linspace(0, n_rows, n_jobs + 1).astype(int)
        parts = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(self._learner.decide)(rows, first, last) for first, last in pairwise(edges)
        )
        return np.concatenate(parts)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict a label for each row; the state does not change.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, attributes)
            The examples.

        Returns
        -------
        array of shape (rows,)
            A label a row.
        """
        decisions = self.decision_function(X)
        codes = (decisions > 0).astype(np.int64) if decisions.ndim == 1 else decisions.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    # --- checking ---------------------------------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learner")

    def _validated(self, X: Any, y: Any, *, reset: bool) -> Any:
        """X as a float array or CSR matrix (not yet checked for NaN if sparse), and y."""
        return validate(
            self,
            X,
            y,
            reset=reset,
            accept_sparse="csr",
            dtype=np.float64,
            ensure_all_finite=not issparse(X),
        )

    def _with_rows(self, X: Any, use: Callable[[Rows], T]) -> T:
        """Call `use` on the rows of X; rows with unsorted or repeated indices are put in order first."""
        try:
            return use(encode_rows(X, self.binarize))
        except BadRowsError as bad:
            flags = bad.flags
        if flags == UNSORTED:
            return self._with_rows(sort_rows(X), use)
        raise explain(flags & NOT_FINITE, X, self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True  # blobs cut at 0 are not what boolean learners are for
        return tags

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    def n_trials_(self) -> int:
        """How many examples have been learned from."""
        return int(self._learner.counts[0, 0])

    @property
    def n_mistakes_(self) -> int:
        """How many of them were first predicted wrongly."""
        return int(self._learner.counts[0, 1])

    @property
    def n_updates_(self) -> NDArray[np.int64]:
        """Updates of each learner (one in all if there are two classes)."""
        return self._learner.counts[1:, 0].copy()


def generator(random_state: Any) -> np.random.Generator:
    """The generator that `random_state` stands for."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31))
