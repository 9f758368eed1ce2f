"""Mistakes over time of an on-line learner that sees each row once, beside the bound that a theorem gives."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from winnowkit.core.certificate import Certificate
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.linear.classifier import LinearClassifier
from winnowkit.report.held_out import MOST_ROWS, Labelled
from winnowkit.report.subject import anew

POINTS = 120
MOST_TRIALS = 4_000
"""Rows that a learner over all terms sees: each takes longer than the one before."""


class MistakeCurve(NamedTuple):
    """How many mistakes were made after so many rows, and the certificate at the end."""

    rows: list[int]
    mistakes: list[int]
    certificate: Certificate | None


def stream_of(model: Any, attributes: Any, data: Labelled, n_rules: int = 1) -> MistakeCurve:
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
    return MistakeCurve([0, *ends.tolist()], [0, *mistakes[ends - 1].tolist()], _certificate(fresh, n_rules))


def _certificate(model: Any, n_rules: int) -> Certificate | None:
    """Return the certificate; a bound for disjunctions is for as many attributes as the learner's own has."""
    if isinstance(model, DNFWinnow):
        return model.certificate(k=n_rules)
    if isinstance(model, LinearClassifier):
        return model.certificate(k=max(1, len(model.rules())))
    return model.certificate() if hasattr(model, "certificate") else None
