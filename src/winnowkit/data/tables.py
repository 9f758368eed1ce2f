"""Reading tables of any format, at once or in chunks of bounded size."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from types import TracebackType
from typing import Any, Self

import numpy as np

from winnowkit.core.frame import Frame
from winnowkit.data.errors import ContradictionError, DataError
from winnowkit.data.formats.base import Chunk, Parsed, TableRequest
from winnowkit.data.formats.dialect import SUFFIXES, detect
from winnowkit.data.formats.source import MAX_LINE_BYTES, Source

_OPENERS = {
    "csv": ("delimited", "open_csv"),
    "tsv": ("delimited", "open_tsv"),
    "parquet": ("arrow", "open_parquet"),
    "feather": ("arrow", "open_feather"),
    "arff": ("arff", "open_arff"),
    "libsvm": ("libsvm", "open_libsvm"),
    "vw": ("vw", "open_vw"),
    "snow": ("snow", "open_snow"),
}


class TableReader:
    r"""An iterator over the chunks of a table, and a context manager that closes the source.

    :func:`winnowkit.data.open_table` makes it.

    Attributes
    ----------
    format : str
        Format of the source.
    names : list of str or None
        Names of the columns of X; None if the format has none.
    n_features : int
        Number of columns of X.
    target : str or None
        Name of the column that is y.
    dialect : str or None
        How a table of text is read: delimiter, decimal mark and line of names; None for other formats.

    See Also
    --------
    open_table : Makes a reader.

    Examples
    --------
    >>> import io
    >>> from winnowkit.data import open_table
    >>> with open_table(io.BytesIO(b"a,b\n1,x\n2,y\n"), target="b") as reader:
    ...     print(reader.format, reader.names, sum(len(chunk.y) for chunk in reader))
    csv ['a'] 2
    """

    def __init__(self, source: Source, format: str, parsed: Parsed) -> None:  # noqa: A002
        self._source, self._chunks = source, parsed.chunks
        self.format, self.names, self.n_features, self.target = format, parsed.names, parsed.n_features, parsed.target
        self.dialect = parsed.dialect

    @property
    def bytes_read(self) -> int:
        """Packed bytes read from the source so far."""
        return self._source.bytes_read

    @property
    def total_bytes(self) -> int | None:
        """Packed bytes of the source in total; None if unknown, as for standard input."""
        return self._source.total_bytes

    def __iter__(self) -> Iterator[Chunk]:
        return self

    def __next__(self) -> Chunk:
        return next(self._chunks)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the source."""
        self._source.close()


def open_table(
    source: Any,
    target: str | int | None = None,
    *,
    format: str = "auto",  # noqa: A002
    chunk_rows: int = 10_000,
    n_features: int | None = None,
    columns: Sequence[str | int] | None = None,
    types: Mapping[str, str] | None = None,
    max_line_bytes: int = MAX_LINE_BYTES,
    **options: Any,
) -> TableReader:
    r"""Read a table in chunks, using memory that does not grow with its length.

    Parameters
    ----------
    source : path, open binary file, or "-"
        "-" is standard input. Files packed by gzip or zstd are recognised and unpacked.
    target : str or int, default=None
        Name or position (negative from the end) of the column that is y; with None, all columns are X. The sparse
        formats (libsvm, vw, snow) include the labels and accept no target.
    format : str, default="auto"
        "csv", "tsv", "parquet", "feather", "arff", "libsvm", "vw" or "snow"; "auto" decides by the file's name, or
        else by its beginning.
    chunk_rows : int, default=10_000
        Number of rows per chunk. A chunk of very long rows has fewer.
    n_features : int, default=None
        Number of columns that X must have. Standard input in libsvm's or SNoW's format needs it; files in these
        formats are read twice without it.
    columns : sequence of str or int, default=None
        Columns of X, by name or position, in this order; None takes all but the target.
    types : mapping of str to {"numeric", "category"}, default=None
        Types of columns, by name, that are not to be inferred.
    max_line_bytes : int
        A longer line is an error.
    **options
        Options of the format; see docs/data.md.

    Returns
    -------
    TableReader
        An iterator over `Chunk(X, y, first_row)`.

    See Also
    --------
    read_table : Reads the whole table at once.

    Examples
    --------
    >>> import io
    >>> from winnowkit.data import open_table
    >>> text = b"colour,size,sold\nred,1,yes\nblue,?,no\nred,3,no\n"
    >>> with open_table(io.BytesIO(text), target="sold", chunk_rows=2) as reader:
    ...     for X, y, first_row in reader:
    ...         print(first_row, X["size"], X["colour"].tolist(), y.tolist())
    0 [ 1. nan] ['red', 'blue'] ['yes', 'no']
    2 [3.] ['red'] ['no']
    """
    if chunk_rows < 1:
        raise ValueError(f"chunk_rows must be at least 1, got {chunk_rows}")
    request = TableRequest(target, columns, n_features, chunk_rows, dict(types or {}))
    return _open(source, request, format, max_line_bytes, options)


