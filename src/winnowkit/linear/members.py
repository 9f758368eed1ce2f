"""A committee of any linear learners: each learns on its own, and their recorded scores are mixed.

The built-in family has a kernel of its own (:mod:`.committee_kernel`), which is several times as fast. Here each member
runs over a block of rows first and records its decisions before each update; then the mix runs over these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core import csr
from winnowkit.core.arrays import check_arrays, check_consistent
from winnowkit.core.checks import require
from winnowkit.core.csr import Presentations, Rows, Trials, refuse
from winnowkit.core.growing import one_row, scaled, selected, selected_counts
from winnowkit.core.multiclass import PREDICT_ONLY, chosen
from winnowkit.core.transaction import all_or_nothing
from winnowkit.linear import members_kernel as kernel
from winnowkit.linear.learner import LinearLearner, units
from winnowkit.linear.mixing import MIX_ARRAYS, Mix, Room, check_mix, new_limits, new_mix, new_room
from winnowkit.linear.scaled_kernel import HYPENTROPY
from winnowkit.linear.scaled_learner import ScaledLearner
from winnowkit.linear.scaling import typical

BLOCK = 1024
"""Rows that each member learns from before the mix does."""

MemberLearner = LinearLearner | ScaledLearner


@dataclass
class MembersLearner:
    """Learners of boolean attributes, then those of real values; and the mix of their scores.

    Examples
    --------
    >>> from winnowkit.linear.scaled_kernel import AROW, COIN
    >>> members = [ScaledLearner.begin(n_features=3, n_learners=1, rule=rule) for rule in (AROW, COIN)]
    >>> learner = MembersLearner.begin(members, thresholds=[])
    >>> [learner.trial_active(np.array([0, 2]), 1) for _ in range(3)]
    [0, 1, 1]
    """

    members: list[MemberLearner]
    thresholds: list[float]  # of the boolean members: values above count as 1
    mix: Mix
    counts: NDArray[np.int64]  # trials and wrong labels; then the updates of all members and the mistakes of the mix

    @classmethod
    def begin(cls, members: Sequence[MemberLearner], thresholds: Sequence[float], share: float = 0.0) -> Self:
        """Return a committee of members that have seen nothing; the first ones have thresholds."""
        require(0.0 <= share < 1.0, "share must be in [0, 1)", share)
        n_learners = len(members[0].counts) - 1
        counts = np.zeros((1 + n_learners, 2), dtype=np.int64)
        return cls(list(members), list(thresholds), new_mix(n_learners, len(thresholds), len(members), share), counts)

    # --- state ------------------------------------------------------------------------------------------------------

    @property
    def n_features(self) -> int:
        """Number of attributes."""
        return self.members[0].n_features

    @property
    def n_learners(self) -> int:
        """How many learners each member has: one for two classes, else one per class."""
        return len(self.counts) - 1

    def checkpoint(self) -> tuple[list[Any], dict[str, NDArray[Any]], NDArray[np.int64]]:
        """Copy all that changes."""
        copies = {name: array.copy() for name, array in self.mix._asdict().items()}
        return [member.checkpoint() for member in self.members], copies, self.counts.copy()

    def roll_back(self, checkpoint: tuple[list[Any], dict[str, NDArray[Any]], NDArray[np.int64]]) -> None:
        """Be as at the checkpoint."""
        of_members, mix, self.counts = checkpoint
        for member, kept in zip(self.members, of_members, strict=True):
            member.roll_back(kept)
        self.mix = Mix(**mix)

    def __getstate__(self) -> dict[str, Any]:
        mixed = {f"mix_{name}": array for name, array in self.mix._asdict().items()}
        return {"members": self.members, "thresholds": self.thresholds, "counts": self.counts} | mixed

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        arrays = dict(state)
        self.members, self.thresholds = arrays.pop("members", None), arrays.pop("thresholds", None)
        check_members(self.members, self.thresholds, arrays)
        kept = {name: np.require(array, requirements=["C", "W"]) for name, array in arrays.items()}
        self.counts = kept["counts"]
        self.mix = Mix(**{name: kept[f"mix_{name}"] for name in Mix._fields})

    # --- trials -----------------------------------------------------------------------------------------------------

    def learn(self, trials: Trials) -> NDArray[np.int64]:
        """Run one trial per row and return the labels predicted before each update; it changes nothing if it raises."""
        rows, labels, _, frozen, _ = trials
        require(frozen is None or not frozen.any(), "frozen must be None", frozen)
        refuse(csr.check(rows, 0, labels.size, self.n_features))
        shown = trials.presentations()
        predicted = np.empty(shown.order.size, dtype=np.int64)
        with all_or_nothing(self):
            for first in range(0, shown.order.size, BLOCK):
                here = slice(first, first + BLOCK)
                self._learn_block(_block(rows, shown, here), labels[shown.order[here]], shown.parts, here, predicted)
        return shown.by_row(predicted)

    def _learn_block(
        self,
        rows: Rows,
        labels: NDArray[np.int64],
        parts: NDArray[np.float64] | None,
        here: slice,
        predicted: NDArray[np.int64],
    ) -> None:
        weights = None if parts is None else parts[here]
        scores = np.empty((labels.size, self.n_learners, len(self.members)))
        for m, (member, seen) in enumerate(self._views(rows)):
            decisions = np.empty(scores.shape[:2])
            member.learn(Trials(seen, labels, weights=weights), decisions)
            scores[:, :, m] = _in_units(member, decisions)
        fractions = np.empty(0) if weights is None else weights
        kernel.learn_scores(self.mix, self.counts, scores, labels, fractions, self._room(), predicted[here])
        self.counts[1:, 0] = sum(member.counts[1:, 0] for member in self.members)

    def _views(self, rows: Rows) -> Iterator[tuple[MemberLearner, Rows]]:
        """Yield each member with the rows as it sees them."""
        for m, member in enumerate(self.members):
            yield member, rows._replace(binarize=self.thresholds[m] if m < len(self.thresholds) else None)

    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return log-odds (for several classes, up to a constant per row the logarithms of the probabilities)."""
        refuse(csr.check(rows, first, last, self.n_features))
        scores = np.empty((last - first, self.n_learners, len(self.members)))
        for m, (member, seen) in enumerate(self._views(rows)):
            scores[:, :, m] = _in_units(member, member.decide(seen, first, last))
        return self._decide(scores)

    def rank(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return the log-odds."""
        return self.decide(rows, first, last)

    def _decide(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        decisions = np.empty(scores.shape[:2])
        kernel.decide_scores(self.mix, scores, self._room(), decisions)
        return decisions

    def _room(self) -> Room:
        return new_room(self.n_learners, new_limits(len(self.thresholds), len(self.members)))

    def trial_active(self, indices: NDArray[Any], label: int) -> int:
        """Run one trial on the active indices alone: the label predicted; -1 if unsorted, -2 if out of range."""
        if refused := csr.check_active(indices, self.n_features):
            return int(refused)
        row = one_row(indices, None, None)
        if label == PREDICT_ONLY:
            return int(chosen(self.decide(row, 0, 1))[0])
        return int(self.learn(Trials(row, np.array([label])))[0])

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    def attribute_weights(self) -> NDArray[np.float64]:
        """Contribution of each attribute to the log-odds, (learners, n), at its largest value in a typical example."""
        awake = np.where(self.mix.resting, 0.0, self.mix.weights[:-1])
        added = np.zeros((self.n_learners, self.n_features))
        for m, member in enumerate(self.members):
            if isinstance(member, LinearLearner):
                coef = member.coef / units(member.state.parameters)[:, None]
            else:
                coef = member.coef * (1.0 if member.rule == HYPENTROPY else typical(member.state.scale))
            added += awake[:, m, None] * coef
        return added

    # --- growing ----------------------------------------------------------------------------------------------------

    def grow(self, n_features: int) -> None:
        """Take in attributes that were 0 so far, up to n_features in all."""
        for member in self.members:
            member.grow(n_features)

    def with_learners(self, sources: Sequence[int | None]) -> Self:
        """Committees for other classes: copies of the present ones that `sources` names, and new ones for None."""
        members = [member.with_learners(sources) for member in self.members]
        new = type(self).begin(members, self.thresholds, float(self.mix.settings[0]))
        blank = np.zeros(len(members), dtype=np.int64)
        new.mix.mistakes[:] = selected(self.mix.mistakes, blank, sources)
        new.mix.resting[:] = selected(self.mix.resting, blank.astype(np.bool_), sources)
        for name in ("weights", "covariance", "votes", "label_mistakes", "awake_mistakes", "settings"):
            getattr(new.mix, name)[:] = getattr(self.mix, name)
        new.counts[:] = selected_counts(self.counts, sources)
        return new

    def predict_active(self, indices: NDArray[np.int64], n_features: int) -> int:
        """Predict the label of an example with n_features attributes, given the active ones; nothing changes."""
        return int(chosen(self.foresee(indices, None, n_features, ranking=False)[None])[0])

    def foresee(
        self, indices: NDArray[np.int64], data: NDArray[np.float64] | None, n_features: int, *, ranking: bool
    ) -> NDArray[np.float64]:
        """Return the decisions on one example as if the committee had grown; nothing changes."""
        del ranking  # decisions are log-odds already
        scores = np.empty((1, self.n_learners, len(self.members)))
        for m, member in enumerate(self.members):
            if isinstance(member, LinearLearner):
                active = indices if data is None else indices[data > self.thresholds[m]]
                scores[0, :, m] = member.foresee(active, None, n_features, ranking=True)
            else:
                scores[0, :, m] = member.foresee(indices, data, n_features, ranking=False)
        return self._decide(scores)[0]


def _in_units(member: MemberLearner, decisions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the decisions of a member in units of theta; those of real values are in units of their margin."""
    return scaled(decisions, units(member.state.parameters)) if isinstance(member, LinearLearner) else decisions


def _block(rows: Rows, shown: Presentations, here: slice) -> Rows:
    """Return the rows of some presentations, one row for each."""
    if shown.first is None:
        return _rows_at(rows, np.arange(*here.indices(shown.order.size)))
    return _rows_at(rows, shown.order[here])


def _rows_at(rows: Rows, places: NDArray[np.int64]) -> Rows:
    """Copy the rows at some places, one after the other."""
    starts = rows.indptr[places].astype(np.int64)
    lengths = rows.indptr[places + 1] - starts
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(rows.indptr.dtype)
    entries = np.arange(indptr[-1]) + np.repeat(starts - indptr[:-1], lengths)
    return Rows(rows.data[entries], rows.indices[entries], indptr, rows.binarize)


def check_members(members: Any, thresholds: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Refuse parts that are not of one committee."""
    check_consistent(isinstance(members, list) and isinstance(thresholds, list) and members, "members")
    boolean = [isinstance(member, LinearLearner) for member in members]
    check_consistent(all(isinstance(member, MemberLearner) for member in members), "members")
    check_consistent(boolean == sorted(boolean, reverse=True) and sum(boolean) == len(thresholds), "thresholds")
    check_consistent(all(isinstance(value, float) and 0.0 <= value < np.inf for value in thresholds), "thresholds")
    lengths = check_arrays(
        arrays,
        {
            "counts": (np.int64, ("rows", 2)),
            **MIX_ARRAYS,
        },
    )
    check_consistent(len({member.n_features for member in members}) == 1, "attributes of members")
    check_consistent({len(member.counts) - 1 for member in members} == {lengths["learners"]}, "learners of members")
    check_mix(arrays, lengths, len(members))
