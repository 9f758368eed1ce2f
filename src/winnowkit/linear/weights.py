"""The weights of linear learners and what they add to a score; `linear/kernel.py` has the trials that change them.

Every Winnow and every BEG is one loop. A learner keeps a *state* for each weight, each state *contributes* to the
score (:class:`Link`), the score is cut at theta, and an update changes the states of the attributes that were active:

=========== ================================= =========================================================================
link        state, and its update             contribution
=========== ================================= =========================================================================
WEIGHT      w, times ``up`` or over ``down``  w
PROBABILITY ln f, plus ``up`` or ``down``     w = w1 f / (1 - w1 + w1 f), where f is the odds' factor since the start
BAYES       ln f, plus ``up`` or ``down``     z of Helmbold, Panizza & Warmuth's Theorem 2, a function of that w
=========== ================================= =========================================================================

Weights come in *blocks* of n: one; with negations a second one for the complements 1 - x; for Balanced Winnow each
once more with a negative sign. ``coef`` holds what the blocks of an attribute add to the score when it is active, so a
prediction costs one look-up per active attribute, and without negations an update costs no more. With negations an
update touches every weight: the complement of an absent attribute is active.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.interpreted import briefly
from winnowkit.core.jit import jit, jit_in_place

TINY = 2.0**-500  # the least weight, unless a factor of 0 is asked for: denormal numbers are slow, and 0 stays 0
HUGE = 2.0**500  # the largest weight


class Link(IntEnum):
    """How the state of a weight contributes to the score."""

    WEIGHT = 0
    PROBABILITY = 1
    BAYES = 2


class LinearState(NamedTuple):
    """All that a family of one-vs-rest learners has learned; arrays, so that kernels change them in place."""

    weights: NDArray[np.float64]  # (learners, blocks, n): the state of each weight
    coef: NDArray[np.float64]  # (learners, n): what an active attribute adds to the score
    totals: NDArray[np.float64]  # (learners, 4 + blocks): OFFSET, TOTAL, TOTAL_BEFORE, TOUCHED; then FRESH
    counts: NDArray[np.int64]  # (1 + learners, 2): trials and wrong labels; then each learner's updates and mistakes
    parameters: NDArray[np.void]  # one record of the rule per learner; all have the same `balanced` and `negations`


OFFSET = 0  # what the complements add when no attribute is active
TOTAL = 1  # divisor of the score: 1, or the sum of all weights if normalized
TOTAL_BEFORE = 2  # the largest TOTAL since it was last summed in full
TOUCHED = 3  # how many weights changed since then
FRESH = 4  # from here on, one per block: the state of a weight whose attribute has been 0 so far


@jit_in_place
def contribution(parameters: Any, state: float) -> float:
    """Return what a weight in this state adds to the score of an example that contains it."""
    if parameters["link"] == Link.WEIGHT:
        return state
    w1 = parameters["initial"]
    if parameters["link"] == Link.PROBABILITY:
        if state > 0.0:
            return w1 / (w1 + (1.0 - w1) * math.exp(-state))
        f = math.exp(state) if state > -600.0 else 0.0  # below, w1 f could be denormal
        return w1 * f / ((1.0 - w1) + w1 * f)
    odds = w1 / (1.0 - w1) * math.exp(min(state, 600.0))
    beta0, beta1 = parameters["beta0"], parameters["beta1"]
    return parameters["shift"] + math.log((1.0 + odds * beta1) / (1.0 + odds * beta0))


@jit_in_place
def is_negative(parameters: Any, block: int) -> bool:
    """Whether a block's weights count against class 1 (Balanced Winnow's v)."""
    return parameters["balanced"] and block % 2 == 1


@jit_in_place
def is_complement(parameters: Any, block: int, n_blocks: int) -> bool:
    """Whether a block's weights belong to the complements 1 - x."""
    return parameters["negations"] and 2 * block >= n_blocks


@jit_in_place
def sum_attribute(state: LinearState, k: int, j: Any) -> None:
    """Sum anew what attribute j adds to the score when it is active."""
    parameters = state.parameters[k]
    n_blocks = state.weights.shape[1]
    coef = 0.0
    for block in range(n_blocks):
        added = contribution(parameters, state.weights[k, block, j])
        coef += added if is_negative(parameters, block) == is_complement(parameters, block, n_blocks) else -added
    state.coef[k, j] = coef


