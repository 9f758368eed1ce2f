"""A bound for Winnow2 with a floor under its weights, on a disjunction that changes (Auer & Warmuth 1998)."""

from __future__ import annotations

import math

from winnowkit.bounds import _check


def winnow_shifting(
    k: int, n: int, alpha: float, theta: float, floor: float, changes: int = 0, attribute_errors: float = 0
) -> float:
    """Bound the mistakes of Winnow2 with a floor on a disjunction that changes over time, with noise.

    Winnow2 starts from weights 1, and a demotion leaves a weight at `floor` or above. The target is a disjunction of at
    most k of n attributes throughout, perhaps of none; a change adds an attribute, removes one, or replaces one. With C
    changes, the learner makes at most ``(d + C s + A ln alpha) / g`` mistakes, where d is the distance of its first
    weights to the first target, s is what a change may add to that distance, and g what a mistake takes away.

    Parameters
    ----------
    k, n : int
        The largest size of the target, 1 <= k <= n, and number of weights.
    alpha : float
        Update factor, > 1.
    theta : float
        Threshold, >= 1.
    floor : float
        The least weight, > 0 and below 1 and theta / n.
    changes : int
        C, the number of changes. A new disjunction of k attributes, none of which was in the old one, counts as k.
    attribute_errors : float
        A, the number of bits of the examples that must change for the target of the time to label all of them
        correctly.

    Returns
    -------
    float
        The most mistakes that any such sequence can force.

    See Also
    --------
    winnow_disjunction : The bound for a target that stays and weights without a floor.
    fixed_share : The shifting bound of a vote.
    winnowkit.Winnow2 : The learner.

    Examples
    --------
    >>> round(winnow_shifting(k=3, n=1024, alpha=1.5, theta=1024, floor=0.01), 1)
    126.7
    >>> round(winnow_shifting(k=3, n=1024, alpha=1.5, theta=1024, floor=0.01, changes=3), 1)
    349.0
    """
    # Proof, after Auer & Warmuth. Multiply all weights, the floor and theta by one number c, which changes no
    # prediction, and follow dist = sum u_i ln(u_i / w_i) + w_i - u_i, u being the target of the time. Let a be the
    # attribute errors of a trial. A promotion lowers dist by u.x ln alpha - (alpha - 1) w.x >= (1 - a) ln alpha -
    # (alpha - 1) c theta. A demotion leaves w_i' >= w_i / alpha, so that its first part costs at most u.x ln alpha <= a
    # ln alpha; and w_i - w_i' >= (1 - 1/alpha) (w_i - c floor), whether the floor stopped it or not. So it lowers dist
    # by at least (1 - 1/alpha) c (theta - n floor) - a ln alpha. The c below makes the two gains equal; dist >= 0 at
    # the end. A change that adds attribute i raises dist by ln(1/w_i) - 1, where w_i >= c floor; one that removes i
    # raises it by ln w_i + 1, where w_i <= c alpha theta, as no weight above theta is promoted (and weights begin at 1
    # <= theta); a replacement by both. At the start dist = j (ln(1/c) - 1) + c n for a target of j attributes, which is
    # largest at j = k, or, if c > 1/e, at j = 0: the target may be empty, and every label 0. No weight leaves the
    # interval from floor to alpha theta, so that the costs of a change hold at every time, also for an attribute that
    # was in the target before.
    _check.size(k, n)
    _check.alpha_above_one(alpha)
    _check.at_least("theta", theta, 1)
    if not 0 < floor < min(1, theta / n):
        raise ValueError(f"floor must be > 0 and < min(1, theta / n) = {min(1, theta / n):g}, got {floor!r}")
    _check.count("changes", changes, 0)
    _check.at_least("attribute_errors", attribute_errors, 0)
    per_demotion = (1 - 1 / alpha) * (theta - n * floor)
    scale = math.log(alpha) / ((alpha - 1) * theta + per_demotion)
    start = max(k * (-math.log(scale) - 1), 0.0) + scale * n
    added, removed = -math.log(scale * floor) - 1, math.log(scale * alpha * theta) + 1
    change = removed + max(added, 0.0)  # removed > 0, as c alpha theta >= alpha^2 ln(alpha) / (alpha^2 - 1) > 1/2
    return (start + changes * change + attribute_errors * math.log(alpha)) / (per_demotion * scale)
