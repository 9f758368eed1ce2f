"""The error of a sampler without sampling: its Markov chain over all terms, as an operator on 2^n numbers.

A chain of Tao & Scott's ladder starts uniformly, moves for a while, and then averages f = W(alpha_(i-1)) / W(alpha_i)
term by term. The mean and the mean square of that average follow from two vectors over all terms, moved step by step:
mu, the distribution of the state, and nu, where nu(x) is the expectation of the sum of all earlier h, counted when the
state is x; h is f minus its mean. No time average is taken and nothing is assumed about convergence, so that a sampler
which never mixes, such as one that is periodic, is treated like any other.

Chains of neighbouring rungs err alike, as their alphas are almost the same. So the errors of a long ladder are computed
at NODES places between its first and last rung, and the polynomial through them is summed over all rungs. On voting and
simulated data, this changes mean squares by at most 0.2%.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.polynomial.chebyshev import chebvander

from winnowkit.core.jit import jit
from winnowkit.dnf.agreement import Agreement
from winnowkit.dnf.kernels.problem import Floats, Ints
from winnowkit.dnf.mcmc.chains import Sampler, fill_accept

MOST_ATTRIBUTES = 14
"""The most attributes that some mistake has and another lacks; a step costs n 2^n."""

NODES = 17
"""The most chains of a ladder that are followed."""

_SETTLED = 1e-6
"""The amount that a step adds to the mean square is taken to stay as it is once two steps change it relatively less."""


class ChainError(NamedTuple):
    """The error of a sum: relative, to first order. Its mean square is ``variance + bias**2``."""

    variance: float
    bias: float

    @property
    def mean_square(self) -> float:
        """The mean square of the relative error of the sum."""
        return self.variance + self.bias**2


def all_nets(agreement: Agreement) -> npt.NDArray[np.int64]:
    """Return the net of every term over the live and dead attributes; attributes in every mistake change nothing.

    Examples
    --------
    >>> from winnowkit.dnf import MistakeLog
    >>> log = MistakeLog(2)
    >>> log.append([1, 1], +1)
    >>> log.append([1, 2], -1)
    >>> log.append([2, 1], +1)
    >>> all_nets(Agreement.of(log, [1, 1])).tolist()  # none, x0, x1, both
    [1, 0, 2, 1]
    """
    n = agreement.n_live + agreement.n_dead
    if n > MOST_ATTRIBUTES:
        raise ValueError(f"at most {MOST_ATTRIBUTES} attributes can be followed exactly, got {n}")
    nets = np.zeros(2**n, dtype=np.int64)
    for held, net in zip(agreement.sets[:, 0], agreement.nets, strict=True):
        nets[int(held)] += net
    for i in range(n):  # the net of a term sums over the mistakes that hold all of it: supersets
        pairs = nets.reshape(-1, 2, 2**i)
        pairs[:, 0] += pairs[:, 1]
    return nets


def chain_error(
    agreement: Agreement, step: float, n_rungs: int, sampler: Sampler, samples: int, burn_in: int
) -> ChainError:
    """Return the error of a sum estimated by a ladder.

    Parameters
    ----------
    agreement : Agreement
        The example against the log of mistakes.
    step : float
        The logarithm of the ratio of two rungs' alphas.
    n_rungs : int
        Number of chains, one for each rung but the first.
    sampler : Sampler
        How the chains move.
    samples, burn_in : int
        Samples per chain, and moves before the first: updates for Metropolis, sweeps for the others.

    Returns
    -------
    ChainError
        Variance and bias of the logarithm of the sum; chains are independent, so that their variances add up.
    """
    nets = all_nets(agreement)
    reach = int(np.abs(nets).max())
    accept = np.empty(4 * reach + 1)
    variance = bias = 0.0
    for rung, share in zip(*places(n_rungs), strict=True):
        fill_accept(accept, step * rung, sampler, agreement.n_attributes)
        log_weights = step * rung * nets
        weights = np.exp(log_weights - log_weights.max())
        f = np.exp(-step * nets)
        mean = float((weights * f).sum() / weights.sum())
        first, second = moments(nets, accept, f / mean - 1.0, agreement.n_attributes, int(sampler), samples, burn_in)
        variance += share * (second - first**2)
        bias -= share * first
    return ChainError(variance, bias)


def places(n_rungs: int) -> tuple[list[float], list[float]]:
    """Return the places of a ladder to compute, and weights by which their values sum up to those of all its rungs.

    Few rungs are their own places. Otherwise these are Chebyshev's, which need be no whole numbers.

    Examples
    --------
    >>> places(3)
    ([1.0, 2.0, 3.0], [1.0, 1.0, 1.0])
    >>> at, weights = places(100)
    >>> len(at), round(sum(w * rung**3 for rung, w in zip(at, weights, strict=True))) == sum(r**3 for r in range(101))
    (17, True)
    """
    rungs = np.arange(1.0, n_rungs + 1)
    if n_rungs <= NODES:
        return rungs.tolist(), np.ones(n_rungs).tolist()
    middle, half = (n_rungs + 1) / 2, (n_rungs - 1) / 2
    nodes = np.cos(np.pi * np.arange(NODES) / (NODES - 1))
    sums = chebvander((rungs - middle) / half, NODES - 1).sum(axis=0)
    weights = np.linalg.solve(chebvander(nodes, NODES - 1).T, sums)
    return (middle + half * nodes).tolist(), weights.tolist()


@jit
def moments(
    nets: Ints, accept: Floats, h: Floats, n_attributes: int, sampler: int, samples: int, burn_in: int
) -> tuple[float, float]:
    """Compute the mean, and the mean square, of the average of h over the samples of a chain that starts uniformly."""
    mu, nu = np.full(nets.size, 1.0 / nets.size), np.zeros(nets.size)
    spare = np.empty((2, nets.size))
    for _ in range(burn_in):
        move(mu, nu, nets, accept, n_attributes, sampler, spare)
    first = second = 0.0
    added, before = np.zeros(2), np.full(2, np.inf)
    for s in range(samples):
        for x in range(nets.size):
            nu[x] += mu[x] * h[x] * (s > 0)
        move(mu, nu, nets, accept, n_attributes, sampler, spare)
        value = square = 0.0
        for x in range(nets.size):
            value += mu[x] * h[x]
            square += mu[x] * h[x] ** 2 + 2.0 * nu[x] * h[x]
        first += value
        second += square
        added[s % 2] = square
        if s % 2 == 1:
            pair = added[0] + added[1]
            if abs(pair - before[0]) <= _SETTLED * pair and abs(before[0] - before[1]) <= _SETTLED * pair:
                first += (samples - 1 - s) * value
                second += (samples - 1 - s) * pair / 2.0
                break
            before[1], before[0] = before[0], pair
    return first / samples, second / samples**2


@jit
def move(mu: Floats, nu: Floats, nets: Ints, accept: Floats, n_attributes: int, sampler: int, spare: Floats) -> None:
    """Move both vectors by one step of the chain: an update of a random attribute, or a sweep over all in order."""
    random = sampler == Sampler.METROPOLIS
    share = 1.0 / n_attributes if random else 1.0
    mu_after, nu_after = (spare[0], spare[1]) if random else (mu, nu)
    if random:
        mu_after[:], nu_after[:] = mu, nu
    middle, distance = accept.size // 2, 1
    while distance < nets.size:
        for start in range(0, nets.size, 2 * distance):
            for x in range(start, start + distance):
                y = x + distance
                change = nets[y] - nets[x]
                up, down = share * accept[middle + change], share * accept[middle - change]
                flow, flow_nu = mu[x] * up - mu[y] * down, nu[x] * up - nu[y] * down
                mu_after[x] -= flow
                mu_after[y] += flow
                nu_after[x] -= flow_nu
                nu_after[y] += flow_nu
        distance *= 2
    if random:
        mu[:], nu[:] = mu_after, nu_after
