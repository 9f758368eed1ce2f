"""Predictions for rows that a model did not learn from: rows of a test set, or each row by a model of the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.report.measures import Codes, Floats
from winnowkit.report.peers import peers_of
from winnowkit.report.subject import Subject
from winnowkit.report.table import Table

Tell = Callable[[float, str], None]  # is told what share of a step is done, and what is done next

FOLDS = 5
MOST_ROWS = 50_000
"""The most rows that cross-validation takes, at random."""


class Labelled(NamedTuple):
    """Rows and their labels."""

    table: Table
    y: NDArray[Any]

    def take(self, rows: NDArray[np.intp]) -> Labelled:
        """Return some rows."""
        return Labelled(self.table.take(rows), self.y[rows])


class HeldOutPart(NamedTuple):
    """Some held-out rows, by their positions, and the model that did not learn from them."""

    subject: Subject
    rows: NDArray[np.intp]


class HeldOutRows(NamedTuple):
    """Held-out rows and what was predicted for them.

    Parameters
    ----------
    how : str
        How the rows were held out, in a sentence.
    honest : bool
        Whether no row was used to make the model that predicts it, as far as the report can know.
    classes : list
        All labels, in the order of their codes.
    data : Labelled
        All held-out rows.
    parts : list of HeldOutPart
        Which model predicted which of them.
    truth, predicted : array of int
        Codes of the labels.
    probabilities, scores : array of shape (rows, classes)
        What was predicted for each class; probabilities are None if the model has none.
    majority : array of int
        The most frequent label of the training rows.
    peers : dict
        By name, the codes that simple models predicted, learned from the same rows.
    """

    how: str
    honest: bool
    classes: list[Any]
    data: Labelled
    parts: list[HeldOutPart]
    truth: Codes
    predicted: Codes
    probabilities: Floats | None
    scores: Floats
    majority: Codes
    peers: dict[str, Codes]


def hold_out(
    subject: Subject, data: Labelled, test: Labelled | None, seed: int, tell: Tell = lambda *_: None
) -> HeldOutRows:
    """Predict rows that the model did not learn from; see :class:`HeldOutRows`."""
    rng = np.random.default_rng(seed)
    if test is not None:
        how = f"on {test.table.n_rows:,} test rows that were given, and that the model has not seen"
        everything = np.arange(test.table.n_rows)
        return _predicted(how, True, test, [HeldOutPart(subject, everything)], [(data, everything)], subject)
    if data.table.n_rows > MOST_ROWS:
        data = data.take(np.sort(rng.permutation(data.table.n_rows)[:MOST_ROWS]))
    folds = folds_of(subject.codes(data.y), rng)
    held = [np.flatnonzero(folds == k) for k in range(int(folds.max()) + 1)]
    trainings = [data.take(np.flatnonzero(folds != k)) for k in range(len(held))]
    models = []
    for k, training in enumerate(trainings):
        tell(k / len(trainings), f"learning without part {k + 1} of {len(trainings)}")
        models.append(subject.refitted(training.table, training.y))
    learned = [model for model in models if model is not None]
    parts = [HeldOutPart(model, rows) for model, rows in zip(learned, held, strict=True)] if learned else []
    n_rows = f"{data.table.n_rows:,} rows"
    how = (
        f"by cross-validation on {n_rows}: each row is predicted by one of {len(held)} models with the same parameters "
        "that learned from the other rows"
    )
    if not parts:
        how = f"on the {n_rows} that were given; if the rules were chosen by these rows, the figures are too good"
        parts = [HeldOutPart(subject, np.arange(data.table.n_rows))]
    return _predicted(how, bool(learned), data, parts, list(zip(trainings, held, strict=True)), subject)


def folds_of(codes: Codes, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the fold of each row; each fold has its share of every class.

    Examples
    --------
    >>> np.bincount(folds_of(np.array([0] * 10 + [1] * 5), np.random.default_rng(0))).tolist()
    [3, 3, 3, 3, 3]
    """
    order = rng.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    folds = np.empty(len(codes), dtype=np.int64)
    folds[order] = np.arange(len(codes)) % max(2, min(FOLDS, len(codes) // 2))
    return folds


def _predicted(
    how: str,
    honest: bool,
    data: Labelled,
    parts: list[HeldOutPart],
    trainings: list[tuple[Labelled, NDArray[np.intp]]],
    subject: Subject,
) -> HeldOutRows:
    n_rows, n_classes = data.table.n_rows, len(subject.classes)
    predicted, majority = np.empty(n_rows, dtype=np.int64), np.empty(n_rows, dtype=np.int64)
    scores, probabilities = np.zeros((n_rows, n_classes)), np.zeros((n_rows, n_classes))
    known = True
    for part in parts:
        X = data.table.take(part.rows).native
        places = np.array([subject.classes.index(label) for label in part.subject.classes])
        predicted[part.rows] = places[part.subject.predicted(X)]
        scores[np.ix_(part.rows, places)] = part.subject.scores(X)
        found = part.subject.probabilities(X)
        known = known and found is not None
        if found is not None:
            probabilities[np.ix_(part.rows, places)] = found
    peers: dict[str, Codes] = {}
    for training, rows in trainings:
        codes = subject.codes(training.y)
        majority[rows] = np.bincount(codes[codes >= 0], minlength=n_classes).argmax()
        for name, guessed in peers_of(training.table, codes, data.table.take(rows)).items():
            peers.setdefault(name, np.full(n_rows, -1, dtype=np.int64))[rows] = guessed
    return HeldOutRows(
        how,
        honest,
        subject.classes,
        data,
        parts,
        subject.codes(data.y),
        predicted,
        probabilities if known else None,
        scores,
        majority,
        peers,
    )
