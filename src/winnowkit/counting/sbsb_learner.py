"""SBSB and SASB (Littlestone & Mesterharm, sections 2 and 3).

SBSB is the Bayesian learner whose prior says that one attribute, no matter which, matches the label with an unknown
probability, and that the others are fair coins. For each attribute, it counts how often it matched the label. SASB is
SBSB with the policy "mistake": it counts mistakes only. Neither has a parameter.

Negations change nothing: the complement of an attribute matches the label t - S_i times, and adds to both sides of the
test what the attribute itself adds. A matching probability below one half *is* a negated attribute.

A late attribute is treated exactly as if it had been there from the start with the value 0: it matched the label in
every negative trial, so its lead is 0, in the hypotheses that vote as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import perm
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core import csr
from winnowkit.core.arrays import check_arrays, check_consistent
from winnowkit.core.checks import require
from winnowkit.core.csr import Rows, Trials, refuse
from winnowkit.core.growing import selected, selected_counts
from winnowkit.core.multiclass import Policy, check_policy
from winnowkit.core.transaction import all_or_nothing
from winnowkit.counting import late_attributes, sbsb_kernel
from winnowkit.counting.lead_counts import (
    FIRST,
    FIRST_RECORD,
    FREE,
    LAST,
    N_BINS,
    N_MARKS,
    NONE,
    POSITIVES,
    TRIALS,
    USED,
)
from winnowkit.counting.learner import Arrays, CountingLearner, safe_to_change, sign_of_sum, whole_presentations
from winnowkit.counting.sbsb_kernel import ASKED, SBSB_PARAMETERS, UNKNOWN, SymmetricState

ROOM = 64  # for bins and records at the start
COPIED_PER_VALUE = 16  # entries that a checkpoint may copy for each value in the rows
BINS = ("lead", "size", "after", "before")


def exact_verdict(t: int, m: int, bins: NDArray[np.int64]) -> int:
    """Return the sign of the difference between the two sides of SBSB's test, computed in integers.

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
        step = few[j + 1] - few[j]
        return perm(few[j + 1], step), perm(t - few[j], step)

    return sign_of_sum([shares[s] for s in few], ratio)


