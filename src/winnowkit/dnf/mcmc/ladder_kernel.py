"""Ladders of chains: one per rung, each rung's alpha a little above the last one's, run one by one or in lock-step.

Tao & Scott (2004): section 3.1 (the ratios), Table I (stopping early), Table IV (parallel tempering). Rung i of r has
rate (logarithm of its alpha) ``step * (i - 1)``; rung 1 needs no chain. A chain's mean X of ``f = e^(-step net)``
estimates the ratio of the rung below's sum to its own.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from winnowkit.core.bits import popcount
from winnowkit.core.jit import jit_in_place, jit_uncounted
from winnowkit.core.random_streams import Streams, below, uniform
from winnowkit.dnf.kernels.problem import Floats, Ints
from winnowkit.dnf.mcmc.chains import Chains, SlicedMistakes, U, advance, fill_accept, start


class Plan(NamedTuple):
    """The plan of a ladder: sampler, distance of rungs, moves before sampling, samples, and the swap probability.

    Moves and samples are updates for Metropolis, sweeps for the others. With `restart`, every sample is drawn by a run
    of its own from a fresh state. A lock-step `group` of rungs swaps states with probability `tempering`.
    """

    sampler: int
    step: float
    burn_in: int
    samples: int
    restart: bool
    group: int
    tempering: float


class Walk(NamedTuple):
    """Table I: the guessed label, the log of C or D, what each rung adds to it besides -log X, and log theta."""

    guess: int
    log_sum: float
    per_rung: float
    log_theta: float


class Record(NamedTuple):
    """Results of rungs, rung 2 first: means of f, the same by blocks of samples, flips, swaps; and their seeds."""

    means: Floats
    blocks: Floats
    flips: Ints
    swaps: Ints
    swaps_tried: Ints
    streams: Streams


NO_GUESS = -1
_FEWEST = 4  # values from which a correlation can be told at all


@jit_uncounted
def stops(walk: Walk, log_sum: float) -> bool:
    """Tell whether `log_sum`, with bounds for the rungs not run, is already on the guessed side of theta: Table I."""
    if walk.guess == 1:
        return log_sum >= walk.log_theta
    return walk.guess == 0 and log_sum < walk.log_theta


@jit_uncounted
def climb(
    problem: SlicedMistakes,
    chains: Chains,
    plan: Plan,
    walk: Walk,
    record: Record,
    part: tuple[int, int],
    room: tuple[Floats, Ints],
) -> int:
    """Run the rungs of `part`, from its last to its first if the guess is 1, until the side of theta is known.

    In `room` are the probabilities of flips, a row for each rung of a group, and which chain has the state of a rung.
    Returns how many were run. Theorem 6: from the top for a guess of 1, from the bottom for 0, no order needs fewer.
    """
    accept, at = room
    first, last = part
    log_sum, run = walk.log_sum, 0
    while run < last - first:
        size = min(plan.group, last - first - run)
        low = last - run - size if walk.guess == 1 else first + run
        for g in range(size):
            fill_accept(accept[g], plan.step * (low + g + 1), plan.sampler, chains.chosen.shape[1])
            for word in range(chains.streams.shape[1]):
                chains.streams[g, word] = record.streams[low + g, word]
        sample_group(problem, chains, plan, accept, at[:size], record, low)
        for rung in range(low, low + size):
            log_sum += walk.per_rung - math.log(record.means[rung])
        run += size
        if stops(walk, log_sum):
            break
    return run


@jit_in_place
def sample_group(
    problem: SlicedMistakes, chains: Chains, plan: Plan, accept: Floats, at: Ints, record: Record, low: int
) -> None:
    """Run the chains of neighbouring rungs, from `low` on, in lock-step; chain ``at[g]`` has the state of rung g."""
    blocks, done, fresh = record.blocks.shape[1], 0, True
    for g in range(at.size):
        for counter in (record.flips, record.swaps, record.swaps_tried):
            counter[low + g] = 0
        record.means[low + g] = 0.0
    for b in range(blocks):
        end = (b + 1) * plan.samples // blocks
        for g in range(at.size):
            record.blocks[low + g, b] = 0.0
        for _ in range(end - done):
            moves = 0 if plan.restart else 1
            if fresh:
                for g in range(at.size):
                    at[g] = g
                    start(problem, chains, g)
                moves += plan.burn_in
            fresh = plan.restart
            for _ in range(moves):
                tick(problem, chains, plan, accept, at, record, low)
            for g in range(at.size):
                record.blocks[low + g, b] += math.exp(-plan.step * chains.net[at[g]])
        for g in range(at.size):
            record.means[low + g] += record.blocks[low + g, b] / plan.samples
            record.blocks[low + g, b] /= end - done
        done = end


@jit_in_place
def tick(
    problem: SlicedMistakes, chains: Chains, plan: Plan, accept: Floats, at: Ints, record: Record, low: int
) -> None:
    """Table IV, lines 2 and 3: perhaps swap the states of two neighbours, then move every chain once."""
    if at.size > 1 and uniform(chains.streams, 0) < plan.tempering:
        g = below(chains.streams, 0, at.size - 1)
        record.swaps_tried[low + g] += 1
        if uniform(chains.streams, 0) < math.exp(plan.step * (chains.net[at[g]] - chains.net[at[g + 1]])):
            at[g], at[g + 1] = at[g + 1], at[g]
            record.swaps[low + g] += 1
    for g in range(at.size):
        record.flips[low + g] += advance(problem, chains, at[g], accept[g], plan.sampler)


@jit_uncounted
def net_bounds(problem: SlicedMistakes) -> tuple[int, int]:
    """Bound the nets of all terms from below and above, from those of at most one attribute and of what pairs share.

    A term of two attributes or more weighs in no mistake that lacks two of its attributes: its net is at most what the
    promotions that have both amount to, and at least minus the demotions that have both.
    """
    n, low, high = problem.lacks.shape[0], problem.net, problem.net
    for i in range(n):
        for j in range(i, n):
            promoted = demoted = 0
            for w in range(problem.weights.size):
                missing = popcount(problem.lacks[i, U(w)] | problem.lacks[j, U(w)])
                if problem.weights[w] > 0:
                    promoted -= problem.weights[w] * missing
                else:
                    demoted -= problem.weights[w] * missing
            promoted += (problem.reach + problem.net) // 2
            demoted -= (problem.reach - problem.net) // 2
            if i == j:  # the net of one attribute is known
                promoted = demoted = promoted + demoted
            low, high = min(low, demoted), max(high, promoted)
    return low, high


@jit_uncounted
def variance_of_mean(series: Floats) -> tuple[float, float]:
    """Compute the variance of the mean of a stationary series, and the effective number of its values.

    Geyer's (1992) initial monotone sequence: autocovariances are summed in pairs while these are positive, each pair
    cut to the one before. Never below what independent values would give.
    """
    n = series.size
    mean = 0.0
    for value in series:
        mean += value / n
    spread = 0.0
    for value in series:
        spread += (value - mean) ** 2 / n
    if spread == 0.0 or n < _FEWEST:
        return spread / max(n - 1, 1), float(n)
    total, before = -spread, math.inf
    for lag in range(0, n - 1, 2):
        pair = 0.0
        for k in (lag, lag + 1):
            for t in range(n - k):
                pair += (series[t] - mean) * (series[t + k] - mean) / n
        if pair <= 0.0:
            break
        before = min(pair, before)
        total += 2.0 * before
    total = max(total, spread)
    return total / (n - 1), n * spread / total
