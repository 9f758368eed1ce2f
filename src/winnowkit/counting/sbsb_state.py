"""Whether the arrays of SBSB or SASB are those of one: kernels follow the chains in them without looking twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.arrays import check_arrays, check_consistent
from winnowkit.counting import sbsb_kernel as symmetric
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
from winnowkit.counting.sbsb_kernel import State

Ints = NDArray[np.int64]


def check_symmetric(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Refuse arrays that are not of one family of learners."""
    bins = (np.int64, ("learners", "hypotheses", "slots"))
    lengths = check_arrays(
        arrays,
        {
            "slots": (np.int32, ("learners", "n")),
            **dict.fromkeys(("lead", "size", "after", "before"), bins),
            "marks": (np.int64, ("learners", "hypotheses", N_MARKS)),
            "newest": (np.int64, ("learners", "voting attributes")),
            "records": (np.int64, ("learners", "room", 2)),
            "journal": (np.int64, ("learners", 2)),
            "counts": (np.int64, ("rows", 2)),
            "parameters": (symmetric.PARAMETERS, (1,)),
        },
    )
    n, n_old = lengths["n"], lengths["hypotheses"] - 1
    check_consistent(lengths["rows"] == 1 + lengths["learners"] >= 2, "counts")
    check_consistent(n_old >= 0 and 1 <= lengths["slots"] <= n and lengths["room"] >= 1, "no room")
    check_consistent(lengths["voting attributes"] == (n if n_old else 0), "records of attributes")
    state = State(**arrays)
    for k in range(lengths["learners"]):
        check_current(state, k)
        check_voters(state, k)


def check_current(state: State, k: int) -> None:
    """The chain of bins of the current hypothesis, that of free slots, and what the attributes' slots say."""
    marks, n_slots = state.marks[k, 0], state.lead.shape[2]
    used, slots = int(marks[USED]), state.slots[k]
    check_consistent(1 <= used <= n_slots, "slots in use")
    chain = follow(state.after[k, 0], int(marks[FIRST]), int(marks[N_BINS]), used)
    check_consistent(chain[-1] == marks[LAST] and state.after[k, 0, chain[-1]] == NONE, "the end of the chain of bins")
    check_consistent(np.array_equal(state.before[k, 0, chain], [NONE, *chain[:-1]]), "the way back in the chain")
    free = int(marks[FREE])
    given_back = follow(state.after[k, 0], free, used - len(chain), used) if free != NONE else []
    check_consistent(sorted([*chain, *given_back]) == list(range(used)), "free slots")
    check_consistent(not given_back or state.after[k, 0, given_back[-1]] == NONE, "the end of the free slots")
    check_consistent(slots.min() >= 0 and slots.max() < used, "attributes in no bin")
    sizes = np.bincount(slots, minlength=used)[chain]
    check_consistent(np.array_equal(sizes, state.size[k, 0, chain]) and sizes.min() >= 1, "sizes of bins")
    check_leads(state.lead[k, 0, chain], marks)


def check_voters(state: State, k: int) -> None:
    """Each old hypothesis must be what taking back the moves since gives."""
    epoch, next_record = state.journal[k].tolist()
    n_old, room = state.lead.shape[1] - 1, state.records.shape[1]
    check_consistent(epoch >= 0 and next_record >= 0, "numbers of mistakes and records")
    if n_old == 0:
        return
    lead, record = state.lead[k, 0, state.slots[k]], state.newest[k].copy()
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
        check_leads(leads, marks)


def check_leads(leads: Ints, marks: Ints) -> None:
    """Increasing, and none outside what so many trials can give: 0 <= S <= t."""
    trials, positives = int(marks[TRIALS]), int(marks[POSITIVES])
    check_consistent(0 <= positives <= trials < 2**62, "trials")
    check_consistent((np.diff(leads) > 0).all(), "leads out of order")
    check_consistent(-(trials - positives) <= int(leads[0]) and int(leads[-1]) <= positives, "leads out of range")


def follow(after: Ints, first: int, length: int, used: int) -> list[int]:
    """Slots of a chain of this length, from the first on."""
    check_consistent(1 <= length <= used, "the length of a chain")
    chain, slot = [], first
    for _ in range(length):
        check_consistent(0 <= slot < used, "a chain that leads nowhere")
        chain.append(slot)
        slot = int(after[slot])
    return chain
