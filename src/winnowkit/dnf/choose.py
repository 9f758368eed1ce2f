"""The choices of `fit` by rows held out: the length of the terms, and whether updates are soft or mistake-driven.

Soft training tries terms of up to one, two and three literals; the shortest are chosen whose loss on rows held out is
within one standard error of the least (Breiman et al. 1984). More models are then trained of the chosen length, if rows
are few. Only if terms have three literals and leave errors are all terms tried, by mistake-driven training on four
fifths of the rows, in a bounded time. Nothing else is searched.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from winnowkit.core.progress import Progress, Work
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.kernels.problem import Codes, Floats, Ints
from winnowkit.dnf.kernels.soft_terms import Layout
from winnowkit.dnf.learners import Learners
from winnowkit.dnf.mistake_driven import CUT_SHORT
from winnowkit.dnf.soft import losses_of
from winnowkit.dnf.soft_folds import Course, Group, HeldOut, SoftTask, average, epoch_work, n_splits_for, train_group
from winnowkit.dnf.soft_learners import SoftLearners
from winnowkit.dnf.term_layout import MOST_TERMS, make_layout, n_terms

CUTS = 31, 15, 7, 3, 1
"""The most cuts of a numeric column: the first of these with which the terms are not too many."""
ROWS_PER_CELL = 10
"""Cells of a numeric column have at least so many rows on average."""
LONGEST = 3
"""The longest terms that are tried with soft updates."""
ENOUGH_WRONG = 10
"""Wrong rows from which it can be told that another model makes fewer errors."""
LEAST_TIME = 10.0
"""Seconds that training over all terms may take, if all that came before took less."""


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
    max_epochs : int
        The most passes over the rows.
    deadline : float
        The time, by :func:`time.monotonic`, at which training ends.
    rng : Generator
        For the order of the rows.
    n_jobs : int
        The number of threads.
    progress : Progress, optional
        Shows how far training is.
    encoded : dict
        Fitted encoders with the cells of the rows, by their most cuts; filled by and by.
    work : Work
        The work that is done and that is left; filled by and by.
    """

    X: Any
    y: NDArray[Any]
    targets: Ints
    weights: Floats
    n_classes: int
    encoder: CategoryEncoder
    max_epochs: int
    deadline: float
    rng: np.random.Generator
    n_jobs: int
    progress: Progress | None
    encoded: dict[int, tuple[CategoryEncoder, Codes]]
    work: Work

    def of_rows(self, taken: NDArray[np.bool_], deadline: float) -> TableTask:
        """Make the task of some of the rows, which ends at this deadline if not before."""
        return self._replace(
            X=rows_of(self.X, taken),
            y=self.y[taken],
            targets=self.targets[taken],
            weights=self.weights[taken],
            deadline=min(self.deadline, deadline),
        )


class SoftFit(NamedTuple):
    """A model of terms of at most so many literals, and how it did on rows held out.

    Parameters
    ----------
    max_literals : int
        The length of the longest term.
    encoder : CategoryEncoder
        The fitted encoder.
    learners : SoftLearners
        The model.
    held_out : HeldOut
        How its parts did on rows that they had not seen.
    losses : array of float
        The logistic loss of each row, by models that did not learn from it.
    wrong : array of bool
        Whether their most probable class was wrong.
    seconds : float
        The time it took.
    group : Group
        The models that it is the average of.
    layout : Layout
        Their terms.
    task : SoftTask
        What they were trained on.
    """

    max_literals: int
    encoder: CategoryEncoder
    learners: SoftLearners
    held_out: HeldOut
    losses: Floats
    wrong: NDArray[np.bool_]
    seconds: float
    group: Group
    layout: Layout
    task: SoftTask

    @property
    def log_loss(self) -> float:
        """The mean logistic loss on rows held out."""
        return self.held_out.log_loss

    @property
    def ended(self) -> str:
        """Why training ended."""
        return self.held_out.ended

    @property
    def summary(self) -> dict[str, Any]:
        """Describe the model for `chosen_`."""
        return {
            "training": "soft",
            "max_literals": self.max_literals,
            "error": self.held_out.error,
            "log_loss": self.log_loss,
            "seconds": self.seconds,
        }


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


