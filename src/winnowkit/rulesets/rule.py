"""A rule: if some conditions hold, then a label."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from winnowkit.rulesets.condition import Condition, in_words
from winnowkit.rulesets.words import word


@dataclass(frozen=True)
class Rule:
    """If all conditions hold, then this label.

    Parameters
    ----------
    conditions : sequence of Condition
        All of them must hold; none: always.
    label : str, bool, int or float
        What follows.
    log_weight : float, optional
        Natural logarithm of the weight that the learner gave it.
    support : int, optional
        How many rows, of those it was measured on, satisfy the conditions.
    precision : float, optional
        Share of these that have the label; None if there are none.
    rows : sequence of int
        Which rows these are.
    mistakes : sequence of int
        Which examples of the learner's log satisfy the conditions: the mistakes that made it.

    See Also
    --------
    RuleSet : Rules that predict together.

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
    rows: Sequence[int] = field(default=(), compare=False)
    mistakes: Sequence[int] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", tuple(self.conditions))
        object.__setattr__(self, "rows", tuple(self.rows))
        object.__setattr__(self, "mistakes", tuple(self.mistakes))
        if isinstance(self.label, np.generic):
            object.__setattr__(self, "label", self.label.item())

    @property
    def weight(self) -> float | None:
        """The weight; infinite if a float cannot hold it."""
        if self.log_weight is None:
            return None
        try:
            return math.exp(self.log_weight)
        except OverflowError:
            return math.inf

    def holds(self, row: dict[str, Any]) -> bool:
        """Whether a row, as values by column name, satisfies all conditions; what is absent is missing.

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
