"""Writing tables to files, through a temporary file that is renamed when complete, so that no partial file is left."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from winnowkit.core.atomic_write import replacing
from winnowkit.core.columns import columns_of, is_missing
from winnowkit.core.frame import Frame
from winnowkit.core.optional import import_optional
from winnowkit.core.sparse import check_sparse
from winnowkit.data.errors import DataError
from winnowkit.data.formats.arrow import import_pyarrow
from winnowkit.data.formats.dialect import SUFFIXES
from winnowkit.data.formats.source import bare_suffix
from winnowkit.data.formats.writers import write_arff, write_csv, write_libsvm, write_tsv, write_vw

_TEXT: dict[str, Callable[[IO[str], Any, NDArray[Any] | None, str], None]] = {
    "csv": write_csv,
    "tsv": write_tsv,
    "libsvm": write_libsvm,
    "arff": write_arff,
    "vw": write_vw,
}
_BINARY = ("parquet", "feather")


def write_table(
    X: Any,
    y: ArrayLike | None,
    path: str | os.PathLike[str],
    *,
    format: str = "auto",  # noqa: A002
    target: str = "class",
    names: Sequence[str] | None = None,
) -> None:
    """Write a table to a file, completely or not at all.

    Parameters
    ----------
    X : Frame, pandas or polars frame, array, or sparse matrix
        The rows. libsvm and vw accept numbers and sparse matrices; vw also accepts categories, as ``name=value``.
    y : array-like or None
        One label per row, written as the last column, `target`, of tables. libsvm needs labels that are numbers.
    path : path
        The file. An existing file is replaced when the new one is complete. The suffixes ``.gz`` and ``.zst`` pack it.
    format : str, default="auto"
        "csv", "tsv", "libsvm", "arff", "parquet", "feather" or "vw"; "auto" chooses by the suffix.
    target : str, default="class"
        Name of the column that holds the labels.
    names : sequence of str, default=None
        Names of the columns; None takes those of the table, or else x0, x1, ...

    See Also
    --------
    read_table : Reads the file again.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from winnowkit.data import Frame, read_table, write_table
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> write_table(Frame({"size": [1, 2.5], "colour": ["red", None]}), ["yes", "no"], folder / "cars.csv")
    >>> print((folder / "cars.csv").read_text(), end="")
    size,colour,class
    1,red,yes
    2.5,,no
    >>> read_table(folder / "cars.csv", target="class")[0]["colour"].tolist()
    ['red', None]
    """
    path = Path(path)
    if format == "auto":
        suffix = bare_suffix(path.name)
        format = next((name for name, suffixes in SUFFIXES.items() if suffix in suffixes), f"of {path.name}")  # noqa: A001
    if format not in (*_TEXT, *_BINARY):
        raise DataError(f"{path}: format must be one of {', '.join((*_TEXT, *_BINARY))}; got {format!r}")
    labels = None if y is None else np.asarray(y)
    is_sparse = hasattr(X, "tocsr") and names is None
    if is_sparse:
        check_sparse(X)
    table: Any = X.tocsr() if is_sparse else as_frame(X, names)
    if labels is not None and labels.shape != (table.shape[0],):
        raise DataError(f"{path}: y must have one label per row ({table.shape[0]}), got shape {labels.shape}")
    if isinstance(table, Frame) and labels is not None and target in table:
        raise DataError(f"{path}: X already has a column {target!r}; pass another target=")
    with _replacing(path) as file:
        if format in _BINARY:
            _write_arrow(file, table, labels, target, format)
        else:
            text = TextIOWrapper(file, encoding="utf-8", newline="", write_through=False)
            _TEXT[format](text, table, labels, target)
            text.flush()
            text.detach()


def as_frame(X: Any, names: Sequence[str] | None = None) -> Frame:
    """Return any table as a frame, in which numbers stay numbers and other values become text.

    Examples
    --------
    >>> as_frame([["sunny", 25.5], [None, 18.0]], ["sky", "degrees"])
    Frame of 2 rows: sky (category), degrees (numeric)
    """
    if isinstance(X, Frame) and names is None:
        return X
    table = columns_of(X.toarray() if hasattr(X, "toarray") else X)
    named = list(names or table.names or [f"x{j}" for j in range(len(table.columns))])
    if len(named) != len(table.columns) or len(set(named)) < len(named):
        raise DataError(f"names must be {len(table.columns)} distinct names, got {len(named)}")
    return Frame({name: _plain(column.values) for name, column in zip(named, table.columns, strict=True)})


def _plain(values: Any) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind in "fiu":
        return array.astype(np.float64)
    given = [value for value in values if not is_missing(value)]
    if given and all(isinstance(value, float | int) and not isinstance(value, bool) for value in given):
        return np.array([np.nan if is_missing(value) else float(value) for value in values])
    texts = np.empty(len(values), dtype=object)
    texts[:] = [None if is_missing(value) else str(value) for value in values]
    return texts


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that replaces `path` if nothing fails, packed according to its name."""
    if not path.absolute().parent.is_dir() or not os.access(path.absolute().parent, os.W_OK):
        raise DataError(f"{path}: cannot be written; check the folder")
    if path.exists() and not path.is_file():
        raise DataError(f"{path}: is not a regular file and cannot be replaced; name a file")
    with replacing(path) as raw, _packed(raw, path) as file:
        yield file


@contextmanager
def _packed(raw: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    if path.suffix.lower() == ".gz":
        with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed:
            yield packed  # type: ignore[misc]  # it writes bytes
    elif path.suffix.lower() == ".zst":
        zstandard = import_optional("zstandard", "zstd files need zstandard", "winnowkit[files]")
        with zstandard.ZstdCompressor().stream_writer(raw, closefd=False) as packed:
            yield packed
    else:
        yield raw


def _write_arrow(file: IO[bytes], table: Any, labels: NDArray[Any] | None, target: str, format: str) -> None:  # noqa: A002
    pa = import_pyarrow("pyarrow")
    if not isinstance(table, Frame):
        raise DataError("Parquet and Feather files hold dense tables; write a sparse matrix as libsvm, or pass names=")
    columns = {
        name: pa.array(table[name], from_pandas=True)
        if table[name].dtype.kind in "fM"
        else pa.array([None if value is None else str(value) for value in table[name].tolist()], pa.string())
        for name in table.columns
    }
    if labels is not None:
        columns[target] = pa.array(labels.tolist())
    written = pa.table(columns)
    if format == "parquet":
        import_pyarrow("pyarrow.parquet").write_table(written, file)
    else:
        import_pyarrow("pyarrow.feather").write_feather(written, file)
