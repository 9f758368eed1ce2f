"""Choose rules for one class by an integer programme, whose linear relaxation asks for further terms.

The programme is that of Dash, Gunluk & Wei (2018, section 2): a row of the class costs its weight unless a chosen rule
covers it, a row of another class costs its weight once per chosen rule that covers it (the Hamming loss), and rules and
conditions together have a budget. In the linear relaxation the dual values say what it would be worth to cover each
row, and what a condition costs. So the search for the rule that gains most, with these gains and this price, finds the
term that the programme lacks most (column generation). The terms with the least reduced costs go into the integer
programme.
"""

from __future__ import annotations

import io
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.sparse import csc_array, csr_array, hstack, vstack
from scipy.sparse import eye_array as eye

from winnowkit.dnf.kernels.problem import Floats
from winnowkit.dnf.rule_choice.local_search import LEAST, Candidate, ListRule, RuleLimits
from winnowkit.dnf.rule_choice.table import Literals, RuleTable

MOST_COLUMNS = 1_000
"""Terms of the linear programme, at most."""
MOST_INTEGER = 300
"""Terms of the integer programme, at most: with so many, HiGHS solves most programmes in seconds."""
ROUNDS = 20
"""How often further terms are asked for, at most."""
WORKER = Path(__file__).with_name("milp_worker.py")
SEEDS = 500
"""Terms of the search that the linear programme begins with."""
MOST_SECONDS = 10.0
"""Seconds for the programme of one class, at most."""
GRACE = 2.0
"""Seconds that the solver may take beyond its limit, which it looks at rarely, before it is ended."""


class Columns(NamedTuple):
    """Terms, the rows that each covers (columns of a matrix), and the numbers of rules and conditions of each."""

    terms: list[Literals]
    covered: npt.NDArray[np.bool_]
    sizes: Floats


class Relaxation(NamedTuple):
    """The solution of the linear programme: a bound of the loss, what each row is worth, and what a condition costs."""

    loss: float
    worth: Floats
    price: float


class FormulaProgramme:
    """The integer programme for a formula of one class.

    Parameters
    ----------
    table : RuleTable
        The rows.
    c : int
        The class that rules stand for.
    max_literals : int
        The most conditions of a rule.

    Examples
    --------
    >>> from winnowkit.dnf.rule_choice.table import RuleColumns
    >>> columns = RuleColumns(np.zeros(2, dtype=np.int64), np.array([2, 2]), np.zeros(2, dtype=np.int64))
    >>> cells, target = np.array([[1, 1], [1, 2], [2, 1], [2, 2]]), np.array([1, 0, 0, 1])
    >>> table = RuleTable(cells, np.stack([target == 0, target == 1]).astype(float), columns)
    >>> chosen = FormulaProgramme(table, c=1, max_literals=2).solve([], budget=6, seconds=600)
    >>> [rule.term for rule in chosen.rules], chosen.wrong(table)
    ([((0, 2, 1), (1, 2, 1)), ((0, 2, 2), (1, 2, 2))], 0.0)
    """

    def __init__(self, table: RuleTable, c: int, max_literals: int) -> None:
        self.table, self.c, self.max_literals = table, c, max_literals
        self.good = table.weights[c]
        self.bad: Floats = table.weights.sum(axis=0) - self.good
        self._wanted = np.flatnonzero(self.good > 0)

    def solve(self, terms: list[Literals], budget: int, seconds: float, below: float = np.inf) -> Candidate | None:
        """Choose among these terms and those that the relaxation asks for.

        None if there was no solution in time, or if the relaxation shows that no loss is below a limit.
        """
        deadline = time.monotonic() + seconds
        columns = self._columns(terms[:MOST_COLUMNS])
        relaxed = None
        for _ in range(ROUNDS):
            relaxed = self._relaxed(columns, budget)
            if relaxed is None or time.monotonic() > deadline or len(columns.terms) >= MOST_COLUMNS:
                break
            known = set(columns.terms)
            more = [term for term in self._lacking(relaxed) if term not in known]
            if not more:
                break
            columns = self._columns([*columns.terms, *more])
        if relaxed is None or not columns.terms or relaxed.loss >= below - LEAST:
            return None
        reduced = columns.sizes * relaxed.price - (self._gains(relaxed) @ columns.covered)
        best = np.sort(np.argsort(reduced, kind="stable")[:MOST_INTEGER])
        few = Columns([columns.terms[t] for t in best], columns.covered[:, best], columns.sizes[best])
        return self._chosen(few, budget, max(0.5, deadline - time.monotonic()))

    def _columns(self, terms: list[Literals]) -> Columns:
        covered = [self.table.covers(term) for term in terms]
        matrix = np.stack(covered, axis=1) if terms else np.empty((self.table.n_rows, 0), dtype=np.bool_)
        return Columns(terms, matrix, np.array([1.0 + len(term) for term in terms]))

    def _gains(self, relaxed: Relaxation) -> Floats:
        """The price that the relaxation would pay for covering each row."""
        gains = -self.bad
        gains[self._wanted] += relaxed.worth
        return gains

    def _lacking(self, relaxed: Relaxation) -> list[Literals]:
        """Find terms with negative reduced costs."""
        found = self.table.best(
            self._gains(relaxed), self.c, price=max(relaxed.price, 1e-6), max_literals=self.max_literals
        )
        return [term for worth, term in found if worth > 1e-6]

    def _costs(self, columns: Columns) -> Floats:
        """The costs of leaving out each wanted row, then of each term."""
        return np.concatenate([self.good[self._wanted], self.bad @ columns.covered])

    def _constraints(self, columns: Columns, budget: int) -> tuple[Any, Floats]:
        """Each wanted row is left out or covered, and the budget is kept: matrix @ x >= low."""
        n_wanted = len(self._wanted)
        covering = hstack([eye(n_wanted), csc_array(columns.covered[self._wanted].astype(float))])
        line = csr_array(np.concatenate([np.zeros(n_wanted), -columns.sizes])[None])
        low = np.concatenate([np.ones(n_wanted), [-float(budget)]])
        return csr_array(vstack([covering, line])), low

    def _relaxed(self, columns: Columns, budget: int) -> Relaxation | None:
        """Solve the linear programme; None if the solver fails."""
        matrix, low = self._constraints(columns, budget)
        solved = linprog(self._costs(columns), A_ub=-matrix, b_ub=-low, bounds=(0, None), method="highs")
        if solved.status != 0:
            return None
        duals = -np.asarray(solved.ineqlin.marginals)
        return Relaxation(float(solved.fun or 0.0), duals[:-1], float(duals[-1]))

    def _chosen(self, columns: Columns, budget: int, seconds: float) -> Candidate | None:
        """Solve the integer programme over some terms."""
        matrix, low = self._constraints(columns, budget)
        integral = np.concatenate([np.zeros(len(self._wanted)), np.ones(len(columns.terms))])
        x = solve_apart(self._costs(columns), integral, matrix, low, seconds)
        if x is None:
            return None
        picked = np.flatnonzero(x[len(self._wanted) :] > 0.5).tolist()
        rules = [ListRule(self.c, columns.terms[t], columns.covered[:, t]) for t in picked]
        return Candidate(tuple(rules), 1 - self.c)


