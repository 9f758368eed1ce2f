"""Winnow over every conjunction of column values of a table, as a scikit-learn classifier."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length

from winnowkit.core.columns import columns_of, refuse_masked
from winnowkit.core.multiclass import check_classes, decision_values, encode_labels
from winnowkit.core.progress import Progress
from winnowkit.core.transaction import all_or_nothing
from winnowkit.core.validation import check_n_features, check_numbers, check_two_classes, generator, require, validate
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.auto import Auto
from winnowkit.dnf.bounded import ShortTerms, check_size, n_short_terms
from winnowkit.dnf.engine import Engine, check_engine
from winnowkit.dnf.experts import teach
from winnowkit.dnf.interpretation import Fitted
from winnowkit.dnf.kernels.problem import Codes
from winnowkit.dnf.learned_terms import LearnedTerms
from winnowkit.dnf.learners import Learners
from winnowkit.dnf.log import MistakeLog
from winnowkit.dnf.mistake_driven import MistakeDriven, TrainingTask, is_count

BLOCK = 4096
"""Rows that are encoded at a time when predicting, so that memory does not grow with their number."""


@dataclass(kw_only=True, eq=False, repr=False)
class DNFWinnow(LearnedTerms, ClassifierMixin, BaseEstimator):
    """Winnow over every conjunction of column values ("term") of a table: learns DNF formulas.

    Every one of the prod(k_j + 1) terms has a weight, none of which is stored: the sum of the weights of the terms that
    an example satisfies is computed exactly from the log of past mistakes. Floating-point columns are cut into
    intervals, on the training rows. Missing values are None, NaN and "?"; when predicting, so is a category not seen in
    training.

    Parameters
    ----------
    alpha : float, default=1.5
        The factor of a promotion, > 1; a demotion divides by it.
    theta : float or "auto", default="auto"
        The threshold, > 0: a learner predicts 1 if and only if its sum is at least theta. "auto" is the number of
        terms, prod(k_j + 1).
    max_literals : int, optional
        The length of the longest term: only terms of at most so many literals count, and theta "auto" is their number.
        Sums then take O(n^max_literals), from tables of all these terms, whatever the number of mistakes; `engine` must
        be "auto".
    max_epochs : int, default=100
        The most passes of `fit` over the rows; a learner stops after one without an update of its own.
    max_time : float, optional
        The most seconds of `fit`, also within an epoch; the best model so far then stays, with a ConvergenceWarning, as
        it does after `max_epochs` epochs that all had updates.
    encoder : CategoryEncoder, optional
        How the columns are encoded: missing values, numbers to be cut, monotone columns, values that no term may ask
        for. None stands for ``CategoryEncoder()``; see :class:`winnowkit.data.CategoryEncoder`.
    engine : "auto" or engine, default="auto"
        Computes the sums: ``Exact()``, ``Descent(...)``, ``Population(...)``, ``Ladder(...)`` or another engine. "auto"
        is exact up to two million nodes per sum, and sampled by ``Descent()`` beyond (:class:`winnowkit.dnf.Auto`);
        `estimate` says which.
    training : MistakeDriven, optional
        How the model learns: margin, limit of updates, learners of two classes, order of the rows. None stands for
        ``MistakeDriven()``; see :class:`winnowkit.dnf.MistakeDriven`.
    random_state : int, RandomState or Generator, optional
        For the order of the rows and for sums that are sampled; an integer makes `fit` repeatable.
    n_jobs : int, optional
        The number of threads, over rows and classes; the results do not depend on it.
    verbose : bool, default=True
        Whether a `fit` of more than two seconds shows a progress bar, in terminals and notebooks only.

    Attributes
    ----------
    classes_ : array
        The labels, sorted; ``classes_[1]`` is the positive one of two.
    encoder_ : CategoryEncoder
        The fitted encoder; the first call of `fit` or `partial_fit` fixes the categories and cuts.
    logs_ : list of MistakeLog
        The log of mistakes of each learner.
    theta_ : int, float or Fraction
        The threshold; an exact integer if "auto".
    log_theta_ : float
        Its natural logarithm.
    n_trials_ : int
        Examples learned from; an epoch counts each row again.
    n_mistakes_ : int
        How many of them were first predicted wrongly. `fit` with several learners or a margin does not know that (it
        would have to compute all sums), and counts the trials in which any learner was updated, which are no fewer.
    n_epochs_ : int
        Passes of the last `fit`; absent if there was none.
    chosen_ : dict
        What the last `fit` decided: `two_class`, "single" or "pair".

    See Also
    --------
    winnowkit.dnf.Exact : Computes the sums.
    winnowkit.dnf.Descent : Samples those that take too long.
    winnowkit.dnf.PAPER : Parameters of the paper's learner.
    winnowkit.rulesets.RuleSet : Returned by `rules` and `compact`.
    winnowkit.bounds.dnf_winnow : The mistake bound.

    References
    ----------
    Tao & Scott 2004, An analysis of MCMC sampling methods for estimating weighted sums in Winnow, sections 2, 5 and 6.

    Examples
    --------
    >>> from winnowkit import DNFWinnow
    >>> from winnowkit.data import load_dataset
    >>> X, y = load_dataset("tic-tac-toe", return_X_y=True)
    >>> model = DNFWinnow(random_state=0).fit(X[::2], y[::2])
    >>> float((model.predict(X[1::2]) == y[1::2]).mean())
    1.0
    >>> model.logs_
    [MistakeLog(n_attributes=9, 325 examples, 235 promotions, 208 demotions)]

    The learner of the paper:

    >>> from winnowkit.dnf import PAPER
    >>> paper = DNFWinnow(**PAPER, max_epochs=20).fit(X[::2], y[::2])
    >>> len(paper.logs_)
    2
    """

    alpha: float = 1.5
    theta: float | Fraction | Literal["auto"] = "auto"
    max_literals: int | None = None
    max_epochs: int = 100
    max_time: float | None = None
    encoder: CategoryEncoder | None = None
    engine: Engine | Literal["auto"] = "auto"
    training: MistakeDriven | None = None
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = True

    # --- learning ---------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Forget everything and learn from the rows of X, until an epoch has no update or `max_epochs` times over.

        After an interrupt (Ctrl-C), the best model so far stays and KeyboardInterrupt is raised.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            The table of categories and numbers.
        y : array-like of shape (rows,)
            The labels.

        Returns
        -------
        self
            The fitted model.
        """
        with self._lock.writing:
            return self._fit(X, y)

    def _fit(self, X: Any, y: ArrayLike, stop: Callable[[int], bool] = lambda _: False) -> Self:
        """Fit, and ask `stop` before each epoch, given the number of epochs so far, whether to end after the first."""
        self._check_parameters()
        deadline = math.inf if self.max_time is None else time.monotonic() + self.max_time
        with all_or_nothing(self):
            y = self._checked(X, y, reset=True)
            check_classification_targets(y)
            classes, targets = np.unique(y, return_inverse=True)
            codes, rng = self._start(X, y, classes), generator(self.random_state)
            (for_sums,) = rng.spawn(1)
            with Progress() if self.verbose else nullcontext() as progress:
                task = TrainingTask(
                    codes,
                    targets.astype(np.int64),
                    begin=partial(self._begin, seed=int(for_sums.integers(2**63))),
                    n_classes=len(classes),
                    may_pair=not self.encoder_.monotone,
                    max_epochs=self.max_epochs,
                    deadline=deadline,
                    stop=stop,
                    rng=rng,
                    n_jobs=self._threads,
                    progress=progress,
                )
                self._learners, outcome = self._training.fit(task)
            self.n_epochs_, self.n_trials_, self.n_mistakes_, ended = outcome
            self.chosen_ = {"two_class": "pair" if len(self._learners.logs) == len(classes) == 2 else "single"}
        if ended == "interrupted":
            raise KeyboardInterrupt
        if ended in ("max_epochs", "max_time"):
            warnings.warn(
                f"fit ended at {ended}={getattr(self, ended)} before every learner had an epoch without an update; "
                f"the model is the best so far. Increase {ended} to train longer",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def _trials(self, X: Any, y: Any, classes: NDArray[Any]) -> NDArray[np.int64]:
        first = not self.__sklearn_is_fitted__()
        y = self._checked(X, y, reset=first)
        labels = encode_labels(classes, y)
        if first:
            self._check_parameters()
            codes = self._start(X, y, classes, more_to_come=True)
            self._learners = self._begin(self._training.n_learners(len(classes)))
        else:
            codes = self.encoder_.transform(X, y)
        blind = self.encoder_.transform(X) if self.encoder_.missing == "most_frequent" else None
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
            blind = self.encoder_.transform_one(x)
            codes = self.encoder_.transform_one(x, y) if self.encoder_.missing == "most_frequent" else blind
            predicted = self._learners.trial(codes, label, blind)
            self.n_trials_ += 1
            self.n_mistakes_ += predicted != label
            return self.classes_[predicted]

    # --- predicting -------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict a label for each row; the model does not change.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            The table.

        Returns
        -------
        array of shape (rows,)
            One label per row.
        """
        with self._lock.reading:
            parts = [self._learners.predict(codes, self._threads) for codes in self._blocks(X)]
            labels: NDArray[Any] = self.classes_[np.concatenate(parts)]
        return labels

    def predict_one(self, x: Any) -> Any:
        """Predict the label of one row.

        Parameters
        ----------
        x : sequence or mapping
            A row of values; or values by column name, where an absent name is a missing value.

        Returns
        -------
        label
            The label predicted.
        """
        with self._lock.reading:
            self._check_begun()
            return self.classes_[self._learners.predict(self.encoder_.transform_one(x)[None])[0]]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Compute log W - log theta; for a pair of learners log W1 - log W0. Above 0 predicts ``classes_[1]`` of two.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            The table.

        Returns
        -------
        array of shape (rows,), or (rows, classes) if there are more than two
            One decision per row, or per row and class.
        """
        with self._lock.reading:
            parts = [self._learners.decisions(codes, self._threads) for codes in self._blocks(X)]
            return decision_values(np.concatenate(parts))

    # --- starting ---------------------------------------------------------------------------------------------------

    @property
    def _training(self) -> MistakeDriven:
        return MistakeDriven() if self.training is None else self.training

    @property
    def _engine(self) -> Engine:
        return Auto() if isinstance(self.engine, str) else self.engine

    def _check_parameters(self) -> None:
        """Check all parameters that do not depend on the data."""
        check_numbers({name: value for name, value in self.get_params(deep=False).items() if name != "theta"})
        require(1 < self.alpha < math.inf, "alpha must be > 1 and finite", self.alpha)
        theta = 1.0 if self.theta == "auto" else self.theta
        require(not isinstance(theta, str) and 0 < theta < math.inf, "theta must be a number > 0 or 'auto'", theta)
        require(is_count(self.max_epochs), "max_epochs must be an integer >= 1", self.max_epochs)
        limit = 1.0 if self.max_time is None else self.max_time
        require(not isinstance(limit, str) and limit > 0, "max_time must be a number of seconds > 0", self.max_time)
        short = self.max_literals is not None
        require(not short or is_count(self.max_literals), "max_literals must be an integer >= 1", self.max_literals)
        automatic = isinstance(self.engine, str) and self.engine == "auto"
        require(not short or automatic, "engine must be 'auto' with max_literals", self.engine)
        check_engine(None if automatic else self.engine)
        require(isinstance(self.encoder, CategoryEncoder | None), "encoder must be a CategoryEncoder", self.encoder)
        require(isinstance(self.training, MistakeDriven | None), "training must be MistakeDriven", self.training)
        self._training.check()

    def _start(self, X: Any, y: NDArray[Any], classes: NDArray[Any], *, more_to_come: bool = False) -> Codes:
        """Forget everything, learn the categories, and return the codes of the training rows."""
        self.encoder_ = CategoryEncoder() if self.encoder is None else clone(self.encoder)
        codes = self.encoder_.fit_transform(X, y, more_to_come=more_to_come)
        check_two_classes(classes)
        self.classes_ = classes
        self.n_trials_ = self.n_mistakes_ = 0
        for name in ("n_epochs_", "chosen_"):
            self.__dict__.pop(name, None)
        return codes

    def _begin(self, n_learners: int, seed: int = 0) -> Learners:
        """Learners that have seen nothing but the rules of experts."""
        encoder, training, alpha = self.encoder_, self._training, float(self.alpha)
        theta: Any = self._n_terms if self.theta == "auto" else self.theta
        engine = self._engine
        if self.max_literals is not None:
            check_size(encoder.n_categories_, self.max_literals, n_learners, encoder.feature_names_)
            engine = ShortTerms(encoder.n_categories_, self.max_literals)
        learners = Learners(n_learners, encoder.n_features_in_, alpha, theta, engine, training.max_mistakes, seed)
        if training.experts is not None:
            teach(learners, encoder, self.classes_.tolist(), training.experts, self.max_literals)
        return learners

    @property
    def _n_terms(self) -> int:
        if self.max_literals is not None:
            return n_short_terms(self.encoder_.n_allowed_, self.max_literals)
        return math.prod(int(k) + 1 for k in self.encoder_.n_allowed_)

    # --- checking ---------------------------------------------------------------------------------------------------

    def _checked(self, X: Any, y: Any, *, reset: bool) -> NDArray[Any]:
        """Check the shape and column names of X, and return y as an array."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        refuse_masked(y, "y")
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
            columns_of(X[:1])  # says what is wrong if X is not a table
        validate(self, X, reset=reset, skip_check_array=True)

    def _blocks(self, X: Any) -> Iterator[Codes]:
        """Codes of X, a block of rows at a time."""
        self._check_begun()
        self._check_table(X, reset=False)
        n_rows = len(X) if hasattr(X, "__len__") else len(np.asarray(X))
        if n_rows <= BLOCK:
            yield self.encoder_.transform(X)
            return
        rows = X.iloc if hasattr(X, "iloc") else X
        for first in range(0, n_rows, BLOCK):
            yield self.encoder_.transform(rows[first : first + BLOCK])

    def _fitted(self, max_literals: int | None = None) -> Fitted:
        """The fitted model, for the functions that interpret it."""
        self._check_begun()
        limits = [limit for limit in (max_literals, self.max_literals) if limit is not None]
        return Fitted(self._learners, self.encoder_, self.classes_, min(limits, default=None))

    @property
    def _threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))

    def _check_begun(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("This DNFWinnow instance is not fitted yet; call fit or partial_fit first.")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learners")

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a saved model; the state comes from a file and may be anything."""
        super().__setstate__(state)
        if self.__sklearn_is_fitted__():
            check_n_features(self, self.encoder_.n_features_in_)
            check_classes(self.classes_)
            logs = self._learners.logs
            widths = {log.n_attributes if isinstance(log, MistakeLog) else None for log in logs}
            if widths != {self.encoder_.n_features_in_}:
                raise ValueError(f"logs of {widths} attributes for a table of {self.encoder_.n_features_in_} columns")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True  # missing values
        tags.classifier_tags.poor_score = True  # it is not made for blobs cut into intervals
        return tags


def check_parameters(estimator: DNFWinnow) -> None:
    """Raise ValueError if a parameter that does not depend on the data makes no sense."""
    estimator._check_parameters()


def new_learners(estimator: DNFWinnow, n_classes: int, n_attributes: int, theta: float | Fraction) -> Learners:
    """Return learners with the parameters of an estimator that have seen nothing, and can take in more columns.

    The estimator stays as it is. This is for tables whose columns and categories appear over time: `theta` is given, as
    the number of terms follows from what was seen so far. Terms of any length count, and there are no experts.
    """
    training = estimator._training
    n_learners = training.n_learners(n_classes)
    return Learners(n_learners, n_attributes, float(estimator.alpha), theta, estimator._engine, training.max_mistakes)
