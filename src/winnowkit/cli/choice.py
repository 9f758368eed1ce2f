"""The learner for a source whose user named none: by the kind of the data, and by a short trial where that says little.

A trial fits both candidates to a sample of the rows, and measures them on the rows of the sample that were held out.
Its work is bounded by numbers of rows and of passes, not by a clock, so that the same file and seed always lead to the
same choice.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.cli.labelled_rows import LabelledRows
from winnowkit.cli.output import counted
from winnowkit.cli.pipeline import DeclaredColumns, Pipeline, configured_learner, parameter_names
from winnowkit.core.frame import Frame
from winnowkit.data.column_use import is_text

MOST_COLUMNS = 100
"""The most columns of a table for `DNFWinnow`."""
MOST_ROWS, FEWEST_ROWS = 2_000, 400
"""The rows of a trial: fewer if there are more columns and classes, so that it takes a few seconds at most."""
MOST_VALUES = 60_000
"""The rows of a trial times columns times learners, one per class, are at most so many."""
ENOUGH_ROWS = 100
"""A table of fewer rows is too small for a trial."""
HELD_OUT = 0.25
"""The share of the rows of a trial that is held out."""
STANDARD_ERRORS = 2.0
"""The usual learner gives way if the other errs less by more than so many standard errors of the difference."""
SHORT, PATIENT, LONG = {"max_literals": 2, "max_epochs": 10}, {"max_literals": 2}, {"max_literals": 3}
"""`DNFWinnow` is tried with short terms and few passes; if it loses, with all its passes, and then with long terms."""
MOST_FOR_LONG = 40
"""Long terms are tried if columns times learners are at most so many."""
OTHER = {"DNFWinnow": "Committee", "Committee": "DNFWinnow"}

Falsities = NDArray[np.bool_]


class SuitedLearner(NamedTuple):
    """The name of a learner for some data, why it was chosen, what to do for another one, and the errors of a trial."""

    name: str
    reason: str
    alternative: str
    tried: dict[str, float] | None = None


class Request(NamedTuple):
    """All that the user said that matters to the choice.

    Parameters
    ----------
    declared : DeclaredColumns
        The options about columns.
    settings : dict
        Parameters of the learner.
    seed : int
        Seed of the sample and of the learners in the trial.
    stream : bool
        Whether rows must be learned from one by one, as they come.
    """

    declared: DeclaredColumns
    settings: dict[str, Any]
    seed: int
    stream: bool


def suited(X: Any, request: Request, rows: Callable[[], LabelledRows]) -> SuitedLearner:
    """Choose a learner by the kind of the columns and, if that leaves a choice, by a trial.

    Parameters
    ----------
    X : Frame or sparse matrix
        The first rows.
    request : Request
        All that the user said that matters to the choice.
    rows : callable
        Returns the rows to draw a sample from.
    """
    if not isinstance(X, Frame):
        return SuitedLearner("Committee", "the data are sparse", "--learner selects another")
    texts = free_text(X, request.declared)
    if len(texts) == X.shape[1]:
        return SuitedLearner("Committee", _of_texts(texts), "--categorical or --ignore says that it is something else")
    if X.shape[1] > MOST_COLUMNS:
        reason = f"the table has more than {MOST_COLUMNS} columns"
        return SuitedLearner("Committee", reason, "the alternative is --learner DNFWinnow")
    if request.stream:
        alternative = "fit FILE and evaluate FILE --folds 5 also try DNFWinnow"
        return SuitedLearner("Committee", "the rows are a stream", alternative)
    usual, reason = ("Committee", _of_texts(texts)) if texts else ("DNFWinnow", "the table holds categories or numbers")
    takes = [name for name in OTHER if parameter_names(name).issuperset(request.settings)]
    if len(takes) == 1:
        return SuitedLearner(takes[0], "it has the parameters of --set", "--learner selects another")
    sample = draw(rows(), request.seed)
    tried = None if sample is None else Trial(*sample, request).choose(usual)
    return tried or SuitedLearner(usual, reason, f"the alternative is --learner {OTHER[usual]}")


def free_text(X: Frame, declared: DeclaredColumns) -> list[str]:
    """Return the names of the columns of free text."""
    return [
        name
        for name in X.columns
        if name in declared.text or (name not in declared.categorical and _is_free_text(X[name]))
    ]


def _is_free_text(values: NDArray[Any]) -> bool:
    return values.dtype.kind == "O" and is_text(values.tolist())


def _of_texts(texts: Sequence[str]) -> str:
    return f"column {texts[0]!r} holds free text" if len(texts) == 1 else f"{len(texts)} columns hold free text"


def draw(rows: LabelledRows, seed: int) -> tuple[LabelledRows, LabelledRows] | None:
    """Draw the rows of a trial: those to learn from and those held out; None if there are too few rows or classes."""
    if len(rows.y) < ENOUGH_ROWS:
        return None
    n_rows = min(max(MOST_VALUES // _size(rows), FEWEST_ROWS), MOST_ROWS)
    order = np.random.default_rng(seed).permutation(len(rows.y))[:n_rows]
    n_held = int(HELD_OUT * len(order))
    held, train = order[:n_held], order[n_held:]
    if len(np.unique(rows.y[train])) < 2:
        return None
    return LabelledRows(rows.X[train], rows.y[train]), LabelledRows(rows.X[held], rows.y[held])


def _size(rows: LabelledRows) -> int:
    """Return columns times learners: one for two classes, otherwise one per class."""
    n_classes = len(np.unique(rows.y))
    return int(rows.X.shape[1]) * (1 if n_classes <= 2 else n_classes)


class Trial(NamedTuple):
    """Rows to learn from, rows held out, and what the user said."""

    train: LabelledRows
    held: LabelledRows
    request: Request

    def choose(self, usual: str) -> SuitedLearner | None:
        """Try both learners; None if one of them cannot learn from these rows, so that its `fit` says why."""
        try:
            wrong = {"DNFWinnow": self._wrong("DNFWinnow", SHORT), "Committee": self._wrong("Committee", {})}
            for limits in (PATIENT, LONG) if _size(self.train) <= MOST_FOR_LONG else (PATIENT,):
                if is_better(wrong["Committee"], wrong["DNFWinnow"]):
                    with suppress(ValueError):  # too many terms of that length
                        wrong["DNFWinnow"] = min(wrong["DNFWinnow"], self._wrong("DNFWinnow", limits), key=np.sum)
        except ValueError:
            return None
        other = OTHER[usual]
        name = other if is_better(wrong[other], wrong[usual]) else usual
        errors = {tried: float(rows.mean()) for tried, rows in wrong.items()}
        n_rows = len(self.train.y) + len(self.held.y)
        reason = "a trial on {}: DNFWinnow {:.1%} error, Committee {:.1%}".format(
            counted(n_rows, "row"), *errors.values()
        )
        if errors[name] > errors[OTHER[name]]:
            reason += f", a difference that may be chance, and {name} is usual for such data"
        return SuitedLearner(name, reason, "--learner selects another", errors)

    def _wrong(self, name: str, limits: dict[str, Any]) -> Falsities:
        shared = {**limits, "random_state": self.request.seed, "verbose": False}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = configured_learner(name, self.request.settings, shared)
            pipeline = Pipeline.begin(model, self.train.X, None, self.request.declared)
            pipeline.model.fit(pipeline.attributes(self.train.X), self.train.y)
            return np.asarray(pipeline.predict(self.held.X) != self.held.y)


def is_better(new: Falsities, old: Falsities) -> bool:
    """Whether a learner errs on fewer of the same rows than another, beyond what chance may do.

    Examples
    --------
    >>> wrong = np.arange(100) < 20
    >>> is_better(wrong & (np.arange(100) < 5), wrong), is_better(wrong & (np.arange(100) < 19), wrong)
    (True, False)
    """
    gains = old.astype(np.float64) - new
    return bool(gains.mean() > STANDARD_ERRORS * gains.std() / np.sqrt(len(gains)))
