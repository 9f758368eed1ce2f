"""The parts that all formats share: the request, the chunks, the choice of columns, and lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from winnowkit.data.errors import NoColumnsError, UnknownColumnError, WidthError, shown
from winnowkit.data.formats.source import Source

CHUNK_BYTES = 1 << 25
"""The most bytes of text in a chunk: a chunk of long rows ends before it has all its rows."""

MOST_COLUMNS = 1_000_000
"""The most columns of a text file that has a field for each: a column takes some 500 bytes of memory, even if empty."""

T = TypeVar("T")

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BOM = b"\xef\xbb\xbf"


class Chunk(NamedTuple):
    """Some rows of a table.

    Attributes
    ----------
    X : Frame or scipy.sparse.csr_matrix
        The rows.
    y : array or None
        The labels of the rows.
    first_row : int
        Number of rows before this chunk.
    """

    X: Any
    y: NDArray[Any] | None
    first_row: int


class WeightedChunk(Chunk):
    """A chunk whose examples have an importance and a name, as in Vowpal Wabbit's format.

    Attributes
    ----------
    weights : float64 array
        Importance of each example, 1 by default.
    tags : list of str
        Name of each example, "" by default.
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
class TableRequest:
    """The part of a source that the caller asks for, whatever its format."""

    target: str | int | None = None
    columns: Sequence[str | int] | None = None
    n_features: int | None = None
    chunk_rows: int = 10_000
    types: Mapping[str, str] = field(default_factory=dict)
    whole: bool = False  # the caller keeps all rows, so the reader may keep them too

    def names(self) -> list[str]:
        """All column names that the caller mentions."""
        return [name for name in (self.target, *(self.columns or ()), *self.types) if isinstance(name, str)]


class Parsed(NamedTuple):
    """A source whose beginning has been read: the names (if any) and number of X's columns, the chunks, the dialect."""

    names: list[str] | None
    n_features: int
    chunks: Iterator[Chunk]
    target: str | None = None
    dialect: str | None = None


class Picked(NamedTuple):
    """Positions of the columns that go into X, and of the one that is y."""

    features: list[int]
    target: int | None


def pick(source: Source, names: list[str], request: TableRequest) -> Picked:
    """Find the requested columns, and check that their number is as requested.

    Examples
    --------
    >>> import io
    >>> source = Source(io.BytesIO(b""))
    >>> pick(source, ["a", "b", "class"], TableRequest(target=-1))
    Picked(features=[0, 1], target=2)
    >>> pick(source, ["a", "b", "class"], TableRequest(target="clas"))
    Traceback (most recent call last):
    winnowkit.data.errors.DataError: an open file: there is no column 'clas'; did you mean 'class'?
    """
    target = None if request.target is None else position(source, names, request.target)
    if request.columns is None:
        features = [j for j in range(len(names)) if j != target]
    else:
        features = [position(source, names, column) for column in request.columns]
        if target in features:
            raise source.error(f"column {names[target]!r} is the target; leave it out of columns=")
        if len(set(features)) < len(features):
            raise source.error("columns= names a column twice; name each column once")
    if request.n_features is not None and request.n_features != len(features):
        raise source.error(
            f"expected {request.n_features} columns besides the target, got {len(features)}; choose them with columns=",
            kind_of=WidthError,
            n_features=len(features),
        )
    return Picked(features, target)


def position(source: Source, names: list[str], column: str | int) -> int:
    """Return the position of a column given by name or position; text that is not a name may be a position, too."""
    if isinstance(column, str):
        if column in names:
            return names.index(column)
        if not column.removeprefix("-").isdecimal():
            raise source.error(f"there is no column {column!r}; {_instead(column, names)}")
        column = int(column)
    if not -len(names) <= column < len(names):
        raise source.error(f"there is no column at position {column}; there are {len(names)} columns, counted from 0")
    return int(column) % len(names)


def check_types(source: Source, names: list[str], types: Mapping[str, str]) -> None:
    """Raise an error if a type was given for a column that does not exist."""
    unknown = next((name for name in types if name not in names), None)
    if unknown is not None:
        problem = f"types= names {unknown!r}, but the columns are {', '.join(names[:10])}"
        raise source.error(problem, kind_of=UnknownColumnError, name=unknown, names=names)


