"""The scikit-learn face of learners of boolean attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from winnowkit.core.lost_values import warn_of_lost_values
from winnowkit.core.online_classifier import OnlineClassifier
from winnowkit.core.posterior import has_scores_only
from winnowkit.core.validation import require


@dataclass(kw_only=True, eq=False, repr=False)
class BooleanClassifier(OnlineClassifier):
    """A learner of boolean attributes: values above a threshold count as 1."""

    shuffle: bool = True
    binarize: float | None = 0.0
    negations: bool = False

    def _start(self, n_features: int, classes: NDArray[Any]) -> None:
        require(self.negations in (False, True), "negations must be True or False", self.negations)
        super()._start(n_features, classes)

    def _look_at(self, X: Any, stacklevel: int) -> None:
        if self.binarize == 0.0:
            warn_of_lost_values(X, getattr(self, "feature_names_in_", None), stacklevel + 1)

    @available_if(has_scores_only)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return probabilities, in learners that have them; scikit-learn can calibrate the scores of the others.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, attributes)
            The examples.

        Returns
        -------
        array of shape (rows, classes)
            Each row sums to 1.
        """
        raise NotImplementedError
