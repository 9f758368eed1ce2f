"""LibsvmRows of libsvm's text, scanned and checked in chunks; an error names the line and the column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.data.errors import DataError, IndexTooLargeError, shown
from winnowkit.data.formats.base import CHUNK_BYTES
from winnowkit.data.formats.libsvm_kernel import COUNT, MAX_INDEX, Scanned, Wrong, scan
from winnowkit.data.formats.source import Source

_EXPECTED = {
    Wrong.LABEL: "expected a number as the label, got {}; write label index:value ...",
    Wrong.LABELS: "expected one label, got {}; rows with several labels are not supported, keep one of them",
    Wrong.PAIR: "expected index:value with a non-negative whole number as the index, got {}; fix the line",
    Wrong.INDEX: f"the index {{}} is too large; the largest is {MAX_INDEX}: number or hash the attributes",
    Wrong.ORDER: "the index {} is not larger than the one before it; sort each line by index and use each index once",
    Wrong.VALUE: "expected a number as the value, got {}; fix the line",
    Wrong.NOT_FINITE: "{} is infinite or not a number; leave the entry out where the value is missing",
    Wrong.QID: "expected qid: and a whole number, got {}; fix it or leave it out",
}
_ENTRY = re.compile(rb"#[^\n]*|(?<=\s)([0-9]+):")  # a comment, or the index of an entry
_NONE = np.array([MAX_INDEX if place == COUNT.SMALLEST else -1 if place == COUNT.LARGEST else 0 for place in COUNT])


class LibsvmRows(NamedTuple):
    """Rows with the indices of the text."""

    labels: NDArray[np.float64]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[np.float64]


class IndexSpan(NamedTuple):
    """The indices that a file may use, and the columns that they stand for."""

    n_features: int
    first: int  # the index of column 0
    or_zero: bool = False  # whether an index 0, which shows that columns are counted from 0, is allowed too

    def takes(self, index: int) -> bool:
        """Whether an index stands for a column."""
        return (0 if self.or_zero else self.first) <= index < self.first + self.n_features


class Scanner:
    """Reads rows in chunks, remembers the smallest and the largest index, and checks that they are in the span."""

    def __init__(self, source: Source, span: IndexSpan | None = None) -> None:
        self.source, self.span = source, span
        self.line = 0  # number of lines before the current block
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
        return int(self._out.counts[COUNT.SMALLEST])

    @property
    def largest(self) -> int:
        """The largest index so far, -1 if there is none."""
        return int(self._out.counts[COUNT.LARGEST])

    def chunks(self, chunk_rows: int | None) -> Iterator[LibsvmRows]:
        """Yield chunks of `chunk_rows` rows, of fewer if they are long; None yields all rows at once."""
        n_bytes = 0
        most = 2**62 if chunk_rows is None else chunk_rows
        for block in self.source.blocks():
            text = np.frombuffer(block, dtype=np.uint8)
            start = 0
            while start < len(block):
                self._make_room(len(block) - start, ahead=chunk_rows is None)
                stop = self._scan(block, text, start, most)
                if self.span is not None and not self.fits(self.span):
                    raise self._outside(block, start, self.span)
                n_bytes, start = n_bytes + stop - start, stop
                rows = self._out.counts[COUNT.ROWS]
                if rows >= most or (rows and n_bytes > CHUNK_BYTES and chunk_rows is not None):
                    yield self._taken(copy=True)
                    n_bytes = 0
            self.line += block.count(b"\n")
        if self._out.counts[COUNT.ROWS]:
            yield self._taken(copy=chunk_rows is not None)

    def fits(self, span: IndexSpan) -> bool:
        """Whether all indices so far stand for columns."""
        return self.largest < 0 or (span.takes(self.smallest) and span.takes(self.largest))

    def _make_room(self, n_bytes: int, *, ahead: bool) -> None:
        """Make room for any text of `n_bytes` (a row takes at least two, an entry four), or for all that is left."""
        out = self._out
        rows, entries = (int(out.counts[i]) for i in (COUNT.ROWS, COUNT.ENTRIES))
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
        """Scan some rows of a block, and return the position after them."""
        out = self._out
        wrong = scan(text, start, max_rows, out)
        stop = int(out.counts[COUNT.STOP])
        if wrong:
            raise self._error(block, stop, Wrong(wrong))
        for place, begin, end in out.hard[: out.counts[COUNT.HARD]].tolist():
            value = float(block[begin:end])
            if np.isinf(value):
                raise self._error(block, begin, Wrong.NOT_FINITE)
            if place < 0:
                out.labels[-1 - place] = value
            else:
                out.data[place] = value
        return stop

    def _taken(self, *, copy: bool) -> LibsvmRows:
        """Return the rows scanned so far; the room is used again if they are copied."""
        out = self._out
        rows, entries = out.counts[COUNT.ROWS], out.counts[COUNT.ENTRIES]
        out.counts[COUNT.ROWS] = out.counts[COUNT.ENTRIES] = 0
        labels, indptr, indices, data = (
            out.labels[:rows],
            out.indptr[: rows + 1],
            out.indices[:entries],
            out.data[:entries],
        )
        if not copy:
            return LibsvmRows(labels, indptr, indices, data)
        return LibsvmRows(labels.copy(), indptr.copy(), indices.copy(), data.copy())

    def _error(self, block: bytes, at: int, wrong: Wrong) -> DataError:
        token = block[at : at + 60].split()
        return self.source.error(
            _EXPECTED[wrong].format(shown(token[0]) if token else "the end of the line"),
            line=self.line + block.count(b"\n", 0, at) + 1,
            column=at - block.rfind(b"\n", 0, at),
        )

    def _outside(self, block: bytes, start: int, span: IndexSpan) -> DataError:
        """Make the error for the first index from `start` on that stands for no column."""
        for entry in _ENTRY.finditer(block, start):
            if entry[1] is not None and not span.takes(int(entry[1])):
                at = entry.start()
                line = self.line + block.count(b"\n", 0, at) + 1
                return index_error(self.source, int(entry[1]), span, line, at - block.rfind(b"\n", 0, at))
        raise AssertionError("no index of this block is outside the span")


def index_error(
    source: Source, index: int, span: IndexSpan, line: int | None = None, column: int | None = None
) -> DataError:
    """Make the error for an index that stands for no column."""
    if index < span.first:
        return source.error(
            f"the index is {index}, but columns are counted from 1; pass zero_based=True", line=line, column=column
        )
    return source.error(
        f"the index {index} is too large for {span.n_features} columns counted from {span.first}; "
        f"pass n_features={index - span.first + 1} or more",
        line=line,
        column=column,
        kind_of=IndexTooLargeError,
        index=index,
    )


def _grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    grown = np.empty(max(size, len(array)), dtype=array.dtype)
    grown[: len(array)] = array
    return grown
