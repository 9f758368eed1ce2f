"""The natural coordinates of each kind of learner, in which shards are combined; see :mod:`.combine`.

Each kind has a class with the same functions. `multiplies` tells whether its rule multiplies what the coordinates are
logarithms of, so that factors are averaged. `raw` returns the numbers of all weights, with one row per weight;
`natural` turns some of these rows into coordinates, and `write` puts coordinates back. `evidence` says how much the
move of a single shard counts, coordinate by coordinate. `sums` are small arrays that add up over shards, and `take`
takes the sums of all of them.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from winnowkit.dnf.soft_learners import STEP, SoftLearners, SoftTables
from winnowkit.linear.committee_learner import CommitteeLearner
from winnowkit.linear.family import (
    COIN_G,
    COIN_L,
    COIN_R,
    COIN_T,
    G_GRADIENT,
    G_HYPENTROPY,
    MOST_FACTOR,
    N_BEGS,
    N_FIELDS,
    S_QUICK,
    S_SLOW,
    W_GRADIENT,
    W_HYPENTROPY,
    W_QUICK,
    W_SLOW,
    of_learners,
)
from winnowkit.linear.learner import LinearLearner
from winnowkit.linear.members import MembersLearner
from winnowkit.linear.mixing import Mix
from winnowkit.linear.scaled_kernel import AROW, COIN
from winnowkit.linear.scaled_kernel import N_FIELDS as N_SCALED
from winnowkit.linear.scaled_learner import ScaledLearner
from winnowkit.linear.scaling import typical
from winnowkit.linear.state import refresh
from winnowkit.linear.steps import BETA_HYPENTROPY
from winnowkit.linear.voting import LEAST_VOTE
from winnowkit.linear.weights import FRESH, HUGE, TOTAL, TOUCHED, Link, renormalize

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Sums = dict[str, NDArray[Any]]

BARELY = 1e-6
"""Evidence of a move that left no trace in its statistics, as their sums are full."""


class Form(Protocol):
    """How one kind of learner is taken apart and put together."""

    multiplies: bool

    def raw(self, learner: Any) -> NDArray[Any]:
        """Return the numbers of all weights, of shape (weights, numbers)."""

    def natural(self, start: Any, raw: Floats) -> Floats:
        """Return the coordinates of some weights, given their numbers."""

    def write(self, learner: Any, natural: Floats, places: Ints) -> None:
        """Give the weights at some places these coordinates."""

    def evidence(self, moved: Floats) -> Floats:
        """Return how much the moves of a single shard count."""

    def sums(self, start: Any, end: Any) -> Sums:
        """Return the small arrays of a shard that add up."""

    def take(self, learner: Any, sums: Sums) -> None:
        """Take the sums over all shards; `learner` is where they started, but for its weights."""


class LinearForm:
    """Winnows and BEGs: logarithms of weights, and log-odds."""

    multiplies = True

    def raw(self, learner: LinearLearner) -> NDArray[Any]:
        """Return the states of all weights; normalized ones relative to that of a new attribute."""
        state = learner.state
        raw = state.weights
        if state.parameters["normalized"].any():
            raw = raw / state.totals[:, FRESH, None, None]
        return raw.reshape(-1, 1)

    def natural(self, start: LinearLearner, raw: Floats) -> Floats:
        """Return log-weights, or log-odds as they are."""
        if start.state.parameters["link"][0] != Link.WEIGHT:
            return raw
        with np.errstate(divide="ignore"):
            return np.log(raw)

    def write(self, learner: LinearLearner, natural: Floats, places: Ints) -> None:
        """Put the weights back, within their limits, and all that follows from them."""
        state = learner.state
        _, n_blocks, n = state.weights.shape
        k = places // (n_blocks * n)
        values, floor = natural[:, 0], state.parameters["floor"][k]
        if state.parameters["link"][0] == Link.WEIGHT:
            values = np.exp(np.minimum(values, np.log(HUGE)))
            if state.parameters["normalized"].any():
                values = values * state.totals[k, FRESH]
            values = np.minimum(values, HUGE)
        state.weights.reshape(-1)[places] = np.maximum(values, floor)
        state.totals[:, TOTAL] = 1.0
        refresh(state)
        for j in np.flatnonzero(state.parameters["normalized"]).tolist():
            state.totals[j, TOUCHED] = np.inf
            renormalize(state, j)

    def evidence(self, moved: Floats) -> Floats:
        """Count each weight that moved once, where the number of its updates is not known."""
        once: Floats = (moved != 0.0).astype(np.float64)
        return once

    def sums(self, start: LinearLearner, end: LinearLearner) -> Sums:
        """Return how the states of a new attribute moved, times the number of updates, and that number."""
        n_updates = (end.counts - start.counts)[1:, :1].astype(np.float64)
        if not start.state.parameters["negations"].any():
            return {}
        fresh = [self.natural(start, learner.state.totals[:, FRESH:]) for learner in (start, end)]
        return {"fresh": moves(*fresh) * n_updates, "updates": n_updates}

    def take(self, learner: LinearLearner, sums: Sums) -> None:
        """Move the states of a new attribute by the mean over updates."""
        if "fresh" in sums:
            totals = learner.state.totals
            fresh = self.natural(learner, totals[:, FRESH:])
            fresh = fresh + sums["fresh"] / np.maximum(sums["updates"], 1.0)
            if learner.state.parameters["link"][0] == Link.WEIGHT:
                fresh = np.exp(fresh)
            totals[:, FRESH:] = np.maximum(fresh, learner.state.parameters["floor"][:, None])


class ScaledForm:
    """AROW, coin betting and the adaptive Winnow, each on its own."""

    multiplies = False

    def raw(self, learner: ScaledLearner) -> NDArray[Any]:
        """Return the records of all attributes and learners."""
        records = learner.state.records[: learner.n_features + 1]
        return records.reshape(-1, N_SCALED[learner.rule])

    def natural(self, start: ScaledLearner, raw: Floats) -> Floats:
        """Return weight and precision, the four numbers of coin betting, or arsinh of the weight and G."""
        found = raw.copy()
        if start.rule == AROW:
            found[:, 1] = 1.0 / raw[:, 1]
        elif start.rule == COIN:
            found[:, 0] = raw[:, 0] * _stakes(start.state.scale, *raw[:, 1:].T)
        else:
            found[:, 0] = np.arcsinh(raw[:, 0] / BETA_HYPENTROPY**0.5)
        return found

    def write(self, learner: ScaledLearner, natural: Floats, places: Ints) -> None:
        """Put the records back."""
        raw = natural.copy()
        if learner.rule == AROW:
            raw[:, 1] = 1.0 / natural[:, 1]
        elif learner.rule == COIN:
            raw[:, 1:] = np.maximum(natural[:, 1:], 0.0)
            raw[:, 0] = natural[:, 0] / _stakes(learner.state.scale, *raw[:, 1:].T)
        else:
            raw[:, 0] = np.sinh(natural[:, 0]) * BETA_HYPENTROPY**0.5
        self.raw(learner)[places] = raw

    def evidence(self, moved: Floats) -> Floats:
        """Return the gain of precision, or of G."""
        return np.repeat(np.abs(moved[:, 1:2]) + BARELY, moved.shape[1], axis=1)

    def sums(self, start: ScaledLearner, end: ScaledLearner) -> Sums:
        """Return the regression that calibrates, and the scale of examples."""
        del start
        return {"scale": end.state.scale, **_regression(end.state.weights, end.state.covariance)}

    def take(self, learner: ScaledLearner, sums: Sums) -> None:
        """Take the means over shards, and the largest values."""
        learner.state.scale[:] = sums["scale"] / sums["shards"]
        learner.state.weights[:], learner.state.covariance[:] = _solved(sums)


class FamilyForm:
    """The built-in experts of a committee, each by its rule, and their mix."""

    multiplies = False

    _weights = (W_QUICK, W_SLOW, COIN_T, W_GRADIENT, W_HYPENTROPY)
    _gains = (S_QUICK, S_SLOW, COIN_G, G_GRADIENT, G_HYPENTROPY)
    _widths = (2, 2, 4, 2, 2)  # numbers of each of these experts, beginning with its weight

    def raw(self, learner: CommitteeLearner) -> NDArray[Any]:
        """Return a copy of the records of all attributes and learners."""
        records = of_learners(learner.family)[: learner.n_features + 1]
        return records.swapaxes(1, 2).reshape(-1, N_FIELDS)

    def natural(self, start: CommitteeLearner, raw: Floats) -> Floats:
        """Return log-odds, and what the rules of the other experts have."""
        raw = raw.astype(np.float64)
        found = raw.copy()
        with np.errstate(divide="ignore"):
            found[:, :N_BEGS] = np.log(raw[:, :N_BEGS])
        found[:, [S_QUICK, S_SLOW]] = 1.0 / raw[:, [S_QUICK, S_SLOW]]
        found[:, COIN_T] = raw[:, COIN_T] * _stakes(start.family.scale, *raw[:, [COIN_G, COIN_R, COIN_L]].T)
        found[:, W_HYPENTROPY] = np.arcsinh(raw[:, W_HYPENTROPY] / BETA_HYPENTROPY**0.5)
        return found

    def write(self, learner: CommitteeLearner, natural: Floats, places: Ints) -> None:
        """Put the records back."""
        raw = natural.copy()
        raw[:, :N_BEGS] = np.minimum(np.exp(np.minimum(natural[:, :N_BEGS], 100.0)), MOST_FACTOR)
        raw[:, [S_QUICK, S_SLOW]] = 1.0 / natural[:, [S_QUICK, S_SLOW]]
        raw[:, [COIN_G, COIN_R, COIN_L]] = np.maximum(natural[:, [COIN_G, COIN_R, COIN_L]], 0.0)
        stakes = _stakes(learner.family.scale, *raw[:, [COIN_G, COIN_R, COIN_L]].T)
        raw[:, COIN_T] = natural[:, COIN_T] / stakes
        raw[:, W_HYPENTROPY] = np.sinh(natural[:, W_HYPENTROPY]) * BETA_HYPENTROPY**0.5
        row, k = np.divmod(places, learner.n_learners)
        learner.family.records[row, :, k] = raw

    def evidence(self, moved: Floats) -> Floats:
        """Count BEGs that moved once, and the others by their gains of precision or of G."""
        found = np.empty_like(moved)
        found[:, :N_BEGS] = moved[:, :N_BEGS] != 0.0
        for first, gain, width in zip(self._weights, self._gains, self._widths, strict=True):
            found[:, first : first + width] = np.abs(moved[:, gain : gain + 1]) + BARELY
        return found

    def sums(self, start: CommitteeLearner, end: CommitteeLearner) -> Sums:
        """Return the statistics of the mix, the scale of examples, and the regressions with whole matrices."""
        full = _regression(end.family.full_weights, end.family.full_covariance)
        of_full = {f"full_{name}": array for name, array in full.items()}
        return {"scale": end.family.scale, **of_full, **mix_sums(start.mix, end.mix)}

    def take(self, learner: CommitteeLearner, sums: Sums) -> None:
        """Take the means over shards."""
        family = learner.family
        family.scale[:] = sums["scale"] / sums["shards"]
        if family.full_weights.size:
            whole = {"shards": sums["shards"], "precision": sums["full_precision"], "shift": sums["full_shift"]}
            family.full_weights[:], family.full_covariance[:] = _solved(whole)
        take_mix(learner.mix, sums)


class SoftForm:
    """Soft updates of short terms: arsinh of the weights."""

    multiplies = False

    def raw(self, learner: SoftLearners) -> NDArray[Any]:
        """Return the weights of all terms."""
        return learner._tables.weights.reshape(-1, 1)

    def natural(self, start: SoftLearners, raw: Floats) -> Floats:
        """Return the links, whose hyperbolic sines are the weights."""
        del start
        return np.arcsinh(raw / STEP.beta)

    def write(self, learner: SoftLearners, natural: Floats, places: Ints) -> None:
        """Put the weights back; their sums by cell follow."""
        tables = learner._tables
        self.raw(learner)[places] = STEP.beta * np.sinh(natural)
        learner._tables = SoftTables(tables.layout, tables.weights, tables.bias)

    def evidence(self, moved: Floats) -> Floats:
        """Count each weight that moved once, where the number of rows is not known."""
        once: Floats = (moved != 0.0).astype(np.float64)
        return once

    def sums(self, start: SoftLearners, end: SoftLearners) -> Sums:
        """Return the biases."""
        del start
        return {"bias": end._tables.bias}

    def take(self, learner: SoftLearners, sums: Sums) -> None:
        """Take the mean of the biases."""
        learner._tables.bias[:] = sums["bias"] / sums["shards"]


FORMS: dict[type, Form] = {
    LinearLearner: LinearForm(),
    ScaledLearner: ScaledForm(),
    CommitteeLearner: FamilyForm(),
    SoftLearners: SoftForm(),
}


def form_of(learner: Any) -> Form:
    """Return how a learner is combined; raise TypeError if nobody knows."""
    if type(learner) not in FORMS:
        raise TypeError(
            f"{type(learner).__name__} cannot be trained on many machines: shards can be combined for the Winnows, the "
            "BEGs, AROW, CoinBetting, AdaptiveWinnow, Committee and DNFWinnow"
        )
    return FORMS[type(learner)]


def largest_of(learner: Any) -> Floats | None:
    """Return the largest values of all columns, of a learner that knows them."""
    if isinstance(learner, ScaledLearner):
        return learner.state.largest[: learner.n_features]
    return learner.family.largest[: learner.n_features] if isinstance(learner, CommitteeLearner) else None


def mix_of(learner: Any) -> Mix | None:
    """Return the mix of a committee."""
    return learner.mix if isinstance(learner, (CommitteeLearner, MembersLearner)) else None


def mix_sums(start: Mix, end: Mix) -> Sums:
    """Return the statistics of a shard's mix: its regression, logarithms of its votes, and mistakes since the start."""
    counted = {name: getattr(end, name) - getattr(start, name) for name in _COUNTED}
    return {"votes": np.log(end.votes), **_regression(end.weights, end.covariance), **counted}