def fit_soft(task: TableTask, max_literals: int, stop: Callable[[int], bool] = lambda _: False) -> SoftFit:
    """Train softly over the terms of at most so many literals: models for one split of the rows into parts.

    Parameters
    ----------
    task : TableTask
        The rows, and the limits of training.
    max_literals : int
        The length of the longest term.
    stop : callable
        Is called after each epoch with the number of epochs so far; training ends if it returns True.

    Returns
    -------
    SoftFit
        The model.
    """
    begun = time.monotonic()
    encoded = _encoded(task, max_literals, CUTS)
    if encoded is None:
        raise ValueError(
            f"max_literals={max_literals} gives more than {MOST_TERMS:,} terms, even with a single cut per numeric "
            "column; choose fewer literals, or leave out columns"
        )
    encoder, cells = encoded
    layout = make_layout(*_n_cells(encoder), max_literals)

    def report(course: Course) -> bool:
        if task.progress is not None:
            done = task.work.share(course.epoch, course.likely_end)
            what = f"terms of up to {max_literals}, epoch {course.epoch}, held-out log-loss {course.loss:.4f}"
            task.progress.share(done, what)
        return stop(course.epoch)

    soft = SoftTask(
        cells,
        task.targets,
        task.weights,
        task.n_classes,
        task.max_epochs,
        task.deadline,
        task.rng,
        task.n_jobs,
        report,
    )
    if not task.work.epochs:
        task.work.epochs[:] = [
            n_splits * epoch_work(layout, len(cells)) for n_splits in (1, n_splits_for(layout, soft) - 1)
        ]
    group = train_group(layout, soft, n_splits=1)
    task.work.next_stage(group.n_epochs)
    return _averaged(max_literals, encoder, layout, soft, [group], begun)


def with_more_splits(fit: SoftFit) -> SoftFit:
    """Split the rows again if they are few, and average more models; the fit stays as it is if training was cut short.

    Parameters
    ----------
    fit : SoftFit
        A model, made of those for one split.

    Returns
    -------
    SoftFit
        The model.
    """
    n_more = n_splits_for(fit.layout, fit.task) - 1
    if not n_more or fit.ended in CUT_SHORT:
        return fit
    begun = time.monotonic() - fit.seconds
    groups = [fit.group, train_group(fit.layout, fit.task, n_more)]
    return _averaged(fit.max_literals, fit.encoder, fit.layout, fit.task, groups, begun)


def _averaged(
    max_literals: int, encoder: CategoryEncoder, layout: Layout, task: SoftTask, groups: list[Group], begun: float
) -> SoftFit:
    tables, held = average(layout, task, groups)
    labels = held.scores[0] > 0 if len(held.scores) == 1 else held.scores.argmax(axis=0)
    return SoftFit(
        max_literals,
        encoder,
        SoftLearners(*_n_cells(encoder), max_literals, tables),
        held,
        losses_of(held.scores, task.targets),
        labels != task.targets,
        time.monotonic() - begun,
        groups[0],
        layout,
        task,
    )


def try_lengths(task: TableTask, stop: Callable[[int], bool] = lambda _: False) -> list[SoftFit]:
    """Train softly over terms of up to one, two and three literals; three only where that needs no coarser cuts.

    Parameters
    ----------
    task : TableTask
        The rows, and the limits of training.
    stop : callable
        As for :func:`fit_soft`.

    Returns
    -------
    list of SoftFit
        All models, in the order of their lengths of terms.
    """
    fits: list[SoftFit] = []
    lengths = [longest for longest in range(1, LONGEST + 1) if longest < 3 or _encoded(task, longest, CUTS[:1])]
    task.work.epochs[:] = [_work_of_length(task, longest) for longest in lengths]
    for longest in lengths:
        if fits and (fits[-1].held_out.error == 0 or fits[-1].ended in CUT_SHORT):
            break
        fits.append(fit_soft(task, longest, stop))
    return fits


def _work_of_length(task: TableTask, max_literals: int) -> float:
    """Estimate the work of an epoch over terms of at most so many literals; 0 if there are too many."""
    encoded = _encoded(task, max_literals, CUTS)
    return 0.0 if encoded is None else epoch_work(make_layout(*_n_cells(encoded[0]), max_literals), len(encoded[1]))


