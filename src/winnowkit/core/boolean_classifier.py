"""The scikit-learn face of learners of boolean attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from winnowkit.core.lost_values import warn_of_lost_values
from winnowkit.core.online_classifier import OnlineClassifier
from winnowkit.core.validation import require


@dataclass(kw_only=True, eq=False, repr=False)
class BooleanClassifier(OnlineClassifier):
    """A learner of boolean attributes: values above a threshold count as 1."""

    shuffle: bool = True
    binarize: float | None = 0.0
    negations: bool = False

    def _check_parameters(self) -> None:
        require(self.negations in (False, True), "negations must be True or False", self.negations)
        super()._check_parameters()

    def _look_at(self, X: Any, stacklevel: int) -> None:
        if self.binarize == 0.0:
            warn_of_lost_values(X, getattr(self, "feature_names_in_", None), stacklevel + 1)
