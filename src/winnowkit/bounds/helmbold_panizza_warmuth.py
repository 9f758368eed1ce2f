"""Bounds for Thresholded-BEG and mistake-driven Bayes-BEG (Helmbold, Panizza & Warmuth, sections 4.2 and 4.3)."""

import math

import numpy as np
from numpy.typing import ArrayLike

from winnowkit.bounds import _check
from winnowkit.bounds.entropy import by_distance


def binary_relative_entropy(u: ArrayLike, w: ArrayLike) -> float:
    """Compute ``sum u_i ln(u_i / w_i) + (1 - u_i) ln((1 - u_i) / (1 - w_i))``, with 0 ln 0 = 0.

    Parameters
    ----------
    u : array-like
        The target's weights, in [0, 1].
    w : array-like
        The learner's weights, in (0, 1) (a scalar stands for equal weights).

    Returns
    -------
    float
        The distance, >= 0.

    See Also
    --------
    thresholded_beg : The bound that uses this distance.

    Examples
    --------
    >>> round(binary_relative_entropy([1, 0], 0.5) / math.log(2), 12)
    2.0
    """
    u_, w_ = np.broadcast_arrays(np.asarray(u, dtype=np.float64), np.asarray(w, dtype=np.float64))
    if not ((u_ >= 0) & (u_ <= 1)).all():
        raise ValueError("u must be in [0, 1] everywhere")
    if not ((w_ > 0) & (w_ < 1)).all():
        raise ValueError("w must be in (0, 1) everywhere")
    ones = u_ * np.log(np.where(u_ > 0, u_, 1) / w_)
    zeros = (1 - u_) * (np.log(np.where(u_ < 1, 1 - u_, 1)) - np.log1p(-w_))
    return float(np.sum(ones + zeros))


def thresholded_beg(u: ArrayLike, w1: ArrayLike, alpha: float, attribute_errors: float = 0) -> float:
    """Bound Thresholded-BEG's mistakes, with noise (theorem 5, bound (16)).

    Thresholded-BEG with beta1 = alpha, beta0 = 1/alpha and theta = ``alpha ln(alpha) / (alpha^2 - 1)``, starting from
    w1, makes at most ``(alpha + 1) (dist(u, w1) + A ln alpha) / ln alpha`` mistakes on a sequence on which the
    disjunction u has at most A attribute errors, dist being `binary_relative_entropy`.

    Parameters
    ----------
    u : array-like of 0 and 1
        The target disjunction.
    w1 : array-like
        Initial weights, in (0, 1).
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
    thresholded_beg_disjunction : The same in closed form, for equal initial weights.
    winnowkit.ThresholdedBEG : The learner.

    Examples
    --------
    >>> round(thresholded_beg([1, 0, 0, 0], 0.25, alpha=1.5), 2)
    13.87
    """
    # Proof (omitted in the paper). A promotion lowers dist by u.x ln alpha - sum ln(1 + (alpha - 1) w_i) over active i,
    # at least u.x ln alpha - (alpha - 1) w.x; a demotion by -sum ln(1 - (1 - 1/alpha) w_i) - u.x ln alpha, at least
    # (1 - 1/alpha) w.x - u.x ln alpha. From there on the proof is that of `winnow`.
    target = _check.disjunction(u)
    return by_distance(binary_relative_entropy(target, w1), alpha, attribute_errors)


def thresholded_beg_disjunction(
    k: int, n: int, alpha: float, initial: float | None = None, attribute_errors: float = 0
) -> float:
    """Bound Thresholded-BEG's mistakes on a disjunction of k of n attributes, from equal weights.

    This is `thresholded_beg` with equal initial weights, in closed form.

    Parameters
    ----------
    k, n : int
        Size of the target, 1 <= k <= n, and number of weights.
    alpha : float
        Update factor, > 1.
    initial : float, optional
        The initial weight, in (0, 1); 1/n (1/2 if n = 1) if not given.
    attribute_errors : float
        Number of bits of the examples that must change for the disjunction to label all of them correctly.

    Returns
    -------
    float
        The most mistakes that any such sequence can force.

    See Also
    --------
    thresholded_beg : The theorem behind it.
    winnowkit.ThresholdedBEG : The learner.

    Examples
    --------
    >>> round(thresholded_beg_disjunction(k=3, n=1024, alpha=1.5), 2)
    134.36
    """
    _check.size(k, n)
    w = 1 / max(n, 2) if initial is None else initial
    if not 0 < w < 1:
        raise ValueError(f"initial must be in (0, 1), got {initial!r}")
    distance = -k * math.log(w) - (n - k) * math.log1p(-w)
    return by_distance(distance, alpha, attribute_errors)


def thresholded_beg_noise_free(k: int, n: int) -> float:
    """Bound the mistakes of the noise-free Thresholded-BEG (corollary 1, bound (17)).

    With beta0 = 0, beta1 = e, theta = 1/e and initial weights 1/n, n >= 2, it makes at most ``3.76 + 2.72 k ln n``
    mistakes on a sequence consistent with a disjunction of k of n attributes.

    Parameters
    ----------
    k, n : int
        Size of the target, 1 <= k <= n, and number of weights, n >= 2.

    Returns
    -------
    float
        The most mistakes that any such sequence can force.

    See Also
    --------
    thresholded_beg : The bound with noise.
    winnowkit.ThresholdedBEG : The learner; ``preset="noise-free"``.

    Examples
    --------
    >>> round(thresholded_beg_noise_free(k=3, n=1024), 2)
    60.32
    """
    # Proof. A promotion lowers the binary relative entropy by >= 1 - (e - 1)/e = 1/e, a demotion by
    # -sum ln(1 - w_i) >= w.x >= 1/e. It starts at k ln n + (n - k) ln(n/(n - 1)) <= k ln n + 1: e times that is less.
    _check.size(k, n, least=2)
    return 3.76 + 2.72 * k * math.log(n)


