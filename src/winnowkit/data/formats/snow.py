"""SNoW's text (Carlson, Cumby, Rosen & Roth, SNoW user guide, "Example files").

Grammar: an example is a list of ids, ``id`` or ``id(strength)``, separated by commas and ended by a colon; white space
and line ends between them are ignored. An id is a whole number that stands for an active attribute or for the class.
Thus ``0, 7, 13(2.5):`` has class 0, attribute 7 with the value 1 and attribute 13 with the value 2.5.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from math import isfinite

import numpy as np
from scipy.sparse import csr_matrix

from winnowkit.data.errors import IndexTooLargeError, shown
from winnowkit.data.formats.base import Chunk, Lines, Parsed, TableRequest, batches, check_no_columns
from winnowkit.data.formats.kinds import is_number
from winnowkit.data.formats.libsvm_kernel import MAX_INDEX
from winnowkit.data.formats.source import Source

_ITEM = re.compile(r"(\d+)\s*(?:\(([^()]*)\))?", re.ASCII)
NO_LABEL = -1


def open_snow(source: Source, request: TableRequest, *, labels: Collection[int] | None = None) -> Parsed:
    """Read SNoW's text; every id is a column.

    Parameters
    ----------
    source, request
        The source, and the part of it to read. Without `n_features`, a file is read twice to find its largest id.
    labels : collection of int, default=None
        The ids that are classes, wherever they stand in an example; y is -1 for an example without one. None means
        that the first id of each example is its class.
    """
    check_no_columns(source, request)
    classes = None if labels is None else frozenset(labels)
    n_features = request.n_features
    if n_features is None and source.path is None:
        if not request.whole:
            raise source.error("the number of columns is known only at the end; pass n_features=, or read from a file")
        examples = list(_examples(source, Lines(source), classes))
        if not examples:
            raise source.error("there are no examples; expected ids separated by commas and ended by a colon")
        n_features = 1 + max((max(ids, default=0) for _, (_, ids) in examples), default=0)
        chunk = _chunk(source, [line for line, _ in examples], [example for _, example in examples], n_features, 0)
        return Parsed(None, n_features, iter([chunk]))
    if n_features is None:
        with Source(source.path, max_line_bytes=source.max_line_bytes, whole=source.whole) as before:
            n_features = 1 + max(
                (max(ids, default=0) for _, (_, ids) in _examples(before, Lines(before), classes)), default=0
            )
    return Parsed(None, n_features, _chunks(source, classes, n_features, request.chunk_rows))


SnowExample = tuple[int, dict[int, float]]  # the class, and strengths by id


def _chunks(source: Source, classes: frozenset[int] | None, n_features: int, chunk_rows: int) -> Iterator[Chunk]:
    lines = Lines(source)
    first_row = 0
    for numbers, examples in batches(_examples(source, lines, classes), lines, chunk_rows):
        yield _chunk(source, numbers, examples, n_features, first_row)
        first_row += len(examples)
    if not first_row:
        raise source.error("there are no examples; expected ids separated by commas and ended by a colon")


def _chunk(source: Source, numbers: list[int], examples: list[SnowExample], n_features: int, first_row: int) -> Chunk:
    for line, (_, ids) in zip(numbers, examples, strict=True):
        if max(ids, default=0) >= n_features:
            raise source.error(
                f"the id {max(ids)} is too large for {n_features} columns; pass a larger n_features",
                line=line,
                kind_of=IndexTooLargeError,
                index=max(ids),
            )
    indptr = np.cumsum([0, *(len(ids) for _, ids in examples)])
    indices = np.array([i for _, ids in examples for i in ids], dtype=np.int32)
    data = np.array([strength for _, ids in examples for strength in ids.values()], dtype=np.float64)
    X = csr_matrix((data, indices, indptr), shape=(len(examples), n_features))
    X.sort_indices()
    return Chunk(X, np.array([label for label, _ in examples], dtype=np.int64), first_row)


def _examples(source: Source, lines: Lines, classes: frozenset[int] | None) -> Iterator[tuple[int, SnowExample]]:
    """Yield examples, each with the line on which it ends."""
    begun: list[str] = []
    n_begun = 0
    for line in lines:
        *ended, rest = line.split(":")
        for text in ended:
            begun.append(text)
            yield lines.number, _example(source, lines.number, "".join(begun), classes)
            begun, n_begun = [], 0
        begun.append(rest)
        n_begun += len(rest)
        if n_begun > source.max_line_bytes:
            raise source.error(
                f"an example is longer than {source.max_line_bytes} bytes; end each example with a colon"
            )
    if "".join(begun).strip():
        raise source.error("the last example does not end with a colon; is the file complete?", line=lines.number)


def _example(source: Source, line: int, text: str, classes: frozenset[int] | None) -> SnowExample:
    ids: dict[int, float] = {}
    label = None
    items = text.split(",")
    if len(items) > 1 and not items[-1].strip():
        items.pop()  # a comma before the colon
    for item in items:
        found = _ITEM.fullmatch(item.strip())
        if found is None:
            raise source.error(f"expected an id, or id(strength), got {shown(item.strip())}", line=line)
        i = int(found[1]) if len(found[1]) < 19 else MAX_INDEX + 1
        if i > MAX_INDEX:
            raise source.error(f"the id {found[1][:20]} is too large; the largest is {MAX_INDEX}", line=line)
        is_label = label is None if classes is None else i in classes
        if is_label:
            if label is not None and label != i:
                raise source.error(f"the example has two classes, {label} and {i}; keep one", line=line)
            label = i
        else:
            ids[i] = 1.0 if found[2] is None else _strength(source, line, found[2])
    return NO_LABEL if label is None else label, ids


def _strength(source: Source, line: int, text: str) -> float:
    if not is_number(text) or not isfinite(float(text)):
        raise source.error(f"expected a finite number as the strength, got {shown(text)}", line=line)
    return float(text)
