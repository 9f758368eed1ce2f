"""Training one learner on a fixed table of rows: rows are presented in epochs, and mistakes are logged."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from winnowkit.dnf.agreement import Agreement
from winnowkit.dnf.answers import Decision, Threshold, checked
from winnowkit.dnf.kernels.incremental import FAR, MOST_MEETS, Events, Followed, TrainingRows, next_mistake
from winnowkit.dnf.kernels.problem import LARGEST_REACH, Codes, Floats, Ints, let_overflow, powers_of, space_for
from winnowkit.dnf.kernels.threshold import UNDECIDED
from winnowkit.dnf.log import MistakeLog

if TYPE_CHECKING:
    from winnowkit.dnf.engine import Engine

RandomnessOf: TypeAlias = Callable[[Codes], object] | None
"""Maps a row to its source of randomness."""

GUESSES = ("last", "label", "one", "start")
"""The values of `guess` of an engine."""

FEWEST_UPDATES = 4
"""A limit of updates is no less than this, however near to theta the sums begin."""

ROWS_AT_ONCE = 64
"""The most rows that fast engines do in one step, unless there is a mistake."""

_SECONDS_AT_ONCE = 0.1  # calls that took longer are followed by ones of fewer rows, so that training can be stopped


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


class TrainingOptions(TypedDict, total=False):
    """Optional parameters of :class:`Training`."""

    log: MistakeLog | None
    margin: float
    max_updates: int | None
    rng_of: RandomnessOf


class Training:
    """Epochs of Winnow over all terms on fixed rows; made by the `training` method of an engine.

    This class asks the engine about every row anew; engines that can do better have subclasses.

    Parameters
    ----------
    engine : Engine
        Decides the rows.
    X : array of int, shape (rows, attributes)
        Codes from 1; 0 is unspecified.
    y : array of {0, 1}, shape (rows,)
        One label per row.
    threshold : Threshold
        Alpha and theta.
    log : MistakeLog, optional
        Mistakes made before; new ones are appended to it.
    margin : float
        How far above theta, in logarithms, the sums of positive rows must be, and how far below it those of negative
        rows. A row whose sum is nearer counts as a mistake too.
    max_updates : int, optional
        A row that was learned from so often is left alone.
    rng_of : callable, optional
        Maps a row to its source of randomness, for engines that sample.

    Attributes
    ----------
    mistakes : list of int
        The row of each mistake so far.
    times : list of int
        The trial of each mistake, counted from 0. Learners of several classes are presented the same row in the same
        trial, so that a trial in which several err counts as one mistake of the model.
    n_trials : int
        How many rows were presented.
    n_latest : int
        Mistakes of the last complete epoch.
    complete : bool
        Whether the last epoch presented all rows.

    See Also
    --------
    winnowkit.DNFWinnow : The classifier that trains in this way.

    Examples
    --------
    >>> import math
    >>> from winnowkit.dnf import Exact, Threshold
    >>> X = [[a, b, c] for a in (1, 2) for b in (1, 2) for c in (1, 2)]
    >>> y = [int(a == 1 and b == 2) for a, b, c in X]
    >>> training = Exact().training(X, y, Threshold(alpha=1.5, log_theta=math.log(27)))
    >>> [training.epoch() for _ in range(3)]
    [2, 2, 0]
    >>> training.log
    MistakeLog(n_attributes=3, 2 examples, 4 promotions, 0 demotions)
    """

    def __init__(
        self,
        engine: Engine,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        threshold: Threshold,
        *,
        log: MistakeLog | None = None,
        margin: float = 0.0,
        max_updates: int | None = None,
        rng_of: RandomnessOf = None,
    ) -> None:
        self.engine = engine
        self.X: Codes = np.ascontiguousarray(X, dtype=np.int32)
        self.y: Ints = np.ascontiguousarray(y, dtype=np.int64)
        self.threshold, self.margin = threshold, margin
        self.log = engine.new_logs(1, self.X.shape[1])[0] if log is None else log
        self._log_thetas: Floats = threshold.log_theta + margin * np.array([-1.0, 1.0])
        self._left: Ints = np.full(len(self.X), np.iinfo(np.int64).max if max_updates is None else max_updates)
        self._rng_of = rng_of
        self._guesses = Guesses(engine.guess, self.y.tolist())
        self.mistakes: list[int] = []
        self.times: list[int] = []
        self.n_trials = self.n_latest = 0
        self.complete = True

    def epoch(self, order: npt.ArrayLike | None = None, go_on: Callable[[int], bool] = lambda _: True) -> int:
        """Present every row once, in this `order` of row numbers, learn from mistakes, and return their number.

        After each step, `go_on` is called with the number of rows just done; if it returns False, the epoch ends there.
        """
        start, done, before = self.n_trials, 0, len(self.mistakes)
        self.complete = False
        for place, mistaken in self._steps(order):
            self.n_trials = start + place
            if mistaken is not None:
                self.mistakes.append(mistaken)
                self.times.append(self.n_trials - 1)
            if not go_on(place - done):
                return len(self.mistakes) - before
            done = place
        self.complete, self.n_latest = True, len(self.mistakes) - before
        return self.n_latest

    def mistaken(self, order: npt.ArrayLike | None = None) -> list[int]:
        """Present every row once, and return the numbers of the rows that were mistaken."""
        return self.mistakes[-n:] if (n := self.epoch(order)) else []

    @property
    def clean(self) -> bool:
        """Whether the last epoch was complete and had no mistake."""
        return self.n_trials > 0 and self.complete and self.n_latest == 0

    def longest_run(self) -> int:
        """Count the mistakes before the longest run of trials without one; the latest of equally long runs."""
        lengths = np.diff([*self.times, self.n_trials])
        return len(lengths) - int(np.argmax(lengths[::-1])) if len(lengths) else 0

    def replayed(self, n_mistakes: int) -> MistakeLog:
        """Make the log as it was after so many mistakes."""
        log = self.log.emptied()
        for row in self.mistakes[:n_mistakes]:
            log.append(self.X[row], 1 if self.y[row] else -1)
        return log

    def _steps(self, order: npt.ArrayLike | None) -> Iterator[tuple[int, int | None]]:
        """Present every row once, and learn from mistakes: here the next mistake is picked, whatever the engine.

        It is the first row of the order, from the last mistake on, that :meth:`_first_mistake` finds wrong. Yields,
        after each step, how many rows of the order are done, and the number of the last of them if it was mistaken,
        else None. A caller that stops asking stops training. The n-th row of the order is trial n of the epoch for
        every learner, whichever of them err.

        `partial_fit` of a single learner is an epoch too (:meth:`Learners.follow`): there, rows must come in the order
        given, and each must be predicted by what the rows before it taught.
        """
        rows = self._rows(order)
        places = np.flatnonzero(self._left[rows] > 0)
        asked, done = rows[places], 0
        while done < asked.size:
            n_passed, mistaken = self._first_mistake(asked[done:])
            if mistaken is not None:
                self._learn(mistaken)
            done += n_passed
            yield int(places[done - 1]) + 1, mistaken
        if not done or places[-1] + 1 < rows.size:  # the rest are rows left alone
            yield rows.size, None

    def _first_mistake(self, rows: Ints) -> tuple[int, int | None]:
        """Look for a mistake among the first of these rows, at least one: how many were passed, and the mistaken one.

        A mistaken row is the last that was passed. None means that there was no mistake so far, not that there is none
        in the rest. Engines that decide many rows at once override this.
        """
        row = int(rows[0])
        return 1, row if self._side(row) != self.y[row] else None

    def _rows(self, order: npt.ArrayLike | None) -> Ints:
        return np.arange(len(self.X)) if order is None else np.ascontiguousarray(order, dtype=np.int64)

    def _side(self, row: int) -> int:
        """Decide on which side of its threshold a row is."""
        return self._decide(row).label

    def _decide(self, row: int) -> Decision:
        """Ask the engine about a row."""
        x, rng_of = self.X[row], self._rng_of
        agreement, rng = Agreement.of(self.log, x), rng_of(x) if rng_of else None
        answer = self.engine.decide(agreement, self._threshold_of(row), self._guesses[row], rng)
        decision = checked(answer, Decision, self.engine)
        self._guesses.predicted(row, decision.label)
        return decision

    def _threshold_of(self, row: int) -> Threshold:
        """Return the threshold of a row, which with a margin is not theta."""
        moved = float(self._log_thetas[self.y[row]])
        same = moved == self.threshold.log_theta
        return self.threshold if same else Threshold(self.threshold.alpha, moved)

    def _learn(self, row: int) -> None:
        self.log.append(self.X[row], 1 if self.y[row] else -1)
        self._left[row] -= 1


class IncrementalTraining(Training):
    """Training that keeps what is known of each row's sum, and brings it up to date with the mistakes since.

    Predictions, and therefore the log, are exactly those of asking an exact engine about every row anew
    (:mod:`winnowkit.dnf.kernels.incremental`). The engine is asked only about rows that the kernels leave open: those
    with too many attributes for the kernels, those too near theta, and those that take more than `max_nodes`.
    """

    def __init__(
        self,
        engine: Engine,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        threshold: Threshold,
        max_nodes: int,
        **options: Unpack[TrainingOptions],
    ) -> None:
        super().__init__(engine, X, y, threshold, **options)
        self._max_nodes, self._at_once = max_nodes, ROWS_AT_ONCE
        n_rows, n_attributes = self.X.shape
        self._known = Followed(
            low=np.zeros(n_rows),
            high=np.zeros(n_rows),
            when=np.full(n_rows, -1, dtype=np.int64),
            nodes=np.zeros(n_rows, dtype=np.int64),
            spent=np.ones(4, dtype=np.int64),
        )
        if len(self.log) == 0:  # every term weighs 1
            log_ratio = np.count_nonzero(self.X, axis=1) * np.log(2.0) - self._log_thetas[self.y]
            near = np.abs(log_ratio) < np.log(FAR)
            self._known.low[near] = np.exp(log_ratio[near]) * (1 - 1e-12)
            self._known.high[near] = np.exp(log_ratio[near]) * (1 + 1e-12)
            self._known.when[near] = 0
        self._n_events = 0
        self._events: Codes = np.zeros((n_attributes, 16), dtype=np.int32)
        self._undo: Ints = np.zeros(16, dtype=np.int64)
        self._promotions: Ints = np.zeros(17, dtype=np.int64)

    def _first_mistake(self, rows: Ints) -> tuple[int, int | None]:
        """Look for a mistake among as many rows as the kernels do in a short time."""
        began, some = time.monotonic(), rows[: self._at_once]
        place, side = self._wrong_or_open(some)
        mistaken, n_passed = None, min(place + 1, some.size)
        if place < some.size:
            row = int(some[place])
            mistaken = row if (self._side(row) if side == UNDECIDED else side) != self.y[row] else None
        slow = time.monotonic() - began > _SECONDS_AT_ONCE
        self._at_once = max(1, self._at_once // 2) if slow else min(ROWS_AT_ONCE, 2 * self._at_once)
        return n_passed, mistaken

    def _side(self, row: int) -> int:
        """Ask the engine about a row that the kernels leave open, and keep what was proved of its sum."""
        decision, known = self._decide(row), self._known
        low, high = (bound - self._log_thetas[self.y[row]] for bound in decision.log_bounds)
        if abs(low) < np.log(FAR):
            known.low[row] = np.exp(low) * (1 - 1e-12)
            known.high[row] = np.exp(high) * (1 + 1e-12) if high < np.log(FAR) else np.inf
            known.when[row], known.nodes[row] = self._n_events, decision.steps
        return decision.label

    @let_overflow
    def _wrong_or_open(self, rows: Ints) -> tuple[int, int]:
        """Find the first of these rows that is wrong or undecided: its place, past the end if none is, and its side."""
        n = self._n_events
        reach = self.log.reach + min(n, MOST_MEETS)
        if reach > LARGEST_REACH:
            return 0, UNDECIDED
        space = space_for(len(self.log) + min(n, MOST_MEETS), self.log.n_attributes)
        events = Events(self.log.arrays, self._events, self._undo[:n], self._promotions[: n + 1])
        limits = powers_of(self.threshold.alpha, reach), self._max_nodes
        return next_mistake(events, TrainingRows(self.X, self.y, rows, self._log_thetas), self._known, space, limits)

    def _learn(self, row: int) -> None:
        sign, n, forgotten = (1 if self.y[row] else -1), self._n_events, self.log.n_forgotten
        super()._learn(row)
        if self.log.n_forgotten > forgotten:
            self._known.when[:] = -1  # what was known is about another log
        if n == self._undo.size:
            self._events = np.ascontiguousarray(np.pad(self._events, ((0, 0), (0, n))))
            self._undo, self._promotions = np.pad(self._undo, (0, n)), np.pad(self._promotions, (0, n))
        self._events[:, n], self._undo[n] = self.X[row], -sign
        self._promotions[n + 1] = self._promotions[n] + (sign > 0)
        self._n_events += 1


class Guesses:
    """The side to expect of each training row, guessed in one of the four ways of section 3.3.

    Parameters
    ----------
    how : {"last", "label", "one", "start"}
        As in :class:`winnowkit.dnf.Ladder`.
    labels : sequence of int
        The true labels of the rows.

    Examples
    --------
    >>> guesses = Guesses("last", labels=[1, 0])
    >>> guesses[0] is None  # as at the start
    True
    >>> guesses.predicted(0, 1)
    >>> guesses[0]
    1
    """

    def __init__(self, how: str, labels: Sequence[int]) -> None:
        if how not in GUESSES:
            raise ValueError(f"guess of an engine must be one of {', '.join(GUESSES)}, got {how!r}")
        self._how, self._labels = how, labels
        self._last: dict[int, int] = {}

    def __getitem__(self, row: int) -> int | None:
        if self._how == "last":
            return self._last.get(row)
        if self._how == "label":
            return int(self._labels[row])
        return guess_unlabelled(self._how)

    def predicted(self, row: int, label: int) -> None:
        """Take note of a prediction."""
        self._last[row] = label


def guess_unlabelled(how: str) -> int | None:
    """Guess the side of an example that is only to be predicted: 1, or None for what the start says."""
    return None if how == "start" else 1
