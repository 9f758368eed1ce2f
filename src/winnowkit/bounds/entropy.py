"""Bounds by relative entropy for Winnow and Normalized Winnow, with attribute errors.

The learners are mistake-driven and predict 1 iff the (normalised) sum is >= theta. The bounds hold whichever way an
exact tie goes: their proofs use only "sum <= theta" at a promotion and "sum >= theta" at a demotion.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from winnowkit.bounds import _check


def unnormalized_relative_entropy(u: ArrayLike, w: ArrayLike) -> float:
    """Compute ``sum u_i ln(u_i / w_i) + w_i - u_i``, with 0 ln 0 = 0.

    Parameters
    ----------
    u : array-like
        The target's weights, >= 0.
    w : array-like
        The learner's weights, > 0 (a scalar stands for equal weights).

    Returns
    -------
    float
        The distance, >= 0.

    See Also
    --------
    winnow : The bound that uses this distance.

    Examples
    --------
    >>> unnormalized_relative_entropy([1, 0], [1, 0.5])
    0.5
    """
    u_, w_ = np.broadcast_arrays(np.asarray(u, dtype=np.float64), np.asarray(w, dtype=np.float64))
    if not (u_ >= 0).all():
        raise ValueError("u must be >= 0 everywhere")
    if not ((w_ > 0) & (w_ < math.inf)).all():
        raise ValueError("w must be finite and > 0 everywhere")
    logs = np.log(np.where(u_ > 0, u_, 1) / w_)
    return float(np.sum(u_ * logs + w_ - u_))


def winnow(u: ArrayLike, w1: ArrayLike, alpha: float, attribute_errors: float = 0) -> float:
    """Bound Winnow's mistakes, with noise (Auer & Warmuth 1998, quoted under theorem 5 of Helmbold et al.).

    This Winnow starts from weights `w1`, multiplies active weights by alpha or 1/alpha on a mistake and has the
    threshold ``alpha ln(alpha) / (alpha^2 - 1)``. If the disjunction u has at most A attribute errors on the sequence,
    it makes at most ``(alpha + 1) (dist(u, w1) + A ln alpha) / ln alpha`` mistakes, dist being
    `unnormalized_relative_entropy`.

    Parameters
    ----------
    u : array-like of 0 and 1
        The target disjunction.
    w1 : array-like
        Initial weights, > 0.
    alpha : float
        Update factor, > 1.
    attribute_errors : float
        A, the number of bits of the examples that must change for u to label all of them correctly.

    Returns
    -------
    float
        The most mistakes that any such sequence can force.

    See Also
    --------
    winnow_disjunction : The same for Winnow2's initial weights and threshold.

    Examples
    --------
    >>> round(winnow([1, 0, 0, 0], 0.25, alpha=1.5), 2)
    8.55
    """
    # Proof. Let theta = alpha ln(alpha)/(alpha^2 - 1) and a the attribute errors of a trial. A promotion lowers dist by
    # u.x ln alpha - (alpha - 1) w.x >= (1 - a) ln alpha - (alpha - 1) theta = ln(alpha)/(alpha + 1) - a ln alpha, a
    # demotion by (1 - 1/alpha) w.x - u.x ln alpha >= ln(alpha)/(alpha + 1) - a ln alpha; and dist >= 0 at the end.
    # For x in [0, 1], alpha^x <= 1 + (alpha - 1) x and alpha^-x <= 1 - (1 - 1/alpha) x make these inequalities.
    target = _check.disjunction(u)
    return by_distance(unnormalized_relative_entropy(target, w1), alpha, attribute_errors)


def winnow_disjunction(k: int, n: int, alpha: float, theta: float, attribute_errors: float = 0) -> float:
    """Bound Winnow2's mistakes on a disjunction of k of n attributes, any alpha > 1 and theta > 0, with noise.

    Winnow2 starts from weights 1. Dividing all its weights and its threshold by theta (alpha^2 - 1) / (alpha ln alpha)
    changes no prediction and makes it the learner of `winnow`, whose bound therefore holds. At alpha = 3/2 it is
    smaller than `winnow2_disjunction`.

    Parameters
    ----------
    k, n : int
        Size of the target, 1 <= k <= n, and number of weights. n and theta may be integers too large for a float, as
        for terms of DNF formulas.
    alpha : float
        Update factor, > 1.
    theta : float
        Threshold, > 0.
    attribute_errors : float
        Number of bits of the examples that must change for the disjunction to label all of them correctly.

    Returns
    -------
    float
        The most mistakes that any such sequence can force.

    See Also
    --------
    winnow : The theorem behind it.
    winnowkit.Winnow2 : The learner.

    Examples
    --------
    >>> round(winnow_disjunction(k=3, n=1024, alpha=1.5, theta=1024), 2)
    126.04
    """
    # scale * n stands for the sum of w1, -ln(scale) for ln(u_i / w_i); written so that a huge n / theta divides first.
    _check.size(k, n)
    _check.alpha_above_one(alpha)
    _check.above("theta", theta, 0)
    tuned = _tuned_threshold(alpha)
    distance = k * (math.log(theta) - math.log(tuned) - 1) + tuned * (n / theta)
    return by_distance(distance, alpha, attribute_errors)


def normalized_winnow_disjunction(
    k: int, n: int, alpha: float, theta: float | None = None, attribute_errors: float = 0
) -> float:
    """Bound Normalized Winnow's mistakes on a disjunction of k of n attributes, with noise.

    Normalized Winnow starts from equal weights, predicts 1 iff ``sum w_i x_i / sum w_i >= theta``, and multiplies
    active weights by alpha or 1/alpha on a mistake. If ``(alpha - 1) theta < alpha^(1/k) - 1`` it makes at most
    ``(ln(n/k) + A ln(alpha)/k) / min(p, d)`` mistakes, with ``p = ln(alpha)/k - ln(1 + (alpha - 1) theta)`` and
    ``d = -ln(1 - (1 - 1/alpha) theta)``. At the default theta, both are at least ``ln(alpha) / ((alpha + 1) k)``, so
    that this is at most ``(alpha + 1) (k ln(n/k) / ln(alpha) + A)``.

    Parameters
    ----------
    k, n : int
        Size of the target, 1 <= k <= n, and number of weights.
    alpha : float
        Update factor, > 1.
    theta : float, optional
        Threshold; ``alpha ln(alpha) / (alpha^2 - 1) / k`` if not given. A learner tuned for targets of up to K
        attributes has K in place of k there; the bound holds for it on smaller targets, but hardly ever on larger ones.
    attribute_errors : float
        A, the number of bits of the examples that must change for the disjunction to label all of them correctly.

    Returns
    -------
    float
        The most mistakes that any such sequence can force.

    See Also
    --------
    winnow_disjunction : The same for Winnow2.
    winnowkit.NormalizedWinnow : The learner.

    Examples
    --------
    >>> round(normalized_winnow_disjunction(k=3, n=1024, alpha=1.5), 2)
    104.95
    """
    # Proof (ours). Let w be normalised, u = 1/k on the target and D = sum u_i ln(u_i / w_i), ln(n/k) at the start. A
    # promotion multiplies w_i by alpha^x_i / (1 + (alpha - 1) w.x), where w.x <= theta, and lowers D by u.x ln alpha -
    # ln(1 + (alpha - 1) w.x) >= p - a ln(alpha)/k in a trial with a attribute errors, as u.x >= (1 - a)/k. A demotion
    # lowers it by -ln(1 - (1 - 1/alpha) w.x) - u.x ln alpha >= d - a ln(alpha)/k. D stays >= 0. At the default theta,
    # ln(1 + z) <= z gives p >= (ln alpha)/k - (alpha - 1) theta = ln(alpha)/((alpha + 1) k), and -ln(1 - z) >= z gives
    # d >= (1 - 1/alpha) theta, which is the same.
    _check.size(k, n)
    _check.alpha_above_one(alpha)
    _check.at_least("attribute_errors", attribute_errors, 0)
    threshold = _tuned_threshold(alpha) / k if theta is None else theta
    _check.above("theta", threshold, 0)
    promotion = math.log(alpha) / k - math.log1p((alpha - 1) * threshold)
    if promotion <= 0:
        highest = math.expm1(math.log(alpha) / k) / (alpha - 1)
        raise ValueError(f"theta must be < {highest:g} for a target of k = {k} attributes, got {theta!r}")
    demotion = -math.log1p(-(1 - 1 / alpha) * threshold)
    return (math.log(n / k) + attribute_errors * math.log(alpha) / k) / min(promotion, demotion)


def by_distance(distance: float, alpha: float, attribute_errors: float) -> float:
    """Bound the mistakes of a learner, each of which lowers a distance by ln(alpha) (1/(alpha + 1) - its errors)."""
    _check.alpha_above_one(alpha)
    _check.at_least("attribute_errors", attribute_errors, 0)
    return (alpha + 1) * (distance / math.log(alpha) + attribute_errors)


def _tuned_threshold(alpha: float) -> float:
    """Return the threshold at which promotions and demotions lower the distance equally."""
    return alpha * math.log(alpha) / (alpha**2 - 1)
