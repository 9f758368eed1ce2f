"""The part of DNFWinnow that learns: its parameters, `fit`, `partial_fit`, and the checks of tables.

It knows no mathematics: `fit` makes a task of the table and its parameters and becomes the model that
:func:`winnowkit.dnf.choose.fit_softly` or :func:`winnowkit.dnf.table_fit.fit_by_mistakes` makes of it.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.validation import _check_sample_weight, check_consistent_length

from winnowkit.core.checks import require
from winnowkit.core.columns import columns_of, masked_error
from winnowkit.core.labels import check_labels, check_labels_repeat, plain_labels, warn_of_classes
from winnowkit.core.multiclass import encode_labels
from winnowkit.core.progress import Progress
from winnowkit.core.transaction import all_or_nothing
from winnowkit.core.validation import (
    check_are_classes,
    check_class_weight,
    check_numbers,
    check_two_classes,
    generator,
    is_count,
    times_class_weights,
    validate,
)
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.bound_literals import BoundLiterals
from winnowkit.dnf.choose import fit_softly
from winnowkit.dnf.engine import Engine, check_engine
from winnowkit.dnf.fit_settings import FitSettings
from winnowkit.dnf.kernels.problem import Codes
from winnowkit.dnf.learned_terms import LearnedTerms
from winnowkit.dnf.mistake_driven import MistakeDriven
from winnowkit.dnf.soft_learners import SoftLearners
from winnowkit.dnf.soft_training import Soft
from winnowkit.dnf.table_fit import MistakeSettings, TableTask, TrainedModel, begin_online, fit_by_mistakes, rows_of

BLOCK = 4096
"""Rows that are encoded at a time when predicting, so that memory does not grow with their number."""
ONLINE_LITERALS = 2, 1
"""The longest terms of soft updates on line, if `max_literals` is "auto": the first length with few enough terms."""

_GOAL: dict[str, str] = {
    "soft": "the loss on rows held out had stopped falling",
    "mistake-driven": "every learner had an epoch without an update",
}


@dataclass(kw_only=True, eq=False, repr=False)
class TermTraining(LearnedTerms, ClassifierMixin, BaseEstimator):
    """The part of :class:`winnowkit.DNFWinnow` that learns; its parameters are described there."""

    alpha: float = 1.5
    theta: float | Fraction | Literal["auto"] = "auto"
    max_literals: int | Literal["auto"] | None = "auto"
    max_epochs: int = 100
    max_time: float | None = None
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None
    encoder: CategoryEncoder | None = None
    engine: Engine | Literal["auto"] = "auto"
    training: MistakeDriven | Soft | None = None
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = True

    # --- learning ---------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Forget everything and learn from the rows of X.

        After an interrupt (Ctrl-C), the best model so far stays and KeyboardInterrupt is raised.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            The table: categories and numbers.
        y : array-like of shape (rows,)
            The labels.
        sample_weight : array-like of shape (rows,), optional
            The weight of each row, by which soft updates multiply its residual. A weight of 0 is the row's absence.
            Mistake-driven training takes whole numbers only: w stands for w equal rows in succession.

        Returns
        -------
        self
            The fitted model.
        """
        with self._lock.writing:
            return self._fit(X, y, sample_weight)

    def _fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        stop: Callable[[int], bool] = lambda _: False,
    ) -> Self:
        """Fit, and ask `stop` in each epoch, given the number of epochs so far, whether to end after the first."""
        self._check_parameters()
        deadline = math.inf if self.max_time is None else time.monotonic() + self.max_time
        with all_or_nothing(self):
            y = self._checked(X, y, reset=True)
            check_are_classes(y)
            X, y, given = self._present(X, y, sample_weight)
            if not len(y):
                raise ValueError("there are no rows to learn from: the table is empty")
            classes, targets = np.unique(y, return_inverse=True)
            check_labels_repeat(classes, len(y))
            self._forget(classes)
            weights = times_class_weights(given, self.class_weight, classes, targets)
            with Progress() if self.verbose else nullcontext() as progress:
                rng = generator(self.random_state)
                settings = FitSettings(self.max_epochs, deadline, stop, rng, self._threads, progress)
                task = TableTask(
                    X,
                    y,
                    targets=targets,
                    weights=np.ones(len(y)) if weights is None else weights,
                    n_classes=len(classes),
                    encoder=CategoryEncoder() if self.encoder is None else self.encoder,
                    settings=settings,
                )
                if self._is_soft:
                    found = fit_softly(task, self.max_literals or 1, self._mistakes if self.training is None else None)
                else:
                    found = fit_by_mistakes(task, self._mistakes)
            self._take(found)
        if found.ended == "interrupted":
            raise KeyboardInterrupt
        if found.ended in ("max_epochs", "max_time"):
            self._warn_of_limit(found.ended, stacklevel=4)
        return self

    def _warn_of_limit(self, name: str, stacklevel: int) -> None:
        """Warn that a parameter ended training before it was over."""
        warnings.warn(
            f"fit ended at {name}={getattr(self, name)} before {_GOAL[str(self.chosen_['training'])]}; "
            f"the model is the best so far. Increase {name} to train longer",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )

    def _take(self, model: TrainedModel) -> None:
        """Become this model."""
        self.encoder_, self._learners = model.encoder, model.learners
        self.n_epochs_, self.n_trials_, self.n_mistakes_ = model.n_epochs, model.n_trials, model.n_mistakes
        self.chosen_ = model.chosen
        if model.scale is not None:
            self._scale = model.scale

    def _trials(self, X: Any, y: Any, classes: NDArray[Any]) -> NDArray[np.int64]:
        first = not self.__sklearn_is_fitted__()
        y = self._checked(X, y, reset=first)
        labels = encode_labels(classes, y)
        if first:
            self._check_parameters()
            self._forget(classes)
            encoder = CategoryEncoder() if self.encoder is None else self.encoder
            soft: tuple[int, ...] = ()
            if isinstance(self.training, Soft):
                soft = ONLINE_LITERALS if self.max_literals == "auto" else (int(self.max_literals or 1),)
            self.encoder_, self._learners, codes = begin_online(encoder, X, y, self._mistakes, soft)
        else:
            codes = self._encoded(X, y)
        if self._soft is not None:
            self._learners, predicted = self._soft.after(codes, labels)
        else:
            blind = self._encoded(X) if self.encoder_.missing == "most_frequent" else None
            with all_or_nothing(self._learners):
                predicted = self._learners.follow(codes, labels, blind)
        self.n_trials_ += len(labels)
        self.n_mistakes_ += int(np.sum(predicted != labels))
        return predicted

    def learn_one(self, x: Any, y: Any) -> Any:
        """Perform one trial: predict, then learn from the label.

        Parameters
        ----------
        x : sequence or mapping
            A row of values; or values by column name, where an absent name is a missing value.
        y : label
            Its label.

        Returns
        -------
        label
            The label predicted before the update.
        """
        with self._lock.writing:
            self._check_begun()
            label = int(encode_labels(self.classes_, np.array([y]))[0])
            blind = self._encoded_row(x)
            if self._soft is not None:
                self._learners, predicted = self._soft.after(blind[None], np.array([label]))
                self.n_trials_ += 1
                self.n_mistakes_ += int(predicted[0] != label)
                return self.classes_[predicted[0]]
            codes = self._encoded_row(x, y) if self.encoder_.missing == "most_frequent" else blind
            predicted = self._learners.trial(codes, label, blind)
            self.n_trials_ += 1
            self.n_mistakes_ += predicted != label
            return self.classes_[predicted]

    # --- encoding ---------------------------------------------------------------------------------------------------

    def _blocks(self, X: Any) -> Iterator[Codes]:
        """Codes of X, a block of rows at a time."""
        self._check_begun()
        self._check_table(X, reset=False)
        n_rows = len(X) if hasattr(X, "__len__") else len(np.asarray(X))
        if n_rows <= BLOCK:
            yield self._encoded(X)
            return
        rows = X.iloc if hasattr(X, "iloc") else X
        for first in range(0, n_rows, BLOCK):
            yield self._encoded(rows[first : first + BLOCK])

    def _encoded(self, X: Any, y: Any = None) -> Codes:
        """The codes of a table for the learners: cells, or literals of bounds for learners from mistakes."""
        cells = self.encoder_.transform(X, y)
        return cells if self._soft is not None else BoundLiterals(self.encoder_).codes(cells)

    def _encoded_row(self, x: Any, y: Any = None) -> Codes:
        cells = self.encoder_.transform_one(x, y)
        return cells if self._soft is not None else BoundLiterals(self.encoder_).codes(cells[None])[0]

    # --- parameters -------------------------------------------------------------------------------------------------

    @property
    def _is_soft(self) -> bool:
        """Whether `fit` begins with soft updates: it does if asked to, and if nothing asks for anything else."""
        if self.training is not None:
            return isinstance(self.training, Soft)
        free = self.max_literals is not None and isinstance(self.engine, str) and isinstance(self.theta, str)
        return free and not (self.encoder is not None and self.encoder.monotone)

    @property
    def _soft(self) -> SoftLearners | None:
        learners = getattr(self, "_learners", None)
        return learners if isinstance(learners, SoftLearners) else None

    @property
    def _longest(self) -> int | None:
        """The length of the longest term of mistake-driven training; None if all terms count."""
        return None if isinstance(self.max_literals, str) else self.max_literals

    @property
    def _mistakes(self) -> MistakeSettings:
        """The parameters of training from mistakes."""
        engine = None if isinstance(self.engine, str) else self.engine
        training = self.training if isinstance(self.training, MistakeDriven) else MistakeDriven()
        classes = getattr(self, "classes_", np.empty(0)).tolist()
        return MistakeSettings(float(self.alpha), self.theta, self._longest, engine, training, classes)

    def _check_parameters(self) -> None:
        """Check all parameters that do not depend on the data."""
        check_numbers({name: value for name, value in self.get_params(deep=False).items() if name != "theta"})
        require(1 < self.alpha < math.inf, "alpha must be > 1 and finite", self.alpha)
        theta = 1.0 if self.theta == "auto" else self.theta
        require(not isinstance(theta, str) and 0 < theta < math.inf, "theta must be a number > 0 or 'auto'", theta)
        require(is_count(self.max_epochs), "max_epochs must be an integer >= 1", self.max_epochs)
        limit = 1.0 if self.max_time is None else self.max_time
        require(not isinstance(limit, str) and limit > 0, "max_time must be a number of seconds > 0", self.max_time)
        longest = self.max_literals
        require(
            longest is None or longest == "auto" or is_count(longest),
            "max_literals must be an integer >= 1, 'auto' or None",
            longest,
        )
        automatic = isinstance(self.engine, str) and self.engine == "auto"
        require(self._longest is None or automatic, "engine must be 'auto' with max_literals", self.engine)
        if not automatic:
            check_engine(self.engine)
            short = getattr(self.engine, "max_literals", None)
            advice = f"set max_literals={short} of DNFWinnow and leave engine='auto'"
            require(short is None, f"engine must sum over all terms; for short ones, {advice}", self.engine)
        check_class_weight(self.class_weight)
        require(isinstance(self.encoder, CategoryEncoder | None), "encoder must be a CategoryEncoder", self.encoder)
        kinds = MistakeDriven | Soft | None
        require(isinstance(self.training, kinds), "training must be MistakeDriven() or Soft()", self.training)
        if isinstance(self.training, MistakeDriven):
            self.training.check()
        if isinstance(self.training, Soft):
            require(longest is not None, "max_literals must be a number or 'auto' with training=Soft()", longest)
            require(automatic, "engine must be 'auto' with training=Soft()", self.engine)

    def _forget(self, classes: NDArray[Any]) -> None:
        """Forget everything but the classes."""
        check_two_classes(classes)
        warn_of_classes(classes)
        self.classes_ = classes
        self.n_trials_ = self.n_mistakes_ = 0
        for name in ("n_epochs_", "chosen_", "_learners", "_scale"):
            self.__dict__.pop(name, None)

    # --- checking ---------------------------------------------------------------------------------------------------

    def _checked(self, X: Any, y: Any, *, reset: bool) -> NDArray[Any]:
        """Check the shape and column names of X, and return y as an array."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        if np.ma.isMaskedArray(y):
            raise masked_error("y")
        self._check_table(X, reset=reset)
        check_labels(y)
        labels: NDArray[Any] = column_or_1d(plain_labels(y), warn=True)
        assert_all_finite(labels, input_name="y", estimator_name=type(self).__name__)
        check_consistent_length(X, labels)
        return labels

    def _present(
        self, X: Any, y: NDArray[Any], sample_weight: ArrayLike | None
    ) -> tuple[Any, NDArray[Any], NDArray[np.float64] | None]:
        """Return the rows of a weight above 0, their labels, and their weights (None if all are 1)."""
        if sample_weight is None:
            return X, y, None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        present = weights > 0.0
        return rows_of(X, present), y[present], weights[present]

    def _check_table(self, X: Any, *, reset: bool) -> None:
        if isinstance(X, list | tuple) and not X:
            raise ValueError("Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required.")
        if isinstance(X, list | tuple | Mapping) or getattr(X, "ndim", 2) != 2:
            named = columns_of(X if isinstance(X, Mapping) else X[:1]).names  # says what is wrong if X is not a table
            if named is not None and not reset:
                return  # dictionaries, whose values the encoder finds by name
        validate(self, X, reset=reset, skip_check_array=True)

    def _check_begun(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("This DNFWinnow instance is not fitted yet; call fit or partial_fit first.")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learners")

    @property
    def _threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True  # missing values
        tags.classifier_tags.poor_score = True  # it is not made for blobs cut into intervals
        return tags
