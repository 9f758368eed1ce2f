"""Linear learners whose attributes and classes turn up over time.

- A new attribute has the weights of one that was 0 in all examples so far. Without negations they are the initial
  ones; those of its complement, which was 1 in every example, took part in every update, and the kernels keep track.
- The rule is that for the present n: theta "auto", initial weights 1/n and all else that depends on n. The log-odds of
  BEG are kept relative to the initial ones, so that with 1/n every weight's odds follow n, its factors since the start
  stay, and an attribute that was 0 so far weighs 1/n, whenever it turned up. Past updates stay as they were made.
- Most often theta alone depends on n, and room to spare has the weights of new attributes: then to grow, and to predict
  as if grown, is to write another theta.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows
from winnowkit.core.growing import scaled
from winnowkit.core.multiclass import PREDICT_ONLY, chosen
from winnowkit.linear import growth_kernel as growth
from winnowkit.linear import weights as updates
from winnowkit.linear.rule import LinearLearner, Rule
from winnowkit.linear.weights import Link

RulesFor = Callable[[int], Sequence[Rule]]


class Ahead(NamedTuple):
    """What it takes to have so many attributes."""

    n_features: int
    rules: Sequence[Rule]
    parameters: NDArray[np.void] | None  # None if other thetas are all that changes


@dataclass
class GrowingLinear(LinearLearner):
    """Linear learners with room for more attributes.

    Examples
    --------
    >>> from winnowkit.linear.winnow_rules import winnow2
    >>> def rules_for(n):
    ...     return [winnow2(n, 1.5, "auto", 0.0)]
    >>> learner = GrowingLinear.begin(rules_for(2), 2, False).follow(rules_for, 2)
    >>> learner.trial_active(np.array([0, 1]), 0)  # 1 + 1 >= theta = 2: a false alarm
    1
    >>> learner.grow(3)
    >>> learner.coef.round(2), learner.intercept
    (array([[0.67, 0.67, 1.  ]]), array([-3.]))
    """

    n_features: int = 0  # those in use; a few more have room
    rules_for: RulesFor | None = None  # the rules for so many attributes; learner k has rule k % len(rules)
    rules: Sequence[Rule] = ()  # those for the present n
    stale: int = 0  # if coef must be summed anew, the parameters having changed: after how many more look-ups
    _ahead: Ahead | None = None  # an n that was asked about; see `_look_ahead`
    _foretold: tuple[NDArray[Any], int, int] | None = None  # the example last predicted, by what n, and its label

    def follow(self, rules_for: RulesFor, n_features: int) -> Self:
        """Begin to grow."""
        self.rules_for, self.rules, self.n_features = rules_for, rules_for(n_features), n_features
        return self

    # --- growing ----------------------------------------------------------------------------------------------------

    def grow(self, n_features: int) -> None:
        """Take in attributes that were 0 so far, up to n_features in all; from now on by the rule for that many."""
        self._have_room(n_features)
        _, rules, parameters = self._look_ahead(n_features)
        self._ahead = None
        if parameters is None:
            self._write_thetas(rules)
            self.n_features, self.rules = n_features, rules
            return
        if rules != self.rules and any(rule.prediction.link != Link.WEIGHT for rule in rules):
            self.stale = n_features
        first, self.n_features = self.n_features, n_features
        self.state, self.rules = self.state._replace(parameters=parameters), rules
        if self._negations or any(rule.prediction.normalized for rule in rules):
            totals, normalized = self.state.totals, parameters["normalized"]
            fresh = totals[:, updates.FRESH :]
            self.state.weights[:, :, first:n_features] = fresh[:, :, None]
            totals[normalized, updates.TOTAL] += (n_features - first) * fresh[normalized].sum(axis=1)
            if self._negations:
                self._refresh()
            else:
                growth.refresh_at(*self.state, np.arange(first, n_features))

    def _have_room(self, n_features: int) -> None:
        """Have arrays for so many attributes at least."""
        if n_features > self.state.coef.shape[1]:
            # With negations the complement of room to spare would count; and an update costs time in n anyway.
            self._make_room(n_features if self._negations else max(n_features, 2 * self.state.coef.shape[1]))

    def _make_room(self, capacity: int) -> None:
        """Lengthen the arrays. Room to spare has the weights of new attributes, or none if all weights are summed."""
        weights, normalized = self.state.weights, self.state.parameters["normalized"]
        n_learners, n_blocks, n = weights.shape
        longer = np.zeros((n_learners, n_blocks, capacity))
        longer[:, :, :n] = weights
        longer[~normalized, :, n:] = self.state.totals[~normalized, updates.FRESH :, None]
        # Not by `from_arrays`, which would sum every coefficient anew, each time.
        if self._shared:
            self.state = self.state._replace(weights=longer, coef=longer[:, 0])
            return
        coef = np.empty((capacity, n_learners)).T
        coef[:, :n] = self.state.coef
        self.state = self.state._replace(weights=longer, coef=coef)
        growth.refresh_at(*self.state, np.arange(n, capacity))

    def _look_ahead(self, n_features: int) -> Ahead:
        """What so many attributes ask for. What a prediction asked about serves when learning follows."""
        if self._ahead is None or self._ahead.n_features != n_features:
            assert self.rules_for is not None
            rules = self.rules_for(n_features)
            alone = not self._negations and all(map(differ_in_theta_alone, self.rules, rules))
            self._ahead = Ahead(n_features, rules, None if alone else self._parameters_of(rules))
        return self._ahead

    def _write_thetas(self, rules: Sequence[Rule]) -> None:
        thetas = self.state.parameters["theta"]
        for m, rule in enumerate(rules):
            thetas[m :: len(rules)] = rule.prediction.theta

    def _parameters_of(self, rules: Sequence[Rule]) -> NDArray[np.void]:
        """The parameters in force, changed into those of other rules."""
        # Records copied as bytes: numpy takes ten times as long field by field.
        parameters = np.frombuffer(bytearray(self.state.parameters.tobytes()), dtype=updates.PARAMETERS)
        for m, (before, after) in enumerate(zip(self.rules, rules, strict=True)):
            change(parameters[m :: len(rules)], before, after)
        return parameters

    def with_learners(self, sources: Sequence[int | None]) -> Self:
        """A learner a class: a copy of the present one that `sources` names, or for None one that has seen nothing."""
        new = type(self)(*self._begun_anew(len(sources)))
        new.rules_for, new.rules, new.n_features = self.rules_for, self.rules, self.n_features
        state, n_members = new.state, len(self.rules)
        state.counts[0] = self.state.counts[0]
        normalized = state.parameters["normalized"]
        state.weights[normalized, :, self.n_features :] = 0.0
        state.totals[normalized, updates.TOTAL] = state.weights[normalized].sum(axis=(1, 2))
        for c, source in enumerate(sources):
            if source is not None:
                here = slice(c * n_members, (c + 1) * n_members)
                there = slice(source * n_members, (source + 1) * n_members)
                state.weights[here], state.totals[here] = self.state.weights[there], self.state.totals[there]
                state.counts[1:][here] = self.state.counts[1:][there]
        new._refresh()
        return new

    def _begun_anew(self, n_classes: int) -> tuple[Any, ...]:
        """What learners for so many classes are made of that have seen nothing."""
        rules = [*self.rules] * n_classes
        return (LinearLearner.begin(rules, self.state.coef.shape[1], self._negations).state,)

    # --- trials -----------------------------------------------------------------------------------------------------

    def trial_active(self, indices: NDArray[Any], label: int) -> int:
        """One trial on the active indices alone; see :func:`winnowkit.linear.kernel.trial_active`."""
        foretold, self._foretold = self._foretold, None
        if foretold is not None and foretold[0] is indices and foretold[1:] == (self.n_features, label):
            self.state.counts[0, 0] += 1  # predicted, and rightly: there is nothing to learn
            return label
        if self.stale:
            self._refresh_at(indices)
        return super().trial_active(indices, label)

    def predict_active(self, indices: NDArray[np.int64], n_features: int) -> int:
        """Predict the label of an example with so many attributes in all, given the active ones; nothing changes."""
        if n_features == self.n_features:
            predicted = self.trial_active(indices, PREDICT_ONLY)
        else:
            _, rules, parameters = self._look_ahead(n_features)
            predicted = (
                self._predict_with(rules, indices, n_features)
                if parameters is None
                else int(chosen(self.foresee(indices, None, n_features, ranking=False)[None])[0])
            )
        self._foretold = (indices, n_features, predicted) if self._learns_from_mistakes_alone else None
        return predicted

    def _predict_with(self, rules: Sequence[Rule], indices: NDArray[np.int64], n_features: int) -> int:
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
        """What it would decide (`ranking`: how it would rank) one example were it grown; nothing changes."""
        n_new = n_features - self.n_features
        parameters = self.state.parameters
        if n_new:
            _, rules, ahead = self._look_ahead(n_features)
            parameters = self._parameters_of(rules) if ahead is None else ahead
        decisions: NDArray[np.float64] = growth.foresee(
            *self.state[:-1], parameters, indices, data, self.n_features, n_new
        )
        return self._ranks(decisions[None], parameters)[0] if ranking else decisions

    def learn(
        self,
        rows: Rows,
        labels: NDArray[np.int64],
        order: NDArray[np.int64] | None = None,
        frozen: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        """One trial a row: the labels predicted before each update. Raises BadRowsError with nothing changed."""
        self._refresh_if_stale()
        self._foretold = None
        return super().learn(rows, labels, order, frozen)

    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Decisions of all learners on the rows from first to last."""
        self._refresh_if_stale()
        return super().decide(rows, first, last)

    def rank(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Decisions in units of theta, or log-odds where they are such."""
        self._refresh_if_stale()
        return self._ranks(LinearLearner.decide(self, rows, first, last), self.state.parameters)

    def _ranks(self, decisions: NDArray[np.float64], parameters: NDArray[np.void]) -> NDArray[np.float64]:
        return scaled(decisions, units(parameters))

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """What :meth:`go_back` needs: room to spare is not as a new learner's weights."""
        return {name: array.copy() for name, array in self.arrays().items()}

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    def coef(self) -> NDArray[np.float64]:
        """Decision = coef . x + intercept."""
        self._refresh_if_stale()
        return super().coef[:, : self.n_features]

    def __getstate__(self) -> dict[str, Any]:
        return {**{name: getattr(self, name) for name in ("n_features", "rules_for", "rules")}, **self.arrays()}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        arrays = dict(state)
        for name in ("n_features", "rules_for", "rules"):
            if name in arrays:  # `learn` goes back to arrays alone
                setattr(self, name, arrays.pop(name))
        self.stale, self._ahead, self._foretold = 0, None, None
        super().__setstate__(arrays)

    @property
    def _learns_from_mistakes_alone(self) -> bool:
        """Whether an example that is predicted rightly leaves all but the number of trials as it was."""
        rule = self.rules[0]
        return len(self.state.coef) == 1 and rule.policy == "mistake" and rule.margin == 0.0 and self._votes is None

    @property
    def _negations(self) -> bool:
        return bool(self.state.weights.shape[1] > 1 + self.rules[0].update.balanced)

    @property
    def _shared(self) -> bool:
        """Whether coef is a view of the weights."""
        return bool(self.state.weights.shape[1] == 1 and (self.state.parameters["link"] == Link.WEIGHT).all())

    def _refresh(self) -> None:
        for k in range(self.state.coef.shape[0]):
            updates.refresh(self.state, k)
        self.stale = 0

    def _refresh_at(self, indices: NDArray[Any]) -> None:
        """Sum anew what is looked up, until that costs as much as to sum all."""
        if self.stale <= indices.size:
            self._refresh()
        else:
            self.stale -= indices.size
            growth.refresh_at(*self.state, indices)

    def _refresh_if_stale(self) -> None:
        if self.stale:
            self._refresh()


def change(parameters: NDArray[np.void], before: Rule, after: Rule) -> None:
    """Turn parameters of one rule into those of another; few differ, most often theta alone."""
    for old, new in ((before.prediction, after.prediction), (before.update, after.update)):
        if old != new:
            for name, was, becomes in zip(old._fields, old, new, strict=True):
                if was != becomes:
                    parameters[name] = becomes
    if before.margin != after.margin:
        parameters["margin"] = after.margin


def differ_in_theta_alone(before: Rule, after: Rule) -> bool:
    """Whether a larger n asks for another theta and nothing else: the sum of all weights would change too."""
    prediction = after.prediction
    return not prediction.normalized and before.prediction[1:] == prediction[1:] and before[1:] == after[1:]


def units(parameters: NDArray[np.void]) -> NDArray[np.float64]:
    """What decisions are divided by to be comparable while n grows; Bayes-BEG's are log-odds."""
    theta = parameters["theta"]
    found: NDArray[np.float64] = np.where((parameters["link"] == Link.BAYES) | (theta == 0.0), 1.0, theta)
    return found
