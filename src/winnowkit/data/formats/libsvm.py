"""libsvm's text (svmlight's): ``label [qid:n] index:value ... [# comment]``, one row a line, indices ascending."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from winnowkit.data.errors import DataError, NoColumnsError
from winnowkit.data.formats.base import Chunk, Parsed, Wanted
from winnowkit.data.formats.libsvm_kernel import MAX_INDEX
from winnowkit.data.formats.libsvm_rows import Rows, Scanner, Shape, index_error
from winnowkit.data.formats.source import MAX_LINE_BYTES, Source


def _expected(n_features: int | None, zero_based: bool | str) -> Shape:
    """What is known of the shape before anything is read."""
    if zero_based not in (True, False, "auto"):
        raise ValueError(f"zero_based must be True, False or 'auto', got {zero_based!r}")
    return Shape(MAX_INDEX if n_features is None else n_features, int(zero_based is not True), zero_based == "auto")


def _shape(scanner: Scanner, n_features: int | None, zero_based: bool | str) -> Shape:
    """Columns for the indices that were seen, as scikit-learn counts them; more may be seen than there are columns."""
    first = int(not zero_based if zero_based != "auto" else 0 < scanner.smallest <= scanner.largest)
    return Shape(max(scanner.largest - first + 1, 1) if n_features is None else n_features, first)


def _matrix(rows: Rows, shape: Shape) -> Any:
    indices = rows.indices
    if shape.first:
        indices -= np.int32(1)
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
    with Source(source, max_line_bytes=max_line_bytes, whole=True) as opened:
        chunk = next(_whole(opened, n_features, zero_based))
    assert chunk.y is not None
    return chunk.X, chunk.y


def _whole(source: Source, n_features: int | None, zero_based: bool | str) -> Iterator[Chunk]:
    scanner = Scanner(source, _expected(n_features, zero_based))
    rows = next(scanner.chunks(None), None)
    if rows is None:
        raise source.error("there are no rows; expected lines of label index:value ...")
    shape = _shape(scanner, n_features, zero_based)
    if not scanner.fits(shape):  # columns are counted from 0, as an index showed
        raise _located(source, scanner, shape)
    yield Chunk(_matrix(rows, shape), rows.labels, 0)


def _located(source: Source, scanner: Scanner, shape: Shape) -> DataError:
    """The error for an index too large by one, which showed only at the end: a file is read again to find the line."""
    if source.path is not None:
        try:
            _looked_through(source, shape)
        except DataError as error:
            return error
    return index_error(source, scanner.largest, shape)


def _looked_through(source: Source, shape: Shape | None = None) -> Scanner:
    """A scanner that went through the file once."""
    assert source.path is not None
    with Source(source.path, max_line_bytes=source.max_line_bytes, whole=source.whole) as again:
        scanner = Scanner(again, shape)
        for _ in scanner.chunks(100_000):
            pass
    return scanner


def open_libsvm(source: Source, wanted: Wanted, *, zero_based: bool | str = "auto") -> Parsed:
    """Read libsvm's text in chunks; a file is scanned beforehand for what is not given of its shape."""
    refuse_columns(source, wanted)
    if wanted.whole:
        chunks = list(_whole(source, wanted.n_features, zero_based))
        return Parsed(None, chunks[0].X.shape[1], iter(chunks))
    shape = _expected(wanted.n_features, zero_based)
    if wanted.n_features is None or shape.or_zero:
        if source.path is not None:
            shape = _shape(_looked_through(source), wanted.n_features, zero_based)
        elif wanted.n_features is None:
            raise source.error("how many columns there are shows only at the end; pass n_features=, or give a file")
        else:  # as in nearly all files
            shape = Shape(wanted.n_features, 1)
    rows = Scanner(source, shape).chunks(wanted.chunk_rows)
    return Parsed(None, shape.n_features, _chunks(source, rows, shape))


def _chunks(source: Source, chunks: Iterator[Rows], shape: Shape) -> Iterator[Chunk]:
    first_row = 0
    for rows in chunks:
        yield Chunk(_matrix(rows, shape), rows.labels, first_row)
        first_row += len(rows.labels)
    if not first_row:
        raise source.error("there are no rows; expected lines of label index:value ...")


def refuse_columns(source: Source, wanted: Wanted) -> None:
    """Refuse what makes sense for named columns only."""
    if wanted.target is not None:
        raise source.error(f"this format has labels of its own; leave out the target {wanted.target!r}")
    if wanted.columns is not None or wanted.types:
        raise source.error("this format has no named columns; leave out columns= and types=", kind_of=NoColumnsError)
