"""Soft training: every row moves all of its terms, by as much as its probability was wrong.

Winnow promotes the terms of a row by a whole factor, if it errs. Here the factor is a fraction of it, the residual of a
logistic regression over all terms: exponentiated gradient (Kivinen & Warmuth 1997), in its balanced form with one
signed weight ``beta * sinh(link)`` per term (hypentropy: Ghai, Hazan & Singer 2020). All terms move at once after each
batch of rows; the step of a term is a Newton step for it alone, and no score is more than an average of weights, so
that together they do not overshoot (parallel updates: Collins, Schapire & Singer 2002).

Several models learn from different parts of the rows. Rows held out tell when to stop, calibrate the probabilities, and
compare settings; the models' weights are then averaged into one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import log_softmax
from sklearn.base import BaseEstimator

from winnowkit.dnf.kernels.problem import Codes, Floats, Ints
from winnowkit.dnf.kernels.soft_terms import (
    Layout,
    SoftState,
    count_rows,
    learn_batches,
    to_pace,
)
from winnowkit.dnf.soft_learners import STEP, SoftTables, by_column, compute_scores
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
    max_epochs : int
        The most passes over the rows.
    deadline : float
        The time, by :func:`time.monotonic`, at which training ends.
    rng : Generator
        Splits the rows.
    n_jobs : int
        The number of threads.
    on_epoch : callable
        Is called after each epoch with its number and the loss on rows held out; ends training if it returns True.
    """

    cells: Codes
    targets: Ints
    weights: Floats
    n_classes: int
    max_epochs: int
    deadline: float
    rng: np.random.Generator
    n_jobs: int
    on_epoch: Callable[[int, float], bool] = lambda *_: False


