"""Thresholded-BEG and Bayes-BEG as scikit-learn classifiers."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from winnowkit import bounds
from winnowkit.core.learner import require
from winnowkit.core.policy import Policy
from winnowkit.core.posterior import is_posterior, probabilities
from winnowkit.linear import beg_rules as beg
from winnowkit.linear.classifier import NOISE_FREE, Auto, Bound, LinearClassifier
from winnowkit.linear.rule import Rule


@dataclass(kw_only=True, eq=False, repr=False)
class ThresholdedBEG(LinearClassifier):
    """Thresholded-BEG: a probability an attribute, updated in log-odds; 1 iff the active ones sum to more than theta.

    Parameters
    ----------
    alpha : float, default=1.5
        Sets whatever below is "auto".
    beta0, beta1 : float or "auto"
        Factors of the odds after a negative (0 <= beta0 < 1) and a positive example (> 1); "auto": 1/alpha and alpha.
    theta : float or "auto"
        Threshold, > 0; "auto" is alpha ln(alpha) / (alpha^2 - 1).
    initial : float or "auto"
        Initial weights, in (0, 1); "auto" is 1/n.
    preset : {None, "noise-free"}
        "noise-free" has beta0 = 0, beta1 = e and theta = 1/e in place of "auto" (Corollary 1).
    policy : {"mistake", "always"}
        When to update. No mistake bound covers "always".
    margin : float, default=0
        Also update on right predictions whose score is this close to theta. With noisy labels,
        ``beta0=0.5, beta1=2, theta=0.4, margin=0.36`` does about as well as `BayesBEG` with policy "always", in a
        fraction of the time. No mistake bound covers it.
    {shared}

    See Also
    --------
    BayesBEG : The Bayes-optimal prediction for the same weights.
    Committee : Four of these, weighted by their success.
    winnowkit.bounds.thresholded_beg : Its bound.
    winnowkit.bounds.thresholded_beg_noise_free : Its bound without noise.

    References
    ----------
    Helmbold, Panizza & Warmuth, Theorem 5 and Corollary 1.

    Examples
    --------
    >>> from winnowkit import ThresholdedBEG
    >>> from winnowkit.data import streams
    >>> X, y = streams.disjunction(n=10_000, k=3, seed=0).take(2000)
    >>> print(ThresholdedBEG(preset="noise-free").fit(X, y).certificate(k=3))
    19 mistakes, at most 78 by Corollary 1 if the target is a disjunction of at most 3 of 10000 attributes
    """

    alpha: float = 1.5
    beta0: float | Auto = "auto"
    beta1: float | Auto = "auto"
    theta: float | Auto = "auto"
    initial: float | Auto = "auto"
    preset: Literal["noise-free"] | None = None
    policy: Policy = "mistake"
    margin: float = 0.0

    def _rule(self, n: int) -> Rule:
        require(self.preset in (None, "noise-free"), "preset must be None or 'noise-free'", self.preset)
        require(0.0 <= self.margin < inf, "margin must be >= 0", self.margin)
        given: dict[str, float | str] = {
            "beta0": self.beta0,
            "beta1": self.beta1,
            "theta": self.theta,
            "initial": self.initial,
        }
        if self.preset == "noise-free":
            given = {name: beg.NOISE_FREE[name] if value == "auto" else value for name, value in given.items()}
        return beg.thresholded_beg(n, self.alpha, **given, policy=self.policy)._replace(margin=self.margin)

    def _bound(self, k: int, n: int, theta: float, attribute_errors: float) -> Bound:  # noqa: ARG002
        if self.margin > 0:
            return inf, "the theorems cover updates on mistakes alone (margin=0)"
        if self._rule(n) == beg.thresholded_beg(n, self.alpha, **beg.NOISE_FREE, policy="mistake"):
            return NOISE_FREE if attribute_errors else (bounds.thresholded_beg_noise_free(k, n), "Corollary 1")
        tuned = beg.thresholded_beg(n, self.alpha, "auto", "auto", "auto", self.initial, "mistake")
        if self._rule(n) != tuned:
            return inf, "Theorem 5 needs beta0, beta1 and theta 'auto', Corollary 1 those of its preset"
        initial = None if isinstance(self.initial, str) else self.initial
        return bounds.thresholded_beg_disjunction(k, n, self.alpha, initial, attribute_errors), "Theorem 5"


@dataclass(kw_only=True, eq=False, repr=False)
class BayesBEG(LinearClassifier):
    """Bayes-BEG: BEG's update under the prediction rule that is Bayes-optimal for its model of noise.

    Parameters
    ----------
    preset : {"theorem-4", "theorem-3", None}
        Parameters of Theorem 4 (noise-tolerant) or 3 (noise-free). With None, all of the following are needed.
    beta0, beta1 : float or None
        Factors of the odds after a negative (0 <= beta0 < 1) and a positive example (> 1). Given beside a preset,
        these and the next two replace its values.
    gamma : float or None
        Probability of label 1 where the attribute is 0, in (0, 1).
    initial : float or None
        Initial weights, in (0, 1).
    policy : {"mistake", "always"}
        When to update: "always" is the Bayes-optimal one, and the best choice with noisy labels; the mistake bounds
        cover "mistake".
    {shared}

    See Also
    --------
    ThresholdedBEG : The same weights under Winnow's prediction rule.
    DirectBayes : A posterior over all small disjunctions.
    winnowkit.bounds.bayes_beg_theorem4 : Its bound.

    References
    ----------
    Helmbold, Panizza & Warmuth, Theorems 1 to 4.

    Examples
    --------
    >>> from winnowkit import BayesBEG
    >>> from winnowkit.data import streams
    >>> X, y = streams.disjunction(n=10_000, k=3, seed=0).take(2000)
    >>> print(BayesBEG(preset="theorem-3").fit(X, y).certificate(k=3))
    29 mistakes, at most 110 by Theorem 3 if the target is a disjunction of at most 3 of 10000 attributes
    """

    preset: Literal["theorem-4", "theorem-3"] | None = "theorem-4"
    beta0: float | None = None
    beta1: float | None = None
    gamma: float | None = None
    initial: float | None = None
    policy: Policy = "mistake"

    def _rule(self, n: int) -> Rule:
        given = {name: getattr(self, name) for name in beg.Noise._fields if getattr(self, name) is not None}
        if self.preset is None:
            missing = [name for name in beg.Noise._fields if name not in given]
            require(not missing, "preset=None needs beta0, beta1, gamma and initial", f"no {', '.join(missing)}")
            return beg.bayes_beg(n, beg.Noise(**given), self.policy)
        require(self.preset in beg.PRESETS, f"preset must be None or one of {list(beg.PRESETS)}", self.preset)
        return beg.bayes_beg(n, beg.PRESETS[self.preset](n)._replace(**given), self.policy)

    def _bound(self, k: int, n: int, theta: float, attribute_errors: float) -> Bound:  # noqa: ARG002
        if attribute_errors:
            return NOISE_FREE
        if self._rule(n) == beg.bayes_beg(n, beg.theorem3(n), "mistake"):
            return bounds.bayes_beg_theorem3(k, n), "Theorem 3"
        if self._rule(n) == beg.bayes_beg(n, beg.theorem4(n), "mistake"):
            return bounds.bayes_beg_theorem4(k, n), "Theorem 4"
        return inf, "the theorems need the parameters of a preset"

    @available_if(is_posterior)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Posterior probability of each class, under the model of Theorem 1; needs ``policy="always"``.

        By Theorem 2 the decision is the log-odds of the all-1 label vector against the all-0 one. With more than two
        classes, each is set against the rest, and the probabilities are scaled to sum to 1.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, attributes)
            The examples.

        Returns
        -------
        array of shape (rows, classes)
            Each row adds up to 1.
        """
        return probabilities(self.decision_function(X))
