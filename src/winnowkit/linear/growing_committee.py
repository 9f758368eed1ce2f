"""Committees whose attributes and classes turn up over time: their members grow, their votes stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.growing import one_row, selected
from winnowkit.linear import committee_kernel as committee
from winnowkit.linear.committee_learner import CommitteeLearner
from winnowkit.linear.growing import GrowingLinear, units
from winnowkit.linear.votes import Votes

FARTHEST = 1.0 - 2.0**-50  # a share of the vote, where the odds would be infinite


@dataclass
class GrowingCommittee(GrowingLinear, CommitteeLearner):
    """A committee with room for more attributes."""

    def with_learners(self, sources: Sequence[int | None]) -> Self:
        """A committee a class: a copy of the one that `sources` names, or for None one that has seen nothing."""
        new = super().with_learners(sources)
        n_members = len(self.rules)
        new.votes.weights[:] = selected(self.votes.weights, np.ones(n_members), sources)
        new.votes.resting[:] = selected(self.votes.resting, np.zeros(n_members, dtype=np.bool_), sources)
        return new

    def _begun_anew(self, n_classes: int) -> tuple[Any, ...]:
        shape = (n_classes, len(self.rules))
        votes = Votes(np.ones(shape), np.zeros(shape, dtype=np.bool_), self.votes.settings.copy())
        return (*super()._begun_anew(n_classes), votes)

    def foresee(
        self, indices: NDArray[np.int64], data: NDArray[np.float64] | None, n_features: int, *, ranking: bool
    ) -> NDArray[np.float64]:
        """What it would decide (`ranking`: how it would rank) one example were it grown; nothing changes."""
        found = super().foresee(indices, data, n_features, ranking=ranking)
        return found if ranking else self._opinions(found[None], one_row(indices, data, None))[0]

    def _ranks(self, decisions: NDArray[np.float64], parameters: NDArray[np.void]) -> NDArray[np.float64]:
        """Log-odds of the share of the vote; of two classes, examples with the same votes by the members' margins."""
        weights = self.votes.weights / self.votes.weights.sum(axis=1, keepdims=True)
        members = decisions.reshape(len(decisions), *weights.shape)
        lead = (np.where(members > 0.0, 1.0, -1.0) * weights).sum(axis=2)
        if len(weights) == 1:
            margins = np.tanh(decisions / units(parameters)).reshape(members.shape)
            side = np.where(lead > 0.0, 1.0, -1.0)
            lead = np.abs(lead) * ((margins * weights).sum(axis=2) + side) / 2.0
        ranks: NDArray[np.float64] = 2.0 * np.arctanh(np.clip(lead, -FARTHEST, FARTHEST))
        return ranks

    def _opinions(self, decisions: NDArray[np.float64], rows: Any) -> NDArray[np.float64]:
        opinions = np.empty((len(decisions), len(self.votes.weights)))
        committee.decide(self.votes, decisions, rows, 0, opinions)
        return opinions

    @property
    def leader_coef(self) -> NDArray[np.float64]:
        """What each attribute adds to the score of the heaviest member, a row a committee."""
        n_committees, n_members = self.votes.weights.shape
        coef: NDArray[np.float64] = self.coef[np.arange(n_committees) * n_members + self.votes.weights.argmax(axis=1)]
        return coef