@dataclass
class SymmetricLearner(CountingLearner):
    """SBSB or SASB at work, with all that it knows in arrays that kernels change in place.

    Examples
    --------
    >>> learner = SymmetricLearner.begin("always", voting=0, n_features=1, n_learners=1)
    >>> for label in (1, 0, 0):
    ...     _ = learner.trial_active(np.array([0]), label)
    >>> learner.grow(2)
    >>> learner.matches
    array([[1, 2]])
    """

    state: SymmetricState

    def __post_init__(self) -> None:
        self._n_features = int(self.state.parameters["n_features"][0])

    @classmethod
    def begin(cls, policy: Policy, voting: int, n_features: int, n_learners: int) -> Self:
        """Make a learner that has seen nothing."""
        check_policy(policy)
        require(
            isinstance(voting, (int, np.integer)) and voting >= 0,
            "voting must be an integer >= 0 (how many recent hypotheses vote)",
            voting,
        )
        parameters = np.zeros(1, dtype=SBSB_PARAMETERS)
        parameters["always"], parameters["n_features"] = policy == "always", n_features
        bins = (n_learners, 1 + voting, min(ROOM, n_features))
        learner = cls.from_arrays(
            {
                "slots": np.zeros((n_learners, n_features), dtype=np.int32),
                **{name: np.zeros(bins, dtype=np.int64) for name in BINS},
                "marks": np.zeros((n_learners, 1 + voting, N_MARKS), dtype=np.int64),
                "newest": np.full((n_learners, n_features if voting else 0), NONE, dtype=np.int64),
                "records": np.zeros((n_learners, ROOM, 2), dtype=np.int64),
                "journal": np.zeros((n_learners, 2), dtype=np.int64),
                "counts": np.zeros((1 + n_learners, 2), dtype=np.int64),
                "parameters": parameters,
            }
        )
        sbsb_kernel.begin(learner.state)
        return learner

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Make a learner from the result of :meth:`arrays`."""
        return cls(SymmetricState(**safe_to_change(arrays)))

    @property
    def matches(self) -> NDArray[np.int64]:
        """S_i: in how many of the trials learned from each attribute matched the label, one row per learner."""
        trials = self.state.marks[:, 0, [TRIALS]] - self.state.marks[:, 0, [POSITIVES]]
        leads: NDArray[np.int64] = np.take_along_axis(self.state.lead[:, 0], self.state.slots, axis=1)
        return leads[:, : self.n_features] + trials

    # --- trials -----------------------------------------------------------------------------------------------------

    def learn(self, trials: Trials) -> NDArray[np.int64]:
        """Perform one trial per row and return the labels predicted before each update."""
        rows, labels, frozen = trials.rows, trials.labels, trials.frozen_of(self.state.slots.shape[0])
        refuse(csr.check(rows, 0, labels.size, self.n_features))
        shown = whole_presentations(trials)
        predicted = np.empty(shown.order.size, dtype=np.int64)
        if shown.order.size > 1 and self._size() <= COPIED_PER_VALUE * rows.indices.size:
            with all_or_nothing(self):
                self._learn(rows, labels, shown.order, frozen, predicted)
        else:  # a kernel completes a single trial, or leaves everything as it was
            self._learn(rows, labels, shown.order, frozen, predicted)
        return shown.by_row(predicted)

    def _size(self) -> int:
        return sum(array.size for array in self.arrays().values())

    def _learn(
        self,
        rows: Rows,
        labels: NDArray[np.int64],
        order: NDArray[np.int64],
        frozen: NDArray[np.bool_],
        predicted: NDArray[np.int64],
    ) -> None:
        verdicts, longest, position = self._no_verdicts(), _longest(rows), 0
        while position < order.size:
            position = sbsb_kernel.learn(
                self.state, rows, longest, labels, order, frozen, verdicts, position, predicted
            )
            if position < order.size and not self._give_verdicts(rows, order[position], verdicts):
                self._give_room(longest)

    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return the decisions of all learners on the rows from first to last."""
        refuse(csr.check(rows, first, last, self.n_features))
        decisions = np.empty((last - first, self.state.slots.shape[0]))
        verdicts, longest, position = self._no_verdicts(), _longest(rows), 0
        while True:
            position = sbsb_kernel.decide(self.state, rows, longest, first, verdicts, position, decisions)
            if position == last - first:
                return decisions
            self._give_verdicts(rows, first + position, verdicts)

    def _no_verdicts(self) -> NDArray[np.int64]:
        return np.full(self.state.lead.shape[:2], UNKNOWN, dtype=np.int64)

    def _give_verdicts(self, rows: Rows, r: int, verdicts: NDArray[np.int64]) -> bool:
        """Decide exactly what a kernel asked about row r, and return whether it asked."""
        asked = np.argwhere(verdicts == ASKED)
        for k, h in asked:
            t, m = self.state.marks[k, h, [TRIALS, POSITIVES]].tolist()
            verdicts[k, h] = exact_verdict(t, m, sbsb_kernel.bins_of_row(self.state, rows, r, k, h))
        return len(asked) > 0

    def _give_room(self, n_active: int) -> None:
        """Make room for an update with so many active attributes: twice the present room, or more."""
        state = self.state
        n_slots, n_records = state.lead.shape[2], state.records.shape[1]
        wider = min(2 * n_slots + n_active, state.slots.shape[1]) - n_slots
        bins = {name: np.pad(getattr(state, name), ((0, 0), (0, 0), (0, wider))) for name in BINS}
        records = np.zeros((state.records.shape[0], 2 * n_records + n_active, 2), dtype=np.int64)
        numbers = state.journal[:, sbsb_kernel.NEXT_RECORD]
        for k, number in enumerate(numbers.tolist()):  # a ring: each record keeps its number
            kept = np.arange(max(0, number - n_records), number)
            records[k, kept % records.shape[1]] = state.records[k, kept % n_records]
        self.state = state._replace(records=records, **bins)

    # --- growing ----------------------------------------------------------------------------------------------------

    def _extend(self, n_features: int) -> None:
        room = self.state.slots.shape[1]
        if n_features > room:
            more = ((0, 0), (0, max(n_features, 2 * room) - room))
            newest = self.state.newest
            if newest.size:
                newest = np.pad(newest, more, constant_values=NONE)
            self.state = self.state._replace(slots=np.pad(self.state.slots, more), newest=newest)
        if (self.state.marks[:, :, N_BINS] == self.state.lead.shape[2]).any():
            self._give_room(0)
        for k in range(len(self.state.slots)):
            late_attributes.add_absent(self.state, k, self.n_features, n_features)
        self.state.parameters["n_features"] = self._n_features = n_features

    def with_learners(self, sources: Sequence[int | None]) -> Self:
        """Return one learner per class: a copy of the learner that `sources` names, or a new one for None."""
        state = self.state
        policy: Policy = "always" if state.parameters["always"][0] else "mistake"
        blank = self.begin(policy, state.lead.shape[1] - 1, self.n_features, 1).state
        arrays = {}
        for name, array in state._asdict().items():
            if name == "counts":
                arrays[name] = selected_counts(array, sources)
            elif name == "parameters":
                arrays[name] = array.copy()
            else:
                fill = NONE if name == "newest" else 0
                arrays[name] = selected(array, _resized(getattr(blank, name)[0], array.shape[1:], fill), sources)
        return self.from_arrays(arrays)

    # --- checking ---------------------------------------------------------------------------------------------------

    @staticmethod
    def check_arrays(arrays: Arrays) -> None:
        """Refuse arrays that are not those of one family: kernels follow the chains in them without further checks."""
        bins = (np.int64, ("learners", "hypotheses", "slots"))
        lengths = check_arrays(
            arrays,
            {
                "slots": (np.int32, ("learners", "n")),
                **dict.fromkeys(BINS, bins),
                "marks": (np.int64, ("learners", "hypotheses", N_MARKS)),
                "newest": (np.int64, ("learners", "voting attributes")),
                "records": (np.int64, ("learners", "room", 2)),
                "journal": (np.int64, ("learners", 2)),
                "counts": (np.int64, ("rows", 2)),
                "parameters": (SBSB_PARAMETERS, (1,)),
            },
        )
        n, n_old = lengths["n"], lengths["hypotheses"] - 1
        check_consistent(1 <= arrays["parameters"]["n_features"][0] <= n, "attributes")
        check_consistent(lengths["rows"] == 1 + lengths["learners"] >= 2, "counts")
        check_consistent(n_old >= 0 and 1 <= lengths["slots"] <= n and lengths["room"] >= 1, "no room")
        check_consistent(lengths["voting attributes"] == (n if n_old else 0), "records of attributes")
        state = SymmetricState(**arrays)
        for k in range(lengths["learners"]):
            _check_current(state, k)
            _check_voters(state, k)


