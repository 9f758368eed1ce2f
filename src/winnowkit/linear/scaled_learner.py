"""AROW, coin betting or hypentropy at work on n attributes of real values, one learner per class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from winnowkit.linear import scaled_kernel as kernel
from winnowkit.linear.mixing import StepRoom, new_step_room
from winnowkit.linear.scaled_kernel import AROW, COIN, N_FIELDS, ScaledState
from winnowkit.linear.scaling import Example, has_room, new_example, typical

FIRST_SLOPE = 2.0
"""Log-odds per unit of a score before any trial."""
SMALL = 2**14  # records whose copy costs little beside any call


@dataclass
class ScaledLearner:
    """The learners of all classes, by one rule.

    Examples
    --------
    >>> learner = ScaledLearner.begin(n_features=3, n_learners=1, rule=AROW)
    >>> [learner.trial_active(np.array([0, 2]), 1) for _ in range(3)]
    [0, 1, 1]
    """

    state: ScaledState
    n_features: int  # those in use; there may be room for more
    _rooms: tuple[Example, StepRoom] | None = None

    @classmethod
    def begin(cls, n_features: int, n_learners: int, rule: int, r: float = 1.0) -> Self:
        """Return learners that have seen nothing; r is a parameter of AROW."""
        require(0.0 < r < np.inf, "r must be > 0", r)
        state = ScaledState(
            records=_new_records(n_features + 1, n_learners, rule),
            largest=np.zeros(n_features),
            scale=np.zeros(2),
            weights=np.full(2, FIRST_SLOPE),
            covariance=np.eye(2),
            settings=np.array([0.0, rule, r]),
            counts=np.zeros((1 + n_learners, 2), dtype=np.int64),
        )
        return cls(state, n_features)

    # --- state ------------------------------------------------------------------------------------------------------

    @property
    def rule(self) -> int:
        """The number of the rule."""
        return int(self.state.settings[1])

    @property
    def n_learners(self) -> int:
        """How many learners there are: one for two classes, else one per class."""
        return int(self.state.records.shape[1])

    @property
    def counts(self) -> NDArray[np.int64]:
        """Trials and wrong labels in the first row; then the updates and mistakes of each learner."""
        return self.state.counts

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that has to be kept to continue exactly here."""
        n, state = self.n_features, self.state
        return state._replace(records=state.records[: n + 1], largest=state.largest[:n])._asdict()

    def checkpoint(self) -> dict[str, NDArray[Any]]:
        """Copy the arrays."""
        return {name: array.copy() for name, array in self.arrays().items()}

    def roll_back(self, checkpoint: Mapping[str, NDArray[Any]]) -> None:
        """Be as at the checkpoint."""
        kept = {name: np.require(array, requirements=["C", "W"]) for name, array in checkpoint.items()}
        self.state, self.n_features, self._rooms = ScaledState(**kept), len(kept["largest"]), None

    def __getstate__(self) -> dict[str, NDArray[Any]]:
        return self.arrays()

    def __setstate__(self, state: Mapping[str, NDArray[Any]]) -> None:
        check_scaled(state)
        self.roll_back(state)

    # --- trials -----------------------------------------------------------------------------------------------------

    def learn(self, trials: Trials, decisions: NDArray[np.float64] | None = None) -> NDArray[np.int64]:
        """Run one trial per row and return the labels predicted before each update; it changes nothing if it raises.

        `decisions`, of shape (rows, learners), is filled in with the decisions before each update. No learner may be
        frozen, as passes are averaged.
        """
        rows, labels, order, frozen, weights = trials
        require(frozen is None or not frozen.any(), "frozen must be None", frozen)
        refuse(csr.check(rows, 0, labels.size, self.n_features))
        predicted = np.full(labels.size, PREDICT_ONLY, dtype=np.int64)
        order = np.arange(labels.size) if order is None else order
        weights = np.empty(0) if weights is None else weights
        decisions = np.empty((labels.size, 0)) if decisions is None else decisions
        rooms = self._rooms_for(_longest(rows.indptr))
        with all_or_nothing(*((self,) if self.state.records.size <= SMALL else ())):
            kernel.learn(self.state, rows, labels, weights, order, *rooms, predicted, decisions)
        return predicted

    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return the scores, which are above 0 iff the learner predicts its class."""
        return self._decide(rows, first, last, calibrated=False)

    def log_odds(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return AROW's log-odds (for several classes, logarithms of unnormalised probabilities)."""
        return self._decide(rows, first, last, calibrated=True)

    def rank(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return log-odds if they are calibrated, else scores."""
        return self._decide(rows, first, last, calibrated=self.rule == AROW)

    def _decide(self, rows: Rows, first: int, last: int, *, calibrated: bool) -> NDArray[np.float64]:
        refuse(csr.check(rows, first, last, self.n_features))
        decisions = np.empty((last - first, self.n_learners))
        rooms = (
            new_example(_longest(rows.indptr[first : last + 1])),
            new_step_room(self.n_learners, 2),
        )
        kernel.decide(self.state, rows, first, calibrated, *rooms, decisions)
        return decisions

    def trial_active(self, indices: NDArray[Any], label: int) -> int:
        """Run one trial on the active indices alone: the label predicted; -1 if unsorted, -2 if out of range."""
        predicted: int = kernel.trial_active(self.state, indices, label, *self._rooms_for(indices.size), np.empty(0))
        return predicted

    def _rooms_for(self, longest: int) -> tuple[Example, StepRoom]:
        if self._rooms is None or not has_room(self._rooms[0], longest):
            self._rooms = new_example(longest), new_step_room(self.n_learners, 2)
        return self._rooms

    # --- several passes ---------------------------------------------------------------------------------------------

    def blocks(self) -> list[slice]:
        """Return which learners make a pass together: all of them."""
        return [slice(0, self.n_learners)]

    def anew(self, trials: Trials, block: slice) -> Self:  # noqa: ARG002 - there is one only
        """Return what these learners are after a pass from nothing."""
        new = type(self).begin(self.n_features, self.n_learners, self.rule, float(self.state.settings[2]))
        new.learn(trials)
        return new

    def fold(self, other: Self, part: float, block: slice) -> None:  # noqa: ARG002 - there is one only
        """Move the scores by a part of the way to those of another learner of the same columns."""
        ours, theirs = self.state, other.state
        weights = (1.0 - part) * self._weights() + part * other._weights()
        for name in ("records", "scale", "weights", "covariance"):
            array = getattr(ours, name)
            array += part * (getattr(theirs, name) - array)
        np.maximum(ours.largest, theirs.largest, out=ours.largest)
        ours.records[..., 0] = weights / self._stakes() if self.rule == COIN else weights
        ours.counts[:] += theirs.counts

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    def coef(self) -> NDArray[np.float64]:
        """Weights of the scaled values, (learners, n)."""
        return self._weights()[1 : self.n_features + 1].T.copy()

    @property
    def intercept(self) -> NDArray[np.float64]:
        """Weights of the bias, one per learner."""
        return self._weights()[0].copy()

    def _weights(self) -> NDArray[np.float64]:
        first = self.state.records[..., 0]
        return first * self._stakes() if self.rule == COIN else first

    def _stakes(self) -> NDArray[np.float64]:
        """Return what the coin bettor's weights are per unit of T."""
        return stakes(self.state.records, typical(self.state.scale))

    # --- growing ----------------------------------------------------------------------------------------------------

    def grow(self, n_features: int) -> None:
        """Take in attributes that were 0 so far, up to n_features in all."""
        state = self.state
        if n_features > state.largest.size:
            more = max(n_features, 2 * state.largest.size) - state.largest.size
            records = np.concatenate([state.records, _new_records(more, self.n_learners, self.rule)])
            self.state = state._replace(records=records, largest=np.pad(state.largest, (0, more)))
        self.n_features = n_features

    def with_learners(self, sources: Sequence[int | None]) -> Self:
        """Learners for other classes: copies of the present ones that `sources` names, and new ones for None."""
        arrays = self.checkpoint()
        records = _new_records(self.n_features + 1, len(sources), self.rule)
        for place, source in enumerate(sources):
            if source is not None:
                records[:, place] = arrays["records"][:, source]
        arrays |= {"records": records, "counts": selected_counts(self.counts, sources)}
        return type(self)(ScaledState(**arrays), self.n_features)

    def predict_active(self, indices: NDArray[np.int64], n_features: int) -> int:
        """Predict the label of an example with n_features attributes, given the active ones; nothing changes."""
        if n_features == self.n_features:
            return self.trial_active(indices, PREDICT_ONLY)
        return int(chosen(self.foresee(indices, None, n_features, ranking=False)[None])[0])

    def foresee(
        self,
        indices: NDArray[np.int64],
        data: NDArray[np.float64] | None,
        n_features: int,  # noqa: ARG002 - nothing depends on it
        *,
        ranking: bool,
    ) -> NDArray[np.float64]:
        """Return the decisions (with `ranking`: the ranks) on one example as if the learner had grown."""
        known = indices[indices < self.n_features]
        new = _new_records(indices.size - known.size, self.n_learners, self.rule)
        records = np.concatenate([self.state.records[np.append(0, known + 1)], new])
        largest = np.pad(self.state.largest[known], (0, len(new)))
        few = type(self)(self.state._replace(records=records, largest=largest), indices.size)
        row = one_row(np.arange(indices.size), data, None)
        return (few.rank if ranking else few.decide)(row, 0, 1)[0]


def stakes(records: NDArray[np.float64], least: Any) -> NDArray[np.float64]:
    """Return what the coin bettor's weights are per unit of T, if no value counts as less than `least`."""
    largest = np.maximum(records[..., 3], least)
    found: NDArray[np.float64] = (largest + records[..., 2]) / (largest * (records[..., 1] + largest))
    return found


def _new_records(n: int, n_learners: int, rule: int) -> NDArray[np.float64]:
    """Return the records of attributes that have been 0 so far; AROW's variances are 1."""
    records = np.zeros((n, n_learners, N_FIELDS[rule]))
    records[..., 1] = rule == AROW
    return records


def _longest(indptr: NDArray[Any]) -> int:
    return int(np.diff(indptr).max(initial=0))


def check_scaled(state: Mapping[str, NDArray[Any]]) -> None:
    """Refuse arrays that are not of one learner."""
    lengths = check_arrays(
        state,
        {
            "records": (np.float64, ("places", "learners", "fields")),
            "largest": (np.float64, ("n",)),
            "scale": (np.float64, (2,)),
            "weights": (np.float64, (2,)),
            "covariance": (np.float64, (2, 2)),
            "settings": (np.float64, (3,)),
            "counts": (np.int64, ("rows", 2)),
        },
    )
    _, rule, r = state["settings"]
    check_consistent(rule in range(len(N_FIELDS)) and 0.0 < r < np.inf, "the rule")
    check_consistent(lengths["fields"] == N_FIELDS[int(rule)], "numbers per attribute")
    check_consistent(lengths["n"] >= 1 and lengths["learners"] >= 1, "it has no weights")
    check_consistent(lengths["places"] == lengths["n"] + 1, "records")
    check_consistent(lengths["rows"] == 1 + lengths["learners"], "counts")
