"""How learners grow: looking ahead on a copy, and the arrays of learners for other classes."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows
from winnowkit.core.multiclass import PREDICT_ONLY, SMALLEST, chosen

T = TypeVar("T", bound=np.generic)


class LooksAheadOnACopy:
    """Foresees by growing a copy, which it becomes if the next thing it is asked is to grow alike.

    It comes after the learner among the bases of a class, which says by `_extend` how to grow.
    """

    n_features: int
    _ahead: Any = None  # of the same class

    def rank(self: Any, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Decisions before any draw, as log-odds or the like of them: a logistic function makes them scores."""
        ranks: NDArray[np.float64] = self.decide(rows, first, last)
        return ranks

    def grow(self: Any, n_features: int) -> None:
        """Take in attributes that were 0 so far, up to n_features in all."""
        ahead = self._ahead if self._is_ahead(n_features) else None
        self._ahead = None
        if ahead is not None:
            self.__dict__.update(ahead.__dict__)
        else:
            self._extend(n_features)
            self.n_features = n_features

    def predict_active(self: Any, indices: NDArray[np.int64], n_features: int) -> int:
        """Predict the label of an example with so many attributes in all, given the active ones; nothing changes."""
        if n_features > self.n_features:
            return int(chosen(self.foresee(indices, None, n_features, ranking=False)[None])[0])
        predicted: int = self.trial_active(indices, PREDICT_ONLY)
        return predicted

    def foresee(
        self, indices: NDArray[np.int64], data: NDArray[np.float64] | None, n_features: int, *, ranking: bool
    ) -> NDArray[np.float64]:
        """What it would decide (`ranking`: how it would rank) one example were it grown; nothing changes."""
        learner: Any = self
        if n_features > self.n_features:
            if not self._is_ahead(n_features):
                self._ahead = deepcopy(self)  # which keeps nothing of a copy
                self._ahead.grow(n_features)
            learner = self._ahead
        row = one_row(indices, data, 0.0)
        decisions: NDArray[np.float64] = (learner.rank if ranking else learner.decide)(row, 0, 1)[0]
        return decisions

    def _is_ahead(self: Any, n_features: int) -> bool:
        """Whether there is a copy grown alike that has learned as much."""
        ahead = self._ahead
        return ahead is not None and ahead.n_features == n_features and ahead.counts[0, 0] == self.counts[0, 0]


def one_row(indices: NDArray[np.int64], data: NDArray[np.float64] | None, binarize: float | None) -> Rows:
    """A single example as rows."""
    return Rows(np.ones(indices.size) if data is None else data, indices, np.array([0, indices.size]), binarize)


def selected(present: NDArray[T], blank: NDArray[T], sources: Sequence[int | None]) -> NDArray[T]:
    """The parts of `present` that `sources` name, one after the other, and `blank` for None.

    Examples
    --------
    >>> selected(np.array([[1, 2], [3, 4]]), np.array([0, 0]), [1, None])
    array([[3, 4],
           [0, 0]])
    """
    return np.stack([blank if source is None else present[source] for source in sources])


def selected_counts(counts: NDArray[np.int64], sources: Sequence[int | None]) -> NDArray[np.int64]:
    """Trials and wrong labels as they are; then each learner's own."""
    own = selected(counts[1:], np.zeros(2, dtype=np.int64), sources)
    return np.concatenate([counts[:1], own])


def scaled(decisions: NDArray[np.float64], unit: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Decisions in some unit, above 0 iff they were: a tie that predicts 1 is the smallest number."""
    return np.where(decisions > 0.0, np.maximum(decisions / unit, SMALLEST), decisions / unit)
