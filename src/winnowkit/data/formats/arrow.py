"""Parquet and Feather, by pyarrow (the extra ``files``)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.frame import Frame
from winnowkit.data.errors import UnknownColumnError
from winnowkit.data.formats.base import Chunk, Parsed, Picked, Wanted, pick
from winnowkit.data.formats.source import BLOCK_BYTES, Source

VALUES_A_BYTE = 1000
"""Values that a byte of a file may stand for: a constant column takes next to none, so any number could be claimed."""


def open_parquet(source: Source, wanted: Wanted) -> Parsed:
    """Read Parquet's schema; rows come batch by batch."""
    parquet = _imported("pyarrow.parquet")
    with _sound(source, "is no sound Parquet file ({}); write it again"):
        file = parquet.ParquetFile(source.seekable())
        names = list(file.schema_arrow.names)
    picked = pick(source, names, wanted)
    used = [names[j] for j in (*picked.features, *([] if picked.target is None else [picked.target]))]
    batches = file.iter_batches(batch_size=wanted.chunk_rows, columns=used)
    return _parsed(source, names, picked, wanted, batches)


def open_feather(source: Source, wanted: Wanted) -> Parsed:
    """Read Feather's schema; rows come batch by batch."""
    pa = _imported("pyarrow")
    with _sound(source, "is no Feather file of version 2 ({}); write it again with a newer library"):
        file = pa.ipc.open_file(source.seekable())
        names = list(file.schema.names)
    picked = pick(source, names, wanted)
    return _parsed(source, names, picked, wanted, map(file.get_batch, range(file.num_record_batches)))


def _parsed(source: Source, names: list[str], picked: Picked, wanted: Wanted, batches: Iterator[Any]) -> Parsed:
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
    for batch in _parts(_validated(source, batches), wanted.chunk_rows):
        X = Frame({name: column(source, name, batch.column(name), wanted.types.get(name)) for name in features})
        y = None
        if picked.target is not None:
            name = names[picked.target]
            y = _labels(source, name, batch.column(name), wanted.types.get(name), first_row)
        yield Chunk(X, y, first_row)
        first_row += batch.num_rows
    if not first_row:
        raise source.error("there are no rows")


def _parts(batches: Iterator[Any], chunk_rows: int) -> Iterator[Any]:
    for batch in batches:
        for first in range(0, batch.num_rows, chunk_rows):
            yield batch.slice(first, chunk_rows)


def _validated(source: Source, batches: Iterator[Any]) -> Iterator[Any]:
    """Batches that are safe to look into: Arrow itself trusts the offsets and lengths that stand in a file."""
    values, most = 0, VALUES_A_BYTE * (source.seekable_bytes + BLOCK_BYTES)
    with _sound(source, "is damaged ({}); write it again"):
        for batch in batches:
            values += batch.num_rows * batch.num_columns
            if values > most:
                raise source.error(f"claims {values:,} values, as no sound file of its size does; write it again")
            batch.validate(full=True)
            yield batch


@contextmanager
def _sound(source: Source, problem: str) -> Iterator[None]:
    """Say in our words what Arrow finds wrong with a file."""
    try:
        yield
    except (_imported("pyarrow").ArrowException, OSError, UnicodeDecodeError) as error:
        raise source.error(problem.format(_first_line(error))) from None


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
        try:
            strings[:] = [None if value is None else str(value) for value in values.to_pylist()]
        except (ValueError, OverflowError, LookupError) as error:  # of dates and time zones that Python does not know
            raise source.error(f"has values that cannot be read ({_first_line(error)})", column=name) from None
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
