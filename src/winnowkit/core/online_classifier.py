"""The scikit-learn face that all learners of attributes share: tables in, trials, labels out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Literal, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from winnowkit.core.checks import require
from winnowkit.core.csr import BadRowsError, Trials
from winnowkit.core.docstrings import filled, indented
from winnowkit.core.encoded_rows import check_binarize, encode_rows
from winnowkit.core.explaining import Explains
from winnowkit.core.labels import check_labels_repeat, warn_of_classes
from winnowkit.core.learner import Decide, GrowingLearner, Learner, decide_in_threads
from winnowkit.core.multiclass import check_classes, chosen, decision_values, encode_labels, n_learners_for
from winnowkit.core.one_example import SingleExamples
from winnowkit.core.online import OnlineTrials
from winnowkit.core.posterior import has_scores_only
from winnowkit.core.transaction import all_or_nothing, reads
from winnowkit.core.validation import (
    NO_Y,
    check_are_classes,
    check_class_weight,
    check_n_features,
    check_numbers,
    check_two_classes,
    classes_for,
    generator,
    is_plain,
    known_classes,
    learners_in_memory,
    present_rows,
    repaired_rows,
    times_class_weights,
    validate,
)

Weights = NDArray[np.float64] | None  # of rows; None if all are 1


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineClassifier(OnlineTrials, SingleExamples, Explains, ClassifierMixin, BaseEstimator):
    """A learner with scikit-learn's face; a subclass makes the learner by `_begin`."""

    def __init_subclass__(cls) -> None:
        cls.__doc__ = filled(indented(cls.__doc__))

    max_epochs: int | Literal["auto"] = 1
    shuffle: bool = False
    class_weight: Any = None
    random_state: Any = None
    n_jobs: int | None = None

    @abstractmethod
    def _begin(self, n_features: int, n_learners: int) -> Any:
        """Check the parameters and return a learner that has seen nothing."""

    def _begin_growing(self, n_features: int, n_learners: int) -> GrowingLearner:
        """As `_begin`, for a learner whose attributes turn up over time; see :func:`new_learner`."""
        learner: GrowingLearner = self._begin(n_features, n_learners)
        return learner

    def _rows(self, X: Any) -> Any:
        """Return validated examples in a form that the learner takes."""
        return encode_rows(X, self.binarize)

    def _look_at(self, X: Any, stacklevel: int) -> None:
        """Look at the validated examples of the first call; a warning points to the call so many levels above."""

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
        with self._lock.writing, all_or_nothing(self):
            check_numbers({"n_features": n_features})
            require(n_features >= 1, "n_features must be at least 1", n_features)
            self._start(n_features, known_classes(classes))
            self.n_features_in_ = int(n_features)
            self.__dict__.pop("feature_names_in_", None)
        return self

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters by name, as `get_params` does, which inspects the signature anew each time."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _check_parameters(self) -> None:
        """Check the parameters that all learners have."""
        require(self._most_epochs >= 1, "max_epochs must be an integer >= 1", self.max_epochs)
        check_numbers(self._parameters())
        check_binarize(self.binarize)
        check_class_weight(self.class_weight)

    def _start(self, n_features: int, classes: NDArray[Any]) -> None:
        self._check_parameters()
        check_two_classes(classes)
        warn_of_classes(classes)
        with learners_in_memory(type(self).__name__, n_features):
            self._learner: Learner = self._begin(n_features, n_learners_for(len(classes)))
        self._fractions = False  # whether weights had fractions, which no theorem covers
        self._know(classes)
        self._started()

    def _started(self) -> None:
        """Remember what belongs to this start; by default nothing."""

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
            check_n_features(self, self._learner.n_features)

    # --- learning ---------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Forget everything and learn from the rows of X, in at most `max_epochs` passes.

        If `fit` is interrupted after the first epoch, what the completed epochs have learned is kept; if it fails or is
        interrupted before, nothing changes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, attributes)
            The examples.
        y : array-like of shape (rows,)
            Their labels.
        sample_weight : array-like of shape (rows,), optional
            Their weights, >= 0: a weight of w stands for w presentations of the row in succession, and 0 for its
            absence. What a fraction means depends on the learner.

        Returns
        -------
        self
            The learner.
        """
        with self._lock.writing:
            with all_or_nothing(self):
                X, y = self._validated(X, y, reset=True)
                check_are_classes(y)
                X, y, given = present_rows(X, y, sample_weight)
                if X.shape[0] == 0:
                    raise ValueError("all values of sample_weight are zero; at least one row must take part")
                classes, labels = np.unique(y, return_inverse=True)
                check_labels_repeat(classes, X.shape[0])
                self._start(X.shape[1], classes)
                self._look_at(X, stacklevel=2)
                weights = self._with_class_weights(given, labels)
                rng = generator(self.random_state) if self.shuffle else None
                order = new_order(rng, len(labels))
                trials = self._first_epoch(X, Trials(None, labels, order, weights=weights))
            self._further_epochs(trials, rng)
        return self

    def _with_class_weights(self, weights: Weights, labels: NDArray[np.int64]) -> Weights:
        """Return the weights of rows times those of their classes, and note whether there are fractions."""
        weights = times_class_weights(weights, self.class_weight, self.classes_, labels)
        self._fractions |= weights is not None and bool((weights % 1.0 != 0.0).any())
        return weights

    def _first_epoch(self, X: Any, trials: Trials) -> Trials:
        """Learn from the rows of X, which are repaired if need be, and return the trials with these rows."""
        trials = trials._replace(rows=self._rows(X))
        try:
            self._learner.learn(trials)
        except BadRowsError as bad:
            trials = trials._replace(rows=repaired_rows(X, bad.flags, self))
            self._learner.learn(trials)
        return trials

    def _further_epochs(self, trials: Trials, rng: np.random.Generator | None) -> None:
        """Go on after the first epoch."""
        for _ in self._epochs(trials, rng):
            pass

    def _epochs(self, trials: Trials, rng: np.random.Generator | None) -> Iterator[NDArray[np.bool_]]:
        """Run one further epoch after the other, and tell after each which learners have settled."""
        frozen = (self._learner.counts[1:] == 0).all(axis=1)
        for _ in range(1, self._most_epochs):
            if frozen.all():
                break
            before = self._learner.counts[1:].copy()
            order = new_order(rng, len(trials.labels))
            self._learner.learn(trials._replace(order=order, frozen=frozen))
            frozen |= (self._learner.counts[1:] == before).all(axis=1)
            yield frozen

    @property
    def _most_epochs(self) -> int:
        """The largest number of epochs of `fit`."""
        if not isinstance(self.max_epochs, (int, np.integer)):
            raise ValueError(f"max_epochs must be an integer >= 1, got {self.max_epochs!r}")
        return int(self.max_epochs)

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
            Their weights, as for :meth:`fit`.

        Returns
        -------
        self
            The learner.
        """
        with self._lock.writing, all_or_nothing(self):
            self._trials(X, y, classes_for(self, classes), sample_weight)
        return self

    def _trials(
        self, X: Any, y: Any, classes: NDArray[Any], sample_weight: ArrayLike | None = None
    ) -> NDArray[np.int64]:
        first = not self.__sklearn_is_fitted__()
        X, y = self._validated(X, y, reset=first)
        check_class_weight(self.class_weight, online=True)
        X, y, given = present_rows(X, np.asarray(y), sample_weight)
        labels = encode_labels(classes, y)
        if first:
            self._start(X.shape[1], classes)
            self._look_at(X, stacklevel=3)
        weights = self._with_class_weights(given, labels)
        try:
            return self._learner.learn(Trials(self._rows(X), labels, weights=weights))
        except BadRowsError as bad:
            return self._learner.learn(Trials(repaired_rows(X, bad.flags, self), labels, weights=weights))

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
            One decision per row, or per row and class.
        """
        with self._lock.reading:
            self._check_begun()
            return decision_values(self._by_rows(self._learner.decide, X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict a label for each row; the learner does not change.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, attributes)
            The examples.

        Returns
        -------
        array of shape (rows,)
            One label per row.
        """
        with self._lock.reading:
            self._check_begun()
            codes = chosen(self._by_rows(self._learner.decide, X))
            labels: NDArray[Any] = self.classes_[codes]
        return labels

    @available_if(lambda model: model._has_probabilities())
    @reads
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, in learners that have probabilities.

        With a posterior for more than two classes, each is set against the rest, and the probabilities are scaled.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, attributes)
            The examples.

        Returns
        -------
        array of shape (rows, classes)
            Each row adds up to 1.
        """
        self._check_begun()
        return self._probabilities(X)

    def _has_probabilities(self) -> bool:
        """Whether there is `predict_proba`; if not, raise AttributeError, which says how to get probabilities."""
        return has_scores_only(self)

    def _probabilities(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of the classes, if there are any."""
        raise NotImplementedError

    def _by_rows(self, decide: Decide, X: Any) -> NDArray[np.float64]:
        """Call a method of the learner on the rows of X, in threads; the results have one row per row of X."""
        X = self._validated(X, NO_Y, reset=False)
        n_jobs = effective_n_jobs(self.n_jobs)
        try:
            return decide_in_threads(decide, self._rows(X), X.shape[0], n_jobs)
        except BadRowsError as bad:
            return decide_in_threads(decide, repaired_rows(X, bad.flags, self), X.shape[0], n_jobs)

    # --- checking ---------------------------------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learner")

    def _validated(self, X: Any, y: Any, *, reset: bool) -> Any:
        """X as a float array or CSR matrix (not yet checked for NaN if sparse), and y."""
        if is_plain(X, y):
            if reset:
                self.n_features_in_ = X.shape[1]
                self.__dict__.pop("feature_names_in_", None)
            if X.shape[1] == self.n_features_in_ and not hasattr(self, "feature_names_in_"):
                return X if isinstance(y, str) else (X, y)
        return validate(
            self,
            X,
            y,
            reset=reset,
            accept_sparse="csr",
            dtype=np.float64,
            ensure_all_finite=not issparse(X),
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True  # blobs cut at 0 are not what boolean learners are for
        return tags

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    def n_trials_(self) -> int:
        """How many examples have been learned from."""
        with self._lock.reading:
            return int(self._learner.counts[0, 0])

    @property
    def n_mistakes_(self) -> int:
        """How many of them were first predicted wrongly."""
        with self._lock.reading:
            return int(self._learner.counts[0, 1])

    @property
    def n_updates_(self) -> NDArray[np.int64]:
        """Updates of each learner (one in all if there are two classes)."""
        with self._lock.reading:
            return self._learner.counts[1:, 0].copy()


def new_learner(estimator: OnlineClassifier, n_features: int, n_learners: int) -> GrowingLearner:
    """Return a learner with the parameters of an estimator that has seen nothing, and can take in more attributes.

    The estimator stays as it is. Parameters that depend on the number of attributes follow it when the learner grows.
    """
    return estimator._begin_growing(n_features, n_learners)


def new_order(rng: np.random.Generator | None, n_rows: int) -> NDArray[np.int64] | None:
    """Draw an order of rows; without a generator they come as they are."""
    return None if rng is None else rng.permutation(n_rows)