def check_no_columns(source: Source, request: TableRequest) -> None:
    """Raise an error if the request mentions columns, which this format does not name."""
    if request.target is not None:
        raise source.error(f"this format includes the labels; leave out the target {request.target!r}")
    if request.columns is not None or request.types:
        raise source.error("this format has no named columns; leave out columns= and types=", kind_of=NoColumnsError)


def similar_name(name: str, names: Sequence[str]) -> str | None:
    """Return the name that is most like another one, whatever their capital letters; None if none is like it.

    Examples
    --------
    >>> similar_name("Age", ["AGE", "town"]), similar_name("class", ["age", "town"])
    ('AGE', None)
    """
    spelled = {other.casefold(): other for other in names}
    close = get_close_matches(name.casefold(), spelled, n=1)
    return spelled[close[0]] if close else None


def _instead(name: str, names: list[str]) -> str:
    similar = similar_name(name, names)
    if similar is not None:
        return f"did you mean {similar!r}?"
    return f"the columns are {', '.join(names[:10])}{', ...' if len(names) > 10 else ''}"


# --- lines of text ----------------------------------------------------------------------------------------------------


class Lines:
    r"""Decoded lines of a source with their line ends, and the number of the last line read.

    Examples
    --------
    >>> import io
    >>> lines = Lines(Source(io.BytesIO(b"a,b\r\n1,2")))
    >>> next(lines), lines.number, next(lines), lines.number
    ('a,b\r\n', 1, '1,2\n', 2)
    """

    def __init__(self, source: Source, encoding: str = "utf-8") -> None:
        self.source, self.encoding = source, "utf-8" if encoding.lower() in ("utf-8-sig", "utf_8_sig") else encoding
        self.number = 0
        self.n_bytes = 0  # characters of text so far; a chunk ends when it has many
        if source.peek().startswith(_UTF16) or _is_wide(self.encoding):
            raise source.error("UTF-16 and UTF-32 text cannot be read; convert it first (iconv -f utf-16 -t utf-8)")
        self._lines = self._decoded()

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.number += 1
        self.n_bytes += len(line)
        return line

    def _decoded(self) -> Iterator[str]:
        first = True
        for block in self.source.blocks():
            if first and block.startswith(_BOM):
                block = block[len(_BOM) :]  # noqa: PLW2901
            first = False
            try:
                text = block.decode(self.encoding)
            except UnicodeDecodeError:
                yield from self._decoded_one_by_one(block)
                continue
            yield from [line + "\n" for line in text[:-1].split("\n")]

    def _decoded_one_by_one(self, block: bytes) -> Iterator[str]:
        """Yield the lines before the one that cannot be decoded, then raise."""
        for line in block[:-1].split(b"\n"):
            try:
                yield line.decode(self.encoding) + "\n"
            except UnicodeDecodeError as error:
                raise self.source.error(
                    f"byte {line[error.start]:#04x} in {shown(line[max(0, error.start - 10) :][:20])} is not "
                    f"{self.encoding}; name the encoding that it was written in, as in encoding='cp1252' (--encoding "
                    "cp1252) for Western European text or 'gb18030' for Chinese; a wrong one makes nonsense of words",
                    line=self.number + 1,
                    column=error.start + 1,
                ) from None


def _is_wide(encoding: str) -> bool:
    try:
        return len("a".encode(encoding)) != 1
    except LookupError:
        raise ValueError(
            f"encoding must be one that Python knows, such as 'utf-8', 'cp1252' or 'gb18030'; got {encoding!r}"
        ) from None


def batches(records: Iterable[tuple[int, T]], lines: Lines, chunk_rows: int) -> Iterator[tuple[list[int], list[T]]]:
    """Group pairs of a line number and a record into lists of at most `chunk_rows`, or of fewer if they are long."""
    numbers: list[int] = []
    group: list[T] = []
    begun = 0
    for number, record in records:
        numbers.append(number)
        group.append(record)
        if len(group) >= chunk_rows or lines.n_bytes - begun > CHUNK_BYTES:
            yield numbers, group
            begun, numbers, group = lines.n_bytes, [], []
    if group:
        yield numbers, group