def _longest(rows: Rows) -> int:
    if rows.indptr.size == 2:  # a single row, in no time
        return int(rows.indptr[1] - rows.indptr[0])
    return int(np.diff(rows.indptr).max(initial=0))


def _resized(array: NDArray[Any], shape: tuple[int, ...], fill: int) -> NDArray[Any]:
    """Fill the array up to a shape, or cut it down to it."""
    result = np.full(shape, fill, dtype=array.dtype)
    common = tuple(slice(min(have, want)) for have, want in zip(array.shape, shape, strict=True))
    result[common] = array[common]
    return result


def _check_current(state: SymmetricState, k: int) -> None:
    """Check the chain of bins of the current hypothesis, the chain of free slots, and the slots of the attributes."""
    marks, n_slots = state.marks[k, 0], state.lead.shape[2]
    used, slots = int(marks[USED]), state.slots[k, : state.parameters["n_features"][0]]
    check_consistent(1 <= used <= n_slots, "slots in use")
    chain = _follow(state.after[k, 0], int(marks[FIRST]), int(marks[N_BINS]), used)
    check_consistent(chain[-1] == marks[LAST] and state.after[k, 0, chain[-1]] == NONE, "the end of the chain of bins")
    check_consistent(np.array_equal(state.before[k, 0, chain], [NONE, *chain[:-1]]), "the way back in the chain")
    free = int(marks[FREE])
    given_back = _follow(state.after[k, 0], free, used - len(chain), used) if free != NONE else []
    check_consistent(sorted([*chain, *given_back]) == list(range(used)), "free slots")
    check_consistent(not given_back or state.after[k, 0, given_back[-1]] == NONE, "the end of the free slots")
    check_consistent(slots.min() >= 0 and slots.max() < used, "attributes in no bin")
    sizes = np.bincount(slots, minlength=used)[chain]
    check_consistent(np.array_equal(sizes, state.size[k, 0, chain]) and sizes.min() >= 1, "sizes of bins")
    _check_leads(state.lead[k, 0, chain], marks)