@dataclass(frozen=True)
class HeldOut:
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
    ended : {"best", "max_epochs", "max_time", "interrupted"}
        Why training ended: "best" if more epochs made the loss larger.
    """

    log_loss: float
    error: float
    scores: Floats
    n_epochs: int
    ended: str


def cross_fit(layout: Layout, task: SoftTask) -> tuple[SoftTables, HeldOut]:
    """Train models on parts of the rows, and average them; rows held out say when to stop.

    Parameters
    ----------
    layout : Layout
        The terms.
    task : SoftTask
        The rows, and the limits of training.

    Returns
    -------
    tables : SoftTables
        The average of the models, calibrated.
    held_out : HeldOut
        How the models did on rows that they had not seen.
    """
    n_learners = 1 if task.n_classes == 2 else task.n_classes
    n_splits = _n_splits(len(task.targets), n_learners * int(layout.first_term[-1]))
    folds = [_Fold(layout, task, n_learners, rows, held) for rows, held in _splits(task, n_splits)]
    n_batches = _n_batches(layout, len(task.targets))
    best, best_epoch, ended = math.inf, 0, "max_epochs"
    course = [sum(fold.first_loss for fold in folds) / sum(fold.held_weight for fold in folds)]
    with ThreadPoolExecutor(task.n_jobs) as pool:
        for epoch in range(1, task.max_epochs + 1):
            try:
                losses = list(pool.map(lambda fold: fold.epoch(n_batches), folds))
            except KeyboardInterrupt:
                ended = "interrupted"
                break
            loss = sum(losses) / sum(fold.held_weight for fold in folds)
            course.append(min(loss, course[-1]))
            fall = (course[max(0, epoch - PATIENCE[0])] - course[-1]) / course[0]
            if loss < best:
                best, best_epoch = loss, epoch
                for fold in folds:
                    fold.keep()
            if task.on_epoch(epoch, loss):
                ended = "stopped"
                break
            late = epoch >= best_epoch + max(PATIENCE[0], PATIENCE[1] * best_epoch)
            if late or (epoch >= PATIENCE[0] and fall < FLAT) or (epoch == task.max_epochs and fall < STEEP):
                ended = "best"
                break
            if time.monotonic() > task.deadline:
                ended = "max_time"
                break
    scores = _mean_scores(folds, n_learners, len(task.targets))
    scale, shift = calibration(scores, task.targets, task.weights)
    weights = np.sum([fold.best.weights for fold in folds], axis=0) * (scale / len(folds))
    bias = np.sum([fold.best.bias for fold in folds], axis=0) * (scale / len(folds)) + shift
    scores = scores * scale + shift
    held = HeldOut(*_measure(scores, task.targets, task.weights), scores, best_epoch, ended)
    return SoftTables(layout, weights, bias), held


class _Fold:
    """A model that learns from some rows and is measured on others."""

    def __init__(self, layout: Layout, task: SoftTask, n_learners: int, rows: Ints, held: Ints) -> None:
        self.layout, self.held = layout, held
        self._X, self._y, self._w = by_column(task.cells[rows]), task.targets[rows], task.weights[rows]
        self._held_X, self._held_y, self._held_w = by_column(task.cells[held]), task.targets[held], task.weights[held]
        self.held_weight = float(self._held_w.sum())
        n_terms, n_cells = int(layout.first_term[-1]), int(layout.first_cell[-1])
        self.scratch = scratch_for(layout)
        self.pace = np.empty(n_terms)
        count_rows(self._X, self._w, layout, self.scratch, self.pace)
        to_pace(self.pace, STEP)
        shares = np.bincount(self._y, self._w, minlength=task.n_classes) + 0.5
        log_odds = np.log(shares) if n_learners > 1 else np.log(shares[1:] / shares[:1])
        self.state = SoftState(np.zeros((n_learners, n_terms)), np.zeros((n_learners, n_cells)), log_odds)
        self.scores = np.repeat(log_odds[:, None], len(held), axis=1)
        self.first_loss = float(losses_of(self.scores, self._held_y) @ self._held_w)
        self.best = SoftState(np.zeros((n_learners, n_terms)), np.zeros((n_learners, 0)), log_odds.copy())
        self.best_scores = self.scores.copy()

    def epoch(self, n_batches: int) -> float:
        """Go over the rows once; return the loss on the rows held out."""
        learn_batches(self._X, self._y, self._w, n_batches, self.layout, self.pace, self.state, STEP.beta, self.scratch)
        compute_scores(self._held_X, self.layout, self.state, self.scores)
        return float(losses_of(self.scores, self._held_y) @ self._held_w)

    def keep(self) -> None:
        """Remember the model as it is."""
        self.best.weights[:] = self.state.weights
        self.best.bias[:] = self.state.bias
        self.best_scores[:] = self.scores


def losses_of(scores: Floats, targets: Ints) -> Floats:
    """Compute the logistic loss of each row, given scores of shape (learners, rows)."""
    if len(scores) == 1:
        losses: Floats = np.logaddexp(0.0, np.where(targets == 1, -scores[0], scores[0]))
        return losses
    chosen: Floats = -log_softmax(scores, axis=0)[targets, np.arange(len(targets))]
    return chosen


def calibration(scores: Floats, targets: Ints, weights: Floats, *, shifted: bool = True) -> tuple[float, float]:
    """Find the factor of the scores, and perhaps the shift of a single one, with the least logistic loss (Platt 1999).

    Two further rows, one right and one wrong at the mean distance from 0, keep the factor finite where all rows are
    right. The loss is convex, so that Newton's method with halved steps finds the least. The factor stays positive.
    """
    two_class = len(scores) == 1
    if two_class:
        sides = (2 * targets - 1) * scores[0]  # the loss is log(1 + e^-(scale side + shift sign))
        signs = (2.0 * targets - 1.0).astype(np.float64)
    else:
        others = scores.copy()
        others[targets, np.arange(len(targets))] = -np.inf
        sides = scores[targets, np.arange(len(targets))] - others.max(axis=0)  # against the best rival
        signs = np.zeros(len(targets))
    typical = float(np.abs(sides) @ weights / weights.sum())
    sides, signs = np.append(sides, [typical, -typical]), np.append(signs, [0.0, 0.0])
    weights = np.append(weights, [1.0, 1.0])
    features = np.stack([sides, signs]) if two_class and shifted else sides[None]
    at = np.eye(len(features))[0]

    def loss(at: Floats) -> float:
        return float(np.logaddexp(0.0, -(at @ features)) @ weights)

    present = loss(at)
    for _ in range(50):
        wrong = 1.0 / (1.0 + np.exp(np.clip(at @ features, -30, 30)))
        hessian = (features * (weights * wrong * (1 - wrong))) @ features.T + 1e-9 * np.eye(len(features))
        step = np.linalg.solve(hessian, features @ (weights * wrong))
        tries = [at + step / 2**halvings for halvings in range(12)]
        better = next((new for new in tries if new[0] > 0.0 and loss(new) < present), None)
        if better is None or present - loss(better) < 1e-9 * weights.sum():
            break
        at, present = better, loss(better)
    return float(at[0]), float(at[1]) if len(at) > 1 else 0.0


def _measure(scores: Floats, targets: Ints, weights: Floats) -> tuple[float, float]:
    """Compute the mean loss and the share of wrong labels."""
    labels = scores[0] > 0 if len(scores) == 1 else scores.argmax(axis=0)
    total = weights.sum()
    return float(losses_of(scores, targets) @ weights / total), float((labels != targets) @ weights / total)


def _mean_scores(folds: list[_Fold], n_learners: int, n_rows: int) -> Floats:
    """Average the scores of each row over the models that did not learn from it."""
    total, times = np.zeros((n_learners, n_rows)), np.zeros(n_rows)
    for fold in folds:
        total[:, fold.held] += fold.best_scores
        times[fold.held] += 1
    return total / np.maximum(times, 1)


def _n_splits(n_rows: int, n_weights: int) -> int:
    """How often to split the rows into parts: the fewer rows, the more often, as long as weights are few."""
    return max(1, min(MOST_SPLITS, ENOUGH_ROWS // n_rows, FEW_WEIGHTS // max(n_weights, 1)))


def _splits(task: SoftTask, n_splits: int) -> Iterator[tuple[Ints, Ints]]:
    """Split the rows into parts, every class evenly; each part is held out once."""
    n_rows = len(task.targets)
    for _ in range(n_splits):
        order = task.rng.permutation(n_rows)
        by_class = order[np.argsort(task.targets[order], kind="stable")]
        part = np.empty(n_rows, dtype=np.int64)
        part[by_class] = np.arange(n_rows) % PARTS
        for held in range(min(PARTS, n_rows)):
            yield order[part[order] != held], order[part[order] == held]


def _n_batches(layout: Layout, n_rows: int) -> int:
    """As many batches as keep the cost of updates below that of the rows, from 5 to 40."""
    of_rows = n_rows * layout.columns.shape[0]
    return int(min(max(5, of_rows // max(int(layout.first_term[-1]), 1)), 40))
