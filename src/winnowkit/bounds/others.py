"""Bounds for Elimination, Weighted Majority and Winnow over the terms of DNF formulas."""

import math

from winnowkit.bounds import _check


def elimination(n: int) -> int:
    """Bound Elimination's mistakes on a monotone disjunction of some of n literals.

    Elimination predicts with the disjunction of all literals not yet seen active in a negative example. It never errs
    on a positive example, and each mistake removes at least one literal: at most n mistakes.

    Parameters
    ----------
    n : int
        Number of literals.

    Returns
    -------
    int
        The most mistakes that any consistent sequence can force.

    See Also
    --------
    winnow1 : The bound of a learner that also promotes.
    winnowkit.Elimination : The learner.

    Examples
    --------
    >>> elimination(1024)
    1024
    """
    _check.count("n", n)
    return n


def weighted_majority(beta: float, n_experts: int, best_mistakes: float) -> float:
    """Bound Weighted Majority's mistakes (Littlestone & Warmuth 1994).

    Weighted Majority multiplies the weight of an expert that errs by beta, in every trial or in those in which it errs
    itself. Over n experts, the best of which makes m mistakes, it makes at most
    ``(ln n + m ln(1/beta)) / ln(2/(1 + beta))`` mistakes.

    Parameters
    ----------
    beta : float
        The factor, 0 <= beta < 1; with beta = 0 (halving) the best expert must make no mistake.
    n_experts : int
        Number of experts, whose weights are equal at the start.
    best_mistakes : float
        Mistakes of the best expert, m.

    Returns
    -------
    float
        The most mistakes that any such sequence can force.

    See Also
    --------
    winnowkit.Committee : Weighted Majority over linear learners.
    winnowkit.DirectBayes : Weighted Majority over all small disjunctions.

    Examples
    --------
    >>> round(weighted_majority(beta=0.5, n_experts=16, best_mistakes=10), 2)
    33.73
    >>> weighted_majority(beta=0, n_experts=16, best_mistakes=0)
    4.0
    """
    # Proof. A mistake means that at least half the total weight erred: it falls by (1 + beta)/2 or more, from n to no
    # less than the best expert's beta^m.
    if not 0 <= beta < 1:
        raise ValueError(f"beta must be in [0, 1), got {beta!r}")
    _check.count("n_experts", n_experts)
    _check.at_least("best_mistakes", best_mistakes, 0)
    if beta == 0:
        if best_mistakes > 0:
            raise ValueError(f"best_mistakes must be 0 when beta = 0, got {best_mistakes!r}")
        return math.log2(n_experts)
    return (math.log(n_experts) - best_mistakes * math.log(beta)) / math.log(2 / (1 + beta))


def dnf_winnow(terms: int, n: int, k: int) -> float:
    """Bound the mistakes of Winnow over all terms on a DNF formula (Tao & Scott, corollary 2).

    Winnow2 with one weight per term, alpha = 3/2 and theta = the number of terms, on examples of n attributes with at
    most k values each, makes at most ``8 + 14 K n ln(k + 1)`` mistakes on a sequence consistent with a DNF of K terms,
    as long as every weighted sum is on the correct side of theta, which it always is if sums are exact.

    Parameters
    ----------
    terms : int
        K, the number of terms of the formula.
    n : int
        Number of attributes.
    k : int
        Largest number of values of an attribute; 1 for monotone formulas, whose attributes are present or unspecified.

    Returns
    -------
    float
        The most mistakes that any such sequence can force.

    See Also
    --------
    winnow2 : The theorem behind it.
    winnowkit.DNFWinnow : The learner.

    Examples
    --------
    >>> round(dnf_winnow(terms=5, n=20, k=2), 1)
    1546.1
    """
    # `winnow2` with delta = 1 and N = theta <= (k + 1)^n has 5 K more. They are not needed: the constants proven there
    # are 3 + 2.5 K + (2.5 / ln 1.5) K n ln(k + 1), and 2.5 / ln 1.5 < 6.2 leaves 7.8 K n ln(k + 1) > 2.5 K to spare.
    _check.count("terms", terms)
    _check.count("n", n)
    _check.count("k", k)
    return 8 + 14 * terms * n * math.log(k + 1)
