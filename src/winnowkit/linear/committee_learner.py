"""Weighted Majority over a family of linear rules with different parameters (Littlestone & Warmuth 1994).

Members learn on their own, whatever the committee says, so all of them walk the data in one pass; the committee only
weighs their votes. The family below was chosen by simulation on disjunctions of 5 of 1,000 to 1,000,000 attributes,
uniform and Zipf, clean and with 2% of the labels flipped: no single setting is good on all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import e
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.arrays import check_arrays, check_consistent
from winnowkit.core.csr import Rows
from winnowkit.core.learner import require
from winnowkit.linear import committee_kernel as committee
from winnowkit.linear import votes
from winnowkit.linear.beg_rules import thresholded_beg
from winnowkit.linear.rule import LinearLearner, Rule, check_linear
from winnowkit.linear.votes import Votes

Voting = Literal["majority", "probability"]

# beta0, beta1, initial weight times n, margin relative to theta. Each is a Thresholded-BEG that updates also when the
# score is close to theta. The first two are for clean labels (beta0 = 0 eliminates), the others for noisy ones, where
# the wide margin makes them as good as Bayes-BEG with policy "always"; a larger beta1 needs fewer sightings of an
# attribute, which is best when there are very many attributes.
FAMILY = ((0.0, 3.0, 4.0, 0.5), (0.0, 32.0, 1.0, 0.5), (0.5, 2.0, 1.0, 0.9), (0.5, 8.0, 1.0, 0.9))
THETA = 0.4


def family(n: int, floor: float = 0.0) -> list[Rule]:
    """Members for n weights; with a floor > 0, no weight falls below `floor` times its initial one."""
    members = []
    for beta0, beta1, initial, margin in FAMILY:
        rule = thresholded_beg(n, e, beta0, beta1, THETA, min(0.5, initial / n), "mistake")
        if floor > 0.0:
            rule = rule._replace(update=rule.update._replace(floor=float(np.log(floor))))
        members.append(rule._replace(margin=margin * THETA))
    return members


@dataclass
class CommitteeLearner(LinearLearner):
    """A committee a class: the members' states, and the weights of their votes."""

    votes: Votes

    @classmethod
    def gather(
        cls,
        rules: Sequence[Rule],
        n_features: int,
        n_committees: int,
        negations: bool,
        *,
        beta: float,
        share: float,
        voting: Voting,
        seed: int,
    ) -> Self:
        """Committees that have seen nothing."""
        require(len(rules) >= 1, "a committee needs at least 1 member", len(rules))
        require(0.0 < beta < 1.0, "beta must be in (0, 1)", beta)
        require(0.0 <= share < 1.0, "share must be in [0, 1)", share)
        require(voting in ("majority", "probability"), "prediction must be 'majority' or 'probability'", voting)
        settings = np.zeros(1, dtype=votes.SETTINGS)
        settings[0] = (beta, share, voting == "probability", seed)
        members = LinearLearner.begin([*rules] * n_committees, n_features, negations)
        shape = (n_committees, len(rules))
        return cls(members.state, Votes(np.ones(shape), np.zeros(shape, dtype=np.bool_), settings))

    @property
    def _votes(self) -> Votes:  # type: ignore[override]  # a class variable there
        return self.votes

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """A learner from what :meth:`arrays` gave."""
        own = {f"vote_{name}": name for name in Votes._fields}
        members = LinearLearner.from_arrays({name: array for name, array in arrays.items() if name not in own})
        kept = {field: np.require(arrays[name], requirements=["C", "W"]) for name, field in own.items()}
        return cls(members.state, Votes(**kept))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that has to be kept to continue exactly here."""
        return super().arrays() | {f"vote_{name}": array for name, array in self.votes._asdict().items()}

    def go_back(self, before: dict[str, NDArray[Any]] | None) -> None:
        """Be as at the snapshot."""
        super().go_back(before)
        if before is None:
            self.votes.weights[:] = 1.0
            self.votes.resting[:] = False

    def __setstate__(self, arrays: dict[str, NDArray[Any]]) -> None:
        own = {name: array for name, array in arrays.items() if name.startswith("vote_")}
        n_learners = check_linear({name: array for name, array in arrays.items() if name not in own})
        shape = ("classes", "members")
        expected = {"vote_weights": (np.float64, shape), "vote_resting": (np.bool_, shape)}
        lengths = check_arrays(own, {**expected, "vote_settings": (votes.SETTINGS, (1,))})
        check_consistent(lengths["classes"] * lengths["members"] == n_learners, "votes")
        restored = type(self).from_arrays(arrays)
        self.state, self.votes = restored.state, restored.votes

    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Share of the weight for each class minus the share against it (at random: 1 for the label drawn)."""
        decisions = super().decide(rows, first, last)
        opinions = np.empty((last - first, self.votes.weights.shape[0]))
        committee.decide(self.votes, decisions, rows, first, opinions)
        return opinions

    def trial_active(self, indices: NDArray[Any], label: int) -> int:
        """One trial on the active indices alone; see :func:`winnowkit.linear.kernel.trial_active`."""
        decisions = np.empty((1, self.state.coef.shape[0]))
        predicted: int = committee.trial_active(self.state, self.votes, indices, label, decisions)
        return predicted
