"""Probabilities of the learners whose decision is a Bayesian posterior."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, softmax


def is_posterior(model: Any) -> bool:
    """Whether `predict_proba` exists: the posterior must be based on all examples, not on past mistakes only."""
    if model.policy != "always" or getattr(model, "voting", 0) != 0:
        raise AttributeError(
            "predict_proba is the Bayesian posterior and needs policy='always' and voting=0; "
            "otherwise use sklearn.calibration.CalibratedClassifierCV"
        )
    return True


def probabilities(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of all classes, from the log-odds of the positive class or of each against the rest."""
    if log_odds.ndim == 1:
        return np.stack([expit(-log_odds), expit(log_odds)], axis=1)
    shares: NDArray[np.float64] = softmax(log_expit(log_odds), axis=1)
    return shares
