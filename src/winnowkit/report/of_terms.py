"""A DNFWinnow as the subject of a report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.dnf.interpretation import Fitted
from winnowkit.dnf.soft_interpretation import SoftExplanation, SoftModel
from winnowkit.report.held_out import Labelled
from winnowkit.report.measures import Floats
from winnowkit.report.mistakes_over_time import MistakeCurve, stream_of
from winnowkit.report.subject import Reason, RulePoint, Subject, anew, by_class, normalised, parameters_in_words
from winnowkit.report.table import Table

BLOCK = 4096
"""Rows whose parts are looked up at a time."""
MOST_CHOSEN_BY = 10_000
"""Rows that rule sets are chosen by, at random."""
MOST_COMPLEXITY = 40
"""The most rules and conditions of a rule set on the slider: larger ones nobody reads, and they take longest."""
MOST_SUMS = 200
"""Rows whose weighted sums are taken apart, if each is a sum over all terms."""


class TermsSubject(Subject):
    """A fitted DNFWinnow.

    Parameters
    ----------
    model : DNFWinnow
        The model.
    """

    kind = "DNFWinnow"

    def __init__(self, model: DNFWinnow) -> None:
        super().__init__(model.classes_.tolist())
        self.model, self._best = model, 0
        self.share_means = (
            "the weighted sum: how far the column moves the score from its mean, on average; what several columns "
            "add together is shared equally among them"
            if isinstance(model._fitted(), SoftModel)
            else "the weighted sum W that is lost without the terms that ask for the column"
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Return one label per row."""
        return self.model.predict(X)

    def probabilities(self, X: Any) -> Floats | None:
        """Return the probabilities, if training was of the kind that has them."""
        found: Floats | None = self.model.predict_proba(X) if hasattr(self.model, "predict_proba") else None
        return found

    def scores(self, X: Any) -> Floats:
        """Return the decisions by class."""
        return by_class(self.model.decision_function(X), len(self.classes))

    @property
    def of_a_stream(self) -> bool:
        """Whether the model learned by `partial_fit` alone."""
        return not hasattr(self.model, "n_epochs_")

    def refitted(self, table: Table, labels: NDArray[Any]) -> TermsSubject:
        """Return a model with the same parameters, learned from these rows in the same way."""
        fresh = anew(self.model).set_params(verbose=False)
        if self.of_a_stream:
            return TermsSubject(fresh.partial_fit(table.native, labels, self.model.classes_))
        return TermsSubject(fresh.fit(table.native, labels))

    def stream(self, data: Labelled, n_rules: int) -> MistakeCurve | None:
        """Return the mistakes of such a learner on a stream of the rows, if the model learned on line."""
        return stream_of(self.model, lambda X: X, data, n_rules) if self.of_a_stream else None

    def shares(self, table: Table) -> Floats:
        """Return the exact share of each column of the weighted sum."""
        fitted = self.model._fitted()
        codes = np.concatenate(list(self.model._blocks(table.native)))
        return normalised(soft_shares(fitted, codes) if isinstance(fitted, SoftModel) else log_shares(fitted, codes))

    def moved(self, table: Table) -> list[Floats]:
        """Return how far each column moves the score of each row, if training was soft."""
        fitted = self.model._fitted()
        if not isinstance(fitted, SoftModel):
            return []
        cells = np.concatenate(list(self.model._blocks(table.native)))
        scores = range(fitted.learners.n_learners)
        return [np.concatenate(list(soft_moved(fitted, cells, c)), axis=1).T for c in scores]

    def reasons(self, table: Table, rows: NDArray[np.intp]) -> list[list[Reason]]:
        """Return the heaviest contributions to the score of each row."""
        return [self._reasons(table.row(int(i))) for i in rows]

    def _reasons(self, row: dict[str, Any]) -> list[Reason]:
        explanation = self.model.explain(row, max_terms=3)
        if isinstance(explanation, SoftExplanation):
            found = [Reason(term.conditions, term.added) for term in explanation.terms]
            return sorted(found, key=lambda reason: -(reason.amount or 0))
        return [Reason(share.rule.conditions, share.share) for share in explanation.terms]

    def points(self, table: Table, y: NDArray[Any]) -> list[RulePoint]:
        """Return the rule sets of the trade-off of accuracy and complexity, found on at most so many rows."""
        if table.n_rows > MOST_CHOSEN_BY:
            some = np.sort(np.random.default_rng(0).permutation(table.n_rows)[:MOST_CHOSEN_BY])
            table, y = table.take(some), y[some]
        curve = self.model.trade_off(table.native, y, max_complexity=MOST_COMPLEXITY)
        self._best = next(i for i, point in enumerate(curve) if point is curve.best)
        return [RulePoint(p.rules, p.complexity, p.accuracy, p.standard_error) for p in curve]

    def best(self, points: list[RulePoint]) -> int:
        """Return the position of the default choice of the trade-off."""
        del points
        return self._best

    def facts(self) -> list[tuple[str, str]]:
        """Return the parameters, and what training chose."""
        chosen = getattr(self.model, "chosen_", {})
        found = [("Parameters", parameters_in_words(self.model))]
        if chosen:
            longest = chosen.get("max_literals")
            size = f"conjunctions of up to {longest} conditions" if longest else "conjunctions of any length"
            found.append(("Training", f"{chosen.get('training', '')}, over {size}"))
        return [*found, ("Examples learned from", f"{self.model.n_trials_:,}, counting every epoch")]


def soft_shares(model: SoftModel, cells: NDArray[np.int32]) -> Floats:
    """Return how far each column moves the scores from their means, summed over rows and learners."""
    total = np.zeros(model.encoder.n_features_in_)
    for c in range(model.learners.n_learners):
        for amounts in soft_moved(model, cells, c):
            total += np.abs(amounts).sum(axis=1)
    return total


def soft_moved(model: SoftModel, cells: NDArray[np.int32], c: int) -> Iterator[Floats]:
    """Yield how far each column moves a score from its mean, (columns, rows), a block of rows at a time.

    What several columns add together is shared equally among them.
    """
    blocks = [cells[first : first + BLOCK] for first in range(0, len(cells), BLOCK)]
    sets = model.learners.parts(blocks[0][:1], c)[0]
    total: Any = 0.0
    for block in blocks:
        total = total + model.learners.parts(block, c)[1].sum(axis=1)
    of_column = np.zeros((model.encoder.n_features_in_, len(sets)))
    for t, columns in enumerate(sets):
        of_column[list(columns), t] = 1 / len(columns)
    for block in blocks:
        yield of_column @ (model.learners.parts(block, c)[1] - (total / len(cells))[:, None])


def log_shares(model: Fitted, codes: NDArray[np.int32]) -> Floats:
    """Return the mean share of the weighted sum that the terms which ask for each column have."""
    codes = codes[np.linspace(0, len(codes) - 1, min(len(codes), MOST_SUMS)).astype(np.intp)]
    whole, lost = model.learners.log_sums(codes), np.zeros(codes.shape[1])
    for j in range(codes.shape[1]):
        without = codes.copy()
        without[:, j] = 0
        lost[j] = float((1 - np.exp(model.learners.log_sums(without) - whole)).mean())
    return np.maximum(lost, 0.0)
