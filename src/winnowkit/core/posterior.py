"""Probabilities from decisions: Bayesian posteriors, and logistic mixes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, softmax

from winnowkit.core.multiclass import chosen


def is_posterior(model: Any) -> bool:
    """Whether `predict_proba` exists: the posterior must be based on all examples, not on past mistakes only."""
    if model.policy != "always" or getattr(model, "voting", 0) != 0:
        raise AttributeError(
            "predict_proba is the Bayesian posterior and needs policy='always' and voting=0; "
            "otherwise use sklearn.calibration.CalibratedClassifierCV"
        )
    return True


def probabilities(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of all classes, from the log-odds of the positive class or of each against the rest.

    The label that the log-odds choose always has the largest, as in :func:`logistic_probabilities`.
    """
    if log_odds.ndim == 1:
        return _led_by(chosen(log_odds[:, None]), np.stack([expit(-log_odds), expit(log_odds)], axis=1))
    return _led_by(chosen(log_odds), softmax(log_expit(log_odds), axis=1))


def logistic_probabilities(decisions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of all classes; the label that the decisions choose always has the largest.

    Parameters
    ----------
    decisions : array of shape (rows, learners)
        Log-odds of the positive class; or one column per class, the logarithms of probabilities up to a constant.

    Returns
    -------
    array of shape (rows, classes)
        Each row adds up to 1. Where rounding would make another class at least as likely as the chosen one, the chosen
        one gets the next larger number.

    Examples
    --------
    >>> logistic_probabilities(np.array([[0.0], [5e-324]])).argmax(axis=1)
    array([0, 1])
    """
    log_shares = np.hstack([np.zeros_like(decisions), decisions]) if decisions.shape[1] == 1 else decisions
    return _led_by(chosen(decisions), softmax(log_shares, axis=1))


def _led_by(labels: NDArray[np.int64], found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities with the largest at these labels, where rounding has made another one as large."""
    tied = np.flatnonzero(found.argmax(axis=1) != labels)
    found[tied, labels[tied]] = np.nextafter(found[tied].max(axis=1), 1.0)
    return found


def has_scores_only(model: Any) -> bool:
    """Say, in place of a missing `predict_proba`, how to get probabilities."""
    raise AttributeError(
        f"{type(model).__name__} gives scores, not probabilities; calibrate them by "
        "sklearn.calibration.CalibratedClassifierCV, or use Committee"
    )
