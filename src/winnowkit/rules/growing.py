"""A linear learner whose attributes and classes turn up over time.

At every moment it is the learner of the paper for the n attributes seen so far:

- A new attribute has the weights of one that was 0 in all examples so far. Without negations they are the initial
  ones; those of its complement, which was 1 in every example, took part in every update, and the kernels keep track.
- The rule is that for the present n: theta "auto", initial weights 1/n and all else that depends on n. The log-odds of
  BEG are kept relative to the initial ones, so that with 1/n every weight's odds follow n, its factors since the start
  stay, and an attribute that was 0 so far weighs 1/n, whenever it turned up. Past updates stay as they were made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.kernels import growth, updates
from winnowkit.kernels.csr import Rows
from winnowkit.kernels.updates import Link
from winnowkit.rules.base import LinearLearner, Rule


@dataclass
class GrowingLearner(LinearLearner):
    """A linear learner with room for more attributes.

    Examples
    --------
    >>> from winnowkit.rules.winnow import winnow2
    >>> learner = GrowingLearner.start(winnow2(2, 1.5, "auto", 0.0), 2, 1, False)
    >>> learner.trial_active(np.array([0, 1]), 0)  # 1 + 1 >= theta = 2: a false alarm
    1
    >>> learner.grow(winnow2(3, 1.5, "auto", 0.0), 3)
    >>> learner.coef.round(2), learner.intercept
    (array([[0.67, 0.67, 1.  ]]), array([-3.]))
    """

    rule: Rule | None = None  # that for the present n
    n_features: int = 0  # those in use; a few more have room
    stale: bool = False  # whether coef must be summed anew, the parameters having changed

    @classmethod
    def start(cls, rule: Rule, n_features: int, n_learners: int, negations: bool) -> Self:
        """A learner that has seen nothing, with room for so many attributes."""
        learner = cls.begin(rule, n_features, n_learners, negations)
        learner.rule, learner.n_features = rule, n_features
        return learner

    # --- growing ----------------------------------------------------------------------------------------------------

    def grow(self, rule: Rule, n_features: int) -> None:
        """Take in attributes that were 0 so far, up to n_features in all; from now on by the rule for that many."""
        first, self.n_features = self.n_features, n_features
        if n_features > self.state.coef.shape[1]:
            # With negations the complement of room to spare would count; and an update costs time in n anyway.
            self._make_room(n_features if self._negations else max(n_features, 2 * self.state.coef.shape[1]))
        if rule.prediction.link != Link.WEIGHT and rule != self.rule:
            self.stale = True
        self._set_parameters(self.state.parameters, rule)
        self.rule = rule
        if rule.prediction.normalized or self._negations:
            weights, totals = self.state.weights, self.state.totals
            fresh = totals[:, updates.FRESH :]
            weights[:, :, first:n_features] = fresh[:, :, None]
            if rule.prediction.normalized:
                totals[:, updates.TOTAL] += (n_features - first) * fresh.sum(axis=1)
            self._refresh()

    def _make_room(self, capacity: int) -> None:
        """Lengthen the arrays. Room to spare has the weights of new attributes, or none if all weights are summed."""
        weights = self.state.weights
        n_learners, n_blocks, n = weights.shape
        longer = np.zeros((n_learners, n_blocks, capacity))
        longer[:, :, :n] = weights
        if not self.state.parameters["normalized"][0]:
            longer[:, :, n:] = self.state.totals[:, updates.FRESH :, None]
        # Not by `from_arrays`, which would sum every coefficient anew, each time.
        if self._shared:
            self.state = self.state._replace(weights=longer, coef=longer[:, 0])
            return
        coef = np.zeros((n_learners, capacity))
        coef[:, :n] = self.state.coef
        self.state = self.state._replace(weights=longer, coef=coef)
        growth.refresh_at(*self.state, np.arange(n, capacity))

    def _set_parameters(self, parameters: NDArray[np.void], rule: Rule) -> None:
        """Turn the present parameters into those of a rule; few differ, most often theta alone."""
        if self.rule is not None:
            for before, after in ((self.rule.prediction, rule.prediction), (self.rule.update, rule.update)):
                if before != after:
                    for name, old, new in zip(before._fields, before, after, strict=True):
                        if old != new:
                            parameters[name] = new

    def with_learners(self, rule: Rule, sources: Sequence[int | None]) -> Self:
        """A learner a class: a copy of the present one that `sources` names, or for None one that has seen nothing."""
        new = type(self).start(rule, self.state.coef.shape[1], len(sources), self._negations)
        new.n_features, new.stale = self.n_features, self.stale
        new.state.counts[0] = self.state.counts[0]
        if rule.prediction.normalized:
            new.state.weights[:, :, self.n_features :] = 0.0
            new.state.totals[:, updates.TOTAL] = new.state.weights.sum(axis=(1, 2))
        for k, source in enumerate(sources):
            if source is not None:
                new.state.weights[k] = self.state.weights[source]
                new.state.totals[k] = self.state.totals[source]
                new.state.counts[1 + k] = self.state.counts[1 + source]
        new._refresh()
        return new

    # --- trials -----------------------------------------------------------------------------------------------------

    def trial_active(self, indices: NDArray[Any], label: int) -> int:
        """One trial on the active indices alone; see :func:`winnowkit.kernels.linear.trial_active`."""
        if self.stale:  # summing all anew would cost time in n whenever an attribute turns up
            growth.refresh_at(*self.state, indices)
        return super().trial_active(indices, label)

    def foresee(
        self, rule: Rule, indices: NDArray[np.int64], data: NDArray[np.float64], n_new: int
    ) -> NDArray[np.float64]:
        """Decisions that the learner would make were it grown by n_new attributes; see the kernel."""
        parameters = self.state.parameters
        if n_new:
            parameters = parameters.copy()
            self._set_parameters(parameters, rule)
        decisions: NDArray[np.float64] = growth.foresee(*self.state[:-1], parameters, indices, data, n_new)
        return decisions

    def learn(
        self,
        rows: Rows,
        labels: NDArray[np.int64],
        order: NDArray[np.int64] | None = None,
        frozen: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        """One trial a row: the labels predicted before each update. Raises BadRowsError with nothing changed."""
        self._refresh_if_stale()
        return super().learn(rows, labels, order, frozen)

    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Decisions of all learners on the rows from first to last."""
        self._refresh_if_stale()
        return super().decide(rows, first, last)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """What :meth:`go_back` needs: room to spare is not as a new learner's weights."""
        return {name: array.copy() for name, array in self.arrays().items()}

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    def coef(self) -> NDArray[np.float64]:
        """Decision = coef . x + intercept."""
        self._refresh_if_stale()
        return super().coef[:, : self.n_features]

    def __getstate__(self) -> dict[str, Any]:
        return {"n_features": self.n_features, "rule": self.rule, **self.arrays()}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        arrays = dict(state)
        self.n_features = arrays.pop("n_features", self.n_features)  # `learn` goes back to arrays alone
        self.rule = arrays.pop("rule", self.rule)
        self.stale = False
        super().__setstate__(arrays)

    @property
    def _negations(self) -> bool:
        return self.rule is not None and self.state.weights.shape[1] > 1 + self.rule.update.balanced

    @property
    def _shared(self) -> bool:
        """Whether coef is a view of the weights."""
        return bool(self.state.weights.shape[1] == 1 and self.state.parameters["link"][0] == Link.WEIGHT)

    def _refresh(self) -> None:
        for k in range(self.state.coef.shape[0]):
            updates.refresh(self.state, k)
        self.stale = False

    def _refresh_if_stale(self) -> None:
        if self.stale:
            self._refresh()
