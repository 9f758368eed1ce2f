"""Local search for lists of rules: add the rule that gains most, and replace or drop each one in turn.

A list predicts by its first rule that holds. What a rule at some place of it changes is plain: the rows that no earlier
rule covers get its class instead of what the later rules say. So the gain of each row is known for each place and
class, and :meth:`RuleTable.best` finds the best rule for it. If all rules have the same class, their order does not
matter, and the list is a formula in disjunctive normal form for that class.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from winnowkit.dnf.kernels.problem import Codes, Floats, Ints
from winnowkit.dnf.rule_choice.merged_rows import Literals, RuleTable

WRONG_COSTS = 1.0, 4.0
"""How many right rows a wrong one outweighs as rules are added: careful rules leave room for others."""
SWEEPS = 2
"""How often each rule is replaced in turn, at most."""
LEAST = 1e-9
"""Gains below are rounding errors."""


class ListRule(NamedTuple):
    """A rule of a list: its class, its conditions, and the rows that satisfy them."""

    c: int
    term: Literals
    covered: npt.NDArray[np.bool_]


class RuleLimits(NamedTuple):
    """The limits of a list: rules, conditions of a rule, rules and conditions together; and when the search ends."""

    max_rules: int
    max_literals: int
    max_complexity: int
    deadline: float

    @property
    def is_free(self) -> bool:
        """Whether the user gave no limit of rules and conditions together."""
        return self.max_complexity == sys.maxsize

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() > self.deadline


class Shape(NamedTuple):
    """The shape of a list: the class where no rule holds, and the classes that rules may have."""

    default: int
    classes: tuple[int, ...]


class Candidate(NamedTuple):
    """A list of rules and the class where none holds."""

    rules: tuple[ListRule, ...]
    default: int

    @property
    def complexity(self) -> int:
        """Rules and conditions."""
        return sum(1 + len(rule.term) for rule in self.rules)

    def outcomes(self, n_rows: int, first: int = 0) -> Ints:
        """The classes that the rules from `first` on predict for the distinct rows."""
        said = np.full(n_rows, self.default, dtype=np.int64)
        for rule in reversed(self.rules[first:]):
            said[rule.covered] = rule.c
        return said

    def wrong(self, table: RuleTable) -> float:
        """The weight of the rows that the list gets wrong."""
        said = self.outcomes(table.n_rows)
        return max(0.0, table.total - float(table.weights[said, np.arange(table.n_rows)].sum()))

    def predict(self, table: RuleTable, cells: Codes) -> Ints:
        """The classes that the list predicts for other rows."""
        said = np.full(len(cells), self.default, dtype=np.int64)
        for rule in reversed(self.rules):
            said[table.covers(rule.term, cells)] = rule.c
        return said

    def without(self, k: int) -> Candidate:
        """The list without its rule k."""
        return self._replace(rules=self.rules[:k] + self.rules[k + 1 :])

    def with_rule(self, k: int, rule: ListRule) -> Candidate:
        """The list with a further rule at place k."""
        return self._replace(rules=(*self.rules[:k], rule, *self.rules[k:]))


class LocalSearch:
    """Lists of one shape for falling prices of a rule or condition, each search beginning where the last one ended.

    Parameters
    ----------
    table : RuleTable
        The rows.
    shape : Shape
        The default and the classes of the rules.
    wrong_cost : float
        How many right rows a wrong one outweighs as rules are added. Replacing them counts both alike.
    limits : RuleLimits
        The limits of the lists.
    """

    def __init__(self, table: RuleTable, shape: Shape, wrong_cost: float, limits: RuleLimits) -> None:
        self.table, self.shape, self.wrong_cost, self.limits = table, shape, wrong_cost, limits
        self._grown = self._last = Candidate((), shape.default)

    def at(self, price: float) -> Candidate:
        """Find a list whose wrong rows and complexity times price are few."""
        if self.wrong_cost == 1.0:
            self._last = self._improved(self._added(self._last, price), price)
            return self._last
        self._grown = self._added(self._grown, price, self.wrong_cost)
        return self._improved(self._grown, price)

    def _gains(self, candidate: Candidate, k: int) -> tuple[npt.NDArray[np.bool_], Floats]:
        """The rows that no rule before place k covers, and what the rules from there on get right."""
        free = np.ones(self.table.n_rows, dtype=np.bool_)
        for rule in candidate.rules[:k]:
            free &= ~rule.covered
        said = candidate.outcomes(self.table.n_rows, k)
        return free, self.table.weights[said, np.arange(self.table.n_rows)]

    def _best(
        self, candidate: Candidate, places: Sequence[int], price: float, wrong_cost: float, like: ListRule | None = None
    ) -> tuple[float, int, ListRule | None]:
        """Find the rule that gains most at one of some places; return its worth and place, too."""
        table, best = self.table, (LEAST, 0, None)  # type: tuple[RuleTable, tuple[float, int, ListRule | None]]
        room = self.limits.max_complexity - candidate.complexity - 1
        longest = min(self.limits.max_literals, room)
        if longest < 1 or len(candidate.rules) >= self.limits.max_rules:
            return best
        for k in places:
            free, right = self._gains(candidate, k)
            for c in self.shape.classes:
                gains = np.where(free, table.weights[c] - right, 0.0)
                old = like.term if like is not None and like.c == c and len(like.term) <= longest else ()
                term = table.best(gains, c, price=price, max_literals=longest, wrong_cost=wrong_cost, like=old)
                if term is None:
                    continue
                covered = table.covers(term)
                worth = float(gains[covered].sum()) - price * (1 + len(term))
                if worth > best[0]:
                    best = worth, k, ListRule(c, term, covered)
        return best

    def _added(self, candidate: Candidate, price: float, wrong_cost: float = 1.0) -> Candidate:
        """Add rules as long as they are worth their price: at the end, and in lists also at the front."""
        while not self.limits.over:
            ends = {len(candidate.rules), 0} if len(self.shape.classes) > 1 else {len(candidate.rules)}
            _, k, rule = self._best(candidate, sorted(ends, reverse=True), price, wrong_cost)
            if rule is None:
                break
            candidate = candidate.with_rule(k, rule)
        return candidate

    def _improved(self, candidate: Candidate, price: float) -> Candidate:
        """Replace each rule by the best one for its place, or drop it; then add more."""
        for _ in range(SWEEPS):
            before = candidate
            k = 0
            while k < len(candidate.rules) and not self.limits.over:
                old, rest = candidate.rules[k], candidate.without(k)
                free, right = self._gains(rest, k)
                gain = float(np.where(free, self.table.weights[old.c] - right, 0.0)[old.covered].sum())
                worth = gain - price * (1 + len(old.term))
                found, _, new = self._best(rest, [k], price, 1.0, old)
                if new is not None and found > max(worth, 0.0) + LEAST:
                    candidate = rest.with_rule(k, new)
                elif worth <= LEAST:
                    candidate = rest
                    continue
                k += 1
            candidate = self._added(candidate, price)
            if candidate is before:
                break
        return candidate


def shapes_of(table: RuleTable) -> list[Shape]:
    """List the shapes to try: with two classes, formulas for each of them; and lists of all classes.

    With more classes, lists end with the most frequent one or with the next. The most frequent class may have the
    shortest rules: in the table car, no car without safety is acceptable. A list that ends with it has no use for them.
    """
    frequent = np.argsort(-table.weights.sum(axis=1), kind="stable").tolist()
    every = tuple(range(table.n_classes))
    if table.n_classes == 2:
        return [Shape(0, (1,)), Shape(1, (0,)), Shape(frequent[0], every)]
    return [Shape(default, every) for default in frequent[:2]]


class RulePath:
    """The best lists of all shapes, for falling prices of a rule or condition."""

    def __init__(self, table: RuleTable, limits: RuleLimits) -> None:
        self.table = table
        self._searches = [LocalSearch(table, shape, cost, limits) for shape in shapes_of(table) for cost in WRONG_COSTS]
        self._seen: dict[tuple[int, tuple[tuple[int, Literals], ...]], tuple[float, Candidate]] = {}

    def at(self, price: float) -> Candidate:
        """Return the list with the fewest wrong rows and complexity times price, of all that were found so far."""
        for search in self._searches:
            self.offer(search.at(price))
        return min(self._seen.values(), key=lambda seen: seen[0] + price * seen[1].complexity)[1]

    def offer(self, candidate: Candidate) -> None:
        """Take in a list."""
        key = candidate.default, tuple((rule.c, rule.term) for rule in candidate.rules)
        if key not in self._seen:
            self._seen[key] = candidate.wrong(self.table), candidate
