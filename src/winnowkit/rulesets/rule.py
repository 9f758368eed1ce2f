"""A rule: if all of its conditions hold, then its label follows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from winnowkit.rulesets.condition import Condition, in_words
from winnowkit.rulesets.intervals import wilson
from winnowkit.rulesets.words import plain, word


@dataclass(frozen=True)
class Rule:
    """If all conditions hold, predict this label.

    Parameters
    ----------
    conditions : sequence of Condition
        The conditions, all of which must hold. A rule without conditions always holds.
    label : str, bool, int or float
        The label that the rule predicts.
    log_weight : float, optional
        Natural logarithm of the weight that the learner gave the rule.
    support : int, optional
        Number of rows that satisfy the conditions, among those that the rule was measured on.
    precision : float, optional
        Share of these rows that have the label; None if there are no such rows.
    decided : int, optional
        Number of rows that the rule decides in its rule set: it holds, and no earlier rule does.
    right : int, optional
        Number of the rows that it decides that have the label.
    rows : sequence of int
        Positions of these rows.
    mistakes : sequence of int
        Positions in the learner's log of the mistakes that satisfy the conditions: the mistakes that made the rule.

    See Also
    --------
    RuleSet : Several rules that predict together.

    Examples
    --------
    >>> rule = Rule([Condition("outlook", "=", "sunny")], "play", log_weight=2.0)
    >>> print(rule)
    if outlook = sunny then play
    >>> rule.holds({"outlook": "rain"})
    False
    """

    conditions: Sequence[Condition]
    label: Any
    log_weight: float | None = None
    support: int | None = None
    precision: float | None = None
    decided: int | None = None
    right: int | None = None
    rows: Sequence[int] = field(default=(), compare=False)
    mistakes: Sequence[int] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", tuple(self.conditions))
        object.__setattr__(self, "rows", tuple(self.rows))
        object.__setattr__(self, "mistakes", tuple(self.mistakes))
        object.__setattr__(self, "label", plain(self.label))
        check_count("support", self.support)
        check_counts(self.decided, self.right)
        if self.log_weight is not None and not isinstance(self.log_weight, int | float):
            raise ValueError(f"log_weight must be a number, got {self.log_weight!r}")
        if self.precision is not None and not (isinstance(self.precision, int | float) and 0 <= self.precision <= 1):
            raise ValueError(f"precision must be a number from 0 to 1, got {self.precision!r}")

    @property
    def weight(self) -> float | None:
        """The weight; infinite if a float cannot hold it."""
        if self.log_weight is None:
            return None
        try:
            return math.exp(self.log_weight)
        except OverflowError:
            return math.inf

    @property
    def precision_interval(self) -> tuple[float, float] | None:
        """Wilson's 95% confidence interval of the precision; None if it was not measured on any row."""
        if not self.support or self.precision is None:
            return None
        return wilson(round(self.support * self.precision), self.support)

    def holds(self, row: dict[str, Any]) -> bool:
        """Whether a row satisfies all conditions; a column that is absent from it counts as missing.

        Parameters
        ----------
        row : mapping
            Values by column name.

        Returns
        -------
        bool
            Whether all conditions hold.
        """
        return all(condition.holds(row.get(condition.column)) for condition in self.conditions)

    def __str__(self) -> str:
        return f"if {in_words(self.conditions)} then {word(self.label)}"


def check_count(name: str, count: Any) -> None:
    """Raise ValueError unless a count is None or an integer that can be a number of rows."""
    if count is not None and not (isinstance(count, int) and 0 <= count < 2**63):
        raise ValueError(f"{name} must be an integer from 0 to 2^63 - 1, got {count!r}")


def check_counts(decided: int | None, right: int | None) -> None:
    """Raise ValueError unless `right` of `decided` rows is possible."""
    check_count("decided", decided)
    check_count("right", right)
    if right is not None and (decided is None or right > decided):
        raise ValueError(f"right must be at most decided, got {right} and {decided}")
