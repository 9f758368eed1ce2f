"""Interpret a model of soft updates: its heaviest terms as rules, and explanations of single rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from winnowkit.core.checks import require
from winnowkit.core.multiclass import class_of, learner_of
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.explain import ExplainedRow, Flip, flips_of
from winnowkit.dnf.interpretation import checked_labels
from winnowkit.dnf.kernels.problem import Codes
from winnowkit.dnf.soft_learners import RangeTerm, SoftLearners
from winnowkit.rulesets.condition import Condition, in_words
from winnowkit.rulesets.rule import Rule
from winnowkit.rulesets.ruleset import RuleSet
from winnowkit.rulesets.words import word


class SoftModel(NamedTuple):
    """A fitted model of soft updates, as the functions see it that interpret it.

    Parameters
    ----------
    learners : SoftLearners
        The weights of the terms.
    encoder : CategoryEncoder
        The fitted encoder of the table.
    classes : array
        The labels, sorted.
    max_literals : int or None
        The length of the longest term to show.
    """

    learners: SoftLearners
    encoder: CategoryEncoder
    classes: NDArray[Any]
    max_literals: int | None

    def conditions(self, literals: Sequence[tuple[int, int, int]]) -> list[Condition]:
        """Express ranges of cells in the names and values of the table."""
        names = self.encoder.feature_names_
        return [
            Condition(names[j], *test) for j, first, last in literals for test in self.encoder.tests(j, first, last)
        ]

    def rule(self, label: int, term: RangeTerm) -> Rule:
        """Express a term as a rule for a class; its weight is the factor by which it multiplies the odds."""
        return Rule(self.conditions(term.literals), self.classes[label], log_weight=abs(term.added))

    def heaviest(self, label: int, max_terms: int) -> list[RangeTerm]:
        """The terms that add most to the score of a class, the heaviest first; only terms short enough."""
        positions, signed = self.promoted(label)
        best = positions[np.argsort(-signed, kind="stable")]
        found: list[RangeTerm] = []
        for term in self.learners.terms(best[: 20 * max_terms], self.learner_of(label)):
            n_conditions = len(self.conditions(term.literals))
            if self.max_literals is None or n_conditions <= self.max_literals:
                found.append(term)
            if len(found) == max_terms:
                break
        return found

    def promoted(self, label: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Positions of the terms that speak for a class, and how much they add to its score."""
        added = self.learners.added(self.learner_of(label))
        signed = -added if self.learners.n_learners == 1 and label == 0 else added
        positions = np.flatnonzero(signed > 0)
        return positions, signed[positions]

    def learner_of(self, label: int) -> int:
        """The learner whose score speaks for a class."""
        return learner_of(label, self.learners.n_learners)


def soft_rules(model: SoftModel, X: Any, y: ArrayLike | None, *, max_rules: int, min_precision: float) -> RuleSet:
    """Return the heaviest terms of each class; see :meth:`winnowkit.DNFWinnow.rules`."""
    many = max_rules if not min_precision else max(500, 20 * max_rules)
    terms = [(c, term) for c in range(len(model.classes)) for term in model.heaviest(c, many)]
    if min_precision:
        if X is None or y is None:
            raise ValueError(f"min_precision={min_precision} is measured on rows and their labels: pass X and y")
        cells, labels = model.encoder.transform(X), checked_labels(X, y)
        precise = []
        for c, term in terms:
            covered = term.covers(cells)
            if covered.any() and (labels[covered] == model.classes[c]).mean() >= min_precision:
                precise.append((c, term))
        terms = [found for c in range(len(model.classes)) for found in [t for t in precise if t[0] == c][:max_rules]]
    terms.sort(key=lambda found: -abs(found[1].added))
    nothing_known = np.zeros((1, model.encoder.n_features_in_), dtype=np.int32)
    rules = RuleSet(
        [model.rule(c, term) for c, term in terms],
        model.classes[int(model.learners.predict(nothing_known)[0])],
        model.encoder.feature_names_,
        complete=True,
        log_enough=math.inf,
    )
    return rules if X is None else rules.measured(X, None if y is None else checked_labels(X, y))


@dataclass(frozen=True)
class ScorePart:
    """The part of a row's score that one column, or several together, add.

    Parameters
    ----------
    conditions : sequence of Condition
        The cells of these columns that the row lies in.
    added : float
        What they add to the score.

    See Also
    --------
    SoftExplanation : Contains it.
    """

    conditions: Sequence[Condition]
    added: float


@dataclass(frozen=True, repr=False)
class SoftExplanation(ExplainedRow):
    """The reasons for one prediction of a model of soft updates: they add up to its score.

    Parameters
    ----------
    label : str, bool, int or float
        The prediction.
    evidence_for : str, bool, int or float
        The label whose score is explained: the predicted one.
    probability : float
        The probability of the predicted label.
    score : float
        The score; with two classes, the logarithm of the odds of the predicted label.
    terms : sequence of ScorePart
        The largest contributions, by their size.
    rest : float
        What all other columns and the bias add.
    flips : sequence of Flip
        The single changes that would change the prediction.

    See Also
    --------
    winnowkit.DNFWinnow.explain : Returns it.
    """

    label: Any
    evidence_for: Any
    probability: float
    score: float
    terms: Sequence[ScorePart]
    rest: float
    flips: Sequence[Flip]

    @property
    def _columns(self) -> tuple[str, str]:
        return "added", "because"

    @property
    def _head(self) -> str:
        return (
            f"predicted {word(self.label)} with probability {self.probability:.3f}; "
            f"the score for {word(self.evidence_for)} is {self.score:+.3f}"
        )

    @property
    def _rows(self) -> list[tuple[str, str]]:
        rows = [(f"{part.added:+.3f}", in_words(part.conditions)) for part in self.terms]
        return [*rows, (f"{self.rest:+.3f}", "everything else")]


def soft_explain(model: SoftModel, x: Codes, max_terms: int) -> SoftExplanation:
    """Explain the prediction for the cells `x`; see :meth:`winnowkit.DNFWinnow.explain`."""
    require(1 <= max_terms <= 8, "max_terms must be from 1 to 8", max_terms)
    learners = model.learners
    predicted = int(learners.predict(x[None])[0])
    c = model.learner_of(predicted)
    sets, added = learners.parts(x[None], c)
    sign = 1.0 if class_of(c, learners.n_learners) == predicted else -1.0  # one learner speaks for the second class
    score, added = sign * float(learners.decisions(x[None])[0, c]), sign * added
    best = np.argsort(-np.abs(added[:, 0]), kind="stable")[:max_terms]
    parts = [
        ScorePart(model.conditions([(j, int(x[j]), int(x[j])) for j in sets[t] if x[j]]), float(added[t, 0]))
        for t in best
        if added[t, 0]
    ]
    labels = model.classes.tolist()
    return SoftExplanation(
        label=labels[predicted],
        evidence_for=labels[predicted],
        probability=float(learners.probabilities(x[None])[0, predicted]),
        score=score,
        terms=parts,
        rest=score - sum(part.added for part in parts),
        flips=flips_of(learners, model.encoder, model.classes, x, predicted),
    )
