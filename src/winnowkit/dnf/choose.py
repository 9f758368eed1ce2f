"""The choices of `fit` by rows held out: the length of the terms, and whether updates are soft or mistake-driven.

Soft training tries terms of up to one, two and three literals; the shortest are chosen whose loss on rows held out is
within one standard error of the least (Breiman et al. 1984). More models are then trained of the chosen length, if rows
are few. Only if terms have three literals and leave errors are all terms tried, by mistake-driven training on four
fifths of the rows, in a bounded time. Nothing else is searched.
"""

from __future__ import annotations

import math
import time
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.multiclass import chosen, n_learners_for
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.fit_settings import CUT_SHORT
from winnowkit.dnf.kernels.problem import Floats
from winnowkit.dnf.kernels.soft_terms import Layout
from winnowkit.dnf.pair_choice import MOST_PAIRS, needs_choice, terms_of_pairs
from winnowkit.dnf.soft_learners import SoftLearners, SoftTables, losses_of
from winnowkit.dnf.soft_training import (
    Course,
    HeldOutScores,
    SoftTask,
    TrainedGroup,
    average,
    epoch_work,
    n_splits_for,
    train_group,
)
from winnowkit.dnf.table_fit import MistakeSettings, TableTask, TrainedModel, fit_all_terms_if_better
from winnowkit.dnf.term_layout import CUTS, Encoded, TableCells, cell_counts, make_layout, too_many_terms

