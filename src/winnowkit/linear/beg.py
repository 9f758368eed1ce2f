"""Bayes-BEG and Thresholded-BEG (Helmbold, Panizza & Warmuth, section 4).

Both keep a probability w_i that attribute i is in the target disjunction. Update (6) is w := w b / (1 - w + w b) with
b = beta_y^x, which in log-odds is one addition, ``logit(w) += x ln(beta_y)``: no weight can get stuck at 1. With
beta0 = 0 it is -inf: such a weight never comes back, as Theorem 3 and Corollary 1 mean it. Both predict 1 iff the score
is > theta.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import e, inf, log
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit import bounds
from winnowkit.core.checks import require
from winnowkit.core.multiclass import Policy, check_policy
from winnowkit.core.posterior import is_posterior, probabilities
from winnowkit.linear.classifier import NOISE_FREE, LinearClassifier, MistakeBound, NumberOrAuto
from winnowkit.linear.rule import LinearRule, Prediction, Update
from winnowkit.linear.weights import Link
from winnowkit.linear.winnow import auto, balanced_theta, check_alpha, threshold


@dataclass(kw_only=True, eq=False, repr=False)
class ThresholdedBEG(LinearClassifier):
    """Thresholded-BEG: one probability per attribute, updated in log-odds; predicts 1 iff the active ones exceed theta.

    Parameters
    ----------
    alpha : float, default=1.5
        Determines the parameters below that are "auto".
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
        Update also on correct predictions whose score is this close to theta. With noisy labels,
        ``beta0=0.5, beta1=2, theta=0.4, margin=0.36`` does about as well as `BayesBEG` with policy "always", in a
        fraction of the time. No mistake bound covers it.
    {shared}

    See Also
    --------
    BayesBEG : The Bayes-optimal prediction for the same weights.
    Committee : Four of these among ten experts, weighted by their success.
    winnowkit.bounds.thresholded_beg : Its bound.
    winnowkit.bounds.thresholded_beg_noise_free : Its bound without noise.

    {weights}

    References
    ----------
    Helmbold, Panizza & Warmuth, Theorem 5 and Corollary 1.

    Examples
    --------
    >>> from winnowkit import ThresholdedBEG
    >>> from winnowkit.data import streams
    >>> X, y = streams.disjunction(n=10_000, k=3, seed=0).take(2000)
    >>> print(ThresholdedBEG(preset="noise-free").partial_fit(X, y, classes=[0, 1]).certificate(k=3))
    19 mistakes, at most 78 by Corollary 1 if the target is a disjunction of at most 3 of 10000 attributes
    """

    alpha: float = 1.5
    beta0: NumberOrAuto = "auto"
    beta1: NumberOrAuto = "auto"
    theta: NumberOrAuto = "auto"
    initial: NumberOrAuto = "auto"
    preset: Literal["noise-free"] | None = None
    policy: Policy = "mistake"
    margin: float = 0.0

    def _rule(self, n: int) -> LinearRule:
        require(self.preset in (None, "noise-free"), "preset must be None or 'noise-free'", self.preset)
        require(0.0 <= self.margin < inf, "margin must be >= 0", self.margin)
        given: dict[str, NumberOrAuto] = {
            "beta0": self.beta0,
            "beta1": self.beta1,
            "theta": self.theta,
            "initial": self.initial,
        }
        if self.preset == "noise-free":
            given = {name: COROLLARY_1[name] if value == "auto" else value for name, value in given.items()}
        return thresholded_beg(n, self.alpha, **given, policy=self.policy)._replace(margin=self.margin)

    def _bound(self, k: int, n: int, theta: float, attribute_errors: float) -> MistakeBound:  # noqa: ARG002
        if self.margin > 0:
            return inf, "the theorems cover updates on mistakes alone (margin=0)"
        if self._rule(n) == thresholded_beg(n, self.alpha, **COROLLARY_1, policy="mistake"):
            return NOISE_FREE if attribute_errors else (bounds.thresholded_beg_noise_free(k, n), "Corollary 1")
        tuned = thresholded_beg(n, self.alpha, "auto", "auto", "auto", self.initial, "mistake")
        if self._rule(n) != tuned:
            return inf, "Theorem 5 needs beta0, beta1 and theta 'auto', Corollary 1 those of its preset"
        initial = None if isinstance(self.initial, str) else self.initial
        sizes = (  # the bound is linear in the size of the target, and falls if the initial weights are above 1/2
            bounds.thresholded_beg_disjunction(size, n, self.alpha, initial, attribute_errors) for size in (1, k)
        )
        return max(sizes), "Theorem 5"


def thresholded_beg(
    n: int,
    alpha: float,
    beta0: NumberOrAuto,
    beta1: NumberOrAuto,
    theta: NumberOrAuto,
    initial: NumberOrAuto,
    policy: Policy,
) -> LinearRule:
    """Thresholded-BEG: BEG's update under Winnow's prediction rule, x . w > theta (Theorem 5)."""
    check_policy(policy)
    check_alpha(alpha)
    low, high = auto(beta0, 1.0 / alpha, "beta0"), auto(beta1, alpha, "beta1")
    start = auto(initial, 1.0 / n, "initial")
    check_update(low, high, start)
    prediction = Prediction(threshold(theta, balanced_theta(alpha)), strict=True, link=Link.PROBABILITY)
    return LinearRule(prediction, log_odds_update(low, high, start), policy)


COROLLARY_1: dict[str, NumberOrAuto] = {"beta0": 0.0, "beta1": e, "theta": 1.0 / e, "initial": "auto"}
"""The parameters of Corollary 1, for consistent disjunctions."""


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
        Probability of the label 0 where the attribute is 0, in (0, 1). This follows from the formulas of the paper,
        one sentence of which says label 1 instead.
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

    {weights}

    ``predict_proba``, with ``policy="always"``, is the posterior probability of each class under the model of Theorem
    1: by Theorem 2 the decision is its log-odds.

    References
    ----------
    Helmbold, Panizza & Warmuth, Theorems 1 to 4.

    Examples
    --------
    >>> from winnowkit import BayesBEG
    >>> from winnowkit.data import streams
    >>> X, y = streams.disjunction(n=10_000, k=3, seed=0).take(2000)
    >>> print(BayesBEG(preset="theorem-3").partial_fit(X, y, classes=[0, 1]).certificate(k=3))
    29 mistakes, at most 110 by Theorem 3 if the target is a disjunction of at most 3 of 10000 attributes
    """

    preset: Literal["theorem-4", "theorem-3"] | None = "theorem-4"
    beta0: float | None = None
    beta1: float | None = None
    gamma: float | None = None
    initial: float | None = None
    policy: Policy = "mistake"

    def _rule(self, n: int) -> LinearRule:
        given = {name: getattr(self, name) for name in Noise._fields if getattr(self, name) is not None}
        if self.preset is None:
            missing = [name for name in Noise._fields if name not in given]
            require(not missing, "preset=None needs beta0, beta1, gamma and initial", f"no {', '.join(missing)}")
            return bayes_beg(n, Noise(**given), self.policy)
        require(self.preset in PRESETS, f"preset must be None or one of {list(PRESETS)}", self.preset)
        return bayes_beg(n, PRESETS[self.preset](n)._replace(**given), self.policy)

    def _bound(self, k: int, n: int, theta: float, attribute_errors: float) -> MistakeBound:  # noqa: ARG002
        if attribute_errors:
            return NOISE_FREE
        if self._rule(n) == bayes_beg(n, theorem3(n), "mistake"):
            return bounds.bayes_beg_theorem3(k, n), "Theorem 3"
        if self._rule(n) == bayes_beg(n, theorem4(n), "mistake"):
            return bounds.bayes_beg_theorem4(k, n), "Theorem 4"
        return inf, "the theorems need the parameters of a preset"

    def _has_probabilities(self) -> bool:
        return is_posterior(self)

    def _probabilities(self, X: Any) -> NDArray[np.float64]:
        """By Theorem 2 the decision is the log-odds of the all-1 label vector against the all-0 one."""
        return probabilities(self.decision_function(X))