def take_mix(mix: Mix, sums: Sums) -> None:
    """Take the statistics of all shards: the regression of all, the geometric mean of votes, the sums of mistakes."""
    mix.weights[:], mix.covariance[:] = _solved(sums)
    votes = np.exp(sums["votes"] / sums["shards"])
    mix.votes[:] = np.maximum(votes / votes.max(), LEAST_VOTE)
    for name in _COUNTED:
        getattr(mix, name)[:] += sums[name]


_COUNTED = ("mistakes", "label_mistakes", "awake_mistakes")


def _regression(weights: Floats, covariance: Floats) -> Sums:
    """Return the precision matrices of regressions, and their products with the weights."""
    precision = np.linalg.inv(covariance)
    return {"precision": precision, "shift": (precision @ weights[..., None])[..., 0]}


def _solved(sums: Sums) -> tuple[Floats, Floats]:
    """Return the precision-weighted means of weights, and the inverse of the mean precision."""
    weights: Floats = np.linalg.solve(sums["precision"], sums["shift"][..., None])[..., 0]
    covariance = np.linalg.inv(sums["precision"] / sums["shards"]).astype(np.float64)
    return weights, covariance


def _stakes(scale: Floats, bets: Floats, won: Floats, largest: Floats) -> Floats:
    """Return what the weights of coin bettors are per unit of T."""
    largest = np.maximum(largest, typical(scale))
    stakes: Floats = (largest + won) / (largest * (bets + largest))
    return stakes


def moves(before: Floats, after: Floats) -> Floats:
    """Return after - before; 0 where both are minus infinity, as eliminated weights stay so."""
    with np.errstate(invalid="ignore"):
        found: Floats = after - before
    found[np.isnan(found)] = 0.0
    return found
