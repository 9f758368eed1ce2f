"""The direct algorithm: a posterior over all small disjunctions (Helmbold, Panizza & Warmuth, section 3).

A disjunction that erred m times has weight beta^m, beta = noise / (1 - noise): Bayes' posterior under label noise, to a
scale, and Littlestone & Warmuth's Weighted Majority. Predict 1 iff the disjunctions that say 1 weigh more than the
others; or, at random, with the probability that is their share of the weight (the paper's note 3).

What is kept is the number of errors, an integer, so nothing drifts, and their tally: how many disjunctions have how
many errors. A near tie is decided in integers, the noise being the decimal fraction it is written as.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from math import comb, inf, log
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core import csr
from winnowkit.core.arrays import check_arrays, check_consistent
from winnowkit.core.csr import Rows
from winnowkit.core.learner import BadRowsError, require
from winnowkit.core.multiclass import PREDICT_ONLY, choose
from winnowkit.core.policy import Policy, asks_update, check_policy
from winnowkit.counting import direct_bayes_kernel as direct
from winnowkit.counting.direct_bayes_kernel import Literals, Sides
from winnowkit.counting.exact_sign import sign_of_sum
from winnowkit.counting.lead_counts import log_odds, settle

PredictionRule = Literal["majority", "probability"]
ROOM = 64  # for error counts at the start
FARTHEST = 700.0  # decisions, where a logarithm would be infinite
PARAMETERS = np.dtype(
    [
        ("n", np.int64),
        ("k", np.int64),
        ("negations", np.bool_),
        ("noise", np.float64),
        ("always", np.bool_),
        ("margin", np.float64),
        ("random", np.bool_),
        ("seed", np.int64),
    ]
)


def n_disjunctions(n: int, k: int, most: float = inf) -> int:
    """How many disjunctions of 1 to k of n literals there are; if more than `most`, a number above it.

    Examples
    --------
    >>> n_disjunctions(200, 3)
    1333500
    """
    total = 0
    for size in range(1, min(k, n) + 1):
        total += comb(n, size)
        if total > most:
            break
    return total


class DirectBayesRule(NamedTuple):
    """Parameters of the direct algorithm."""

    k: int
    noise: float
    max_disjunctions: int
    prediction: PredictionRule
    policy: Policy

    def check(self, n: int) -> None:
        """Refuse parameters that mean nothing, and more disjunctions than allowed."""
        check_policy(self.policy)
        require(isinstance(self.k, (int, np.integer)) and self.k >= 1, "k must be an integer >= 1", self.k)
        require(0.0 < self.noise < 0.5, "noise must be in (0, 1/2)", self.noise)
        require(
            self.prediction in ("majority", "probability"),
            "prediction must be 'majority' or 'probability'",
            self.prediction,
        )
        count = n_disjunctions(n, self.k)
        require(
            count <= self.max_disjunctions,
            f"the disjunctions of at most {self.k} of {n} literals must be no more than max_disjunctions = "
            f"{self.max_disjunctions} (take a smaller k, or ThresholdedBEG with one weight a literal)",
            count,
        )


class Opinion(NamedTuple):
    """What one learner has to say about an example."""

    sides: Sides
    satisfied: bool  # which side was walked
    part: NDArray[np.int64]  # its tally
    decision: float


@dataclass
class DirectLearner:
    """The direct algorithm at work: one target a learner."""

    errors: NDArray[np.int32]  # (learners, disjunctions): but for `base`
    base: NDArray[np.int64]  # (learners,): to be added
    tallies: NDArray[np.int64]  # (learners, room): how many disjunctions have `lowest`, `lowest` + 1, ... errors
    lowest: NDArray[np.int64]  # (learners,)
    positives: NDArray[np.int64]  # (learners,): updates on label 1, the errors of a disjunction that is never true
    counts: NDArray[np.int64]  # (1 + learners, 2)
    parameters: NDArray[np.void]  # one record of PARAMETERS

    def __post_init__(self) -> None:
        self._one = self.parameters[0]
        self._table = direct.begins(int(self._one["n"]) * (1 + int(self._one["negations"])), int(self._one["k"]))
        noise = Fraction(repr(float(self._one["noise"])))
        self._beta = noise / (1 - noise)
        self._log_beta = log(self._beta)

    @classmethod
    def begin(cls, rule: DirectBayesRule, n_features: int, n_learners: int, negations: bool, seed: int) -> Self:
        """A learner that has seen nothing."""
        n = n_features * (1 + negations)
        rule.check(n)
        count = n_disjunctions(n, rule.k)
        parameters = np.zeros(1, dtype=PARAMETERS)
        parameters["n"], parameters["k"], parameters["negations"] = n_features, min(rule.k, n), negations
        parameters["noise"], parameters["always"] = rule.noise, rule.policy == "always"
        parameters["random"], parameters["seed"] = rule.prediction == "probability", seed
        tallies = np.zeros((n_learners, ROOM), dtype=np.int64)
        tallies[:, ROOM // 2] = count
        return cls(
            errors=np.zeros((n_learners, count), dtype=np.int32),
            base=np.zeros(n_learners, dtype=np.int64),
            tallies=tallies,
            lowest=np.full(n_learners, -(ROOM // 2), dtype=np.int64),
            positives=np.zeros(n_learners, dtype=np.int64),
            counts=np.zeros((1 + n_learners, 2), dtype=np.int64),
            parameters=parameters,
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """A learner from what :meth:`arrays` gave."""
        return cls(**{name: np.require(array, requirements=["C", "W"]) for name, array in arrays.items()})

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that has to be kept to continue exactly here."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __getstate__(self) -> dict[str, NDArray[Any]]:
        return self.arrays()

    def __setstate__(self, arrays: dict[str, NDArray[Any]]) -> None:
        check_direct(arrays)
        self.__dict__ = self.from_arrays(arrays).__dict__

    # --- trials -----------------------------------------------------------------------------------------------------

    def learn(
        self,
        rows: Rows,
        labels: NDArray[np.int64],
        order: NDArray[np.int64] | None = None,
        frozen: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        """One trial a row: the labels predicted before each update. Raises BadRowsError with nothing changed."""
        self._check(rows, 0, labels.size)
        n_learners = len(self.errors)
        if frozen is None:
            frozen = np.zeros(n_learners, dtype=np.bool_)
        at_once = self._one["always"] & ~frozen  # an update that does not wait for the prediction saves a walk
        predicted = np.empty(labels.size, dtype=np.int64)
        for r in range(labels.size) if order is None else order.tolist():
            x = self._literals(rows, r)
            y = [bool(labels[r] == (1 if n_learners == 1 else k)) for k in range(n_learners)]
            opinions = [self._opinion(k, x, y[k] if at_once[k] else None) for k in range(n_learners)]
            own, decisions = self._decisions(opinions, (0, int(self.counts[0, 0])))
            for k, opinion in enumerate(opinions):
                self.counts[1 + k, 1] += (own[k] > 0.0) != y[k]
                if asks_update(self._one, own[k], y[k]) and not frozen[k]:
                    self._update(k, x, opinion, y[k], walked=at_once[k])
            self._make_room()
            predicted[r] = choose(decisions.reshape(1, -1), 0)
            self.counts[0] += 1, predicted[r] != labels[r]
        return predicted

    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Decisions of all learners on the rows from first to last."""
        self._check(rows, first, last)
        decisions = np.empty((last - first, len(self.errors)))
        for i in range(last - first):
            x = self._literals(rows, first + i)
            opinions = [self._opinion(k, x) for k in range(len(self.errors))]
            _, decisions[i] = self._decisions(opinions, (1, content(x)))
        return decisions

    def log_odds(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Log-odds of label 1 for each learner, label noise included, whatever the prediction rule."""
        self._check(rows, first, last)
        everyone = range(len(self.errors))
        examples = [self._literals(rows, r) for r in range(first, last)]
        return np.array([[self._opinion(k, x).decision for k in everyone] for x in examples])

    def trial_active(self, indices: NDArray[Any], label: int) -> int:
        """One trial on the active indices alone: the label predicted; -1 if unsorted, -2 if out of range."""
        rows = Rows(np.ones(indices.size), indices, np.array([0, indices.size], dtype=indices.dtype), 0.0)
        try:
            if label == PREDICT_ONLY:
                return int(choose(self.decide(rows, 0, 1), 0))
            return int(self.learn(rows, np.array([label]))[0])
        except BadRowsError as bad:
            return -1 if bad.flags == csr.UNSORTED else -2

    # --- one learner, one example -----------------------------------------------------------------------------------

    def _opinion(self, k: int, x: Literals, label: bool | None = None) -> Opinion:
        """Weights of both sides; with a label, the errors are brought up to date in the same walk (not the tally)."""
        satisfied = bool(direct.fewer_are_satisfied(self._table, x))
        part = self._walk(k, x, satisfied, 0 if label is None else change(satisfied, label))
        sides = direct.weigh(self.tallies[k], part, satisfied, self._log_beta)
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

    def _walk(self, k: int, x: Literals, satisfied: bool, step: int) -> NDArray[np.int64]:
        """Tally of one side, whose errors then change by `step`."""
        tally = np.zeros((4, self.tallies.shape[1]), dtype=np.int64)
        direct.walk(self.errors[k], self._table, x, satisfied, step, int(self.lowest[k]), tally)
        total: NDArray[np.int64] = tally.sum(axis=0)
        return total

    def _verdict(self, k: int, satisfied: bool, part: NDArray[np.int64]) -> int:
        """Which side weighs more, in integers."""
        net = (2 * part - self.tallies[k]) * (1 if satisfied else -1)
        errors = np.flatnonzero(net)
        gaps = np.diff(errors).tolist()
        beta = self._beta
        return sign_of_sum(net[errors].tolist(), lambda j: (beta.numerator ** gaps[j], beta.denominator ** gaps[j]))

    def _decisions(
        self, opinions: list[Opinion], stream: tuple[int, int]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Each learner's own decision, above 0 iff it says 1, and those whose largest gives the label.

        At random, 1 has the odds one : zero if ``log(one / zero) > log(u / (1 - u))`` for a uniform u; and one of many
        labels is drawn in proportion to `one` by the largest ``log(one) + g``, g of Gumbel's distribution.
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

    def _update(self, k: int, x: Literals, opinion: Opinion, y: bool, *, walked: bool) -> None:
        """One more error for those that were wrong, or one less for those that were right, whichever are fewer."""
        step = change(opinion.satisfied, y)
        self.base[k] += step < 0
        self.positives[k] += y
        self.counts[1 + k, 0] += 1
        if not walked:
            self._walk(k, x, opinion.satisfied, step)
        direct.shift(self.tallies[k], opinion.part, step)

    def _make_room(self) -> None:
        """Lengthen the tallies if one has reached an end; only between trials, as opinions have tallies as long."""
        if self.tallies[:, 0].any() or self.tallies[:, -1].any():
            room = self.tallies.shape[1]
            self.tallies = np.pad(self.tallies, ((0, 0), (room, room)))
            self.lowest = self.lowest - room

    def _literals(self, rows: Rows, r: int) -> Literals:
        x: Literals = direct.literals(rows, r, int(self._one["n"]), bool(self._one["negations"]))
        return x

    def _check(self, rows: Rows, first: int, last: int) -> None:
        flags = csr.check(rows, first, last, int(self._one["n"]))
        if flags:
            raise BadRowsError(flags)


def change(satisfied: bool, label: bool) -> int:
    """What a label adds to the errors of the disjunctions that an example satisfies, or of the others."""
    return -1 if satisfied == label else 1


def content(x: Literals) -> int:
    """A number that follows from what an example is."""
    return int.from_bytes(blake2b(x.active.tobytes(), digest_size=8).digest(), "little")


def check_direct(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Refuse arrays that are not of one family of learners."""
    lengths = check_arrays(
        arrays,
        {
            "errors": (np.int32, ("learners", "disjunctions")),
            "base": (np.int64, ("learners",)),
            "tallies": (np.int64, ("learners", "room")),
            "lowest": (np.int64, ("learners",)),
            "positives": (np.int64, ("learners",)),
            "counts": (np.int64, ("rows", 2)),
            "parameters": (PARAMETERS, (1,)),
        },
    )
    one, count = arrays["parameters"][0], lengths["disjunctions"]
    n, k = int(one["n"]) * (1 + int(one["negations"])), int(one["k"])
    check_consistent(lengths["rows"] == 1 + lengths["learners"] >= 2, "counts")
    check_consistent(0.0 < one["noise"] < 0.5, "noise")
    check_consistent(1 <= k <= n <= count and n_disjunctions(n, k, most=count) == count, "disjunctions")
    for errors, lowest, tally in zip(arrays["errors"], arrays["lowest"].tolist(), arrays["tallies"], strict=True):
        check_consistent(lowest <= errors.min() and errors.max() < lowest + tally.size, "errors out of range")
        check_consistent(np.array_equal(np.bincount(errors - lowest, minlength=tally.size), tally), "tallies")
