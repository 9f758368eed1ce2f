"""Trials of SBSB and SASB, with voting.

Voting asks, beside the current hypothesis, those before the last V mistakes. They differ from it in few counts, so
each is kept as a copy of its bins and, for each attribute that has moved since, a *record* of its earlier lead. The
records of an attribute form a chain, the newest first. A prediction follows the chains of the active attributes, and
costs about V times as much as one without voting; nothing costs time in n. Records of hypotheses that no longer vote
are given up in the order in which they came.

Kernels stop where they need help: an exact verdict on a near tie, or more room. The caller helps and lets them go on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows
from winnowkit.core.jit import jit, jit_in_place
from winnowkit.core.multiclass import SMALLEST, asks_update, choose, positive_class
from winnowkit.counting import lead_counts as counts
from winnowkit.counting.lead_counts import (
    FIRST,
    FIRST_RECORD,
    LAST,
    N_BINS,
    POSITIVES,
    TRIALS,
    USED,
    Bins,
    compare,
    move,
    settle,
)

UNKNOWN, ASKED = 2, 3  # in place of a verdict -1, 0 or 1
EPOCH, NEXT_RECORD = 0, 1  # of `journal`
SBSB_PARAMETERS = np.dtype([("always", np.bool_), ("margin", np.float64), ("n_features", np.int64)])


class SymmetricState(NamedTuple):
    """All that a family of one-vs-rest learners knows, in arrays that kernels change in place.

    Hypothesis 0 is the current one; that before mistake number e is hypothesis 1 + (e - 1) % V.
    """

    slots: NDArray[np.int32]  # (learners, n): the bin of each attribute
    lead: NDArray[np.int64]  # (learners, 1 + V, slots), as the next three: see Bins
    size: NDArray[np.int64]
    after: NDArray[np.int64]
    before: NDArray[np.int64]
    marks: NDArray[np.int64]  # (learners, 1 + V, N_MARKS)
    newest: NDArray[np.int64]  # (learners, n or 0): the number of each attribute's newest record, or NONE
    records: NDArray[np.int64]  # (learners, room, 2): a lead, and the number of the record before; a ring
    journal: NDArray[np.int64]  # (learners, 2): mistakes (the number of the current epoch), number of the next record
    counts: NDArray[np.int64]  # (1 + learners, 2): trials and wrong labels; then each learner's updates and mistakes
    parameters: NDArray[np.void]  # one record of SBSB_PARAMETERS


class Scratch(NamedTuple):
    """Working memory of one call."""

    active: NDArray[np.int64]  # the active attributes of a row
    lead: NDArray[np.int64]  # their leads in the hypothesis at hand
    record: NDArray[np.int64]  # the next record of each
    counts: NDArray[np.int64]  # how many attributes of each bin are active: 0 between calls


@jit
def scratch_for(state: SymmetricState, longest: int) -> Scratch:
    """Return working memory for rows of at most `longest` entries."""
    return Scratch(
        np.empty(longest, np.int64),
        np.empty(longest, np.int64),
        np.empty(longest, np.int64),
        np.zeros(state.lead.shape[2], np.int64),
    )


@jit_in_place
def hypothesis(state: SymmetricState, k: int, h: int) -> Bins:
    """Return the bins of learner k in hypothesis h: views, which only a kernel that counts no references may take."""
    return Bins(state.lead[k, h], state.size[k, h], state.after[k, h], state.before[k, h], state.marks[k, h])


@jit_in_place
def begin(state: SymmetricState) -> None:
    """Start every learner with no trial."""
    for k in range(state.slots.shape[0]):
        counts.begin(hypothesis(state, k, 0), state.slots.shape[1])


@jit_in_place
def find_active(rows: Rows, r: int, scratch: Scratch) -> int:
    """List the active attributes of row r, and return how many there are."""
    n_active = 0
    for p in range(rows.indptr[r], rows.indptr[r + 1]):
        if rows.data[p] > rows.binarize:
            scratch.active[n_active] = rows.indices[p]
            n_active += 1
    return n_active


@jit_in_place
def count_active(state: SymmetricState, k: int, h: int, scratch: Scratch, n_active: int, sign: int) -> None:
    """Add the active attributes to the count of their bins in hypothesis h, or take them away again.

    For an old hypothesis their leads must have been found, by :func:`rewind`.
    """
    if h == 0:
        for p in range(n_active):
            scratch.counts[state.slots[k, scratch.active[p]]] += sign
    else:
        leads = state.lead[k, h, : state.marks[k, h, N_BINS]]  # in order
        for p in range(n_active):
            scratch.counts[find(leads, scratch.lead[p])] += sign


@jit_in_place
def find(leads: NDArray[np.int64], lead: int) -> int:
    """Find a lead that is among the sorted leads; this takes one step if they are consecutive."""
    low, high = max(0, leads.size - 1 - (leads[-1] - lead)), min(leads.size - 1, lead - leads[0])
    while low < high:
        middle = (low + high) // 2
        if leads[middle] < lead:
            low = middle + 1
        else:
            high = middle
    return low


@jit_in_place
def start_rewind(state: SymmetricState, k: int, scratch: Scratch, n_active: int) -> None:
    """Put the active attributes where they are now."""
    for p in range(n_active):
        i = scratch.active[p]
        scratch.lead[p] = state.lead[k, 0, state.slots[k, i]]
        scratch.record[p] = state.newest[k, i]


@jit_in_place
def rewind(state: SymmetricState, k: int, epoch: int, scratch: Scratch, n_active: int) -> None:
    """Take the active attributes back to their leads before mistake number `epoch`."""
    room = state.records.shape[1]
    first = state.marks[k, old(state, epoch), FIRST_RECORD]  # older records are of older hypotheses, or given up
    for p in range(n_active):
        record = scratch.record[p]
        while record >= first:
            scratch.lead[p] = state.records[k, record % room, 0]
            record = state.records[k, record % room, 1]
        scratch.record[p] = record


@jit_in_place
def old(state: SymmetricState, epoch: int) -> int:
    """Return the hypothesis before mistake number `epoch`."""
    return 1 + (epoch - 1) % (state.lead.shape[1] - 1)


@jit_in_place
def ask(
    state: SymmetricState, k: int, h: int, scratch: Scratch, n_active: int, verdicts: NDArray[np.int64]
) -> tuple[float, bool]:
    """Return the log-odds by hypothesis h, and whether their sign is known; if not, its verdict is ASKED for."""
    count_active(state, k, h, scratch, n_active, 1)
    score, certain = compare(hypothesis(state, k, h), scratch.counts, state.slots.shape[1])
    count_active(state, k, h, scratch, n_active, -1)
    if certain:
        return score, True
    if verdicts[k, h] == UNKNOWN:
        verdicts[k, h] = ASKED
        return score, False
    return settle(score, verdicts[k, h]), True


@jit_in_place
def vote(
    state: SymmetricState, k: int, scratch: Scratch, n_active: int, verdicts: NDArray[np.int64]
) -> tuple[float, float, bool]:
    """Return the decision of learner k, that of its current hypothesis alone, and whether both are known.

    With voters, the decision is the mean of their votes, 1 or -1, of which the current hypothesis has up to 3/2: it
    breaks ties, and ranks examples that get the same votes.
    """
    current, certain = ask(state, k, 0, scratch, n_active, verdicts)
    epoch = state.journal[k, EPOCH]
    n_old = min(epoch, state.lead.shape[1] - 1)
    if n_old == 0 or not certain:
        return current, current, certain
    votes = 1 if current > 0.0 else -1
    start_rewind(state, k, scratch, n_active)
    for back in range(n_old):
        rewind(state, k, epoch - back, scratch, n_active)
        score, certain = ask(state, k, old(state, epoch - back), scratch, n_active, verdicts)
        if not certain:
            return current, current, False
        votes += 1 if score > 0.0 else -1
    decision = (votes + 0.5 * np.tanh(0.5 * current)) / (1 + n_old)
    if votes == 0 and decision == 0.0:
        decision = SMALLEST * np.sign(current)
    return decision, current, True


@jit_in_place
def update(state: SymmetricState, k: int, scratch: Scratch, n_active: int, y: bool, mistake: bool) -> None:
    """Add a trial to the counts of learner k; if it was a mistake, the old counts first join the voters."""
    voting = state.lead.shape[1] > 1
    state.counts[1 + k, 0] += 1
    bins = hypothesis(state, k, 0)
    if voting and mistake:
        state.journal[k, EPOCH] += 1
        keep(state, k)
    for p in range(n_active):
        i = scratch.active[p]
        slot = state.slots[k, i]
        if voting:
            note(state, k, i, bins.lead[slot])
        state.slots[k, i] = move(bins, slot, 1 if y else -1)
    bins.marks[TRIALS] += 1
    bins.marks[POSITIVES] += y


@jit_in_place
def keep(state: SymmetricState, k: int) -> None:
    """Copy the bins of the current hypothesis, in order, over the oldest voter."""
    current, copy = hypothesis(state, k, 0), hypothesis(state, k, old(state, state.journal[k, EPOCH]))
    n_bins = current.marks[N_BINS]
    for mark in range(current.marks.size):
        copy.marks[mark] = current.marks[mark]
    copy.marks[FIRST], copy.marks[LAST], copy.marks[USED] = 0, n_bins - 1, n_bins
    copy.marks[FIRST_RECORD] = state.journal[k, NEXT_RECORD]
    slot = current.marks[FIRST]
    for b in range(n_bins):
        copy.lead[b], copy.size[b] = current.lead[slot], current.size[slot]
        copy.before[b], copy.after[b] = b - 1, b + 1
        slot = current.after[slot]


@jit_in_place
def note(state: SymmetricState, k: int, i: int, lead: int) -> None:
    """Record the lead of attribute i if it moves for the first time since the last mistake."""
    epoch = state.journal[k, EPOCH]
    if epoch == 0 or state.newest[k, i] >= state.marks[k, old(state, epoch), FIRST_RECORD]:
        return
    number = state.journal[k, NEXT_RECORD]
    record = state.records[k, number % state.records.shape[1]]
    record[0], record[1] = lead, state.newest[k, i]
    state.newest[k, i] = number
    state.journal[k, NEXT_RECORD] += 1


@jit_in_place
def has_room(state: SymmetricState, k: int, n_active: int) -> bool:
    """Return whether an update with so many active attributes has room for new bins and records."""
    n_slots, n_old = state.lead.shape[2], state.lead.shape[1] - 1
    if n_slots < state.slots.shape[1] and n_slots - state.marks[k, 0, N_BINS] < n_active:
        return False
    live = 0
    if n_old > 0 and state.journal[k, EPOCH] > 0:
        oldest = max(1, state.journal[k, EPOCH] - n_old + 1)
        live = state.journal[k, NEXT_RECORD] - state.marks[k, old(state, oldest), FIRST_RECORD]
    return n_old == 0 or live + n_active <= state.records.shape[1]


@jit
def learn(
    state: SymmetricState,
    rows: Rows,
    longest: int,
    labels: NDArray[np.int64],
    order: NDArray[np.int64],
    frozen: NDArray[np.bool_],
    verdicts: NDArray[np.int64],
    start: int,
    predicted: NDArray[np.int64],
) -> int:
    """Perform trials in the given order from `start` on, and return where it stopped for help, or the end.

    It needs help if a verdict is ASKED for, else more room. A trial at which it stopped has changed nothing.
    """
    n_learners = state.slots.shape[0]
    scratch = scratch_for(state, longest)
    decisions, current = np.empty((1, n_learners)), np.empty(n_learners)
    for position in range(start, order.size):
        r = order[position]
        n_active = find_active(rows, r, scratch)
        for k in range(n_learners):
            decisions[0, k], current[k], certain = vote(state, k, scratch, n_active, verdicts)
            if not certain or not has_room(state, k, n_active):
                return position
        for k in range(n_learners):
            y = labels[r] == positive_class(k, n_learners)
            mistake = (current[k] > 0.0) != y
            state.counts[1 + k, 1] += mistake
            if asks_update(state.parameters[0], current[k], y) and not frozen[k]:
                update(state, k, scratch, n_active, y, mistake)
        predicted[position] = choose(decisions, 0)
        state.counts[0, 0] += 1
        state.counts[0, 1] += predicted[position] != labels[r]
        verdicts[:] = UNKNOWN
    return order.size


@jit
def decide(
    state: SymmetricState,
    rows: Rows,
    longest: int,
    first: int,
    verdicts: NDArray[np.int64],
    start: int,
    decisions: NDArray[np.float64],
) -> int:
    """Fill in decisions on the rows from first + start on, and return where it stopped for a verdict, or the end."""
    scratch = scratch_for(state, longest)
    for i in range(start, decisions.shape[0]):
        n_active = find_active(rows, first + i, scratch)
        for k in range(decisions.shape[1]):
            decisions[i, k], _, certain = vote(state, k, scratch, n_active, verdicts)
            if not certain:
                return i
        verdicts[:] = UNKNOWN
    return decisions.shape[0]


@jit
def bins_of_row(state: SymmetricState, rows: Rows, r: int, k: int, h: int) -> Any:
    """Return matches S, size and number of active attributes of every bin in hypothesis h, for an exact verdict."""
    scratch = scratch_for(state, rows.indptr[r + 1] - rows.indptr[r])
    n_active = find_active(rows, r, scratch)
    if h > 0:
        epoch = state.journal[k, EPOCH]
        start_rewind(state, k, scratch, n_active)
        rewind(state, k, epoch - (epoch - h) % (state.lead.shape[1] - 1), scratch, n_active)
    count_active(state, k, h, scratch, n_active, 1)
    table = np.empty((state.marks[k, h, N_BINS], 3), np.int64)
    list_bins(state, k, h, scratch.counts, table)
    return table


@jit_in_place
def list_bins(state: SymmetricState, k: int, h: int, active: NDArray[np.int64], table: NDArray[np.int64]) -> None:
    """Fill in the table of :func:`bins_of_row`; `active[b]` attributes of bin b are active."""
    bins = hypothesis(state, k, h)
    slot = bins.marks[FIRST]
    for b in range(table.shape[0]):
        table[b, 0] = bins.lead[slot] + bins.marks[TRIALS] - bins.marks[POSITIVES]
        table[b, 1], table[b, 2] = bins.size[slot], active[slot]
        slot = bins.after[slot]
