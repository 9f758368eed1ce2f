"""Tables in parts, which are computed when they are needed: those of Dask arrays, data frames and bags, and files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from winnowkit.core.columns import masked_error
from winnowkit.core.labels import check_labels, plain_labels
from winnowkit.core.optional import import_optional
from winnowkit.distributed.cluster import dask


class Part(NamedTuple):
    """One part of a table: its rows and their labels, each of them still to be computed."""

    X: Any
    y: Any


class FilePart:
    """A part that is read by the task that needs it, so that rows never travel, nor wait in the memory of a worker.

    Parameters
    ----------
    rows : callable
        Returns the rows and their labels.
    labels : callable
        Returns the labels alone.
    """

    def __init__(self, rows: Callable[[], tuple[Any, Any]], labels: Callable[[], Any]) -> None:
        self.rows, self.labels = rows, labels


AnyPart = Part | FilePart


def over(function: Callable[..., Any], part: AnyPart, *arguments: Any, **named: Any) -> Any:
    """Return what a function makes of a part, which it takes as X and y, still to be computed."""
    delayed = dask("delayed").delayed
    if isinstance(part, FilePart):
        return delayed(_with_rows)(function, part, *arguments, **named)
    return delayed(function)(*arguments, X=part.X, y=part.y, **named)


def over_labels(function: Callable[..., Any], part: AnyPart) -> Any:
    """Return what a function makes of the labels of a part, still to be computed."""
    delayed = dask("delayed").delayed
    if isinstance(part, FilePart):
        return delayed(_with_labels)(function, part)
    return delayed(function)(part.y)


def _with_rows(function: Callable[..., Any], part: FilePart, *arguments: Any, **named: Any) -> Any:
    X, y = part.rows()
    return function(*arguments, X=X, y=y, **named)


def _with_labels(function: Callable[..., Any], part: FilePart) -> Any:
    return function(part.labels())


class Piece(NamedTuple):
    """Some rows of a part: those from `first` on, in steps of `step`."""

    part: int
    first: int = 0
    step: int = 1


def parts_of(X: Any, y: Any = None) -> list[AnyPart]:
    """Return the parts of a Dask collection, or of a folder of Parquet files.

    Parameters
    ----------
    X : Dask array, data frame or bag, path, or list of parts
        The rows. A path names Parquet files, or a folder of them. A bag holds pairs of a row and its label. Parts are
        returned as they are.
    y : Dask array or series, or str
        The labels, in parts as those of X; for a data frame or files, the name of the column of labels.

    Returns
    -------
    list of Part or FilePart
        The parts, in order.
    """
    if isinstance(X, list) and X and isinstance(X[0], AnyPart):
        return X
    if isinstance(X, (str, PathLike)):
        return _files(str(X), y)
    kind = _kind_of(X)
    if kind == "bag":
        if y is not None:
            raise ValueError("a bag holds pairs of a row and its label: y must be None")
        split = dask("delayed").delayed(_pairs, nout=2)
        return [Part(*split(some)) for some in X.to_delayed()]
    if isinstance(y, str) and kind == "dataframe":
        if y not in X.columns:
            raise ValueError(f"y={y!r} is not a column; there are {', '.join(map(str, X.columns))}")
        split = dask("delayed").delayed(_columns, nout=2)  # Dask might divide one column otherwise than all
        return [Part(*split(some, y)) for some in X.to_delayed()]
    if y is None:
        raise ValueError("y must be given: a Dask array or series, or the name of the column of labels")
    if kind == "array":
        y = _divided_like(X, y)
    elif not hasattr(y, "to_delayed"):
        raise TypeError(
            f"y must be a Dask series or the name of the column of labels, as X is a data frame; got {type(y).__name__}"
        )
    rows, labels = blocks_of(X), list(np.ravel(y.to_delayed()))
    if len(rows) != len(labels):
        raise ValueError(f"X has {len(rows)} parts and y has {len(labels)}: they must be divided alike")
    return [Part(*pair) for pair in zip(rows, labels, strict=True)]


def blocks_of(X: Any) -> list[Any]:
    """Return the blocks of rows of a Dask collection, each of them still to be computed."""
    if _kind_of(X) == "array":
        if X.ndim != 2:
            raise ValueError(f"X must be an array of rows and columns, got one of shape {X.shape}")
        X = X.rechunk({1: -1})
    return list(np.ravel(X.to_delayed()))


def _kind_of(X: Any) -> str:
    """Return "array", "dataframe" or "bag"; raise TypeError for anything but a collection of Dask."""
    root, kind, *_ = f"{type(X).__module__}..".split(".")
    if root != "dask" or not hasattr(X, "to_delayed"):
        raise TypeError(
            f"X must be a Dask array, data frame or bag, got {type(X).__name__}; dask.array.from_array and "
            "dask.dataframe.from_pandas make these of what is in memory, and dask.dataframe.read_parquet of files"
        )
    return kind


def _divided_like(X: Any, y: Any) -> Any:
    """Return labels in parts like those of an array, where the numbers of rows are known."""
    if not hasattr(y, "to_delayed"):
        y = dask("array").from_array(np.asarray(y))
    if not hasattr(y, "chunks") or np.isnan([*X.chunks[0], *y.chunks[0]]).any():
        return y
    if len(X) != len(y):
        raise ValueError(f"X has {len(X):,} rows and y has {len(y):,} labels")
    return y.rechunk({0: X.chunks[0]})


def _files(path: str, y: Any) -> list[AnyPart]:
    """Return one part per Parquet file of a folder, or that a path with * names."""
    import_optional("pandas", "Parquet files need pandas and pyarrow", "winnowkit[dask,files]")
    system, plain = import_optional("fsspec.core", "winnowkit.distributed needs Dask", "winnowkit[dask]").url_to_fs(
        path
    )
    names = sorted(system.glob(plain if "*" in plain or plain.endswith(".parquet") else f"{plain}/**/*.parquet"))
    if not names:
        raise ValueError(f"there are no Parquet files at {path}")
    with system.open(names[0]) as file:
        columns = _columns_of(file)
    if not isinstance(y, str) or y not in columns:
        raise ValueError(f"y must name the column of labels, one of {', '.join(columns)}, got {y!r}")
    others = [name for name in columns if name != y]
    files = [system.unstrip_protocol(name) for name in names]
    return [FilePart(partial(_read_rows, file, others, y), partial(_read, file, [y])) for file in files]


def _columns_of(file: Any) -> list[str]:
    """Return the columns that pandas finds in a Parquet file, by its schema."""
    parquet = import_optional("pyarrow.parquet", "Parquet files need pandas and pyarrow", "winnowkit[dask,files]")
    columns: list[str] = parquet.read_schema(file).empty_table().to_pandas().columns.tolist()
    return columns


def _read_rows(file: str, columns: list[str], y: str) -> tuple[Any, Any]:
    return _read(file, columns), _read(file, [y])


def _read(file: str, columns: list[str]) -> Any:
    import pandas as pd  # noqa: PLC0415 - optional

    invalid = import_optional("pyarrow", "Parquet files need pandas and pyarrow", "winnowkit[dask,files]").ArrowInvalid
    try:
        return pd.read_parquet(file, columns=columns, engine="pyarrow", use_threads=False)  # a worker has one core
    except invalid:
        files = import_optional("fsspec", "winnowkit.distributed needs Dask", "winnowkit[dask]")
        with suppress(invalid), files.open(file) as opened:
            if absent := sorted(set(columns) - set(_columns_of(opened))):
                raise ValueError(f"{file} has no column {absent[0]!r}, which the first of the files has") from None
        raise


def _columns(frame: Any, y: str) -> tuple[Any, NDArray[Any]]:
    """Return a data frame without its labels, and the labels."""
    return frame.drop(columns=[y]), np.asarray(frame[y])


def _pairs(pairs: Any) -> tuple[list[Any], NDArray[Any]]:
    """Return the rows and the labels of a bag's part."""
    pairs = list(pairs)
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"a bag must hold pairs of a row and its label, got {type(pair).__name__}")
    labels = np.empty(len(pairs), dtype=object)
    labels[:] = [label for _, label in pairs]
    check_labels(labels)  # before numpy makes text of numbers beside text
    return [row for row, _ in pairs], np.array(labels.tolist())


