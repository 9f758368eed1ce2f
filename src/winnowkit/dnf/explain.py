"""Explain the prediction for one row: the terms that carry it, and the single changes that would flip it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.checks import require
from winnowkit.core.multiclass import class_of, learner_of
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.agreement import Agreement, log_of_counts
from winnowkit.dnf.answers import Estimate
from winnowkit.dnf.heaviest_search import heaviest
from winnowkit.dnf.interpretation import Fitted
from winnowkit.dnf.kernels.problem import Codes, Ints
from winnowkit.dnf.learners import Learners
from winnowkit.dnf.log import MistakeLog
from winnowkit.dnf.short_term_tables import ShortLog
from winnowkit.rulesets.condition import Condition, in_words
from winnowkit.rulesets.display import power
from winnowkit.rulesets.explanation import Explained
from winnowkit.rulesets.rule import Rule
from winnowkit.rulesets.words import word

LiteralSet = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Share:
    """A term that the row satisfies, and its share of the row's weighted sum W.

    Parameters
    ----------
    rule : Rule
        The term.
    alone : float
        Its own weight, as a share of W.
    share : float
        Share of W that comes from this term and all longer ones that contain it, but none of the terms named before.

    See Also
    --------
    Explanation : Contains it.
    """

    rule: Rule
    alone: float
    share: float


@dataclass(frozen=True)
class Flip:
    """A single change of the row, and the label that would be predicted then.

    Parameters
    ----------
    conditions : sequence of Condition
        The changed column's new value.
    label : str, bool, int or float
        The label predicted then.

    See Also
    --------
    Explanation : Contains it.
    """

    conditions: Sequence[Condition]
    label: Any

    def __str__(self) -> str:
        return f"{word(self.label)} if {in_words(self.conditions)}"


class ExplainedRow(Explained):
    """Prints an explanation of a row of a table, with what would flip the prediction."""

    flips: Sequence[Flip]
    _width = 8

    @property
    def _more(self) -> tuple[str, list[str]]:
        return "what would flip it:", [str(flip) for flip in self.flips] or ["no single change would"]


@dataclass(frozen=True, repr=False)
class Explanation(ExplainedRow):
    """The reasons for one prediction.

    Parameters
    ----------
    label : str, bool, int or float
        The prediction.
    evidence_for : str, bool, int or float
        The label whose learner's terms are shown: with a single learner ``classes_[1]``, whatever is predicted.
    log_ratio : float
        Logarithm of W / theta; the learner predicts its label if it is at least 0.
    terms : sequence of Share
        The heaviest terms that the row satisfies.
    rest : float
        Share of W that comes from terms that contain none of these.
    exact : bool
        Whether the shares are exact rather than sampled.
    flips : sequence of Flip
        The single changes that would change the prediction.

    See Also
    --------
    winnowkit.DNFWinnow.explain : Returns it.
    """

    label: Any
    evidence_for: Any
    log_ratio: float
    terms: Sequence[Share]
    rest: float
    exact: bool
    flips: Sequence[Flip]

    @property
    def _columns(self) -> tuple[str, str]:
        return "share", "terms that contain"

    @property
    def _head(self) -> str:
        side = "above" if self.log_ratio >= 0 else "below"
        return (
            f"predicted {word(self.label)}; evidence for {word(self.evidence_for)} is {side} the threshold, "
            f"by a factor of {power(abs(self.log_ratio))}{'' if self.exact else ' (sampled)'}"
        )

    @property
    def _rows(self) -> list[tuple[str, str]]:
        rows = [(f"{share.share:.2%}", in_words(share.rule.conditions)) for share in self.terms]
        return [*rows, (f"{self.rest:.2%}", "all other terms")]


def explain(model: Fitted, cells: Codes, max_terms: int) -> Explanation:
    """Explain the prediction for these cells; see :meth:`winnowkit.DNFWinnow.explain`."""
    require(1 <= max_terms <= 8, "max_terms must be from 1 to 8", max_terms)
    x = model.codes(cells[None])[0]
    learners, classes = model.learners, model.classes.tolist()
    predicted = int(learners.predict(x[None])[0])
    c = learner_of(predicted, len(learners.logs))
    log = learners.logs[c]
    found = heaviest(log, max_terms, model.max_literals, x=x).terms
    sums: dict[LiteralSet, Estimate] = {}

    def part(literals: Iterable[tuple[int, int]]) -> float:
        """Share of W of all terms that contain these literals."""
        key = frozenset(literals)
        if key not in sums:
            sums[key] = _sum_containing(learners, log, x, key)
        return math.exp(sums[key].log_sum - sums[frozenset()].log_sum)

    part([])
    shares = []
    for k, term in enumerate(found):
        before = [set(other.literals) for other in found[:k]]
        share = sum(
            (-1) ** size * part(set(term.literals).union(*some))
            for size in range(k + 1)
            for some in combinations(before, size)
        )
        alone = math.exp(term.net * math.log(learners.alpha) - sums[frozenset()].log_sum)
        shares.append(Share(model.rule(c, term), alone, min(1.0, max(0.0, share))))
    return Explanation(
        label=classes[predicted],
        evidence_for=classes[class_of(c, len(learners.logs))],
        log_ratio=sums[frozenset()].log_sum - learners.log_theta,
        terms=shares,
        rest=max(0.0, 1 - sum(share.share for share in shares)),
        exact=all(estimate.exact for estimate in sums.values()),
        flips=flips_of(model, model.encoder, model.classes, cells, predicted),
    )


def _sum_containing(learners: Learners, log: MistakeLog, x: Codes, literals: LiteralSet) -> Estimate:
    """Weighted sum over the terms of `x` that contain these literals.

    Only mistakes that satisfy all of them affect such terms; the rest of a term is a set of other literals of `x`.
    """
    codes, nets = log.codes, log.nets
    covered = np.ones(len(log), dtype=np.bool_)
    rest = x.copy()
    for j, code in literals:
        covered &= codes[:, j] == code
        rest[j] = 0
    codes, nets = codes[covered], nets[covered]
    if isinstance(log, ShortLog):
        if len(literals) > log.max_literals:
            return Estimate(-math.inf)
        few = ShortLog(log.n_categories, log.max_literals - len(literals))
        for z, net in zip(codes, nets.tolist(), strict=True):
            few.give(z, net)
        return Estimate(log_of_counts(few.counts(rest), learners.alpha))
    up, down = int(np.maximum(nets, 0).sum()), int(np.maximum(-nets, 0).sum())  # the rungs of a ladder depend on them
    left = MistakeLog.restore(codes, nets, log.last[covered], n_promotions=up, n_demotions=down)
    return learners.engine.log_sum(Agreement.of(left, rest), learners.alpha, np.random.default_rng(learners.seed))


class Predicts(Protocol):
    """Learners of any kind, which predict classes of coded rows."""

    def predict(self, X: Codes, n_jobs: int = 1) -> Ints:
        """Predict the class of each row."""


def flips_of(
    learners: Predicts, encoder: CategoryEncoder, classes: NDArray[Any], x: Codes, predicted: int
) -> list[Flip]:
    """List the single changes of a row after which another class is predicted."""
    changes = [
        (j, code)
        for j in range(encoder.n_features_in_)
        for code in range(1, int(encoder.n_categories_[j]) + 1)
        if code != x[j] and not encoder.is_forbidden(j, code)
    ]
    if not changes:
        return []
    variants = np.repeat(x[None], len(changes), axis=0)
    for i, (j, code) in enumerate(changes):
        variants[i, j] = code
    labels = learners.predict(variants).tolist()
    ranges: list[tuple[int, int, int, int]] = []  # column, first and last code, label: neighbours in order are one
    for (j, code), label in zip(changes, labels, strict=True):
        before = ranges[-1] if ranges else None
        if before is not None and (j, code - 1, label) == (before[0], *before[2:]) and code <= encoder.n_ordered_[j]:
            ranges[-1] = (j, before[1], code, label)
        else:
            ranges.append((j, code, code, label))
    return [
        Flip(
            [Condition(encoder.feature_names_[j], *test) for test in encoder.tests(j, first, last)],
            classes[label].item() if hasattr(classes[label], "item") else classes[label],
        )
        for j, first, last, label in ranges
        if label != predicted
    ]
