"""The base class of engines, which compute or estimate weighted sums.

An engine answers two questions about one example against one log of mistakes: how large is the weighted sum
(:meth:`Engine.log_sum`), and on which side of the threshold is it (:meth:`Engine.decide`). Everything else that
learners ask, about many rows, several learners or training, has a default here that asks those two row by row. An
engine that can do better overrides the default; no caller looks at the type of an engine.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import TypeAlias, TypeVar, Unpack

import numpy as np
import numpy.typing as npt

from winnowkit.dnf.agreement import Agreement
from winnowkit.dnf.answers import Decision, Estimate, Threshold, checked
from winnowkit.dnf.kernels.problem import Codes, Floats, Ints
from winnowkit.dnf.kernels.threshold import NEAR
from winnowkit.dnf.log import MistakeLog
from winnowkit.dnf.training import RandomnessOf, Training, TrainingOptions, guess_unlabelled

Logs: TypeAlias = Sequence[MistakeLog]
"""The log of each learner."""

Sources: TypeAlias = Sequence[RandomnessOf] | None
"""The randomness of each learner."""

T = TypeVar("T")
R = TypeVar("R")


class Engine(ABC):
    """Computes or estimates weighted sums; a new engine needs only `log_sum` and `decide`.

    Both must give the same answer whenever they are asked the same question with the same randomness, as nothing stores
    answers; and `decide` must give the side on which the sum of `log_sum` lies: `predict` asks the one and
    `decision_function` the other. Several threads may ask one engine at the same time. The attributes have defaults; a
    class or an instance may set them.

    Attributes
    ----------
    compares_exactly : bool
        Whether `decide` settles ties with theta exactly. If so, learners ask for the side of a sum whose logarithm is
        within 1e-9 of that of theta; otherwise they compare the two values. Ties between the sums of several learners
        are another matter: `leaders` and `largest` compare floating-point numbers, unless an engine overrides them
        (:func:`exact_leaders` helps).
    samples : bool
        Whether sums may be sampled. False if all of them are computed, which `DNFWinnow.certificate` wants to know.
    searches_first : bool
        Whether `decide` begins with the search that :class:`~winnowkit.dnf.Exact` does for wide sums.
    guess : {"start", "one", "last", "label"}
        Which label learners pass to `decide` as their guess; see :class:`~winnowkit.dnf.Ladder`. "start" passes None.
    max_literals : int or None
        Length of the longest term that counts; None if all terms do. Engines may be exchanged for each other if it is
        the same.

    See Also
    --------
    Exact : Exact sums.
    Auto : Exact sums within a budget, sampled ones past it.

    Examples
    --------
    An engine that lists all subsets of the attributes:

    >>> from itertools import product
    >>> class Listing(Engine):
    ...     def log_sum(self, agreement, alpha, rng=None):
    ...         total, members = 0.0, agreement.members()
    ...         for term in product([False, True], repeat=agreement.n_live):
    ...             inside = members[:, np.array(term, dtype=bool)].all(axis=1)
    ...             total += alpha ** int(agreement.nets[inside].sum())
    ...         total = total + 2**agreement.n_live * (2**agreement.n_dead - 1)
    ...         return Estimate(math.log(total) + agreement.n_free * math.log(2))
    ...
    ...     def decide(self, agreement, threshold, guess=None, rng=None):
    ...         return Decision(int(self.log_sum(agreement, threshold.alpha).log_sum >= threshold.log_theta))
    >>> from winnowkit.dnf import MistakeLog
    >>> log = MistakeLog(2)
    >>> log.append([1, 2], +1)
    >>> np.exp(Listing().log_sums(log, [[1, 2], [1, 1], [0, 0]], alpha=1.5)).round(9)
    array([6. , 5. , 1.5])
    """

    compares_exactly = False
    samples = True
    searches_first = False
    max_literals: int | None = None
    guess: str = "start"

    # --- one example: what every engine has to answer ----------------------------------------------------------------

    @abstractmethod
    def log_sum(self, agreement: Agreement, alpha: float, rng: object = None) -> Estimate:
        """Compute or estimate the logarithm of the weighted sum.

        Parameters
        ----------
        agreement : Agreement
            The example compared with the log.
        alpha : float
            The learning rate, above 1.
        rng : int, SeedSequence, Generator or None
            Source of randomness, for engines that sample; the same one gives the same estimate.

        Returns
        -------
        Estimate
            The logarithm of the sum, and its standard error if it was sampled.
        """

    @abstractmethod
    def decide(
        self, agreement: Agreement, threshold: Threshold, guess: int | None = None, rng: object = None
    ) -> Decision:
        """Decide whether the weighted sum is at least theta.

        Parameters
        ----------
        agreement : Agreement
            The example compared with the log.
        threshold : Threshold
            Alpha and theta.
        guess : {0, 1}, optional
            The label that is expected, for engines that can use it.
        rng : int, SeedSequence, Generator or None
            Source of randomness, for engines that sample.

        Returns
        -------
        Decision
            The side of theta, and how certain it is.
        """

    # --- many rows ---------------------------------------------------------------------------------------------------

    def estimates(
        self, log: MistakeLog, X: npt.ArrayLike, alpha: float, n_jobs: int = 1, *, rng_of: RandomnessOf = None
    ) -> list[Estimate]:
        """Estimate the sum of each row; `rng_of` maps a row to its source of randomness."""

        def of_row(x: Codes) -> Estimate:
            return checked(self.log_sum(Agreement.of(log, x), alpha, rng_of(x) if rng_of else None), Estimate, self)

        return in_order(of_row, np.ascontiguousarray(X, dtype=np.int32), n_jobs)

    def log_sums(
        self, log: MistakeLog, X: npt.ArrayLike, alpha: float, n_jobs: int = 1, *, rng_of: RandomnessOf = None
    ) -> Floats:
        """Compute the logarithms of the weighted sums of many rows, in `n_jobs` threads."""
        return np.array([estimate.log_sum for estimate in self.estimates(log, X, alpha, n_jobs, rng_of=rng_of)])

    def labels(
        self, log: MistakeLog, X: npt.ArrayLike, threshold: Threshold, n_jobs: int = 1, *, rng_of: RandomnessOf = None
    ) -> Ints:
        """Decide many rows, in `n_jobs` threads: 1 where the weighted sum is at least theta, else 0."""
        guess = guess_unlabelled(self.guess)

        def of_row(x: Codes) -> int:
            rng = rng_of(x) if rng_of else None
            return checked(self.decide(Agreement.of(log, x), threshold, guess, rng), Decision, self).label

        return np.array(in_order(of_row, np.ascontiguousarray(X, dtype=np.int32), n_jobs), dtype=np.int64)

    # --- several learners --------------------------------------------------------------------------------------------

    def log_sums_by_learner(
        self, logs: Logs, X: npt.ArrayLike, alpha: float, n_jobs: int = 1, *, rngs: Sources = None
    ) -> Floats:
        """Compute the logarithms of the sums of many rows for several logs, as an array of shape (rows, logs)."""
        sources = rngs or [None] * len(logs)
        sums = [self.log_sums(log, X, alpha, n_jobs, rng_of=rng) for log, rng in zip(logs, sources, strict=True)]
        return np.stack(sums, axis=1)

    def labels_by_learner(
        self, logs: Logs, X: npt.ArrayLike, threshold: Threshold, n_jobs: int = 1, *, rngs: Sources = None
    ) -> Ints:
        """Decide many rows for several logs, as an array of shape (rows, logs)."""
        sides = [
            self.labels(log, X, threshold, n_jobs, rng_of=rng)
            for log, rng in zip(logs, rngs or [None] * len(logs), strict=True)
        ]
        return np.stack(sides, axis=1)

    def largest(
        self, logs: Logs, X: npt.ArrayLike, threshold: Threshold, n_jobs: int = 1, *, rngs: Sources = None
    ) -> Ints:
        """Find the log under which each row has its largest sum; the first one on a tie."""
        first: Ints = self.log_sums_by_learner(logs, X, threshold.alpha, n_jobs, rngs=rngs).argmax(axis=1)
        return first

    def leaders(self, logs: Logs, x: Codes, alpha: float, sums: Floats) -> list[int]:
        """List the logs under which a row has its largest sum, given the logarithms of its sums: several on a tie."""
        equal: list[int] = np.flatnonzero(sums == sums.max()).tolist()
        return equal

    # --- learning ----------------------------------------------------------------------------------------------------

    def new_logs(self, n_logs: int, n_attributes: int, max_mistakes: int | None = None) -> list[MistakeLog]:
        """Make empty logs of the kind that this engine sums over; raise ValueError for a table that is too wide.

        `n_attributes` may exceed the number of columns: one of numbers has an attribute per cut, and one for the rest.
        """
        return [MistakeLog(n_attributes, max_mistakes) for _ in range(n_logs)]

    def first_log_sums(self, X: Codes) -> Floats:
        """Compute the logarithms of the sums before anything is learned: every term weighs 1."""
        sums: Floats = np.count_nonzero(X, axis=1) * math.log(2.0)
        return sums

    def training(
        self, X: npt.ArrayLike, y: npt.ArrayLike, threshold: Threshold, **options: Unpack[TrainingOptions]
    ) -> Training:
        """Prepare the training of one learner on fixed rows.

        Parameters
        ----------
        X, y : array of int
            Rows and their labels.
        threshold : Threshold
            Alpha and theta.
        **options
            As for :class:`~winnowkit.dnf.Training`.

        Returns
        -------
        Training
            Presents the rows, epoch by epoch, and learns from mistakes.
        """
        return Training(self, X, y, threshold, **options)


def check_engine(engine: object, kind: type[Engine] = Engine) -> None:
    """Raise ValueError for an object that is not an engine, or not one of this kind."""
    if not isinstance(engine, kind):
        wanted = f"winnowkit.dnf.{kind.__name__}"
        raise ValueError(f"an engine must be an instance of {wanted}, such as Exact(); got {engine!r}")


def exact_leaders(sums: Floats, exactly: Callable[[int], Fraction]) -> list[int]:
    """List the largest sums, given their logarithms; those within 1e-9 of the largest are compared as fractions."""
    near: list[int] = np.flatnonzero(sums >= sums.max() - NEAR).tolist()
    if len(near) == 1:
        return near
    totals = {c: exactly(c) for c in near}
    return [c for c in near if totals[c] == max(totals.values())]


def in_order(
    call: Callable[[T], R], items: Iterable[T], n_jobs: int, on_interrupt: Callable[[], None] = lambda: None
) -> list[R]:
    """Return the results of `call` on each item, in order, computed in `n_jobs` threads."""
    if n_jobs == 1:
        return list(map(call, items))
    with ThreadPoolExecutor(n_jobs) as pool:
        try:
            return list(pool.map(call, items))
        except KeyboardInterrupt:
            on_interrupt()
            raise


def in_parts(call: Callable[[slice], R], n_rows: int, n_jobs: int) -> list[R]:
    """Return the results of `call` on some slices that make up the rows, in order, computed in `n_jobs` threads."""
    step = max(1, n_rows if n_jobs == 1 else -(-n_rows // (8 * n_jobs)))
    return in_order(call, [slice(first, first + step) for first in range(0, n_rows, step)], n_jobs)
