"""The heaviest terms of a fitted model, as rules in the names and values of its table."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_consistent_length

from winnowkit.core.multiclass import class_of
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.bound_literals import BoundLiterals
from winnowkit.dnf.heaviest_search import Heaviest, Term, heaviest
from winnowkit.dnf.kernels.problem import Codes, Ints
from winnowkit.dnf.learners import Learners
from winnowkit.rulesets.condition import Condition
from winnowkit.rulesets.rule import Rule
from winnowkit.rulesets.ruleset import RuleSet

PRECISE = 500
"""The fewest terms to look through for those that are precise."""


class Fitted(NamedTuple):
    """A fitted model, as the functions see it that interpret it.

    Parameters
    ----------
    learners : Learners
        The learners.
    encoder : CategoryEncoder
        The fitted encoder of the table.
    classes : array
        The labels, sorted.
    max_literals : int or None
        The length of the longest term to show.
    """

    learners: Learners
    encoder: CategoryEncoder
    classes: NDArray[Any]
    max_literals: int | None

    def codes(self, cells: Codes) -> Codes:
        """Turn cells of the encoder into codes of the learners' attributes."""
        return BoundLiterals(self.encoder).codes(cells)

    def predict(self, X: Codes, n_jobs: int = 1) -> Ints:
        """Predict the class of each row of cells."""
        return self.learners.predict(self.codes(X), n_jobs)

    def label(self, c: int) -> Any:
        """The label that learner `c` stands for."""
        return self.classes[class_of(c, len(self.learners.logs))]

    def rule(self, c: int, term: Term) -> Rule:
        """Express a term of learner `c` in the names and values of the table."""
        encoder, log = self.encoder, self.learners.logs[c]
        conditions = [
            Condition(encoder.feature_names_[j], operator, value)
            for j, first, last in BoundLiterals(encoder).ranges(term.literals)
            for operator, value in encoder.tests(j, first, last)
        ]
        mistakes = np.flatnonzero(term.covers(log.codes)).tolist()
        weight = term.net * math.log(self.learners.alpha)
        return Rule(conditions, self.label(c), log_weight=weight, mistakes=mistakes)


def rules(
    model: Fitted, X: Any, y: ArrayLike | None, *, max_rules: int, min_precision: float, max_nodes: int
) -> RuleSet:
    """Return the heaviest terms of each learner; see :meth:`winnowkit.DNFWinnow.rules`."""
    learners, encoder = model.learners, model.encoder
    if min_precision:
        searches = _precise(model, X, y, max_rules, min_precision, max_nodes)
    else:
        searches = [heaviest(log, max_rules, model.max_literals, max_nodes=max_nodes) for log in learners.logs]
    terms = [(c, term) for c, search in enumerate(searches) for term in search.terms]
    terms.sort(key=lambda found: -found[1].net)
    nothing_known = np.zeros((1, encoder.n_features_in_), dtype=np.int32)
    found = RuleSet(
        [model.rule(c, term) for c, term in terms],
        model.classes[int(model.predict(nothing_known)[0])],
        encoder.feature_names_,
        complete=all(search.complete for search in searches),
        log_enough=learners.log_theta,
    )
    return found if X is None else found.measured(X, None if y is None else checked_labels(X, y))


def checked_labels(X: Any, y: ArrayLike) -> NDArray[Any]:
    """Return y as an array, if it has one label per row of X."""
    labels: NDArray[Any] = column_or_1d(y)
    check_consistent_length(X, labels)
    return labels


def _precise(
    model: Fitted, X: Any, y: ArrayLike | None, max_rules: int, min_precision: float, max_nodes: int
) -> list[Heaviest]:
    """Find the heaviest terms of each learner that are right on enough of the rows that they cover."""
    if X is None or y is None:
        raise ValueError(f"min_precision={min_precision} is measured on rows and their labels: pass X and y")
    codes, labels = model.codes(model.encoder.transform(X)), checked_labels(X, y)
    found = []
    for c, log in enumerate(model.learners.logs):
        right = labels == model.label(c)
        pool = heaviest(log, max(PRECISE, 20 * max_rules), model.max_literals, slack=log.reach, max_nodes=max_nodes)
        kept: list[Term] = []
        for term in pool.terms:
            covered = term.covers(codes)
            precise = covered.any() and right[covered].mean() >= min_precision
            if precise and not any(part.outdoes(term) for part in kept):
                kept.append(term)
        found.append(Heaviest(kept[:max_rules], pool.complete))
    return found
