"""SBSB's match counts and its test, at a cost in the active attributes (Littlestone & Mesterharm, section 2).

SBSB keeps S_i, how often attribute i matched the label. An absent attribute matches iff the label is 0, so its *lead*
``S_i - (number of negative trials)`` stays as it is: only active attributes move, by +1 after label 1 and by -1 after
label 0. Attributes of equal lead are alike, and live in one *bin*. Bins form a chain in the order of their leads: a
lead moves by one, so its new bin is a neighbour of the old one, and no search is needed.

A prediction sums over bins, of which there are at most as many as there are attributes, or as trials in which one
attribute was active: a few on sparse data, nearly all n on dense. It walks from both ends of the chain inwards, where
1/C(t, S) only falls, and stops once the remaining bins cannot change the result.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.jit import jit_in_place
from winnowkit.core.multiclass import SMALLEST

TRIALS, POSITIVES = 0, 1  # t and M
FIRST, LAST, N_BINS = 2, 3, 4  # ends and length of the chain
USED, FREE = 5, 6  # slots ever used, and the first of those given back (a chain by `after`)
FIRST_RECORD = 7  # see sbsb_kernel
N_MARKS = 8
NONE = -1  # no bin

INVISIBLE = 1e-17  # relative size of a remainder that may be left out of a sum
EXACT = 4e18  # integers below this do not overflow
STIRLING_SERIES = np.array([1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188])
# ln k! - ((k + 1/2) ln k - k + ln(2 pi)/2) for k = 1 ... 15, where the series is too coarse
STIRLING_ERRORS = np.array(
    [
        0.0,
        0.08106146679532726,
        0.0413406959554093,
        0.02767792568499834,
        0.020790672103765093,
        0.016644691189821193,
        0.013876128823070748,
        0.011896709945891771,
        0.010411265261972096,
        0.009255462182712733,
        0.00833056343336287,
        0.007573675487951841,
        0.00694284010720953,
        0.006408994188004207,
        0.0059513701127588475,
        0.005554733551962801,
    ]
)


class Bins(NamedTuple):
    """One hypothesis: how many attributes have each lead."""

    lead: NDArray[np.int64]
    size: NDArray[np.int64]
    after: NDArray[np.int64]
    before: NDArray[np.int64]
    marks: NDArray[np.int64]


@jit_in_place
def begin(bins: Bins, n: int) -> None:
    """Put all n attributes in one bin: no trial yet."""
    bins.marks[:] = 0
    bins.marks[FREE] = NONE
    bins.marks[USED] = bins.marks[N_BINS] = 1
    bins.lead[0], bins.size[0] = 0, n
    bins.after[0] = bins.before[0] = NONE


@jit_in_place
def move(bins: Bins, slot: int, step: int) -> int:
    """Move one attribute from its bin to that of the next lead, up or down, and return the new bin."""
    lead = bins.lead[slot] + step
    neighbour = bins.after[slot] if step > 0 else bins.before[slot]
    if neighbour != NONE and bins.lead[neighbour] == lead:
        bins.size[neighbour] += 1
        bins.size[slot] -= 1
        if bins.size[slot] == 0:
            unlink(bins, slot)
        return neighbour
    if bins.size[slot] == 1:
        bins.lead[slot] = lead
        return slot
    bins.size[slot] -= 1
    new = take_slot(bins)
    bins.lead[new], bins.size[new] = lead, 1
    if step > 0:
        link(bins, slot, new)
        link(bins, new, neighbour)
    else:
        link(bins, new, slot)
        link(bins, neighbour, new)
    return new


@jit_in_place
def link(bins: Bins, low: int, high: int) -> None:
    """Make two bins neighbours; NONE stands for the end of the chain."""
    if low == NONE:
        bins.marks[FIRST] = high
    else:
        bins.after[low] = high
    if high == NONE:
        bins.marks[LAST] = low
    else:
        bins.before[high] = low


@jit_in_place
def unlink(bins: Bins, slot: int) -> None:
    """Take an empty bin out of the chain."""
    link(bins, bins.before[slot], bins.after[slot])
    bins.after[slot] = bins.marks[FREE]
    bins.marks[FREE] = slot
    bins.marks[N_BINS] -= 1


@jit_in_place
def take_slot(bins: Bins) -> int:
    """Take a slot for a new bin; there must be one."""
    marks = bins.marks
    slot = marks[FREE]
    if slot == NONE:
        slot = marks[USED]
        marks[USED] += 1
    else:
        marks[FREE] = bins.after[slot]
    marks[N_BINS] += 1
    return slot


@jit_in_place
def stirling_error(k: int) -> float:
    """Return the error of Stirling's formula for ln k!, k >= 1."""
    if k < STIRLING_ERRORS.size:
        return STIRLING_ERRORS[k]
    inverse, total = 1.0 / k, 0.0
    for p in range(STIRLING_SERIES.size - 1, -1, -1):
        total = total * inverse * inverse + STIRLING_SERIES[p]
    return total * inverse


