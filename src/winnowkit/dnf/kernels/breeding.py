"""Sums over all subsets of attributes, from populations of subsets that grow by one attribute at a time.

All members of a *population* have the same size. Each is weighed with every attribute that could join it; which members
go on, and which attribute joins them, is then drawn from all of these children in proportion to their *appeal*, a
function of the net alone. A member stands for ``1 / appeal`` subsets, so the children that were weighed give an
unbiased count of how many subsets of the next size have each net, and from it the sum of that size (each subset has as
many parents as attributes).

The appeal of a net is the sum of ``alpha^(t net) / Z(t)``, over a few t from 0 to 1, where Z(t) is the sum of
``alpha^(t net)`` over the subsets of that size, by the same count. So at every size some of the members are typical
(t = 0), some of the heaviest (t = 1), and some between: light ones too, as heavy terms may grow from them. An appeal
that depends on the parents leaves the count unbiased, as it does not depend on what is drawn by it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from winnowkit.core.bits import popcount
from winnowkit.core.jit import jit_uncounted
from winnowkit.core.random_streams import Streams, uniform
from winnowkit.dnf.kernels.problem import Floats, Ints, U
from winnowkit.dnf.kernels.soft_terms import sum_of
from winnowkit.dnf.mcmc.chains import Flags, SlicedMistakes

_WIDEST = 340.0  # largest distance of the logarithm of an appeal from 0: floats hold products of two


class Members(NamedTuple):
    """Subsets of one size: which attributes they have, which mistakes contain them (64 per word), and their nets."""

    chosen: Flags
    inside: Ints
    net: Ints


class PopulationRoom(NamedTuple):
    """Memory of a population: its members, their parents, the nets of their children; counts and appeals by net.

    `share` says how many subsets a member stands for and then how many of the next members it gets, `appeals` how much
    its children appeal. `lacking` is ``SlicedMistakes.lacks`` by mistakes, 64 of them at a time, and then by attribute;
    `some` are the mistakes that lack any: the others contain all subsets, and need no bit. `log_sums` are those of one
    size by rate.
    """

    members: Members
    parents: Members
    nets: npt.NDArray[np.int32]
    share: Floats
    appeals: Floats
    tally: Floats
    appeal: Floats
    lacking: Ints
    some: Ints
    log_sums: Floats


def make_room(problem: SlicedMistakes, size: int, n_rates: int) -> PopulationRoom:
    """Allocate memory for a population of `size` members whose appeals are sums over `n_rates`."""
    n, n_words = problem.lacks.shape
    levels = 2 * problem.reach + 1

    def members() -> Members:
        return Members(
            np.zeros((size, n), dtype=np.uint8),
            np.zeros((size, n_words), dtype=np.int64),
            np.zeros(size, dtype=np.int64),
        )

    return PopulationRoom(
        members(),
        members(),
        nets=np.zeros((size, n), dtype=np.int32),
        share=np.zeros(size),
        appeals=np.zeros(size),
        tally=np.zeros(levels),
        appeal=np.zeros(levels),
        lacking=np.ascontiguousarray(problem.lacks.T),
        some=np.bitwise_or.reduce(problem.lacks, axis=0),
        log_sums=np.zeros(n_rates),
    )


@jit_uncounted
def log_add(a: float, b: float) -> float:
    """Compute the logarithm of the sum of the numbers whose logarithms are `a` and `b`."""
    high, low = max(a, b), min(a, b)
    return high + math.log1p(math.exp(low - high)) if high > -np.inf else high


@jit_uncounted
def weigh_children(problem: SlicedMistakes, room: PopulationRoom, i: int) -> bool:
    """Find the nets of member `i` with each attribute; whether they differ."""
    nets, inside = room.nets[i], room.members.inside[i]
    nets[:] = room.members.net[i]
    found = False
    for w in range(inside.size):
        if inside[U(w)] == 0:
            continue
        found, weight, lacking = True, np.int32(problem.weights[U(w)]), room.lacking[w]
        for j in range(nets.size):
            nets[U(j)] -= weight * np.int32(popcount(inside[U(w)] & lacking[U(j)]))
    return found


@jit_uncounted
def count_children(room: PopulationRoom, middle: int) -> tuple[int, int]:
    """Count the children by net, each for as many subsets as its parent stands for; the least and greatest net."""
    members, nets, count = room.members, room.nets, room.tally
    low, high = middle, -middle
    for i in range(nets.shape[0]):
        for j in range(nets.shape[1]):
            if not members.chosen[U(i), U(j)]:
                low, high = min(low, nets[U(i), U(j)]), max(high, nets[U(i), U(j)])
    count[low + middle : high + middle + 1] = 0.0
    for i in range(nets.shape[0]):
        for j in range(nets.shape[1]):
            if not members.chosen[U(i), U(j)]:
                count[U(nets[U(i), U(j)] + middle)] += room.share[U(i)]
    return low, high


@jit_uncounted
def log_weigh(count: Floats, first: int, rate: float) -> float:
    """Compute the logarithm of the sum of ``exp(rate net)`` over the counts, the first net being `first`."""
    top = -np.inf
    for v in range(count.size):
        if count[v] > 0.0:
            top = max(top, math.log(count[v]) + rate * (first + v))
    total = 0.0
    for v in range(count.size):
        if count[v] > 0.0:
            total += math.exp(math.log(count[v]) + rate * (first + v) - top)
    return top + math.log(total)


@jit_uncounted
def set_appeals(appeal: Floats, first: int, rates: Floats, log_sums: Floats) -> None:
    """Fill in the appeals of the nets from `first` on, up to a factor that keeps them in the range of floats."""
    low, high = np.inf, -np.inf
    for v in range(appeal.size):
        appeal[v] = -np.inf
        for t in range(rates.size):
            appeal[v] = log_add(appeal[v], rates[t] * (first + v) - log_sums[t])
        low, high = min(low, appeal[v]), max(high, appeal[v])
    for v in range(appeal.size):
        appeal[v] = math.exp(min(max(appeal[v] - 0.5 * (low + high), -_WIDEST), _WIDEST))


@jit_uncounted
def appeal_of_children(room: PopulationRoom, i: int, middle: int) -> float:
    """All that member `i` may become."""
    total = 0.0
    for j in range(room.nets.shape[1]):
        if not room.members.chosen[U(i), U(j)]:
            total += room.appeal[U(room.nets[U(i), U(j)] + middle)]
    return total


@jit_uncounted
def draw_child(room: PopulationRoom, i: int, left: float, middle: int) -> int:
    """Attribute at which the running sum of the appeals of the children of parent `i` passes `left`."""
    last = -1
    for j in range(room.nets.shape[1]):
        if not room.parents.chosen[U(i), U(j)]:
            last = j
            left -= room.appeal[U(room.nets[U(i), U(j)] + middle)]
            if left < 0.0:
                break
    return last


@jit_uncounted
def breed(problem: SlicedMistakes, room: PopulationRoom, streams: Streams, c: int) -> None:
    """Draw the next members from the children of the present ones, which become the parents (systematic resampling)."""
    parents, members, share = room.parents, room.members, room.share
    middle, size = room.tally.size >> 1, share.size
    for i in range(size):
        for j in range(parents.chosen.shape[1]):
            parents.chosen[i, j] = members.chosen[i, j]
        for w in range(parents.inside.shape[1]):
            parents.inside[i, w] = members.inside[i, w]
    for i in range(size):
        room.appeals[i] = appeal_of_children(room, i, middle)
        share[i] *= room.appeals[i]
    step = sum_of(share, 0, size) / size
    at, running, k = step * uniform(streams, c), 0.0, 0
    for i in range(size):
        running += share[i]
        while k < size and (at < running or i == size - 1):
            j = draw_child(room, i, room.appeals[i] * uniform(streams, c), middle)
            for h in range(parents.chosen.shape[1]):
                members.chosen[k, h] = parents.chosen[i, h]
            members.chosen[k, j], members.net[k] = 1, room.nets[i, j]
            for w in range(parents.inside.shape[1]):
                members.inside[U(k), U(w)] = parents.inside[U(i), U(w)] & ~problem.lacks[U(j), U(w)]
            at += step
            k += 1


@jit_uncounted
def grow(problem: SlicedMistakes, room: PopulationRoom, rates: Floats, streams: Streams, c: int) -> float:
    """Estimate the sum without bias by one population, as a logarithm; `rates` are t log(alpha), the last for t = 1."""
    members, appeal, middle = room.members, room.appeal, room.tally.size >> 1
    size, n = room.nets.shape
    members.chosen[:], members.net[:] = 0, problem.net
    for i in range(size):
        for w in range(room.some.size):
            members.inside[i, w] = room.some[w]
    appeal[problem.net + middle] = 1.0
    log_sums, log_appeals = room.log_sums, 0.0  # of all subsets of a size, by these estimates
    total = log_sum = rates[-1] * problem.net
    for a in range(n):
        found = False
        for i in range(size):
            found |= weigh_children(problem, room, i)
            room.share[i] = 1.0 / appeal[members.net[i] + middle]
        if not found:  # no mistake that lacks an attribute contains a member: all larger subsets weigh as these do
            log_sum = log_appeals - math.log(appeal[members.net[0] + middle]) + rates[-1] * members.net[0]
            for b in range(a, n):
                log_sum += math.log((n - b) / (b + 1))
                total = log_add(total, log_sum)
            return total
        low, high = count_children(room, middle)
        count, levels = room.tally[low + middle : high + middle + 1], appeal[low + middle : high + middle + 1]
        log_unit = log_appeals - math.log(size * (a + 1))
        for t in range(rates.size):
            log_sums[t] = log_unit + log_weigh(count, low, rates[t])
        log_sum = log_sums[-1]
        total = log_add(total, log_sum)
        set_appeals(levels, low, rates, log_sums)
        appeals = 0.0
        for v in range(count.size):
            appeals += count[v] * levels[v]
        log_appeals = log_unit + math.log(appeals)
        breed(problem, room, streams, c)
    return total