def shard_pieces(n_parts: int, n_shards: int, n_rounds: int) -> list[list[Piece]]:
    """Divide parts among shards: for each shard a list of pieces, at least one per round.

    A shard has whole parts, or where these are fewer than the rounds, every so many rows of each.

    Examples
    --------
    >>> shard_pieces(n_parts=4, n_shards=2, n_rounds=2)[0]
    [Piece(part=0, first=0, step=1), Piece(part=2, first=0, step=1)]
    >>> shard_pieces(n_parts=1, n_shards=2, n_rounds=2)[1]
    [Piece(part=0, first=1, step=4), Piece(part=0, first=3, step=4)]
    """
    pieces = [finer for part in range(n_parts) for finer in _divided(Piece(part), -(-n_shards // n_parts))]
    shards = []
    for shard in range(n_shards):
        own = pieces[shard::n_shards]
        slices = [_divided(piece, -(-n_rounds // len(own))) for piece in own]
        shards.append([piece for some in zip(*slices, strict=True) for piece in some])
    return shards


def _divided(piece: Piece, n: int) -> list[Piece]:
    return [Piece(piece.part, piece.first + i * piece.step, piece.step * n) for i in range(n)]


def labels_of(y: Any) -> NDArray[Any]:
    """Return labels, which may be a frame or an array of one column, as an array."""
    if np.ma.isMaskedArray(y):
        raise masked_error("y")
    labels = np.asarray(y)
    labels = labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels
    if labels.ndim != 1:
        raise ValueError(f"y must have one label per row, got an array of shape {labels.shape}")
    return np.asarray(plain_labels(labels))


def labels_for(X: Any, y: Any) -> NDArray[Any]:
    """Return the labels of some rows as an array: one for each."""
    labels = labels_of(y)
    check_consistent_length(X, labels)
    return labels


def rows_in(X: Any, y: Any, piece: Piece) -> tuple[Any, NDArray[Any]]:
    """Return the rows of a piece and their labels."""
    some = slice(piece.first, None, piece.step)
    labels = labels_for(X, y)
    if piece.step == 1:
        return X, labels
    return (X.iloc[some] if hasattr(X, "iloc") else X[some]), labels[some]
