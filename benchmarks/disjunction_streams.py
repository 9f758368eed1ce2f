"""The disjunction streams on which progressive mistakes are compared (``make bench``)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.data import streams
from winnowkit.data.streams.disjunctions import Attributes
from winnowkit.data.streams.stream import Examples

SIZES = (1_000, 100_000, 1_000_000)
RELEVANT = 5
ACTIVE = 65


class StreamCell(NamedTuple):
    """A disjunction of 5 of n attributes, of which 65 are active in each row."""

    n: int
    attributes: Attributes = "uniform"
    label_noise: float = 0.0

    def stream(self, seed: int) -> streams.Stream:
        """Return the stream of this cell for a seed."""
        return streams.disjunction(
            n=self.n,
            k=RELEVANT,
            active=ACTIVE,
            attributes=self.attributes,
            label_noise=self.label_noise,
            seed=seed,
        )

    def draw(self, rows: int, seed: int) -> tuple[Examples, NDArray[np.bool_]]:
        """Return the first rows of the stream, and which of their labels were flipped."""
        stream = self.stream(seed)
        X, y = stream.take(rows)
        return (X, y), stream.target(X) != y

    def __str__(self) -> str:
        return f"{self.n:,} {self.attributes} {self.label_noise:.0%}"


def cells(sizes: Iterable[int] = SIZES) -> list[StreamCell]:
    """Return all cells: uniform and Zipf attributes, without noise and with 2% of the labels flipped."""
    kinds: tuple[Attributes, ...] = ("uniform", "zipf")
    return [StreamCell(n, attributes, noise) for attributes, noise, n in product(kinds, (0.0, 0.02), sizes)]
