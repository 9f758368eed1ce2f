"""Markov chains on the terms that an example satisfies, with stationary distribution alpha^net / W.

Tao & Scott (2004), section 4. A state is a set of attributes. Of every mistake we count the chosen attributes that it
lacks (its *violations*); it weighs in the state's net while it has none. The counters are bit-sliced: word w of plane b
holds bit b of the counters of 64 mistakes, so that one instruction serves 64 of them; a mistake with a net of several
units has a bit for each binary digit of it. What choosing an attribute would cost are the mistakes without violation
that lack it, and what dropping it would give back are those of which it is the only violation.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from winnowkit.core.bits import MAX_BITS, bit_length, popcount
from winnowkit.core.jit import jit, jit_in_place, jit_uncounted
from winnowkit.core.random_streams import Streams, below, bits, uniform
from winnowkit.dnf.kernels.problem import Floats, Ints

U = np.uint64
Flags: TypeAlias = npt.NDArray[np.uint8]

WORD = 64


class Sampler(IntEnum):
    """Ways in which a chain moves."""

    METROPOLIS = 0  # Table II
    GIBBS = 1  # Table III
    METROPOLIZED_GIBBS = 2  # section 4.3, held back now and then
    METROPOLIZED_GIBBS_PRINTED = 3  # section 4.3 as printed, which need not mix


class SlicedMistakes(NamedTuple):
    """Mistakes by attribute: bit s of ``lacks[i]`` says that mistake s lacks attribute i; each word has one weight.

    `net` is the net of the empty term, and no term's is further than `reach` from 0.
    """

    lacks: Ints
    weights: Ints
    net: int
    reach: int


class Chains(NamedTuple):
    """States of chains: attributes chosen, counters, mistakes without and with one violation, net, randomness."""

    chosen: Flags
    planes: Ints
    zero: Ints
    one: Ints
    carry: Ints
    net: Ints
    streams: Streams


def make_chains(n_chains: int, n_attributes: int, n_words: int) -> Chains:
    """Allocate memory for chains; :func:`start` gives them a state."""
    return Chains(
        chosen=np.empty((n_chains, n_attributes), dtype=np.uint8),
        planes=np.empty((n_chains, int(n_attributes).bit_length(), n_words), dtype=np.int64),
        zero=np.empty((n_chains, n_words), dtype=np.int64),
        one=np.empty((n_chains, n_words), dtype=np.int64),
        carry=np.empty((n_chains, n_words), dtype=np.int64),
        net=np.empty(n_chains, dtype=np.int64),
        streams=np.empty((n_chains, 4), dtype=np.uint64),
    )


@jit
def pack_problem(sets: Ints, nets: Ints, shape: tuple[int, int, int]) -> SlicedMistakes:
    """Slice the sets of an agreement, `shape` its live, dead and free attributes, in this order.

    Free attributes are in every set: no mistake lacks them. Dead ones are in none.
    """
    live, dead, free = shape
    digits, total, reach = 0, 0, 0
    for net in nets:
        digits = max(digits, bit_length(abs(net)))
        total += net
        reach += abs(net)
    n_words = 0
    for digit in range(digits):
        for sign in (1, -1):
            size = 0
            for net in nets:
                size += (net * sign > 0) and (abs(net) >> digit) & 1
            n_words += (size + WORD - 1) // WORD
    lacks = np.zeros((live + dead + free, n_words), dtype=np.int64)
    weights = np.zeros(n_words, dtype=np.int64)
    w = -1
    for digit in range(digits):
        for sign in (1, -1):
            place = WORD
            for s in range(nets.size):
                if nets[s] * sign <= 0 or not (abs(nets[s]) >> digit) & 1:
                    continue
                if place == WORD:
                    place, w = 0, w + 1
                    weights[w] = sign << digit
                for i in range(live):
                    lacks[i, w] |= (1 - ((sets[s, i // MAX_BITS] >> (i % MAX_BITS)) & 1)) << place
                for i in range(live, live + dead):
                    lacks[i, w] |= 1 << place
                place += 1
    return SlicedMistakes(lacks, weights, total, reach)


@jit_uncounted
def fill_accept(accept: Floats, rate: float, sampler: int, n_attributes: int) -> None:
    """Fill in the probability of flipping an attribute by the change of net that it makes, change 0 in the middle.

    `rate` is the logarithm of the chain's alpha. Metropolis proposals are held back with probability 1/n (Table II),
    and so are those of our Metropolised Gibbs sampler. The paper's are not: in a fixed order, ratios of 1 always flip,
    so that a chain may be periodic, or never reach some terms.
    """
    middle = accept.size // 2
    factor, power = math.exp(-rate), 1.0
    moving = 1.0 if sampler == Sampler.METROPOLIZED_GIBBS_PRINTED else 1.0 - 1.0 / max(n_attributes, 2)
    for change in range(middle + 1):
        if sampler == Sampler.GIBBS:
            accept[middle + change] = 1.0 / (1.0 + power)
            accept[middle - change] = power / (1.0 + power)
        else:
            accept[middle + change] = moving
            accept[middle - change] = moving * power
        power *= factor


@jit_in_place
def gain(problem: SlicedMistakes, chains: Chains, c: int, i: int) -> int:
    """Compute the change of chain c's net if attribute i were flipped."""
    total = 0
    if chains.chosen[c, i]:
        for w in range(problem.weights.size):
            total += problem.weights[U(w)] * popcount(chains.one[c, U(w)] & problem.lacks[i, U(w)])
        return total
    for w in range(problem.weights.size):
        total -= problem.weights[U(w)] * popcount(chains.zero[c, U(w)] & problem.lacks[i, U(w)])
    return total


