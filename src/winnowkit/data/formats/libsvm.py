"""libsvm's text (svmlight's): ``label [qid:n] index:value ... [# comment]``, one row a line, indices ascending."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from winnowkit.data.errors import DataError, shown
from winnowkit.data.formats.base import CHUNK_BYTES, Chunk, Parsed, Wanted
from winnowkit.data.formats.source import MAX_LINE_BYTES, Source
from winnowkit.kernels.libsvm import MAX_INDEX, Count, Scanned, Wrong, scan

_EXPECTED = {
    Wrong.LABEL: "expected a number, the label, got {}; write label index:value ...",
    Wrong.LABELS: "expected one label, got {}; rows of several labels cannot be learned, keep one of them",
    Wrong.PAIR: "expected index:value, the index a whole number that is not negative, got {}; mend the line",
    Wrong.INDEX: f"the index {{}} is too large; the largest is {MAX_INDEX}: number or hash the attributes",
    Wrong.ORDER: "the index {} is not larger than the one before it; sort each line by index and name each once",
    Wrong.VALUE: "expected a number, the value, got {}; mend the line",
    Wrong.NOT_FINITE: "{} is infinite or not a number; leave the entry out where the value is missing",
    Wrong.QID: "expected qid: and a whole number, got {}; mend the line or leave it out",
}


_NONE = np.array([MAX_INDEX if place is Count.SMALLEST else -1 if place is Count.LARGEST else 0 for place in Count])


class Rows(NamedTuple):
    """Rows as they stand in the text."""

    labels: NDArray[np.float64]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[np.float64]


class Scanner:
    """Rows of a source, in chunks; remembers the smallest and the largest index."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.line = 0  # lines before the block in hand
        self._out = Scanned(
            np.empty(0),
            np.empty(0, dtype=np.int64),
            np.empty(0, dtype=np.int32),
            np.empty(0),
            np.empty((0, 3), dtype=np.int64),
            _NONE.copy(),
        )

    @property
    def smallest(self) -> int:
        """The smallest index so far."""
        return int(self._out.counts[Count.SMALLEST])

    @property
    def largest(self) -> int:
        """The largest index so far, -1 if there is none."""
        return int(self._out.counts[Count.LARGEST])

    def chunks(self, chunk_rows: int | None) -> Iterator[Rows]:
        """Yield so many rows at a time, fewer if they are long; None: all at once."""
        n_bytes = 0
        most = 2**62 if chunk_rows is None else chunk_rows
        for block in self.source.blocks():
            text = np.frombuffer(block, dtype=np.uint8)
            start = 0
            while start < len(block):
                self._make_room(len(block) - start, ahead=chunk_rows is None)
                stop = self._scan(block, text, start, most)
                n_bytes, start = n_bytes + stop - start, stop
                rows = self._out.counts[Count.ROWS]
                if rows >= most or (rows and n_bytes > CHUNK_BYTES and chunk_rows is not None):
                    yield self._taken(copy=True)
                    n_bytes = 0
            self.line += block.count(b"\n")
        if self._out.counts[Count.ROWS]:
            yield self._taken(copy=chunk_rows is not None)

    def _make_room(self, n_bytes: int, *, ahead: bool) -> None:
        """Make room for any text of so many bytes (a row takes two, an entry four), or for all that is left."""
        out = self._out
        rows, entries = (int(out.counts[i]) for i in (Count.ROWS, Count.ENTRIES))
        need_rows, need_entries = rows + n_bytes // 2 + 2, entries + n_bytes // 4 + 1
        if len(out.labels) >= need_rows and len(out.data) >= need_entries and len(out.hard) >= n_bytes // 4 + 1:
            return
        scale = 2.0
        if ahead and rows and self.source.packing is None and self.source.total_bytes:
            scale = 1.1 * self.source.total_bytes / max(self.source.bytes_read - n_bytes, 1)
        self._out = Scanned(
            _grown(out.labels, need_rows + int(scale * rows)),
            _grown(out.indptr, need_rows + int(scale * rows) + 1),
            _grown(out.indices, need_entries + int(scale * entries)),
            _grown(out.data, need_entries + int(scale * entries)),
            np.empty((n_bytes // 4 + 1, 3), dtype=np.int64),
            out.counts.copy(),
        )
        self._out.indptr[0] = 0

    def _scan(self, block: bytes, text: NDArray[np.uint8], start: int, max_rows: int) -> int:
        """Scan some rows of a block; the position after them."""
        out = self._out
        wrong = scan(text, start, max_rows, out)
        stop = int(out.counts[Count.STOP])
        if wrong:
            raise self._error(block, stop, Wrong(wrong))
        for place, begin, end in out.hard[: out.counts[Count.HARD]].tolist():
            value = float(block[begin:end])
            if np.isinf(value):
                raise self._error(block, begin, Wrong.NOT_FINITE)
            if place < 0:
                out.labels[-1 - place] = value
            else:
                out.data[place] = value
        return stop

    def _taken(self, *, copy: bool) -> Rows:
        """Take the rows out of the room, which is used again if they are copied."""
        out = self._out
        rows, entries = out.counts[Count.ROWS], out.counts[Count.ENTRIES]
        out.counts[Count.ROWS] = out.counts[Count.ENTRIES] = 0
        labels, indptr, indices, data = (
            out.labels[:rows],
            out.indptr[: rows + 1],
            out.indices[:entries],
            out.data[:entries],
        )
        if not copy:
            return Rows(labels, indptr, indices, data)
        return Rows(labels.copy(), indptr.copy(), indices.copy(), data.copy())

    def _error(self, block: bytes, at: int, wrong: Wrong) -> DataError:
        token = block[at : at + 60].split()
        return self.source.error(
            _EXPECTED[wrong].format(shown(token[0]) if token else "the end of the line"),
            line=self.line + block.count(b"\n", 0, at) + 1,
            column=at - block.rfind(b"\n", 0, at),
        )


def _grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    grown = np.empty(max(size, len(array)), dtype=array.dtype)
    grown[: len(array)] = array
    return grown


class Shape(NamedTuple):
    """How indices become columns."""

    n_features: int
    first: int  # the index of column 0


def _shape(source: Source, smallest: int, largest: int, n_features: int | None, zero_based: bool | str) -> Shape:
    """Columns for the indices that were seen, as scikit-learn counts them."""
    if zero_based not in (True, False, "auto"):
        raise ValueError(f"zero_based must be True, False or 'auto', got {zero_based!r}")
    first = int(not zero_based if zero_based != "auto" else largest >= 0 and smallest > 0)
    found = largest - first + 1
    if n_features is not None and found > n_features:
        raise source.error(
            f"the largest index is {largest}, too large for {n_features} columns counted from {first}; "
            f"pass n_features={found} or more"
        )
    return Shape(max(found, 1) if n_features is None else n_features, first)


def _matrix(source: Source, rows: Rows, shape: Shape, first_row: int = 0) -> Any:
    indices = rows.indices
    if shape.first:
        indices -= np.int32(1)
    if len(indices) and (indices.min() < 0 or indices.max() >= shape.n_features):
        at = int(np.flatnonzero((indices < 0) | (indices >= shape.n_features))[0])
        row = first_row + int(np.searchsorted(rows.indptr, at, side="right"))  # lines without a row do not count
        if indices[at] < 0:
            raise source.error(
                f"there is an index 0 in row {row}, but columns are counted from 1; pass zero_based=True"
            )
        raise source.error(
            f"there is an index {indices[at] + shape.first}, too large for {shape.n_features} columns counted from "
            f"{shape.first}, in row {row}; pass a larger n_features"
        )
    index = np.int32 if len(indices) < 2**31 else np.int64
    X = csr_matrix((len(rows.labels), shape.n_features), dtype=np.float64)
    X.data, X.indices, X.indptr = rows.data, indices.astype(index, copy=False), rows.indptr.astype(index, copy=False)
    X.has_sorted_indices = X.has_canonical_format = True  # the scanner saw to it
    return X


def read_libsvm(
    source: Any,
    n_features: int | None = None,
    *,
    zero_based: bool | str = "auto",
    max_line_bytes: int = MAX_LINE_BYTES,
) -> tuple[Any, NDArray[np.float64]]:
    r"""Read a file in libsvm's (svmlight's) format.

    Every line is checked: indices must be whole numbers and increase, labels and values finite numbers; an error names
    the line and the column, and nothing is returned then. ``qid:n`` after the label is read over, as is what follows
    a ``#``.

    Parameters
    ----------
    source : path, open binary file, or "-"
        "-" is standard input. gzip and zstd are recognised and unpacked.
    n_features : int, default=None
        Number of columns; None: as many as the largest index needs.
    zero_based : bool or "auto", default="auto"
        Whether the first column has index 0; "auto": if an index 0 occurs, as in scikit-learn.
    max_line_bytes : int
        A longer line is refused.

    Returns
    -------
    X : scipy.sparse.csr_matrix of float64
        The values.
    y : float64 array
        The labels.

    See Also
    --------
    open_table : In chunks, and other formats.

    Examples
    --------
    >>> import io
    >>> from winnowkit.data import read_libsvm
    >>> X, y = read_libsvm(io.BytesIO(b"1 1:0.5 3:1\n-1 2:1 # a comment\n"))
    >>> X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 1.0], [0.0, 1.0, 0.0]], [1.0, -1.0])
    """
    with Source(source, max_line_bytes=max_line_bytes) as opened:
        chunk = next(_whole(opened, n_features, zero_based))
    assert chunk.y is not None
    return chunk.X, chunk.y


def _whole(source: Source, n_features: int | None, zero_based: bool | str) -> Iterator[Chunk]:
    scanner = Scanner(source)
    rows = next(scanner.chunks(None), None)
    if rows is None:
        raise source.error("there are no rows; expected lines of label index:value ...")
    shape = _shape(source, scanner.smallest, scanner.largest, n_features, zero_based)
    yield Chunk(_matrix(source, rows, shape), rows.labels, 0)


def open_libsvm(source: Source, wanted: Wanted, *, zero_based: bool | str = "auto") -> Parsed:
    """Read libsvm's text in chunks; a file is scanned beforehand for what is not given of its shape."""
    refuse_columns(source, wanted)
    if wanted.whole:
        chunks = list(_whole(source, wanted.n_features, zero_based))
        return Parsed(None, chunks[0].X.shape[1], iter(chunks))
    if wanted.n_features is not None and zero_based != "auto":
        shape = Shape(wanted.n_features, int(not zero_based))
    elif source.path is not None:
        with Source(source.path, max_line_bytes=source.max_line_bytes) as before:
            scanner = Scanner(before)
            for _ in scanner.chunks(100_000):
                pass
            shape = _shape(source, scanner.smallest, scanner.largest, wanted.n_features, zero_based)
    elif wanted.n_features is None:
        raise source.error("how many columns there are shows only at the end; pass n_features=, or give a file")
    else:  # as in nearly all files
        shape = Shape(wanted.n_features, 1)
    rows = Scanner(source).chunks(wanted.chunk_rows)
    return Parsed(None, shape.n_features, _chunks(source, rows, shape))


def _chunks(source: Source, chunks: Iterator[Rows], shape: Shape) -> Iterator[Chunk]:
    first_row = 0
    for rows in chunks:
        yield Chunk(_matrix(source, rows, shape, first_row), rows.labels, first_row)
        first_row += len(rows.labels)
    if not first_row:
        raise source.error("there are no rows; expected lines of label index:value ...")


def refuse_columns(source: Source, wanted: Wanted) -> None:
    """Refuse what makes sense for named columns only."""
    if wanted.target is not None:
        raise source.error(f"this format has labels of its own; leave out the target {wanted.target!r}")
    if wanted.columns is not None or wanted.types:
        raise source.error("this format has no named columns; leave out columns= and types=")
