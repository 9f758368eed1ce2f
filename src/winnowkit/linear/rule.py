"""A rule is a prediction rule, an update function and an update policy (Helmbold, Panizza & Warmuth, section 1).

A :class:`Rule` is three small records of numbers; :class:`LinearLearner` puts one to work on n attributes and one
target a class. A new linear algorithm is a function that returns its Rule: see CONTRIBUTING.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core import csr
from winnowkit.core.arrays import check_arrays, check_consistent
from winnowkit.core.csr import Rows
from winnowkit.core.learner import BadRowsError, require
from winnowkit.core.policy import Policy
from winnowkit.linear import kernel as linear
from winnowkit.linear import weights as updates
from winnowkit.linear.votes import Votes
from winnowkit.linear.weights import Link


class Prediction(NamedTuple):
    """1 iff the score is at least theta (`strict`: greater)."""

    theta: float
    strict: bool = False
    link: Link = Link.WEIGHT
    normalized: bool = False  # divide the score by the sum of all weights
    shift: float = 0.0  # this and the next two: of Link.BAYES
    beta0: float = 0.0
    beta1: float = 0.0


class Update(NamedTuple):
    """What an update does to the state of an active weight.

    A weight is multiplied by `up` on label 1 and divided by `down` on label 0 (dividing by alpha undoes a promotion to
    the last bit, multiplying by 1/alpha does not); log-odds have `up` or `down` added.
    """

    up: float
    down: float
    initial: float = 1.0  # of each weight: a probability, if the state is log-odds
    floor: float = 0.0
    balanced: bool = False  # a second weight an attribute, counted and updated the other way round


class Rule(NamedTuple):
    """An on-line algorithm, for a given number of weights."""

    prediction: Prediction
    update: Update
    policy: Policy = "mistake"
    margin: float = 0.0  # also update when the score is this close to theta

    def fields(self) -> list[tuple[str, Any]]:
        """All numbers by their names in :data:`winnowkit.linear.weights.PARAMETERS`."""
        names = (*Prediction._fields, *Update._fields, "always", "margin")
        return list(zip(names, (*self.prediction, *self.update, self.policy == "always", self.margin), strict=True))


@dataclass
class LinearLearner:
    """A linear rule at work: n attributes, one target a learner, all in arrays that kernels change in place."""

    state: updates.State
    _votes: ClassVar[Votes | None] = None  # learners that are not a committee do not vote

    @classmethod
    def begin(cls, rules: Sequence[Rule], n_features: int, negations: bool) -> Self:
        """A learner a rule that has seen nothing; all of them balanced, or none."""
        balanced = rules[0].update.balanced
        require(all(rule.update.balanced == balanced for rule in rules), "all rules must be balanced, or none", "some")
        parameters = np.zeros(len(rules), dtype=updates.PARAMETERS)
        for rule, record in zip(rules, parameters, strict=True):
            record["negations"] = negations
            for name, value in rule.fields():
                record[name] = value
        n_blocks = (1 + negations) * (1 + balanced)
        state = _state(
            {
                "weights": np.zeros((len(rules), n_blocks, n_features)),
                "totals": np.zeros((len(rules), updates.FRESH + n_blocks)),
                "counts": np.zeros((1 + len(rules), 2), dtype=np.int64),
                "parameters": parameters,
            }
        )
        updates.begin(state)
        return cls(state)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """A learner from what :meth:`arrays` gave."""
        state = _state({name: np.require(array, requirements=["C", "W"]) for name, array in arrays.items()})
        for k in range(state.coef.shape[0]):
            updates.refresh(state, k)
        return cls(state)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that has to be kept to continue exactly here."""
        arrays = self.state._asdict()
        del arrays["coef"]  # follows from the weights, or is a view of them
        return arrays

    def __getstate__(self) -> dict[str, NDArray[Any]]:
        return self.arrays()

    def __setstate__(self, arrays: dict[str, NDArray[Any]]) -> None:
        check_linear(arrays)
        self.state = type(self).from_arrays(arrays).state

    @property
    def counts(self) -> NDArray[np.int64]:
        """Trials and wrong labels; then, a row a learner, updates and mistakes of its own."""
        return self.state.counts

    @property
    def coef(self) -> NDArray[np.float64]:
        """Decision = coef . x + intercept."""
        coef: NDArray[np.float64] = self.state.coef / self.state.totals[:, updates.TOTAL, None]
        return coef

    @property
    def intercept(self) -> NDArray[np.float64]:
        """Decision = coef . x + intercept."""
        totals = self.state.totals
        intercept: NDArray[np.float64] = (
            totals[:, updates.OFFSET] / totals[:, updates.TOTAL] - self.state.parameters["theta"]
        )
        return intercept

    def learn(
        self,
        rows: Rows,
        labels: NDArray[np.int64],
        order: NDArray[np.int64] | None = None,
        frozen: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        """One trial a row: the labels predicted before each update. Raises BadRowsError with nothing changed."""
        checked = order is not None or rows.data.size < self.state.weights.size
        before = None
        if checked:
            self._refuse(csr.check(rows, 0, labels.size, self.state.coef.shape[1]))
        else:  # cheaper: check on the way, a block of rows at a time, and go back if one is bad
            before = self.snapshot()
        if order is None:
            order = np.arange(labels.size)
        if frozen is None:
            frozen = np.zeros(self.state.coef.shape[0], dtype=np.bool_)
        predicted = np.empty(labels.size, dtype=np.int64)
        decisions = np.empty((linear.BLOCK, len(frozen)))
        flags = linear.learn(self.state, rows, labels, order, frozen, checked, predicted, decisions, self._votes)
        if flags and not checked:
            self.go_back(before)
        self._refuse(flags)
        return predicted

    def snapshot(self) -> dict[str, NDArray[Any]] | None:
        """What :meth:`go_back` needs; nothing if nothing has been learned yet."""
        return {name: array.copy() for name, array in self.arrays().items()} if self.counts[0, 0] else None

    def go_back(self, before: dict[str, NDArray[Any]] | None) -> None:
        """Be as at the snapshot."""
        if before is not None:
            self.__setstate__(before)
        else:
            self.state.counts[0, 0] = 1  # no longer new
            updates.begin(self.state)
            self.state.counts[:] = 0

    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Decisions of all learners on the rows from first to last."""
        self._refuse(csr.check(rows, first, last, self.state.coef.shape[1]))
        decisions = np.empty((last - first, self.state.coef.shape[0]))
        linear.decide(self.state, rows, first, decisions)
        return decisions

    def trial_active(self, indices: NDArray[Any], label: int) -> int:
        """One trial on the active indices alone; see :func:`winnowkit.linear.kernel.trial_active`."""
        predicted: int = linear.trial_active(*self.state, indices, label)
        return predicted

    @staticmethod
    def _refuse(flags: int) -> None:
        if flags:
            raise BadRowsError(flags)


def check_linear(arrays: Mapping[str, NDArray[Any]]) -> int:
    """Refuse arrays that are not of one family of learners; how many learners there are."""
    lengths = check_arrays(
        arrays,
        {
            "weights": (np.float64, ("learners", "blocks", "n")),
            "totals": (np.float64, ("learners", "totals")),
            "counts": (np.int64, ("rows", 2)),
            "parameters": (updates.PARAMETERS, ("learners",)),
        },
    )
    blocks = (1 + arrays["parameters"]["negations"]) * (1 + arrays["parameters"]["balanced"])
    check_consistent(lengths["learners"] >= 1 and lengths["n"] >= 1, "it has no weights")
    check_consistent((blocks == lengths["blocks"]).all(), "weights an attribute")
    check_consistent(lengths["totals"] == updates.FRESH + lengths["blocks"], "totals")
    check_consistent(lengths["rows"] == 1 + lengths["learners"], "counts")
    return lengths["learners"]


def _state(arrays: Mapping[str, NDArray[Any]]) -> updates.State:
    """A state with these arrays; its `coef` is a view of the weights where they are the same, else not filled in.

    In memory an attribute's coefficients of all learners are neighbours, as all learners look the same ones up.
    """
    weights = arrays["weights"]
    shared = weights.shape[1] == 1 and (arrays["parameters"]["link"] == Link.WEIGHT).all()
    return updates.State(coef=weights[:, 0] if shared else np.empty(weights[:, 0].shape[::-1]).T, **arrays)
