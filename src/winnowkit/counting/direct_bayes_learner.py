"""The direct algorithm: a posterior over all small disjunctions (Helmbold, Panizza & Warmuth, section 3).

A disjunction that erred m times has weight beta^m, beta = noise / (1 - noise): this is Bayes' posterior under label
noise, up to scale, and Littlestone & Warmuth's Weighted Majority. Predict 1 iff the disjunctions that say 1 weigh more
than the others; or, at random, with a probability equal to their share of the weight (the paper's note 3).

The learner keeps the numbers of errors, which are integers, so nothing drifts, and their tally: how many disjunctions
have how many errors. A near tie is decided in integers, with the noise taken as the decimal fraction that it is written
as.

A late attribute is treated exactly as if it had been there from the start with the value 0: a disjunction with new
attributes erred as often as it would without them; a new attribute alone erred in every positive example, and its
complement in every negative one. Growing costs time in the number of disjunctions. Once one more attribute would make
them more than `max_disjunctions`, further attributes are left out: they count as 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from math import log
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core import csr
from winnowkit.core.arrays import check_arrays, check_consistent
from winnowkit.core.csr import Rows, Trials, refuse
from winnowkit.core.growing import selected, selected_counts
from winnowkit.core.multiclass import asks_update, choose, class_of
from winnowkit.core.transaction import all_or_nothing
from winnowkit.counting import direct_bayes_kernel as direct
from winnowkit.counting.direct_bayes_kernel import (
    DIRECT_PARAMETERS,
    DirectState,
    ExampleLiterals,
    WeightSides,
    n_disjunctions,
)
from winnowkit.counting.direct_bayes_rule import DirectBayesRule, most_features
from winnowkit.counting.late_attributes import DisjunctionPlaces, spread
from winnowkit.counting.lead_counts import log_odds, settle
from winnowkit.counting.learner import Arrays, CountingLearner, safe_to_change, sign_of_sum, whole_presentations

ROOM = 64  # for error counts at the start
COPIED_PER_ROW = 2**16  # entries that a checkpoint may copy for each row
FARTHEST = 700.0  # decisions, where a logarithm would be infinite
MOST = 2**62  # a limit above it is as good as none


class Opinion(NamedTuple):
    """The opinion of one learner about an example."""

    sides: WeightSides
    satisfied: bool  # which side was walked
    part: NDArray[np.int64]  # its tally
    decision: float


@dataclass
class DirectLearner(CountingLearner):
    """The direct algorithm at work, one target per learner.

    Examples
    --------
    >>> rule = DirectBayesRule(k=2, noise=0.1, max_disjunctions=3, prediction="majority", policy="always")
    >>> learner = DirectLearner.begin(rule, n_features=1, n_learners=1, negations=False, seed=0)
    >>> _ = learner.trial_active(np.array([0]), 1)
    >>> learner.grow(2)
    >>> learner.state.errors - learner.state.errors.min()  # of x0, x0 or x1, x1
    array([[0, 0, 1]], dtype=int32)
    >>> learner.grow(3)
    >>> learner.n_features, learner.n_used
    (3, 2)
    """

    state: DirectState

    def __post_init__(self) -> None:
        self._one = self.state.parameters[0]
        self._n_features, self._n_used = int(self._one["n_features"]), int(self._one["n_used"])
        self._negations = bool(self._one["negations"])
        self._table = direct.begins(self.n_used * (1 + self._negations), int(self._one["k"]))
        noise = Fraction(repr(float(self._one["noise"])))
        self._beta = noise / (1 - noise)
        self._log_beta = log(self._beta)

    @classmethod
    def begin(cls, rule: DirectBayesRule, n_features: int, n_learners: int, negations: bool, seed: int) -> Self:
        """Make a learner that has seen nothing; attributes beyond `max_disjunctions` are left out."""
        rule.check()
        rule.check_size(1 + negations)
        n_used = most_features(rule.k, rule.max_disjunctions, 1, n_features, negations)
        n = n_used * (1 + negations)
        count = n_disjunctions(n, rule.k)
        parameters = np.zeros(1, dtype=DIRECT_PARAMETERS)
        parameters["n_features"], parameters["n_used"], parameters["negations"] = n_features, n_used, negations
        parameters["k"], parameters["max_k"] = min(rule.k, n), min(rule.k, MOST)
        parameters["max_disjunctions"] = min(rule.max_disjunctions, MOST)
        parameters["noise"], parameters["always"] = rule.noise, rule.policy == "always"
        parameters["random"], parameters["seed"] = rule.prediction == "probability", seed
        tallies = np.zeros((n_learners, ROOM), dtype=np.int64)
        tallies[:, ROOM // 2] = count
        state = DirectState(
            errors=np.zeros((n_learners, count), dtype=np.int32),
            base=np.zeros(n_learners, dtype=np.int64),
            tallies=tallies,
            lowest=np.full(n_learners, -(ROOM // 2), dtype=np.int64),
            positives=np.zeros(n_learners, dtype=np.int64),
            counts=np.zeros((1 + n_learners, 2), dtype=np.int64),
            parameters=parameters,
        )
        return cls(state)

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Make a learner from the result of :meth:`arrays`."""
        return cls(DirectState(**safe_to_change(arrays)))

    @property
    def n_used(self) -> int:
        """Number of attributes that have disjunctions: the first ones."""
        return self._n_used

    # --- trials -----------------------------------------------------------------------------------------------------

    def learn(self, trials: Trials) -> NDArray[np.int64]:
        """Perform one trial per row and return the labels predicted before each update."""
        labels, frozen = trials.labels, trials.frozen_of(len(self.state.errors))
        rows = self._checked(trials.rows, 0, labels.size)
        shown = whole_presentations(trials)
        predicted = np.empty(shown.order.size, dtype=np.int64)
        copying = shown.order.size > 1 and self.state.errors.size <= COPIED_PER_ROW * shown.order.size
        trial = self._trial if copying else self._undoable_trial
        with all_or_nothing(*((self,) if copying else ())):
            for i, r in enumerate(shown.order.tolist()):
                predicted[i] = trial(self._literals(rows, r), int(labels[r]), frozen)
        return shown.by_row(predicted)

    def _undoable_trial(self, x: ExampleLiterals, label: int, frozen: NDArray[np.bool_]) -> int:
        """Perform one trial, or leave everything as it was; the errors, of which there are many, are not copied."""
        state = self.state
        small = {name: getattr(state, name).copy() for name in ("base", "tallies", "positives", "counts")}
        try:
            return self._trial(x, label, frozen)
        except BaseException:
            self.state = state._replace(**small)
            satisfied = bool(direct.fewer_are_satisfied(self._table, x))
            for k, (errors, lowest) in enumerate(zip(state.errors, state.lowest, strict=True)):
                tally = np.bincount(errors - lowest, minlength=small["tallies"].shape[1])
                if not np.array_equal(tally, small["tallies"][k]):  # they have changed
                    self._walk(k, x, satisfied, -change(satisfied, label == class_of(k, len(frozen))))
            raise

    def _trial(self, x: ExampleLiterals, label: int, frozen: NDArray[np.bool_]) -> int:
        n_learners = len(frozen)
        at_once = self._one["always"] & ~frozen  # an update that does not wait for the prediction saves a walk
        y = [label == class_of(k, n_learners) for k in range(n_learners)]
        opinions = [self._opinion(k, x, y[k] if at_once[k] else None) for k in range(n_learners)]
        own, decisions = self._decisions(opinions, (0, int(self.counts[0, 0])))
        for k, opinion in enumerate(opinions):
            self.counts[1 + k, 1] += (own[k] > 0.0) != y[k]
            if asks_update(self._one, own[k], y[k]) and not frozen[k]:
                self._update(k, x, opinion, y[k], walked=at_once[k])
        self._make_room()
        predicted = int(choose(decisions.reshape(1, -1), 0))
        self.counts[0] += 1, predicted != label
        return predicted

    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return the decisions of all learners on the rows from first to last."""
        rows = self._checked(rows, first, last)
        decisions = np.empty((last - first, len(self.state.errors)))
        for i in range(last - first):
            x = self._literals(rows, first + i)
            opinions = [self._opinion(k, x) for k in range(len(self.state.errors))]
            _, decisions[i] = self._decisions(opinions, (1, content(x)))
        return decisions

    def rank(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return each learner's log-odds of label 1, label noise included, whatever the prediction rule."""
        rows = self._checked(rows, first, last)
        everyone = range(len(self.state.errors))
        examples = [self._literals(rows, r) for r in range(first, last)]
        return np.array([[self._opinion(k, x).decision for k in everyone] for x in examples])

    def literals_of(self, place: int) -> list[int]:
        """Return the literals of the disjunction at a place: attributes, and after all of these their complements."""
        found, after = [], 0
        for more in self._table[::-1]:  # by how many literals may follow
            v = int(np.searchsorted(more - more[after], place, side="right")) - 1
            found.append(v)
            place -= int(more[v] - more[after])
            if place == 0:
                break
            place, after = place - 1, v + 1
        return found

    def _checked(self, rows: Rows, first: int, last: int) -> Rows:
        """Return the rows without the attributes that are left out; refuse rows that are not safe to walk."""
        if self._n_features > self._n_used:
            used = rows.indices < self.n_used
            ends = np.concatenate([[0], np.cumsum(used)])
            rows = Rows(rows.data[used], rows.indices[used], ends[rows.indptr], rows.binarize)
        refuse(csr.check(rows, first, last, self.n_used))
        return rows

    # --- one learner, one example -----------------------------------------------------------------------------------

    def _opinion(self, k: int, x: ExampleLiterals, label: bool | None = None) -> Opinion:
        """Weigh both sides; with a label, the same walk brings the errors (not the tally) up to date."""
        satisfied = bool(direct.fewer_are_satisfied(self._table, x))
        part = self._walk(k, x, satisfied, 0 if label is None else change(satisfied, label))
        sides = direct.weigh(self.state.tallies[k], part, satisfied, self._log_beta)
        noise = float(self._one["noise"])
        decision = log_odds(
            (1 - 2 * noise) * sides.net * sides.net_scale,
            sides.net,
            (1 - noise) * sides.one + noise * sides.zero,
            (1 - noise) * sides.zero + noise * sides.one,
        )
        if not sides.certain:
            decision = settle(decision, self._verdict(k, satisfied, part))
        return Opinion(sides, satisfied, part, decision)

    def _walk(self, k: int, x: ExampleLiterals, satisfied: bool, step: int) -> NDArray[np.int64]:
        """Return the tally of one side, whose errors then change by `step`."""
        tally = np.zeros((4, self.state.tallies.shape[1]), dtype=np.int64)
        direct.walk(self.state.errors[k], self._table, x, satisfied, step, int(self.state.lowest[k]), tally)
        total: NDArray[np.int64] = tally.sum(axis=0)
        return total

    def _verdict(self, k: int, satisfied: bool, part: NDArray[np.int64]) -> int:
        """Determine in integers which side weighs more."""
        net = (2 * part - self.state.tallies[k]) * (1 if satisfied else -1)
        errors = np.flatnonzero(net)
        steps = np.diff(errors).tolist()
        beta = self._beta
        return sign_of_sum(net[errors].tolist(), lambda j: (beta.numerator ** steps[j], beta.denominator ** steps[j]))

    def _decisions(
        self, opinions: list[Opinion], stream: tuple[int, int]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return each learner's own decision, above 0 iff it says 1, and the decisions whose largest gives the label.

        At random, 1 has the odds one : zero if ``log(one / zero) > log(u / (1 - u))`` for a uniform u; and one of many
        labels is drawn in proportion to `one` by the largest ``log(one) + g``, where g follows Gumbel's distribution.
        """
        if not self._one["random"]:
            decisions = np.array([opinion.decision for opinion in opinions])
            return decisions, decisions
        u = np.random.default_rng([int(self._one["seed"]), *stream]).random(len(opinions))
        share = np.array([o.sides.one / (o.sides.one + o.sides.zero) for o in opinions])
        rest = np.array([o.sides.zero / (o.sides.one + o.sides.zero) for o in opinions])
        with np.errstate(divide="ignore"):
            own = np.clip(np.log(share) - np.log(rest), -FARTHEST, FARTHEST) - np.log(u / (1.0 - u))
            gumbel = np.clip(np.log(share), -FARTHEST, None) - np.log(-np.log1p(-u))
        return own, own if len(own) == 1 else gumbel

    def _update(self, k: int, x: ExampleLiterals, opinion: Opinion, y: bool, *, walked: bool) -> None:
        """Add one error to those that were wrong, or subtract one from those that were right, whichever are fewer."""
        step = change(opinion.satisfied, y)
        self.state.base[k] += step < 0
        self.state.positives[k] += y
        self.counts[1 + k, 0] += 1
        if not walked:
            self._walk(k, x, opinion.satisfied, step)
        direct.shift(self.state.tallies[k], opinion.part, step)

    def _make_room(self) -> None:
        """Lengthen the tallies if one has reached an end; only between trials, as opinions have tallies as long."""
        if self.state.tallies[:, 0].any() or self.state.tallies[:, -1].any():
            room = self.state.tallies.shape[1]
            tallies = np.pad(self.state.tallies, ((0, 0), (room, room)))
            self.state = self.state._replace(tallies=tallies, lowest=self.state.lowest - room)

    def _literals(self, rows: Rows, r: int) -> ExampleLiterals:
        x: ExampleLiterals = direct.literals(rows, r, self.n_used, self._negations)
        return x

    # --- growing ----------------------------------------------------------------------------------------------------

    def _extend(self, n_features: int) -> None:
        max_k, most = int(self._one["max_k"]), int(self._one["max_disjunctions"])
        n_used = most_features(max_k, most, self.n_used, n_features, self._negations)
        if n_used > self.n_used:
            self._add_literals(n_used, min(max_k, n_used * (1 + self._negations)))
        self.state.parameters["n_features"] = self._n_features = n_features

    def _add_literals(self, n_used: int, k: int) -> None:
        before = DisjunctionPlaces(self.n_used, self._table)
        after = DisjunctionPlaces(n_used, direct.begins(n_used * (1 + self._negations), k))
        state = self.state
        errors = np.empty((len(state.errors), after.table[-1, -1]), dtype=np.int32)
        for j in range(len(errors)):
            never, updates = state.positives[j], state.counts[1 + j, 0]
            spread(state.errors[j], before, after, never - state.base[j], updates - never - state.base[j], errors[j])
        self.state = state._replace(errors=errors)
        state.parameters["n_used"], state.parameters["k"], self._n_used = n_used, k, n_used
        self._table = after.table
        self._tally()

    def _tally(self) -> None:
        """Count anew how many disjunctions have how many errors."""
        errors = self.state.errors
        low, high = errors.min(axis=1).astype(np.int64), errors.max(axis=1).astype(np.int64)
        room = max(self.state.tallies.shape[1], ROOM, 2 * int((high - low).max()) + 4)
        lowest = low - (room - (high - low)) // 2
        tallies = [np.bincount(each - least, minlength=room) for each, least in zip(errors, lowest, strict=True)]
        self.state = self.state._replace(tallies=np.stack(tallies), lowest=lowest)

    def with_learners(self, sources: Sequence[int | None]) -> Self:
        """Return one learner per class: a copy of the learner that `sources` names, or a new one for None."""
        arrays = self.arrays()
        for name in ("errors", "base", "tallies", "lowest", "positives"):
            arrays[name] = selected(arrays[name], np.zeros_like(arrays[name][0]), sources)
        arrays["counts"] = selected_counts(self.counts, sources)
        arrays["parameters"] = self.state.parameters.copy()
        new = self.from_arrays(arrays)
        new._tally()
        return new

    @staticmethod
    def check_arrays(arrays: Arrays) -> None:
        """Refuse arrays that are not those of one family of learners."""
        lengths = check_arrays(
            arrays,
            {
                "errors": (np.int32, ("learners", "disjunctions")),
                "base": (np.int64, ("learners",)),
                "tallies": (np.int64, ("learners", "room")),
                "lowest": (np.int64, ("learners",)),
                "positives": (np.int64, ("learners",)),
                "counts": (np.int64, ("rows", 2)),
                "parameters": (DIRECT_PARAMETERS, (1,)),
            },
        )
        one, count = arrays["parameters"][0], lengths["disjunctions"]
        n, k = int(one["n_used"]) * (1 + int(one["negations"])), int(one["k"])
        check_consistent(lengths["rows"] == 1 + lengths["learners"] >= 2, "counts")
        check_consistent(0.0 < one["noise"] < 0.5, "noise")
        check_consistent(1 <= k <= n <= count and n_disjunctions(n, k, most=count) == count, "disjunctions")
        check_consistent(k == min(one["max_k"], n) and count <= one["max_disjunctions"], "limits of disjunctions")
        check_consistent(one["n_used"] <= one["n_features"], "attributes")
        for errors, lowest, tally in zip(arrays["errors"], arrays["lowest"].tolist(), arrays["tallies"], strict=True):
            check_consistent(lowest <= errors.min() and errors.max() < lowest + tally.size, "errors out of range")
            check_consistent(np.array_equal(np.bincount(errors - lowest, minlength=tally.size), tally), "tallies")


def change(satisfied: bool, label: bool) -> int:
    """Return what a label adds to the errors of the disjunctions that an example satisfies, or of the others."""
    return -1 if satisfied == label else 1


def content(x: ExampleLiterals) -> int:
    """Return a number that depends on the example alone."""
    return int.from_bytes(blake2b(x.active.tobytes(), digest_size=8).digest(), "little")
