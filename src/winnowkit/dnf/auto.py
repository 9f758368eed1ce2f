"""Exact sums where they are cheap enough, sampled ones elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np
import numpy.typing as npt

from winnowkit.dnf.agreement import Agreement
from winnowkit.dnf.answers import Decision, Estimate, Threshold
from winnowkit.dnf.descent import Descent
from winnowkit.dnf.engine import Engine, Logs, Sources, check_engine
from winnowkit.dnf.exact import BudgetExceeded, Exact
from winnowkit.dnf.kernels.problem import Codes, Floats, Ints
from winnowkit.dnf.kernels.threshold import WIDE
from winnowkit.dnf.largest import largest_by_bounds
from winnowkit.dnf.log import MistakeLog
from winnowkit.dnf.training import IncrementalTraining, RandomnessOf, Training, TrainingOptions

MAX_NODES = 2_000_000
"""Nodes after which a sum is sampled: about a third of a second, as the default ladder takes at 40 attributes."""


@dataclass(frozen=True)
class Auto(Engine):
    """Exact sums within a budget of nodes; past it, those of a sampling engine. The estimate says which it was.

    A batch of rows is summed exactly if that is possible within the budget for all of them; otherwise each row is tried
    exactly, and sampled if its own sum exceeds the budget.

    Parameters
    ----------
    exact : Exact
        Asked first; its `max_nodes` is the budget.
    sampler : Engine
        Asked when the budget is exceeded; and at once for sides of wide sums, if it begins with the same search.

    See Also
    --------
    Exact : Exact sums.
    Descent : Bounds, and samples between them.
    Population : Sums where bounds say little.
    Ladder : Sums by Markov chains.

    Examples
    --------
    >>> import numpy as np
    >>> from winnowkit.dnf import Ladder, MistakeLog
    >>> log = MistakeLog(12)
    >>> rng = np.random.default_rng(0)
    >>> for sign in rng.choice([-1, 1], 40):
    ...     log.append(rng.integers(0, 3, 12), sign)
    >>> agreement = Agreement.of(log, np.ones(12))
    >>> [Auto(Exact(max_nodes), Ladder()).log_sum(agreement, alpha=1.5, rng=0).exact for max_nodes in (1, 1000)]
    [False, True]
    """

    exact: Exact = Exact(MAX_NODES)  # noqa: RUF009 - it cannot change
    sampler: Engine = Descent()  # noqa: RUF009 - it cannot change

    compares_exactly = True

    def __post_init__(self) -> None:
        check_engine(self.exact, Exact)
        check_engine(self.sampler)

    @property
    def guess(self) -> str:  # type: ignore[override]  # no one sets it
        """The guess of the engine that samples."""
        return self.sampler.guess

    def log_sum(self, agreement: Agreement, alpha: float, rng: object = None) -> Estimate:
        """Compute the logarithm of the weighted sum; `rng` is used only if it is sampled."""
        try:
            return self.exact.log_sum(agreement, alpha)
        except BudgetExceeded:
            return self.sampler.log_sum(agreement, alpha, rng)

    def decide(
        self, agreement: Agreement, threshold: Threshold, guess: int | None = None, rng: object = None
    ) -> Decision:
        """Decide whether the weighted sum is at least theta; `guess` and `rng` are used only if it is sampled."""
        if agreement.n_live > WIDE and self.sampler.searches_first:
            return self.sampler.decide(agreement, threshold, guess, rng)
        try:
            return self.exact.decide(agreement, threshold)
        except BudgetExceeded:
            return self.sampler.decide(agreement, threshold, guess, rng)

    def log_sums(
        self, log: MistakeLog, X: npt.ArrayLike, alpha: float, n_jobs: int = 1, *, rng_of: RandomnessOf = None
    ) -> Floats:
        """Compute the logarithms of the weighted sums of many rows."""
        try:
            return self.exact.log_sums(log, X, alpha, n_jobs)
        except BudgetExceeded:
            return super().log_sums(log, X, alpha, n_jobs, rng_of=rng_of)

    def log_sums_by_learner(
        self, logs: Logs, X: npt.ArrayLike, alpha: float, n_jobs: int = 1, *, rngs: Sources = None
    ) -> Floats:
        """Compute the logarithms of the sums of many rows for several logs, as an array of shape (rows, logs)."""
        try:
            return self.exact.log_sums_by_learner(logs, X, alpha, n_jobs)
        except BudgetExceeded:  # for one log is for all: the sums of a row are of one kind
            sources = rngs or [None] * len(logs)
            pairs = zip(logs, sources, strict=True)
            return np.stack([Engine.log_sums(self, log, X, alpha, n_jobs, rng_of=rng) for log, rng in pairs], axis=1)

    def labels(
        self, log: MistakeLog, X: npt.ArrayLike, threshold: Threshold, n_jobs: int = 1, *, rng_of: RandomnessOf = None
    ) -> Ints:
        """Decide many rows: 1 where the weighted sum is at least theta, else 0."""
        try:
            return self.exact.labels(log, X, threshold, n_jobs)
        except BudgetExceeded:
            return super().labels(log, X, threshold, n_jobs, rng_of=rng_of)

    def largest(
        self, logs: Logs, X: npt.ArrayLike, threshold: Threshold, n_jobs: int = 1, *, rngs: Sources = None
    ) -> Ints:
        """Find the log under which each row has its largest sum, by bounds if the budget allows, else by values."""
        above = self.labels_by_learner(logs, X, threshold, n_jobs, rngs=rngs)
        try:
            return largest_by_bounds(self.exact, logs, X, threshold, above, self.leaders, n_jobs)
        except BudgetExceeded:
            return super().largest(logs, X, threshold, n_jobs, rngs=rngs)

    def leaders(self, logs: Logs, x: Codes, alpha: float, sums: Floats) -> list[int]:
        """List the logs under which a row has its largest sum; compared as fractions if the budget allows."""
        try:
            return self.exact.leaders(logs, x, alpha, sums)
        except BudgetExceeded:
            return super().leaders(logs, x, alpha, sums)

    def training(
        self, X: npt.ArrayLike, y: npt.ArrayLike, threshold: Threshold, **options: Unpack[TrainingOptions]
    ) -> Training:
        """Prepare training as that of exact sums, with samples for the rows that are past the budget."""
        return IncrementalTraining(self, X, y, threshold, self.exact.budget, **options)
