"""SBSB and SASB (Littlestone & Mesterharm, sections 2 and 3).

SBSB is the Bayesian learner whose prior says that one attribute, no matter which, matches the label with an unknown
probability, and that the others are fair coins. It counts, for each attribute, how often it matched the label. SASB is
SBSB with the policy "mistake": its counts are of mistakes only. Neither has a parameter.

Negations change nothing: the complement of an attribute matches the label t - S_i times, and adds to both sides of the
test what the attribute itself adds. A matching probability below one half *is* a negated attribute.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import perm
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core import csr
from winnowkit.core.csr import Rows
from winnowkit.core.learner import BadRowsError, require
from winnowkit.core.multiclass import PREDICT_ONLY, choose
from winnowkit.core.policy import Policy, check_policy
from winnowkit.counting import sbsb_kernel as symmetric
from winnowkit.counting.exact_sign import sign_of_sum
from winnowkit.counting.lead_counts import N_MARKS, NONE, POSITIVES, TRIALS
from winnowkit.counting.sbsb_kernel import ASKED, UNKNOWN
from winnowkit.counting.sbsb_state import check_symmetric

ROOM = 64  # for bins and records at the start


def exact_verdict(t: int, m: int, bins: NDArray[np.int64]) -> int:
    """Sign of the difference of the two sides of SBSB's test, in integers.

    Parameters
    ----------
    t, m : int
        Trials, and positive ones among them.
    bins : array of shape (bins, 3)
        Matches S, how many attributes have them, and how many of these are active.

    Returns
    -------
    int
        1 iff SBSB predicts 1; 0 on a tie.

    Examples
    --------
    >>> exact_verdict(2, 1, np.array([[2, 1, 1], [1, 1, 0]]))  # an active attribute that always matched
    1
    """
    shares: dict[int, int] = {}  # by the smaller of S and t - S: the binomials are the same
    for s, size, active in bins.tolist():
        for_one = active * (s + 1) + (size - active) * (t - s + 1)
        for_zero = active * (t - s + 1) + (size - active) * (s + 1)
        few = min(s, t - s)
        shares[few] = shares.get(few, 0) + (m + 1) * for_one - (t - m + 1) * for_zero
    few = sorted(s for s, share in shares.items() if share)

    def ratio(j: int) -> tuple[int, int]:
        """C(t, few[j]) / C(t, few[j + 1])."""
        gap = few[j + 1] - few[j]
        return perm(few[j + 1], gap), perm(t - few[j], gap)

    return sign_of_sum([shares[s] for s in few], ratio)


@dataclass
class SymmetricLearner:
    """SBSB or SASB at work: n attributes, one target a learner, all in arrays that kernels change in place."""

    state: symmetric.State

    @classmethod
    def begin(cls, policy: Policy, voting: int, n_features: int, n_learners: int) -> Self:
        """A learner that has seen nothing."""
        check_policy(policy)
        require(
            isinstance(voting, (int, np.integer)) and voting >= 0,
            "voting must be an integer >= 0 (how many recent hypotheses vote)",
            voting,
        )
        parameters = np.zeros(1, dtype=symmetric.PARAMETERS)
        parameters["always"] = policy == "always"
        bins = (n_learners, 1 + voting, min(ROOM, n_features))
        learner = cls.from_arrays(
            {
                "slots": np.zeros((n_learners, n_features), dtype=np.int32),
                **{name: np.zeros(bins, dtype=np.int64) for name in ("lead", "size", "after", "before")},
                "marks": np.zeros((n_learners, 1 + voting, N_MARKS), dtype=np.int64),
                "newest": np.full((n_learners, n_features if voting else 0), NONE, dtype=np.int64),
                "records": np.zeros((n_learners, ROOM, 2), dtype=np.int64),
                "journal": np.zeros((n_learners, 2), dtype=np.int64),
                "counts": np.zeros((1 + n_learners, 2), dtype=np.int64),
                "parameters": parameters,
            }
        )
        symmetric.begin(learner.state)
        return learner

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """A learner from what :meth:`arrays` gave."""
        return cls(symmetric.State(**{name: np.require(a, requirements=["C", "W"]) for name, a in arrays.items()}))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that has to be kept to continue exactly here."""
        return self.state._asdict()

    def __getstate__(self) -> dict[str, NDArray[Any]]:
        return self.arrays()

    def __setstate__(self, arrays: dict[str, NDArray[Any]]) -> None:
        check_symmetric(arrays)
        self.state = type(self).from_arrays(arrays).state

    @property
    def counts(self) -> NDArray[np.int64]:
        """Trials and wrong labels; then, a row a learner, updates and mistakes of its own."""
        return self.state.counts

    @property
    def matches(self) -> NDArray[np.int64]:
        """S_i: in how many of the trials it learned from each attribute matched the label, a row a learner."""
        trials = self.state.marks[:, 0, [TRIALS]] - self.state.marks[:, 0, [POSITIVES]]
        matches: NDArray[np.int64] = np.take_along_axis(self.state.lead[:, 0], self.state.slots, axis=1) + trials
        return matches

    def learn(
        self,
        rows: Rows,
        labels: NDArray[np.int64],
        order: NDArray[np.int64] | None = None,
        frozen: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        """One trial a row: the labels predicted before each update. Raises BadRowsError with nothing changed."""
        self._check(rows, 0, labels.size)
        if order is None:
            order = np.arange(labels.size)
        if frozen is None:
            frozen = np.zeros(self.state.slots.shape[0], dtype=np.bool_)
        predicted = np.empty(labels.size, dtype=np.int64)
        verdicts, longest, position = self._no_verdicts(), _longest(rows), 0
        while True:
            position = symmetric.learn(self.state, rows, longest, labels, order, frozen, verdicts, position, predicted)
            if position == order.size:
                return predicted
            if not self._give_verdicts(rows, order[position], verdicts):
                self._give_room(longest)

    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Decisions of all learners on the rows from first to last."""
        self._check(rows, first, last)
        decisions = np.empty((last - first, self.state.slots.shape[0]))
        verdicts, longest, position = self._no_verdicts(), _longest(rows), 0
        while True:
            position = symmetric.decide(self.state, rows, longest, first, verdicts, position, decisions)
            if position == last - first:
                return decisions
            self._give_verdicts(rows, first + position, verdicts)

    def trial_active(self, indices: NDArray[Any], label: int) -> int:
        """One trial on the active indices alone: the label predicted; -1 if unsorted, -2 if out of range."""
        rows = Rows(np.ones(indices.size), indices, np.array([0, indices.size], dtype=indices.dtype), 0.0)
        try:
            if label == PREDICT_ONLY:
                return int(choose(self.decide(rows, 0, 1), 0))
            return int(self.learn(rows, np.array([label]))[0])
        except BadRowsError as bad:
            return -1 if bad.flags == csr.UNSORTED else -2

    def _check(self, rows: Rows, first: int, last: int) -> None:
        flags = csr.check(rows, first, last, self.state.slots.shape[1])
        if flags:
            raise BadRowsError(flags)

    def _no_verdicts(self) -> NDArray[np.int64]:
        return np.full(self.state.lead.shape[:2], UNKNOWN, dtype=np.int64)

    def _give_verdicts(self, rows: Rows, r: int, verdicts: NDArray[np.int64]) -> bool:
        """Decide exactly what a kernel asked about row r; whether it asked."""
        asked = np.argwhere(verdicts == ASKED)
        for k, h in asked:
            t, m = self.state.marks[k, h, [TRIALS, POSITIVES]].tolist()
            verdicts[k, h] = exact_verdict(t, m, symmetric.bins_of_row(self.state, rows, r, k, h))
        return len(asked) > 0

    def _give_room(self, n_active: int) -> None:
        """Room for an update with so many active attributes: twice what there was, or more."""
        state = self.state
        n_slots, n_records = state.lead.shape[2], state.records.shape[1]
        wider = min(2 * n_slots + n_active, state.slots.shape[1]) - n_slots
        bins = {
            name: np.pad(getattr(state, name), ((0, 0), (0, 0), (0, wider)))
            for name in ("lead", "size", "after", "before")
        }
        records = np.zeros((state.records.shape[0], 2 * n_records + n_active, 2), dtype=np.int64)
        numbers = state.journal[:, symmetric.NEXT_RECORD]
        for k, number in enumerate(numbers.tolist()):  # a ring: each record keeps its number
            kept = np.arange(max(0, number - n_records), number)
            records[k, kept % records.shape[1]] = state.records[k, kept % n_records]
        self.state = state._replace(records=records, **bins)


def _longest(rows: Rows) -> int:
    return int(np.diff(rows.indptr).max(initial=0))
