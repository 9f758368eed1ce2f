"""Weka's ARFF: attributes declared by ``@attribute name type``, rows below ``@data``, dense or sparse (in braces)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from winnowkit.data.errors import shown
from winnowkit.data.formats.base import Chunk, Lines, Parsed, Picked, TableRequest, batches, check_types, pick
from winnowkit.data.formats.delimited import convert
from winnowkit.data.formats.kinds import Converter, is_number
from winnowkit.data.formats.source import Source

MISSING = frozenset({"?"})
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_FIELD = re.compile(rf"\s*+({_QUOTED}|[^,'\"]*+)\s*+(,|$)")  # "*+" never backtracks, so that no text takes long
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s'\"{{]+)\s*(.*)", re.IGNORECASE)
_ENTRY = re.compile(rf"(\d+)\s+({_QUOTED}|\S.*?)$", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_NUMERIC = {"numeric": "numeric", "real": "numeric", "integer": "integer"}


class ArffAttribute(NamedTuple):
    """A column: its name, kind and, if nominal, its values."""

    name: str
    kind: str
    values: tuple[str, ...] | None

    @property
    def default(self) -> str:
        """The value of an attribute that a sparse row leaves out: 0, the first declared value, or missing for text."""
        if self.kind == "category":
            return self.values[0] if self.values else "?"
        return "0"

    @property
    def is_number(self) -> bool:
        """Whether it fits into a sparse matrix: numeric, or nominal with numbers as values, the first of them 0."""
        values = self.values
        return self.kind != "category" or bool(values and all(map(is_number, values)) and float(values[0]) == 0)


def open_arff(source: Source, request: TableRequest, *, encoding: str = "utf-8") -> Parsed:
    """Read the declarations of an ARFF file.

    Dense rows become a `Frame`. Sparse rows become a matrix if all columns of X are numbers (nominal ones such as
    ``{0, 1}`` included), and a `Frame` otherwise.
    """
    lines = Lines(source, encoding)
    attributes = _declared(source, lines)
    names = [attribute.name for attribute in attributes]
    picked = pick(source, names, request)
    check_types(source, names, request.types)
    records = _records(lines)
    first = next(records, None)
    if first is None:
        raise source.error("there are no rows below @data")
    records = chain([first], records)
    features = [attributes[j] for j in picked.features]
    target = None if picked.target is None else names[picked.target]
    is_sparse = first[1].startswith("{")
    if is_sparse and not request.types and all(attribute.is_number for attribute in features):
        chunks = _matrices(source, lines, records, attributes, picked, request.chunk_rows)
    else:
        chunks = _frames(source, lines, records, attributes, picked, request, sparse=is_sparse)
    return Parsed([attribute.name for attribute in features], len(features), chunks, target)


def _records(lines: Lines) -> Iterator[tuple[int, str]]:
    for line in lines:
        text = line.strip()
        if text and text[0] != "%":
            yield lines.number, text


def _declared(source: Source, lines: Lines) -> list[ArffAttribute]:
    """Read the declared attributes, up to @data."""
    attributes: dict[str, ArffAttribute] = {}
    for number, text in _records(lines):
        word = text.split(None, 1)[0].lower()
        if word == "@data":
            if not attributes:
                raise source.error("@data comes before any @attribute", line=number)
            return list(attributes.values())
        if word == "@relation":
            continue
        found = _ATTRIBUTE.fullmatch(text)
        if found is None:
            raise source.error(f"expected @relation, @attribute name type, or @data, got {shown(text)}", line=number)
        name = unquoted(found[1])
        if name in attributes:
            raise source.error(f"two attributes are named {name!r}; rename one", line=number)
        attributes[name] = _attribute(source, name, found[2], number)
    raise source.error("the file ends before @data; is it an ARFF file?")


def _attribute(source: Source, name: str, described: str, line: int) -> ArffAttribute:
    if described.startswith("{") and described.endswith("}"):
        values = split_fields(described[1:-1])
        if values is None or not described[1:-1].strip():
            raise source.error(f"expected {{value, value, ...}}, got {shown(described)}", line=line, column=name)
        return ArffAttribute(name, "category", tuple(values))
    kind = described.split(None, 1)[0].lower() if described else ""
    if kind in _NUMERIC:
        return ArffAttribute(name, _NUMERIC[kind], None)
    if kind in ("string", "date"):
        return ArffAttribute(name, "category", None)
    raise source.error(
        f"expected numeric, string, date or {{values}}, got {shown(described)}; other types cannot be read",
        line=line,
        column=name,
    )


def unquoted(text: str) -> str:
    r"""Return the text that a field stands for, without quotes and backslashes.

    Examples
    --------
    >>> unquoted(r"'it\'s'"), unquoted("red")
    ("it's", 'red')
    """
    if text[:1] not in ("'", '"'):
        return text
    return _ESCAPED.sub(lambda found: _ESCAPES.get(found[1], found[1]), text[1:-1])


def split_fields(text: str) -> list[str] | None:
    """Split a line into fields at commas; return None if quotes do not match.

    Examples
    --------
    >>> split_fields("1, 'a, b' ,?")
    ['1', 'a, b', '?']
    """
    return None if (raw := _split(text)) is None else list(map(unquoted, raw))


def _split(text: str) -> list[str] | None:
    """Split a line at commas into fields as they are written."""
    if "'" not in text and '"' not in text:
        return [field.strip() for field in text.split(",")]
    fields, at = [], 0
    while (found := _FIELD.match(text, at)) is not None:
        fields.append(found[1].rstrip())
        at = found.end()
        if found[2] != ",":
            return fields
    return None


def _dense(source: Source, line: int, text: str, attributes: list[ArffAttribute]) -> list[str]:
    fields = split_fields(text)
    if fields is None:
        raise source.error(f"the quotes do not match in {shown(text)}", line=line)
    if len(fields) != len(attributes):
        raise source.error(f"the row has {len(fields)} values for {len(attributes)} attributes; fix it", line=line)
    return fields


def _entries(source: Source, line: int, text: str, n: int) -> list[tuple[int, str]]:
    """Return the positions and values of a sparse row."""
    fields = _split(text[1:-1]) if text[0] == "{" and text[-1] == "}" else None
    if fields is None:
        raise source.error(f"expected a sparse row, {{index value, ...}}, got {shown(text)}", line=line)
    found = []
    last = -1
    for field in fields if text[1:-1].strip() else ():
        entry = _ENTRY.fullmatch(field)
        if entry is None:
            raise source.error(f"expected index value, got {shown(field)}", line=line)
        j = int(entry[1]) if len(entry[1]) < 19 else n
        if not last < j < n:
            raise source.error(f"the index {entry[1][:20]} is out of order or not below {n}", line=line)
        found.append((j, unquoted(entry[2])))
        last = j
    return found


def _frames(
    source: Source,
    lines: Lines,
    records: Iterator[tuple[int, str]],
    attributes: list[ArffAttribute],
    picked: Picked,
    request: TableRequest,
    *,
    sparse: bool,
) -> Iterator[Chunk]:
    converters = {
        j: Converter(source, a.name, request.types.get(a.name, a.kind), MISSING) for j, a in enumerate(attributes)
    }
    defaults = [attribute.default for attribute in attributes]
    allowed = [None if a.values is None or a.name in request.types else {*a.values, *MISSING} for a in attributes]
    first_row = 0
    for numbers, texts in batches(records, lines, request.chunk_rows):
        rows = []
        for line, text in zip(numbers, texts, strict=True):
            if sparse:
                row = defaults.copy()
                for j, value in _entries(source, line, text, len(row)):
                    row[j] = value
            else:
                row = _dense(source, line, text, attributes)
            rows.append(row)
        for j, values in enumerate(allowed):
            if values is not None:
                _check_values(source, attributes[j].name, values, [row[j] for row in rows], numbers)
        yield convert(numbers, rows, converters, picked, first_row)
        first_row += len(rows)


def _check_values(source: Source, name: str, allowed: set[str], column: list[str], numbers: list[int]) -> None:
    others = set(column) - allowed
    if others:
        i = next(i for i, value in enumerate(column) if value in others)
        raise source.error(
            f"{shown(column[i])} is not among the declared values; fix it or declare it", line=numbers[i], column=name
        )


def _matrices(
    source: Source,
    lines: Lines,
    records: Iterator[tuple[int, str]],
    attributes: list[ArffAttribute],
    picked: Picked,
    chunk_rows: int,
) -> Iterator[Chunk]:
    column_of = {j: k for k, j in enumerate(picked.features)}
    label = None if picked.target is None else attributes[picked.target]
    first_row = 0
    for numbers, texts in batches(records, lines, chunk_rows):
        indptr, indices, data = [0], [], []
        labels = [] if label is None else [label.default] * len(texts)
        for i, (line, text) in enumerate(zip(numbers, texts, strict=True)):
            for j, value in _entries(source, line, text, len(attributes)):
                if j == picked.target:
                    labels[i] = value
                elif j in column_of:
                    indices.append(column_of[j])
                    data.append(_finite(source, value, line, attributes[j].name))
            indptr.append(len(indices))
        X = csr_matrix((data, indices, indptr), shape=(len(texts), len(picked.features)), dtype=np.float64)
        X.sort_indices()
        y: Any = None
        if label is not None:
            y = Converter(source, label.name, label.kind, MISSING).labels(labels, numbers.__getitem__)
            if label.values is not None:
                _check_values(source, label.name, set(label.values), labels, numbers)
        yield Chunk(X, y, first_row)
        first_row += len(texts)


def _finite(source: Source, text: str, line: int, name: str) -> float:
    number = float(text) if is_number(text) else np.nan
    if not np.isfinite(number):
        raise source.error(
            f"expected a finite number in a sparse row, got {shown(text)}; leave out zeros", line=line, column=name
        )
    return number
