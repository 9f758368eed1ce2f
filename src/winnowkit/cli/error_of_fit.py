"""The error that ``fit`` reports: on held-out rows of a file, or of the predictions before each update of a stream."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from winnowkit.cli.column_notes import warnings_as_notes
from winnowkit.cli.labelled_rows import LabelledRows
from winnowkit.cli.labelled_rows import whole as joined
from winnowkit.cli.output import counted, error_of_choice
from winnowkit.cli.pipeline import Pipeline
from winnowkit.cli.session import LearningSession

MOST_ROWS = 50_000
"""The most rows of a file that a second model is trained and measured on; of a longer file, a random sample."""

HELD_OUT = 0.2
"""The share of these rows that is held out."""

IN_PARTS, BY_SECOND = "each row was held out once", "measured with a second model that has not seen these rows"
"""How rows were held out: by soft training, and by `fit` itself."""


class ErrorRate(NamedTuple):
    """A share of wrong labels, and the way in which it was measured."""

    error: float
    rows: int
    way: str  # "held-out" or "progressive"
    how: str = ""  # how rows were held out, if there is more to say

    def __str__(self) -> str:
        if self.way == "held-out":
            how = f" ({self.how})" if self.how else ""
            return f"{self.error:.2%} on {counted(self.rows, 'held-out row')}{how}"
        return f"{self.error:.2%} of {counted(self.rows, 'row')}, each predicted before it was learned from"

    @property
    def standard_error(self) -> float:
        """The standard error of the share."""
        return math.sqrt(self.error * (1 - self.error) / self.rows)


def error_rate(session: LearningSession, pipeline: Pipeline, passes: int) -> ErrorRate | None:
    """Return the error of a model that has just been fitted, or None if there are too few rows to measure it.

    Rows of a pipe, and rows that a resumed model learns from, are a stream: each was predicted before it was learned
    from. For the rows of a file that would mislead, as they may be sorted. There, soft training has held rows out, and
    for any other learner a second model is trained on four fifths of the rows, in the same order. So is it where
    `DNFWinnow` has preferred training from mistakes: that was chosen because of its error on a few rows, so this error
    is too low as an estimate. The second model chooses again, without the rows that it is measured on.

    Parameters
    ----------
    session : LearningSession
        The session that fitted the model.
    pipeline : Pipeline
        The model.
    passes : int
        How many times a learner on line went over the rows.
    """
    if session.table is None and session.is_stream:
        rows, mistakes = session.first_pass
        return ErrorRate(mistakes / rows, rows, "progressive")
    found = error_of_choice(pipeline.model)
    if found is not None:
        return ErrorRate(found, pipeline.rows, "held-out", IN_PARTS)
    session.progress.say("measuring the error on held-out rows")
    try:
        with warnings_as_notes(quiet=True):  # the first model has given rise to the same
            return _of_second_model(session, pipeline, passes)
    except ValueError:  # the training rows lack a class or all values of a column
        return None
    finally:
        session.progress.close()


class Split(NamedTuple):
    """Positions of the rows of one chunk."""

    not_held: NDArray[np.int64]
    train: NDArray[np.int64]
    held: NDArray[np.int64]


def split_at_random(n: int, share: float, draws: np.random.Generator) -> Split:
    """Take a random share of n rows, and hold a fifth of these out.

    Examples
    --------
    >>> split = split_at_random(1000, 0.5, np.random.default_rng(0))
    >>> len(split.train), len(split.held), len(split.not_held)
    (384, 89, 911)
    """
    drawn = draws.random(n)
    held = drawn < HELD_OUT * share
    return Split(*map(np.flatnonzero, (~held, ~held & (drawn < share), held)))


def _of_second_model(session: LearningSession, pipeline: Pipeline, passes: int) -> ErrorRate | None:
    share = min(1.0, MOST_ROWS / pipeline.rows)
    second: Pipeline | None = None
    held: list[LabelledRows] = []
    for number in range(1 if session.table is not None else passes):
        for (X, y), split in _chunks(session, share):
            if second is None:
                second = session.begin_with(clone(pipeline.model), LabelledRows(X[split.not_held], y[split.not_held]))
            if len(split.train):
                _learn(second, X[split.train], y[split.train], pipeline.model.classes_, whole=session.table is not None)
            if len(split.held) and not number:
                held.append(LabelledRows(X[split.held], y[split.held]))
    if second is None or not second.begun or not held:
        return None
    rows = joined(held)
    return ErrorRate(float(np.mean(second.predict(rows.X) != rows.y)), len(rows.y), "held-out", BY_SECOND)


def _chunks(session: LearningSession, share: float) -> Iterator[tuple[LabelledRows, Split]]:
    """Yield the rows of the session again, and the same random split of them in every pass."""
    draws = np.random.default_rng(session.arguments.seed or 0)
    for rows in session.data.chunks() if session.table is None else [session.table]:
        yield rows, split_at_random(len(rows.y), share, draws)


def _learn(pipeline: Pipeline, X: Any, y: NDArray[Any], classes: NDArray[Any], *, whole: bool) -> None:
    if whole:
        pipeline.model.fit(pipeline.attributes(X), y)
    else:
        pipeline.learn(X, y, classes)
