"""Linear rules at work: one learner per rule and class, on attributes that are known or turn up over time.

How a learner grows:

- A new attribute has the weights of one that was 0 in all examples so far. Without negations they are the initial
  ones; those of its complement, which was 1 in every example, took part in every update, and the kernels keep track.
- The rule is that for the present n: theta "auto", initial weights 1/n and all else that depends on n. The log-odds of
  BEG are kept relative to the initial ones, so that with 1/n every weight's odds follow n, its factors since the start
  stay, and an attribute that was 0 so far weighs 1/n, whenever it turned up. Past updates stay as they were made.
- Most often theta alone depends on n, and spare room has the weights of new attributes: then to grow, and to predict
  as if grown, is to write another theta.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core import csr
from winnowkit.core.arrays import check_consistent
from winnowkit.core.csr import Rows, Trials, refuse
from winnowkit.core.growing import scaled
from winnowkit.core.multiclass import PREDICT_ONLY, choose
from winnowkit.core.transaction import all_or_nothing
from winnowkit.linear import kernel
from winnowkit.linear import weights as updates
from winnowkit.linear.rule import LinearRule
from winnowkit.linear.state import begun_state, changed_parameters, check_linear, longer_state, refresh, restored_state
from winnowkit.linear.weights import FRESH, OFFSET, TOTAL, LinearState, Link

RulesFor = Callable[[int], Sequence[LinearRule]]


class Ahead(NamedTuple):
    """The rules for a number of attributes that the learner does not have yet."""

    n_features: int
    rules: Sequence[LinearRule]
    parameters: NDArray[np.void] | None  # None if theta alone changes


@dataclass
class LinearLearner:
    """Linear rules at work on n attributes, with one target per class, in arrays that kernels change in place.

    Examples
    --------
    >>> from winnowkit.linear.rule import Prediction, Update
    >>> def rules_for(n):
    ...     return [LinearRule(Prediction(theta=n), Update(up=1.5, down=1.5))]
    >>> state = begun_state(rules_for(2), n_classes=1, n_features=2, negations=False)
    >>> learner = LinearLearner(state, 2).follow(rules_for)
    >>> learner.trial_active(np.array([0, 1]), 0)  # 1 + 1 >= theta = 2: a false alarm
    1
    >>> learner.grow(3)
    >>> learner.coef.round(2), learner.intercept
    (array([[0.67, 0.67, 1.  ]]), array([-3.]))
    """

    state: LinearState
    n_features: int  # those in use; there may be room for a few more
    rules: Sequence[LinearRule] = ()  # for the present n; learner k has rule k % len(rules)
    rules_for: RulesFor | None = None  # the rules for other n, of a learner that grows
    _ahead: Ahead | None = None  # the n that was asked about last
    _stale: int = 0  # if coef must be summed anew, the parameters having changed: after how many more look-ups
    _foretold: tuple[NDArray[Any], int, int] | None = None  # the example last predicted, by what n, and its label
    _unsettled: bool = False  # whether one of the last two may be set

    def follow(self, rules_for: RulesFor) -> Self:
        """Be able to grow, with these rules for each number of attributes."""
        self.rules_for, self.rules = rules_for, rules_for(self.n_features)
        return self

    # --- state ------------------------------------------------------------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that has to be kept to continue exactly here."""
        arrays = self.state._asdict()
        del arrays["coef"]  # follows from the weights, or is a view of them
        return arrays

    def checkpoint(self) -> dict[str, NDArray[Any]] | None:
        """Copy the arrays; None if nothing has been learned and there is no spare room, so that it can begin anew."""
        if self.counts[0, 0] == 0 and self.n_features == self.state.coef.shape[1]:
            return None
        return {name: array.copy() for name, array in self.arrays().items()}

    def roll_back(self, checkpoint: dict[str, NDArray[Any]] | None) -> None:
        """Be as at the checkpoint."""
        if checkpoint is not None:
            self.state = restored_state(checkpoint)
        else:
            self.state.counts[0, 0] = 1  # no longer new
            updates.begin(self.state)
            self.state.counts[:] = 0
        self._settle()

    def __getstate__(self) -> dict[str, Any]:
        if self.rules_for is None:
            return self.arrays()
        return {"n_features": self.n_features, "rules_for": self.rules_for, **self.arrays()}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        arrays = dict(state)
        n_features, rules_for = arrays.pop("n_features", None), arrays.pop("rules_for", None)
        check_linear(arrays)
        check_consistent((n_features is None) == (rules_for is None), "a learner that cannot grow has no spare room")
        self.state = restored_state(arrays)
        self.n_features = self.state.coef.shape[1] if n_features is None else n_features
        if rules_for is not None:
            self.follow(rules_for)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Trials and wrong labels in the first row; then the updates and mistakes of each learner."""
        return self.state.counts

    @property
    def coef(self) -> NDArray[np.float64]:
        """Decision = coef . x + intercept."""
        self._settle()
        coef: NDArray[np.float64] = self.state.coef / self.state.totals[:, TOTAL, None]
        return coef[:, : self.n_features]

    @property
    def intercept(self) -> NDArray[np.float64]:
        """Decision = coef . x + intercept."""
        totals = self.state.totals
        intercept: NDArray[np.float64] = totals[:, OFFSET] / totals[:, TOTAL] - self.state.parameters["theta"]
        return intercept

    # --- trials -----------------------------------------------------------------------------------------------------

    def learn(self, trials: Trials, decisions: NDArray[np.float64] | None = None) -> NDArray[np.int64]:
        """Run one trial per row and return the labels predicted before each update. Changes nothing if it raises.

        `decisions`, of shape (presentations of rows, learners), is filled in with the decisions before each update.

        But for one case: where copying the weights would take longer than the trials, an interrupt that arrives during
        the trials is raised when all of them have been made.
        """
        self._settle()
        rows, labels, shown = trials.rows, trials.labels, trials.presentations()
        n_learners, n = self.state.coef.shape
        checked = shown.first is not None or rows.data.size < self.state.weights.size
        if checked:  # otherwise it is cheaper to check on the way, and to go back if a row is bad
            refuse(csr.check(rows, 0, labels.size, n))
        frozen, predicted = trials.frozen_of(n_learners), np.empty(shown.order.size, dtype=np.int64)
        room = np.empty((kernel.BLOCK, n_learners))
        recorded = np.empty((0, 0)) if decisions is None else decisions
        plain = None if kernel.are_plain(self.state) else True
        undone_by_copy = not checked or self.state.weights.size <= kernel.SMALL
        with all_or_nothing(*((self,) if undone_by_copy else ())):
            refuse(
                kernel.learn(
                    self.state,
                    rows,
                    labels,
                    shown.order,
                    shown.parts,
                    frozen,
                    checked,
                    predicted,
                    room,
                    recorded,
                    plain,
                )
            )
        return shown.by_row(predicted)

    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return the decisions of all learners on the rows from first to last."""
        self._settle()
        refuse(csr.check(rows, first, last, self.state.coef.shape[1]))
        decisions = np.empty((last - first, self.state.coef.shape[0]))
        kernel.decide(self.state, rows, first, decisions)
        return decisions

    def trial_active(self, indices: NDArray[Any], label: int) -> int:
        """Run one trial on the active indices alone; see :func:`winnowkit.linear.kernel.trial_active`."""
        if self._unsettled and self._is_done(indices, label):
            return label
        predicted: int = kernel.trial_active(*self.state, indices, label)
        return predicted

    def _is_done(self, indices: NDArray[Any], label: int) -> bool:
        """Count the trial, if it was foretold rightly and nothing is to be learned; else sum anew what it looks up."""
        foretold, self._foretold = self._foretold, None
        if foretold is not None and foretold[0] is indices and foretold[1:] == (self.n_features, label):
            self.state.counts[0, 0] += 1
            return True
        if self._stale > indices.size:
            self._stale -= indices.size
            updates.refresh_at(*self.state, indices)
        else:
            self._settle()
        return False

    def _settle(self) -> None:
        """Sum anew all that is stale: for single look-ups, only once they have cost as much."""
        if self._stale:
            refresh(self.state)
        self._stale, self._foretold, self._unsettled = 0, None, False

    # --- growing ----------------------------------------------------------------------------------------------------

    def grow(self, n_features: int) -> None:
        """Take in attributes that were 0 so far, up to n_features in all; from now on by the rule for that many."""
        self._have_room(n_features)
        _, rules, parameters = self._look_ahead(n_features)
        first, before = self.n_features, self.rules
        self.n_features, self.rules, self._ahead = n_features, rules, None
        if parameters is None:
            self._write_thetas(rules)
            return
        self.state = self.state._replace(parameters=parameters)
        if rules != before and any(rule.prediction.link != Link.WEIGHT for rule in rules):
            self._stale, self._unsettled = n_features, True
        if self._negations or any(rule.prediction.normalized for rule in rules):
            totals, normalized = self.state.totals, parameters["normalized"]
            fresh = totals[:, FRESH:]
            self.state.weights[:, :, first:n_features] = fresh[:, :, None]
            totals[normalized, TOTAL] += (n_features - first) * fresh[normalized].sum(axis=1)
            if self._negations:
                refresh(self.state)
                self._stale = 0
            else:
                updates.refresh_at(*self.state, np.arange(first, n_features))

    def _have_room(self, n_features: int) -> None:
        """Have arrays for at least so many attributes."""
        capacity = self.state.coef.shape[1]
        if n_features > capacity:
            # With negations the complement of spare room would count; and an update costs time in n anyway.
            self.state = longer_state(self.state, n_features if self._negations else max(n_features, 2 * capacity))

    def _look_ahead(self, n_features: int) -> Ahead:
        """The rules for so many attributes: those that a prediction asked for serve when learning follows."""
        if self._ahead is None or self._ahead.n_features != n_features:
            if self.rules_for is None:
                raise ValueError("this learner cannot grow: it was not given the rules for other numbers of attributes")
            rules = self.rules_for(n_features)
            alone = not self._negations and all(map(differ_in_theta_alone, self.rules, rules))
            self._ahead = Ahead(n_features, rules, None if alone else self._changed_parameters(rules))
        return self._ahead

    def _changed_parameters(self, rules: Sequence[LinearRule]) -> NDArray[np.void]:
        return changed_parameters(self.state.parameters, self.rules, rules)

    def _write_thetas(self, rules: Sequence[LinearRule]) -> None:
        thetas = self.state.parameters["theta"]
        for m, rule in enumerate(rules):
            thetas[m :: len(rules)] = rule.prediction.theta

    def with_learners(self, sources: Sequence[int | None]) -> Self:
        """Learners for other classes: copies of the present ones that `sources` names, and new ones for None."""
        new = self._begun(len(sources))
        state, n_rules = new.state, len(self.rules)
        state.counts[0] = self.state.counts[0]
        normalized = state.parameters["normalized"]
        state.weights[normalized, :, self.n_features :] = 0.0
        state.totals[normalized, TOTAL] = state.weights[normalized].sum(axis=(1, 2))
        for c, source in enumerate(sources):
            if source is not None:
                here = slice(c * n_rules, (c + 1) * n_rules)
                there = slice(source * n_rules, (source + 1) * n_rules)
                state.weights[here], state.totals[here] = self.state.weights[there], self.state.totals[there]
                state.counts[1:][here] = self.state.counts[1:][there]
        refresh(state)
        return new

    def _begun(self, n_classes: int) -> Self:
        """Return learners of the same rules for so many classes that have seen nothing."""
        return type(self)(self._begun_state(n_classes), self.n_features, self.rules, self.rules_for)

    def _begun_state(self, n_classes: int) -> LinearState:
        return begun_state(self.rules, n_classes, self.state.coef.shape[1], self._negations)

    @property
    def _negations(self) -> bool:
        return bool(self.state.parameters["negations"][0])

    # --- looking ahead ----------------------------------------------------------------------------------------------

    def predict_active(self, indices: NDArray[np.int64], n_features: int) -> int:
        """Predict the label of an example with n_features attributes, given the active ones; nothing changes."""
        if n_features == self.n_features:
            predicted = self.trial_active(indices, PREDICT_ONLY)
        else:
            _, rules, parameters = self._look_ahead(n_features)
            predicted = (
                self._predict_with(rules, indices, n_features)
                if parameters is None
                else choose(self.foresee(indices, None, n_features, ranking=False)[None], 0)
            )
        if self._learns_from_mistakes_alone:
            self._foretold, self._unsettled = (indices, n_features, predicted), True
        return predicted

    @property
    def _learns_from_mistakes_alone(self) -> bool:
        """Whether an example that is predicted rightly leaves all but the number of trials as it was."""
        rule = self.rules[0]
        return len(self.state.coef) == 1 and rule.policy == "mistake" and rule.margin == 0.0

    def _predict_with(self, rules: Sequence[LinearRule], indices: NDArray[np.int64], n_features: int) -> int:
        """Predict with the thetas of other rules."""
        self._have_room(n_features)
        self._write_thetas(rules)
        try:
            return self.trial_active(indices, PREDICT_ONLY)
        finally:
            self._write_thetas(self.rules)

    def foresee(
        self, indices: NDArray[np.int64], data: NDArray[np.float64] | None, n_features: int, *, ranking: bool
    ) -> NDArray[np.float64]:
        """Return the decisions (with `ranking`: the ranks) on one example as if the learner had grown; nothing changes.

        `indices` are the active attributes, new ones from the present n on; `data` are their values, None if all are 1.
        """
        n_new = n_features - self.n_features
        parameters = self.state.parameters
        if n_new:
            _, rules, ahead = self._look_ahead(n_features)
            parameters = self._changed_parameters(rules) if ahead is None else ahead
        decisions: NDArray[np.float64] = kernel.foresee(
            *self.state[:-1], parameters, indices, data, self.n_features, n_new
        )
        return self._ranks(decisions[None], parameters)[0] if ranking else decisions

    def rank(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return decisions in units of theta, or log-odds where they are such."""
        return self._ranks(LinearLearner.decide(self, rows, first, last), self.state.parameters)

    def _ranks(self, decisions: NDArray[np.float64], parameters: NDArray[np.void]) -> NDArray[np.float64]:
        return scaled(decisions, units(parameters))


def differ_in_theta_alone(before: LinearRule, after: LinearRule) -> bool:
    """Whether a larger n asks for another theta and nothing else: the sum of all weights would change too."""
    prediction = after.prediction
    return not prediction.normalized and before.prediction[1:] == prediction[1:] and before[1:] == after[1:]


def units(parameters: NDArray[np.void]) -> NDArray[np.float64]:
    """Divisors that make decisions comparable while n grows; those of Bayes-BEG are log-odds already."""
    theta = parameters["theta"]
    found: NDArray[np.float64] = np.where((parameters["link"] == Link.BAYES) | (theta == 0.0), 1.0, theta)
    return found
