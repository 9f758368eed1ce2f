"""CSV and TSV: one row per line, fields separated by a delimiter, and perhaps a first line of names."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from winnowkit.core.frame import Frame
from winnowkit.data.formats.base import (
    CHUNK_BYTES,
    MOST_COLUMNS,
    Chunk,
    Lines,
    Parsed,
    Picked,
    TableRequest,
    batches,
    check_types,
    pick,
)
from winnowkit.data.formats.decimal_comma import decimal_mark
from winnowkit.data.formats.dialect import Dialect, said_delimiter, sniff, starts_with_names
from winnowkit.data.formats.kinds import MISSING, Converter, infer, swapped
from winnowkit.data.formats.source import Source

SAMPLE_ROWS = 10_000
"""Number of rows from which types are inferred, whatever the size of a chunk."""

COLUMNS_PER_BYTE = 20
"""The most columns per byte of a packed file, where a few bytes can stand for any number of delimiters."""

Record = tuple[int, list[str]]  # the line on which a row begins, and its fields


def open_csv(
    source: Source,
    request: TableRequest,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    missing: Collection[str] = MISSING,
    encoding: str = "utf-8",
    quotechar: str = '"',
) -> Parsed:
    """Read the beginning of a table: its dialect, names and types.

    Parameters
    ----------
    source, request
        The source, and the part of it to read.
    delimiter : str, default=None
        The character between fields; None detects it.
    decimal : {".", ","}, default=None
        The decimal mark of numbers; None detects it.
    header : bool, default=None
        Whether the first row holds names; None detects it.
    names : sequence of str, default=None
        Names of all columns, which replace those in the header.
    missing : collection of str
        Fields that stand for a missing value.
    encoding : str, default="utf-8"
        Encoding of the text.
    quotechar : str, default='"'
        The quotation mark around fields that contain delimiters or line ends.
    """
    if decimal not in (None, ".", ","):
        raise ValueError(f"decimal must be '.' or ',', got {decimal!r}")
    absent = frozenset(missing)
    lines = Lines(source, encoding)
    dialect = sniff(source, lines.encoding, delimiter, quotechar)
    records = _records(source, lines, dialect)
    first = next(records, None)
    if first is not None and said_delimiter(dialect.delimiter.join(first[1])):
        first = next(records, None)
    if first is None:
        raise source.error("the file is empty; expected a table with one row per line")
    _check_width(source, first)
    sample, width = _sample(source, records, lines, first)
    if header is None:
        header = names is None and starts_with_names(first[1], [row for _, row in sample], absent, request.names())
    if header and names is None and (padding := _padding(first, sample)):
        width -= padding
        first, sample = (first[0], first[1][:width]), [(line, row[:width]) for line, row in sample]
        records = _without_padding(records, width)
    named = _names(source, first, header, names)
    if not header:
        sample.insert(0, first)
    if not sample:
        raise source.error("there are no rows below the names; if the first line is a row, pass header=False")
    picked = pick(source, named, request)
    check_types(source, named, request.types)
    columns = [set(column) - absent for column in zip(*(row for _, row in sample), strict=True)]
    mark = decimal or decimal_mark(columns, [request.types.get(name) == "numeric" for name in named], dialect.delimiter)

    def kind_of(j: int) -> str:
        values = columns[j] if mark == "." else {swapped(value) for value in columns[j]}
        return request.types.get(named[j]) or infer(values, label=j == picked.target)

    converters = {
        j: Converter(source, named[j], kind_of(j), absent, mark)
        for j in (*picked.features, *(() if picked.target is None else (picked.target,)))
    }
    rows = chain(sample, _checked(source, records, width))
    return Parsed(
        [named[j] for j in picked.features],
        len(picked.features),
        _chunks(rows, lines, converters, picked, request.chunk_rows),
        None if picked.target is None else named[picked.target],
        _description(dialect.delimiter, mark, header=header),
    )


def _description(delimiter: str, decimal: str, *, header: bool) -> str:
    """Say how a table is read."""
    between = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "vertical bars", " ": "spaces"}.get(
        delimiter, repr(delimiter)
    )
    mark = ", decimal commas" if decimal == "," else ""
    return f"fields between {between}{mark}, {'names' if header else 'no names'} in the first line"


def open_tsv(
    source: Source,
    request: TableRequest,
    *,
    decimal: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    missing: Collection[str] = MISSING,
    encoding: str = "utf-8",
    quotechar: str = '"',
) -> Parsed:
    """Read the beginning of a table whose fields are separated by tabs, with the other options of CSV."""
    return open_csv(
        source,
        request,
        delimiter="\t",
        decimal=decimal,
        header=header,
        names=names,
        missing=missing,
        encoding=encoding,
        quotechar=quotechar,
    )


def _records(source: Source, lines: Lines, dialect: Dialect) -> Iterator[Record]:
    """Yield rows, each with the line on which it begins; blank lines are skipped."""
    reader = csv.reader(lines, strict=True, **dialect._asdict())
    while True:
        begin = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise source.error(_explained(str(error), dialect), line=begin) from None
        if len(row) > 1 or (row and (row[0] == "" or row[0].strip(" \t"))):  # "" in quotes is a row
            yield begin, row


def _explained(error: str, dialect: Dialect) -> str:
    quote = dialect.quotechar
    if "unexpected end" in error or "field limit" in error:
        return (
            f"a quote {quote} is never closed, or a field has more than {csv.field_size_limit()} characters; close it"
        )
    if "expected after" in error:
        return f"text after a closing quote {quote}; write a quote inside a field twice, {quote}{quote}"
    return f"the line is not a row of a table ({error}); fix it"


def _check_width(source: Source, first: Record) -> None:
    """Raise an error for more columns than tables may have, or than the bytes of a packed file can be about."""
    width = len(first[1])
    if width > MOST_COLUMNS:
        raise source.error(
            f"the first row has {width:,} fields, and a table may have at most {MOST_COLUMNS:,} columns; write it in a "
            "sparse format such as libsvm",
            line=first[0],
        )
    if source.packing and width > 1000 + COLUMNS_PER_BYTE * source.bytes_read:
        raise source.error(
            f"the first row has {width:,} fields, far more than {source.bytes_read:,} packed bytes have to say; if "
            "that is intended, unpack it first",
            line=first[0],
        )


def _sample(source: Source, records: Iterator[Record], lines: Lines, first: Record) -> tuple[list[Record], int]:
    """Read the rows after the first from which types are inferred, and the number of fields."""
    width = len(first[1])
    sample: list[Record] = []
    for record in _checked(source, records, width):
        sample.append(record)
        if len(sample) >= SAMPLE_ROWS or lines.n_bytes > CHUNK_BYTES:
            break
    return sample, width


def _padding(first: Record, sample: Sequence[Record]) -> int:
    """Return how many fields at the end of each line are blank, the line of names included: they are no columns."""
    width = len(first[1])
    padding = 0
    while padding < width - 1 and not any(row[width - 1 - padding].strip() for _, row in (first, *sample)):
        padding += 1
    return padding


def _without_padding(records: Iterable[Record], width: int) -> Iterator[Record]:
    """Yield rows without the blank fields after the last column."""
    for line, row in records:
        yield line, row if any(field.strip() for field in row[width:]) else row[:width]


def _checked(source: Source, records: Iterable[Record], width: int) -> Iterator[Record]:
    """Yield rows, and raise an error for a row with another number of fields."""
    for record in records:
        if len(record[1]) != width:
            raise source.error(
                f"the row has {_fields(len(record[1]))}, but the first row has {width}; {_remedy(width)}",
                line=record[0],
            )
        yield record


def _remedy(width: int) -> str:
    if width == 1:
        return "delete lines above the names that are no part of the table, or fix the row"
    return "fix it, or quote fields that contain the delimiter"


def _fields(n: int) -> str:
    return f"{n} field" if n == 1 else f"{n} fields"


def _names(source: Source, first: Record, header: bool, names: Sequence[str] | None) -> list[str]:
    width = len(first[1])
    if names is not None:
        named = list(names)
        if len(named) != width:
            raise source.error(f"names= gives {len(named)} names, but rows have {_fields(width)}")
    elif header:
        named = [field.strip() or f"x{j}" for j, field in enumerate(first[1])]
    else:
        named = [f"x{j}" for j in range(width)]
    if len(set(named)) < width:
        twice = next(name for name, count in Counter(named).items() if count > 1)
        remedy = "rename one, or, if the first line is a row, pass header=False"
        raise source.error(f"two columns are named {twice!r}; {remedy}", line=first[0])
    return named


def _chunks(
    rows: Iterator[Record], lines: Lines, converters: dict[int, Converter], picked: Picked, chunk_rows: int
) -> Iterator[Chunk]:
    first_row = 0
    for begins, fields in batches(rows, lines, chunk_rows):
        yield convert(begins, fields, converters, picked, first_row)
        first_row += len(fields)


def convert(
    begins: list[int], rows: list[list[str]], converters: dict[int, Converter], picked: Picked, first_row: int
) -> Chunk:
    """Turn rows of fields, and the lines on which they begin, into a chunk."""
    columns = list(zip(*rows, strict=True))
    X = Frame({converters[j].name: converters[j](columns[j], begins.__getitem__) for j in picked.features})
    y: Any = None
    if picked.target is not None:
        y = converters[picked.target].labels(columns[picked.target], begins.__getitem__)
    return Chunk(X, y, first_row)
