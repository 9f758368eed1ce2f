"""A committee at work: the built-in experts, the mix of their scores, and counts of trials and mistakes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core import csr
from winnowkit.core.arrays import check_arrays, check_consistent
from winnowkit.core.checks import require
from winnowkit.core.csr import Rows, Trials, refuse
from winnowkit.core.growing import one_row, selected_counts
from winnowkit.core.multiclass import PREDICT_ONLY, chosen
from winnowkit.core.transaction import all_or_nothing
from winnowkit.linear import committee_kernel as kernel
from winnowkit.linear.family import (
    AROW_QUICK,
    FULL_AROW,
    GRADIENT,
    MOST_NARROW,
    N_BEGS,
    N_EXPERTS,
    N_FIELDS,
    Family,
    fold,
    in_lanes,
    initial_odds,
    linear_weights,
    new_records,
    of_learners,
)
from winnowkit.linear.mixing import MIX_ARRAYS, Mix, Room, check_mix, new_limits, new_mix, new_room
from winnowkit.linear.plain_lanes import WIDTH
from winnowkit.linear.scaling import Example, has_room, new_example, typical

FLOOR = 0.5
"""Least factor of the odds of a disjunction's weights when the target may change, so that they can come back."""
BEND = 0.5
"""Where the scores of the adaptive gradient are cut with two classes. Log-odds grow faster with the scores near 0 than
far from it, and experts that mostly agree, cut at different limits, let the mix learn by how much."""
LARGE = 2**26
"""Bytes of records from which on further passes are made for a part of the classes at a time."""


