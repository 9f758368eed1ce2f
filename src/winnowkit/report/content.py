"""All that a report shows, computed once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.progress import Progress
from winnowkit.report.columns_data import columns_json
from winnowkit.report.held_out import HeldOutRows, Labelled, Tell, hold_out
from winnowkit.report.importance import Importance, importance
from winnowkit.report.measures import Bin, Curve, RowShare, calibration, confusion, error, roc
from winnowkit.report.mistakes_over_time import MistakeCurve
from winnowkit.report.of_linear import LinearSubject
from winnowkit.report.provenance import fingerprint, made
from winnowkit.report.rows_data import ShownRows, shown_rows
from winnowkit.report.rules_data import RulesData, rules_data
from winnowkit.report.shapes import ColumnShape, shapes_of
from winnowkit.report.subject import Subject

MOST_CURVES = 6
"""Classes that have a ROC curve each, if there are more than two: the most frequent ones."""


@dataclass
class Content:
    """The contents of a report.

    Parameters
    ----------
    subject : Subject
        The model.
    data : Labelled
        The rows that it learned from.
    held : HeldOutRows
        Rows that it did not learn from, and what was predicted for them.
    title, note : str
        The heading, and words of the model's owner on what it is for.
    target : str
        What is predicted.
    """

    subject: Subject
    data: Labelled
    held: HeldOutRows
    title: str
    note: str
    target: str
    rules: RulesData | None
    shown: ShownRows | None
    shares: NDArray[np.float64]
    columns: list[dict[str, Any]]
    importances: list[Importance]
    shapes: list[ColumnShape]
    stream: MistakeCurve | None
    facts: list[tuple[str, str]] = field(default_factory=list)

    @property
    def classes(self) -> list[Any]:
        """The labels."""
        return self.subject.classes

    @property
    def error(self) -> RowShare:
        """The held-out error."""
        return error(self.held.truth, self.held.predicted)

    @property
    def compared(self) -> list[tuple[str, RowShare]]:
        """The held-out errors of the model, of its displayed rules, of the majority class and of the peers."""
        truth = self.held.truth
        found = [(self.subject.kind, self.error)]
        found += [(name, error(truth, codes)) for name, codes in self.held.peers.items()]
        return [*found, ("Always the most frequent label", error(truth, self.held.majority))]

    @property
    def confusion(self) -> NDArray[np.int64]:
        """Rows by class and by predicted class."""
        known = self.held.truth >= 0
        return confusion(self.held.truth[known], self.held.predicted[known], len(self.classes))

    def curves(self) -> list[tuple[Any, Curve]]:
        """Return the ROC curves: of the second of two classes, or of the most frequent classes against the rest."""
        rng, counts = np.random.default_rng(0), np.bincount(self.held.truth[self.held.truth >= 0])
        codes = [1] if len(self.classes) == 2 else np.argsort(-counts, kind="stable")[:MOST_CURVES].tolist()
        found = [(self.classes[c], roc(self.held.truth == c, self.held.scores[:, c], rng)) for c in codes]
        return [(label, curve) for label, curve in found if curve is not None]

    def bins(self) -> list[Bin]:
        """Return the calibration: of the second of two classes, or of whichever label was predicted."""
        probabilities, truth = self.held.probabilities, self.held.truth
        if probabilities is None:
            return []
        if len(self.classes) == 2:
            return calibration(truth == 1, probabilities[:, 1])
        rows = np.arange(len(truth))
        return calibration(truth == self.held.predicted, probabilities[rows, self.held.predicted])


def build(
    subject: Subject,
    data: Labelled,
    test: Labelled | None,
    *,
    title: str | None,
    note: str,
    target: str,
    rows: bool,
    facts: list[tuple[str, str]],
    progress: Progress | None = None,
    seed: int = 0,
) -> Content:
    """Compute all that a report shows; see :func:`winnowkit.report.report`."""
    rng = np.random.default_rng(seed)
    held = hold_out(subject, data, test, seed, step(progress, 0.0, 0.5))
    step(progress, 0.5, 0.8)(0.0, "choosing rules")
    points = subject.points(data.table, data.y)
    rules = rules_data(points, subject.best(points), held.data, subject.classes, held.truth) if points else None
    shares = subject.shares(held.data.table)
    encoder = subject.encoder if isinstance(subject, LinearSubject) else None
    n_rules = 1 if rules is None else max(1, len(rules.members[rules.best]))
    known = [("Rows", f"{data.table.n_rows:,}, in {len(data.table.names):,} columns")]
    known += [("Fingerprint of the rows", f"SHA-256 {fingerprint(data.table, data.y)}")]
    return Content(
        subject=subject,
        data=data,
        held=held,
        title=title or f"{subject.kind} for {target}",
        note=note,
        target=target,
        rules=rules,
        shown=shown_rows(held, rules, rng) if rows else None,
        shares=shares,
        columns=columns_json(held.data.table, shares, rules, encoder),
        importances=importance(shares, held, rng, step(progress, 0.8, 1.0)),
        shapes=shapes_of(subject, held.data.table, shares),
        stream=subject.stream(data, n_rules),
        facts=[*subject.facts(), *known, *facts, *made()],
    )


def step(progress: Progress | None, first: float, last: float) -> Tell:
    """Return what is told how far a step is that makes these shares of the whole report."""

    def tell(done: float, what: str) -> None:
        if progress is not None:
            progress.share(first + (last - first) * done, what)

    return tell
