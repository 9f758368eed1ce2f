"""Mistakes over time of an on-line learner that sees each row once, beside the bound that a theorem gives."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from winnowkit.core.certificate import Certificate
from winnowkit.linear.classifier import LinearClassifier
from winnowkit.report.held_out import MOST_ROWS, Labelled

POINTS = 120


class Stream(NamedTuple):
    """How many mistakes were made after so many rows, and the certificate at the end."""

    rows: list[int]
    mistakes: list[int]
    certificate: Certificate | None


def stream_of(model: Any, attributes: Any, data: Labelled) -> Stream:
    """Let a new learner with the same parameters predict and then learn each row in turn.

    Parameters
    ----------
    model : OnlineClassifier
        The learner, which stays as it is.
    attributes : callable
        Turns rows into what the learner takes.
    data : Labelled
        The rows, in their order.
    """
    data = data.take(np.arange(min(data.table.n_rows, MOST_ROWS)))
    fresh = clone(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        predicted = fresh.partial_fit_predict(attributes(data.table.native), data.y, model.classes_)
    mistakes = np.cumsum(predicted != data.y)
    ends = np.unique(np.linspace(1, len(mistakes), POINTS).astype(int))
    return Stream([0, *ends.tolist()], [0, *mistakes[ends - 1].tolist()], _certificate(fresh))


def _certificate(model: Any) -> Certificate | None:
    """Return the certificate; a bound for disjunctions is for as many attributes as the learner's own has."""
    if isinstance(model, LinearClassifier):
        return model.certificate(k=max(1, len(model.rules())))
    return model.certificate() if hasattr(model, "certificate") else None
