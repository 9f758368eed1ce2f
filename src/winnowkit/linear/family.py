"""The built-in experts of a committee: ten linear learners on one record of 64 bytes per attribute and learner.

An example has the scaled values x and z of :mod:`winnowkit.linear.scaling`; the steps are those of
:mod:`winnowkit.linear.steps`. All experts of a learner read and write the same record, which fills one line of the
processor's cache; the bias has a record of its own before those of the attributes. The records of an attribute lie
field by field, so that the same field of all learners is read at once.

===========  =====================================================================================================
expert       score s and update, inside its margin y s < 1 (y = 1 or -1)
===========  =====================================================================================================
four BEGs    s = (sum of w over x > 0) / theta - 1, odds of w times beta_y; margins 0.5, 0.5, 0.9, 0.9
AROW, twice  s = w z; c = sum S z^2; w += y (1 - y s) / (c + r) S z; S /= 1 + S z^2 / r, with r = 0.1 and r = 1
coin         s = w z, w = T (L + R) / (L (G + L)): coin betting on the hinge loss; T, G and R are sums of y z, |z| and
             of what was won, L is the largest |z|
gradient     s = w x: the squared loss, one adaptive step size per weight, steps that never overshoot
hypentropy   s = w x: the squared loss under the geometry between a gradient and Winnow's, w' = sinh
full AROW    s = w x with a whole covariance matrix, among at most 64 attributes; r = 0.1
===========  =====================================================================================================
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.jit import jit_in_place
from winnowkit.linear.plain_lanes import WIDTH
from winnowkit.linear.scaling import typical
from winnowkit.linear.steps import BETA_HYPENTROPY, RATE

N_EXPERTS = 10
N_BEGS = 4
AROW_QUICK, AROW_SLOW, COIN, GRADIENT, HYPENTROPY, FULL_AROW = range(4, 10)
NAMES = (
    *("BEG (eliminates, 3)", "BEG (eliminates, 32)", "BEG (2)", "BEG (8)"),
    *("AROW (r = 0.1)", "AROW (r = 1)", "coin betting", "adaptive gradient", "adaptive Winnow", "AROW (full matrix)"),
)

# Fields of a record; 0 to 3 are what the odds of the BEGs have been multiplied by.
W_QUICK, S_QUICK, W_SLOW, S_SLOW = 4, 5, 6, 7
COIN_T, COIN_G, COIN_R, COIN_L = 8, 9, 10, 11
W_GRADIENT, G_GRADIENT, W_HYPENTROPY, G_HYPENTROPY = 12, 13, 14, 15
N_FIELDS = 16

MOST_NARROW = 64
"""Attributes among which the expert with a whole matrix takes part: it costs time in their square."""

# Thresholded-BEGs: the first two are for clean labels (beta0 = 0 eliminates), the others for noisy ones; a larger beta1
# needs fewer sightings of an attribute, which is best among very many attributes.
THETA = 0.4
BETA0 = (0.0, 0.0, 0.5, 0.5)
BETA1 = (3.0, 32.0, 2.0, 8.0)
INITIAL = (4.0, 1.0, 1.0, 1.0)  # initial weight times n
TIE = 1e-6
"""A score so close to a BEG's threshold or margin is on it, and not beyond: fresh weights often add up to it, but for
rounding."""
MARGINS = (0.5 - TIE, 0.5 - TIE, 0.9 - TIE, 0.9 - TIE)
R_QUICK, R_SLOW, R_FULL = 0.1, 1.0, 0.1
BETA_SINGLE = np.float32(BETA_HYPENTROPY)
LIMIT = np.float32(2.0**22)
"""Sums in 32 bits stop growing at 2^24 additions: at this size they are halved, or grow no more. Older updates then
count for less, and steps have a least size."""
_LEAST_FACTOR, MOST_FACTOR = 1e-30, 1e30
LEAST_SUM = np.float32(1e-30)  # of squares, some of which are too small for 32 bits
LINE = 64  # bytes
_AT_ONCE = 512  # records that are averaged at a time


class Family(NamedTuple):
    """The experts of all learners, and what they know of the columns."""

    records: NDArray[
        np.float32
    ]  # (n + 1, N_FIELDS, lanes), the bias first; learners, and room for eight if there are several
    largest: NDArray[np.float64]  # of each column, the largest absolute value so far
    scale: NDArray[np.float64]  # how many trials there were, and the sum of 1 + ||x||^2 over them
    odds: NDArray[np.float64]  # initial odds of the BEGs' weights; then the least factor of these odds
    full_weights: NDArray[np.float64]  # (learners, n + 1), the bias first; empty among many attributes
    full_covariance: NDArray[np.float64]  # (learners, n + 1, n + 1)


def new_records(n: int, n_learners: int) -> NDArray[np.float32]:
    """Return the records of attributes that have been 0 so far: one of several learners has at least eight lanes."""
    n_lanes = n_learners if n_learners == 1 else max(WIDTH, n_learners)
    records = _on_lines((n, N_FIELDS, n_lanes))
    records[:, :N_BEGS] = 1.0
    records[:, [S_QUICK, S_SLOW]] = 1.0
    return records


def initial_odds(n_features: int, floor: float) -> NDArray[np.float64]:
    """Return the initial odds of the BEGs' weights among so many attributes, and the least factor of these odds."""
    initial = np.minimum(0.5, np.array(INITIAL) / max(2, n_features))
    return np.append(initial / (1.0 - initial), floor)


