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
from winnowkit.core.multiclass import n_learners_for
from winnowkit.core.online_classifier import OnlineClassifier, new_order
from winnowkit.core.reporting import Reports


class WeightedLearner(Learner, Protocol):
    """A learner of weighted examples whose passes can be averaged."""

    def fold(self, other: Self, part: float) -> None:
        """Move by a part of the way to another learner of the same columns."""


@dataclass(kw_only=True, eq=False, repr=False)
class AveragingClassifier(Reports, OnlineClassifier):
    """A learner of real values, whose `fit` is the mean of several passes; `partial_fit` makes one, in order."""

    max_epochs: int = 5
    shuffle: bool = True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = False  # real values are taken as they are
        return tags

    def _further_epochs(self, trials: Trials, rng: np.random.Generator | None) -> None:
        """Add further passes, each from nothing, to the mean, a few at a time if there are several threads.

        If this is interrupted, the mean of the complete passes is kept.
        """
        n_orders = 0 if rng is None else self.max_epochs - 1
        orders = [new_order(rng, len(trials.labels)) for _ in range(n_orders)]

        def one(order: NDArray[np.int64] | None) -> WeightedLearner:
            learner: WeightedLearner = self._begin(self.n_features_in_, n_learners_for(len(self.classes_)))
            learner.learn(trials._replace(order=order))
            return learner

        n_jobs = min(effective_n_jobs(self.n_jobs), max(1, len(orders)))
        done = 1
        for first in range(0, len(orders), n_jobs):
            together = orders[first : first + n_jobs]
            calls = (delayed(one)(order) for order in together)
            learners = [one(together[0])] if n_jobs == 1 else Parallel(n_jobs=n_jobs, prefer="threads")(calls)
            for learner in learners:
                done += 1
                cast(WeightedLearner, self._learner).fold(learner, 1.0 / done)
