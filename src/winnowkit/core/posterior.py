"""Probabilities, for the learners whose decision is a Bayesian posterior."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, softmax


def is_posterior(model: Any) -> bool:
    """Whether `predict_proba` means something: the posterior is that of all examples, not of past mistakes."""
    if model.policy != "always" or getattr(model, "voting", 0) != 0:
        raise AttributeError(
            "predict_proba is the Bayesian posterior: it needs policy='always' and no voters; "
            "otherwise use sklearn.calibration.CalibratedClassifierCV"
        )
    return True


def probabilities(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of all classes from the log-odds of the positive one, or of each class against the rest."""
    if log_odds.ndim == 1:
        return np.stack([expit(-log_odds), expit(log_odds)], axis=1)
    shares: NDArray[np.float64] = softmax(log_expit(log_odds), axis=1)
    return shares
