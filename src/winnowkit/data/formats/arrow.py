"""Parquet and Feather, read by pyarrow (the extra ``files``)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.frame import Frame
from winnowkit.core.optional import import_optional
from winnowkit.data.formats.base import Chunk, Parsed, Picked, TableRequest, check_types, pick
from winnowkit.data.formats.source import BLOCK_BYTES, Source

VALUES_PER_BYTE = 1000
"""Values that one byte may stand for: a constant column takes few bytes, so that a file could claim any number."""


def open_parquet(source: Source, request: TableRequest) -> Parsed:
    """Read Parquet's schema; rows come batch by batch."""
    parquet = import_pyarrow("pyarrow.parquet")
    with _valid(source, "is not a valid Parquet file ({}); write it again"):
        file = parquet.ParquetFile(source.seekable())
        names = list(file.schema_arrow.names)
    picked = pick(source, names, request)
    used = [names[j] for j in (*picked.features, *([] if picked.target is None else [picked.target]))]
    batches = file.iter_batches(batch_size=request.chunk_rows, columns=used)
    return _parsed(source, names, picked, request, batches)


def open_feather(source: Source, request: TableRequest) -> Parsed:
    """Read Feather's schema; rows come batch by batch."""
    pa = import_pyarrow("pyarrow")
    with _valid(source, "is not a Feather file of version 2 ({}); write it again with a newer library"):
        file = pa.ipc.open_file(source.seekable())
        names = list(file.schema.names)
    picked = pick(source, names, request)
    return _parsed(source, names, picked, request, map(file.get_batch, range(file.num_record_batches)))


def _parsed(source: Source, names: list[str], picked: Picked, request: TableRequest, batches: Iterator[Any]) -> Parsed:
    if len(set(names)) < len(names):
        raise source.error(f"two columns have the same name among {', '.join(names[:10])}; rename one")
    check_types(source, names, request.types)
    return Parsed(
        [names[j] for j in picked.features],
        len(picked.features),
        _chunks(source, names, picked, request, batches),
        None if picked.target is None else names[picked.target],
    )


def _chunks(
    source: Source, names: list[str], picked: Picked, request: TableRequest, batches: Iterator[Any]
) -> Iterator[Chunk]:
    features = [names[j] for j in picked.features]
    first_row = 0
    for batch in _parts(_validated(source, batches), request.chunk_rows):
        X = Frame({name: column(source, name, batch.column(name), request.types.get(name)) for name in features})
        y = None
        if picked.target is not None:
            name = names[picked.target]
            y = _labels(source, name, batch.column(name), request.types.get(name), first_row)
        yield Chunk(X, y, first_row)
        first_row += batch.num_rows
    if not first_row:
        raise source.error("there are no rows")


def _parts(batches: Iterator[Any], chunk_rows: int) -> Iterator[Any]:
    for batch in batches:
        for first in range(0, batch.num_rows, chunk_rows):
            yield batch.slice(first, chunk_rows)


def _validated(source: Source, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield batches after full validation, because Arrow trusts the offsets and lengths that stand in a file."""
    values, most = 0, VALUES_PER_BYTE * (source.seekable_bytes + BLOCK_BYTES)
    with _valid(source, "is damaged ({}); write it again"):
        for batch in batches:
            values += batch.num_rows * batch.num_columns
            if values > most:
                raise source.error(f"claims {values:,} values, too many for a file of its size; write it again")
            batch.validate(full=True)
            yield batch


@contextmanager
def _valid(source: Source, problem: str) -> Iterator[None]:
    """Turn an error of Arrow into a DataError that names the source."""
    try:
        yield
    except (import_pyarrow("pyarrow").ArrowException, OSError, UnicodeDecodeError) as error:
        raise source.error(problem.format(_first_line(error))) from None


def column(source: Source, name: str, values: Any, kind: str | None) -> NDArray[Any]:
    """Return numbers as float64 with NaN for null, dates with NaT, and other values as strings with None for null."""
    types = import_pyarrow("pyarrow.types")
    if types.is_nested(values.type) or types.is_binary(values.type) or types.is_large_binary(values.type):
        raise source.error(
            f"the type {values.type} is neither numeric nor categorical; leave the column out with columns=",
            column=name,
        )
    is_number = types.is_floating(values.type) or types.is_integer(values.type) or types.is_decimal(values.type)
    if kind is None:
        is_date = types.is_date(values.type) or types.is_timestamp(values.type)
        kind = "numeric" if is_number or types.is_null(values.type) else "date" if is_date else "category"
    if kind == "date":
        with _valid(source, f"column {name!r} has values that cannot be read as dates ({{}})"):
            pa = import_pyarrow("pyarrow")
            dates: NDArray[Any] = values.cast(pa.timestamp("us")).to_numpy(zero_copy_only=False)
        return dates.astype("datetime64[us]")
    if kind == "category" and (types.is_boolean(values.type) or types.is_string(values.type)):
        coded = values.dictionary_encode()
        words = np.array([None, *map(str, coded.dictionary.to_pylist())], dtype=object)
        found: NDArray[Any] = words[1 + coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)]
        return found
    if kind == "category":
        strings = np.empty(len(values), dtype=object)
        try:
            strings[:] = [None if value is None else str(value) for value in values.to_pylist()]
        except (ValueError, OverflowError, LookupError) as error:  # dates and time zones that Python does not know
            raise source.error(f"has values that cannot be read ({_first_line(error)})", column=name) from None
        return strings
    try:
        pa = import_pyarrow("pyarrow")
        numbers: NDArray[np.float64] = values.cast(pa.float64()).to_numpy(zero_copy_only=False).astype(np.float64)
    except pa.ArrowException as error:
        raise source.error(
            f"is not numeric ({_first_line(error)}); pass types={{{name!r}: 'category'}}", column=name
        ) from None
    if np.isinf(numbers).any():
        raise source.error("contains infinity; numbers must be finite, or null where missing", column=name)
    return numbers


def _labels(source: Source, name: str, values: Any, kind: str | None, first_row: int) -> NDArray[Any]:
    if values.null_count:
        row = first_row + values.is_null().to_pylist().index(True) + 1
        raise source.error(f"the label of row {row} is missing; drop such rows, or leave the target out", column=name)
    if kind is None and import_pyarrow("pyarrow.types").is_integer(values.type):
        whole: NDArray[Any] = values.to_numpy(zero_copy_only=False).astype(np.int64)
        return whole
    labels = column(source, name, values, None if kind == "integer" else kind)
    return labels if labels.dtype.kind == "f" else labels.astype(np.str_)


def import_pyarrow(module: str) -> Any:
    """Import pyarrow or one of its modules."""
    return import_optional(module, "Parquet and Feather need pyarrow", "winnowkit[files]")


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0][:200]
