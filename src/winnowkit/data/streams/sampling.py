"""Distinct attributes for many rows at once, without a loop over rows."""

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Attributes = Literal["uniform", "zipf"]


class Distinct:
    """Draws sets of distinct attributes, one by one, with equal or Zipf's chances.

    Parameters
    ----------
    pool : array of int32
        The attributes to draw from.
    attributes : {"uniform", "zipf"}
        Equal chances, or chances proportional to 1/rank, pool[0] having rank 1.
    absent : int
        Stands for no attribute; larger than any of the pool.

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
        """Add counts[i] <= width attributes to those given in row i; rows come sorted, with `absent` last."""
        rows = len(counts)
        # Redrawing repetitions is slow when a good part of the pool is wanted.
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
        # exp of a uniform number, rounded, has chances ln((r + 1/2)/(r - 1/2)), a little above 1/r: keep a rank r with
        # probability 1/(r ln((r + 1/2)/(r - 1/2))), which is 0.91 at r = 1 and nears 1.
        ranks = np.rint(np.exp(rng.uniform(math.log(0.5), math.log(len(self.pool) + 0.5), size)))
        np.clip(ranks, 1, len(self.pool), out=ranks)  # a product rounded onto the edge
        chance = rng.random(size)
        doubtful = np.flatnonzero(chance > 0.91)
        r = ranks[doubtful]
        refused = doubtful[chance[doubtful] * r * np.log((r + 0.5) / (r - 0.5)) > 1]
        found = self.pool[ranks.astype(np.int32) - 1]
        if len(refused):
            found[refused] = self._independent(rng, len(refused))
        return found

    def _by_clocks(self, rng: np.random.Generator, rows: int, width: int) -> NDArray[np.int32]:
        # Clocks ring at exponential times with the attributes' rates: their order is that of drawing one by one.
        times = rng.exponential(size=(rows, len(self.pool)))
        if self.attributes == "zipf":
            times *= np.arange(1, len(self.pool) + 1)
        return self.pool[np.argsort(times, axis=1)[:, :width]]

    def _redraw_repetitions(self, rng: np.random.Generator, table: NDArray[np.int32]) -> None:
        """Replace repetitions in sorted rows until there are none."""
        # Keeping the distinct ones and drawing as many again as are missing is the same as drawing one by one.
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
