"""The stream, which every source returns, and the fixed blocks of rows that it consists of."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

BLOCK = 2048  # rows drawn at once; every stream depends on it, so that a change would change them all

# (X, y): X is a scipy.sparse.csr_array of ones, or an int8 array for half-spaces
Examples = tuple[Any, NDArray[np.int64]]
DrawRows = Callable[[np.random.Generator, int], Examples]


@dataclass(frozen=True)
class Stream:
    """An endless, seeded sequence of labelled examples.

    Parameters
    ----------
    n_features : int
        Number of columns.
    seed : int
        The seed, which determines all rows.
    drift_every : int or None
        Number of rows after which a new target is drawn.
    draw_target : callable
        Draws a target from a generator.
    prepare : callable
        Takes a target and returns the function that draws rows for it.

    Attributes
    ----------
    target : object
        The target of the first row: printable, and callable on X.

    See Also
    --------
    disjunction : Makes the most common kind of stream.

    Examples
    --------
    >>> from winnowkit.data import streams
    >>> stream = streams.disjunction(n=1000, k=3, seed=1)
    >>> X, y = stream.take(500)
    >>> X.shape, bool((stream.target(X) == y).all())
    ((500, 1000), True)
    >>> first, _ = next(stream.chunks(100))
    >>> (first != X[:100]).nnz
    0
    """

    n_features: int
    seed: int
    drift_every: int | None
    draw_target: Callable[[np.random.Generator], Any]
    prepare: Callable[[Any], DrawRows]

    @property
    def target(self) -> Any:
        """The target of row 0."""
        return self.target_at(0)

    def target_at(self, row: int) -> Any:
        """Return the target of a row (targets differ only if the stream drifts).

        Parameters
        ----------
        row : int
            The row, counted from 0.

        Returns
        -------
        object
            The target: printable, and callable on X.
        """
        return self._target(row // self.drift_every if self.drift_every else 0)

    def chunks(self, size: int) -> Iterator[Examples]:
        """Yield tables of `size` rows without end.

        Parameters
        ----------
        size : int
            Number of rows per table.

        Returns
        -------
        iterator of (X, y)
            An endless sequence of tables and labels.
        """
        if size < 1:
            raise ValueError(f"size must be >= 1, got {size!r}")
        return self._chunks(size)

    def take(self, rows: int) -> Examples:
        """Return the first `rows` rows.

        Parameters
        ----------
        rows : int
            Number of rows.

        Returns
        -------
        tuple (X, y)
            The table and its labels.
        """
        return next(self.chunks(rows))

    def _chunks(self, size: int) -> Iterator[Examples]:
        pieces: list[Examples] = []
        missing = size
        for X, y in self._blocks():
            start = 0
            while len(y) - start >= missing:
                pieces.append((X[start : start + missing], y[start : start + missing]))
                yield _join(pieces)
                start += missing
                pieces, missing = [], size
            if start < len(y):
                # slicing copies a sparse table, so that whole blocks are not sliced
                pieces.append((X[start:], y[start:]) if start else (X, y))
                missing -= len(y) - start

    def _blocks(self) -> Iterator[Examples]:
        # A block has one target, so that it never spans a drift.
        for epoch in count():
            draw_rows = self.prepare(self._target(epoch))
            for block in count():
                left = BLOCK if self.drift_every is None else min(BLOCK, self.drift_every - block * BLOCK)
                if left <= 0:
                    break
                yield draw_rows(self._generator(1, epoch, block), left)

    def _target(self, epoch: int) -> Any:
        return self.draw_target(self._generator(0, epoch))

    def _generator(self, *key: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))


def csr(indices: NDArray[np.int32], indptr: NDArray[np.int32], n: int) -> sp.csr_array:
    """Build a table of ones from sorted column indices."""
    data = np.ones(len(indices))
    return sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1, n))


def csr_of_bits(bits: NDArray[np.bool_]) -> sp.csr_array:
    """Build a table with ones where bits are set."""
    indptr = np.concatenate(([0], np.cumsum(bits.sum(axis=1)))).astype(np.int32)
    return csr(np.nonzero(bits)[1].astype(np.int32), indptr, bits.shape[1])


def check_shares(**shares: float) -> None:
    """Raise unless every value is in [0, 1]."""
    for name, value in shares.items():
        if not 0 <= value <= 1:
            raise ValueError(f"{name} must be in [0, 1], got {value!r}")


def check_range(name: str, value: int, low: int, high: float = float("inf")) -> None:
    """Raise unless `value` is an integer from `low` to `high`."""
    if not isinstance(value, int | np.integer) or not low <= value <= high:
        upper = "" if high == float("inf") else f" and <= {high}"
        raise ValueError(f"{name} must be an integer >= {low}{upper}, got {value!r}")


def check_stream(seed: int, drift_every: int | None) -> None:
    """Raise unless the seed and the drift are valid."""
    check_range("seed", seed, 0)
    if drift_every is not None:
        check_range("drift_every", drift_every, 1)


def flip(rng: np.random.Generator, y: NDArray[np.int64], noise: float) -> NDArray[np.int64]:
    """Flip labels with probability `noise`."""
    # drawn even if the noise is 0, because noise must not change the rows that follow
    return np.where(rng.random(len(y)) < noise, 1 - y, y)


def _join(blocks: list[Examples]) -> Examples:
    if len(blocks) == 1:
        return blocks[0]
    tables = [X for X, _ in blocks]
    X = sp.vstack(tables, format="csr") if sp.issparse(tables[0]) else np.concatenate(tables)
    return X, np.concatenate([y for _, y in blocks])
