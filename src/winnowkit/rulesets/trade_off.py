"""Accuracy against complexity: rule sets of growing size, and the choice of one of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from winnowkit.core.notebook import html_grid
from winnowkit.rulesets.ruleset import RuleSet

MORE_ERRORS = 0.05
"""The share of errors that a simpler rule set may make more than the most accurate one: one more in twenty. On many
rows a standard error is so small that the last few tenths of a point would take dozens of further conditions."""


@dataclass(frozen=True)
class TradeOffPoint:
    """A rule set, how complex it is, and how accurate rules chosen in the same way are on rows held out.

    Parameters
    ----------
    complexity : int
        The number of rules plus the number of their conditions (Dash, Gunluk & Wei 2018).
    accuracy : float
        Share of right labels on rows held out from the choice of the rules.
    standard_error : float
        The standard error of this share.
    rules : RuleSet
        The rules, chosen by all rows.
    hits : array of float, optional
        For each row held out, its share of the weight of all rows if it got its label, else 0: their sum is `accuracy`.
        With them, two points are compared on the same rows.

    See Also
    --------
    TradeOff : Contains it.

    Examples
    --------
    >>> from winnowkit.rulesets import RuleSet, TradeOffPoint
    >>> rules = RuleSet.from_text("columns: age" + chr(10) + "if age > 40 then yes" + chr(10) + "else no")
    >>> TradeOffPoint(rules.complexity, accuracy=0.8, standard_error=0.02, rules=rules).complexity
    2
    """

    complexity: int
    accuracy: float
    standard_error: float
    rules: RuleSet
    hits: npt.NDArray[np.float64] | None = field(default=None, compare=False, repr=False)

    def is_as_good_as(self, other: TradeOffPoint) -> bool:
        """Tell whether this point makes hardly more errors than the other one on the rows held out.

        They may be more by one standard error of the difference, or by one in twenty of the other point's errors,
        whichever is more. Without hits, the standard error of the other point's accuracy takes the place of that of
        the difference.

        Parameters
        ----------
        other : TradeOffPoint
            The point to compare with.

        Returns
        -------
        bool
            Whether this one is as good.
        """
        standard_error = other.standard_error
        if self.hits is not None and other.hits is not None:
            behind = other.hits - self.hits
            standard_error = math.sqrt(float(((behind - behind.mean()) ** 2).sum()))
        return other.accuracy - self.accuracy <= max(standard_error, MORE_ERRORS * (1.0 - other.accuracy))


@dataclass(frozen=True, repr=False)
class TradeOff:
    """Rule sets of growing complexity with their accuracy on rows held out: the whole trade-off, to pick a point.

    Parameters
    ----------
    points : sequence of TradeOffPoint
        At least one point; they are kept in the order of their complexity.

    See Also
    --------
    winnowkit.DNFWinnow.trade_off : Computes it.

    References
    ----------
    Breiman, Friedman, Olshen & Stone 1984, Classification and regression trees, section 3.4.3 (one standard error).

    Examples
    --------
    >>> from winnowkit.rulesets import Condition, Rule
    >>> one = RuleSet([Rule([Condition("sky", "=", "sunny")], "play")], "stay", ["sky"])
    >>> curve = TradeOff([TradeOffPoint(2, 0.8, 0.05, one), TradeOffPoint(0, 0.6, 0.06, one.without(0))])
    >>> curve.best.complexity, [point.complexity for point in curve]
    (2, [0, 2])
    >>> print(curve)
    complexity  rules  conditions  accuracy on rows held out
             0      0           0  60.0% (standard error 6.0%)
             2      1           1  80.0% (standard error 5.0%), chosen
    """

    points: Sequence[TradeOffPoint]

    def __post_init__(self) -> None:
        if not self.points:
            raise ValueError("a trade-off needs at least one point")
        object.__setattr__(self, "points", tuple(sorted(self.points, key=lambda point: point.complexity)))

    @property
    def best(self) -> TradeOffPoint:
        """The default choice: the simplest point that makes hardly more errors than the most accurate one.

        See :meth:`TradeOffPoint.is_as_good_as`: one standard error of the difference, or one error in twenty.
        """
        return _simplest_good(self.points)

    def at_most(self, complexity: int) -> TradeOffPoint:
        """Choose in the same way among the points that are no more complex than this.

        Parameters
        ----------
        complexity : int
            The largest number of rules and conditions.

        Returns
        -------
        TradeOffPoint
            The point.
        """
        allowed = [point for point in self.points if point.complexity <= complexity]
        if not allowed:
            least = self.points[0].complexity
            raise ValueError(f"the simplest rule set has a complexity of {least}, which is more than {complexity}")
        return _simplest_good(allowed)

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[TradeOffPoint]:
        return iter(self.points)

    def __getitem__(self, i: int) -> TradeOffPoint:
        return self.points[i]

    def __repr__(self) -> str:
        return f"<TradeOff of {len(self)} rule set{'s' * (len(self) != 1)}; print it to read them>"

    def __str__(self) -> str:
        rows = self._cells()
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        numbers = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=False)) for row in rows]
        return "\n".join(f"{start}  {row[-1]}" for start, row in zip(numbers, rows, strict=True))

    def _repr_html_(self) -> str:
        return html_grid("Accuracy on rows held out against the number of rules and conditions", self._cells())

    def _cells(self) -> list[list[str]]:
        best = self.best
        rows = [["complexity", "rules", "conditions", "accuracy on rows held out"]]
        for point in self.points:
            accuracy = f"{point.accuracy:.1%} (standard error {point.standard_error:.1%})"
            n_rules = len(point.rules)
            cells = map(str, (point.complexity, n_rules, point.complexity - n_rules))
            rows.append([*cells, accuracy + (", chosen" if point is best else "")])
        return rows


def _simplest_good(points: Sequence[TradeOffPoint]) -> TradeOffPoint:
    """Return the simplest point that is as good as the most accurate one."""
    top = max(points, key=lambda point: point.accuracy)
    return next(point for point in points if point.is_as_good_as(top))