class Noise(NamedTuple):
    """Parameters of the family of distributions P(y | x, d) that Theorem 1 is about, and the prior of each d_i."""

    beta0: float
    beta1: float
    gamma: float
    initial: float


def theorem3(n: int) -> Noise:
    """Return the parameters for a consistent monotone disjunction: beta0 = 0, so no noise is tolerated."""
    c = ((e + 1.0) / (e - 1.0)) ** (1.0 / n)
    return Noise(beta0=0.0, beta1=1.0 + c, gamma=c / (1.0 + c), initial=1.0 / n)


def theorem4(n: int) -> Noise:
    """Return the parameters for noisy data; the theorem does not give the initial weights, which are 1/n here."""
    q, epsilon = 1.6, 0.9
    odds = q ** (1.0 / (n - 1))
    step = (q**1.5 - 1.0 + epsilon) / (1.0 + q)
    return Noise(beta0=1.0 - step / odds**0.5, beta1=1.0 + step, gamma=odds / (1.0 + odds), initial=1.0 / n)


PRESETS = {"theorem-3": theorem3, "theorem-4": theorem4}


def bayes_beg(n: int, noise: Noise, policy: Policy) -> LinearRule:
    """Bayes-BEG: score and theta of Theorem 2.

    z_i = ln(gamma (1 - beta0) / ((1 - gamma) (beta1 - 1)) * (1 + w_i (beta1 - 1)) / (1 + w_i (beta0 - 1))), and with
    odds o = w/(1-w) the last fraction is (1 + o beta1) / (1 + o beta0) = 1 + o (beta1 - beta0) / (1 + o beta0).
    """
    check_policy(policy)
    check_update(noise.beta0, noise.beta1, noise.initial)
    require(0.0 < noise.gamma < 1.0, "gamma must be in (0, 1)", noise.gamma)
    odds = noise.gamma / (1.0 - noise.gamma)
    shift = log(odds * (1.0 - noise.beta0) / (noise.beta1 - 1.0))
    theta = n * log(odds)
    prediction = Prediction(theta, True, Link.BAYES, shift=shift, beta0=noise.beta0, beta1=noise.beta1)
    return LinearRule(prediction, log_odds_update(noise.beta0, noise.beta1, noise.initial), policy)


def check_update(beta0: float, beta1: float, initial: float) -> None:
    """Refuse factors outside Theorem 1's family."""
    require(0.0 <= beta0 < 1.0, "beta0 must be in [0, 1)", beta0)
    require(1.0 < beta1 < inf, "beta1 must be > 1", beta1)
    require(0.0 < initial < 1.0, "initial must be in (0, 1)", initial)


def log_odds_update(beta0: float, beta1: float, initial: float) -> Update:
    """Update (6) in log-odds."""
    up = log(beta1)
    down = log(beta0) if beta0 > 0.0 else -inf
    if beta0 == 1.0 / beta1:
        down = -up  # opposite updates cancel to the last bit
    return Update(up=up, down=down, initial=initial, floor=-inf)
