"""The part of DNFWinnow that learns: its parameters, `fit`, `partial_fit`, and the choices that `fit` makes itself.

Soft training is in `dnf/choose.py` and `dnf/soft.py`; training from mistakes is in `dnf/mistake_driven.py`,
`dnf/learners.py` and `dnf/training.py`. Either returns a :class:`TrainedModel`, which `fit` makes its own.
"""

from __future__ import annotations

import math
import time
import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_consistent_length

from winnowkit.core.columns import masked_error
from winnowkit.core.multiclass import chosen, decision_values, encode_labels
from winnowkit.core.progress import Progress, Work
from winnowkit.core.transaction import all_or_nothing
from winnowkit.core.validation import (
    check_class_weight,
    check_numbers,
    check_two_classes,
    generator,
    is_count,
    require,
    times_class_weights,
)
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.auto import Auto
from winnowkit.dnf.bound_literals import BoundLiterals, encode_for_mistakes
from winnowkit.dnf.bounded import ShortTerms, check_size, n_short_terms
from winnowkit.dnf.choose import (
    SoftFit,
    TableTask,
    TrainedModel,
    best_of,
    encode_bounds,
    fit_soft,
    is_better,
    needs_all_terms,
    rows_of,
    time_for_all_terms,
    try_lengths,
    with_more_splits,
)
from winnowkit.dnf.engine import Engine, check_engine
from winnowkit.dnf.experts import teach
from winnowkit.dnf.kernels.problem import Codes
from winnowkit.dnf.learned_terms import LearnedTerms
from winnowkit.dnf.learners import Learners
from winnowkit.dnf.mistake_driven import MistakeDriven, TrainingTask
from winnowkit.dnf.soft import Soft, calibration
from winnowkit.dnf.soft_learners import SoftLearners

