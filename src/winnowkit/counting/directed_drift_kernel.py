"""Directed Drift (Fang & Venkatesh): binary weights, examples and votes as bits, 64 per word.

A bit of 1 stands for +1, a bit of 0 for -1, so that <w, u> is n - 2 popcount(w xor u). On line, a learner is its n bits
of weights, the n bits of the example at hand and a few counters: the paper's 2n bits. In a batch the votes for each
index are counted 64 indices at a time, in bit-sliced counters: a word of level p holds a bit worth 2^p for each.

Weights come in *blocks* of whole words: one; with negations a second one for the complements -u. Bits beyond the last
attribute of a block are 0 in weights and examples alike.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.bits import popcount
from winnowkit.core.csr import Row, Rows, value
from winnowkit.core.jit import jit, jit_uncounted
from winnowkit.core.multiclass import PREDICT_ONLY, SMALLEST, choose, positive_class
from winnowkit.core.random_streams import scramble

ONE, ALL = np.uint64(1), np.uint64(2**64 - 1)


class FlipRule(IntEnum):
    """Which weights an update flips."""

    RANDOM = 0  # step D4: one that differs from the example, drawn at once
    ONE = 1  # step D4': the one with the most votes of a batch
    NEEDED = 2  # step D4'': those with the most votes, as many as the example that opened the batch needs
    MAJORITY = 3  # every one with the votes of more than half the batch


DRIFT_PARAMETERS = np.dtype(
    [
        ("flip", np.int64),
        ("n_features", np.int64),
        ("negations", np.bool_),
        ("batch", np.int64),  # m, the examples of an update
        ("stop", np.int64),  # the confidence counter T at which learning ends, or, if `rate` > 0, the least one
        ("rate", np.float64),  # of a valid stop: -ln(1 - p_n); 0 for the paper's
        ("delta", np.float64),  # from which the stop follows, given n
        ("automatic", np.bool_),  # whether the batch follows n
    ]
)


class DriftState(NamedTuple):
    """All that a family of one-vs-rest learners knows, in arrays that kernels change in place."""

    weights: NDArray[np.uint64]  # (learners, words)
    example: NDArray[np.uint64]  # (words,): the example at hand
    votes: NDArray[np.uint64]  # (learners, words, levels, 2): SUM and WAITING of each level; none on line
    progress: NDArray[np.int64]  # (learners, 5): OPENED, CALLED, TO_FLIP, CONFIDENCE, POSITIVE
    counts: NDArray[np.int64]  # (1 + learners, 2): trials and wrong labels; then each learner's updates and mistakes
    seeds: NDArray[np.uint64]  # (learners,): of the draws of step D4
    parameters: NDArray[np.void]  # one record of DRIFT_PARAMETERS


OPENED = 0  # epochs opened by a misclassified example
CALLED = 1  # examples of the open batch so far; 0: none is open
TO_FLIP = 2  # how many weights the open batch will flip
CONFIDENCE = 3  # the paper's T
POSITIVE = 4  # positive examples of the open batch so far
N_PROGRESS = 5

SUM = 0  # of votes: bits worth 2^p
WAITING = 1  # more of them, to be added to the sum together with the next ones


@jit_uncounted
def draw(seed: Any, t: Any, size: int) -> int:
    """Return draw number t of a stream: 0 ... size - 1, each with probability 1/size up to 2^-32.

    It depends on nothing else, so that neither chunks nor a pickle in between change the draws that follow.
    """
    bits = scramble((int(seed) + int(np.uint64(t)) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF)
    return int(np.int64((np.uint64(bits >> 32) * np.uint64(size)) >> np.uint64(32)))


# --- an example as bits -----------------------------------------------------------------------------------------------


@jit_uncounted
def valid_bits(n_features: int, v: int) -> Any:
    """Return the bits of word v that belong to attributes."""
    width = (n_features + 63) // 64
    left = n_features - 64 * (v % width)
    return ALL if left >= 64 else (ONE << np.uint64(left)) - ONE


@jit_uncounted
def set_bits(example: NDArray[np.uint64], row: Row) -> None:
    """Make the active attributes of a row +1. Unsigned indices spare numba Python's a[-1]."""
    for p in range(np.uint64(row.start), np.uint64(row.stop)):
        j = np.uint64(row.indices[p])
        example[j >> np.uint64(6)] |= np.uint64(value(row.data, p, row.binarize) > 0.0) << (j & np.uint64(63))


@jit_uncounted
def complete(example: NDArray[np.uint64], parameters: Any) -> None:
    """Fill in the complements, if there are any, of the attributes in the first block."""
    if parameters["negations"]:
        width = example.size // 2
        for v in range(width):
            example[width + v] = ~example[v] & valid_bits(parameters["n_features"], v)


@jit_uncounted
def load(
    example: NDArray[np.uint64], parameters: Any, words: NDArray[np.uint64] | None, rows: Rows | None, r: int
) -> None:
    """Put row r, of a table of bits or of a sparse one, into `example`."""
    if words is not None:
        for v in range(words.shape[1]):
            example[v] = words[r, v]
    if rows is not None:
        example[:] = np.uint64(0)
        set_bits(example, Row(rows.data, rows.indices, rows.indptr[r], rows.indptr[r + 1], rows.binarize))
    complete(example, parameters)


