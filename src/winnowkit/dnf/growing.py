"""Winnow over all terms of a table whose columns, categories and classes turn up over time.

Nothing that was logged has to change: a mistake made before a column turned up has no value in it. Only theta, if it is
the number of terms, follows.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Self

import numpy as np

from winnowkit.dnf.learners import Learners
from winnowkit.dnf.log import MistakeLog


class GrowingLearners(Learners):
    """Learners of terms over more and more columns.

    Examples
    --------
    >>> learners = GrowingLearners(1, n_attributes=1, alpha=1.5, theta=3)
    >>> learners.trial(np.array([1], dtype=np.int32), 1)  # 2 terms < 3
    0
    >>> learners.grown(2, theta=9, fill=0).logs[0].codes
    array([[1, 0]], dtype=int32)
    """

    def grown(self, n_attributes: int, theta: float | Fraction, fill: int) -> Self:
        """The same with more columns, which were at code `fill` so far, and another theta; the old one stays."""
        new = copy.copy(self)
        new.n_updates = list(self.n_updates)
        if theta != self.theta:
            new.theta, new.log_theta = theta, math.log(theta)
        if n_attributes > self.logs[0].n_attributes:
            new.logs = [widened(log, n_attributes, fill) for log in self.logs]
        return new

    def with_learners(self, sources: Sequence[int | None]) -> Self:
        """A learner a class: the present one that `sources` names, or for None one that has seen nothing."""
        new = copy.copy(self)
        blank = self.logs[0]
        new.logs = [MistakeLog(blank.n_attributes, blank.max_mistakes) if s is None else self.logs[s] for s in sources]
        new.n_updates = [0 if s is None else self.n_updates[s] for s in sources]
        return new


def widened(log: MistakeLog, n_attributes: int, fill: int) -> MistakeLog:
    """The log of longer examples, whose last codes are all `fill`."""
    codes = np.pad(log.codes, ((0, 0), (0, n_attributes - log.n_attributes)), constant_values=fill)
    promotions, demotions = log.n_promotions, log.n_demotions
    new = MistakeLog.restore(
        codes, log.nets, log.last, n_promotions=promotions, n_demotions=demotions, max_mistakes=log.max_mistakes
    )
    new.n_forgotten = log.n_forgotten
    return new