@jit_in_place
def sum_complements(state: LinearState, k: int) -> None:
    """Sum anew what the complements add when no attribute is active, so that rounding errors do not accumulate."""
    parameters = state.parameters[k]
    n_blocks = state.weights.shape[1]
    offset = 0.0
    for block in range(n_blocks // 2, n_blocks):
        sign = -1.0 if is_negative(parameters, block) else 1.0
        for j in range(state.coef.shape[1]):
            offset += sign * contribution(parameters, state.weights[k, block, j])
    state.totals[k, OFFSET] = offset


@jit_in_place
def renormalize(state: LinearState, k: int) -> None:
    """Sum all weights anew once as many changed as there are, or once their sum shrank.

    So rounding errors do not accumulate. A sum far from 1 is brought back by a power of two, which leaves every
    prediction as it was.
    """
    totals, weights = state.totals[k], state.weights[k]
    totals[TOTAL_BEFORE] = max(totals[TOTAL_BEFORE], totals[TOTAL])
    if totals[TOUCHED] < weights.size and 0.25 * totals[TOTAL_BEFORE] < totals[TOTAL] < 2.0**100:
        return
    total = total_of(weights)
    if not 2.0**-100 < total < 2.0**100:
        scale = 2.0 ** -np.floor(math.log2(total))
        for block in range(weights.shape[0]):
            for j in range(weights.shape[1]):
                weights[block, j] = max(weights[block, j] * scale, state.parameters[k]["floor"])
            totals[FRESH + block] = min(max(totals[FRESH + block] * scale, state.parameters[k]["floor"]), HUGE)
        refresh(state, k)
        total = total_of(weights)
    totals[TOTAL] = total
    totals[TOTAL_BEFORE] = total
    totals[TOUCHED] = 0.0


@jit_in_place
def total_of(weights: Any) -> float:
    """Sum of all weights of a learner, one after the other."""
    total = 0.0
    for block in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            total += weights[block, j]
    return total


def seconds_for_all(state: LinearState, *_: Any) -> float:
    """Return how long the interpreter would take to sum up all weights."""
    return 5e-6 * state.weights.size


def seconds_to_begin(state: LinearState) -> float:
    """Return how long the interpreter would take for weights that are alike, or must be summed up."""
    parameters = state.parameters
    alike = not (parameters["negations"].any() or parameters["normalized"].any())
    return 2e-5 * len(parameters) + (0.0 if alike else seconds_for_all(state))


@briefly(seconds_for_all)
@jit_in_place
def refresh(state: LinearState, k: int) -> None:
    """Derive anew what `coef` and `totals` hold of the weights of learner k."""
    parameters = state.parameters[k]
    for j in range(state.coef.shape[1]):
        sum_attribute(state, k, j)
    if parameters["negations"]:
        sum_complements(state, k)


@jit
def refresh_at(
    weights: NDArray[np.float64],
    coef: NDArray[np.float64],
    totals: NDArray[np.float64],
    counts: NDArray[np.int64],
    parameters: NDArray[np.void],
    indices: NDArray[Any],
) -> None:
    """Sum anew what some attributes add to the score; indices out of range are left to whoever walks them next."""
    state = LinearState(weights, coef, totals, counts, parameters)
    for k in range(coef.shape[0]):
        for j in indices:
            if 0 <= j < coef.shape[1]:
                sum_attribute(state, k, j)


@briefly(seconds_to_begin)
@jit_in_place
def begin(state: LinearState) -> None:
    """Put every weight in its initial state (Balanced Winnow: u = 2, v = 1); weights of a new learner must be 0."""
    for k in range(state.coef.shape[0]):
        parameters = state.parameters[k]
        initial = parameters["initial"] if parameters["link"] == Link.WEIGHT else 0.0
        state.totals[k] = 0.0
        for block in range(state.weights.shape[1]):
            fresh = initial * (2.0 if parameters["balanced"] and block % 2 == 0 else 1.0)
            state.totals[k, FRESH + block] = fresh
            if fresh != 0.0 or state.counts[0, 0] > 0:  # a new learner's weights are 0 already
                state.weights[k, block] = fresh
        state.totals[k, TOTAL] = 1.0
        sum_attribute(state, k, 0)
        state.coef[k] = state.coef[k, 0]
        if parameters["negations"]:
            sum_complements(state, k)
        if parameters["normalized"]:
            state.totals[k, TOUCHED] = np.inf
            renormalize(state, k)
