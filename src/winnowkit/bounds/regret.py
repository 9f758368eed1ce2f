"""Bounds of learners of real values against any vector of weights: AROW, coin betting and the adaptive Winnow."""

import math

import numpy as np
from numpy.typing import ArrayLike

from winnowkit.bounds import _check


def arow(u: ArrayLike, X: ArrayLike, y: ArrayLike, r: float = 1.0, margin_updates: int = 0) -> float:
    """Bound the mistakes of AROW with a whole covariance matrix (Crammer, Kulesza & Dredze 2009, theorem 2).

    Let X be the examples on which AROW updated, with labels y of 1 and -1. For any weights u, AROW made at most
    ``sqrt(r |u|^2 + |X u|^2) sqrt(ln det(1 + X' X / r) + U) + sum of max(0, 1 - y X u) - U`` mistakes, where U of the
    updates were on examples that it predicted rightly, inside the margin. With a variance for each weight instead of
    the matrix, as in :class:`winnowkit.AROW`, this is no theorem.

    Parameters
    ----------
    u : array-like of shape (n,)
        The weights to compare with.
    X : array-like of shape (updates, n)
        The examples that AROW updated on.
    y : array-like of shape (updates,)
        Their labels, 1 or -1.
    r : float, default=1
        AROW's parameter, > 0.
    margin_updates : int, default=0
        U.

    Returns
    -------
    float
        The most mistakes.

    See Also
    --------
    winnowkit.AROW : The learner.

    Examples
    --------
    >>> round(arow(u=[1, 0], X=[[1, 0.5], [-1, 0.5]], y=[1, -1]), 2)
    2.12
    """
    # Proof. Let A be the inverse covariance, A_0 = 1, and b = A w. An update adds x x'/r to A, and y x/r to b: the step
    # w += y (1 - m) S x / (c + r), with the margin m = y w.x and c = x'Sx, is just that (Sherman & Morrison). So in the
    # end r u.b = sum of y u.x >= M + U - (sum of hinge losses of u), and by Cauchy & Schwarz
    # u.b <= sqrt(u'A u) sqrt(w'A w). The first root is that of |u|^2 + |X u|^2/r. In the second, an update adds
    # (2m - m^2)/(c + r) + c/(r(c + r)) to w'A w: here 2m - m^2 <= 0 in a mistake, and <= 1 in all updates, and
    # c/(c + r) = 1 - det A_before/det A_after <= ln(det A_after/det A_before). So w'A w <= (U + ln det A)/r.
    _check.above("r", r, 0)
    _check.count("margin_updates", margin_updates, 0)
    weights, rows, labels = np.asarray(u, dtype=float), np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if not np.isin(labels, (-1, 1)).all():
        raise ValueError("y must be 1 or -1 everywhere")
    scores = rows @ weights
    size = r * weights @ weights + scores @ scores
    log_det = float(np.linalg.slogdet(np.eye(len(weights)) + rows.T @ rows / r)[1])
    losses = np.maximum(0.0, 1.0 - labels * scores).sum()
    return math.sqrt(size * (log_det + margin_updates)) + float(losses) - margin_updates


