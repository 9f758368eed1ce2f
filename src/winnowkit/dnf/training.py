"""Winnow over all terms on a fixed table of rows, epoch by epoch."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from winnowkit.dnf.agreement import Agreement
from winnowkit.dnf.estimate import Decision
from winnowkit.dnf.exact import Exact
from winnowkit.dnf.kernels.agree import Codes, Ints
from winnowkit.dnf.kernels.incremental import FAR, MOST_MEETS, Events, Followed, Rows, next_mistake
from winnowkit.dnf.kernels.threshold import UNDECIDED
from winnowkit.dnf.log import MistakeLog
from winnowkit.dnf.resources import LARGEST_REACH, let_overflow, powers_of, space_for

_ROWS_AT_ONCE = 64  # rows between calls of `after_rows`, unless there is a mistake


class Training:
    """Epochs of Winnow over all terms; what is known of each row's sum is kept and brought up to date.

    Predictions, and so the log, are exactly those of asking the engine about every row anew.

    Parameters
    ----------
    X : array of int, shape (n_rows, n_attributes)
        Codes from 1, 0 unspecified.
    y : array of {0, 1}, shape (n_rows,)
        Labels.
    alpha : float
        Learning rate, above 1.
    log_theta : float
        Natural logarithm of the threshold.
    theta : int, float or Fraction, optional
        The threshold itself, for exact ties; see :meth:`Exact.decide`.
    log : MistakeLog, optional
        Mistakes made before; new ones are appended to it.
    engine : Exact, optional
        Its budget holds for each sum.
    undecided : callable, optional
        What decides the rows, given by number, whose sum is wide, too near theta or not to be had; None: the engine.
    margin : float
        How far above theta, in logarithms, the sums of positive rows must be, and how far below it those of negative
        rows: what is nearer is a mistake too.
    max_updates : int, optional
        A row that was mistaken so often is left alone.
    after_rows : callable, optional
        Called with the number of rows done since the last call; what it raises ends the epoch.

    See Also
    --------
    winnowkit.DNFWinnow : The learner that trains so.

    Examples
    --------
    >>> import math
    >>> X = [[a, b, c] for a in (1, 2) for b in (1, 2) for c in (1, 2)]
    >>> y = [int(a == 1 and b == 2) for a, b, c in X]
    >>> training = Training(X, y, alpha=1.5, log_theta=math.log(27))
    >>> [training.epoch() for _ in range(3)]
    [2, 2, 0]
    >>> training.log
    MistakeLog(n_attributes=3, 2 examples, 4 promotions, 0 demotions)
    """

    def __init__(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        alpha: float,
        log_theta: float,
        *,
        theta: float | Fraction | None = None,
        log: MistakeLog | None = None,
        engine: Exact | None = None,
        undecided: Callable[[int], Decision] | None = None,
        margin: float = 0.0,
        max_updates: int | None = None,
        after_rows: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.X: Codes = np.ascontiguousarray(X, dtype=np.int32)
        self.y: Ints = np.ascontiguousarray(y, dtype=np.int64)
        self.alpha, self.log_theta, self.theta = float(alpha), float(log_theta), theta
        self.log = MistakeLog(self.X.shape[1]) if log is None else log
        self.engine = Exact() if engine is None else engine
        self._undecided = self._decide if undecided is None else undecided
        self.margin, self._log_thetas = margin, self.log_theta + margin * np.array([-1.0, 1.0])
        self._left: Ints = np.full(len(self.X), np.iinfo(np.int64).max if max_updates is None else max_updates)
        self._after_rows = after_rows
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

    def epoch(self, order: npt.ArrayLike | None = None) -> int:
        """Present every row once, in this `order` of row numbers, and learn from mistakes: how many there were."""
        return len(self.mistaken(order))

    def mistaken(self, order: npt.ArrayLike | None = None) -> list[int]:
        """Do as :meth:`epoch`, and return the numbers of the rows that were mistaken."""
        left: Ints = np.arange(len(self.X)) if order is None else np.ascontiguousarray(order, dtype=np.int64)
        self._after_rows(int(np.count_nonzero(self._left[left] == 0)))
        left = left[self._left[left] > 0]
        mistakes: list[int] = []
        while left.size:
            place, side = self._next(left[:_ROWS_AT_ONCE])
            if place < min(left.size, _ROWS_AT_ONCE):
                row = int(left[place])
                side = self._ask(row) if side == UNDECIDED else side
                if side != self.y[row]:
                    self._learn(row)
                    mistakes.append(row)
                place += 1
            left = left[place:]
            self._after_rows(place)
        return mistakes

    def _ask(self, row: int) -> int:
        """Side of a row that the kernels leave open; what was proved of its sum is kept."""
        decision, known = self._undecided(row), self._known
        low, high = (bound - self._log_thetas[self.y[row]] for bound in decision.log_bounds)
        if abs(low) < np.log(FAR):
            known.low[row] = np.exp(low) * (1 - 1e-12)
            known.high[row] = np.exp(high) * (1 + 1e-12) if high < np.log(FAR) else np.inf
            known.when[row], known.nodes[row] = self._n_events, decision.steps
        return decision.label

    def _decide(self, row: int) -> Decision:
        agreement, log_theta = Agreement.of(self.log, self.X[row]), float(self._log_thetas[self.y[row]])
        return self.engine.decide(agreement, self.alpha, log_theta, theta=None if self.margin else self.theta)

    @let_overflow
    def _next(self, left: Ints) -> tuple[int, int]:
        """Place of the next row that is wrong or undecided, and its side."""
        n = self._n_events
        reach = self.log.reach + min(n, MOST_MEETS)
        if reach > LARGEST_REACH:
            return 0, UNDECIDED
        space = space_for(len(self.log) + min(n, MOST_MEETS), self.log.n_attributes)
        events = Events(self.log.arrays, self._events, self._undo[:n], self._promotions[: n + 1])
        limits = powers_of(self.alpha, reach), self.engine.budget
        return next_mistake(events, Rows(self.X, self.y, left, self._log_thetas), self._known, space, limits)

    def _learn(self, row: int) -> None:
        sign, n, forgotten = (1 if self.y[row] else -1), self._n_events, self.log.n_forgotten
        self.log.append(self.X[row], sign)
        self._left[row] -= 1
        if self.log.n_forgotten > forgotten:
            self._known.when[:] = -1  # what was known is about another log
        if n == self._undo.size:
            self._events = np.ascontiguousarray(np.pad(self._events, ((0, 0), (0, n))))
            self._undo, self._promotions = np.pad(self._undo, (0, n)), np.pad(self._promotions, (0, n))
        self._events[:, n], self._undo[n] = self.X[row], -sign
        self._promotions[n + 1] = self._promotions[n] + (sign > 0)
        self._n_events += 1