def bayes_beg_theorem3(k: int, n: int) -> float:
    """Bound the mistakes of mistake-driven Bayes-BEG with beta0 = 0 (theorem 3, bound (12)).

    With ``c = ((e + 1)/(e - 1))^(1/n)``, gamma = c/(1 + c), beta1 = 1 + c, beta0 = 0 and initial weights 1/n, n >= 2,
    it makes at most ``6.48 + 2.48 k (1 + ceil(log2(2(n - 1) / ((1 + c)(e - 1)))))`` mistakes on a sequence consistent
    with a disjunction of k of n attributes.

    Parameters
    ----------
    k, n : int
        Size of the target, 1 <= k <= n, and number of weights, n >= 2.

    Returns
    -------
    float
        The most mistakes that any such sequence can force.

    See Also
    --------
    bayes_beg_theorem4 : For a learner that tolerates noise.
    winnowkit.BayesBEG : The learner; ``preset="theorem-3"``.

    Examples
    --------
    >>> round(bayes_beg_theorem3(k=3, n=1024), 2)
    88.32
    """
    # Why the bracket may be cut at 0: let R be the argument of the logarithm. With odds o = w/(1 - w), the z-weight is
    # ln(1 + (1 + c) o), which passes theta = ln((e + 1)/(e - 1)) iff (1 + c) o > 2/(e - 1). The odds start at 1/(n - 1)
    # and grow by a factor of 1 + c per promotion, so a relevant attribute is promoted for those m >= 0 with
    # (1 + c)^m <= R: never if R < 1 (n = 2 alone), else 1 + floor(log_{1+c} R) <= 1 + ceil(log2 R) times, as c > 1.
    # Z_gain <= c theta, the paper's monotonicity, is ln(1 + (1 + c) t) <= (1 + c) ln(1 + t) with t = (1 + c) o.
    _check.size(k, n, least=2)
    c = ((math.e + 1) / (math.e - 1)) ** (1 / n)
    promotions = 1 + math.ceil(math.log2(2 * (n - 1) / ((1 + c) * (math.e - 1))))
    return 6.48 + 2.48 * k * max(0, promotions)


def bayes_beg_theorem4(k: int, n: int) -> float:
    """Bound the mistakes of mistake-driven Bayes-BEG with beta0 > 0 (theorem 4, bound (15)).

    With q = 1.6, epsilon = 0.9, ``gamma/(1 - gamma) = q^(1/(n-1))``, ``beta1 = 1 + (q^(3/2) - 1 + epsilon)/(1 + q)``,
    ``beta0 = 1 - (beta1 - 1) / q^(1/(2(n-1)))`` and initial weights 1/n, n >= 2, it makes at most
    ``24.79 + 8.44 k ln(n - 1) + 5.76 k`` mistakes on a sequence consistent with a disjunction of k of n attributes.

    Parameters
    ----------
    k, n : int
        Size of the target, 1 <= k <= n, and number of weights, n >= 2.

    Returns
    -------
    float
        The most mistakes that any such sequence can force.

    See Also
    --------
    bayes_beg_theorem3 : For a learner that eliminates.
    winnowkit.BayesBEG : The learner.

    Examples
    --------
    >>> round(bayes_beg_theorem4(k=3, n=1024), 2)
    217.55
    """
    # The paper omits its proof and the initial weights. Ours, for 1/n and n up to 10^30, uses the binary relative
    # entropy: see `_theorem4_by_entropy`, which a test compares with (15).
    _check.size(k, n, least=2)
    return 24.79 + 8.44 * k * math.log(n - 1) + 5.76 * k


def _theorem4_by_entropy(k: int, n: int) -> float:
    """Bound the learner of theorem 4 by the binary relative entropy between target and weights."""
    # Let a = beta1 - 1, b = 1 - beta0 = a q^(-1/(2(n-1))) and y_i = ln((1 + a w_i)/(1 - b w_i)). The prediction rule of
    # theorem 2 is: 1 iff sum of y_i over the m active i > (n - m/2) ln(q)/(n - 1). As ln(1 + a w) <= a w and
    # -ln(1 - b w) >= b w, ln(1 + a w_i) <= a/(a + b) y_i and -ln(1 - b w_i) >= b/(a + b) y_i. So a promotion, m >= 1,
    # lowers the entropy by u.x ln(beta1) - sum ln(1 + a w_i) >= ln(beta1) - a/(a + b) (n - 1/2) ln(q)/(n - 1), and
    # a demotion, m <= n, by -sum ln(1 - b w_i) >= b/(a + b) (n/2) ln(q)/(n - 1).
    q = 1.6
    a = (math.pow(q, 1.5) - 1 + 0.9) / (1 + q)
    b = a * math.pow(q, -0.5 / (n - 1))
    promotion = math.log1p(a) - a / (a + b) * (n - 0.5) * math.log(q) / (n - 1)
    demotion = b / (a + b) * (n / 2) * math.log(q) / (n - 1)
    distance = k * math.log(n) - (n - k) * math.log1p(-1 / n)
    return distance / min(promotion, demotion)
