"""The random sources in the papers: monotone DNF formulas, matching attributes, half-spaces."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from winnowkit.data.streams.stream import (
    DrawRows,
    Examples,
    Stream,
    check_range,
    check_shares,
    check_stream,
    csr_of_bits,
    flip,
)
from winnowkit.data.streams.targets import DNF, HalfSpace, Matches


def monotone_dnf(
    n: int,
    terms: int = 5,
    *,
    label_noise: float = 0.0,
    drift_every: int | None = None,
    seed: int = 0,
    balance: float = 0.5,
) -> Stream:
    """Draw examples of a random monotone DNF formula (the simulated data of Tao & Scott).

    Term lengths are uniform on 2..max(3, n // 4). Given its label, an example is uniform on those with that label.

    Parameters
    ----------
    n : int
        Number of attributes, >= 3.
    terms : int
        Number of terms.
    label_noise : float
        Probability that a label is flipped.
    drift_every : int, optional
        Number of rows after which a new formula is drawn.
    seed : int
        Seed of the stream.
    balance : float
        Probability of a positive example.

    Returns
    -------
    Stream
        Its tables are ``scipy.sparse.csr_array``; its targets `DNF`.

    See Also
    --------
    disjunction : A disjunction of single attributes.
    winnowkit.DNFWinnow : The learner for such formulas.

    Examples
    --------
    >>> stream = monotone_dnf(n=12, terms=3, seed=3)
    >>> print(stream.target)
    x1 x7 x11 or x3 x10 or x0 x5
    >>> X, y = stream.take(1000)
    >>> bool((stream.target(X) == y).all())
    True
    """
    check_range("n", n, 3)
    check_range("terms", terms, 1)
    check_shares(label_noise=label_noise, balance=balance)
    check_stream(seed, drift_every)
    # Terms of 2 literals are the worst case; as terms are monotone, negatives are at least this frequent.
    if 0.75**terms < 1e-4:
        raise ValueError(f"terms must be <= 32, got {terms!r}: negative examples may be too rare to draw")

    def draw_target(rng: np.random.Generator) -> DNF:
        lengths = rng.integers(2, max(3, n // 4), size=terms, endpoint=True)
        return DNF(tuple(tuple(sorted(rng.choice(n, length, replace=False).tolist())) for length in lengths))

    def prepare(target: DNF) -> DrawRows:
        member = np.array([np.isin(np.arange(n), term) for term in target.terms])
        chances = 0.5 ** member.sum(axis=1)

        def negatives(rng: np.random.Generator, rows: int) -> NDArray[np.bool_]:
            bits = rng.integers(0, 2, (rows, n), dtype=np.bool_)
            return bits[~target.satisfied(bits).any(axis=1)]

        def positives(rng: np.random.Generator, rows: int) -> NDArray[np.bool_]:
            # Uniform on the union of the terms, however rare: draw a term by its share and an example of it, and accept
            # the example with probability 1 / (number of terms it satisfies), as each of them could have led to it.
            bits = rng.integers(0, 2, (rows, n), dtype=np.bool_)
            bits |= member[rng.choice(terms, rows, p=chances / chances.sum())]
            accepted = rng.random(rows) * target.satisfied(bits).sum(axis=1) < 1
            return np.asarray(bits[accepted])

        def draw_rows(rng: np.random.Generator, rows: int) -> Examples:
            y = (rng.random(rows) < balance).astype(np.int64)
            bits = np.empty((rows, n), dtype=np.bool_)
            bits[y == 1] = _until_enough(positives, rng, int(y.sum()))
            bits[y == 0] = _until_enough(negatives, rng, rows - int(y.sum()))
            return csr_of_bits(bits), flip(rng, y, label_noise)

        return draw_rows

    return Stream(n, seed, drift_every, draw_target, prepare)


def bernoulli(n: int, k: int, p: float, *, seed: int = 0) -> Stream:
    """Draw fair labels that k attributes match with probability 1 - p (Littlestone & Mesterharm, section 4).

    The first k attributes are relevant; the others are fair coins.

    Parameters
    ----------
    n, k : int
        Number of attributes, and number of relevant attributes.
    p : float
        Probability that a relevant attribute differs from the label.
    seed : int
        Seed of the stream.

    Returns
    -------
    Stream
        Its tables are ``scipy.sparse.csr_array``; its target, `Matches`, is an optimal predictor if p <= 1/2.

    See Also
    --------
    winnowkit.SASB : The learner for such streams.

    Examples
    --------
    >>> stream = bernoulli(n=20, k=5, p=0.1)
    >>> X, y = stream.take(10_000)
    >>> bool((stream.target(X) == y).mean() > 0.98)
    True
    """
    check_range("n", n, 1)
    check_range("k", k, 1, n)
    check_shares(p=p)
    check_stream(seed, None)

    def prepare(target: Matches) -> DrawRows:
        differs = np.where(np.isin(np.arange(n), target.variables), target.p, 0.5)

        def draw_rows(rng: np.random.Generator, rows: int) -> Examples:
            y = rng.integers(0, 2, rows)
            return csr_of_bits((rng.random((rows, n)) < differs) ^ (y == 1)[:, None]), y

        return draw_rows

    return Stream(n, seed, None, lambda _: Matches(tuple(range(k)), p), prepare)


def half_spaces(n: int, *, labels: Literal["positive", "both"] = "positive", seed: int = 0) -> Stream:
    """Draw vertices of the positive half-space of a random w* in {-1, 1}^n (Fang & Venkatesh).

    Parameters
    ----------
    n : int
        Number of attributes. If it is odd, no inner product is 0.
    labels : {"positive", "both"}
        Positive examples only, or also negative ones: half of the examples u are replaced by their mirror images -u.
        (An example whose product with w* is 0 stays positive, as its mirror image would be.)
    seed : int
        Seed of the stream.

    Returns
    -------
    Stream
        Its tables are dense, of -1 and 1 (int8); its target is a `HalfSpace`.

    See Also
    --------
    winnowkit.DirectedDrift : The learner for half-spaces.

    Examples
    --------
    >>> stream = half_spaces(n=5, seed=1)
    >>> print(stream.target)
    ---+-
    >>> X, y = stream.take(2)
    >>> X
    array([[-1, -1, -1,  1,  1],
           [-1,  1, -1,  1,  1]], dtype=int8)
    """
    check_range("n", n, 1)
    check_stream(seed, None)
    if labels not in {"positive", "both"}:
        raise ValueError(f"labels must be 'positive' or 'both', got {labels!r}")

    def draw_target(rng: np.random.Generator) -> HalfSpace:
        return HalfSpace(tuple(_signs(rng, (n,)).tolist()))

    def prepare(target: HalfSpace) -> DrawRows:
        weights = np.array(target.weights, dtype=np.int64)

        def positives(rng: np.random.Generator, rows: int) -> NDArray[np.int8]:
            u = _signs(rng, (rows, n))
            return u[u @ weights >= 0]

        def draw_rows(rng: np.random.Generator, rows: int) -> Examples:
            u = _until_enough(positives, rng, rows)
            if labels == "positive":
                return u, np.ones(rows, dtype=np.int64)
            mirrored = (rng.random(rows) < 0.5) & (u @ weights > 0)
            u[mirrored] *= -1
            return u, 1 - mirrored.astype(np.int64)

        return draw_rows

    return Stream(n, seed, None, draw_target, prepare)


def _signs(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.int8]:
    return 2 * rng.integers(0, 2, shape, dtype=np.int8) - 1


def _until_enough(draw: Callable[[np.random.Generator, int], Any], rng: np.random.Generator, rows: int) -> Any:
    """Call a rejection sampler until it has returned enough rows."""
    parts = [draw(rng, rows)]
    while (missing := rows - sum(map(len, parts))) > 0:
        parts.append(draw(rng, missing + 64))
    return np.concatenate(parts)[:rows]