@jit_in_place
def log_binomial(t: int, s: int) -> float:
    """Return the natural logarithm of C(t, s), within a few units in the last place for any t; the same for t - s."""
    few = min(s, t - s)
    many = t - few
    if few == 0:
        return 0.0
    entropy = (few + 0.5) * np.log(t / few) + (many + 0.5) * np.log1p(few / many)
    return entropy - 0.5 * np.log(2.0 * np.pi * t) + (stirling_error(t) - stirling_error(few) - stirling_error(many))


@jit_in_place
def compare(bins: Bins, active: NDArray[np.int64], n: int) -> tuple[float, bool]:
    """Apply SBSB's test: the log-odds of label 1, and whether their sign is certain; `active[b]` of bin b are active.

    With p = S + 1, q = t - S + 1, d = M + 1 and e = t - M + 1, an active attribute speaks for label 1 by
    (d p - e q) / C(t, S) and an absent one by (d q - e p) / C(t, S). The factors are integers, summed without rounding
    within a bin, so that ties within a bin are seen exactly; the rest is decided by the caller if it is too close.
    """
    marks = bins.marks
    t = marks[TRIALS]
    d, e = marks[POSITIVES] + 1, t - marks[POSITIVES] + 1
    low, high = marks[FIRST], marks[LAST]
    for_one, for_zero, top = 0.0, 0.0, 0.0  # sums of p / C and q / C, times exp(-top)
    net, spread, net_top = 0.0, 0.0, 0.0  # sum of the integers over C, and of their sizes, times exp(-net_top)
    left, binomial = n, 0.0
    for step in range(marks[N_BINS]):
        if abs(2 * (bins.lead[low] + e - 1) - t) >= abs(2 * (bins.lead[high] + e - 1) - t):
            b, low = low, bins.after[low]
        else:
            b, high = high, bins.before[high]
        s = bins.lead[b] + e - 1
        p, q, ones, zeros = s + 1, t - s + 1, active[b], bins.size[b] - active[b]
        binomial = log_binomial(t, s)
        if step == 0:
            top = -binomial
        weight = np.exp(-binomial - top)
        for_one += (ones * p + zeros * q) * weight
        for_zero += (ones * q + zeros * p) * weight
        speaks_one, speaks_zero = d * p - e * q, d * q - e * p
        share, size = float(ones) * speaks_one + float(zeros) * speaks_zero, 0.0
        if float(bins.size[b]) * max(abs(speaks_one), abs(speaks_zero)) < EXACT:
            share = float(ones * speaks_one + zeros * speaks_zero)
            size = abs(share)
        else:
            size = float(ones) * abs(speaks_one) + float(zeros) * abs(speaks_zero)
        if size > 0.0:
            if spread == 0.0:
                net_top = -binomial
            net_weight = np.exp(-binomial - net_top)
            net += share * net_weight
            spread += size * net_weight
            left -= bins.size[b]
            rest = left * (t + 2.0)
            if rest * (t + 2.0) * net_weight < INVISIBLE * abs(net) and rest * weight < INVISIBLE * min(
                for_one, for_zero
            ):
                break
        else:
            left -= bins.size[b]
    if spread == 0.0:
        return 0.0, True
    error = 4e-16 * (16.0 + 8.0 * binomial + marks[N_BINS])
    odds = log_odds(net * np.exp(net_top - top), net, d * for_one, e * for_zero)
    return odds, abs(net) > error * spread


@jit_in_place
def log_odds(difference: float, sign: float, one: float, zero: float) -> float:
    """Return ln(one / zero); `difference` = one - zero is more exact, and has this sign even if it underflows."""
    ratio = difference / (one + zero)
    if abs(ratio) > 0.5:
        return np.log(one) - np.log(zero)
    if ratio == 0.0:
        return SMALLEST * np.sign(sign)
    return np.log1p(ratio) - np.log1p(-ratio)


@jit_in_place
def settle(score: float, verdict: int) -> float:
    """Return a score whose sign agrees with an exact verdict."""
    if verdict == 0:
        return 0.0
    return score if score * verdict > 0.0 else SMALLEST * verdict
