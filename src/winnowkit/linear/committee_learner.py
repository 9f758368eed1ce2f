"""Committees at work: linear learners as members, and the weights of their votes (Littlestone & Warmuth 1994).

Members learn on their own, whatever the committee says, so all of them walk the data in one pass; the committee only
weighs their votes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.arrays import check_arrays, check_consistent
from winnowkit.core.csr import Rows
from winnowkit.core.growing import one_row, selected
from winnowkit.core.learner import require
from winnowkit.core.transaction import all_or_nothing
from winnowkit.linear import committee_kernel
from winnowkit.linear.committee_kernel import SETTINGS, Votes
from winnowkit.linear.learner import LinearLearner, refuse, units
from winnowkit.linear.rule import LinearRule
from winnowkit.linear.state import begun_state

Voting = Literal["majority", "probability"]
FARTHEST = 1.0 - 2.0**-50  # a share of the vote, where the odds would be infinite


@dataclass
class CommitteeLearner(LinearLearner):
    """One committee per class: the states of the members, and the weights of their votes."""

    votes: Votes = field(kw_only=True)

    @classmethod
    def gather(
        cls,
        rules: Sequence[LinearRule],
        n_committees: int,
        n_features: int,
        negations: bool,
        *,
        beta: float,
        share: float,
        voting: Voting,
        seed: int,
    ) -> Self:
        """Return committees that have seen nothing."""
        require(len(rules) >= 1, "a committee needs at least 1 member", len(rules))
        require(0.0 < beta < 1.0, "beta must be in (0, 1)", beta)
        require(0.0 <= share < 1.0, "share must be in [0, 1)", share)
        require(voting in ("majority", "probability"), "prediction must be 'majority' or 'probability'", voting)
        settings = np.array([(beta, share, voting == "probability", seed)], dtype=SETTINGS)
        state = begun_state(rules, n_committees, n_features, negations)
        return cls(state, n_features, votes=new_votes(n_committees, len(rules), settings))

    # --- state ------------------------------------------------------------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that has to be kept to continue exactly here."""
        return super().arrays() | {f"vote_{name}": array for name, array in self.votes._asdict().items()}

    def roll_back(self, checkpoint: dict[str, NDArray[Any]] | None) -> None:
        """Be as at the checkpoint."""
        if checkpoint is None:
            self.votes.weights[:] = 1.0
            self.votes.resting[:] = False
        else:
            checkpoint, self.votes = taken_apart(checkpoint)
        super().roll_back(checkpoint)

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        shape = ("classes", "members")
        expected = {"vote_weights": (np.float64, shape), "vote_resting": (np.bool_, shape)}
        own = {name: array for name, array in state.items() if name.startswith("vote_")}
        lengths = check_arrays(own, {**expected, "vote_settings": (SETTINGS, (1,))})
        members, self.votes = taken_apart(state)
        super().__setstate__(members)
        check_consistent(lengths["classes"] * lengths["members"] == len(self.state.coef), "votes")

    @property
    def leader_coef(self) -> NDArray[np.float64]:
        """Contribution of each attribute to the score of the heaviest member of each committee."""
        n_committees, n_members = self.votes.weights.shape
        leaders = np.arange(n_committees) * n_members + self.votes.weights.argmax(axis=1)
        coef: NDArray[np.float64] = self.coef[leaders]
        return coef

    # --- trials -----------------------------------------------------------------------------------------------------

    def learn(
        self,
        rows: Rows,
        labels: NDArray[np.int64],
        order: NDArray[np.int64] | None = None,
        frozen: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        """Run one trial per row and return the labels predicted before each update, as a linear learner does."""
        trials = self._prepared(rows, labels, order, frozen)
        with all_or_nothing(*self._restorable(trials)):
            refuse(committee_kernel.learn(self.state, self.votes, *trials))
        return trials.predicted

    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return the share of the weight for each class minus that against it; 1 or -1 if the label is drawn."""
        return self._opinions(super().decide(rows, first, last), rows, first)

    def _opinions(self, decisions: NDArray[np.float64], rows: Rows, first: int) -> NDArray[np.float64]:
        opinions = np.empty((len(decisions), len(self.votes.weights)))
        committee_kernel.decide(self.votes, decisions, rows, first, opinions)
        return opinions

    def trial_active(self, indices: NDArray[Any], label: int) -> int:
        """Run one trial on the active indices alone; see :func:`winnowkit.linear.kernel.trial_active`."""
        if self._unsettled:
            self._is_done(indices, label)
        decisions = np.empty((1, self.state.coef.shape[0]))
        predicted: int = committee_kernel.trial_active(self.state, self.votes, indices, label, decisions)
        return predicted

    # --- growing: the members grow, the votes stay -------------------------------------------------------------------

    def with_learners(self, sources: Sequence[int | None]) -> Self:
        """Committees for other classes: copies of the present ones that `sources` names, and new ones for None."""
        new = super().with_learners(sources)
        n_members = len(self.rules)
        new.votes.weights[:] = selected(self.votes.weights, np.ones(n_members), sources)
        new.votes.resting[:] = selected(self.votes.resting, np.zeros(n_members, dtype=np.bool_), sources)
        return new

    def _begun(self, n_classes: int) -> Self:
        votes = new_votes(n_classes, len(self.rules), self.votes.settings.copy())
        return type(self)(self._begun_state(n_classes), self.n_features, self.rules, self.rules_for, votes=votes)

    @property
    def _learns_from_mistakes_alone(self) -> bool:
        return False  # votes change after every trial

    def foresee(
        self, indices: NDArray[np.int64], data: NDArray[np.float64] | None, n_features: int, *, ranking: bool
    ) -> NDArray[np.float64]:
        """Return the decisions (with `ranking`: the ranks) on one example as if the committees had grown."""
        found = super().foresee(indices, data, n_features, ranking=ranking)
        return found if ranking else self._opinions(found[None], one_row(indices, data, None), 0)[0]

    def _ranks(self, decisions: NDArray[np.float64], parameters: NDArray[np.void]) -> NDArray[np.float64]:
        """Log-odds of the share of the vote; of two classes, examples with equal votes by the members' margins."""
        weights = self.votes.weights / self.votes.weights.sum(axis=1, keepdims=True)
        members = decisions.reshape(len(decisions), *weights.shape)
        lead = (np.where(members > 0.0, 1.0, -1.0) * weights).sum(axis=2)
        if len(weights) == 1:
            margins = np.tanh(decisions / units(parameters)).reshape(members.shape)
            side = np.where(lead > 0.0, 1.0, -1.0)
            lead = np.abs(lead) * ((margins * weights).sum(axis=2) + side) / 2.0
        ranks: NDArray[np.float64] = 2.0 * np.arctanh(np.clip(lead, -FARTHEST, FARTHEST))
        return ranks


def new_votes(n_committees: int, n_members: int, settings: NDArray[np.void]) -> Votes:
    """Return equal votes."""
    shape = (n_committees, n_members)
    return Votes(np.ones(shape), np.zeros(shape, dtype=np.bool_), settings)


def taken_apart(state: Mapping[str, Any]) -> tuple[dict[str, Any], Votes]:
    """Return the state of the members, and the votes."""
    own = {f"vote_{name}": name for name in Votes._fields}
    kept = {field: np.require(state[name], requirements=["C", "W"]) for name, field in own.items()}
    return {name: value for name, value in state.items() if name not in own}, Votes(**kept)
