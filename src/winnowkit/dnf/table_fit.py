"""A fit of a table: its task, the model that comes of it, and training from mistakes.

`DNFWinnow.fit` makes a :class:`TableTask` and takes a :class:`TrainedModel`. Between them is soft training
(:func:`winnowkit.dnf.choose.fit_softly`) or training from mistakes (:func:`fit_by_mistakes`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.columns import is_arrow
from winnowkit.core.multiclass import chosen, decision_values
from winnowkit.data.column_builder import warned_already
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.bound_literals import BoundLiterals, encode_for_mistakes
from winnowkit.dnf.engine import Engine
from winnowkit.dnf.experts import teach
from winnowkit.dnf.fit_settings import FitSettings
from winnowkit.dnf.kernels.problem import Codes, Floats, Ints
from winnowkit.dnf.learners import Learners
from winnowkit.dnf.mistake_driven import MistakeDriven, TrainingTask
from winnowkit.dnf.short_term_tables import ShortTerms, check_size, n_short_terms
from winnowkit.dnf.soft_learners import SoftLearners, calibration
from winnowkit.dnf.term_layout import TableCells, cell_counts, too_many_terms


class TableTask(NamedTuple):
    """Rows to learn from, and the limits of training.

    Parameters
    ----------
    X : array-like or data frame
        The table.
    y : array
        The label of each row.
    targets : array of int
        The code of the class of each row.
    weights : array of float
        The weight of each row.
    n_classes : int
        The number of classes.
    encoder : CategoryEncoder
        Encodes the columns; copies of it are fitted.
    settings : FitSettings
        The limits of training, and what it has at hand.
    """

    X: Any
    y: NDArray[Any]
    targets: Ints
    weights: Floats
    n_classes: int
    encoder: CategoryEncoder
    settings: FitSettings

    def of_rows(self, taken: NDArray[np.bool_], deadline: float) -> TableTask:
        """Make the task of some of the rows, which ends at this deadline if not before."""
        return self._replace(
            X=rows_of(self.X, taken),
            y=self.y[taken],
            targets=self.targets[taken],
            weights=self.weights[taken],
            settings=self.settings._replace(deadline=min(self.settings.deadline, deadline)),
        )


class TrainedModel(NamedTuple):
    """A trained model, and how it came about.

    Parameters
    ----------
    encoder : CategoryEncoder
        The fitted encoder.
    learners : Learners or SoftLearners
        The learners.
    n_epochs, n_trials, n_mistakes : int
        Passes over the rows, trials, and mistakes among them.
    ended : str
        Why training ended.
    chosen : dict
        The value of `chosen_`.
    scale : float, optional
        The factor that makes decisions the logarithms of odds, where that is known of learners from mistakes.
    """

    encoder: CategoryEncoder
    learners: Learners | SoftLearners
    n_epochs: int
    n_trials: int
    n_mistakes: int
    ended: str
    chosen: dict[str, Any]
    scale: float | None = None


class MistakeSettings(NamedTuple):
    """The parameters of training from mistakes.

    Parameters
    ----------
    alpha : float
        The factor of a promotion.
    theta : number or "auto"
        The threshold; "auto" is the number of terms.
    max_literals : int or None
        The length of the longest term; None if all terms count.
    engine : Engine or None
        Computes the sums over all terms; None is ``Auto()``.
    training : MistakeDriven
        Margin, limit of updates, learners of two classes and order of the rows.
    classes : list
        The labels, sorted.
    """

    alpha: float
    theta: float | Fraction | Literal["auto"]
    max_literals: int | None
    engine: Engine | None
    training: MistakeDriven
    classes: list[Any]

    def begin(self, encoder: CategoryEncoder, n_learners: int, seed: int = 0) -> Learners:
        """Make learners that have seen nothing but the rules of experts."""
        training, longest, literals = self.training, self.max_literals, BoundLiterals(encoder)
        engine = self.engine
        if longest is not None:
            names = [encoder.feature_names_[j] for j in literals.column]
            check_size(literals.n_categories, longest, n_learners, names)
            engine = ShortTerms(literals.n_categories, longest)
        elif engine is None:
            from winnowkit.dnf.auto import Auto  # noqa: PLC0415 - with engines that nobody else needs

            engine = Auto()
        theta: Any = self.theta
        if theta == "auto":
            allowed = literals.n_allowed
            theta = math.prod(int(k) + 1 for k in allowed) if longest is None else n_short_terms(allowed, longest)
        learners = Learners(n_learners, len(literals.cut), self.alpha, theta, engine, training.max_mistakes, seed)
        if training.experts is not None:
            teach(learners, encoder, self.classes, training.experts, longest)
        return learners


def fit_by_mistakes(task: TableTask, settings: MistakeSettings) -> TrainedModel:
    """Learn from mistakes, over terms of a given length or over all of them."""
    encoder, cells = encode_for_mistakes(task.encoder, task.X, task.y, settings.max_literals)
    codes = BoundLiterals(encoder).codes(cells)
    repeats = task.weights.astype(np.int64)
    if (repeats != task.weights).any():
        raise ValueError(
            "mistake-driven training takes whole numbers as weights of rows and classes, because promotions are whole; "
            "use training=Soft() for other weights"
        )
    (for_sums,) = task.settings.rng.spawn(1)
    training = settings.training
    learners, outcome = training.fit(
        TrainingTask(
            codes.repeat(repeats, axis=0),
            task.targets.repeat(repeats),
            begin=partial(settings.begin, encoder, seed=int(for_sums.integers(2**63))),
            n_classes=task.n_classes,
            may_pair=not encoder.monotone,
            settings=task.settings,
        )
    )
    pair = len(learners.logs) == task.n_classes == 2
    report = {
        "training": "mistake-driven",
        "max_literals": settings.max_literals,
        "two_class": "pair" if pair else "single",
        "margin": float(training.margin),
        "max_updates": training.max_updates,
    }
    return TrainedModel(encoder, learners, *outcome, report)


def begin_online(
    encoder: CategoryEncoder, X: Any, y: NDArray[Any], settings: MistakeSettings, soft_lengths: Sequence[int]
) -> tuple[CategoryEncoder, Learners | SoftLearners, Codes]:
    """Learn the columns from the first rows, and begin with learners that have seen nothing.

    Parameters
    ----------
    encoder : CategoryEncoder
        A copy of it is fitted.
    X, y : table, array
        The first rows, and their labels.
    settings : MistakeSettings
        The parameters of training from mistakes.
    soft_lengths : sequence of int
        The length of the longest term of soft updates: the first of these whose terms are few enough; none if the
        learners learn from mistakes.

    Returns
    -------
    encoder : CategoryEncoder
        The fitted encoder.
    learners : Learners or SoftLearners
        The learners.
    codes : array of int
        The rows, as the learners take them.
    """
    n_classes = len(settings.classes)
    if not soft_lengths:
        encoder, cells = encode_for_mistakes(encoder, X, y, settings.max_literals, more_to_come=True)
        learners = settings.begin(encoder, settings.training.n_learners(n_classes))
        return encoder, learners, BoundLiterals(encoder).codes(cells)
    table = TableCells(encoder, X, y, n_classes, more_to_come=True)
    for longest in soft_lengths:
        if (encoded := table.for_terms(longest)) is not None:
            return encoded[0], SoftLearners.blank(*cell_counts(encoded[0]), longest, n_classes), encoded[1]
    raise too_many_terms(soft_lengths[-1])


def fit_all_terms_if_better(
    task: TableTask,
    settings: MistakeSettings,
    soft: TrainedModel,
    seconds: float,
    better: Callable[[NDArray[np.bool_], NDArray[np.bool_]], bool],
) -> TrainedModel:
    """Learn from mistakes over all terms, on four fifths of the rows, and on all rows if that was better.

    Parameters
    ----------
    task : TableTask
        The rows, and the limits of training.
    settings : MistakeSettings
        The parameters of training from mistakes.
    soft : TrainedModel
        The model of soft training.
    seconds : float
        The most time that the first attempt may take.
    better : callable
        Tells, given which rows are held out and which of them are predicted wrongly, whether soft training did worse.

    Returns
    -------
    TrainedModel
        The better model.
    """
    begun = time.monotonic()
    held = np.zeros(len(task.y), dtype=np.bool_)
    held[task.settings.rng.permutation(len(held))[: len(held) // 5]] = True
    with warned_already():
        part = fit_by_mistakes(task.of_rows(~held, begun + seconds), settings)
    found = {"training": "mistake-driven", "max_literals": None, "seconds": time.monotonic() - begun}
    tried = [*soft.chosen["tried"], found]
    if part.ended != "clean epoch":
        found["ended"] = part.ended
        ended = "interrupted" if part.ended == "interrupted" else soft.ended
        return soft._replace(ended=ended, chosen={**soft.chosen, "tried": tried})
    codes = BoundLiterals(part.encoder).codes(part.encoder.transform(rows_of(task.X, held)))
    decisions = part.learners.decisions(codes, task.settings.n_jobs)
    wrong = chosen(decisions) != task.targets[held]
    found["error"] = float(wrong.mean())
    if not better(held, wrong):
        return soft._replace(chosen={**soft.chosen, "tried": tried})
    values = decision_values(decisions)
    scores = values[None] if values.ndim == 1 else values.T
    scale = calibration(scores, task.targets[held], task.weights[held], shifted=False)[0]
    with warned_already():
        whole = fit_by_mistakes(task, settings)
    return whole._replace(scale=scale, chosen={**whole.chosen, "tried": tried})


def rows_of(X: Any, taken: NDArray[np.bool_]) -> Any:
    """Return some rows of a table of any kind."""
    if hasattr(X, "iloc"):
        return X.iloc[np.flatnonzero(taken)]
    if is_arrow(X):
        return X.take(np.flatnonzero(taken))
    if isinstance(X, list | tuple):
        return [row for row, take in zip(X, taken, strict=True) if take]
    return X[np.flatnonzero(taken)] if hasattr(X, "__getitem__") else np.asarray(X)[taken]