LONGEST = 3
"""The longest terms that are tried with soft updates."""
ENOUGH_WRONG = 10
"""Wrong rows from which it can be told that another model makes fewer errors."""
LEAST_TIME = 10.0
"""Seconds that training over all terms may take, if all that came before took less."""


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
    held_out : HeldOutScores
        How its parts did on rows that they had not seen.
    losses : array of float
        The logistic loss of each row, by models that did not learn from it.
    wrong : array of bool
        Whether their most probable class was wrong.
    seconds : float
        The time it took.
    group : TrainedGroup
        The models that it is the average of.
    layout : Layout
        Their terms.
    task : SoftTask
        What they were trained on.
    """

    max_literals: int
    encoder: CategoryEncoder
    learners: SoftLearners
    held_out: HeldOutScores
    losses: Floats
    wrong: NDArray[np.bool_]
    seconds: float
    group: TrainedGroup
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


def fit_softly(task: TableTask, max_literals: int | Literal["auto"], mistakes: MistakeSettings | None) -> TrainedModel:
    """Learn by soft updates over terms of at most so many literals; "auto": over those that pay, or over all terms.

    Parameters
    ----------
    task : TableTask
        The rows, and the limits of training.
    max_literals : int or "auto"
        The length of the longest term. "auto" tries one, two and three literals; three only where that needs no coarser
        cuts of numbers.
    mistakes : MistakeSettings or None
        The parameters of training over all terms, if that may be tried.

    Returns
    -------
    TrainedModel
        The model.
    """
    fits: list[SoftFit] = []
    table = TableCells(task.encoder, task.X, task.y, task.n_classes)
    if max_literals == "auto":
        lengths = list(range(1, LONGEST + (table.for_terms(LONGEST, CUTS[:1]) is not None)))
        if task.settings.progress is not None:
            task.settings.progress.work.epochs[:] = _work_of_stages(task, table, lengths)
    else:
        lengths = [max_literals]
    for longest in lengths:
        if fits and (fits[-1].held_out.error == 0 or fits[-1].ended in CUT_SHORT):
            break
        fits.append(fit_soft(task, table, longest, fits[0] if fits else None))
    best = with_more_splits(best_of(fits, task.weights))
    report = {"training": "soft", "max_literals": best.max_literals, "tried": [fit.summary for fit in fits]}
    n_epochs = best.held_out.n_epochs
    soft = TrainedModel(best.encoder, best.learners, n_epochs, n_epochs * len(task.y), 0, best.ended, report)
    free = max_literals == "auto" and mistakes is not None and (task.weights == 1.0).all()
    if not free or mistakes is None or not needs_all_terms(fits, task.weights):
        return soft

    def better(held: NDArray[np.bool_], wrong: NDArray[np.bool_]) -> bool:
        return is_better(wrong, fits[-1].wrong[held], task.weights[held])

    return fit_all_terms_if_better(task, mistakes, soft, time_for_all_terms(fits), better)


def fit_soft(task: TableTask, table: TableCells, max_literals: int, alone: SoftFit | None = None) -> SoftFit:
    """Train softly over the terms of at most so many literals: models for one split of the rows into parts.

    Parameters
    ----------
    task : TableTask
        The rows, and the limits of training.
    table : TableCells
        The rows, for terms of any length.
    max_literals : int
        The length of the longest term.
    alone : SoftFit, optional
        The model of single columns, which says which pairs of columns matter, where there are too many for all of them;
        it is trained if it is needed and not given.

    Returns
    -------
    SoftFit
        The model.
    """
    begun = time.monotonic()
    terms = _terms(task, table, max_literals, alone)
    if terms is None:
        raise too_many_terms(max_literals)
    (encoder, cells), layout = terms
    progress = task.settings.progress

    def report(course: Course) -> bool:
        if progress is not None:
            done = progress.work.share(course.epoch, course.likely_end)
            what = f"terms of up to {max_literals}, epoch {course.epoch}, held-out log-loss {course.loss:.4f}"
            progress.share(done, what)
        return task.settings.stop(course.epoch)

    soft = SoftTask(cells, task.targets, task.weights, task.n_classes, task.settings, report)
    if progress is not None and not progress.work.epochs:
        work = epoch_work(layout, len(cells))
        progress.work.epochs[:] = [work, work * _n_more_splits(task, layout)]
    group = train_group(layout, soft, n_splits=1)
    if progress is not None:
        progress.work.next_stage(group.n_epochs)
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
    n_more, progress = _n_more_splits(fit.task, fit.layout), fit.task.settings.progress
    if not n_more or fit.ended in CUT_SHORT:
        return fit
    if progress is not None:
        progress.work.epochs[:] = [n_more * epoch_work(fit.layout, len(fit.task.targets))]
    begun = time.monotonic() - fit.seconds
    groups = [fit.group, train_group(fit.layout, fit.task, n_more)]
    return _averaged(fit.max_literals, fit.encoder, fit.layout, fit.task, groups, begun)


def _averaged(
    max_literals: int,
    encoder: CategoryEncoder,
    layout: Layout,
    task: SoftTask,
    groups: list[TrainedGroup],
    begun: float,
) -> SoftFit:
    weights, bias, held = average(task, groups)
    return SoftFit(
        max_literals,
        encoder,
        SoftLearners(*cell_counts(encoder), max_literals, SoftTables(layout, weights, bias)),
        held,
        losses_of(held.scores, task.targets),
        chosen(held.scores.T) != task.targets,
        time.monotonic() - begun,
        groups[0],
        layout,
        task,
    )


def _terms(
    task: TableTask, table: TableCells, max_literals: int, alone: SoftFit | None
) -> tuple[Encoded, Layout] | None:
    """Choose cuts and terms; None if there are too many terms, even with a single cut per numeric column."""
    if needs_choice(table, max_literals):
        scores = (alone or fit_soft(task, table, 1)).held_out.scores
        return terms_of_pairs(table, scores, task.targets, task.weights)
    encoded = table.for_terms(max_literals)
    return encoded and (encoded, make_layout(*cell_counts(encoded[0]), max_literals))


def _n_more_splits(task: TableTask | SoftTask, layout: Layout) -> int:
    return n_splits_for(layout, len(task.targets), n_learners_for(task.n_classes)) - 1


def _work_of_stages(task: TableTask, table: TableCells, lengths: list[int]) -> list[float]:
    """Estimate the work of an epoch in each stage: one for each length, and one for more splits of the longest."""
    found, more = [], 0.0
    for longest in lengths:
        if needs_choice(table, longest):
            found.append(3.0 * MOST_PAIRS * len(task.y))
        elif (terms := _terms(task, table, longest, None)) is not None:
            found.append(epoch_work(terms[1], len(task.y)))
            more = found[-1] * _n_more_splits(task, terms[1])
    return [*found, more]


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
