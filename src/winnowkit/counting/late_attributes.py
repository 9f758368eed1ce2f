"""Attributes that appear late, 0 in all examples so far, in the learners that count.

SBSB: such an attribute matched every negative trial, so its lead is 0; in the hypotheses that vote, too. The direct
algorithm: a disjunction erred as often as the rest of it without its new literals, as these were never active; one
with the complement of a new attribute was always true.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.jit import jit, jit_in_place
from winnowkit.counting.lead_counts import FIRST, LAST, N_BINS, NONE, USED, Bins, link, take_slot
from winnowkit.counting.sbsb_kernel import EPOCH, SymmetricState, hypothesis


@jit_in_place
def add_absent(state: SymmetricState, k: int, first: int, n: int) -> None:
    """Take the attributes from first to n into the counts of learner k; there must be room for one more bin."""
    bins = hypothesis(state, k, 0)
    slot = bin_of_zero(bins)
    bins.size[slot] += n - first
    state.slots[k, first:n] = slot
    for h in range(1, 1 + min(state.journal[k, EPOCH], state.lead.shape[1] - 1)):
        old = hypothesis(state, k, h)
        old.size[place_of_zero(old)] += n - first


@jit_in_place
def bin_of_zero(bins: Bins) -> int:
    """Return the bin of lead 0 in the current hypothesis, made if there is none."""
    low, high = NONE, bins.marks[FIRST]
    while high != NONE and bins.lead[high] < 0:
        low, high = high, bins.after[high]
    if high != NONE and bins.lead[high] == 0:
        return high
    new = take_slot(bins)
    bins.lead[new], bins.size[new] = 0, 0
    bins.before[new] = bins.after[new] = NONE
    link(bins, low, new)
    link(bins, new, high)
    return new


@jit_in_place
def place_of_zero(bins: Bins) -> int:
    """Return the bin of lead 0 in an old hypothesis, whose bins are in order; made if there is none."""
    n_bins, place = bins.marks[N_BINS], 0
    while place < n_bins and bins.lead[place] < 0:
        place += 1
    if place < n_bins and bins.lead[place] == 0:
        return place
    for b in range(n_bins, place, -1):
        bins.lead[b], bins.size[b] = bins.lead[b - 1], bins.size[b - 1]
    bins.lead[place], bins.size[place] = 0, 0
    bins.before[n_bins], bins.after[n_bins] = n_bins - 1, n_bins + 1
    bins.marks[N_BINS] = bins.marks[USED] = n_bins + 1
    bins.marks[LAST] = n_bins
    return place


class DisjunctionPlaces(NamedTuple):
    """The number of attributes, and where the disjunctions of their literals begin."""

    n_features: int
    table: NDArray[np.int64]  # see direct_bayes_kernel.begins


@jit
def spread(
    errors: NDArray[np.int32],
    before: DisjunctionPlaces,
    after: DisjunctionPlaces,
    never: int,
    always: int,
    result: NDArray[np.int32],
) -> None:
    """Fill in the errors of all disjunctions after growth from those before.

    `never` and `always` are the errors of a disjunction that was never true, and of one that always was. The walk is
    through all disjunctions in their order, and with it through the rest of each without its new literals.
    """
    k, n = after.table.shape[0], after.table.shape[1] - 1
    literal = np.empty(k + 1, np.int64)  # the last one at each depth; likewise
    place = np.empty(k + 1, np.int64)  # of the rest
    left = np.zeros(k + 1, np.int64)  # its size
    last = np.empty(k + 1, np.int64)  # its last literal
    is_always = np.zeros(k + 1, np.bool_)
    literal[0] = place[0] = last[0] = -1
    depth, v = 0, 0
    for p in range(result.size):
        while v == n:  # go back to the literal before, and take the next in its place
            v = literal[depth] + 1
            depth -= 1
        depth += 1
        literal[depth] = v
        place[depth], left[depth], last[depth] = place[depth - 1], left[depth - 1], last[depth - 1]
        is_always[depth] = is_always[depth - 1]
        attribute, complement = v % after.n_features, v // after.n_features
        if attribute < before.n_features:
            if not is_always[depth]:
                old = complement * before.n_features + attribute
                more = before.table[before.table.shape[0] - 1 - left[depth]]
                place[depth] += 1 + more[old] - more[last[depth] + 1]
                left[depth] += 1
                last[depth] = old
        elif complement:
            is_always[depth] = True
        if is_always[depth]:
            result[p] = always
        else:
            result[p] = never if left[depth] == 0 else errors[place[depth]]
        v = literal[depth] + 1
        if depth == k:
            depth -= 1
