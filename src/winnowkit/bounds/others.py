"""Bounds for Elimination, Weighted Majority with and without sharing, and Winnow over the terms of DNF formulas."""

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
    fixed_share : The bound for a target that changes.
    winnowkit.Committee : Weighted Majority over linear learners and their mix.
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


def fixed_share(
    beta: float,
    share: float,
    inverse_prior: float,
    n_trials: int,
    changes: int,
    mistakes: float,
) -> float:
    """Bound the mistakes of Weighted Majority with fixed share (Herbster & Warmuth 1998).

    After each trial, the share of all weight returns to its first proportions. Compared with any sequence of voters
    that changes k times in T trials and makes m mistakes, the vote makes at most ``(ln(1/p) + k ln(1/(share p)) +
    (T - 1 - k) ln(1/(1 - share)) + m ln(1/beta)) / ln(2/(1 + beta))`` mistakes, where p is the least of the first
    weights, which add up to 1, of the voters in the sequence.

    Parameters
    ----------
    beta : float
        The factor of a vote that was wrong, 0 < beta < 1.
    share : float
        The part of all weight that is shared out after each trial, 0 < share < 1.
    inverse_prior : float
        1/p, at least 1.
    n_trials : int
        T.
    changes : int
        The number of changes, k, at most T - 1.
    mistakes : float
        Mistakes of the sequence, m.

    Returns
    -------
    float
        The most mistakes of the vote.

    See Also
    --------
    weighted_majority : The bound without sharing, for a single voter.
    winnowkit.Committee : A vote that shares.

    Examples
    --------
    >>> round(fixed_share(beta=0.5, share=0.01, inverse_prior=4, n_trials=1000, changes=2, mistakes=10), 1)
    105.4
    """
    # Proof. Sharing leaves the total weight W as it is, since the first weights add up to 1, and each mistake lowers W
    # to (1 + beta)/2 of it or less, as at least half of the weight erred. Follow the weight of the voter whom the
    # sequence names: it is p or more at first, falls by beta with each of its mistakes, and by 1 - share in each of the
    # T - 1 - k trials after which the sequence does not change. Where it changes from i to j, the weight of j after
    # sharing is share p_j W or more, so at least share p times the weight that i had. In the end it is at most W.
    if not 0 < beta < 1:
        raise ValueError(f"beta must be in (0, 1), got {beta!r}")
    if not 0 < share < 1:
        raise ValueError(f"share must be in (0, 1), got {share!r}")
    _check.at_least("inverse_prior", inverse_prior, 1)
    _check.count("n_trials", n_trials)
    _check.at_least("changes", changes, 0)
    _check.at_least("mistakes", mistakes, 0)
    if changes > n_trials - 1:
        raise ValueError(f"changes must be at most n_trials - 1 = {n_trials - 1}, got {changes!r}")
    lost = (1 + changes) * math.log(inverse_prior) - changes * math.log(share)
    lost -= (n_trials - 1 - changes) * math.log1p(-share) + mistakes * math.log(beta)
    return lost / math.log(2 / (1 + beta))


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
