"""The compiled scanner of libsvm's text: one row per line, ``label [qid:n] index:value ... [# comment]``."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.jit import jit_in_place, jit_uncounted
from winnowkit.data.formats.decimal_kernel import BAD, HARD, number

MAX_INDEX = 2**31 - 2
"""The largest index: positions are 32-bit integers, with room for one more column."""


class Wrong(IntEnum):
    """The possible errors in a line."""

    NOTHING = 0
    LABEL = 1
    LABELS = 2
    PAIR = 3
    INDEX = 4
    ORDER = 5
    VALUE = 6
    NOT_FINITE = 7
    QID = 8


class Counts(NamedTuple):
    """Positions in `Scanned.counts`; numba 0.61 does not accept a member of an IntEnum as an index."""

    ROWS: int = 0
    ENTRIES: int = 1
    HARD: int = 2
    STOP: int = 3  # where the scan ended: at the next line, or at an error
    SMALLEST: int = 4
    LARGEST: int = 5


COUNT = Counts()


class Scanned(NamedTuple):
    """LibsvmRows, and room for more; `hard` lists numbers that Python must read: entry (or -1 - row), start, stop."""

    labels: NDArray[np.float64]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[np.float64]
    hard: NDArray[np.int64]
    counts: NDArray[np.int64]


@jit_in_place
def is_space(c: int) -> bool:
    """Whether a byte is white space within a line."""
    return c == 32 or (9 <= c <= 13 and c != 10)


@jit_in_place
def skip_spaces(text: Any, p: int) -> int:
    """Return the position of the next byte that is not white space."""
    while is_space(text[p]):
        p += 1
    return p


@jit_in_place
def ends_token(c: int) -> bool:
    """Whether a byte may follow a number: white space, a line end or a comment."""
    return c == 32 or 9 <= c <= 13 or c == 35


@jit_in_place
def skip_qid(text: Any, p: int) -> tuple[int, bool]:
    """Return the position after ``qid:n`` and white space, if it stands at p, and whether it is well formed."""
    if not (text[p] == 113 and text[p + 1] == 105 and text[p + 2] == 100 and text[p + 3] == 58):
        return p, text[p] != 113
    first = p + 4
    p = first
    while 48 <= text[p] <= 57:
        p += 1
    return skip_spaces(text, p), p > first and ends_token(text[p])


@jit_in_place
def wrong_number(text: Any, p: int, otherwise: int) -> int:
    """Return NOT_FINITE if the text at p is infinity or NaN, and the other error if not."""
    c = text[p + 1] if text[p] == 43 or text[p] == 45 else text[p]
    return Wrong.NOT_FINITE if c | 32 == 105 or c | 32 == 110 else otherwise  # i, n


@jit_in_place
def postpone(out: Scanned, place: int, begin: int, end: int) -> None:
    """Leave a number for Python to read."""
    k = out.counts[COUNT.HARD]
    out.hard[k, 0], out.hard[k, 1], out.hard[k, 2] = place, begin, end
    out.counts[COUNT.HARD] = k + 1


@jit_in_place
def scan_label(text: Any, p: int, row: int, out: Scanned) -> tuple[int, int]:
    """Read a label and an optional qid; return the position after them and the error, if any."""
    value, end, status = number(text, p)
    if status == BAD or not ends_token(text[end]):
        return p, Wrong.LABELS if text[end] == 44 else wrong_number(text, p, Wrong.LABEL)  # ,
    out.labels[row] = value
    if status == HARD:
        postpone(out, -1 - row, p, end)
    end = skip_spaces(text, end)
    after, good = skip_qid(text, end)
    return (after, Wrong.NOTHING) if good else (end, Wrong.QID)


@jit_in_place
def scan_entries(text: Any, p: int, n: int, out: Scanned) -> tuple[int, int, int]:
    """Read the entries of a row, starting with entry n; return the position, the number of entries and the error."""
    last = -1
    while text[p] != 10 and text[p] != 35:
        begin, index = p, 0
        while 48 <= text[p] <= 57:
            index = min(10 * index + (int(text[p]) - 48), MAX_INDEX + 1)
            p += 1
        if p == begin or text[p] != 58:
            return begin, n, Wrong.PAIR
        if index > MAX_INDEX:
            return begin, n, Wrong.INDEX
        if index <= last:
            return begin, n, Wrong.ORDER
        begin = p + 1
        value, p, status = number(text, begin)
        if status == BAD or not ends_token(text[p]):
            return begin, n, wrong_number(text, begin, Wrong.VALUE)
        if status == HARD:
            postpone(out, n, begin, p)
        if last < 0:
            out.counts[COUNT.SMALLEST] = min(out.counts[COUNT.SMALLEST], index)
        out.indices[n], out.data[n] = index, value
        last = index
        n += 1
        p = skip_spaces(text, p)
    out.counts[COUNT.LARGEST] = max(out.counts[COUNT.LARGEST], last)
    return p, n, Wrong.NOTHING


@jit_uncounted
def scan(text: Any, start: int, max_rows: int, out: Scanned) -> int:
    """Add rows from a text of whole lines until there are `max_rows`; return the error at counts[STOP], if any."""
    rows, entries, p = out.counts[COUNT.ROWS], out.counts[COUNT.ENTRIES], start
    wrong: int = Wrong.NOTHING
    out.counts[COUNT.HARD] = 0
    while p < text.size and rows < max_rows:
        p = skip_spaces(text, p)
        if text[p] != 10 and text[p] != 35:  # neither blank nor a comment
            p, wrong = scan_label(text, p, rows, out)
            if wrong == 0:
                p, entries, wrong = scan_entries(text, p, entries, out)
            if wrong != 0:
                break
            rows += 1
            out.indptr[rows] = entries
        while text[p] != 10:
            p += 1
        p += 1
    out.counts[COUNT.ROWS], out.counts[COUNT.ENTRIES], out.counts[COUNT.STOP] = rows, entries, p
    return wrong
