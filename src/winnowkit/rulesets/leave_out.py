"""Rules left out: how the labels of the rows change, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnowkit.rulesets.rule import Rule


@dataclass(frozen=True, repr=False)
class RuleCosts:
    """The error of a rule set without each of its rules.

    Parameters
    ----------
    rules : sequence of Rule
        The rules.
    n_rows : int
        Number of rows that the errors were measured on.
    error : float
        Share of the rows on which all rules together are wrong.
    errors_without : sequence of float
        The same share without each rule, one after the other.
    n_changed : sequence of int
        Number of rows whose label changes without each rule.

    See Also
    --------
    RuleSet.costs : Measures the costs.

    Examples
    --------
    >>> from winnowkit.rulesets import RuleSet
    >>> rules = RuleSet.from_text('''if sky = sunny then play
    ... if wind = weak then play
    ... else stay''')
    >>> print(rules.costs([["sunny", "weak"], ["sunny", "strong"], ["rain", "weak"]], ["play", "play", "stay"]))
    error 33.33% on 3 rows with all rules
    error without  difference  rows changed  rule
           66.67%     +33.33%             1  if sky = sunny then play
            0.00%     -33.33%             1  if wind = weak then play
    """

    rules: Sequence[Rule]
    n_rows: int
    error: float
    errors_without: Sequence[float]
    n_changed: Sequence[int]

    def __repr__(self) -> str:
        return f"<RuleCosts of {len(self.rules)} rule{'s' * (len(self.rules) != 1)}; print it to read them>"

    def __str__(self) -> str:
        lines = [
            f"error {self.error:.2%} on {self.n_rows} rows with all rules",
            "error without  difference  rows changed  rule",
        ]
        for rule, error, changed in zip(self.rules, self.errors_without, self.n_changed, strict=True):
            lines.append(f"{error:>13.2%}  {error - self.error:>+10.2%}  {changed:>12}  {rule}")
        return "\n".join(lines)


def first_holding(covered: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the position of the first rule that holds on each row, or the number of rules where none holds."""
    n_rules = covered.shape[1]
    if not n_rules:
        return np.zeros(len(covered), dtype=np.intp)
    first: NDArray[np.intp] = np.where(covered.any(axis=1), covered.argmax(axis=1), n_rules)
    return first


def leave_one_out(
    covered: NDArray[np.bool_], labels: NDArray[np.intp], y: NDArray[np.intp]
) -> tuple[list[int], list[int]]:
    """Return, for each rule, the number of errors without it and the number of rows whose label then changes.

    `covered` says which rules (columns) hold on which rows, `labels` has the label of each rule and then the default,
    and `y` has the label of each row. Only the rows that a rule decides can change without it.
    """
    first = first_holding(covered)
    wrong = int((labels[first] != y).sum())
    errors, changed = [], []
    for k in range(covered.shape[1]):
        rows = np.flatnonzero(first == k)
        after = labels[k + 1 + first_holding(covered[rows, k + 1 :])]
        errors.append(wrong - int((labels[k] != y[rows]).sum()) + int((after != y[rows]).sum()))
        changed.append(int((after != labels[k]).sum()))
    return errors, changed


def redundant(covered: NDArray[np.bool_], labels: NDArray[np.intp]) -> list[int]:
    """Return rules that can all be left out together without a change of any row's label, in ascending order.

    The rules are tried from the last to the first, each among those that are still there.
    """
    kept = covered.copy()
    first = first_holding(kept)
    found = []
    for k in reversed(range(covered.shape[1])):
        rows = np.flatnonzero(first == k)
        after = k + 1 + first_holding(kept[rows, k + 1 :])
        if (labels[after] == labels[k]).all():
            found.append(k)
            kept[:, k] = False
    return found[::-1]