@jit_in_place
def flip(problem: SlicedMistakes, chains: Chains, c: int, i: int, change: int) -> None:
    """Flip attribute i of chain c: add its violations to the counters, or subtract them."""
    n_words = problem.weights.size
    subtract = -np.int64(chains.chosen[c, i])  # all ones, or 0
    for w in range(n_words):
        plane, carry = chains.planes[c, 0, U(w)], problem.lacks[i, U(w)]
        chains.planes[c, 0, U(w)] = chains.one[c, U(w)] = plane ^ carry
        chains.carry[c, U(w)] = carry & (plane ^ subtract)
        chains.zero[c, U(w)] = 0
    for b in range(1, chains.planes.shape[1]):
        for w in range(n_words):
            plane, carry = chains.planes[c, U(b), U(w)], chains.carry[c, U(w)]
            chains.planes[c, U(b), U(w)] = after = plane ^ carry
            chains.carry[c, U(w)] = carry & (plane ^ subtract)
            chains.zero[c, U(w)] |= after
    for w in range(n_words):
        low, high = chains.one[c, U(w)], chains.zero[c, U(w)]
        chains.zero[c, U(w)] = ~(low | high)
        chains.one[c, U(w)] = low & ~high
    chains.chosen[c, i] ^= 1
    chains.net[c] += change


@jit_in_place
def update(problem: SlicedMistakes, chains: Chains, c: int, i: int, accept: Floats) -> int:
    """Flip attribute i of chain c with the probability that `accept` has for it; whether it was."""
    change = gain(problem, chains, c, i)
    if uniform(chains.streams, c) < accept[accept.size // 2 + change]:
        flip(problem, chains, c, i, change)
        return 1
    return 0


@jit_in_place
def advance(problem: SlicedMistakes, chains: Chains, c: int, accept: Floats, sampler: int) -> int:
    """Move chain c to its next sample: one update of a random attribute, or a sweep over all; how many flips."""
    n = chains.chosen.shape[1]
    if sampler == Sampler.METROPOLIS:
        return update(problem, chains, c, below(chains.streams, c, n), accept)
    flips = 0
    for i in range(n):
        flips += update(problem, chains, c, i, accept)
    return flips


@jit_in_place
def clear(problem: SlicedMistakes, chains: Chains, c: int) -> None:
    """Put chain c into the state of the empty term, which every mistake satisfies."""
    for i in range(chains.chosen.shape[1]):
        chains.chosen[c, i] = 0
    for w in range(problem.weights.size):
        for b in range(chains.planes.shape[1]):
            chains.planes[c, b, w] = 0
        chains.zero[c, w] = -1
        chains.one[c, w] = 0
    chains.net[c] = problem.net


@jit_uncounted
def put(problem: SlicedMistakes, chains: Chains, c: int, state: Flags) -> None:
    """Put chain c into `state`."""
    clear(problem, chains, c)
    for i in range(state.size):
        if state[i]:
            flip(problem, chains, c, i, gain(problem, chains, c, i))


@jit_in_place
def start(problem: SlicedMistakes, chains: Chains, c: int) -> None:
    """Put chain c into a state chosen uniformly, by its own stream: a sample of the chain of alpha = 1."""
    clear(problem, chains, c)
    word = U(0)
    for i in range(chains.chosen.shape[1]):
        if i % WORD == 0:
            word = bits(chains.streams, c)
        if (word >> U(i % WORD)) & U(1):
            flip(problem, chains, c, i, gain(problem, chains, c, i))
