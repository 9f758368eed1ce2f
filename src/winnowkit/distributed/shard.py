"""The work of a shard: pure functions of a common start and the rows of a piece, so that Dask may repeat them."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils import check_consistent_length

from winnowkit.core.csr import BadRowsError, Rows, Trials
from winnowkit.core.integer_rows import integer_rows, integers_of
from winnowkit.core.multiclass import class_of, encode_labels
from winnowkit.core.validation import repaired_rows, times_class_weights, validate
from winnowkit.distributed.combine import Change, change, merge, moved
from winnowkit.distributed.parts import Piece, rows_in
from winnowkit.linear.learner import LinearLearner

AT_ONCE = 2**16
"""Rows whose decisions are recorded together."""


class Orders(NamedTuple):
    """How the rows of a piece are taken.

    Parameters
    ----------
    seed : tuple of int or None
        Seeds the order of the rows; None if they are taken as they come.
    frozen : array of bool or None
        Learners that do not update any more.
    class_weight : dict or None
        The weight of each class.
    """

    seed: tuple[int, ...] | None
    frozen: NDArray[np.bool_] | None = None
    class_weight: Any = None


class Shard(NamedTuple):
    """A shard between two combinations: its estimator, and how often it has updated each weight, if that is counted."""

    model: Any
    updates: NDArray[np.float32] | None = None


def begin_shard(model: Any) -> Shard:
    """Begin a shard at the common start."""
    learner = model._learner
    return Shard(model, np.zeros(learner.state.weights.shape, np.float32) if _counts(learner) else None)


def learn_piece(shard: Shard, prepare: Any, X: Any, y: Any, piece: Piece, orders: Orders) -> Shard:
    """Return the shard after it has learned from a piece; the shard that is given stays as it is."""
    X, y = rows_in(X, y, piece)
    if not len(y):
        return shard
    if prepare is not None:
        X = prepare.transform(X)
    model, updates = deepcopy(shard.model), None if shard.updates is None else shard.updates.copy()
    X, y = _validated(model, X, y)
    labels = encode_labels(model.classes_, np.asarray(y))
    order = None if orders.seed is None else np.random.default_rng(orders.seed).permutation(len(labels))
    weights = times_class_weights(None, orders.class_weight, model.classes_, labels)
    try:
        rows = integer_rows(X, model.binarize) if X.dtype.kind in "biu" else model._rows(X)
        _learn(model._learner, Trials(rows, labels, order, orders.frozen, weights), updates)
    except BadRowsError as bad:
        if updates is not None:
            updates[:] = shard.updates
        model = model if updates is None else deepcopy(shard.model)
        rows = repaired_rows(X, bad.flags, model)
        _learn(model._learner, Trials(rows, labels, order, orders.frozen, weights), updates)
    return Shard(model, updates)


def change_of(start: Any, shard: Shard) -> Change:
    """Return what a shard has made of the start."""
    return change(start._learner, shard.model._learner, shard.updates)


def merged(start: Any, changes: list[Change]) -> Change:
    """Return one change for several."""
    return merge(start._learner, changes)


def moved_model(start: Any, total: Change) -> Any:
    """Return the estimator that the change of all shards makes of the start."""
    model = deepcopy(start)
    model._learner = moved(start._learner, total)
    return model


def model_of(shard: Shard) -> Any:
    """Return the estimator of a shard that is the only one."""
    return shard.model


def _validated(model: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Return X as a float array, a CSR matrix or, if it holds nothing else, an array of whole numbers, and y."""
    table = integers_of(X)
    if table is None:
        found: tuple[Any, Any] = model._validated(X, y, reset=False)
        return found
    validate(model, X, y, reset=False, skip_check_array=True)
    check_consistent_length(table, y)
    return table, y


def _counts(learner: Any) -> bool:
    return isinstance(learner, LinearLearner)


def _learn(learner: Any, trials: Trials, updates: NDArray[np.float32] | None) -> None:
    """Learn, and count the updates of each weight."""
    if updates is None:
        learner.learn(trials)
        return
    order = np.arange(trials.labels.size) if trials.order is None else trials.order
    for first in range(0, order.size, AT_ONCE):
        here = order[first : first + AT_ONCE]
        some = trials._replace(
            rows=_taken(trials.rows, here, updates.shape[2]),
            labels=trials.labels[here],
            order=None,
            weights=None if trials.weights is None else trials.weights[here],
        )
        shown = some.presentations().order
        decisions = np.empty((shown.size, len(learner.counts) - 1))
        learner.learn(some, decisions)
        _count_updates(learner, some, shown, decisions, updates)


def _taken(rows: Rows, order: NDArray[np.int64], n: int) -> Rows:
    """Return some rows, of n attributes, in an order of their own."""
    if order.size == rows.indptr.size - 1 and (np.diff(order) == 1).all():
        return rows
    matrix = csr_matrix((rows.data, rows.indices, rows.indptr), shape=(rows.indptr.size - 1, n), copy=False)[order]
    return Rows(matrix.data, matrix.indices, matrix.indptr, rows.binarize)


def _count_updates(
    learner: LinearLearner,
    trials: Trials,
    shown: NDArray[np.int64],
    decisions: NDArray[np.float64],
    updates: NDArray[np.float32],
) -> None:
    """Add how often each weight was updated, given the decisions before each presentation, as the policy says."""
    parameters, (n_learners, n_blocks, n) = learner.state.parameters, updates.shape
    labels = np.array([class_of(k, n_learners) for k in range(n_learners)])
    asked = ((decisions > 0.0) != (trials.labels[shown, None] == labels)) | parameters["always"]
    asked |= np.abs(decisions) < parameters["margin"]
    asked &= ~trials.frozen_of(n_learners)
    some = np.flatnonzero(asked.any(axis=1))
    rows = _taken(trials.rows, shown[some], n)
    present = (rows.data > (rows.binarize or 0.0)).astype(np.float32)
    attributes = csr_matrix((present, rows.indices, rows.indptr), shape=(len(some), n))
    counted = (csr_matrix(asked[some].T.astype(np.float32)) @ attributes).toarray()
    with_negations = bool(parameters["negations"].any())
    direct = n_blocks // 2 if with_negations else n_blocks
    updates[:, :direct] += counted[:, None]
    if with_negations:
        updates[:, direct:] += (asked.sum(axis=0)[:, None] - counted)[:, None]
