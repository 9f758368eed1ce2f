"""Probabilities, for the learners whose decision is a Bayesian posterior."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_posterior(model: Any) -> bool:
    """Whether `predict_proba` means something: the posterior is that of all examples, not of past mistakes."""
    if model.policy != "always" or getattr(model, "voting", 0) != 0:
        raise AttributeError(
            "predict_proba is the Bayesian posterior: it needs policy='always' and no voters; "
            "otherwise use sklearn.calibration.CalibratedClassifierCV"
        )
    return True


def probabilities(positive: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of all classes from those of the positive one, or of each class against the rest."""
    if positive.ndim == 1:
        return np.stack([1.0 - positive, positive], axis=1)
    shares: NDArray[np.float64] = positive / positive.sum(axis=1, keepdims=True)
    return shares
