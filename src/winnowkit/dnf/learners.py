"""The learners behind a classifier: one log of mistakes each, one threshold, one engine.

Two classes need one learner, cut at theta; or, as in Tao & Scott (2004), section 6, one a class and the largest sum.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from functools import partial
from hashlib import blake2b

import numpy as np

from winnowkit.core.progress import Progress
from winnowkit.dnf.agreement import Agreement
from winnowkit.dnf.auto import Auto
from winnowkit.dnf.engine import Engine, exact_part, suppress_over_budget
from winnowkit.dnf.epochs import Course, Demand, Outcome, Run
from winnowkit.dnf.estimate import Decision, Estimate
from winnowkit.dnf.exact import Exact
from winnowkit.dnf.kernels.agree import Codes, Floats, Ints
from winnowkit.dnf.kernels.threshold import NEAR
from winnowkit.dnf.log import MistakeLog
from winnowkit.dnf.log_arithmetic import exact_sum
from winnowkit.dnf.mcmc.rungs import Guesses, guess_unlabelled
from winnowkit.dnf.race import race
from winnowkit.dnf.resources import in_order
from winnowkit.dnf.training import Training

SMALLEST = float(np.nextafter(0.0, 1.0))


class Learners:
    """Winnows over all terms that share alpha and theta; with more than one, the largest sum names the class.

    Each learner updates on its own binary mistakes. Sums within 1e-9 of theta, or of each other, are compared exactly
    when the engine is exact; ties of the largest sum go to the lower class.

    Parameters
    ----------
    n_learners : int
        1 (a positive class) or one a class.
    n_attributes : int
        Length of an example.
    alpha : float
        Learning rate, above 1.
    theta : int, float or Fraction
        The threshold.
    engine : Engine, optional
        What sums; None is ``Exact()``.
    max_mistakes : int, optional
        Most distinct examples a log keeps.
    seed : int
        For engines that sample. What they draw for an example depends on it, the example and the log alone.

    Examples
    --------
    >>> learners = Learners(3, n_attributes=1, alpha=1.5, theta=4)
    >>> X, y = np.array([[1], [2], [3]]), np.array([0, 1, 2])
    >>> learners.fit(X, y, max_epochs=100)
    Outcome(n_epochs=3, n_trials=9, n_mistaken=6, interrupted=False)
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
        self.logs = [MistakeLog(n_attributes, max_mistakes) for _ in range(n_learners)]
        self.n_updates = [0] * n_learners
        self.alpha, self.theta, self.log_theta = alpha, theta, math.log(theta)
        self.engine: Engine = Exact() if engine is None else engine
        self.seed = seed

    def fit(
        self,
        X: Codes,
        classes: Ints,
        max_epochs: int,
        order: Callable[[], Ints | None] = lambda: None,
        n_jobs: int = 1,
        *,
        keep_longest: bool = False,
        demand: Demand = Demand(),  # noqa: B008 - it cannot change
        progress: Progress | None = None,
    ) -> Outcome:
        """Learn, with empty logs, until each learner had an epoch without an update of its own.

        What is learned from is what does not meet the `demand`. One that never had such an epoch keeps its last log;
        or, with `keep_longest`, that which met it for the most rows in a row (Gallant's pocket). `order` gives the
        order of the rows in the next epoch, None as they are; it may raise StopIteration to end learning. An interrupt
        (Ctrl-C) leaves the logs as they are then.
        """
        bar = Progress(show=False) if progress is None else progress
        courses = [Course(self._run(c, X, self._target(c, classes), bar, demand), c) for c in range(len(self.logs))]
        epoch = mistaken = made = 0
        while courses and epoch < max_epochs:
            try:
                rows = order()
            except StopIteration:
                break
            bar.epoch(epoch + 1, len(courses) * len(X), made)
            try:
                wrong = in_order(partial(Course.epoch, order=rows), courses, n_jobs, on_interrupt=bar.stop)
            except KeyboardInterrupt:
                mistaken += sum(log.n_mistakes for log in self.logs) - sum(self.n_updates)
                self.n_updates = [log.n_mistakes for log in self.logs]
                return Outcome(epoch, epoch * len(X) + bar.done // len(courses), mistaken, interrupted=True)
            made = sum(map(len, wrong))
            mistaken += len(set().union(*wrong))
            place = np.arange(len(X)) if rows is None else np.argsort(rows)
            for course, found in zip(courses, wrong, strict=True):
                course.rows += found
                course.times += (epoch * len(X) + place[found]).tolist()
                self.n_updates[course.learner] += len(found)
            courses = [course for course, found in zip(courses, wrong, strict=True) if found]
            epoch += 1
        if keep_longest:
            for course in courses:
                log, target = self.logs[course.learner], self._target(course.learner, classes)
                self.logs[course.learner] = kept = log.emptied()
                for row in course.rows[: course.longest(epoch * len(X))]:
                    kept.append(X[row], 1 if target[row] else -1)
        return Outcome(epoch, epoch * len(X), mistaken)

    def alone(self, c: int) -> Learners:
        """One of the learners without the others: it predicts 1 for its class."""
        one = copy.copy(self)
        one.logs, one.n_updates = [self.logs[c]], [self.n_updates[c]]
        return one

    def follow(self, X: Codes, classes: Ints, blind: Codes | None = None) -> Ints:
        """One trial a row, in order: the classes predicted before each update.

        `blind` are the rows as a predictor sees them, where that is not what is learned from.
        """
        if len(self.logs) == 1 and blind is None:
            predicted = self._target(0, classes)
            wrong = self._run(0, X, predicted, Progress(show=False), Demand())(None)
            self.n_updates[0] += len(wrong)
            predicted[wrong] = 1 - predicted[wrong]
            return predicted
        seen = X if blind is None else blind
        return np.array([self.trial(X[i], int(classes[i]), seen[i]) for i in range(len(X))], dtype=np.int64)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Leave the logs as they were if what is done inside fails."""
        before = self.n_updates.copy()
        with ExitStack() as stack:
            for log in self.logs:
                stack.enter_context(log.transaction())
            try:
                yield
            except BaseException:
                self.n_updates = before
                raise

    def trial(self, x: Codes, label: int, blind: Codes | None = None) -> int:
        """One trial: the class predicted before the update. Nothing changes if a sum fails."""
        if len(self.logs) == 1:
            sides = self._sides(0, x[None], 1)
            predicted = int(sides[0])
        else:
            sums = self.log_sums(x[None])[0]
            sides = np.array([self._side(c, x, value) for c, value in enumerate(sums)])
            predicted = self._largest(x, sums)[0]
        if blind is not None and not np.array_equal(x, blind):
            predicted = int(self.predict(blind[None])[0])
        for c, log in enumerate(self.logs):
            target = label == (1 if len(self.logs) == 1 else c)
            if sides[c] != target:
                log.append(x, 1 if target else -1)
                self.n_updates[c] += 1
        return predicted

    def predict(self, X: Codes, n_jobs: int = 1) -> Ints:
        """Class of each row.

        Exact engines decide sides first: a learner alone at or above theta has the largest sum. For the other rows the
        learners' bounds race, and only sums almost equal need values.
        """
        if len(self.logs) == 1:
            return self._sides(0, X, n_jobs)
        if (exact := exact_part(self.engine)) is not None:
            with suppress_over_budget(self.engine):
                return self._race(exact, X, n_jobs)
        largest: Ints = self.log_sums(X, n_jobs=n_jobs).argmax(axis=1)
        return largest

    def _race(self, engine: Exact, X: Codes, n_jobs: int) -> Ints:
        above = np.stack([self._sides(c, X, n_jobs) for c in range(len(self.logs))], axis=1)
        predicted: Ints = above.argmax(axis=1)
        above[~above.any(axis=1)] = 1  # all of them are candidates
        open_rows = np.flatnonzero(above.sum(axis=1) > 1)
        first = race(engine, self.logs, X[open_rows], self.alpha, self.log_theta, above[open_rows] == 1, n_jobs)
        predicted[open_rows], above[open_rows] = first.argmax(axis=1), first
        open_rows = open_rows[first.sum(axis=1) > 1]
        sums = np.full((len(open_rows), len(self.logs)), -math.inf)
        for c, log in enumerate(self.logs):
            rows = np.flatnonzero(above[open_rows, c])
            sums[rows, c] = engine.log_sums(log, X[open_rows[rows]], self.alpha, n_jobs)
        for i, values in zip(open_rows, sums, strict=True):
            predicted[i] = self._largest(X[i], values)[0]
        return predicted

    def log_sums(self, X: Codes, engine: Engine | None = None, n_jobs: int = 1) -> Floats:
        """Logarithms of the weighted sums, (rows, learners)."""
        engine = self.engine if engine is None else engine
        if (exact := exact_part(engine)) is not None:
            with suppress_over_budget(engine):
                return np.stack([exact.log_sums(log, X, self.alpha, n_jobs) for log in self.logs], axis=1)
        return np.array([[estimate.log_sum for estimate in row] for row in self.estimates(X, engine, n_jobs)])

    def estimates(self, X: Codes, engine: Engine | None = None, n_jobs: int = 1) -> list[list[Estimate]]:
        """An estimate for each row and learner."""
        chosen = self.engine if engine is None else engine

        def of_row(x: Codes) -> list[Estimate]:
            return [
                chosen.log_sum(Agreement.of(log, x), self.alpha, self._rng(c, x)) for c, log in enumerate(self.logs)
            ]

        return in_order(of_row, X, n_jobs)

    def decisions(self, X: Codes, n_jobs: int = 1) -> Floats:
        """Log W - log theta, (rows, learners), nudged by a last bit where rounding hides the right side or class."""
        sums = self.log_sums(X, n_jobs=n_jobs)
        decisions: Floats = sums - self.log_theta
        if len(self.logs) == 1:
            for i in np.flatnonzero(np.abs(decisions[:, 0]) <= NEAR):
                side, value = self._side(0, X[i], sums[i, 0]), decisions[i, 0]
                decisions[i, 0] = max(value, SMALLEST) if side else min(value, -SMALLEST)
            return decisions
        high = decisions.max(axis=1)
        for i in np.flatnonzero((decisions >= high[:, None] - NEAR).sum(axis=1) > 1):
            equals = self._largest(X[i], sums[i])
            decisions[i] = np.minimum(decisions[i], np.nextafter(high[i], -math.inf))
            decisions[i, equals] = high[i]
        return decisions

    def _run(self, c: int, X: Codes, target: Ints, progress: Progress, demand: Demand) -> Run:
        """Make what presents all rows once to learner `c` and returns those mistaken."""
        guesses = Guesses(getattr(self._sampling, "guess", "start"), target.tolist())

        def decide(row: int) -> Decision:
            decision = self._decide(c, X[row], guesses[row], demand.log_theta(self.log_theta, target[row]))
            guesses.predicted(row, decision.label)
            return decision

        if (exact := exact_part(self.engine)) is not None:
            return Training(
                X,
                target,
                self.alpha,
                self.log_theta,
                theta=self.theta,
                log=self.logs[c],
                engine=exact,
                undecided=decide,
                margin=demand.margin,
                max_updates=demand.limit(self._log_ratios(X), self.alpha),
                after_rows=progress.rows,
            ).mistaken

        left = np.full(len(X), demand.limit(self._log_ratios(X), self.alpha) or np.inf)

        def plain(order: Ints | None) -> list[int]:
            wrong = []
            for i in range(len(X)) if order is None else order.tolist():
                if left[i] and decide(i).label != target[i]:
                    self.logs[c].append(X[i], 1 if target[i] else -1)
                    left[i] -= 1
                    wrong.append(int(i))
                progress.rows(1)
            return wrong

        return plain

    def _log_ratios(self, X: Codes) -> Floats:
        """Log theta less the logarithms of the sums of empty logs."""
        ratios: Floats = self.log_theta - np.count_nonzero(X, axis=1) * math.log(2.0)
        return ratios

    def _target(self, c: int, classes: Ints) -> Ints:
        return np.where(classes == (1 if len(self.logs) == 1 else c), np.int64(1), np.int64(0))

    def _sides(self, c: int, X: Codes, n_jobs: int) -> Ints:
        if (exact := exact_part(self.engine)) is not None:
            with suppress_over_budget(self.engine):
                log, theta = self.logs[c], self.theta
                return exact.labels(log, X, self.alpha, self.log_theta, theta=theta, n_jobs=n_jobs)
        guess = guess_unlabelled(getattr(self._sampling, "guess", "start"))
        return np.array(in_order(lambda x: self._decide(c, x, guess, self.log_theta).label, X, n_jobs), dtype=np.int64)

    def _decide(self, c: int, x: Codes, guess: int | None, log_theta: float) -> Decision:
        agreement, rng = Agreement.of(self.logs[c], x), self._rng(c, x)
        theta = self.theta if log_theta == self.log_theta else None
        return self.engine.decide(agreement, self.alpha, log_theta, guess, rng, theta=theta)

    def _side(self, c: int, x: Codes, log_sum: float) -> int:
        """Side of theta of a row whose sum is known."""
        if exact_part(self.engine) is not None and abs(log_sum - self.log_theta) <= NEAR:
            return int(self._sides(c, x[None], 1)[0])
        return int(log_sum >= self.log_theta)

    @property
    def _sampling(self) -> Engine:
        """What samples, if anything does."""
        return self.engine.sampler if isinstance(self.engine, Auto) else self.engine

    def _rng(self, c: int, x: Codes) -> np.random.Generator | None:
        """Randomness for one sum, the same whenever the same example meets the same log."""
        if isinstance(self.engine, Exact):
            return None
        row = int.from_bytes(blake2b(np.ascontiguousarray(x).tobytes(), digest_size=8).digest())
        return np.random.default_rng([self.seed, c, self.logs[c].n_mistakes, row])

    def _largest(self, x: Codes, sums: Floats) -> list[int]:
        """Classes of the largest sum, the lowest first: several if they are equal."""
        near: list[int] = np.flatnonzero(sums >= sums.max() - NEAR).tolist()
        if len(near) == 1:
            return near
        if (engine := exact_part(self.engine)) is not None:
            with suppress_over_budget(self.engine):
                exact = {c: exact_sum(engine.counts(Agreement.of(self.logs[c], x)), self.alpha) for c in near}
                return [c for c in near if exact[c] == max(exact.values())]
        return [c for c in near if sums[c] == sums.max()]