# --- one trial --------------------------------------------------------------------------------------------------------


@jit_uncounted
def n_weights(parameters: Any) -> int:
    """Return the paper's n."""
    return parameters["n_features"] * (2 if parameters["negations"] else 1)


@jit_uncounted
def product(weights: NDArray[np.uint64], k: int, example: NDArray[np.uint64], n: int) -> int:
    """Return <w, u> of learner k."""
    differing = 0
    for v in range(example.size):
        differing += popcount(weights[k, v] ^ example[v])
    return n - 2 * differing


@jit_uncounted
def differing_bits(state: DriftState, k: int, y: bool, v: int) -> Any:
    """Return the bits of word v in which learner k differs from the example, or from its mirror image -u if negative.

    These are the paper's indicators I_k, and its set J.
    """
    bits = state.weights[k, v] ^ state.example[v]
    return bits if y else ~bits & valid_bits(state.parameters[0]["n_features"], v)


@jit_uncounted
def decision(inner: int) -> float:
    """Return <w, u>, but a positive number on a tie, which predicts 1."""
    return SMALLEST if inner == 0 else float(inner)


@jit_uncounted
def has_ended(progress: NDArray[np.int64], parameters: Any, k: int) -> bool:
    """Return whether the run of consistent examples is long enough; a valid stop grows with the hypotheses tried."""
    confidence = progress[k, CONFIDENCE]
    if confidence < parameters["stop"] or parameters["rate"] == 0.0:
        return confidence >= parameters["stop"]
    tried = 1.0 + progress[k, OPENED]
    return confidence * parameters["rate"] >= np.log(tried * (tried + 1.0) / parameters["delta"])


@jit_uncounted
def asks_update(progress: NDArray[np.int64], parameters: Any, k: int, right: bool) -> bool:
    """Step D3: count a consistent example unless a batch is open or learning has ended; return whether D4 follows."""
    if has_ended(progress, parameters, k):
        return False
    if right and progress[k, CALLED] == 0:
        progress[k, CONFIDENCE] += 1
        return False
    return True


