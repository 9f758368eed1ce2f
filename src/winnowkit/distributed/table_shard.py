"""Short terms of `DNFWinnow` on many machines: columns and a first model from a sample, then mixing over all rows."""

from __future__ import annotations

import math
import time
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.multiclass import encode_labels
from winnowkit.core.validation import times_class_weights
from winnowkit.distributed.checkpoint import Checkpoint
from winnowkit.distributed.combine import Change, change, merge, moved
from winnowkit.distributed.parameter_mixing import ROUNDS, Mixing
from winnowkit.distributed.parts import Piece, labels_for
from winnowkit.distributed.shard import Orders
from winnowkit.distributed.survey import drawn_rows, rows_at
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.dnf.kernels.problem import Floats, Ints
from winnowkit.dnf.kernels.soft_terms import Batches, SoftState, count_rows, learn_batches, to_pace
from winnowkit.dnf.soft_learners import STEP, SoftLearners, SoftTables, by_column, calibration, losses_of
from winnowkit.dnf.soft_training import n_batches_for
from winnowkit.dnf.term_layout import scratch_for

HELD_OUT = 50_000
"""Rows that no shard learns from: their loss ends training, and calibrates."""
FLAT = 1e-3
"""Training ends after an epoch that lowers the loss on rows held out by less than this share of it."""


class HeldOut(NamedTuple):
    """Which rows of each part are held out: the first so many that are drawn."""

    seed: int
    n_rows: tuple[int, ...]

    def others(self, part: int, n_rows: int) -> Ints:
        """Return the other rows of a part of so many, in order."""
        return np.sort(drawn_rows(n_rows, (self.seed, part))[self.n_rows[part] :])


class TableShard(NamedTuple):
    """A shard: its estimator, and how many rows satisfied each term."""

    model: DNFWinnow
    rows: Floats


def begin_shard(model: DNFWinnow) -> TableShard:
    """Begin a shard at the common start."""
    return TableShard(model, np.zeros(int(_tables(model).layout.first_term[-1])))


def learn_piece(shard: TableShard, held: HeldOut, X: Any, y: Any, piece: Piece, orders: Orders) -> TableShard:
    """Return the shard after soft updates on the rows of a piece, but for those held out."""
    labels = labels_for(X, y)
    places = held.others(piece.part, len(labels))[piece.first :: piece.step]
    if orders.seed is not None:
        places = np.random.default_rng(orders.seed).permutation(places)
    if not len(places):
        return shard
    model, old = deepcopy(shard.model), _tables(shard.model)
    targets = encode_labels(model.classes_, labels[places])
    weights = times_class_weights(None, orders.class_weight, model.classes_, targets)
    cells = by_column(model.encoder_.transform(rows_at(X, places)))
    state = SoftState(old.weights.copy(), old.by_cell.copy(), old.bias.copy())
    ones = np.ones(len(places)) if weights is None else weights
    scratch, rows = scratch_for(old.layout), np.empty_like(shard.rows)
    count_rows(cells, ones, old.layout, scratch, rows)
    pace = rows.copy()
    to_pace(pace, STEP)
    n_batches = n_batches_for(old.layout, len(places))
    learn_batches(cells, targets, ones, Batches(0, n_batches, n_batches), old.layout, pace, state, STEP.beta, scratch)
    _replace_tables(model, state.weights, state.bias)
    return TableShard(model, shard.rows + rows)


def change_of(start: DNFWinnow, shard: TableShard) -> Change:
    """Return what a shard has made of the start."""
    counted = np.broadcast_to(shard.rows, _tables(start).weights.shape)
    return change(start._learners, shard.model._learners, counted)


def merged(start: DNFWinnow, changes: list[Change]) -> Change:
    """Return one change for several."""
    return merge(start._learners, changes)


def moved_model(start: DNFWinnow, total: Change) -> DNFWinnow:
    """Return the estimator that the change of all shards makes of the start."""
    model = deepcopy(start)
    model._learners = moved(start._learners, total)
    return model


def model_of(shard: TableShard) -> DNFWinnow:
    """Return the estimator of a shard that is the only one."""
    return shard.model


class Terms(NamedTuple):
    """A run of training over short terms: the rounds, rows held out, the checkpoint, and when time is over."""

    mixing: Mixing
    held: tuple[Any, NDArray[Any]]
    checkpoint: Checkpoint
    deadline: float = math.inf

    def train(self, first: DNFWinnow) -> DNFWinnow:
        """Go on from a model of a sample until rows held out show no more gain, and return the best, calibrated."""
        cells, targets = first.encoder_.transform(self.held[0]), encode_labels(first.classes_, self.held[1])

        def loss(model: DNFWinnow) -> float:
            return float(losses_of(_tables(model).scores(cells), targets).mean())

        model, best, n_rounds = first, first, 0
        if (kept := self.checkpoint.read()) is not None:
            model, notes = kept
            n_rounds, best = notes["rounds"], notes["best"]
        while True:
            epoch, number = divmod(n_rounds, ROUNDS)
            if n_rounds and not number:
                before = loss(best)
                best = model if loss(model) < before else best
                if loss(best) > before * (1.0 - FLAT):
                    break
            if epoch == first.max_epochs or time.monotonic() > self.deadline:
                first._warn_of_limit("max_epochs" if epoch == first.max_epochs else "max_time", stacklevel=5)
                break
            model = self.mixing.round(model, epoch, number, True, None, f", held-out log-loss {loss(model):.4f}")
            n_rounds += 1
            self.checkpoint.write(model, rounds=n_rounds, best=best)
        best = model if loss(model) < loss(best) else best
        scores = _tables(best).scores(cells)
        scale, shift = calibration(scores, targets, np.ones(len(targets)))
        _replace_tables(best, scale * _tables(best).weights, scale * _tables(best).bias + shift)
        best.n_epochs_, best.n_trials_ = n_rounds // ROUNDS, n_rounds * int(sum(self.mixing.n_rows)) // ROUNDS
        return best


def _tables(model: DNFWinnow) -> SoftTables:
    learners = model._soft
    if learners is None:
        raise TypeError("the model has no soft terms")
    return learners._tables


def _replace_tables(model: DNFWinnow, weights: Floats, bias: Floats) -> None:
    """Give the terms of a model these weights."""
    old: Any = model._learners
    tables = SoftTables(_tables(model).layout, weights, bias)
    model._learners = SoftLearners(old.n_ordered, old.n_other, old.max_literals, tables)
