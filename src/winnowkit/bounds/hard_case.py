"""A lower bound: how many mistakes a Perceptron over all conjunctions makes on a sequence that is easy for Winnow."""

from __future__ import annotations

import math

from winnowkit.bounds import _check


def kernel_perceptron(n: int, w: int) -> float:
    """Bound from below the expected mistakes of a Perceptron over all monotone conjunctions (Khardon et al. 2001).

    The target is a conjunction of more than w of n attributes. The sequence begins with the empty set of attributes,
    labelled 0, and the full one, labelled 1; then random sets of w attributes follow, labelled 0. With w a constant
    share of n, the bound is exponential in n. Winnow over the same conjunctions makes no mistake on this sequence.

    Parameters
    ----------
    n : int
        Number of attributes.
    w : int
        Size of the random sets, 1 <= w < n.

    Returns
    -------
    float
        A lower bound of the expected number of mistakes on a long enough sequence.

    See Also
    --------
    dnf_winnow : The upper bound for Winnow over all terms.

    Examples
    --------
    >>> [round(kernel_perceptron(n, round(0.47 * n)), 1) for n in (20, 40, 60)]
    [12.8, 274.9, 6334.4]
    """
    # Proof (ours, after Khardon, Roth & Servedio). The Perceptron's weights are sums of examples, so that its sum
    # for a set x is a sum of the kernel 2^|x and z| over the examples z it erred on, with the signs of their labels.
    # It errs on the full set, whatever it did on the empty one: its sum is 0 or -1, which predicts 0. Before a random
    # set x of size w, let i sets have been mistaken. The full set adds 2^w to the sum for x, the empty one takes away 1
    # at most, and each of the i sets z takes away 2^|x and z|, whose expectation is K, as x is independent of all z. By
    # Markov's inequality the sum is <= 0, and x predicted correctly, with probability (1 + i K) / 2^w at most. Before
    # set number j, counted from 0, i <= j; so the first N sets cause at least the sum over j < N of 1 - (1 + j K) / 2^w
    # mistakes in expectation. The N below makes that sum as large as it gets, about 2^w / (2 K).
    _check.count("n", n)
    _check.count("w", w)
    if w >= n:
        raise ValueError(f"w must be < n = {n}, got {w}")
    overlaps = range(max(0, 2 * w - n), w + 1)
    mean = sum(math.comb(w, h) * math.comb(n - w, w - h) * 2**h for h in overlaps) / math.comb(n, w)
    sets = math.floor((2**w - 1) / mean) + 1  # beyond, the terms of the sum are negative
    return float(1 + sets * (1 - 1 / 2**w) - mean / 2**w * sets * (sets - 1) / 2)
