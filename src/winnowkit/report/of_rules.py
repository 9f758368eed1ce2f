"""A rule set as the subject of a report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.report.measures import Floats
from winnowkit.report.subject import Reason, RulePoint, Subject, normalised
from winnowkit.report.table import Table
from winnowkit.rulesets.leave_out import first_holding
from winnowkit.rulesets.ruleset import RuleSet
from winnowkit.rulesets.words import word


class RulesSubject(Subject):
    """A rule set, which predicts by the first rule that holds and does not learn.

    Parameters
    ----------
    rules : RuleSet
        The rules.
    labels : sequence, optional
        Further labels that rows have, which no rule predicts.
    """

    kind = "Rule set"
    share_means = "rows that rules with the column decide, each shared equally among the columns of its rule"

    def __init__(self, rules: RuleSet, labels: NDArray[Any] | None = None) -> None:
        known = list(rules.classes)
        more = [] if labels is None else [label for label in np.unique(labels).tolist() if label not in known]
        super().__init__([*known, *more])
        self.rules = rules

    def predict(self, X: Any) -> NDArray[Any]:
        """Return one label per row."""
        return self.rules.predict(X)

    def probabilities(self, X: Any) -> Floats | None:
        """Return the probabilities, if the rules were measured and know all labels."""
        if len(self.classes) > len(self.rules.classes):
            return None
        try:
            return self.rules.predict_proba(X)
        except ValueError:
            return None

    def scores(self, X: Any) -> Floats:
        """Return the probabilities, or 1 for the label predicted."""
        found = self.probabilities(X)
        return found if found is not None else np.eye(len(self.classes))[self.predicted(X)]

    def refitted(self, table: Table, labels: NDArray[Any]) -> None:
        """Return None: a rule set does not learn."""
        del table, labels

    def shares(self, table: Table) -> Floats:
        """Return the share of the rows that each column decides."""
        return rule_shares(self.rules, table)

    def reasons(self, table: Table, rows: NDArray[np.intp]) -> list[list[Reason]]:
        """Return the rule that decides each row."""
        first = first_holding(self.rules.covers(table.take(rows).native))
        return [[] if k == len(self.rules) else [Reason(self.rules[k].conditions, None)] for k in first.tolist()]

    def points(self, table: Table, y: NDArray[Any]) -> list[RulePoint]:
        """Return the first rules, from none to all."""
        del table, y
        return prefixes(self.rules)

    def facts(self) -> list[tuple[str, str]]:
        """Return the size of the rule set."""
        n_conditions = sum(len(rule.conditions) for rule in self.rules)
        found = [
            ("Rules", f"{len(self.rules)}, with {n_conditions} conditions in all"),
            ("Otherwise", word(self.rules.default)),
        ]
        return [*found, ("Origin", str(self.rules.report))] if self.rules.report else found


def prefixes(rules: RuleSet) -> list[RulePoint]:
    """Return the rule sets of the first 0, 1, 2, ... rules."""
    return [
        RulePoint(replace(rules, rules=rules.rules[:k], report=None, default_decided=None, default_right=None), k)
        for k in range(len(rules) + 1)
    ]


def rule_shares(rules: RuleSet, table: Table) -> Floats:
    """Return the share of the rows decided by rules that use each column."""
    first = first_holding(rules.covers(table.native))
    decided = np.bincount(first, minlength=len(rules) + 1)
    place = {name: j for j, name in enumerate(table.names)}
    amounts = np.zeros(len(table.names))
    for k, rule in enumerate(rules):
        used = {condition.column for condition in rule.conditions}
        for name in used:
            amounts[place[name]] += decided[k] / len(used)
    return normalised(amounts)
