"""Sparse streams labelled by a disjunction or an r-of-k threshold function of a few of many attributes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnowkit.data.streams.sampling import Attributes, Distinct
from winnowkit.data.streams.stream import (
    DrawRows,
    Examples,
    Stream,
    check_range,
    check_shares,
    check_stream,
    csr,
    flip,
)
from winnowkit.data.streams.targets import ThresholdFunction


def disjunction(
    n: int,
    k: int,
    active: int = 65,
    *,
    negations: bool = False,
    attributes: Attributes = "uniform",
    label_noise: float = 0.0,
    attribute_noise: float = 0.0,
    drift_every: int | None = None,
    seed: int = 0,
    balance: float = 0.5,
) -> Stream:
    """Draw examples of a disjunction of k of n attributes.

    A positive example has one, often two, rarely more true literals, a negative one none; irrelevant attributes fill
    each row up to `active` ones.

    Parameters
    ----------
    n, k : int
        Number of attributes, and of those in the disjunction.
    active : int
        How many attributes of a row are 1 (attribute noise may change it a little).
    negations : bool
        Negate about half the literals, at least one and, if k > 1, not all. Needs active >= k, as a negated attribute
        is mostly 1.
    attributes : {"uniform", "zipf"}
        How irrelevant attributes are drawn, one by one without repetition: with equal chances, or with chances
        proportional to 1/rank, the i-th irrelevant attribute having rank i.
    label_noise : float
        Probability that a label is flipped.
    attribute_noise : float
        Probability that a relevant attribute is flipped, in each row, after the label was given.
    drift_every : int, optional
        Draw a new disjunction after every so many rows.
    seed : int
        Seed.
    balance : float
        Probability of a positive example.

    Returns
    -------
    Stream
        Its tables are ``scipy.sparse.csr_array``; its targets `ThresholdFunction` with r = 1.

    See Also
    --------
    threshold : At least r of k attributes.
    monotone_dnf : Disjunctions of conjunctions.

    Examples
    --------
    >>> stream = disjunction(n=100_000, k=3, seed=7)
    >>> print(stream.target)
    x39210 or x80499 or x84836
    >>> X, y = stream.take(4)
    >>> X.sum(axis=1), y
    (array([65., 65., 65., 65.]), array([0, 0, 1, 1]))
    """
    source = _Source(n, 1, k, active, negations, attributes, label_noise, attribute_noise, balance)
    return source.stream(seed, drift_every)


def threshold(
    n: int,
    r: int,
    k: int,
    active: int = 65,
    *,
    attributes: Attributes = "uniform",
    label_noise: float = 0.0,
    attribute_noise: float = 0.0,
    drift_every: int | None = None,
    seed: int = 0,
    balance: float = 0.5,
) -> Stream:
    """Draw examples of an r-of-k threshold function of n attributes.

    A positive example has r relevant attributes, often one more, rarely more still; a negative one r - 1, often one
    less. The other parameters are those of `disjunction`.

    Parameters
    ----------
    n, r, k : int
        At least r of k of the n attributes are 1 in a positive example, fewer in a negative one.
    active : int
        How many attributes of a row are 1, >= r.
    attributes : {"uniform", "zipf"}
        How irrelevant attributes are drawn.
    label_noise, attribute_noise : float
        Probabilities that a label, or a relevant attribute, is flipped.
    drift_every : int, optional
        Draw new relevant attributes after every so many rows.
    seed : int
        Seed.
    balance : float
        Probability of a positive example.

    Returns
    -------
    Stream
        Its tables are ``scipy.sparse.csr_array``; its targets `ThresholdFunction`.

    See Also
    --------
    disjunction : The case r = 1.

    Examples
    --------
    >>> stream = threshold(n=1000, r=2, k=4, seed=1)
    >>> print(stream.target)
    at least 2 of x38, x678, x879, x894
    >>> X, y = stream.take(1000)
    >>> bool((stream.target(X) == y).all())
    True
    """
    source = _Source(n, r, k, active, False, attributes, label_noise, attribute_noise, balance)
    return source.stream(seed, drift_every)


@dataclass(frozen=True)
class _Source:
    """What `disjunction` and `threshold` share: the former has r = 1."""

    n: int
    r: int
    k: int
    active: int
    negations: bool
    attributes: Attributes
    label_noise: float
    attribute_noise: float
    balance: float

    def stream(self, seed: int, drift_every: int | None) -> Stream:
        check_range("n", self.n, 2, 2**30)  # indices are int32
        check_range("k", self.k, 1, self.n - 1)
        check_range("r", self.r, 1, self.k)
        # with negations, a row may need all relevant attributes; the irrelevant ones must suffice for any row
        check_range("active", self.active, self.k if self.negations else self.r, self.n - self.k)
        if self.attributes not in {"uniform", "zipf"}:
            raise ValueError(f"attributes must be 'uniform' or 'zipf', got {self.attributes!r}")
        check_shares(label_noise=self.label_noise, attribute_noise=self.attribute_noise, balance=self.balance)
        check_stream(seed, drift_every)
        return Stream(self.n, seed, drift_every, self._draw_target, self._prepare)

    def _draw_target(self, rng: np.random.Generator) -> ThresholdFunction:
        variables = np.sort(rng.choice(self.n, self.k, replace=False, shuffle=False))
        negated = variables[:0]
        if self.negations:
            negate = rng.random(self.k) < 0.5
            one, other = rng.permutation(max(self.k, 2))[:2] % self.k
            negate[other], negate[one] = False, True
            negated = variables[negate]
        return ThresholdFunction(self.r, tuple(variables.tolist()), tuple(negated.tolist()))

    def _prepare(self, target: ThresholdFunction) -> DrawRows:
        variables = np.array(target.variables, dtype=np.int32)
        flips = target.flips
        irrelevant = np.delete(np.arange(self.n, dtype=np.int32), variables)
        distinct = Distinct(irrelevant, self.attributes, absent=self.n)

        def draw_rows(rng: np.random.Generator, rows: int) -> Examples:
            y, true = self._draw_literals(rng, rows)
            noisy = rng.random((rows, self.k)) < self.attribute_noise
            bits = true ^ flips ^ noisy
            counts = np.maximum(0, self.active - bits.sum(axis=1))
            relevant = np.where(bits, variables, np.int32(self.n))
            table = distinct.draw(rng, counts, relevant, self.active)
            kept = table < self.n
            indptr = np.zeros(rows + 1, dtype=np.int32)
            np.cumsum(kept.sum(axis=1), out=indptr[1:])
            return csr(table[kept], indptr, self.n), flip(rng, y, self.label_noise)

        return draw_rows

    def _draw_literals(self, rng: np.random.Generator, rows: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Draw labels, and which of the k literals are true."""
        positive = rng.random(rows) < self.balance
        # usually on the edge, or one away from it
        away = rng.poisson(0.5, rows)
        most = self.k if self.negations else min(self.k, self.active)
        how_many = np.where(positive, np.minimum(self.r + away, most), np.maximum(self.r - 1 - away, 0))
        order = rng.random((rows, self.k))
        edges = np.hstack([np.full((rows, 1), -1.0), np.sort(order, axis=1)])
        true = order <= edges[np.arange(rows), how_many][:, None]
        return (true.sum(axis=1) >= self.r).astype(np.int64), true