@jit
def update(state: DriftState, k: int, inner: int, y: bool) -> None:
    """Step D4, begun by a misclassified example whose product with the weights is `inner`, or one more of its batch."""
    parameters = state.parameters[0]
    if state.progress[k, CALLED] == 0:
        state.progress[k, OPENED] += 1
        state.progress[k, CONFIDENCE] = 0
        signed = inner if y else -inner  # the paper's Y
        if parameters["flip"] == FlipRule.RANDOM:
            flip_random(state, k, y, (n_weights(parameters) - signed) // 2)
            return
        # floor((1 - Y)/2) is 1 or more for the paper's Y < 0; a negative example may have Y = 0
        state.progress[k, TO_FLIP] = max(1, (1 - signed) // 2) if parameters["flip"] == FlipRule.NEEDED else 1
    vote(state, k, y)


@jit_uncounted
def flip_random(state: DriftState, k: int, y: bool, size: int) -> None:
    """Step D4: flip one of the `size` weights that differ from the example."""
    left = draw(state.seeds[k], state.counts[1 + k, 0], size)
    state.counts[1 + k, 0] += 1
    for v in range(state.example.size):
        bits = differing_bits(state, k, y, v)
        here = popcount(bits)
        if left < here:
            for _ in range(left):
                bits &= bits - ONE
            state.weights[k, v] ^= bits & (~bits + ONE)
            return
        left -= here


# --- a batch ----------------------------------------------------------------------------------------------------------


@jit
def vote(state: DriftState, k: int, y: bool) -> None:
    """Count the votes of the example at hand, and end the batch if it was the last.

    A full adder takes three words, SUM, WAITING and the new one, to a new SUM and a carry to the next level. Level p is
    reached by one example in 2^p, the same for all words: about one addition per word and example.
    """
    votes, called = state.votes, state.progress[k, CALLED]
    for v in range(state.example.size):
        bits = differing_bits(state, k, y, v)
        p = 0
        while (called >> p) & 1:
            old, waiting = votes[k, v, p, SUM], votes[k, v, p, WAITING]
            votes[k, v, p, SUM] = old ^ waiting ^ bits
            votes[k, v, p, WAITING] = np.uint64(0)
            bits = (old & waiting) | (bits & (old ^ waiting))
            p += 1
        votes[k, v, p, WAITING] = bits
    state.progress[k, CALLED] = called + 1
    state.progress[k, POSITIVE] += y
    if called + 1 == state.parameters[0]["batch"]:
        end_batch(state, k)


@jit
def end_batch(state: DriftState, k: int) -> None:
    """Steps D4' and D4'': flip the weights that the votes are for; ties go to the lowest index."""
    parameters = state.parameters[0]
    votes = tally(state, k)
    if parameters["flip"] == FlipRule.MAJORITY:
        for j in range(votes.size):
            if 2 * votes[j] > parameters["batch"]:
                flip(state, k, j)
    else:
        flip_heaviest(state, k, votes, state.progress[k, TO_FLIP])
    state.votes[k] = np.uint64(0)
    state.progress[k, CALLED] = state.progress[k, POSITIVE] = 0
    state.counts[1 + k, 0] += 1


@jit
def flip_heaviest(state: DriftState, k: int, votes: NDArray[np.int64], left: int) -> None:
    """Change the signs of so many weights: those with the most votes, and the first of those with equally many."""
    n_with = np.zeros(votes.max() + 1, dtype=np.int64)
    for j in range(votes.size):
        n_with[votes[j]] += 1
    least = n_with.size - 1
    while least > 0 and n_with[least] <= left:
        left -= n_with[least]
        least -= 1
    for j in range(votes.size):
        if votes[j] > least:
            flip(state, k, j)
        elif votes[j] == least and left > 0:
            left -= 1
            flip(state, k, j)


@jit_uncounted
def place(parameters: Any, j: int) -> tuple[int, Any]:
    """Return word and bit of weight j."""
    n_features = parameters["n_features"]
    i = j % n_features
    return (j // n_features) * ((n_features + 63) // 64) + i // 64, np.uint64(i % 64)


@jit
def tally(state: DriftState, k: int) -> NDArray[np.int64]:
    """Return the votes b_j for each weight."""
    parameters = state.parameters[0]
    votes = np.zeros(n_weights(parameters), dtype=np.int64)
    for j in range(votes.size):
        v, bit = place(parameters, j)
        for p in range(state.votes.shape[2]):
            for part in (SUM, WAITING):
                votes[j] += np.int64((state.votes[k, v, p, part] >> bit) & ONE) << p
    return votes


@jit_uncounted
def flip(state: DriftState, k: int, j: int) -> None:
    """Change the sign of weight j."""
    v, bit = place(state.parameters[0], j)
    state.weights[k, v] ^= ONE << bit


# --- many trials ------------------------------------------------------------------------------------------------------


@jit
def learn(
    state: DriftState,
    words: NDArray[np.uint64] | None,
    rows: Rows | None,
    labels: NDArray[np.int64],
    order: NDArray[np.int64],
    frozen: NDArray[np.bool_],
    predicted: NDArray[np.int64],
) -> None:
    """Perform one trial per row, in the given order, and fill in the labels predicted before each update.

    The fields of the state are taken out once: numba would count references to them at every row, three times the work.
    """
    weights, example, _, progress, counts, _, parameters = state
    n_learners, n = weights.shape[0], n_weights(parameters[0])
    decisions = np.empty((1, n_learners))
    for i in range(order.size):
        r = order[i]
        load(example, parameters[0], words, rows, r)
        for k in range(n_learners):
            y = labels[r] == positive_class(k, n_learners)
            inner = product(weights, k, example, n)
            right = (inner >= 0) == y
            decisions[0, k] = decision(inner)
            counts[1 + k, 1] += not right
            if not frozen[k] and asks_update(progress, parameters[0], k, right):
                update(state, k, inner, y)
        predicted[i] = choose(decisions, 0)
        counts[0, 1] += predicted[i] != labels[r]
    counts[0, 0] += order.size


@jit
def decide(
    state: DriftState, words: NDArray[np.uint64] | None, rows: Rows | None, first: int, decisions: NDArray[np.float64]
) -> None:
    """Fill in the decisions of all learners on the rows from `first` on; threads may share the state."""
    weights, parameters = state.weights, state.parameters
    example = np.empty_like(state.example)
    n = n_weights(parameters[0])
    for i in range(decisions.shape[0]):
        load(example, parameters[0], words, rows, first + i)
        for k in range(decisions.shape[1]):
            decisions[i, k] = decision(product(weights, k, example, n))


@jit
def trial_active(
    weights: NDArray[np.uint64],
    example: NDArray[np.uint64],
    votes: NDArray[np.uint64],
    progress: NDArray[np.int64],
    counts: NDArray[np.int64],
    seeds: NDArray[np.uint64],
    parameters: NDArray[np.void],
    indices: NDArray[Any],
    label: int,
) -> int:
    """Perform one trial on the active attributes alone; repeated ones set the same bit. -2: one is out of range.

    The fields of DriftState come one by one: unpacking a tuple would double the cost of a call.
    """
    n_features = parameters[0]["n_features"]
    for i in indices:
        if i < 0 or i >= n_features:
            return -2
    words = np.zeros((1, (n_features + 63) // 64), dtype=np.uint64)
    set_bits(words[0], Row(None, indices, 0, indices.size, 0.0))
    state = DriftState(weights, example, votes, progress, counts, seeds, parameters)
    n_learners = weights.shape[0]
    if label == PREDICT_ONLY:
        decisions = np.empty((1, n_learners))
        decide(state, words, None, 0, decisions)
        return choose(decisions, 0)
    predicted = np.empty(1, dtype=np.int64)
    frozen = np.zeros(n_learners, dtype=np.bool_)
    learn(state, words, None, np.full(1, label), np.zeros(1, dtype=np.int64), frozen, predicted)
    return predicted[0]