def _open(
    source: Any,
    request: TableRequest,
    format: str,  # noqa: A002 - as in open_table
    max_line_bytes: int,
    options: Mapping[str, Any],
) -> TableReader:
    opened = Source(source, max_line_bytes=max_line_bytes, whole=request.whole)
    try:
        name = detect(opened) if format == "auto" else format
        opener = _opener(name, options)
        return TableReader(opened, name, opener(opened, request, **options))
    except BaseException:
        opened.close()
        raise


def read_table(
    source: Any,
    target: str | int | None = None,
    *,
    format: str = "auto",  # noqa: A002
    n_features: int | None = None,
    columns: Sequence[str | int] | None = None,
    types: Mapping[str, str] | None = None,
    max_line_bytes: int = MAX_LINE_BYTES,
    **options: Any,
) -> tuple[Any, Any]:
    r"""Read a whole table.

    Parameters
    ----------
    source : path-like, binary file or "-"
        The source; this and all other parameters are those of :func:`winnowkit.data.open_table`.
    target : str or int, optional
        The column that holds the labels.
    format : str, default="auto"
        The format of the source.
    n_features : int, optional
        Number of columns that X must have.
    columns : sequence of str or int, optional
        The columns of X, in this order.
    types : mapping, optional
        Types of columns by name, "category" or "numeric".
    max_line_bytes : int
        The longest line that is accepted.
    **options
        Options of the format.

    Returns
    -------
    X : Frame or scipy.sparse.csr_matrix
        A `Frame` of numbers and categories; a matrix for the sparse formats.
    y : array or None
        Labels: strings or numbers.

    See Also
    --------
    open_table : Reads in chunks, in constant memory.
    write_table : Writes a table.

    Examples
    --------
    >>> import io
    >>> from winnowkit.data import read_table
    >>> X, y = read_table(io.BytesIO(b"colour,size,sold\nred,1,yes\nblue,?,no\n"), target=-1)
    >>> X
    Frame of 2 rows: colour (category), size (numeric)
    >>> y.tolist()
    ['yes', 'no']
    """
    found = dict(types or {})
    while True:
        request = TableRequest(target, columns, n_features, 10_000, found, whole=True)
        try:
            with _open(source, request, format, max_line_bytes, options) as reader:
                again = reader._source.path is not None
                return _joined(list(reader))
        except ContradictionError as error:  # types were inferred from the first rows, which a later row contradicts
            if not again or error.column in (types or {}):
                raise
            found[error.column] = error.kind


def _joined(chunks: list[Chunk]) -> tuple[Any, Any]:
    tables = [chunk.X for chunk in chunks]
    if isinstance(tables[0], Frame):
        X: Any = Frame.concatenate(tables)
    else:
        X = import_module("scipy.sparse").vstack(tables, format="csr")
    labels = [chunk.y for chunk in chunks if chunk.y is not None]
    return X, np.concatenate(labels) if labels else None


def _opener(name: str, options: Mapping[str, Any]) -> Callable[..., Parsed]:
    """Return the function that opens a format; raise an error for options that it does not have."""
    if name not in _OPENERS:
        raise DataError(f"format must be 'auto' or one of {', '.join(SUFFIXES)}; got {name!r}")
    module, function = _OPENERS[name]
    opener: Callable[..., Parsed] = getattr(import_module(f"winnowkit.data.formats.{module}"), function)
    known = [p.name for p in inspect.signature(opener).parameters.values() if p.kind is p.KEYWORD_ONLY]
    for option in options:
        if option not in known:
            raise DataError(f"format {name!r} has no option {option!r}; it has {', '.join(known) or 'none'}")
    return opener
