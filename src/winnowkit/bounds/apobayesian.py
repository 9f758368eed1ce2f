"""A bound for SASB after theorem 1 of Littlestone & Mesterharm (1997): ours, with constants and with noise."""

from __future__ import annotations

import math

from winnowkit.bounds import _check

_GOLDEN = (math.sqrt(5) - 1) / 2
_STEPS = 80
"""Steps of a search: each keeps 62% or 50% of an interval, so that what is left is below rounding."""


def sasb(n: int, lower: float, upper: float, entropy: float = 0.0, shortfall: float = 0.0) -> float:
    """Bound SASB's mistakes on linearly separable examples, with noise.

    There are weights g_i, h_i >= 0 with sum 1 such that ``sum g_i x_i + h_i (1 - x_i)`` is >= `upper` on every positive
    example and <= `lower` on every negative one. The bound is O(log(n / delta) / delta^2) with delta = upper - lower,
    as in the paper's theorem 1, whose constant is illegible; it is the largest number of mistakes that the laws of
    probability allow, and needs no parameter of SASB, which has none.

    Parameters
    ----------
    n : int
        Number of attributes.
    lower, upper : float
        Bounds b0 and b1 of the weighted sums, 0 <= b0 < b1 <= 1.
    entropy : float
        Entropy of the weights g_i + h_i over the attributes, in nats, if it is known: ln k for k equal weights.
    shortfall : float
        Noise: the amounts by which examples miss `upper` or exceed `lower`, added up over all examples.

    Returns
    -------
    float
        The most mistakes that any such sequence can force.

    See Also
    --------
    sasb_threshold : The same for "at least r of k literals".
    winnowkit.SASB : The learner.

    Examples
    --------
    >>> round(sasb(n=1000, lower=0.0, upper=1 / 3), 1)
    316.3
    >>> round(sasb(n=1000, lower=0.0, upper=1 / 3, entropy=math.log(3)), 1)
    285.3
    """
    # Proof (ours). SASB is a Bayesian on its own mistakes. Its prior draws an attribute i, its probability f of
    # matching the label and the probability q of a 1, all uniformly; given them, an example has probability 2^(1 - n)
    # times q or 1 - q times f or 1 - f. Write 2^(1 - n) a for the probability that SASB gives to (x, 1) before a
    # mistake, and 2^(1 - n) b for (x, 0). With q' and f' the means of q and of "f if x_i = 1 else 1 - f", a = q' f' and
    # b = (1 - q') (1 - f'), so that ab <= 1/16. At a mistake the true label has the smaller of the two: at most 1/4.
    # After p mistakes on positive and d on negative examples, T = p + d, the probability of them all is therefore at
    # most 2^((1 - n) T) 4^-T. It is also 2^((1 - n) T) times B(p + 1, d + 1) times the mean over i of B(S_i + 1, T -
    # S_i + 1), where B is the beta function and S_i the number of mistakes in which attribute i matched the label. Now
    # ln B(s + 1, T - s + 1) is convex in s and symmetric about T/2. By Jensen's inequality the sum of the B(S_i + 1,
    # ...) is at least exp(entropy) B(s + 1, T - s + 1), with s = sum g_i S_i + h_i (T - S_i), which is at least upper p
    # + (1 - lower) d - shortfall, and may be taken to be at least T/2. Hence `_slack` >= 0. `_slack` is concave in (p,
    # d) together: ln B is convex in both its arguments (it is the logarithm of an integral of exponentials), s is
    # linear, and a maximum over s is over a convex set. It is >= 0 at p = d = 0. So the numbers T for which some p
    # makes it >= 0 are an interval from 0, and its end can be found by bisection.
    _check.count("n", n)
    if not 0 <= lower < upper <= 1:
        raise ValueError(f"lower and upper must satisfy 0 <= lower < upper <= 1, got {lower!r} and {upper!r}")
    if not 0 <= entropy <= math.log(n) + 1e-9:
        raise ValueError(f"entropy must be in [0, ln n] = [0, {math.log(n):g}], got {entropy!r}")
    _check.at_least("shortfall", shortfall, 0)
    budget = math.log(n) - entropy
    high = 1.0
    while _most_slack(high, lower, upper, shortfall) + budget >= 0:
        high *= 2
    low = 0.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _most_slack(middle, lower, upper, shortfall) + budget >= 0:
            low = middle
        else:
            high = middle
    return high


def sasb_threshold(r: int, k: int, n: int, attribute_errors: float = 0) -> float:
    """Bound SASB's mistakes on "at least r of k literals", with noise; r = 1 is a disjunction, r = k a conjunction.

    This is `sasb` with weights 1/k: the sum is at least r/k on positive examples and at most (r - 1)/k on negative
    ones, and an attribute error costs 1/k. Literals are attributes or their complements.

    Parameters
    ----------
    r : int
        Number of the k literals that a positive example needs, 1 <= r <= k.
    k : int
        Number of relevant attributes, k <= n.
    n : int
        Number of attributes.
    attribute_errors : float
        Number of bits of the examples that must change for the target to label all of them correctly.

    Returns
    -------
    float
        The most mistakes that any such sequence can force.

    See Also
    --------
    sasb : The theorem behind it.
    winnow2_threshold : The bound of Winnow2, which must know r.

    Examples
    --------
    >>> round(sasb_threshold(r=1, k=3, n=1000), 1)
    285.3
    >>> round(sasb_threshold(r=2, k=3, n=1000), 1)
    188.3
    """
    _check.size(k, n)
    _check.count("r", r)
    if r > k:
        raise ValueError(f"r must be <= k = {k}, got {r}")
    _check.at_least("attribute_errors", attribute_errors, 0)
    return sasb(n, (r - 1) / k, r / k, math.log(k), attribute_errors / k)


def _slack(positive: float, negative: float, matches: float) -> float:
    """Return the logarithm of 4^-T over the probability of T mistakes, of which the target's literals matched some."""
    total = positive + negative
    return -_log_beta(positive + 1, negative + 1) - _log_beta(matches + 1, total - matches + 1) - total * math.log(4)


def _most_slack(total: float, lower: float, upper: float, shortfall: float) -> float:
    """Return the largest slack over all shares of positive examples, rounding error included: it is concave in them."""

    def slack(positive: float) -> float:
        matches = upper * positive + (1 - lower) * (total - positive) - shortfall
        return _slack(positive, total - positive, max(matches, total / 2))

    low, high = 0.0, total
    for _ in range(_STEPS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if slack(left) < slack(right):
            low = left
        else:
            high = right
    return slack((low + high) / 2) + 1e-9 + 1e-14 * math.lgamma(total + 3)


def _log_beta(a: float, b: float) -> float:
    """Return the logarithm of the beta function."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
