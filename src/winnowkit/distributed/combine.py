"""Combining what shards have learned from a common start, by one formula for all rules.

A rule moves each of its weights along a *natural coordinate*, in which its updates are additions. A shard tells by how
much it has moved each coordinate, and on how much *evidence*. Combined, a coordinate moves by the mean of what the
shards moved it, weighted by their evidence on it. Winnows and BEGs multiply weights or odds, so that their natural
coordinates are logarithms: of these the factors are averaged, not their logarithms.

====================  ========================================  ====================================================
rule                  natural coordinates of a weight           evidence
====================  ========================================  ====================================================
Winnows               ln w, factors averaged                    number of updates of the weight
BEGs                  log-odds, factors averaged                likewise
BEGs of a committee   log-odds                                  1 if it moved
AROW                  w and 1/S                                 gain of 1/S, the precision
coin betting          w, G, R and L                             gain of G
adaptive Winnow       arsinh(w / scale) and G                   gain of G
adaptive gradient     w and G                                   gain of G
soft terms            arsinh(w / beta)                          rows that satisfied the term
====================  ========================================  ====================================================

A shard that never updated a weight says nothing about it. A weight that any shard has eliminated, so that its logarithm
is minus infinity, is eliminated in the mean. Logistic regressions (the mix of a committee, AROW's calibration, AROW
with a whole matrix) are combined by their precision matrices; counts add up. docs/theory/mixing.md has the derivations.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.distributed.forms import (
    Floats,
    Sums,
    form_of,
    largest_of,
    mix_of,
    mix_sums,
    moves,
    take_mix,
)
from winnowkit.linear.members import MembersLearner

Learner = Any  # one of the kinds in FORMS, or MembersLearner


class Change(NamedTuple):
    """The change that one or several shards made to a common start: the weights that moved, and small arrays.

    Parameters
    ----------
    places : array of int
        Where the weights are that moved.
    moved : array of float32, shape (places, coordinates)
        By how much.
    evidence : array of float32, shape (places, coordinates or 1), or None
        How much each of these counts; None if it follows from `moved`.
    sums : dict
        Arrays that add up over shards; "shards" is their number.
    largest : tuple of arrays
        Columns whose largest value rose, and these values.
    resting : array of bool or None
        Experts at rest: they go on resting if they do in every shard.
    members : tuple of Change
        Those of the members of a committee.
    """

    places: NDArray[Any]
    moved: NDArray[np.float32]
    evidence: NDArray[np.float32] | None
    sums: Sums
    largest: tuple[NDArray[Any], Floats]
    resting: NDArray[np.bool_] | None
    members: tuple[Change, ...] = ()

    @property
    def nbytes(self) -> int:
        """The size of all arrays: what travels."""
        arrays = [self.places, self.moved, self.evidence, *self.largest, self.resting, *self.sums.values()]
        return sum(array.nbytes for array in arrays if array is not None) + sum(m.nbytes for m in self.members)


def combine(start: Learner, ends: Sequence[Learner], updates: Sequence[Any] | None = None) -> Learner:
    """Return the learner that several make together, each of which went on from `start` by itself.

    Parameters
    ----------
    start : learner
        Where all of them began.
    ends : sequence of learners
        What the shards made of it. A single one is returned as it is.
    updates : sequence of arrays, optional
        For Winnows, BEGs and soft terms: how often each shard updated each weight, in the shape of the weights. By
        default each weight that moved counts once.

    Returns
    -------
    learner
        A new learner.

    Examples
    --------
    >>> from winnowkit import Winnow2
    >>> start = Winnow2().begin(n_features=3, classes=[0, 1])
    >>> one, other = deepcopy(start), deepcopy(start)
    >>> _ = one.learn_active([0, 1], 1), other.learn_active([0, 2], 1)  # each promotes two weights
    >>> combine(start._learner, [one._learner, other._learner]).coef.round(3)
    array([[1.5, 1.5, 1.5]])
    """
    if len(ends) == 1:
        return deepcopy(ends[0])
    counted = [None] * len(ends) if updates is None else updates
    return moved(start, merge(start, [change(start, end, n) for end, n in zip(ends, counted, strict=True)]))


def change(start: Learner, end: Learner, updates: Any = None) -> Change:
    """Return what a shard has made of the start; `updates` as for :func:`combine`."""
    mix = mix_of(end)
    sums = {"shards": np.ones(1)}
    if hasattr(start, "counts"):
        sums["counts"] = end.counts - start.counts
    if isinstance(start, MembersLearner):
        members = tuple(change(a, b) for a, b in zip(start.members, end.members, strict=True))
        sums |= mix_sums(start.mix, end.mix)
        return Change(np.arange(0), np.zeros((0, 1), np.float32), None, sums, _NOWHERE, end.mix.resting, members)
    form = form_of(start)
    before, after = form.raw(start), form.raw(end)
    counted = None if updates is None else np.asarray(updates).reshape(-1, 1)
    places = np.flatnonzero((before != after).any(axis=1) if counted is None else counted[:, 0])
    steps = moves(form.natural(start, before[places]), form.natural(start, after[places]))
    evidence = None if counted is None else counted[places].astype(np.float32)
    short = places.astype(np.uint32) if len(before) < 2**32 else places
    resting = None if mix is None else mix.resting
    return Change(short, steps.astype(np.float32), evidence, sums | form.sums(start, end), _risen(start, end), resting)


def merge(start: Learner, changes: Sequence[Change]) -> Change:
    """Combine changes from the same start into one that stands for all of them; `start` may be of other weights."""
    if changes[0].members:
        of_members = zip(start.members, *(one.members for one in changes), strict=True)
        members = tuple(merge(member, parts) for member, *parts in of_members)
    else:
        members = ()
    weighed = [_weighed(start, one) for one in changes]
    places, position = np.unique(np.concatenate([one.places for one in changes]), return_inverse=True)
    width = changes[0].moved.shape[1]
    where = np.split(position, np.cumsum([len(one.places) for one in changes])[:-1])  # those of one shard differ
    total, evidence = np.zeros((len(places), width)), np.zeros((len(places), width))
    factors = not members and form_of(start).multiplies
    highest = _highest_steps(changes, where, total.shape) if factors else total
    for one, weights, here in zip(changes, weighed, where, strict=True):
        steps = _factors(one.moved - highest[here]) if factors else one.moved
        total[here] += np.where(weights > 0.0, weights * steps, 0.0)
        evidence[here] += weights
    mean = total / np.where(evidence > 0.0, evidence, 1.0)
    mean = highest + _logarithms(mean) if factors else mean
    sums = {name: reduce(np.add, [one.sums[name] for one in changes]) for name in changes[0].sums}
    all_resting = [one.resting for one in changes if one.resting is not None]
    resting = np.logical_and.reduce(all_resting) if all_resting else None
    largest = _highest([one.largest for one in changes])
    return Change(places, mean.astype(np.float32), evidence.astype(np.float32), sums, largest, resting, members)


def moved(start: Learner, change: Change) -> Learner:
    """Return the learner that a change, of all shards, makes of the start."""
    learner = deepcopy(start)
    if isinstance(start, MembersLearner):
        learner.members = [moved(*pair) for pair in zip(start.members, change.members, strict=True)]
        take_mix(learner.mix, change.sums)
    else:
        form, places = form_of(start), change.places.astype(np.int64)
        natural = form.natural(start, form.raw(start)[places])
        form.write(learner, natural + change.moved, places)
        form.take(learner, change.sums)
        if (largest := largest_of(learner)) is not None:
            largest[change.largest[0]] = change.largest[1]
    if change.resting is not None:
        learner.mix.resting[:] = change.resting
    if "counts" in change.sums:
        learner.counts[:] += change.sums["counts"]
    return learner


def without_evidence(change: Change) -> Change:
    """Return what :func:`moved` needs of a change: that of all shards is merged with no other."""
    return change._replace(evidence=None, members=tuple(map(without_evidence, change.members)))


_NOWHERE = (np.arange(0), np.zeros(0))


def _highest_steps(changes: Sequence[Change], where: list[NDArray[Any]], shape: tuple[int, ...]) -> Floats:
    """Return the highest move of each coordinate, so that no factor overflows, and not all of them vanish."""
    highest = np.full(shape, -np.inf)
    for one, here in zip(changes, where, strict=True):
        highest[here] = np.maximum(highest[here], one.moved)
    highest[np.isneginf(highest)] = 0.0
    return highest


def _factors(logarithms: Floats) -> Floats:
    """Return factors by their logarithms, and minus infinity in place of 0: what one shard eliminates stays so."""
    found: Floats = np.where(np.isneginf(logarithms), -np.inf, np.exp(logarithms))
    return found


def _logarithms(factors: Floats) -> Floats:
    """Return the logarithms of means of factors, minus infinity where one of them eliminates."""
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(factors, 0.0))


def _weighed(start: Learner, change: Change) -> Floats:
    """Return the evidence of a change, of shape (places, coordinates)."""
    if change.evidence is None and not change.members:
        return form_of(start).evidence(change.moved.astype(np.float64))
    given = np.zeros((0, 1)) if change.evidence is None else change.evidence.astype(np.float64)
    return np.broadcast_to(given, change.moved.shape)


def _risen(start: Learner, end: Learner) -> tuple[NDArray[Any], Floats]:
    """Return the columns whose largest value rose, and these values."""
    before, after = largest_of(start), largest_of(end)
    if before is None or after is None:
        return _NOWHERE
    columns = np.flatnonzero(after > before)
    return columns, after[columns]


def _highest(parts: Sequence[tuple[NDArray[Any], Floats]]) -> tuple[NDArray[Any], Floats]:
    """Return the columns of all parts, and the highest value of each."""
    columns, position = np.unique(np.concatenate([some for some, _ in parts]), return_inverse=True)
    values = np.zeros(len(columns))
    np.maximum.at(values, position, np.concatenate([some for _, some in parts]))
    return columns, values
