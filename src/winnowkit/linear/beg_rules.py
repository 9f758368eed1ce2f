"""Bayes-BEG and Thresholded-BEG (Helmbold, Panizza & Warmuth, section 4).

Both keep a probability w_i that attribute i is in the target disjunction. Update (6) is w := w b / (1 - w + w b) with
b = beta_y^x, which in log-odds is one addition, ``logit(w) += x ln(beta_y)``: no weight can get stuck at 1. With
beta0 = 0 it is -inf: such a weight never comes back, as Theorem 3 and Corollary 1 mean it. Both predict 1 iff the score
is > theta.
"""

from __future__ import annotations

from math import e, inf, log
from typing import NamedTuple

from winnowkit.core.learner import require
from winnowkit.core.policy import Policy, check_policy
from winnowkit.linear.rule import Prediction, Rule, Update
from winnowkit.linear.weights import Link
from winnowkit.linear.winnow_rules import Auto, auto, balanced_theta, check_alpha, threshold


class Noise(NamedTuple):
    """Parameters of the family of distributions P(y | x, d) that Theorem 1 is about, and the prior of each d_i."""

    beta0: float
    beta1: float
    gamma: float
    initial: float


def theorem3(n: int) -> Noise:
    """For a consistent monotone disjunction: beta0 = 0, so no noise is tolerated."""
    c = ((e + 1.0) / (e - 1.0)) ** (1.0 / n)
    return Noise(beta0=0.0, beta1=1.0 + c, gamma=c / (1.0 + c), initial=1.0 / n)


def theorem4(n: int) -> Noise:
    """For noisy data, with a bound in the noise-free case; the theorem does not give the initial weights: 1/n."""
    q, epsilon = 1.6, 0.9
    odds = q ** (1.0 / (n - 1))
    step = (q**1.5 - 1.0 + epsilon) / (1.0 + q)
    return Noise(beta0=1.0 - step / odds**0.5, beta1=1.0 + step, gamma=odds / (1.0 + odds), initial=1.0 / n)


PRESETS = {"theorem-3": theorem3, "theorem-4": theorem4}


def bayes_beg(n: int, noise: Noise, policy: Policy) -> Rule:
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
    return Rule(prediction, log_odds_update(noise.beta0, noise.beta1, noise.initial), policy)


def thresholded_beg(
    n: int,
    alpha: float,
    beta0: float | Auto,
    beta1: float | Auto,
    theta: float | Auto,
    initial: float | Auto,
    policy: Policy,
) -> Rule:
    """Thresholded-BEG: BEG's update under Winnow's prediction rule, x . w > theta (Theorem 5)."""
    check_policy(policy)
    check_alpha(alpha)
    low, high = auto(beta0, 1.0 / alpha, "beta0"), auto(beta1, alpha, "beta1")
    start = auto(initial, 1.0 / n, "initial")
    check_update(low, high, start)
    prediction = Prediction(threshold(theta, balanced_theta(alpha)), strict=True, link=Link.PROBABILITY)
    return Rule(prediction, log_odds_update(low, high, start), policy)


# Corollary 1, for consistent disjunctions.
NOISE_FREE: dict[str, float | Auto] = {"beta0": 0.0, "beta1": e, "theta": 1.0 / e, "initial": "auto"}


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
