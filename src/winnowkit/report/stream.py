"""Mistakes over time of an on-line learner that sees each row once, beside the bound that a theorem gives."""

from __future__ import annotations

import warnings
from math import inf
from typing import Any, NamedTuple

import numpy as np

from winnowkit.bounds import dnf_winnow
from winnowkit.core.certificate import Certificate
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.dnf.mistake_driven import MistakeDriven
from winnowkit.dnf.soft import Soft
from winnowkit.linear.classifier import LinearClassifier
from winnowkit.report.held_out import MOST_ROWS, Labelled
from winnowkit.report.subject import anew

POINTS = 120
MOST_TRIALS = 4_000
"""Rows that a learner over all terms sees: each takes longer than the one before."""


class Stream(NamedTuple):
    """How many mistakes were made after so many rows, and the certificate at the end."""

    rows: list[int]
    mistakes: list[int]
    certificate: Certificate | None


def stream_of(model: Any, attributes: Any, data: Labelled, n_rules: int = 1) -> Stream:
    """Let a new learner with the same parameters predict and then learn each row in turn.

    Parameters
    ----------
    model : OnlineClassifier or DNFWinnow
        The learner, which stays as it is.
    attributes : callable
        Turns rows into what the learner takes.
    data : Labelled
        The rows, in their order.
    n_rules : int, default=1
        The size of the formula that the bound of a DNFWinnow is for.
    """
    most = MOST_TRIALS if isinstance(model, DNFWinnow) else MOST_ROWS
    data = data.take(np.arange(min(data.table.n_rows, most)))
    fresh = anew(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        predicted = fresh.partial_fit_predict(attributes(data.table.native), data.y, model.classes_)
    mistakes = np.cumsum(predicted != data.y)
    ends = np.unique(np.linspace(1, len(mistakes), POINTS).astype(int))
    return Stream([0, *ends.tolist()], [0, *mistakes[ends - 1].tolist()], _certificate(fresh, n_rules))


def _certificate(model: Any, n_rules: int) -> Certificate | None:
    """Return the certificate; a bound for disjunctions is for as many attributes as the learner's own has."""
    if isinstance(model, DNFWinnow):
        return terms_certificate(model, n_rules)
    if isinstance(model, LinearClassifier):
        return model.certificate(k=max(1, len(model.rules())))
    return model.certificate() if hasattr(model, "certificate") else None


def terms_certificate(model: DNFWinnow, n_terms: int) -> Certificate:
    """Compare the mistakes of a DNFWinnow that saw each row once with the bound for a formula of so many terms.

    With several learners, the mistakes are those of the learner that made the most.
    """
    training = model.training if isinstance(model.training, MistakeDriven) else MistakeDriven()
    papers = model.alpha == 1.5 and model.theta == "auto" and not isinstance(model.training, Soft)
    if not papers or training.experts or training.max_mistakes or training.two_class == "pair":
        why = "the theorem is about one learner from mistakes, with alpha = 3/2 and theta = the number of terms"
        return Certificate(model.n_mistakes_, inf, why, "anything at all")
    each = ", for each class against the rest" if len(model.classes_) > 2 else ""
    size = f"{n_terms} term{'s' * (n_terms > 1)}"
    bound = dnf_winnow(n_terms, model.n_features_in_, int(model.encoder_.n_categories_.max()))
    theorem = "Tao & Scott 2004, corollary 2,"
    return Certificate(int(model.n_updates_.max()), bound, theorem, f"a DNF formula of at most {size}{each}")
