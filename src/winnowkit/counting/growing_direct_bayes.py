"""The direct algorithm whose attributes turn up over time: exactly as if they had been there, 0, from the start.

A disjunction with new attributes erred as often as it would without them; a new attribute alone erred in every positive
example, and the complement of one in every negative example. Growing costs time in the number of disjunctions. Once one
more attribute would make them more than `max_disjunctions`, further ones are left out: they stay 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows
from winnowkit.core.growing import LooksAheadOnACopy, selected, selected_counts
from winnowkit.counting import direct_bayes_kernel as direct
from winnowkit.counting import late_attributes as absent
from winnowkit.counting.direct_bayes_learner import ROOM, DirectBayesRule, DirectLearner, n_disjunctions


@dataclass
class GrowingDirect(DirectLearner, LooksAheadOnACopy):
    """The direct algorithm with room for more attributes.

    Examples
    --------
    >>> rule = DirectBayesRule(k=2, noise=0.1, max_disjunctions=3, prediction="majority", policy="always")
    >>> learner = GrowingDirect.start(rule, 1, 1, False, 0)
    >>> _ = learner.trial_active(np.array([0]), 1)
    >>> learner.grow(2)
    >>> learner.errors - learner.errors.min()  # of x0, x0 or x1, x1
    array([[0, 0, 1]], dtype=int32)
    >>> learner.grow(3)
    >>> learner.n_features, learner.n_used
    (3, 2)
    """

    n_features: int = 0  # seen
    rule: DirectBayesRule | None = None

    @classmethod
    def start(cls, rule: DirectBayesRule, n_features: int, n_learners: int, negations: bool, seed: int) -> Self:
        """A learner that has seen nothing."""
        n_used = most_features(rule, 1, n_features, negations)
        learner = cls.begin(rule, n_used, n_learners, negations, seed)
        learner.n_features, learner.rule = n_features, rule
        return learner

    @property
    def n_used(self) -> int:
        """How many attributes, the first ones, have disjunctions."""
        return int(self._one["n"])

    def _extend(self, n_features: int) -> None:
        assert self.rule is not None
        n_used = most_features(self.rule, self.n_used, n_features, self._negations)
        if n_used > self.n_used:
            self._add_literals(n_used, min(self.rule.k, n_used * (1 + self._negations)))

    def _add_literals(self, n: int, k: int) -> None:
        before = absent.Literals(self.n_used, self._table)
        after = absent.Literals(n, direct.begins(n * (1 + self._negations), k))
        errors = np.empty((len(self.errors), after.table[-1, -1]), dtype=np.int32)
        for j in range(len(errors)):
            never, updates = self.positives[j], self.counts[1 + j, 0]
            absent.spread(
                self.errors[j], before, after, never - self.base[j], updates - never - self.base[j], errors[j]
            )
        self.errors = errors
        self.parameters["n"], self.parameters["k"] = n, k
        self._table = after.table
        self._tally()

    def _tally(self) -> None:
        """Count anew how many disjunctions have how many errors."""
        low, high = self.errors.min(axis=1).astype(np.int64), self.errors.max(axis=1).astype(np.int64)
        room = max(self.tallies.shape[1], ROOM, 2 * int((high - low).max()) + 4)
        self.lowest = low - (room - (high - low)) // 2
        self.tallies = np.stack(
            [np.bincount(e - lowest, minlength=room) for e, lowest in zip(self.errors, self.lowest, strict=True)]
        )

    def with_learners(self, sources: Sequence[int | None]) -> Self:
        """A learner a class: a copy of the present one that `sources` names, or for None one that has seen nothing."""
        arrays = self.arrays()
        for name in ("errors", "base", "tallies", "lowest", "positives"):
            arrays[name] = selected(arrays[name], np.zeros_like(arrays[name][0]), sources)
        arrays["counts"] = selected_counts(self.counts, sources)
        arrays["parameters"] = self.parameters.copy()
        new = self.from_arrays(arrays)
        new.n_features, new.rule = self.n_features, self.rule
        new._tally()
        return new

    # --- trials -----------------------------------------------------------------------------------------------------

    def learn(
        self,
        rows: Rows,
        labels: NDArray[np.int64],
        order: NDArray[np.int64] | None = None,
        frozen: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        """One trial a row: the labels predicted before each update."""
        return super().learn(self._used(rows), labels, order, frozen)

    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Decisions of all learners on the rows from first to last."""
        return super().decide(self._used(rows), first, last)

    def rank(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Log-odds of label 1 for each learner, label noise included, whatever the prediction rule."""
        return self.log_odds(self._used(rows), first, last)

    def _used(self, rows: Rows) -> Rows:
        """The rows without the attributes that are left out."""
        if self.n_features == self.n_used:
            return rows
        used = rows.indices < self.n_used
        ends = np.concatenate([[0], np.cumsum(used)])
        return Rows(rows.data[used], rows.indices[used], ends[rows.indptr], rows.binarize)

    # --- keeping ----------------------------------------------------------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that has to be kept to continue exactly here, but for `n_features` and the rule."""
        return {name: array for name, array in super().arrays().items() if name not in ("n_features", "rule")}

    def __getstate__(self) -> dict[str, Any]:
        return {"n_features": self.n_features, "rule": self.rule, **self.arrays()}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        arrays = dict(state)
        n_features, rule = arrays.pop("n_features"), arrays.pop("rule")
        super().__setstate__(arrays)
        self.n_features, self.rule = n_features, rule

    @property
    def _negations(self) -> bool:
        return bool(self._one["negations"])


def most_features(rule: DirectBayesRule, n_used: int, n_features: int, negations: bool) -> int:
    """How many of n_features attributes can have disjunctions, n_used of which do.

    Examples
    --------
    >>> rule = DirectBayesRule(k=1, noise=0.1, max_disjunctions=10, policy="mistake", prediction="majority")
    >>> [most_features(rule, 2, 30, negations) for negations in (False, True)]
    [10, 5]
    """
    while n_used < n_features and n_disjunctions((n_used + 1) * (1 + negations), rule.k) <= rule.max_disjunctions:
        n_used += 1
    return n_used
