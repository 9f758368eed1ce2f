"""What every format is asked for, and what it gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.data.errors import WidthError
from winnowkit.data.formats.source import Source

CHUNK_BYTES = 1 << 25
"""Text of a chunk: one that has more ends before its number of rows is reached."""


class Chunk(NamedTuple):
    """Some rows of a table.

    Attributes
    ----------
    X : Frame or scipy.sparse.csr_matrix
        The rows.
    y : array or None
        Their labels.
    first_row : int
        How many rows came before.
    """

    X: Any
    y: NDArray[Any] | None
    first_row: int


class WeightedChunk(Chunk):
    """A chunk whose examples have an importance and a name, as Vowpal Wabbit's have.

    Attributes
    ----------
    weights : float64 array
        Importance of each example, 1 where none was given.
    tags : list of str
        Name of each example, "" where none was given.
    """

    weights: NDArray[np.float64]
    tags: list[str]

    @classmethod
    def of(cls, chunk: Chunk, weights: NDArray[np.float64], tags: list[str]) -> WeightedChunk:
        """Add weights and tags to a chunk."""
        weighted = cls(*chunk)
        weighted.weights, weighted.tags = weights, tags
        return weighted


@dataclass(frozen=True)
class Wanted:
    """What the caller wants of a source, whatever its format."""

    target: str | int | None = None
    columns: Sequence[str | int] | None = None
    n_features: int | None = None
    chunk_rows: int = 10_000
    types: Mapping[str, str] = field(default_factory=dict)
    whole: bool = False  # all rows will be kept: the reader may as well

    def names(self) -> list[str]:
        """All names that the caller knows columns by."""
        return [name for name in (self.target, *(self.columns or ()), *self.types) if isinstance(name, str)]


class Parsed(NamedTuple):
    """A source whose beginning has been read: names of X's columns, if any, and its number of columns, and chunks."""

    names: list[str] | None
    n_features: int
    chunks: Iterator[Chunk]
    target: str | None = None


class Picked(NamedTuple):
    """Positions of the columns that go into X, and of the one that is y."""

    features: list[int]
    target: int | None


def pick(source: Source, names: list[str], wanted: Wanted) -> Picked:
    """Find the columns asked for, and check that there are as many as there should be.

    Examples
    --------
    >>> import io
    >>> source = Source(io.BytesIO(b""))
    >>> pick(source, ["a", "b", "class"], Wanted(target=-1))
    Picked(features=[0, 1], target=2)
    >>> pick(source, ["a", "b", "class"], Wanted(target="clas"))
    Traceback (most recent call last):
    winnowkit.data.errors.DataError: an open file: there is no column 'clas'; did you mean 'class'?
    """
    target = None if wanted.target is None else position(source, names, wanted.target)
    if wanted.columns is None:
        features = [j for j in range(len(names)) if j != target]
    else:
        features = [position(source, names, column) for column in wanted.columns]
        if target in features:
            raise source.error(f"column {names[target]!r} is the target; leave it out of columns=")
        if len(set(features)) < len(features):
            raise source.error("columns= names a column twice; name each once")
    if wanted.n_features is not None and wanted.n_features != len(features):
        raise source.error(
            f"expected {wanted.n_features} columns besides the target, got {len(features)}; choose them with columns=",
            kind_of=WidthError,
            n_features=len(features),
        )
    return Picked(features, target)


def position(source: Source, names: list[str], column: str | int) -> int:
    """Position of a column given by name or position; text that is no name but a whole number is a position."""
    if isinstance(column, str):
        if column in names:
            return names.index(column)
        if not column.removeprefix("-").isdecimal():
            raise source.error(f"there is no column {column!r}; {_instead(column, names)}")
        column = int(column)
    if not -len(names) <= column < len(names):
        raise source.error(f"there is no column at position {column}; there are {len(names)}, counted from 0")
    return int(column) % len(names)


def _instead(name: str, names: list[str]) -> str:
    close = get_close_matches(name, names, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"there are {', '.join(names[:10])}{', ...' if len(names) > 10 else ''}"
