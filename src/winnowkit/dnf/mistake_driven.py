"""`MistakeDriven`: the parameters of learning from mistakes, row by row; the epochs are in `dnf/training.py`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone

from winnowkit.core.checks import require
from winnowkit.core.multiclass import n_learners_for
from winnowkit.core.validation import is_count
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.fit_settings import CUT_SHORT, FitSettings
from winnowkit.dnf.kernels.problem import Codes, Ints
from winnowkit.dnf.learners import Learners, Outcome
from winnowkit.dnf.training import UpdatePolicy


class TrainingTask(NamedTuple):
    """Everything that one call of `fit` gives to its way of learning.

    Parameters
    ----------
    codes : array of int, shape (rows, attributes)
        The rows.
    targets : array of int, shape (rows,)
        The code of the class of each row.
    begin : callable
        Returns learners that have seen nothing, given their number.
    n_classes : int
        The number of classes.
    may_pair : bool
        Whether two classes may have a learner each without `two_class="pair"`.
    settings : FitSettings
        The limits of training, and what it has at hand.
    """

    codes: Codes
    targets: Ints
    begin: Callable[[int], Learners]
    n_classes: int
    may_pair: bool
    settings: FitSettings


@dataclass(kw_only=True, eq=False, repr=False)
class MistakeDriven(BaseEstimator):
    """Learn from mistakes: promote the terms of a row whose sum is too small, demote those of one too large.

    Parameters
    ----------
    margin : float, default=0.1
        How far from theta `fit` wants the sums of rows, in the units of `decision_function`: a row on the right side
        but nearer is learned from too. 0 is the paper's learner. `partial_fit` has no margin.
    max_updates : "half", int or None, default="half"
        How often `fit` may learn from one row; then it is left alone, so that a wrong label can do only so much (as in
        soft-margin classifiers). "half" is half as often as it takes one row to bring its sum to theta alone, and at
        least 4, so that what is learned rests on two rows or more. None is the paper's learner: no limit.
    two_class : {"adaptive", "single", "pair"}, default="adaptive"
        The learners of two classes. "single": one learner for ``classes_[1]``, whose sum is compared with theta.
        "pair", as in the paper: one learner per class, and the larger sum wins. "adaptive": a single one if it predicts
        all training rows correctly, and otherwise a pair, which is steadier where labels are noisy; always a single one
        with `experts`, with a monotone encoder and in `partial_fit`.
    keep : {"longest", "last"}, default="longest"
        What a learner keeps that never had an epoch without an update: the log that predicted the most rows in
        succession without a mistake (Gallant's pocket), or the last one, which has just adapted to its last mistake. It
        matters without a limit of updates: on voting, 9% errors with "last" (5 to 16%, depending on the split) and 5.8%
        with "longest".
    shuffle : bool, default=True
        Whether `fit` presents the rows in a new order in each epoch. Where no formula fits the labels, no epoch is free
        of mistakes, and a table sorted by class then ends with a learner that has just seen one class: on breast cancer
        without a limit of updates, 65% errors in the order of the file and 29% shuffled.
    experts : sequence, optional
        Rules known beforehand, as triples (conditions, label, promotions): the term of these conditions, a mapping
        from columns to values, starts in the learner of `label` as if promoted so often, with weight alpha^promotions;
        "theta" instead of a number is as often as it takes to decide alone. Learning goes on from there.
    max_mistakes : int, optional
        The most distinct examples that the log of one learner keeps; see :class:`winnowkit.dnf.MistakeLog` for the
        cost of forgetting.

    See Also
    --------
    winnowkit.DNFWinnow : Takes it as its parameter `training`.
    winnowkit.dnf.PAPER : The parameters of the paper's learner.

    Examples
    --------
    >>> from winnowkit import DNFWinnow
    >>> from winnowkit.dnf import MistakeDriven
    >>> DNFWinnow(training=MistakeDriven(margin=0.5)).get_params()["training__margin"]
    0.5
    """

    margin: float = 0.1
    max_updates: int | Literal["half"] | None = "half"
    two_class: str = "adaptive"
    keep: str = "longest"
    shuffle: bool = True
    experts: Sequence[tuple[Mapping[Any, Any], Any, Any]] | None = None
    max_mistakes: int | None = None

    def check(self) -> None:
        """Raise ValueError if a parameter is wrong."""
        margin = self.margin
        require(not isinstance(margin, str) and 0 <= margin < math.inf, "margin must be a number >= 0", margin)
        require(
            self.max_updates in ("half", None) or is_count(self.max_updates),
            "max_updates must be 'half', None or an integer >= 1",
            self.max_updates,
        )
        ways = "adaptive", "single", "pair"
        require(self.two_class in ways, "two_class must be 'adaptive', 'single' or 'pair'", self.two_class)
        require(self.keep in ("longest", "last"), "keep must be 'longest' or 'last'", self.keep)
        bounded = self.max_mistakes is not None
        require(not bounded or is_count(self.max_mistakes), "max_mistakes must be an integer >= 1", self.max_mistakes)
        require(
            not bounded or self.experts is None,
            "max_mistakes must be None with experts, which a log might forget",
            self.max_mistakes,
        )

    def n_learners(self, n_classes: int) -> int:
        """How many learners so many classes begin with.

        Parameters
        ----------
        n_classes : int
            The number of classes.

        Returns
        -------
        int
            The number of learners.
        """
        return n_classes if self.two_class == "pair" else n_learners_for(n_classes)

    def fit(self, task: TrainingTask) -> tuple[Learners, Outcome]:
        """Train new learners on all rows; an adaptive single learner that leaves errors is followed by a pair.

        Parameters
        ----------
        task : TrainingTask
            The rows, and the limits of training.

        Returns
        -------
        learners : Learners
            The learners.
        outcome : Outcome
            How training ended.
        """
        learners = task.begin(self.n_learners(task.n_classes))
        outcome = self._train(learners, task)
        adaptive = self.two_class == "adaptive" and task.n_classes == 2 and task.may_pair and self.experts is None
        if not adaptive or outcome.ended in CUT_SHORT:
            return learners, outcome
        if np.array_equal(learners.predict(task.codes, task.settings.n_jobs), task.targets):
            return learners, outcome
        pair = task.begin(2)
        second = self._train(pair, task)
        if second.ended in CUT_SHORT and not second.n_epochs:  # a finished learner is better than a pair just begun
            return learners, outcome._replace(ended=second.ended)
        return pair, second

    def _train(self, learners: Learners, task: TrainingTask) -> Outcome:
        """Train learners on all rows."""
        settings = task.settings
        return learners.fit(
            task.codes,
            task.targets,
            settings.max_epochs,
            self._orders(task),
            settings.n_jobs,
            policy=UpdatePolicy(float(self.margin), self.max_updates),
            keep_longest=self.keep == "longest",
            max_time=None if math.isinf(settings.deadline) else settings.deadline - time.monotonic(),
            progress=settings.progress,
        )

    def _orders(self, task: TrainingTask) -> Iterator[Ints | None]:
        """The order of the rows in each epoch, None as they are, until training is to stop."""
        epoch = 0
        while not task.settings.stop(epoch) or not epoch:
            yield task.settings.rng.permutation(len(task.codes)) if self.shuffle else None
            epoch += 1


class FreshParameters(Mapping[str, Any]):
    """Parameters that are copied whenever they are read, so that no two models share one and can change it."""

    def __init__(self, **parameters: BaseEstimator) -> None:
        self._parameters = parameters

    def __getitem__(self, name: str) -> Any:
        return clone(self._parameters[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def __repr__(self) -> str:
        return repr(self._parameters)


PAPER = FreshParameters(
    encoder=CategoryEncoder(missing="ignore"),
    training=MistakeDriven(two_class="pair", margin=0, max_updates=None, keep="last", shuffle=False),
)
"""Parameters of the learner of Tao & Scott (2004): ``DNFWinnow(**PAPER)``."""
