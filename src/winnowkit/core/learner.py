"""The protocol of learners, which classifiers and river drive; and their decisions in threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from winnowkit.core.csr import Rows, Trials

Decide = Callable[[Rows, int, int], NDArray[np.float64]]
"""Decisions on the rows from first to last."""


@runtime_checkable
class Learner(Protocol):
    """A rule at work on n attributes, with one target per class (a single one if there are two classes)."""

    @property
    def n_features(self) -> int:
        """Number of attributes seen so far."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """Trials and wrong labels in the first row; then the updates and mistakes of each learner."""

    def learn(self, trials: Trials) -> NDArray[np.int64]:
        """Run the trials and return the labels predicted before each update, one per row.

        Changes nothing if it raises: BadRowsError, or because it is interrupted.
        """

    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return the decisions of all learners on the rows from first to last."""

    def trial_active(self, indices: NDArray[Any], label: int) -> int:
        """Run one trial on the active indices alone: the label predicted; -1 if unsorted, -2 if out of range."""


class GrowingLearner(Learner, Protocol):
    """A learner whose attributes and classes may turn up over time.

    A new attribute is as one that was 0 in all examples so far; what depends on the number of attributes follows it.
    """

    def grow(self, n_features: int) -> None:
        """Take in attributes that were 0 so far, up to n_features in all."""

    def with_learners(self, sources: Sequence[int | None]) -> Self:
        """Learners for other classes: copies of the present ones that `sources` names, and new ones for None."""

    def predict_active(self, indices: NDArray[np.int64], n_features: int) -> int:
        """Predict the label of an example with n_features attributes, given the active ones; nothing changes."""

    def rank(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return decisions without any random draw, as log-odds or similar: a logistic function makes them scores."""

    def foresee(
        self, indices: NDArray[np.int64], data: NDArray[np.float64] | None, n_features: int, *, ranking: bool
    ) -> NDArray[np.float64]:
        """Return the decisions (with `ranking`: the ranks) on one example as if the learner had grown; nothing changes.

        `indices` are the active attributes, new ones from the present n on; `data` are their values, None if all are 1.
        """


def decide_in_threads(decide: Decide, rows: Rows, n_rows: int, n_jobs: int) -> NDArray[np.float64]:
    """Return the decisions on all rows, each thread taking a part of them."""
    n_jobs = min(n_jobs, n_rows)
    if n_jobs == 1:
        return decide(rows, 0, n_rows)
    edges = np.linspace(0, n_rows, n_jobs + 1).astype(int)
    calls = (delayed(decide)(rows, first, last) for first, last in pairwise(edges))
    return np.concatenate(Parallel(n_jobs=n_jobs, prefer="threads")(calls))
