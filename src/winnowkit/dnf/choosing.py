"""What `DNFWinnow.fit` chooses for itself, by errors on training rows that a trial has not learned from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from winnowkit.dnf.epochs import UpdatePolicy
from winnowkit.dnf.exact import BudgetExceeded
from winnowkit.dnf.kernels.agree import Codes, Ints
from winnowkit.dnf.learners import Learners

FOLDS = 3
"""Parts of the rows, each predicted by a trial that learned from the others."""
EPOCHS = 15
"""Most passes of a trial."""
MOST_ROWS = 2_000
"""Most rows of all trials: more are not needed to choose."""
FEWEST_ROWS = 30
"""Rows below which errors say too little."""
NODES = 20_000
"""Nodes of a sum after which a table is too dear to try things on, and the first of the options is taken."""


class Choice(NamedTuple):
    """What is chosen: what a missing value is, the learners of two classes, and what is asked of a row."""

    missing: str
    two_class: str
    demand: UpdatePolicy


class Options(NamedTuple):
    """What there is to choose from, the usual first; with one of each there is nothing to try."""

    missing: Sequence[str]
    two_class: Sequence[str]
    demand: Sequence[UpdatePolicy]

    @property
    def usual(self) -> Choice:
        """The first of each."""
        return Choice(self.missing[0], self.two_class[0], self.demand[0])


class Trials:
    """Trials on parts of a table.

    Parameters
    ----------
    codes : mapping from str to array of int, shape (rows, attributes)
        The rows, by what a missing value is.
    labels : array of int, shape (rows,)
        Their classes.
    begin : callable
        Makes empty learners, given what a missing value is and their number.
    rng : Generator
        For the parts, and the order of rows.
    n_jobs : int
        Threads.
    """

    def __init__(
        self,
        codes: Mapping[str, Codes],
        labels: Ints,
        begin: Callable[[str, int], Learners],
        rng: np.random.Generator,
        n_jobs: int = 1,
    ) -> None:
        self.codes, self.labels, self.begin, self.n_jobs = codes, labels, begin, n_jobs
        self.rows = rng.permutation(len(labels))[:MOST_ROWS]
        self.parts = np.empty(len(self.rows), dtype=np.int64)  # each has its share of every class
        self.parts[np.argsort(labels[self.rows], kind="stable")] = np.arange(len(self.rows)) % FOLDS
        self.seed = int(rng.integers(2**63))

    def best(self, options: Options) -> Choice:
        """Choose; first what a missing value is, then the rest. Of equals the first of the options is taken."""
        if len(self.labels) < FEWEST_ROWS:
            return options.usual
        found: dict[Choice, int] = {}
        try:
            for missing in options.missing:
                found |= self._errors(missing, options.two_class, options.demand[0])
            missing = min(found, key=lambda choice: found[choice]).missing
            for demand in options.demand[1:]:
                found |= self._errors(missing, options.two_class, demand)
        except BudgetExceeded:
            return options.usual
        return min(found, key=lambda choice: found[choice])

    def _errors(self, missing: str, kinds: Sequence[str], demand: UpdatePolicy) -> dict[Choice, int]:
        """Wrong rows with each kind of learners for two classes; one training does for both."""
        wrong = dict.fromkeys((Choice(missing, kind, demand) for kind in kinds), 0)
        n_classes = int(self.labels.max()) + 1
        n_learners = 1 if n_classes == 2 and "pair" not in kinds else n_classes
        for part in range(FOLDS):
            old, new = self.rows[self.parts != part], self.rows[self.parts == part]
            learners, rng = self.begin(missing, n_learners), np.random.default_rng([self.seed, part])
            outcome = learners.fit(
                self.codes[missing][old],
                self.labels[old],
                EPOCHS,
                (rng.permutation(len(old)) for _ in range(EPOCHS)),
                self.n_jobs,
                keep_longest=True,
                policy=demand,
            )
            if outcome.ended == "interrupted":
                raise KeyboardInterrupt
            for choice in wrong:
                alone = n_classes == 2 and n_learners == 2 and choice.two_class == "single"
                said = (learners.alone(1) if alone else learners).predict(self.codes[missing][new], self.n_jobs)
                wrong[choice] += int(np.sum(said != self.labels[new]))
        return wrong
