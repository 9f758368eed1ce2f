"""Epochs of a fit: when a learner updates, its way through the epochs, and why training ended."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Literal, NamedTuple

import numpy as np

from winnowkit.core.progress import Progress
from winnowkit.dnf.engine import in_order
from winnowkit.dnf.kernels.agree import Floats, Ints
from winnowkit.dnf.log import MistakeLog
from winnowkit.dnf.training import Training

FEWEST_UPDATES = 4
"""A limit of updates is no less than this, however near to theta the sums begin."""

Ending = Literal["clean epoch", "max_epochs", "max_time", "stopped", "interrupted"]
"""Why training ended. "clean epoch": every learner had one without an update; "stopped": there was no next order."""


class Outcome(NamedTuple):
    """The course of a fit: complete epochs, trials, trials in which any learner was updated, and why it ended.

    Learners are updated in at least as many trials as there were wrong labels.
    """

    n_epochs: int
    n_trials: int
    n_mistaken: int
    ended: Ending


class UpdatePolicy(NamedTuple):
    """The rule by which a fit learns from a row: unless its sum is on its side of theta by a `margin`, in logarithms.

    After `max_updates` updates a row is left alone, which limits the effect of a wrong label, as in soft-margin
    classifiers. "half" is half as many updates as it takes one row to bring its sum to theta alone, so that everything
    learned rests on at least two rows.
    """

    margin: float = 0.0
    max_updates: int | Literal["half"] | None = None

    def limit(self, log_ratios: Floats, alpha: float) -> int | None:
        """Compute how often a row may be learned from, given how far below theta the logarithms of the first sums are.

        A promotion of a row multiplies its sum by alpha, if nothing else was learned. Rows with missing values begin
        further from theta than others; the mean stands for all rows.

        Examples
        --------
        >>> UpdatePolicy(max_updates="half").limit(16 * np.log([1.5, 1.5]), alpha=1.5)
        8
        """
        if self.max_updates != "half":
            return self.max_updates
        alone = abs(float(np.mean(log_ratios))) / math.log(alpha)
        return max(FEWEST_UPDATES, math.ceil(alone / 2 - 1e-9))


@dataclass
class EpochRun:
    """One learner's way through the epochs: the rows it was updated on, and in which trials."""

    learner: int
    training: Training
    rows: list[int] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    n_trials: int = 0
    n_latest: int = 0
    whole: bool = True

    def epoch(self, order: Ints | None, go_on: Callable[[int], bool]) -> None:
        """Present all rows once; ends early if `go_on`, given the number of rows just done, returns False."""
        start, done, before = self.n_trials, 0, len(self.rows)
        self.whole = False
        for place, mistaken in self.training.present(order):
            self.n_trials = start + place
            if mistaken is not None:
                self.rows.append(mistaken)
                self.times.append(self.n_trials - 1)
            if not go_on(place - done):
                return
            done = place
        self.whole, self.n_latest = True, len(self.rows) - before

    @property
    def clean(self) -> bool:
        """Whether the learner has just got through an epoch without an update."""
        return self.n_trials > 0 and self.whole and self.n_latest == 0

    def longest(self) -> int:
        """Count the updates before the longest run of trials without one; the latest of equally long runs.

        Examples
        --------
        >>> EpochRun(0, training=None, rows=[4, 0, 2], times=[4, 5, 9], n_trials=10).longest()
        2
        """
        lengths = np.diff([*self.times, self.n_trials])
        return len(lengths) - int(np.argmax(lengths[::-1])) if len(lengths) else 0

    def replayed(self, n_updates: int) -> MistakeLog:
        """Make the log as it was after so many updates."""
        training = self.training
        log = training.log.emptied()
        for row in self.rows[:n_updates]:
            log.append(training.X[row], 1 if training.y[row] else -1)
        return log


def run_epochs(
    runs: list[EpochRun],
    orders: Iterable[Ints | None],
    max_epochs: int,
    progress: Progress,
    n_jobs: int = 1,
    max_time: float | None = None,
) -> tuple[Ending, int]:
    """Present the rows in epochs, to each learner until it had a clean one.

    Returns why that ended, and the number of complete epochs.
    """
    deadline = math.inf if max_time is None else time.monotonic() + max_time

    def go_on(n_rows: int) -> bool:
        return progress.rows(n_rows) and time.monotonic() < deadline

    going, n_epochs = runs, 0
    try:
        for order in islice(orders, max_epochs):
            n_rows = len(going) * len(going[0].training.X)
            progress.epoch(n_epochs + 1, n_rows, sum(run.n_latest for run in going))
            in_order(partial(EpochRun.epoch, order=order, go_on=go_on), going, n_jobs, on_interrupt=progress.stop)
            if not all(run.whole for run in going):
                return "max_time", n_epochs
            n_epochs += 1
            going = [run for run in going if not run.clean]
            if not going:
                return "clean epoch", n_epochs
    except KeyboardInterrupt:
        return "interrupted", n_epochs
    return ("max_epochs" if n_epochs == max_epochs else "stopped"), n_epochs
