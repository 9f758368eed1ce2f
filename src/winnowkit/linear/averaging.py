"""Fit by the mean of several passes: each is a run of its own from nothing, with the rows in another order.

Passes that go on from one another fit noise, while the mean of independent ones errs less than any of them. It also
makes the order of the rows nearly irrelevant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self, cast

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from winnowkit.core.csr import Trials
from winnowkit.core.learner import Learner
from winnowkit.core.online_classifier import OnlineClassifier, new_order
from winnowkit.core.reporting import Reports


class WeightedLearner(Learner, Protocol):
    """Learners of weighted examples whose passes can be averaged, all of them at once or a block after the other."""

    def blocks(self) -> list[slice]:
        """Return which learners make a pass together."""

    def anew(self, trials: Trials, block: slice) -> Self:
        """Return what a block of learners are after a pass from nothing."""

    def fold(self, other: Self, part: float, block: slice) -> None:
        """Move a block of learners by a part of the way to others of the same columns."""


@dataclass(kw_only=True, eq=False, repr=False)
class AveragingClassifier(Reports, OnlineClassifier):
    """A learner of real values, whose `fit` is the mean of several passes; `partial_fit` makes one, in order."""

    max_epochs: int = 5
    shuffle: bool = True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = False  # real values are taken as they are
        return tags

    def _learned(self) -> tuple[str, list[tuple[str, str]]]:
        from winnowkit.linear.attributes import heaviest_rows  # noqa: PLC0415

        return super()._learned()[0], heaviest_rows(self)

    def _further_epochs(self, trials: Trials, rng: np.random.Generator | None) -> None:
        """Add further passes, each from nothing, to the mean, a few at a time if there are several threads.

        If this is interrupted, each block of learners is the mean of its complete passes.
        """
        n_orders = 0 if rng is None else self.max_epochs - 1
        orders = [new_order(rng, len(trials.labels)) for _ in range(n_orders)]
        learner = cast(WeightedLearner, self._learner)
        runs = [(done, order, block) for done, order in enumerate(orders, 2) for block in learner.blocks()]

        def one(order: NDArray[np.int64] | None, block: slice) -> WeightedLearner:
            return learner.anew(trials._replace(order=order), block)

        n_jobs = min(effective_n_jobs(self.n_jobs), max(1, len(runs)))
        for first in range(0, len(runs), n_jobs):
            together = runs[first : first + n_jobs]
            calls = (delayed(one)(order, block) for _, order, block in together)
            made = [one(*together[0][1:])] if n_jobs == 1 else Parallel(n_jobs=n_jobs, prefer="threads")(calls)
            for done, _, block in together:
                learner.fold(made.pop(0), 1.0 / done, block)  # it is not needed again, and may be large
