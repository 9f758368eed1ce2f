"""libsvm's (svmlight's) text: one row per line, ``label [qid:n] index:value ... [# comment]``, indices ascending."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from winnowkit.data.errors import DataError
from winnowkit.data.formats.base import Chunk, Parsed, TableRequest, check_no_columns
from winnowkit.data.formats.libsvm_kernel import MAX_INDEX
from winnowkit.data.formats.libsvm_rows import IndexSpan, LibsvmRows, Scanner, index_error
from winnowkit.data.formats.source import MAX_LINE_BYTES, Source


def _expected(n_features: int | None, zero_based: bool | str) -> IndexSpan:
    """Return the indices that are allowed before anything has been read."""
    if zero_based not in (True, False, "auto"):
        raise ValueError(f"zero_based must be True, False or 'auto', got {zero_based!r}")
    return IndexSpan(MAX_INDEX if n_features is None else n_features, int(zero_based is not True), zero_based == "auto")


def _span(scanner: Scanner, n_features: int | None, zero_based: bool | str) -> IndexSpan:
    """Return the columns for the indices seen, counted as in scikit-learn; an index may still be too large."""
    first = int(not zero_based if zero_based != "auto" else 0 < scanner.smallest <= scanner.largest)
    return IndexSpan(max(scanner.largest - first + 1, 1) if n_features is None else n_features, first)


def _matrix(rows: LibsvmRows, span: IndexSpan) -> Any:
    indices = rows.indices
    if span.first:
        indices -= np.int32(1)
    index = np.int32 if len(indices) < 2**31 else np.int64
    X = csr_matrix((len(rows.labels), span.n_features), dtype=np.float64)
    X.data, X.indices, X.indptr = rows.data, indices.astype(index, copy=False), rows.indptr.astype(index, copy=False)
    X.has_sorted_indices = X.has_canonical_format = True  # the scanner has checked it
    return X


def read_libsvm(
    source: Any,
    n_features: int | None = None,
    *,
    zero_based: bool | str = "auto",
    max_line_bytes: int = MAX_LINE_BYTES,
) -> tuple[Any, NDArray[np.float64]]:
    r"""Read a file in libsvm's (svmlight's) format.

    Every line is checked: indices must be whole numbers in increasing order, labels and values finite numbers. An error
    names the line and the column, and nothing is returned. ``qid:n`` after the label is ignored, as is text after
    a ``#``.

    Parameters
    ----------
    source : path, open binary file, or "-"
        "-" is standard input. Files packed by gzip or zstd are recognised and unpacked.
    n_features : int, default=None
        Number of columns; None takes as many as the largest index needs.
    zero_based : bool or "auto", default="auto"
        Whether the first column has index 0; "auto" means that it does if an index 0 occurs, as in scikit-learn.
    max_line_bytes : int
        A longer line is an error.

    Returns
    -------
    X : scipy.sparse.csr_matrix of float64
        The values.
    y : float64 array
        The labels.

    See Also
    --------
    open_table : Reads in chunks, and other formats.

    Examples
    --------
    >>> import io
    >>> from winnowkit.data import read_libsvm
    >>> X, y = read_libsvm(io.BytesIO(b"1 1:0.5 3:1\n-1 2:1 # a comment\n"))
    >>> X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 1.0], [0.0, 1.0, 0.0]], [1.0, -1.0])
    """
    with Source(source, max_line_bytes=max_line_bytes, whole=True) as opened:
        chunk = next(_whole(opened, n_features, zero_based))
    assert chunk.y is not None
    return chunk.X, chunk.y


def _whole(source: Source, n_features: int | None, zero_based: bool | str) -> Iterator[Chunk]:
    scanner = Scanner(source, _expected(n_features, zero_based))
    rows = next(scanner.chunks(None), None)
    if rows is None:
        raise source.error("there are no rows; expected lines of label index:value ...")
    span = _span(scanner, n_features, zero_based)
    if not scanner.fits(span):  # an index 0 showed that columns are counted from 0
        raise _located(source, scanner, span)
    yield Chunk(_matrix(rows, span), rows.labels, 0)


def _located(source: Source, scanner: Scanner, span: IndexSpan) -> DataError:
    """Make the error for an index that proved too large only at the end; a file is read again to find the line."""
    if source.path is not None:
        try:
            _looked_through(source, span)
        except DataError as error:
            return error
    return index_error(source, scanner.largest, span)


def _looked_through(source: Source, span: IndexSpan | None = None) -> Scanner:
    """Return a scanner that has read the whole file once."""
    assert source.path is not None
    with Source(source.path, max_line_bytes=source.max_line_bytes, whole=source.whole) as again:
        scanner = Scanner(again, span)
        for _ in scanner.chunks(100_000):
            pass
    return scanner


def open_libsvm(source: Source, request: TableRequest, *, zero_based: bool | str = "auto") -> Parsed:
    """Read libsvm's text in chunks; a file is scanned beforehand if the number of columns is not given."""
    check_no_columns(source, request)
    if request.whole:
        chunks = list(_whole(source, request.n_features, zero_based))
        return Parsed(None, chunks[0].X.shape[1], iter(chunks))
    span = _expected(request.n_features, zero_based)
    if request.n_features is None or span.or_zero:
        if source.path is not None:
            span = _span(_looked_through(source), request.n_features, zero_based)
        elif request.n_features is None:
            raise source.error("the number of columns is known only at the end; pass n_features=, or read from a file")
        else:  # as in nearly all files
            span = IndexSpan(request.n_features, 1)
    rows = Scanner(source, span).chunks(request.chunk_rows)
    return Parsed(None, span.n_features, _chunks(source, rows, span))


def _chunks(source: Source, chunks: Iterator[LibsvmRows], span: IndexSpan) -> Iterator[Chunk]:
    first_row = 0
    for rows in chunks:
        yield Chunk(_matrix(rows, span), rows.labels, first_row)
        first_row += len(rows.labels)
    if not first_row:
        raise source.error("there are no rows; expected lines of label index:value ...")