def _on_lines(shape: tuple[int, int, int]) -> NDArray[np.float32]:
    """Return zeros that begin with a line of the cache, so that a record of a single learner is in one, not two."""
    size = int(np.prod(shape))
    room = np.zeros(size + LINE // 4, dtype=np.float32)
    first = -room.ctypes.data % LINE // 4
    return room[first : first + size].reshape(shape)


@jit_in_place
def asks(scores: NDArray[np.float64], resting: Any, k: int, y: float, learns: NDArray[np.bool_], slot: int) -> bool:
    """Fill in which experts of learner k update on this label, 1 or -1: those awake and inside their margins.

    Returns whether any does.
    """
    some = False
    for e in range(N_EXPERTS):
        margin = MARGINS[e] if e < N_BEGS else 1.0
        learns[e, slot] = not resting[k, e] and y * scores[e, k] < margin
        some |= learns[e, slot]
    return some


@jit_in_place
def beg_score(total: float) -> float:
    """Score of a BEG whose weights add up to this; 0 on the threshold."""
    score = total / THETA - 1.0
    return 0.0 if abs(score) < TIE else score


@jit_in_place
def gradient_gain(y: float, score: float, rate: float, length: float) -> float:
    """Factor of x / sqrt(G) in the step of the adaptive gradient, which never overshoots; `score` is cut at 1.

    `length` is the sum of x^2 / sqrt(G).
    """
    return (y - score) * (1.0 - math.exp(-2.0 * RATE * rate * length)) / length if length > 0.0 else 0.0


@jit_in_place
def beg_factor(e: int, positive: bool, part: float) -> float:
    """Factor of the odds of BEG e on a label, given the part of a presentation."""
    beta = BETA1[e] if positive else BETA0[e]
    return beta if part == 1.0 else beta**part


@jit_in_place
def least_factor(e: int, floor: float) -> float:
    """Least product of factors of BEG e: the floor, or a tiny number if it never eliminates."""
    return floor if BETA0[e] == 0.0 else max(floor, _LEAST_FACTOR)


def in_lanes(records: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return records of learners with as many lanes as kernels need, on lines of the cache."""
    n, _, n_learners = records.shape
    if records.ctypes.data % LINE == 0 and (n_learners == 1 or n_learners >= WIDTH):
        return records
    padded = new_records(n, n_learners)
    padded[:, :, :n_learners] = records
    return padded


def of_learners(family: Family) -> NDArray[np.float32]:
    """Return the records without lanes that belong to no learner."""
    return family.records[:, :, : len(family.full_weights)]


def by_learner(family: Family) -> NDArray[np.float64]:
    """Return a copy of the records with the fields last, (places, learners, N_FIELDS), in double precision."""
    return of_learners(family).swapaxes(1, 2).astype(np.float64)


def linear_weights(family: Family) -> NDArray[np.float64]:
    """Return the weights of all experts, (n + 1, learners, experts), in their own units: of [x > 0], z or x."""
    weights = _weights_of(by_learner(family), family)
    weights[0, :, :N_BEGS] = -1.0  # their threshold
    if family.full_weights.size:  # there may be records that are not in use yet
        weights[: family.full_weights.shape[1], :, FULL_AROW] = family.full_weights.T
    return weights


def _weights_of(records: NDArray[np.float64], family: Family) -> NDArray[np.float64]:
    weights = np.zeros((*records.shape[:2], N_EXPERTS))
    odds = family.odds[:N_BEGS] * records[..., :N_BEGS]
    weights[..., :N_BEGS] = odds / (1.0 + odds) / THETA
    weights[..., AROW_QUICK], weights[..., AROW_SLOW] = records[..., W_QUICK], records[..., W_SLOW]
    weights[..., COIN] = records[..., COIN_T] * _coin_stakes(records, family)
    weights[..., GRADIENT], weights[..., HYPENTROPY] = records[..., W_GRADIENT], records[..., W_HYPENTROPY]
    return weights


def _coin_stakes(records: NDArray[np.float64], family: Family) -> NDArray[np.float64]:
    """Return what the coin bettor's weights are divided by their T."""
    largest = np.maximum(records[..., COIN_L], typical(family.scale))
    stakes: NDArray[np.float64] = (largest + records[..., COIN_R]) / (largest * (records[..., COIN_G] + largest))
    return stakes


def fold(mean: Family, other: Family, part: float) -> None:
    """Move the experts of `mean` by a part of the way to `other`'s, so that their scores are the weighted means.

    What a score follows from is the weight; the statistics that set the size of the next steps are averaged as they
    are; `scale` has been averaged before. Some records at a time are done, as committees may fill the memory.
    """
    np.maximum(mean.largest, other.largest, out=mean.largest)
    mean.full_weights[:] += part * (other.full_weights - mean.full_weights)
    mean.full_covariance[:] += part * (other.full_covariance - mean.full_covariance)
    at_once = max(1, _AT_ONCE // mean.records.shape[2])
    for first in range(0, len(mean.records), at_once):
        here = slice(first, first + at_once)
        ours, theirs = (by_learner(family._replace(records=family.records[here])) for family in (mean, other))
        weights = (1.0 - part) * _weights_of(ours, mean) + part * _weights_of(theirs, other)
        records = (1.0 - part) * ours + part * theirs
        chances = np.minimum(weights[..., :N_BEGS] * THETA, 1.0 - 1e-15)
        records[..., :N_BEGS] = np.minimum(chances / (1.0 - chances) / mean.odds[:N_BEGS], MOST_FACTOR)
        records[..., COIN_T] = weights[..., COIN] / _coin_stakes(records, mean)
        of_learners(mean)[here] = records.swapaxes(1, 2)
