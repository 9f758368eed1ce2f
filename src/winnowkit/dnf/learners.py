"""The learners behind a classifier: one log of mistakes each, one threshold, one engine.

Two classes need one learner, cut at theta; or, as in Tao & Scott (2004), section 6, one per class and the largest sum.
"""

from __future__ import annotations

import copy
import math
import threading
import time
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from hashlib import blake2b
from itertools import islice, repeat
from typing import Literal, NamedTuple, Self

import numpy as np

from winnowkit.core.multiclass import SMALLEST, class_of
from winnowkit.core.progress import Progress
from winnowkit.dnf.answers import Estimate, Threshold
from winnowkit.dnf.engine import Engine, in_order
from winnowkit.dnf.exact import Exact
from winnowkit.dnf.kernels.problem import Codes, Floats, Ints
from winnowkit.dnf.kernels.threshold import NEAR
from winnowkit.dnf.log import Journal, MistakeLog
from winnowkit.dnf.training import RandomnessOf, Training, UpdatePolicy

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


class Learners:
    """Winnows over all terms that share alpha and theta; with more than one, the largest sum names the class.

    Each learner updates on its own binary mistakes. Sums within 1e-9 of theta are compared exactly if the engine's
    `decide` does, and the largest sums of a row if its `leaders` and `largest` do; ties go to the lower class.

    Parameters
    ----------
    n_learners : int
        1 (a positive class) or one per class.
    n_attributes : int
        Length of an example.
    alpha : float
        Learning rate, above 1.
    theta : int, float or Fraction
        The threshold.
    engine : Engine, optional
        Computes the sums; None is ``Exact()``.
    max_mistakes : int, optional
        Largest number of distinct examples that a log keeps.
    seed : int
        For engines that sample. What they draw for an example depends only on it, the example and the log.

    Examples
    --------
    >>> learners = Learners(3, n_attributes=1, alpha=1.5, theta=4)
    >>> X, y = np.array([[1], [2], [3]]), np.array([0, 1, 2])
    >>> learners.fit(X, y, max_epochs=100)
    Outcome(n_epochs=3, n_trials=9, n_mistaken=6, ended='clean epoch')
    >>> learners.predict(X)
    array([0, 1, 2])
    """

    def __init__(
        self,
        n_learners: int,
        n_attributes: int,
        alpha: float,
        theta: float | Fraction,
        engine: Engine | None = None,
        max_mistakes: int | None = None,
        seed: int = 0,
    ) -> None:
        self.engine: Engine = Exact() if engine is None else engine
        self.logs = self.engine.new_logs(n_learners, n_attributes, max_mistakes)
        self.n_updates = [0] * n_learners
        self.alpha, self.theta, self.log_theta = alpha, theta, math.log(theta)
        self.seed = seed

    # --- learning ----------------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Codes,
        classes: Ints,
        max_epochs: int,
        orders: Iterable[Ints | None] = repeat(None),
        n_jobs: int = 1,
        *,
        policy: UpdatePolicy = UpdatePolicy(),  # noqa: B008 - it cannot change
        keep_longest: bool = False,
        max_time: float | None = None,
        progress: Progress | None = None,
    ) -> Outcome:
        """Learn, from empty logs, until each learner had an epoch without an update of its own.

        Parameters
        ----------
        X : array of int, shape (rows, attributes)
            Codes from 1; 0 is unspecified.
        classes : array of int, shape (rows,)
            One class per row.
        max_epochs : int
            Largest number of epochs.
        orders : iterable of array or None
            The order of the rows in each epoch, None for that of X; training stops when there is none left.
        n_jobs : int
            Threads, over learners.
        policy : UpdatePolicy
            When a learner is updated.
        keep_longest : bool
            Whether a learner that never had such an epoch keeps the log that went without an update for the largest
            number of trials (Gallant's pocket) instead of its last one.
        max_time : float, optional
            Seconds after which training stops, also within an epoch.
        progress : Progress, optional
            Told of rows and epochs.

        Returns
        -------
        Outcome
            How it went, and why it ended. An interrupt (Ctrl-C) is an ending like others, so that learners keep what
            they should: the caller must raise it again.
        """
        trainings = [self._begin_training(c, X, classes, policy) for c in range(len(self.logs))]
        deadline = math.inf if max_time is None else time.monotonic() + max_time
        interrupted = threading.Event()

        def go_on(n_rows: int) -> bool:
            if progress is not None:
                progress.rows(n_rows)
            return not interrupted.is_set() and time.monotonic() < deadline

        going, n_epochs = trainings, 0
        try:
            for order in islice(orders, max_epochs):
                if progress is not None:
                    progress.epoch(n_epochs + 1, len(going) * len(X), sum(training.n_latest for training in going))
                in_order(partial(Training.epoch, order=order, go_on=go_on), going, n_jobs, interrupted.set)
                if not all(training.complete for training in going):
                    break
                n_epochs += 1
                going = [training for training in going if not training.clean]
                if not going:
                    break
        except KeyboardInterrupt:
            interrupted.set()
        ended = "interrupted" if interrupted.is_set() else _ending(going, n_epochs == max_epochs)
        for c, training in enumerate(trainings):
            self.n_updates[c] += len(training.mistakes)
            if not training.clean and keep_longest:
                self.logs[c] = training.replayed(training.longest_run())
            elif not training.clean and ended == "interrupted":  # perhaps in the middle of an update
                self.logs[c] = training.replayed(len(training.mistakes))
        n_trials = max(training.n_trials for training in trainings)
        n_mistaken = len(set().union(*(training.times for training in trainings)))
        return Outcome(n_epochs, n_trials, n_mistaken, ended)

    def follow(self, X: Codes, classes: Ints, blind: Codes | None = None) -> Ints:
        """Do one trial per row, in order, and return the classes predicted before each update.

        `blind` are the rows as a predictor sees them, if they differ from those that are learned from.
        """
        if len(self.logs) == 1 and blind is None:
            training = self._begin_training(0, X, classes, UpdatePolicy())
            wrong = training.mistaken()
            self.n_updates[0] += len(wrong)
            predicted = training.y.copy()
            predicted[wrong] = 1 - predicted[wrong]
            return predicted
        seen = X if blind is None else blind
        return np.array([self.trial(X[i], int(classes[i]), seen[i]) for i in range(len(X))], dtype=np.int64)

    def trial(self, x: Codes, label: int, blind: Codes | None = None) -> int:
        """Do one trial, and return the class predicted before the update. Nothing changes if a sum fails."""
        if len(self.logs) == 1:
            sides = self.predict(x[None])
            predicted = int(sides[0])
        else:
            sums = self.log_sums(x[None])[0]
            sides = np.array([self._side(c, x, value) for c, value in enumerate(sums)])
            predicted = self.engine.leaders(self.logs, x, self.alpha, sums)[0]
        if blind is not None and not np.array_equal(x, blind):
            predicted = int(self.predict(blind[None])[0])
        for c, log in enumerate(self.logs):
            target = label == class_of(c, len(self.logs))
            if sides[c] != target:
                log.append(x, 1 if target else -1)
                self.n_updates[c] += 1
        return predicted

    def checkpoint(self) -> tuple[list[int], list[MistakeLog], list[Journal]]:
        """Return what :meth:`roll_back` needs."""
        return self.n_updates.copy(), self.logs.copy(), [log.checkpoint() for log in self.logs]

    def roll_back(self, checkpoint: tuple[list[int], list[MistakeLog], list[Journal]]) -> None:
        """Be as at the checkpoint."""
        self.n_updates, self.logs, journals = checkpoint
        for log, journal in zip(self.logs, journals, strict=True):
            log.roll_back(journal)

    def _begin_training(self, c: int, X: Codes, classes: Ints, policy: UpdatePolicy) -> Training:
        """Prepare the training of learner `c`."""
        return self.engine.training(
            X,
            classes == class_of(c, len(self.logs)),
            self._threshold,
            log=self.logs[c],
            margin=policy.margin,
            max_updates=policy.limit(self.log_theta - self.engine.first_log_sums(X), self.alpha),
            rng_of=self._rngs[c],
        )

    # --- predicting --------------------------------------------------------------------------------------------------

    def predict(self, X: Codes, n_jobs: int = 1) -> Ints:
        """Predict the class of each row."""
        if len(self.logs) == 1:
            return self.engine.labels(self.logs[0], X, self._threshold, n_jobs, rng_of=self._rngs[0])
        return self.engine.largest(self.logs, X, self._threshold, n_jobs, rngs=self._rngs)

    def log_sums(self, X: Codes, engine: Engine | None = None, n_jobs: int = 1) -> Floats:
        """Compute the logarithms of the weighted sums, as an array of shape (rows, learners)."""
        return self._chosen(engine).log_sums_by_learner(self.logs, X, self.alpha, n_jobs, rngs=self._rngs)

    def estimates(self, X: Codes, engine: Engine | None = None, n_jobs: int = 1) -> list[list[Estimate]]:
        """Estimate the weighted sum of each row and learner."""
        chosen, pairs = self._chosen(engine), zip(self.logs, self._rngs, strict=True)
        by_learner = [chosen.estimates(log, X, self.alpha, n_jobs, rng_of=rng) for log, rng in pairs]
        return [list(row) for row in zip(*by_learner, strict=True)]

    def decisions(self, X: Codes, n_jobs: int = 1) -> Floats:
        """Compute log W - log theta, as an array of shape (rows, learners).

        Where rounding hides the right side or class, a value is moved by its last bit.
        """
        sums = self.log_sums(X, n_jobs=n_jobs)
        decisions: Floats = sums - self.log_theta
        if len(self.logs) == 1:
            for i in np.flatnonzero(np.abs(decisions[:, 0]) <= NEAR):
                side, value = self._side(0, X[i], sums[i, 0]), decisions[i, 0]
                decisions[i, 0] = max(value, SMALLEST) if side else min(value, -SMALLEST)
            return decisions
        high = decisions.max(axis=1)
        for i in np.flatnonzero((decisions >= high[:, None] - NEAR).sum(axis=1) > 1):
            equals = self.engine.leaders(self.logs, X[i], self.alpha, sums[i])
            decisions[i] = np.minimum(decisions[i], np.nextafter(high[i], -math.inf))
            decisions[i, equals] = high[i]
        return decisions

    def _side(self, c: int, x: Codes, log_sum: float) -> int:
        """Decide the side of theta of a row whose sum is known."""
        if self.engine.compares_exactly and abs(log_sum - self.log_theta) <= NEAR:
            return int(self.engine.labels(self.logs[c], x[None], self._threshold, rng_of=self._rngs[c])[0])
        return int(log_sum >= self.log_theta)

    def _chosen(self, engine: Engine | None) -> Engine:
        """Return the engine to ask; it must sum over the terms that the model has learned weights of."""
        if engine is None or engine.max_literals == self.engine.max_literals:
            return self.engine if engine is None else engine
        raise ValueError(
            f"the model sums over terms of at most max_literals={self.engine.max_literals} literals, "
            f"which {engine!r} does not; leave engine=None"
        )

    @property
    def _threshold(self) -> Threshold:
        return Threshold(self.alpha, self.log_theta, self.theta)

    @property
    def _rngs(self) -> list[RandomnessOf]:
        return [partial(self._rng, c) for c in range(len(self.logs))]

    def _rng(self, c: int, x: Codes) -> np.random.Generator:
        """Make the randomness of one sum, the same whenever the same example meets the same log."""
        row = int.from_bytes(blake2b(np.ascontiguousarray(x).tobytes(), digest_size=8).digest())
        return np.random.default_rng([self.seed, c, self.logs[c].n_mistakes, row])

    # --- columns and classes that turn up over time ------------------------------------------------------------------

    def grown(self, n_attributes: int, theta: float | Fraction, fill: int) -> Self:
        """Make the same learners for more columns, which were at code `fill` so far, and another theta.

        No logged mistake has to change: those made before a column turned up have no value in it.

        Examples
        --------
        >>> learners = Learners(1, n_attributes=1, alpha=1.5, theta=3)
        >>> learners.trial(np.array([1], dtype=np.int32), 1)  # 2 terms < 3
        0
        >>> learners.grown(2, theta=9, fill=0).logs[0].codes
        array([[1, 0]], dtype=int32)
        """
        new = copy.copy(self)
        new.n_updates = list(self.n_updates)
        if theta != self.theta:
            new.theta, new.log_theta = theta, math.log(theta)
        if n_attributes > self.logs[0].n_attributes:
            new.logs = [log.widened(n_attributes, fill) for log in self.logs]
        return new

    def with_learners(self, sources: Sequence[int | None]) -> Self:
        """Make one learner per source: the present one of that number, or for None one that has seen nothing."""
        new = copy.copy(self)
        blank = self.logs[0]
        fresh = iter(self.engine.new_logs(list(sources).count(None), blank.n_attributes, blank.max_mistakes))
        new.logs = [next(fresh) if source is None else self.logs[source] for source in sources]
        new.n_updates = [0 if source is None else self.n_updates[source] for source in sources]
        return new

    def alone(self, c: int) -> Self:
        """Make one of the learners without the others: it predicts 1 for its class."""
        return self.with_learners([c])


def _ending(going: Sequence[Training], epochs_used_up: bool) -> Ending:
    """Tell why training ended that was not interrupted, by the learners that were still going."""
    if not going:
        return "clean epoch"
    if not all(training.complete for training in going):
        return "max_time"
    return "max_epochs" if epochs_used_up else "stopped"
