"""Parquet and Feather, by pyarrow (the extra ``files``)."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.data.errors import UnknownColumnError
from winnowkit.data.formats.base import Chunk, Parsed, Picked, Wanted, pick
from winnowkit.data.formats.source import Source
from winnowkit.data.frame import Frame


def open_parquet(source: Source, wanted: Wanted) -> Parsed:
    """Read Parquet's schema; rows come batch by batch."""
    parquet = _imported("pyarrow.parquet")
    try:
        file = parquet.ParquetFile(source.seekable())
        names = list(file.schema_arrow.names)
    except (_imported("pyarrow").ArrowException, OSError) as error:
        raise source.error(f"is no sound Parquet file ({_first_line(error)}); write it again") from None
    picked = pick(source, names, wanted)
    used = [names[j] for j in (*picked.features, *([] if picked.target is None else [picked.target]))]
    batches = file.iter_batches(batch_size=wanted.chunk_rows, columns=used)
    return _parsed(source, file.schema_arrow, picked, wanted, batches)


def open_feather(source: Source, wanted: Wanted) -> Parsed:
    """Read Feather's schema; rows come batch by batch."""
    pa = _imported("pyarrow")
    try:
        file = pa.ipc.open_file(source.seekable())
    except (pa.ArrowException, OSError) as error:
        raise source.error(
            f"is no Feather file of version 2 ({_first_line(error)}); write it again with a newer library"
        ) from None
    picked = pick(source, list(file.schema.names), wanted)
    batches = (
        batch.slice(first, wanted.chunk_rows)
        for batch in map(file.get_batch, range(file.num_record_batches))
        for first in range(0, batch.num_rows, wanted.chunk_rows)
    )
    return _parsed(source, file.schema, picked, wanted, batches)


def _parsed(source: Source, schema: Any, picked: Picked, wanted: Wanted, batches: Iterator[Any]) -> Parsed:
    names = list(schema.names)
    if len(set(names)) < len(names):
        raise source.error(f"two columns have the same name among {', '.join(names[:10])}; rename one")
    unknown = [name for name in wanted.types if name not in names]
    if unknown:
        raise source.error(
            f"types= names {unknown[0]!r}, but the columns are {', '.join(names[:10])}",
            kind_of=UnknownColumnError,
            name=unknown[0],
        )
    return Parsed(
        [names[j] for j in picked.features],
        len(picked.features),
        _chunks(source, names, picked, wanted, batches),
        None if picked.target is None else names[picked.target],
    )


def _chunks(
    source: Source, names: list[str], picked: Picked, wanted: Wanted, batches: Iterator[Any]
) -> Iterator[Chunk]:
    features = [names[j] for j in picked.features]
    first_row = 0
    for batch in _safe(source, batches):
        if not batch.num_rows:
            continue
        X = Frame({name: column(source, name, batch.column(name), wanted.types.get(name)) for name in features})
        y = None
        if picked.target is not None:
            name = names[picked.target]
            y = _labels(source, name, batch.column(name), wanted.types.get(name), first_row)
        yield Chunk(X, y, first_row)
        first_row += batch.num_rows
    if not first_row:
        raise source.error("there are no rows")


def _safe(source: Source, batches: Iterator[Any]) -> Iterator[Any]:
    try:
        yield from batches
    except (_imported("pyarrow").ArrowException, OSError) as error:
        raise source.error(f"is damaged ({_first_line(error)}); write it again") from None


def column(source: Source, name: str, values: Any, kind: str | None) -> NDArray[Any]:
    """Return numbers as float64, NaN where null; anything else as strings, None where null."""
    types = _imported("pyarrow.types")
    if types.is_nested(values.type) or types.is_binary(values.type) or types.is_large_binary(values.type):
        raise source.error(
            f"the type {values.type} is neither numbers nor categories; leave it out by columns=", column=name
        )
    is_number = types.is_floating(values.type) or types.is_integer(values.type) or types.is_decimal(values.type)
    if kind is None:
        kind = "numeric" if is_number or types.is_null(values.type) else "category"
    if kind == "category":
        strings = np.empty(len(values), dtype=object)
        strings[:] = [None if value is None else str(value) for value in values.to_pylist()]
        return strings
    try:
        pa = _imported("pyarrow")
        numbers: NDArray[np.float64] = values.cast(pa.float64()).to_numpy(zero_copy_only=False).astype(np.float64)
    except pa.ArrowException as error:
        raise source.error(
            f"is not numeric ({_first_line(error)}); pass types={{{name!r}: 'category'}}", column=name
        ) from None
    if np.isinf(numbers).any():
        raise source.error("holds infinity; numbers must be finite, or null where missing", column=name)
    return numbers


def _labels(source: Source, name: str, values: Any, kind: str | None, first_row: int) -> NDArray[Any]:
    if values.null_count:
        row = first_row + values.is_null().to_pylist().index(True) + 1
        raise source.error(f"the label of row {row} is missing; drop such rows, or leave the target out", column=name)
    if kind is None and _imported("pyarrow.types").is_integer(values.type):
        whole: NDArray[Any] = values.to_numpy(zero_copy_only=False).astype(np.int64)
        return whole
    labels = column(source, name, values, None if kind == "integer" else kind)
    return labels if labels.dtype.kind == "f" else labels.astype(np.str_)


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError("Parquet and Feather need pyarrow: pip install 'winnowkit[files]'") from error


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0][:200]
