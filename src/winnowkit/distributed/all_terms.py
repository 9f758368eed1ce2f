"""Terms of any length on many machines: the rows that count, of all parts, joined and learned from anew.

Joined logs of mistakes would be added updates, which is what fails for weights. But a log also tells *which rows* a
learner had to learn from, and the others are predicted rightly by what these have taught. So each part is thinned to
the rows in the logs of learners of its own, the rows of several parts are joined and thinned again, and one learner
learns from those that are left. docs/theory/mixing.md has the figures.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from winnowkit.distributed.cluster import dask
from winnowkit.distributed.parts import AnyPart, labels_for, over
from winnowkit.distributed.survey import Survey, joined, rows_at, sample_of
from winnowkit.dnf.classifier import DNFWinnow

AT_ONCE = 5_000
"""Rows that one log is learned from: the time grows with the square of the mistakes."""
THIN = 1 / 3
"""A log with more than this share of the rows sums up nothing: the labels are noisy, or the rows too few."""
FAN_IN = 16
"""Parts whose rows are joined at a time."""

Labelled = tuple[Any, NDArray[Any]]


class SampleWarning(UserWarning):
    """Warns that a model has learned from a sample of a table, and not from all of its rows."""


def fit_all_terms(learner: DNFWinnow, client: Any, parts: list[AnyPart], survey: Survey, seed: int) -> DNFWinnow:
    """Fit a model of all terms to the rows of all parts that count; or to a sample, with a warning, if most do.

    Parameters
    ----------
    learner : DNFWinnow
        The parameters.
    client : dask.distributed.Client
        The cluster.
    parts : list of parts
        The table.
    survey : Survey
        Its labels.
    seed : int
        Seeds the sample.

    Returns
    -------
    DNFWinnow
        A new model.
    """
    delayed = dask("delayed").delayed
    blank = delayed(clone(learner).set_params(verbose=False, random_state=seed % 2**32))
    waiting = [over(thinned, part, blank) for part, n in zip(parts, survey.n_rows, strict=True) if n]
    while len(waiting) > 1:
        groups = [waiting[i : i + FAN_IN] for i in range(0, len(waiting), FAN_IN)]
        waiting = [delayed(_thinned_together)(blank, group) for group in groups]
    found = client.compute(waiting[0]).result()
    model: DNFWinnow = clone(learner)
    if found is not None and len(np.unique(found[1])) == len(survey.classes):
        return model.fit(*found)
    warnings.warn(
        "terms of any length cannot learn from all rows of this table, because too many rows are mistakes of a learner "
        "that has seen the others (are labels wrong, or classes in files of their own?): the model has learned from a "
        f"sample of {AT_ONCE:,} rows; max_literals=3 learns from all",
        SampleWarning,
        stacklevel=4,
    )
    ((X, y),) = sample_of(client, parts, survey, seed, (AT_ONCE,))
    return model.fit(X, y)


def thinned(learner: DNFWinnow, X: Any, y: Any) -> Labelled | None:
    """Return the rows that count, at most `AT_ONCE` of them; None if no learner can do with so few."""
    labels = labels_for(X, y)
    while True:
        groups = _groups(labels)
        places = np.unique(np.concatenate([_counting(learner, X, labels, group) for group in groups]))
        if len(groups) > 1 and len(places) > THIN * len(labels):
            return None
        X, labels = rows_at(X, places), labels[places]
        if len(groups) == 1:
            return X, labels


def _groups(labels: NDArray[Any]) -> list[NDArray[np.intp]]:
    """Divide rows into groups with a like share of each class; rows of a class that is too rare go to all groups."""
    n_groups = -(-len(labels) // AT_ONCE)
    _, classes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    rare = np.flatnonzero(counts[classes] < n_groups)
    order = np.argsort(classes, kind="stable")
    return [np.union1d(order[i::n_groups], rare) for i in range(n_groups)]


def _thinned_together(learner: DNFWinnow, found: list[Labelled | None]) -> Labelled | None:
    some = [rows for rows in found if rows is not None]
    if len(some) < len(found):
        return None
    return thinned(learner, joined([X for X, _ in some]), np.concatenate([y for _, y in some]))


def _counting(learner: DNFWinnow, X: Any, labels: NDArray[Any], places: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the places of the rows that are in a log after learning from these; all places if they have one class."""
    if len(np.unique(labels[places])) < 2:
        return places
    rows, y = rows_at(X, places), labels[places]
    model: Any = clone(learner).fit(rows, y)
    logged = {row.tobytes() for log in model._learners.logs for row in log.codes}
    codes = model._encoded(rows, y).astype(model._learners.logs[0].codes.dtype)
    return places[[row.tobytes() in logged for row in codes]]
