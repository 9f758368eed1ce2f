"""A learner's way through the epochs of a fit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from winnowkit.dnf.kernels.agree import Floats, Ints

FEWEST_UPDATES = 4
"""A limit of updates is no less than this, however near to theta the sums begin."""

Run = Callable[[Ints | None], list[int]]


@dataclass
class Course:
    """One learner's way through the epochs: the rows that it mistook, and in which trials."""

    run: Run
    learner: int
    rows: list[int] = field(default_factory=list)
    times: list[int] = field(default_factory=list)

    def epoch(self, order: Ints | None) -> list[int]:
        """Present all rows once; which were mistaken."""
        return self.run(order)

    def longest(self, n_trials: int) -> int:
        """How many mistakes had been made when the longest run without one began; the latest of equals.

        Examples
        --------
        >>> Course(lambda order: [], 0, rows=[4, 0, 2], times=[4, 5, 9]).longest(n_trials=10)
        2
        """
        lengths = np.diff([*self.times, n_trials])
        return len(lengths) - int(np.argmax(lengths[::-1]))


class Demand(NamedTuple):
    """What a fit asks of a row: to be on its side of theta by a `margin`, in logarithms of sums.

    If it is not, it is learned from. After `max_updates` times it is left alone: the limit of what a wrong label can
    do, as in soft-margin classifiers. "half" is half as often as it takes one row to bring its sum to theta alone:
    what is learned rests on two rows at least.
    """

    margin: float = 0.0
    max_updates: int | Literal["half"] | None = None

    def log_theta(self, log_theta: float, label: int) -> float:
        """What the sum of a row of this label is compared with.

        Examples
        --------
        >>> Demand(margin=1.0).log_theta(5.0, label=1), Demand(margin=1.0).log_theta(5.0, label=0)
        (6.0, 4.0)
        """
        return log_theta + self.margin if label else log_theta - self.margin

    def limit(self, log_ratios: Floats, alpha: float) -> int | None:
        """How often a row may be learned from, given how far below theta the logarithms of the first sums are.

        A promotion of a row multiplies its sum by alpha, if nothing else was learned. Rows with gaps begin further from
        theta than others; the mean stands for all.

        Examples
        --------
        >>> Demand(max_updates="half").limit(16 * np.log([1.5, 1.5]), alpha=1.5)
        8
        """
        if self.max_updates != "half":
            return self.max_updates
        alone = abs(float(np.mean(log_ratios))) / math.log(alpha)
        return max(FEWEST_UPDATES, math.ceil(alone / 2 - 1e-9))


class Outcome(NamedTuple):
    """How a fit went: whole epochs, trials, and those in which any learner updated, no fewer than wrong labels."""

    n_epochs: int
    n_trials: int
    n_mistaken: int
    interrupted: bool = False