ONLINE_LITERALS = 2
"""The longest terms of soft updates on line, if `max_literals` is "auto"."""

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
        """Fit, and ask `stop` before each epoch, given the number of epochs so far, whether to end after the first."""
        self._check_parameters()
        deadline = math.inf if self.max_time is None else time.monotonic() + self.max_time
        with all_or_nothing(self):
            y = self._checked(X, y, reset=True)
            check_classification_targets(y)
            X, y, given = self._present(X, y, sample_weight)
            classes, targets = np.unique(y, return_inverse=True)
            self._forget(classes)
            weights = times_class_weights(given, self.class_weight, classes, targets)
            with Progress() if self.verbose else nullcontext() as progress:
                task = TableTask(
                    X,
                    y,
                    targets=targets,
                    weights=np.ones(len(y)) if weights is None else weights,
                    n_classes=len(self.classes_),
                    encoder=CategoryEncoder() if self.encoder is None else self.encoder,
                    max_epochs=self.max_epochs,
                    deadline=deadline,
                    rng=generator(self.random_state),
                    n_jobs=self._threads,
                    progress=progress,
                    encoded={},
                    work=Work(),
                )
                found = self._fit_softly(task, stop) if self._is_soft else self._fit_by_mistakes(task, stop)
            self._take(found)
        ended = found.ended
        if ended == "interrupted":
            raise KeyboardInterrupt
        if ended in ("max_epochs", "max_time"):
            warnings.warn(
                f"fit ended at {ended}={getattr(self, ended)} before {_GOAL[str(self.chosen_['training'])]}; "
                f"the model is the best so far. Increase {ended} to train longer",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def _take(self, model: TrainedModel) -> None:
        """Become this model."""
        self.encoder_, self._learners = model.encoder, model.learners
        self.n_epochs_, self.n_trials_, self.n_mistakes_ = model.n_epochs, model.n_trials, model.n_mistakes
        self.chosen_ = model.chosen
        if model.scale is not None:
            self._scale = model.scale

    def _fit_softly(self, task: TableTask, stop: Callable[[int], bool]) -> TrainedModel:
        """Learn by soft updates; if nothing says otherwise, over the terms that pay, and perhaps over all terms."""
        if self.max_literals == "auto":
            fits = try_lengths(task, stop)
        else:
            fits = [fit_soft(task, int(self.max_literals or 1), stop)]
        best = with_more_splits(best_of(fits, task.weights))
        report = {"training": "soft", "max_literals": best.max_literals, "tried": [fit.summary for fit in fits]}
        n_epochs = best.held_out.n_epochs
        soft = TrainedModel(best.encoder, best.learners, n_epochs, n_epochs * len(task.y), 0, best.ended, report)
        free = self.max_literals == "auto" and self.training is None and (task.weights == 1.0).all()
        if not free or not needs_all_terms(fits, task.weights):
            return soft
        return self._try_all_terms(task, fits, soft, stop)

    def _try_all_terms(
        self, task: TableTask, fits: list[SoftFit], soft: TrainedModel, stop: Callable[[int], bool]
    ) -> TrainedModel:
        """Learn from mistakes over all terms, on four fifths of the rows, and on all rows if that was better."""
        begun = time.monotonic()
        held = np.zeros(len(task.y), dtype=np.bool_)
        held[task.rng.permutation(len(held))[: len(held) // 5]] = True
        part = self._fit_by_mistakes(task.of_rows(~held, begun + time_for_all_terms(fits)), stop)
        found = {"training": "mistake-driven", "max_literals": None, "seconds": time.monotonic() - begun}
        tried = [*soft.chosen["tried"], found]
        if part.ended != "clean epoch":
            found["ended"] = part.ended
            ended = "interrupted" if part.ended == "interrupted" else soft.ended
            return soft._replace(ended=ended, chosen={**soft.chosen, "tried": tried})
        codes = BoundLiterals(part.encoder).codes(part.encoder.transform(rows_of(task.X, held)))
        decisions = part.learners.decisions(codes, self._threads)
        wrong = chosen(decisions) != task.targets[held]
        found["error"] = float(wrong.mean())
        if not is_better(wrong, fits[-1].wrong[held], task.weights[held]):
            return soft._replace(chosen={**soft.chosen, "tried": tried})
        values = decision_values(decisions)
        scores = values[None] if values.ndim == 1 else values.T
        scale = calibration(scores, task.targets[held], task.weights[held], shifted=False)[0]
        whole = self._fit_by_mistakes(task, stop)
        return whole._replace(scale=scale, chosen={**whole.chosen, "tried": tried})

    def _fit_by_mistakes(self, task: TableTask, stop: Callable[[int], bool]) -> TrainedModel:
        """Learn from mistakes, over terms of a given length or over all of them."""
        encoder, cells = encode_for_mistakes(task.encoder, task.X, task.y, self._longest)
        codes = BoundLiterals(encoder).codes(cells)
        repeats = task.weights.astype(np.int64)
        if (repeats != task.weights).any():
            raise ValueError(
                "mistake-driven training takes whole numbers as weights of rows and classes, because promotions are "
                "whole; use training=Soft() for other weights"
            )
        (for_sums,) = task.rng.spawn(1)
        learners, outcome = self._from_mistakes.fit(
            TrainingTask(
                codes.repeat(repeats, axis=0),
                task.targets.repeat(repeats),
                begin=partial(self._begin, encoder, seed=int(for_sums.integers(2**63))),
                n_classes=task.n_classes,
                may_pair=not encoder.monotone,
                max_epochs=self.max_epochs,
                deadline=task.deadline,
                stop=stop,
                rng=task.rng,
                n_jobs=task.n_jobs,
                progress=task.progress,
            )
        )
        pair = len(learners.logs) == task.n_classes == 2
        two_class = "pair" if pair else "single"
        report = {
            "training": "mistake-driven",
            "max_literals": self._longest,
            "two_class": two_class,
            "margin": float(self._from_mistakes.margin),
            "max_updates": self._from_mistakes.max_updates,
        }
        return TrainedModel(encoder, learners, *outcome, report)

    def _trials(self, X: Any, y: Any, classes: NDArray[Any]) -> NDArray[np.int64]:
        first = not self.__sklearn_is_fitted__()
        y = self._checked(X, y, reset=first)
        labels = encode_labels(classes, y)
        if first:
            self._check_parameters()
            self._forget(classes)
            codes = self._begin_online(X, y)
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

    def _begin_online(self, X: Any, y: NDArray[Any]) -> Codes:
        """Learn the columns from the first rows, begin with learners that have seen nothing, and return the codes."""
        encoder = CategoryEncoder() if self.encoder is None else self.encoder
        if not isinstance(self.training, Soft):
            self.encoder_, cells = encode_for_mistakes(encoder, X, y, self._longest, more_to_come=True)
            self._learners = self._begin(self.encoder_, self._from_mistakes.n_learners(len(self.classes_)))
            return BoundLiterals(self.encoder_).codes(cells)
        longest = ONLINE_LITERALS if self.max_literals == "auto" else int(self.max_literals or 1)
        self.encoder_, codes = encode_bounds(encoder, X, y, longest, len(self.classes_), more_to_come=True)
        n_ordered = self.encoder_.n_ordered_
        n_other = self.encoder_.n_categories_ - n_ordered
        self._learners = SoftLearners.blank(n_ordered, n_other, longest, len(self.classes_))
        return codes

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

    def _encoded(self, X: Any, y: Any = None) -> Codes:
        """The codes of a table for the learners: cells, or literals of bounds for learners from mistakes."""
        cells = self.encoder_.transform(X, y)
        return cells if self._soft is not None else BoundLiterals(self.encoder_).codes(cells)

    def _encoded_row(self, x: Any, y: Any = None) -> Codes:
        cells = self.encoder_.transform_one(x, y)
        return cells if self._soft is not None else BoundLiterals(self.encoder_).codes(cells[None])[0]

    # --- starting ---------------------------------------------------------------------------------------------------

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
    def _from_mistakes(self) -> MistakeDriven:
        """The parameters of learning from mistakes."""
        return self.training if isinstance(self.training, MistakeDriven) else MistakeDriven()

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
        self.classes_ = classes
        self.n_trials_ = self.n_mistakes_ = 0
        for name in ("n_epochs_", "chosen_", "_learners", "_scale"):
            self.__dict__.pop(name, None)

    def _begin(self, encoder: CategoryEncoder, n_learners: int, seed: int = 0) -> Learners:
        """Learners that have seen nothing but the rules of experts."""
        training, alpha, longest = self._from_mistakes, float(self.alpha), self._longest
        engine, literals = self._engine, BoundLiterals(encoder)
        if longest is not None:
            names = [encoder.feature_names_[j] for j in literals.column]
            check_size(literals.n_categories, longest, n_learners, names)
            engine = ShortTerms(literals.n_categories, longest)
        theta: Any = self.theta
        if theta == "auto":
            allowed = literals.n_allowed
            theta = math.prod(int(k) + 1 for k in allowed) if longest is None else n_short_terms(allowed, longest)
        learners = Learners(n_learners, len(literals.cut), alpha, theta, engine, training.max_mistakes, seed)
        if training.experts is not None:
            teach(learners, encoder, self.classes_.tolist(), training.experts, longest)
        return learners

    # --- checking ---------------------------------------------------------------------------------------------------

    @abstractmethod
    def _check_table(self, X: Any, *, reset: bool) -> None:
        """Compare the number of columns of X, and their names, with those of training, or with `reset` keep them."""

    @abstractmethod
    def _check_begun(self) -> None:
        """Raise NotFittedError if there is no model yet."""

    def _checked(self, X: Any, y: Any, *, reset: bool) -> NDArray[Any]:
        """Check the shape and column names of X, and return y as an array."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        if np.ma.isMaskedArray(y):
            raise masked_error("y")
        self._check_table(X, reset=reset)
        labels: NDArray[Any] = column_or_1d(y, warn=True)
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
