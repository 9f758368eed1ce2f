"""The base class of the learners that count, which grow by themselves; and the exact sign of a sum.

A learner keeps everything it knows in arrays, the parameters of its rule included. So to copy one, to store one and to
go back to an earlier state are matters of arrays, and a learner that comes from a file can grow as well.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core import csr
from winnowkit.core.csr import BadRowsError, Presentations, Rows, Trials
from winnowkit.core.growing import one_row
from winnowkit.core.multiclass import PREDICT_ONLY, choose, chosen

Arrays = Mapping[str, NDArray[Any]]


class CountingLearner(ABC):
    """A rule at work on n attributes, one target per learner, with attributes and classes that may appear over time.

    To predict an example with new attributes, a learner grows a copy of itself. If it is then asked to grow likewise,
    because the example is learned from next, it becomes that copy instead of growing again.
    """

    state: Any  # a named tuple of arrays
    _n_features: int  # read for every example, so kept outside the arrays as well
    _ahead: Self | None = None  # a copy with more attributes

    @property
    def n_features(self) -> int:
        """Number of attributes seen so far."""
        return self._n_features

    @property
    def counts(self) -> NDArray[np.int64]:
        """Trials and wrong labels; then one row per learner with its own updates and mistakes."""
        counts: NDArray[np.int64] = self.state.counts
        return counts

    # --- provided by each learner -----------------------------------------------------------------------------------

    @abstractmethod
    def learn(self, trials: Trials) -> NDArray[np.int64]:
        """Perform the trials and return the labels predicted before each update; weights must be whole numbers.

        Bad rows raise BadRowsError before anything changes. An interrupt leaves everything as it was, unless a
        checkpoint would cost more time than the trials.
        """

    @abstractmethod
    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return the decisions of all learners on the rows from first to last."""

    @abstractmethod
    def with_learners(self, sources: Sequence[int | None]) -> Self:
        """Return one learner per class: a copy of the learner that `sources` names, or a new one for None."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Make a learner from the result of :meth:`arrays`."""

    @staticmethod
    @abstractmethod
    def check_arrays(arrays: Arrays) -> None:
        """Refuse arrays that are not those of one family of learners."""

    @abstractmethod
    def _extend(self, n_features: int) -> None:
        """Add attributes that were 0 so far."""

    # --- one example ------------------------------------------------------------------------------------------------

    def trial_active(self, indices: NDArray[Any], label: int) -> int:
        """Perform one trial on the active attributes alone; -1 means that they are unsorted, -2 out of range."""
        rows = one_row(indices, None, 0.0)
        try:
            if label == PREDICT_ONLY:
                return int(choose(self.decide(rows, 0, 1), 0))
            return int(self.learn(Trials(rows, np.array([label])))[0])
        except BadRowsError as bad:
            return -1 if bad.flags == csr.UNSORTED else -2

    def predict_active(self, indices: NDArray[np.int64], n_features: int) -> int:
        """Predict the label of an example with `n_features` attributes in all, given the active ones."""
        if n_features > self.n_features:
            return int(chosen(self.foresee(indices, None, n_features, ranking=False)[None])[0])
        return self.trial_active(indices, PREDICT_ONLY)

    # --- growing ----------------------------------------------------------------------------------------------------

    def grow(self, n_features: int) -> None:
        """Take in attributes that were 0 so far, up to n_features in all."""
        ahead, self._ahead = self._grown_copy(n_features), None
        if ahead is None:
            self._extend(n_features)
        else:
            self._become(ahead)

    def rank(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return decisions before any random draw, as log-odds or similar: a logistic function makes them scores."""
        return self.decide(rows, first, last)

    def foresee(
        self, indices: NDArray[np.int64], data: NDArray[np.float64] | None, n_features: int, *, ranking: bool
    ) -> NDArray[np.float64]:
        """Return the decisions (`ranking`: the ranks) on one example as if the learner had grown; nothing changes."""
        learner = self._grown(n_features) if n_features > self.n_features else self
        return (learner.rank if ranking else learner.decide)(one_row(indices, data, 0.0), 0, 1)[0]

    def _grown(self, n_features: int) -> Self:
        """Return a copy with that many attributes."""
        ahead = self._grown_copy(n_features)
        if ahead is None:
            ahead = self.copy()
            ahead._extend(n_features)
            self._ahead = ahead
        return ahead

    def _grown_copy(self, n_features: int) -> Self | None:
        """Return the copy of that many attributes, if there is one that has learned as much as this learner."""
        ahead = self._ahead
        if ahead is None or ahead.n_features != n_features or ahead.counts[0, 0] != self.counts[0, 0]:
            return None
        return ahead

    # --- copying and storing ----------------------------------------------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything that is needed to continue exactly here."""
        arrays: dict[str, NDArray[Any]] = self.state._asdict()
        return arrays

    def copy(self) -> Self:
        """Return a learner that knows the same."""
        return self.from_arrays(self.checkpoint())

    def checkpoint(self) -> dict[str, NDArray[Any]]:
        """Return a copy of all arrays, for :meth:`roll_back`."""
        return {name: array.copy() for name, array in self.arrays().items()}

    def roll_back(self, checkpoint: Arrays) -> None:
        """Be as at the checkpoint."""
        self._ahead = None
        self._become(self.from_arrays(checkpoint))

    def _become(self, other: Self) -> None:
        vars(self).update(vars(other))

    def __getstate__(self) -> dict[str, NDArray[Any]]:
        return self.arrays()

    def __setstate__(self, arrays: Arrays) -> None:
        self.check_arrays(arrays)
        self._become(self.from_arrays(arrays))


def safe_to_change(arrays: Arrays) -> dict[str, NDArray[Any]]:
    """Return the arrays, copied where kernels could not change them in place."""
    return {name: np.require(array, requirements=["C", "W"]) for name, array in arrays.items()}


def whole_presentations(trials: Trials) -> Presentations:
    """Return the presentations of rows as often as their weights say; refuse fractions."""
    shown = trials.presentations()
    if shown.parts is not None:
        raise ValueError(
            "this learner counts examples, so that weights must be whole numbers: round them, for example "
            "np.rint(10 * weights), or choose a learner that takes fractions, such as Winnow2 or Committee"
        )
    return shown


def sign_of_sum(coefficients: Sequence[int], ratio: Callable[[int], tuple[int, int]]) -> int:
    """Return the sign of ``sum c_j w_j``, for positive weights w_0 >= w_1 >= ... known by their ratios, in integers.

    Parameters
    ----------
    coefficients : sequence of int
        The c_j.
    ratio : callable
        ``ratio(j)`` is ``w_{j+1} / w_j`` <= 1 as a numerator and a denominator > 0. It is called only as often as
        needed: the sum of the first terms often outweighs anything that the others can add.

    Returns
    -------
    int
        -1, 0 or 1.

    Examples
    --------
    >>> sign_of_sum([1, -3], lambda j: (1, 3))  # 1 - 3/3
    0
    >>> sign_of_sum([1, -3, 1], lambda j: (1, 3))
    1
    """
    left = sum(map(abs, coefficients))
    total, unit = 0, 1  # the sum so far is total / unit times the current weight
    for j, coefficient in enumerate(coefficients):
        total += coefficient * unit
        left -= abs(coefficient)
        if abs(total) > left * unit or left == 0:
            break
        numerator, denominator = ratio(j)
        total *= denominator
        unit *= numerator
    return (total > 0) - (total < 0)
