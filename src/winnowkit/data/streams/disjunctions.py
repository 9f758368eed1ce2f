"""Sparse streams labelled by a disjunction or an r-of-k threshold function of a few out of many attributes."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

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

Attributes = Literal["uniform", "zipf"]


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

    A positive example has one, often two, rarely more true literals, and a negative example has none; irrelevant
    attributes fill each row up to `active` ones.

    Parameters
    ----------
    n, k : int
        Number of attributes, and number of attributes in the disjunction.
    active : int
        Number of attributes of a row that are 1 (attribute noise may change it a little).
    negations : bool
        Whether to negate about half of the literals, at least one and, if k > 1, not all. Needs active >= k, because
        a negated attribute is mostly 1.
    attributes : {"uniform", "zipf"}
        How irrelevant attributes are drawn, one by one without repetition: with equal chances, or with chances
        proportional to 1/rank, the i-th irrelevant attribute having rank i.
    label_noise : float
        Probability that a label is flipped.
    attribute_noise : float
        Probability that a relevant attribute is flipped, in each row, after the label was given.
    drift_every : int, optional
        Number of rows after which a new disjunction is drawn.
    seed : int
        Seed of the stream.
    balance : float
        Probability of a positive example.

    Returns
    -------
    Stream
        Its tables are ``scipy.sparse.csr_array``; its targets `ThresholdFunction` with r = 1.

    See Also
    --------
    threshold : A stream of r-of-k threshold functions.
    monotone_dnf : A stream of disjunctions of conjunctions.

    Examples
    --------
    >>> stream = disjunction(n=100_000, k=3, seed=7)
    >>> print(stream.target)
    x39210 or x80499 or x84836
    >>> X, y = stream.take(4)
    >>> X.sum(axis=1), y
    (array([65., 65., 65., 65.]), array([0, 0, 1, 1]))
    """
    source = _LiteralSource(n, 1, k, active, negations, attributes, label_noise, attribute_noise, balance)
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

    A positive example has r relevant attributes, often r + 1, rarely more; a negative example has r - 1, often one
    fewer. The other parameters are those of `disjunction`.

    Parameters
    ----------
    n, r, k : int
        At least r of k of the n attributes are 1 in a positive example, fewer in a negative one.
    active : int
        Number of attributes of a row that are 1, >= r.
    attributes : {"uniform", "zipf"}
        How irrelevant attributes are drawn.
    label_noise, attribute_noise : float
        Probabilities that a label, or a relevant attribute, is flipped.
    drift_every : int, optional
        Number of rows after which new relevant attributes are drawn.
    seed : int
        Seed of the stream.
    balance : float
        Probability of a positive example.

    Returns
    -------
    Stream
        Its tables are ``scipy.sparse.csr_array``; its targets `ThresholdFunction`.

    See Also
    --------
    disjunction : The case r = 1, with negations.

    Examples
    --------
    >>> stream = threshold(n=1000, r=2, k=4, seed=1)
    >>> print(stream.target)
    at least 2 of x38, x678, x879, x894
    >>> X, y = stream.take(1000)
    >>> bool((stream.target(X) == y).all())
    True
    """
    source = _LiteralSource(n, r, k, active, False, attributes, label_noise, attribute_noise, balance)
    return source.stream(seed, drift_every)


@dataclass(frozen=True)
class _LiteralSource:
    """The source behind `disjunction`, where r = 1, and `threshold`."""

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
        # With negations, a row may need all relevant attributes; there must be enough irrelevant ones for any row.
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
        # usually on the edge, or one literal away from it
        away = rng.poisson(0.5, rows)
        most = self.k if self.negations else min(self.k, self.active)
        how_many = np.where(positive, np.minimum(self.r + away, most), np.maximum(self.r - 1 - away, 0))
        order = rng.random((rows, self.k))
        edges = np.hstack([np.full((rows, 1), -1.0), np.sort(order, axis=1)])
        true = order <= edges[np.arange(rows), how_many][:, None]
        return (true.sum(axis=1) >= self.r).astype(np.int64), true


class Distinct:
    """Draws sets of distinct attributes, one by one, uniformly or by Zipf's law, without a loop over rows.

    Parameters
    ----------
    pool : array of int32
        The attributes to draw from.
    attributes : {"uniform", "zipf"}
        Equal chances, or chances proportional to 1/rank, pool[0] having rank 1.
    absent : int
        The number that stands for no attribute; larger than all attributes of the pool.

    Examples
    --------
    >>> distinct = Distinct(np.arange(10, dtype=np.int32), "zipf", absent=99)
    >>> distinct.draw(np.random.default_rng(0), np.array([3, 1]), np.array([[50], [60]], dtype=np.int32), width=3)
    array([[ 0,  2,  3, 50],
           [ 1, 60, 99, 99]], dtype=int32)
    """

    def __init__(self, pool: NDArray[np.int32], attributes: Attributes, absent: int) -> None:
        self.pool = pool
        self.attributes = attributes
        self.absent = np.int32(absent)

    def draw(
        self, rng: np.random.Generator, counts: NDArray[np.int64], given: NDArray[np.int32], width: int
    ) -> NDArray[np.int32]:
        """Add counts[i] <= width attributes to those given in row i; rows are returned sorted, with `absent` last."""
        rows = len(counts)
        # Redrawing repetitions is slow if a large part of the pool is needed.
        crowded = len(self.pool) <= 8 * width
        drawn = self._by_clocks(rng, rows, width) if crowded else self._independent(rng, rows * width)
        drawn = drawn.reshape(rows, width)
        drawn[np.arange(width) >= counts[:, None]] = self.absent
        table = np.hstack([given, drawn])
        table.sort(axis=1)
        if not crowded:
            self._redraw_repetitions(rng, table)
        return table

    def _independent(self, rng: np.random.Generator, size: int) -> NDArray[np.int32]:
        if self.attributes == "uniform":
            return self.pool[rng.integers(len(self.pool), size=size, dtype=np.int32)]
        # exp of a uniform number, rounded, has chances ln((r + 1/2)/(r - 1/2)), a little above 1/r: accept a rank r
        # with probability 1/(r ln((r + 1/2)/(r - 1/2))), which is 0.91 at r = 1 and tends to 1.
        ranks = np.rint(np.exp(rng.uniform(math.log(0.5), math.log(len(self.pool) + 0.5), size)))
        np.clip(ranks, 1, len(self.pool), out=ranks)  # rounding may reach the edge
        chance = rng.random(size)
        doubtful = np.flatnonzero(chance > 0.91)
        r = ranks[doubtful]
        refused = doubtful[chance[doubtful] * r * np.log((r + 0.5) / (r - 0.5)) > 1]
        found = self.pool[ranks.astype(np.int32) - 1]
        if len(refused):
            found[refused] = self._independent(rng, len(refused))
        return found

    def _by_clocks(self, rng: np.random.Generator, rows: int, width: int) -> NDArray[np.int32]:
        # Exponential times with the attributes' rates have the same order as attributes drawn one by one.
        times = rng.exponential(size=(rows, len(self.pool)))
        if self.attributes == "zipf":
            times *= np.arange(1, len(self.pool) + 1)
        return self.pool[np.argsort(times, axis=1)[:, :width]]

    def _redraw_repetitions(self, rng: np.random.Generator, table: NDArray[np.int32]) -> None:
        """Redraw repetitions in sorted rows until there are none."""
        # Keeping the distinct attributes and redrawing the others is equivalent to drawing one by one.
        rows = np.arange(len(table))
        part = table
        while True:
            repeated = np.zeros(part.shape, dtype=np.bool_)
            repeated[:, 1:] = (part[:, 1:] == part[:, :-1]) & (part[:, 1:] < self.absent)
            again = repeated.any(axis=1)
            if not again.any():
                return
            rows, part, repeated = rows[again], part[again], repeated[again]
            part[repeated] = self._independent(rng, int(repeated.sum()))
            part.sort(axis=1)
            table[rows] = part
