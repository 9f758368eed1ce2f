"""The paper's brute force: every term against every mistake, to stand beside what replaced it.

Tao & Scott (2004), section 6, "brute force Winnow".
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from winnowkit.core.jit import jit
from winnowkit.dnf import Agreement, Decision, Engine, Estimate, Threshold
from winnowkit.dnf.agreement import exact_sum, log_of, log_of_counts
from winnowkit.dnf.kernels.problem import Ints


class BruteForce(Engine):
    """Weighted sums by enumeration of all 2^n_t terms that an example satisfies.

    Parameters
    ----------
    max_attributes : int, default=25
        Most specified attributes of an example; with more, ValueError is raised instead of running for hours.

    Examples
    --------
    >>> from winnowkit import DNFWinnow
    >>> from winnowkit.dnf import Exact, MistakeDriven
    >>> X, y = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], [0, 1, 0, 0]
    >>> model = DNFWinnow(engine=BruteForce(), training=MistakeDriven(shuffle=False)).fit(X, y)
    >>> model.predict(X)
    array([0, 1, 0, 0])
    >>> bool(np.allclose(model.log_weighted_sum(X), model.log_weighted_sum(X, engine=Exact())))
    True
    """

    def __init__(self, max_attributes: int = 25) -> None:
        if not 1 <= max_attributes <= 62:
            raise ValueError(f"max_attributes must be in 1 ... 62, got {max_attributes}")
        self.max_attributes = max_attributes

    def __repr__(self) -> str:
        return f"BruteForce(max_attributes={self.max_attributes})"

    def log_sum(self, agreement: Agreement, alpha: float, rng: object = None) -> Estimate:  # noqa: ARG002 - engines' interface
        """Logarithm of the weighted sum; `rng` is not used."""
        return Estimate(log_of_counts(self.counts(agreement), alpha), steps=1 << agreement.n_attributes)

    def decide(
        self,
        agreement: Agreement,
        threshold: Threshold,
        guess: int | None = None,  # noqa: ARG002 - engines' interface
        rng: object = None,  # noqa: ARG002
    ) -> Decision:
        """Whether the weighted sum is at least theta, compared as fractions where `theta` is given."""
        alpha, log_theta, theta = threshold
        total = exact_sum(self.counts(agreement), alpha)
        reached = total >= Fraction(theta) if theta is not None else log_of(total) >= log_theta
        return Decision(int(reached), steps=1 << agreement.n_attributes)

    def counts(self, agreement: Agreement) -> dict[int, int]:
        """How many terms have each net."""
        n, live, free = agreement.n_attributes, agreement.n_live, agreement.n_free
        if n > self.max_attributes:
            raise ValueError(
                f"brute force over 2^{n} terms is more than max_attributes={self.max_attributes} allows; use Exact()"
            )
        always = ((1 << free) - 1) << live  # dead attributes take the bits above: they are in no set
        tally = count_terms(agreement.sets[:, 0] | always, agreement.nets, n, agreement.reach)
        return {net - agreement.reach: int(tally[net]) for net in np.flatnonzero(tally).tolist()}


@jit
def count_terms(sets: Ints, nets: Ints, n_attributes: int, reach: int) -> Ints:
    """Count terms by net, net ``-reach`` first."""
    tally = np.zeros(2 * reach + 1, dtype=np.int64)
    for term in range(1 << n_attributes):
        net = 0
        for k in range(sets.size):
            if term & ~sets[k] == 0:
                net += nets[k]
        tally[net + reach] += 1
    return tally
