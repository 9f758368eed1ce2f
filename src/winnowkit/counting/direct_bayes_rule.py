"""The parameters of the direct algorithm, and how many attributes they leave room for."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from winnowkit.core.checks import require
from winnowkit.core.multiclass import Policy, check_policy
from winnowkit.counting.direct_bayes_kernel import n_disjunctions

PredictionRule = Literal["majority", "probability"]


class DirectBayesRule(NamedTuple):
    """Parameters of the direct algorithm."""

    k: int
    noise: float
    max_disjunctions: int
    prediction: PredictionRule
    policy: Policy

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        check_policy(self.policy)
        require(isinstance(self.k, (int, np.integer)) and self.k >= 1, "k must be an integer >= 1", self.k)
        require(0.0 < self.noise < 0.5, "noise must be in (0, 1/2)", self.noise)
        require(
            self.prediction in ("majority", "probability"),
            "prediction must be 'majority' or 'probability'",
            self.prediction,
        )

    def check_size(self, n: int) -> None:
        """Refuse more disjunctions of n literals than allowed."""
        count = n_disjunctions(n, self.k)
        require(
            count <= self.max_disjunctions,
            f"the number of disjunctions of at most {self.k} of {n} literals must not exceed max_disjunctions = "
            f"{self.max_disjunctions} (choose a smaller k, or ThresholdedBEG with one weight per literal)",
            count,
        )


def most_features(k: int, max_disjunctions: float, n_used: int, n_features: int, negations: bool) -> int:
    """Return how many of n_features attributes can have disjunctions, if n_used of them do.

    Examples
    --------
    >>> [most_features(1, 10, 2, 30, negations) for negations in (False, True)]
    [10, 5]
    """

    def fits(n: int) -> bool:
        return n_disjunctions(n * (1 + negations), k, max_disjunctions) <= max_disjunctions

    if fits(n_features):
        return n_features
    while fits(n_used + 1):
        n_used += 1
    return n_used
