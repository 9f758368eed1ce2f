"""The rungs of a ladder, the samples that its theorems ask for, and the bounds that stop it early."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from winnowkit.dnf.agreement import Agreement
from winnowkit.dnf.mcmc.chains import SlicedMistakes
from winnowkit.dnf.mcmc.ladder_kernel import Walk, net_bounds


def count_rungs(agreement: Agreement, alpha: float, kappa: float, size: str) -> int:
    """Compute the number of rungs r: the fewest with (1 + kappa/m)^(r - 1) >= alpha; sections 3.1 and 3.2.

    Examples
    --------
    >>> from winnowkit.dnf import MistakeLog
    >>> log = MistakeLog(1)
    >>> for _ in range(100):
    ...     log.append([1], +1)
    >>> count_rungs(Agreement.of(log, [1]), alpha=1.5, kappa=1.0, size="sum")
    42
    """
    m = _size(agreement, size)
    steps = max(1, math.ceil(math.log(alpha) / math.log1p(kappa / m)))
    if steps > 1 and (1 + kappa / m) ** (steps - 1) >= alpha:  # rounding
        steps -= 1
    return steps + 1


def rung_step(agreement: Agreement, alpha: float, kappa: float, size: str, *, as_printed: bool) -> float:
    """Compute the logarithm of the ratio of two neighbouring rungs' alphas.

    The rungs of the paper are (1 + kappa/m)^(i - 1), the last of which lies above alpha unless it is a power of
    1 + kappa/m: the paper's estimate is one of W(alpha_r), with alpha_r >= alpha. Ours are the same number of rungs,
    moved closer together so that the last one is alpha.

    Examples
    --------
    >>> from winnowkit.dnf import MistakeLog
    >>> log = MistakeLog(1)
    >>> for _ in range(4):
    ...     log.append([1], +1)
    >>> agreement = Agreement.of(log, [1])
    >>> [round(math.exp(2 * rung_step(agreement, 1.5, 1.0, "sum", as_printed=printed)), 4) for printed in (True, False)]
    [1.5625, 1.5]
    """
    if as_printed:
        return math.log1p(kappa / _size(agreement, size))
    return math.log(alpha) / (count_rungs(agreement, alpha, kappa, size) - 1)


def _size(agreement: Agreement, size: str) -> int:
    u, v = _totals(agreement)
    return max(1, u + v if size == "sum" else max(u, v))


def _totals(agreement: Agreement) -> tuple[int, int]:
    """Count promotions and demotions: mistakes, or, if these are more, what examples were given beforehand."""
    nets = agreement.nets
    return (
        max(agreement.n_promotions, int(nets[nets > 0].sum())),
        max(agreement.n_demotions, -int(nets[nets < 0].sum())),
    )


def samples_for(eps: float, n_rungs: int, kappa: float) -> int:
    """Compute the samples per chain that Theorem 4 (Theorem 1: kappa = 1) asks for an error of at most eps.

    Examples
    --------
    >>> samples_for(0.5, n_rungs=42, kappa=1.0)
    161377
    """
    return math.ceil(130 * math.exp(2 * kappa) * n_rungs / eps**2)


def net_limits(agreement: Agreement, problem: SlicedMistakes, bounds: str) -> tuple[int, int]:
    """Bound the nets of all terms (section 3.3's phi): from -v to u, or by what pairs of attributes allow."""
    if bounds == "totals":
        u, v = _totals(agreement)
        return -v, u
    low, high = net_bounds(problem)
    return int(low), int(high)


def first_guess(n_attributes: int, log_theta: float) -> int:
    """Section 3.3: before training all weights are 1, and the sum is 2^n_t."""
    return int(n_attributes * math.log(2) >= log_theta)


def stop_early(log_ratios: npt.ArrayLike, walk: Walk, *, as_printed: bool = False) -> tuple[int, int]:
    """Table I with ratios that are known: the label, and how many rungs it took.

    The bounds alone may settle the side: the empty set is one of the sets of Theorem 5, and Theorem 7 counts it.
    Table I as printed looks only after each chain.

    Parameters
    ----------
    log_ratios : array-like of float
        Logarithms of W(alpha_i) / W(alpha_(i-1)), rung 2 first.
    walk : Walk
        The guess, the bounds and theta.
    as_printed : bool
        Whether at least one rung is taken, as in the paper.

    Examples
    --------
    >>> stop_early([0.5, 0.6, 0.7], Walk(guess=1, log_sum=1.0, per_rung=0.1, log_theta=1.75))
    (1, 1)
    """
    ratios = np.asarray(log_ratios, dtype=np.float64)
    in_order = ratios[::-1] if walk.guess == 1 else ratios
    log_sums = np.cumsum(np.concatenate(([walk.log_sum], walk.per_rung + in_order)))
    stopped = log_sums >= walk.log_theta if walk.guess == 1 else log_sums < walk.log_theta
    if as_printed:
        stopped[0] = False
    return (walk.guess, int(stopped.argmax())) if stopped.any() else (1 - walk.guess, len(ratios))


def promised_savings(log_sum: float, log_theta: float) -> int:
    """Compute the chains that stopping early saves at least (Theorem 7), from the distance of the sum from theta.

    With m = u + v, floor(ln(1 + eps)) for W = (1 + eps) theta, and floor(-ln(1 - eps)) for W = (1 - eps) theta; or all
    chains, if there are fewer. The paper has neither the floors nor this limit, without which the theorem is false.

    Examples
    --------
    >>> promised_savings(math.log(100), math.log(10))
    2
    """
    return math.floor(abs(log_sum - log_theta))