def coin_betting(u: ArrayLike, sizes: ArrayLike, largest: ArrayLike = 1.0) -> float:
    """Bound the regret of coin betting (Orabona & Tommasi 2017, theorem 1).

    A bettor on each coordinate starts with L, and bets the part tanh(T / (G + L)) / L of what it has on the next
    outcome, where T is the sum of the outcomes so far, which are in [-L, L], and G that of their absolute values. Then
    the outcomes' product with any u is at most ``L + |u| sqrt(L (G + L) ln(1 + (G + L)^2 u^2 / L^2))`` more than what
    was won, for each coordinate. :class:`winnowkit.CoinBetting` bets T / (L (G + L)), the first term of the series, and
    forgives losses beyond what was won, which does better in practice, but is not covered.

    Parameters
    ----------
    u : float or array-like
        Weights to compare with.
    sizes : float or array-like
        Sum of the absolute values of all outcomes for each weight, G.
    largest : float or array-like, default=1
        Largest absolute value of an outcome, known beforehand, L.

    Returns
    -------
    float
        The sum over all weights.

    See Also
    --------
    winnowkit.CoinBetting : The learner.

    Examples
    --------
    >>> round(coin_betting(u=[1, 0], sizes=[100, 100]), 1)
    32.5
    """
    # Proof. In the paper: what the bettor has is at least L exp(T^2 / (2 L (G + L))) / sqrt(1 + G/L), and the convex
    # conjugate of a exp(T^2 / (2 b)) is at most |u| sqrt(b ln(1 + b u^2 / a^2)) - a.
    weights, high = np.abs(np.asarray(u, dtype=float)), np.asarray(largest, dtype=float)
    total = np.asarray(sizes, dtype=float) + high
    for name, least in (("sizes", np.min(total - high)), ("largest", np.min(high))):
        _check.at_least(f"the least of {name}", float(least), 0)
    _check.above("the least of largest", float(np.min(high)), 0)
    regret = high + weights * np.sqrt(high * total * np.log1p((total * weights / high) ** 2))
    return float(np.sum(regret))


def adaptive_winnow(
    u: ArrayLike, squares: ArrayLike, largest: ArrayLike, rate: float = 0.5, beta: float = 0.1
) -> float:
    """Bound the regret of the adaptive Winnow, in the geometry of hypentropy (after Ghai, Hazan & Singer 2020).

    Let G be the sum of the squared gradients of a weight, W its largest absolute value, and B(u) the divergence of u
    from -W or W, whichever is farther. Then the sum of the losses is at most that of fixed weights u plus
    ``sqrt(G) (B(u) / rate + rate e^rate sqrt(W^2 + beta^2))`` for each weight. The loss of
    :class:`winnowkit.AdaptiveWinnow` is (1 - y s)^2, at least 1 in a mistake, so that this plus the losses of u on its
    updates bounds its mistakes.

    Parameters
    ----------
    u : float or array-like
        Weights to compare with.
    squares : float or array-like
        Sum of the squared gradients for each weight, G.
    largest : float or array-like
        Largest absolute value that the weight had, W.
    rate : float, default=0.5
        A step is rate g / sqrt(G), where G includes g^2; > 0.
    beta : float, default=0.1
        Scale below which the geometry is Euclidean, > 0.

    Returns
    -------
    float
        The sum over all weights.

    See Also
    --------
    winnowkit.AdaptiveWinnow : The learner.

    Examples
    --------
    >>> round(adaptive_winnow(u=[1, 0], squares=[100, 100], largest=[1, 0.2]), 1)
    132.5
    """
    # Proof, for one weight. Let t = asinh(w/beta), whose steps are d = -h g with h = rate/sqrt(G), and B the divergence
    # of w sinh^-1(w/beta) - sqrt(w^2 + beta^2). By convexity and the three-point identity, a loss is at most that of u
    # plus g (w - u) = (B(u, w) - B(u, w') + B(w, w'))/h, where w' is the next weight. As h falls, the first two sum to
    # at most B(u)/h at the end. The third is d^2/2 beta cosh(s) for some s between t and t + d (the divergence of the
    # conjugate, beta cosh), at most d^2/2 e^rate sqrt(W^2 + beta^2), as |d| <= rate. And the sum of g^2/sqrt(G) over
    # all steps is at most 2 sqrt(G) at the end.
    _check.above("rate", rate, 0)
    _check.above("beta", beta, 0)
    weights, high = np.abs(np.asarray(u, dtype=float)), np.asarray(largest, dtype=float)
    gradients = np.asarray(squares, dtype=float)
    _check.at_least("the least of squares", float(np.min(gradients)), 0)
    _check.at_least("the least of largest", float(np.min(high)), 0)
    reach = np.hypot(high, beta)
    farthest = weights * (np.arcsinh(weights / beta) + np.arcsinh(high / beta)) - np.hypot(weights, beta) + reach
    return float(np.sum(np.sqrt(gradients) * (farthest / rate + rate * math.exp(rate) * reach)))
