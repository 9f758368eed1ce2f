"""Learners whose attributes and classes appear over time: their protocol, and helpers that they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows
from winnowkit.core.multiclass import SMALLEST

T = TypeVar("T", bound=np.generic)


class Growing(Protocol):
    """A learner with room for more attributes."""

    @property
    def n_features(self) -> int:
        """Number of attributes seen so far."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """Trials and wrong labels; then one row per learner with its own updates and mistakes."""

    def grow(self, n_features: int) -> None:
        """Take in attributes that were 0 so far, up to n_features in all."""

    def with_learners(self, sources: Sequence[int | None]) -> Growing:
        """Return one learner per class: a copy of the learner that `sources` names, or a new one for None."""

    def trial_active(self, indices: NDArray[Any], label: int) -> int:
        """Perform one trial on the active attributes alone and return the label predicted."""

    def predict_active(self, indices: NDArray[np.int64], n_features: int) -> int:
        """Predict the label of an example with `n_features` attributes in all, given the active ones."""

    def learn(self, rows: Rows, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Perform one trial per row and return the labels predicted before each update."""

    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return the decisions of all learners on the rows from first to last."""

    def rank(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return decisions before any random draw, as log-odds or similar: a logistic function makes them scores."""

    def foresee(
        self, indices: NDArray[np.int64], data: NDArray[np.float64] | None, n_features: int, *, ranking: bool
    ) -> NDArray[np.float64]:
        """Return the decisions (`ranking`: the ranks) on one example as if the learner had grown; nothing changes.

        `indices` are the active attributes, numbered from the present n on if they are new; `data` holds their values,
        or is None if all are 1.
        """


def one_row(indices: NDArray[np.int64], data: NDArray[np.float64] | None, binarize: float | None) -> Rows:
    """Return a single example as rows."""
    return Rows(np.ones(indices.size) if data is None else data, indices, np.array([0, indices.size]), binarize)


def selected(present: NDArray[T], blank: NDArray[T], sources: Sequence[int | None]) -> NDArray[T]:
    """Return the parts of `present` that `sources` name, one after the other, and `blank` for None.

    Examples
    --------
    >>> selected(np.array([[1, 2], [3, 4]]), np.array([0, 0]), [1, None])
    array([[3, 4],
           [0, 0]])
    """
    return np.stack([blank if source is None else present[source] for source in sources])


def selected_counts(counts: NDArray[np.int64], sources: Sequence[int | None]) -> NDArray[np.int64]:
    """Return trials and wrong labels as they are, then the counts of the learners that `sources` name."""
    own = selected(counts[1:], np.zeros(2, dtype=np.int64), sources)
    return np.concatenate([counts[:1], own])


def scaled(decisions: NDArray[np.float64], unit: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return decisions in some unit, above 0 iff they were: a tie that predicts 1 is the smallest number."""
    return np.where(decisions > 0.0, np.maximum(decisions / unit, SMALLEST), decisions / unit)