def programmed(table: RuleTable, chosen: Candidate, limits: RuleLimits) -> Candidate | None:
    """Return a formula that is no more complex than the list chosen and gets fewer rows wrong; None if none is found.

    With two classes, the programme is solved for both, over the terms that the search has found last and those that the
    relaxation asks for.
    """
    wrong = chosen.wrong(table)
    if table.n_classes != 2 or not chosen.rules or wrong <= LEAST:
        return None
    best, better = wrong - LEAST, None
    for c in (0, 1):
        seconds = min(MOST_SECONDS, limits.deadline - time.monotonic())
        if seconds <= 0:
            break
        terms = [term for k, term in table.found if k == c][-SEEDS:]
        found = FormulaProgramme(table, c, limits.max_literals).solve(terms, chosen.complexity, seconds, best)
        allowed = found is not None and len(found.rules) <= limits.max_rules
        if found is not None and allowed and found.wrong(table) < best:
            best, better = found.wrong(table), found
    return better


def solve_apart(cost: Floats, integral: Floats, matrix: Any, low: Floats, seconds: float) -> Floats | None:
    """Minimise cost @ x over 0 <= x <= 1 with matrix @ x >= low, in a process that is ended if it takes too long.

    Examples
    --------
    >>> solve_apart(np.array([1.0, 3.0]), np.ones(2), csr_array(np.array([[1.0, 1.0]])), np.array([1.0]), 600.0)
    array([1., 0.])
    """
    problem = io.BytesIO()
    np.savez(
        problem,
        cost=cost,
        integral=integral,
        low=low,
        data=matrix.data,
        indices=matrix.indices,
        indptr=matrix.indptr,
        shape=np.array(matrix.shape),
        seconds=np.array(seconds),
    )
    try:
        done = subprocess.run(
            [sys.executable, str(WORKER)],
            input=problem.getvalue(),
            capture_output=True,
            check=True,
            timeout=seconds + GRACE,
        )
        with np.load(io.BytesIO(done.stdout), allow_pickle=False) as found:
            x: Floats = found["x"]
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return x if len(x) else None