def best_of(fits: list[SoftFit], weights: Floats) -> SoftFit:
    """Return the model of the shortest terms whose loss is within one standard error of the least."""
    least = min(fits, key=lambda fit: fit.log_loss)
    return next(fit for fit in fits if not is_better(least.losses, fit.losses, weights))


def needs_all_terms(fits: list[SoftFit], weights: Floats) -> bool:
    """Tell whether terms of more than three literals may pay: those of three did, and leave errors."""
    best = best_of(fits, weights)
    return best.max_literals == LONGEST and int(best.wrong.sum()) >= ENOUGH_WRONG


def is_better(new: Floats | NDArray[np.bool_], old: Floats | NDArray[np.bool_], weights: Floats) -> bool:
    """Tell whether losses of the same rows are smaller on average, by more than a standard error of the difference.

    Examples
    --------
    >>> ones = np.ones(100)
    >>> is_better(np.zeros(100), ones, ones), is_better(ones, ones, ones)
    (True, False)
    """
    gains = np.asarray(old, dtype=np.float64) - np.asarray(new, dtype=np.float64)
    total = weights.sum()
    mean = float(gains @ weights / total)
    error = math.sqrt(float((weights**2) @ (gains - mean) ** 2)) / total
    return bool(mean > error)


def time_for_all_terms(fits: list[SoftFit]) -> float:
    """Seconds that training over all terms may take: as long as everything before, and at least ten."""
    return max(LEAST_TIME, sum(fit.seconds for fit in fits))


def encode_bounds(
    encoder: CategoryEncoder, X: Any, y: NDArray[Any], max_literals: int, n_classes: int, **options: bool
) -> tuple[CategoryEncoder, Codes]:
    """Fit a copy of an encoder, with as many cuts as leave the terms few enough, and return the cells of the rows."""
    for max_cuts in cuts_for(CUTS, len(y)):
        copy = clone(encoder).set_params(numbers="bounds")
        cells = copy.fit_transform(X, y, max_cuts=max_cuts, **options)
        if _fits(copy, max_literals, n_classes):
            return copy, cells
    raise ValueError(
        f"max_literals={max_literals} gives more than {MOST_TERMS:,} terms, even with a single cut per numeric column; "
        "choose fewer literals, or leave out columns"
    )


def rows_of(X: Any, taken: NDArray[np.bool_]) -> Any:
    """Return some rows of a table of any kind."""
    if hasattr(X, "iloc"):
        return X.iloc[np.flatnonzero(taken)]
    if isinstance(X, list | tuple):
        return [row for row, take in zip(X, taken, strict=True) if take]
    return X[np.flatnonzero(taken)] if hasattr(X, "__getitem__") else np.asarray(X)[taken]


def _encoded(task: TableTask, max_literals: int, cuts: Sequence[int]) -> tuple[CategoryEncoder, Codes] | None:
    """Encode the rows with the first number of cuts that leaves the terms few enough; None if none does."""
    for max_cuts in cuts_for(cuts, len(task.y)):
        if max_cuts not in task.encoded:
            encoder = clone(task.encoder).set_params(numbers="bounds")
            task.encoded[max_cuts] = encoder, encoder.fit_transform(task.X, task.y, max_cuts=max_cuts)
        if _fits(task.encoded[max_cuts][0], max_literals, task.n_classes):
            return task.encoded[max_cuts]
    return None


def cuts_for(cuts: Sequence[int], n_rows: int) -> list[int]:
    """The most cuts to try: no more than leave enough rows in a cell."""
    return list(dict.fromkeys(min(most, max(1, n_rows // ROWS_PER_CELL)) for most in cuts))


def _fits(encoder: CategoryEncoder, max_literals: int, n_classes: int) -> bool:
    n_ordered, n_other = _n_cells(encoder)
    n_learners = 1 if n_classes == 2 else n_classes
    return n_learners * n_terms(n_ordered.tolist(), n_other.tolist(), max_literals) <= MOST_TERMS


def _n_cells(encoder: CategoryEncoder) -> tuple[Ints, Ints]:
    """The numbers of ordered and of other cells of each column."""
    return encoder.n_ordered_, encoder.n_categories_ - encoder.n_ordered_
