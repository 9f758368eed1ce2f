"""Soft training: every row moves all of its terms, by as much as its probability was wrong.

Winnow promotes the terms of a row by a whole factor, if it errs. Here the factor is a fraction of it, the residual of a
logistic regression over all terms: exponentiated gradient (Kivinen & Warmuth 1997), in its balanced form with one
signed weight ``beta * sinh(link)`` per term (hypentropy: Ghai, Hazan & Singer 2020). All terms move at once after each
batch of rows; the step of a term is a Newton step for it alone, and no score is more than an average of weights, so
that together they do not overshoot (parallel updates: Collins, Schapire & Singer 2002).

Several models are trained, each of which holds a part of the rows out. These rows tell when to stop (:class:`Course`),
calibrate the probabilities, and compare lengths of terms; the weights of the models are then averaged into one model.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from winnowkit.core.multiclass import chosen, n_learners_for
from winnowkit.dnf.fit_settings import FitSettings
from winnowkit.dnf.kernels.problem import Codes, Floats, Ints
from winnowkit.dnf.kernels.soft_terms import Batches, Layout, SoftState, count_rows, learn_batches, to_pace
from winnowkit.dnf.soft_learners import STEP, by_column, calibration, compute_scores, losses_of
from winnowkit.dnf.term_layout import scratch_for

PARTS = 5
"""Parts of the rows: each model holds one of them out."""
ENOUGH_ROWS = 2_000
"""With fewer rows, they are split into parts more than once, as each part says little."""
MOST_SPLITS = 4
FEW_WEIGHTS = 400_000
PATIENCE = 10, 1 / 3
"""Training goes on for so many epochs after the best one, or for this share of the epochs up to it."""
FLAT, STEEP = 2e-4, 1e-2
"""Training ends if the loss fell by less than this share of the first one in ten epochs; and it has not come to its end
if the loss fell by more than that share in the last ten."""
SLOW_EPOCHS, FASTEST = 10, 2.5
"""After so many epochs steps grow in proportion to their number, up to this factor: with it, a step of all terms is at
most a Newton step."""
MUCH_WORK = 5_000_000
"""Look-ups of rows in tables after which the clock is read."""


class Soft(BaseEstimator):
    """Learn by soft updates: each row moves all of its terms, by as much as its probability was wrong.

    It has no parameters. Terms have at most `max_literals` literals, which may be bounds of numbers.

    See Also
    --------
    winnowkit.DNFWinnow : Takes it as its parameter `training`.
    winnowkit.dnf.MistakeDriven : The other way of learning, which has theorems.

    Examples
    --------
    >>> from winnowkit import DNFWinnow
    >>> from winnowkit.dnf import Soft
    >>> ages = [age for age in range(20, 80) for _ in range(3)]
    >>> model = DNFWinnow(max_literals=1, training=Soft(), random_state=0)
    >>> model.fit([[age] for age in ages], [age > 40 for age in ages]).predict([[37], [44]])
    array([False,  True])
    """


class SoftTask(NamedTuple):
    """The rows and the limits of soft training.

    Parameters
    ----------
    cells : array of int, shape (rows, columns)
        Cells, as the encoder numbers them.
    targets : array of int, shape (rows,)
        The code of the class of each row.
    weights : array of float, shape (rows,)
        The weight of each row.
    n_classes : int
        The number of classes.
    settings : FitSettings
        The limits of training, and what it has at hand.
    on_epoch : callable
        Is called after each epoch with a :class:`Course`; ends training if it returns True.
    """

    cells: Codes
    targets: Ints
    weights: Floats
    n_classes: int
    settings: FitSettings
    on_epoch: Callable[[Course], bool] = lambda _: False

    @property
    def n_learners(self) -> int:
        """The number of learners: one for two classes, else one per class."""
        return n_learners_for(self.n_classes)


@dataclass
class Course:
    """The course of training: the loss on rows held out after each epoch, and what follows from it.

    Parameters
    ----------
    max_epochs : int
        The most epochs.
    first_loss : float
        The loss before the first.
    """

    max_epochs: int
    first_loss: float

    def __post_init__(self) -> None:
        self.epoch = self.best_epoch = 0
        self.loss, self.best = self.first_loss, math.inf
        self._least = [self.first_loss]

    def add(self, loss: float) -> bool:
        """Record the loss after an epoch; tell whether it is the least so far."""
        self.epoch, self.loss = self.epoch + 1, loss
        self._least.append(min(loss, self._least[-1]))
        if not loss < self.best:
            return False
        self.best, self.best_epoch = loss, self.epoch
        return True

    @property
    def likely_end(self) -> int:
        """The epoch after which training ends if the loss does not fall any more."""
        return min(self.max_epochs, self.best_epoch + int(max(PATIENCE[0], math.ceil(PATIENCE[1] * self.best_epoch))))

    @property
    def is_over(self) -> bool:
        """Whether more epochs would gain little: the loss rises, or falls slowly."""
        fall = (self._least[max(0, self.epoch - PATIENCE[0])] - self._least[-1]) / self.first_loss
        late = self.epoch >= self.best_epoch + max(PATIENCE[0], PATIENCE[1] * self.best_epoch)
        return late or (self.epoch >= PATIENCE[0] and fall < FLAT) or (self.epoch == self.max_epochs and fall < STEEP)


@dataclass(frozen=True)
class HeldOutScores:
    """How the models did on rows held out.

    Parameters
    ----------
    log_loss : float
        Mean logistic loss, in nats.
    error : float
        Share of the rows whose class was not the most probable one.
    scores : array of float, shape (learners, rows)
        One score per learner and row, each from models that did not learn from the row.
    n_epochs : int
        The best number of epochs.
    ended : {"best", "max_epochs", "max_time", "interrupted", "stopped"}
        Why training ended: "best" if more epochs made the loss larger.
    """

    log_loss: float
    error: float
    scores: Floats
    n_epochs: int
    ended: str


class Trained(NamedTuple):
    """A model at its best: the positions of the rows it held out, their scores, its weights and its biases."""

    held: Ints
    scores: Floats
    weights: Floats
    bias: Floats


class TrainedGroup(NamedTuple):
    """Models that were trained together, the best number of epochs, and why training ended."""

    models: list[Trained]
    n_epochs: int
    ended: str


def n_splits_for(layout: Layout, n_rows: int, n_learners: int) -> int:
    """How often to split the rows into parts: the fewer rows, the more often, as long as weights are few."""
    n_weights = n_learners * int(layout.first_term[-1])
    return max(1, min(MOST_SPLITS, ENOUGH_ROWS // n_rows, FEW_WEIGHTS // max(n_weights, 1)))


def train_group(layout: Layout, task: SoftTask, n_splits: int) -> TrainedGroup:
    """Train models on parts of the rows, as many as there are parts; rows held out say when to stop.

    Parameters
    ----------
    layout : Layout
        The terms.
    task : SoftTask
        The rows, and the limits of training.
    n_splits : int
        How often the rows are split into parts.

    Returns
    -------
    TrainedGroup
        The models.
    """
    folds = list(starmap(partial(_Fold, layout, task), _splits(task, n_splits)))
    n_batches, total = n_batches_for(layout, len(task.targets)), sum(fold.held_weight for fold in folds)
    max_epochs, deadline = task.settings.max_epochs, task.settings.deadline
    course, ended = Course(max_epochs, sum(fold.first_loss for fold in folds) / total), "max_epochs"
    with ThreadPoolExecutor(task.settings.n_jobs) as pool:
        for epoch in range(1, max_epochs + 1):
            speed = min(FASTEST, max(1.0, epoch / SLOW_EPOCHS))
            try:
                losses = list(pool.map(lambda fold: fold.epoch(n_batches, speed, deadline), folds))  # noqa: B023
            except KeyboardInterrupt:
                ended = "interrupted"
                break
            if course.add(sum(losses) / total):
                for fold in folds:
                    fold.keep()
            if task.on_epoch(course):
                ended = "stopped"
                break
            if course.is_over:
                ended = "best"
                break
            if time.monotonic() > deadline:
                ended = "max_time"
                break
    return TrainedGroup([fold.best for fold in folds], course.best_epoch, ended)


def average(task: SoftTask, groups: list[TrainedGroup]) -> tuple[Floats, Floats, HeldOutScores]:
    """Average models into one, and calibrate it.

    Parameters
    ----------
    task : SoftTask
        The rows.
    groups : list of TrainedGroup
        The models; the last group says why training ended.

    Returns
    -------
    weights : array of float, shape (learners, terms)
        The weights of the model.
    bias : array of float, shape (learners,)
        Its scores of a row that satisfies no term.
    held_out : HeldOutScores
        How the models did on rows that they had not seen.
    """
    models = [model for group in groups for model in group.models]
    scores = _mean_scores(models, task.n_learners, len(task.targets))
    scale, shift = calibration(scores, task.targets, task.weights)
    weights = np.sum([model.weights for model in models], axis=0) * (scale / len(models))
    bias = np.sum([model.bias for model in models], axis=0) * (scale / len(models)) + shift
    scores = scores * scale + shift
    n_epochs = round(float(np.mean([group.n_epochs for group in groups])))
    held = HeldOutScores(*_measure(scores, task.targets, task.weights), scores, n_epochs, groups[-1].ended)
    return weights, bias, held


class _Fold:
    """A model that learns from some rows and is measured on others."""

    def __init__(self, layout: Layout, task: SoftTask, rows: Ints, held: Ints) -> None:
        self.layout = layout
        self._X, self._y, self._w = by_column(task.cells[rows]), task.targets[rows], task.weights[rows]
        self._held_X, self._held_y, self._held_w = by_column(task.cells[held]), task.targets[held], task.weights[held]
        self.held_weight = float(self._held_w.sum())
        n_learners, n_terms, n_cells = task.n_learners, int(layout.first_term[-1]), int(layout.first_cell[-1])
        self.scratch = scratch_for(layout)
        self.pace, self.speed = np.empty(n_terms), 1.0
        count_rows(self._X, self._w, layout, self.scratch, self.pace)
        to_pace(self.pace, STEP)
        shares = np.bincount(self._y, self._w, minlength=task.n_classes) + 0.5
        log_odds = np.log(shares) if n_learners > 1 else np.log(shares[1:] / shares[:1])
        self.state = SoftState(np.zeros((n_learners, n_terms)), np.zeros((n_learners, n_cells)), log_odds)
        self.scores = np.repeat(log_odds[:, None], len(held), axis=1)
        self.first_loss = float(losses_of(self.scores, self._held_y) @ self._held_w)
        self.best = Trained(held, self.scores.copy(), np.zeros((n_learners, n_terms)), log_odds.copy())

    def epoch(self, n_batches: int, speed: float, deadline: float) -> float:
        """Go over the rows once, or until the deadline; return the loss on the rows held out."""
        if speed != self.speed:
            self.pace *= speed / self.speed
            self.speed = speed
        work = self._X.shape[1] * len(self.layout.columns) * len(self.state.bias) // n_batches  # of a batch
        together = max(1, MUCH_WORK // max(work, 1))
        for first in range(0, n_batches, together):
            if first and time.monotonic() > deadline:
                break
            batches = Batches(first, min(first + together, n_batches), n_batches)
            learn_batches(
                self._X, self._y, self._w, batches, self.layout, self.pace, self.state, STEP.beta, self.scratch
            )
        compute_scores(self._held_X, self.layout, self.state, self.scores)
        return float(losses_of(self.scores, self._held_y) @ self._held_w)

    def keep(self) -> None:
        """Remember the model as it is."""
        self.best.weights[:] = self.state.weights
        self.best.bias[:] = self.state.bias
        self.best.scores[:] = self.scores


def _measure(scores: Floats, targets: Ints, weights: Floats) -> tuple[float, float]:
    """Compute the mean loss and the share of wrong labels."""
    total = weights.sum()
    return float(losses_of(scores, targets) @ weights / total), float((chosen(scores.T) != targets) @ weights / total)


def _mean_scores(models: list[Trained], n_learners: int, n_rows: int) -> Floats:
    """Average the scores of each row over the models that did not learn from it."""
    total, times = np.zeros((n_learners, n_rows)), np.zeros(n_rows)
    for model in models:
        total[:, model.held] += model.scores
        times[model.held] += 1
    return total / np.maximum(times, 1)


def _splits(task: SoftTask, n_splits: int) -> Iterator[tuple[Ints, Ints]]:
    """Split the rows into parts, every class evenly; each part is held out once."""
    n_rows = len(task.targets)
    for _ in range(n_splits):
        order = task.settings.rng.permutation(n_rows)
        by_class = order[np.argsort(task.targets[order], kind="stable")]
        part = np.empty(n_rows, dtype=np.int64)
        part[by_class] = np.arange(n_rows) % PARTS
        for held in range(min(PARTS, n_rows)):
            yield order[part[order] != held], order[part[order] == held]


def epoch_work(layout: Layout, n_rows: int) -> float:
    """Estimate the work of an epoch: look-ups of rows in tables, and updates of terms, which take twice as long."""
    return n_rows * layout.columns.shape[0] + 2.0 * n_batches_for(layout, n_rows) * int(layout.first_term[-1])


def n_batches_for(layout: Layout, n_rows: int) -> int:
    """As many batches as keep the cost of updates below that of the rows, from 5 to 40."""
    of_rows = n_rows * layout.columns.shape[0]
    return int(min(max(5, of_rows // max(int(layout.first_term[-1]), 1)), 40))