@dataclass
class CommitteeLearner:
    """The experts of all classes, the mix of their scores, and counts.

    Examples
    --------
    >>> learner = CommitteeLearner.begin(n_features=3, n_learners=1)
    >>> [learner.trial_active(np.array([0, 2]), 1) for _ in range(4)]
    [1, 1, 1, 1]
    """

    family: Family
    mix: Mix
    counts: NDArray[np.int64]  # trials and wrong labels; then the updates and mistakes of each learner
    n_features: int  # those in use; there may be room for more
    _rooms: tuple[Example, Room] | None = None

    @classmethod
    def begin(cls, n_features: int, n_learners: int, share: float = 0.0) -> Self:
        """Return a committee that has seen nothing."""
        require(0.0 <= share < 1.0, "share must be in [0, 1)", share)
        size = n_features + 1 if n_features <= MOST_NARROW else 0
        family = Family(
            records=new_records(n_features + 1, n_learners),
            largest=np.zeros(n_features),
            scale=np.zeros(2),
            odds=initial_odds(n_features, FLOOR if share > 0 else 0.0),
            full_weights=np.zeros((n_learners, size)),
            full_covariance=np.tile(np.eye(size), (n_learners, 1, 1)),
        )
        mix = new_mix(n_learners, N_BEGS, N_EXPERTS, share)
        mix.resting[:, FULL_AROW] = size == 0
        return cls(family, mix, np.zeros((1 + n_learners, 2), dtype=np.int64), n_features)

    # --- state ------------------------------------------------------------------------------------------------------

    @property
    def n_learners(self) -> int:
        """How many learners there are: one for two classes, else one per class."""
        return len(self.family.full_weights)

    @property
    def limits(self) -> NDArray[np.float64]:
        """Return where the mix cuts the scores of the experts; a target that may change needs them whole."""
        limits = new_limits(N_BEGS, N_EXPERTS)
        if self.n_learners == 1 and self.mix.settings[0] == 0.0:
            limits[GRADIENT] = BEND
        return limits

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that has to be kept to continue exactly here."""
        used = self.family._replace(
            records=of_learners(self.family)[: self.n_features + 1], largest=self.family.largest[: self.n_features]
        )
        mixed = {f"mix_{name}": array for name, array in self.mix._asdict().items()}
        return used._asdict() | mixed | {"counts": self.counts}

    def checkpoint(self) -> dict[str, NDArray[Any]]:
        """Copy the arrays."""
        return {name: array.copy() for name, array in self.arrays().items()}

    def roll_back(self, checkpoint: Mapping[str, NDArray[Any]]) -> None:
        """Be as at the checkpoint."""
        kept = {name: np.require(array, requirements=["C", "W"]) for name, array in checkpoint.items()}
        kept["records"] = in_lanes(kept["records"])
        self.family = Family(**{name: kept[name] for name in Family._fields})
        self.mix = Mix(**{name: kept[f"mix_{name}"] for name in Mix._fields})
        self.counts, self.n_features, self._rooms = kept["counts"], len(kept["largest"]), None

    def __getstate__(self) -> dict[str, NDArray[Any]]:
        return self.arrays()

    def __setstate__(self, state: Mapping[str, NDArray[Any]]) -> None:
        check_committee(state)
        self.roll_back(state)

    # --- trials -----------------------------------------------------------------------------------------------------

    def learn(self, trials: Trials) -> NDArray[np.int64]:
        """Run one trial per row and return the labels predicted before each update; it changes nothing if it raises."""
        require(trials.frozen is None or not trials.frozen.any(), "frozen must be None", trials.frozen)
        return self._learn(trials, mixes=True)

    def _learn(self, trials: Trials, *, mixes: bool) -> NDArray[np.int64]:
        rows, labels, order, _, weights = trials
        refuse(csr.check(rows, 0, labels.size, self.n_features))
        order = np.arange(labels.size) if order is None else order
        predicted = np.full(labels.size, PREDICT_ONLY, dtype=np.int64)
        example, room = self._rooms_for(csr.longest_row(rows))
        weights = np.empty(0) if weights is None else weights
        with all_or_nothing(*((self,) if self.family.records.size <= kernel.SMALL else ())):
            kernel.learn(
                self.family, self.mix, self.counts, rows, labels, weights, order, example, mixes, room, predicted
            )
        return predicted

    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return log-odds (for several classes, up to a constant per row the logarithms of the probabilities)."""
        refuse(csr.check(rows, first, last, self.n_features))
        decisions = np.empty((last - first, self.n_learners))
        example, room = self._new_rooms(int(np.diff(rows.indptr[first : last + 1]).max(initial=0)))
        kernel.decide(self.family, self.mix, rows, first, example, room, decisions)
        return decisions

    def trial_active(self, indices: NDArray[Any], label: int) -> int:
        """Run one trial on the active indices alone: the label predicted; -1 if unsorted, -2 if out of range."""
        example, room = self._rooms_for(indices.size)
        predicted: int = kernel.trial_active(self.family, self.mix, self.counts, indices, label, example, room)
        return predicted

    def _rooms_for(self, longest: int) -> tuple[Example, Room]:
        if self._rooms is None or not has_room(self._rooms[0], longest):
            self._rooms = self._new_rooms(longest)
        return self._rooms

    def _new_rooms(self, longest: int) -> tuple[Example, Room]:
        example = new_example(longest, self.family.full_weights.shape[1])
        return example, new_room(self.n_learners, self.limits)

    # --- several passes ---------------------------------------------------------------------------------------------

    def blocks(self) -> list[slice]:
        """Return the classes whose experts make a further pass together, so that a large model is not there twice."""
        n_blocks = ceil(self.n_learners / WIDTH) if self.family.records.nbytes > LARGE else 1
        ends = np.linspace(0, self.n_learners, n_blocks + 1).astype(int).tolist()
        return [slice(*ends_) for ends_ in pairwise(ends)]

    def anew(self, trials: Trials, block: slice) -> Self:
        """Return what the experts of some classes are after a pass from nothing; their mix is of no use.

        An expert that rests for all classes stays so; others learn for every class, as the mix has one weight for them.
        """
        n = block.stop - block.start
        new = type(self).begin(self.n_features, n, float(self.mix.settings[0]))
        if n < self.n_learners:
            inside = (trials.labels >= block.start) & (trials.labels < block.stop)
            trials = trials._replace(labels=np.where(inside, trials.labels - block.start, n))
        new.mix.resting[:] = self.mix.resting.all(axis=0)
        new._learn(trials, mixes=False)
        return new

    def fold(self, other: Self, part: float, block: slice) -> None:
        """Move the scores of the experts of some classes by a part of the way to those of another pass.

        The mix, the votes and the counts stay those of the first pass. An expert rests that rests in both.
        """
        mine = self.family
        if block.start == 0:  # it is the same for all blocks
            mine.scale[:] += part * (other.family.scale - mine.scale)
        some = mine._replace(
            records=mine.records[:, :, block],
            full_weights=mine.full_weights[block],
            full_covariance=mine.full_covariance[block],
        )
        fold(some, other.family, part)
        self.mix.resting[block] &= other.mix.resting

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    def attribute_weights(self) -> NDArray[np.float64]:
        """Contribution of each attribute to the log-odds, (learners, n), at its largest value in a typical example."""
        units = np.ones(N_EXPERTS)
        units[AROW_QUICK:GRADIENT] = typical(self.family.scale)  # of z
        awake = np.where(self.mix.resting, 0.0, self.mix.weights[:-1] * units)
        weights = linear_weights(self.family)[1 : self.n_features + 1]
        added: NDArray[np.float64] = np.einsum("nke,ke->kn", weights, awake)
        return added

    # --- growing ----------------------------------------------------------------------------------------------------

    def grow(self, n_features: int) -> None:
        """Take in attributes that were 0 so far, up to n_features in all."""
        new, family = n_features - self.n_features, self.family
        if n_features > family.largest.size:
            size = max(n_features, 2 * family.largest.size)
            records = new_records(size + 1, self.n_learners)
            records[: len(family.records)] = family.records
            largest = np.pad(family.largest, (0, size - family.largest.size))
            family = family._replace(records=records, largest=largest)
        full_weights, full_covariance = family.full_weights, family.full_covariance
        if n_features > MOST_NARROW:
            self.mix.resting[:, FULL_AROW] = True
            full_weights, full_covariance = full_weights[:, :0], full_covariance[:, :0, :0]
        else:
            full_weights = np.pad(full_weights, ((0, 0), (0, new)))
            full_covariance = np.pad(full_covariance, ((0, 0), (0, new), (0, new)))
            late = np.arange(n_features + 1 - new, n_features + 1)
            full_covariance[:, late, late] = 1.0
        self.family = family._replace(
            odds=initial_odds(n_features, float(family.odds[-1])),
            full_weights=np.ascontiguousarray(full_weights),
            full_covariance=np.ascontiguousarray(full_covariance),
        )
        self.n_features, self._rooms = n_features, None

    def with_learners(self, sources: Sequence[int | None]) -> Self:
        """Committees for other classes: copies of the present ones that `sources` names, and new ones for None."""
        new = type(self).begin(self.n_features, len(sources), float(self.mix.settings[0]))
        for place, source in enumerate(sources):
            if source is not None:
                new.family.records[:, :, place] = self.family.records[: self.n_features + 1, :, source]
                new.family.full_weights[place] = self.family.full_weights[source]
                new.family.full_covariance[place] = self.family.full_covariance[source]
                new.mix.resting[place], new.mix.mistakes[place] = self.mix.resting[source], self.mix.mistakes[source]
        new.family.largest[:], new.family.scale[:] = self.family.largest[: self.n_features], self.family.scale
        for name in ("weights", "covariance", "votes", "label_mistakes", "awake_mistakes", "settings"):
            getattr(new.mix, name)[:] = getattr(self.mix, name)
        new.counts[:] = selected_counts(self.counts, sources)
        return new

    def predict_active(self, indices: NDArray[np.int64], n_features: int) -> int:
        """Predict the label of an example with n_features attributes, given the active ones; nothing changes."""
        if n_features == self.n_features:
            return self.trial_active(indices, PREDICT_ONLY)
        return int(chosen(self.foresee(indices, None, n_features, ranking=False)[None])[0])

    def rank(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return the log-odds."""
        return self.decide(rows, first, last)

    def foresee(
        self, indices: NDArray[np.int64], data: NDArray[np.float64] | None, n_features: int, *, ranking: bool
    ) -> NDArray[np.float64]:
        """Return the decisions on one example as if the committee had grown; nothing changes."""
        del ranking  # decisions are log-odds already
        known = indices[indices < self.n_features]
        places, n_new = np.concatenate([[0], known + 1]), indices.size - known.size
        narrow = self.family.full_weights.shape[1] > 0 and n_features <= MOST_NARROW
        full_weights = np.zeros((self.n_learners, 0))
        if narrow:
            full_weights = np.pad(self.family.full_weights[:, places], ((0, 0), (0, n_new)))
        small = Family(
            np.concatenate([self.family.records[places], new_records(n_new, self.n_learners)]),
            np.pad(self.family.largest[known], (0, n_new)),
            self.family.scale,
            initial_odds(n_features, float(self.family.odds[-1])),
            full_weights,
            np.zeros((self.n_learners, 0, 0)),
        )
        resting = self.mix.resting.copy()
        resting[:, FULL_AROW] |= not narrow
        few = type(self)(small, self.mix._replace(resting=resting), self.counts, indices.size)
        return few.decide(one_row(np.arange(indices.size), data, None), 0, 1)[0]


def check_committee(state: Mapping[str, NDArray[Any]]) -> None:
    """Refuse arrays that are not of one committee."""
    lengths = check_arrays(
        state,
        {
            "records": (np.float32, ("places", N_FIELDS, "learners")),
            "largest": (np.float64, ("n",)),
            "scale": (np.float64, (2,)),
            "odds": (np.float64, (5,)),
            "full_weights": (np.float64, ("learners", "full")),
            "full_covariance": (np.float64, ("learners", "full", "full")),
            **MIX_ARRAYS,
            "counts": (np.int64, ("rows", 2)),
        },
    )
    check_consistent(lengths["n"] >= 1 and lengths["learners"] >= 1, "it has no weights")
    check_consistent(lengths["places"] == lengths["n"] + 1, "records")
    check_consistent(lengths["full"] in (0, lengths["places"]), "the whole matrix")
    check_consistent(lengths["full"] == 0 or lengths["n"] <= MOST_NARROW, "the whole matrix")
    for name, array in state.items():
        if array.size and array.dtype.kind == "f":  # the extremes are NaN if any value is, and need no memory
            check_consistent(np.isfinite([array.min(), array.max()]).all(), f"{name} must be finite")
    check_mix(state, lengths, N_EXPERTS)
    check_consistent((state["mix_votes"] > 0.0).all() and (state["counts"] >= 0).all(), "votes and counts")
