"""The Winnow family.

Elimination and Winnow1 and Winnow2 as in the lecture "Winnow1 and Winnow2" (after Littlestone 1988), Normalized Winnow
as in Helmbold, Panizza & Warmuth, section 5. All predict 1 iff the (normalized) score is >= theta, and multiply the
weights of active attributes: by alpha after a positive example, by 1/alpha or 0 after a negative one.
"""

from __future__ import annotations

from math import inf, log

from winnowkit.core.learner import require
from winnowkit.core.policy import Policy, check_policy
from winnowkit.linear.rule import Prediction, Rule, Update
from winnowkit.linear.weights import TINY

Auto = str  # the word "auto", where a number may stand too


def elimination() -> Rule:
    """Keep every literal until it is active in a negative example; predict 1 iff a kept one is active."""
    return Rule(Prediction(theta=0.0, strict=True), Update(up=1.0, down=inf))


def winnow1(n: int, alpha: float, theta: float | Auto) -> Rule:
    """Lecture, 4.1.1: promote by alpha, eliminate on demotion."""
    check_alpha(alpha)
    return Rule(Prediction(threshold(theta, float(n))), Update(up=alpha, down=inf))


def winnow2(n: int, alpha: float, theta: float | Auto, floor: float) -> Rule:
    """Lecture, 4.2: promote by alpha, demote by 1/alpha, never below the floor."""
    check_alpha(alpha)
    require(0.0 <= floor < 1.0, "floor must be in [0, 1)", floor)
    return Rule(Prediction(threshold(theta, float(n))), Update(up=alpha, down=alpha, floor=max(floor, TINY)))


def alpha_for_separation(delta: float) -> float:
    """Lecture, Theorem 4.2.1: alpha = 1 + delta/2 for a delta-separable target."""
    require(0.0 < delta <= 1.0, "delta must be in (0, 1]", delta)
    return 1.0 + delta / 2.0


def balanced_winnow(n: int, alpha: float, theta: float | Auto, margin: float) -> Rule:
    """Two weights an attribute, u for and v against: score sum (u_i - v_i) x_i, with u = 2 and v = 1 at the start."""
    check_alpha(alpha)
    require(0.0 <= margin < inf, "margin must be >= 0", margin)
    update = Update(up=alpha, down=alpha, floor=TINY, balanced=True)
    return Rule(Prediction(threshold(theta, float(n))), update, margin=margin)


def normalized_winnow(alpha: float, k: int, theta: float | Auto, policy: Policy) -> Rule:
    """Winnow whose score is divided by the sum of all weights."""
    check_alpha(alpha)
    check_policy(policy)
    require(k >= 1, "k must be at least 1", k)
    prediction = Prediction(threshold(theta, balanced_theta(alpha) / k), normalized=True)
    return Rule(prediction, Update(up=alpha, down=alpha, floor=TINY), policy)


def balanced_theta(alpha: float) -> float:
    """Where promotions and demotions gain as much (Theorem 5): alpha ln alpha / (alpha^2 - 1)."""
    return alpha * log(alpha) / (alpha * alpha - 1.0)


def check_alpha(alpha: float) -> None:
    """Refuse a learning rate that does not promote."""
    require(1.0 < alpha < inf, "alpha must be > 1", alpha)


def threshold(theta: float | Auto, default: float) -> float:
    """Theta as given, or the default for "auto"."""
    number = auto(theta, default, "theta")
    require(0.0 < number < inf, "theta must be > 0", theta)
    return number


def auto(value: float | Auto, default: float, name: str) -> float:
    """A parameter as given, or its default for "auto"."""
    if isinstance(value, str):
        require(value == "auto", f"{name} must be a number or 'auto'", value)
        return default
    return float(value)