def _check_voters(state: SymmetricState, k: int) -> None:
    """Check that taking back the moves since then gives each old hypothesis."""
    epoch, next_record = state.journal[k].tolist()
    n_features, n_old, room = state.parameters["n_features"][0], state.lead.shape[1] - 1, state.records.shape[1]
    check_consistent(epoch >= 0 and next_record >= 0, "numbers of mistakes and records")
    if n_old == 0:
        return
    lead, record = state.lead[k, 0, state.slots[k, :n_features]], state.newest[k, :n_features].copy()
    check_consistent(record.min() >= NONE and record.max() < next_record, "numbers of records")
    for back in range(min(epoch, n_old)):
        h = 1 + (epoch - back - 1) % n_old
        marks = state.marks[k, h]
        first, n_bins = int(marks[FIRST_RECORD]), int(marks[N_BINS])
        check_consistent(max(0, next_record - room) <= first <= next_record, "records given up")
        while (moved := np.flatnonzero(record >= first)).size:
            old = state.records[k, record[moved] % room]
            check_consistent((old[:, 1] >= NONE).all() and (old[:, 1] < record[moved]).all(), "the order of records")
            lead[moved], record[moved] = old[:, 0], old[:, 1]
        check_consistent(1 <= n_bins <= state.lead.shape[2], "bins of a voter")
        check_consistent((marks[[FIRST, LAST]] == [0, n_bins - 1]).all(), "the ends of a voter's bins")
        leads, sizes = np.unique(lead, return_counts=True)
        bins = np.arange(n_bins)
        same = np.array_equal(leads, state.lead[k, h, :n_bins]) and np.array_equal(sizes, state.size[k, h, :n_bins])
        check_consistent(same, "a voter is not what the records say")
        ways = state.before[k, h, :n_bins], state.after[k, h, :n_bins]
        check_consistent(np.array_equal(ways[0], bins - 1) and np.array_equal(ways[1], bins + 1), "a voter's chain")
        _check_leads(leads, marks)


def _check_leads(leads: NDArray[np.int64], marks: NDArray[np.int64]) -> None:
    """Check that leads increase, and that so many trials can give them: 0 <= S <= t."""
    trials, positives = int(marks[TRIALS]), int(marks[POSITIVES])
    check_consistent(0 <= positives <= trials < 2**62, "trials")
    check_consistent((np.diff(leads) > 0).all(), "leads out of order")
    check_consistent(-(trials - positives) <= int(leads[0]) and int(leads[-1]) <= positives, "leads out of range")


def _follow(after: NDArray[np.int64], first: int, length: int, used: int) -> list[int]:
    """Return the slots of a chain of this length, from the first on."""
    check_consistent(1 <= length <= used, "the length of a chain")
    chain, slot = [], first
    for _ in range(length):
        check_consistent(0 <= slot < used, "a chain that leads nowhere")
        chain.append(slot)
        slot = int(after[slot])
    return chain
