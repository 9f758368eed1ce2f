"""Littlestone's bounds for Winnow1 and Winnow2.

Both are mistake-driven and predict 1 iff the sum is >= theta. The bounds hold whichever way an exact tie goes: their
proofs use only "sum <= theta" at a promotion and "sum >= theta" at a demotion.
"""

import math

from winnowkit.bounds import _check


def winnow1(k: int, n: int, alpha: float = 2.0, theta: float | None = None) -> float:
    """Bound Winnow1's mistakes on a monotone disjunction of k of n attributes.

    Winnow1 starts from weights 1, multiplies active weights by `alpha` at a promotion and sets them to 0 at a demotion.
    For alpha > 1 and theta >= 1/alpha, on any sequence consistent with the disjunction, it makes at most
    ``alpha k (log_alpha(theta) + 1) + n / theta`` mistakes (Littlestone 1988). With alpha = 2 and theta = n this is
    ``2 k log2(2n) + 1``, lemmas 4.1.5 and 4.1.6 of the lecture.

    Parameters
    ----------
    k, n : int
        Size of the target, 1 <= k <= n, and number of weights.
    alpha : float
        Update factor, > 1.
    theta : float, optional
        Threshold, >= 1/alpha; n if not given.

    Returns
    -------
    float
        The most mistakes that any sequence can force.

    See Also
    --------
    winnow_disjunction : Winnow2's bound on disjunctions.
    winnowkit.Winnow1 : The learner.

    Examples
    --------
    >>> winnow1(k=3, n=1024)
    67.0
    """
    # Proof. Weights of the target are never demoted: they are alpha^m, m = promotions so far, and are promoted only
    # while alpha^m <= theta (theta >= 1/alpha makes the count below >= 0). So each is promoted at most log_alpha(theta)
    # + 1 times, and every promotion promotes one: p <= k (log_alpha(theta) + 1). The sum of all weights starts at n,
    # gains at most (alpha - 1) theta per promotion, loses at least theta per demotion and stays >= 0: d <= n/theta +
    # (alpha - 1) p. Hence p + d <= alpha p + n/theta.
    _check.size(k, n)
    _check.alpha_above_one(alpha)
    threshold = n if theta is None else theta
    _check.at_least("theta", threshold, 1 / alpha)
    return alpha * k * (_log(threshold, alpha) + 1) + n / threshold


def winnow2(weights_sum: float, n: int, delta: float, theta: float) -> float:
    """Bound Winnow2's mistakes on a delta-separable target (theorem 4.2.1 of the lecture).

    The target has weights w_i >= 0 with ``sum w_i x_i >= 1`` on every positive example and ``<= 1 - delta`` on every
    negative one. Winnow2 starts from weights 1 with ``alpha = 1 + delta/2`` and theta >= 1; it makes at most
    ``8n / (delta^2 theta) + (5/delta + 14 ln(theta)/delta^2) sum w_i`` mistakes.

    Parameters
    ----------
    weights_sum : float
        The sum of the target's weights, > 0.
    n : int
        Number of Winnow2's weights.
    delta : float
        The gap, 0 < delta <= 1. The lecture writes "< 1 - delta"; with "<=" a disjunction has delta = 1.
    theta : float
        Threshold, >= 1.

    Returns
    -------
    float
        The most mistakes that any sequence can force.

    See Also
    --------
    winnow2_disjunction : The same for disjunctions.
    winnow2_threshold : The same for r-of-k threshold functions.
    winnowkit.Winnow2 : The learner.

    Examples
    --------
    >>> round(winnow2(weights_sum=3, n=1024, delta=1, theta=1024), 2)
    314.12
    """
    # Proof (ours; its constants are below the theorem's). Let M = sum w_i, u promotions, v demotions. A weight
    # alpha^net is promoted only while <= theta, so net <= log_alpha(theta) + 1 =: L, and summing w_i net_i over i: u -
    # (1 - delta) v <= M L. The total weight gives v <= A + alpha u, A = alpha n / ((alpha - 1) theta). With alpha = 1 +
    # delta/2, 1 - (1 - delta) alpha = delta (1 + delta)/2, so u <= 2 ((1 - delta) A + M L)/(delta (1 + delta)) and u +
    # v <= A + (1 + alpha) u = 2 (4 - delta^2)/(delta^2 (1 + delta)) n/theta + (4 + delta)/(delta (1 + delta)) M L. The
    # first factor is <= 8/delta^2, (4 + delta)/(1 + delta) <= 4, and delta (4 + delta)/((1 + delta) ln(1 + delta/2))
    # falls from 8 at delta = 0 to 6.2 at 1, below 14.
    _check.above("weights_sum", weights_sum, 0)
    _check.count("n", n)
    if not 0 < delta <= 1:
        raise ValueError(f"delta must be in (0, 1], got {delta!r}")
    _check.at_least("theta", theta, 1)
    return 8 * (n / theta) / delta**2 + (5 / delta + 14 * math.log(theta) / delta**2) * weights_sum


def winnow2_disjunction(k: int, n: int, theta: float | None = None) -> float:
    """Bound Winnow2's mistakes, alpha = 3/2, on a disjunction of k of n attributes.

    This is `winnow2` with delta = 1 and weights 1 on the target.

    Parameters
    ----------
    k, n : int
        Size of the target, 1 <= k <= n, and number of weights.
    theta : float, optional
        Threshold, >= 1; n if not given.

    Returns
    -------
    float
        The most mistakes that any sequence can force.

    See Also
    --------
    winnow_disjunction : A smaller bound, which allows noise.
    winnow2 : The general bound.

    Examples
    --------
    >>> round(winnow2_disjunction(k=3, n=1024), 2)
    314.12
    """
    _check.size(k, n)
    return winnow2(k, n, 1.0, n if theta is None else theta)


def winnow2_threshold(r: int, k: int, n: int, theta: float | None = None) -> float:
    """Bound Winnow2's mistakes, alpha = 1 + 1/(2r), on an r-of-k threshold function.

    This is `winnow2` with delta = 1/r and weights 1/r on the target's k attributes (exercise 2 of the lecture).

    Parameters
    ----------
    r : int
        Number of the k attributes that a positive example needs, 1 <= r <= k.
    k : int
        Number of relevant attributes, k <= n.
    n : int
        Number of weights.
    theta : float, optional
        Threshold, >= 1; n if not given.

    Returns
    -------
    float
        The most mistakes that any sequence can force.

    See Also
    --------
    winnow2 : The general bound.
    winnowkit.Winnow2 : The learner; ``delta=1/r``.

    Examples
    --------
    >>> winnow2_threshold(r=1, k=3, n=1024) == winnow2_disjunction(k=3, n=1024)
    True
    """
    _check.size(k, n)
    _check.count("r", r)
    if r > k:
        raise ValueError(f"r must be <= k = {k}, got {r}")
    return winnow2(k / r, n, 1 / r, n if theta is None else theta)


def _log(value: float, base: float) -> float:
    # log2 is exact at powers of 2, Winnow1's usual case
    return math.log2(value) if base == 2 else math.log(value) / math.log(base)
