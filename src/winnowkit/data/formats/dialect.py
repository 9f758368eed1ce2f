"""Recognising the format of a source, and in tables of text the delimiter and the row of names."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from winnowkit.data.formats.decimal_comma import has_decimal_commas, is_comma_number
from winnowkit.data.formats.kinds import is_number
from winnowkit.data.formats.source import Source, bare_suffix

SUFFIXES = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "feather": (".feather", ".arrow", ".ipc"),
    "arff": (".arff",),
    "libsvm": (".libsvm", ".svmlight", ".svm"),
    "vw": (".vw",),
    "snow": (".snow",),
}
"""The file name suffixes of each format."""

_BY_SUFFIX = {suffix: name for name, suffixes in SUFFIXES.items() for suffix in suffixes}
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "feather", b"FEA1": "feather"}
_UNREADABLE = {b"PK\x03\x04": "an Excel workbook or a zip archive", b'{"': "JSON", b'[{"': "JSON"}
# Possessive quantifiers ("++", "*+") never backtrack, so that matching takes time linear in the text.
_NUMBER = r"[-+]?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?"
_ID = r"\d++(?:\([^()]*+\))?"
_PATTERNS = {
    "arff": re.compile(r"@relation\b", re.IGNORECASE),
    "snow": re.compile(rf"{_ID}\s*+(?:,\s*+{_ID}\s*+)*+,?\s*+:$"),
    "libsvm": re.compile(rf"{_NUMBER}(?:\s++qid:\d++)?(?:\s++\d++:{_NUMBER})++\s*+(?:#.*)?$"),
    "vw": re.compile(rf"\|\S*+\s|{_NUMBER}\s[^|]*+\|"),
}


DELIMITERS = (",", "\t", ";", "|")
_LOOK_ROWS = 200


def detect(source: Source) -> str:
    r"""Return the name of a source's format: by the file name if it tells, else by how the source begins.

    Examples
    --------
    >>> import io
    >>> texts = b"1 3:1 7:0.5\n", b"1 | a b\n", b"1, 7, 9:\n", b"a,b\n1,2\n"
    >>> [detect(Source(io.BytesIO(text))) for text in texts]
    ['libsvm', 'vw', 'snow', 'csv']
    >>> detect(Source(io.BytesIO(b'{"a": 1}\n')))
    Traceback (most recent call last):
    winnowkit.data.errors.DataError: ...: this is JSON, which cannot be read; write it as CSV or Parquet first
    """
    by_name = _BY_SUFFIX.get(bare_suffix(source.name))
    if by_name is not None:
        return by_name
    start = source.peek()
    for magic, name in _MAGIC.items():
        if start.startswith(magic):
            return name
    for beginning, what in _UNREADABLE.items():
        if start.lstrip().startswith(beginning):
            raise source.error(f"this is {what}, which cannot be read; write it as CSV or Parquet first")
    text = start[: 1 << 16].decode("utf-8-sig", errors="replace")
    lines = [line.strip() for line in text.split("\n") if line.strip() and line[0] not in "%#"]
    first = lines[0] if lines else ""
    for name, pattern in _PATTERNS.items():
        if pattern.match(first):
            return name
    return "tsv" if "\t" in first and "," not in first else "csv"


class Dialect(NamedTuple):
    """The parameters of csv.reader."""

    delimiter: str
    quotechar: str
    skipinitialspace: bool


def sniff(source: Source, encoding: str, delimiter: str | None, quotechar: str) -> Dialect:
    r"""Find the delimiter that cuts most of the first lines into the same number of fields, at least two.

    Examples
    --------
    >>> import io
    >>> sniff(Source(io.BytesIO(b"a; b\n1,5; 2\n1,7; 3\n")), "utf-8", None, '"')
    Dialect(delimiter=';', quotechar='"', skipinitialspace=True)
    """
    for name, text in (("delimiter", delimiter), ("quotechar", quotechar)):
        if text is not None and len(text) != 1:
            raise ValueError(f"{name} must be one character, got {text!r}")
    text = source.peek()[: 1 << 16].decode(encoding, errors="replace")
    lines = text.splitlines(keepends=True)
    if len(lines) > 1 and len(text) >= 1 << 15:
        lines.pop()  # it may be cut off
    if delimiter is None:
        cut = {d: _cut(lines, Dialect(d, quotechar, False)) for d in DELIMITERS}
        delimiter = max(DELIMITERS, key=lambda d: _agreement(cut[d]))
        if delimiter == "," and _agreement(cut[";"])[0] >= _agreement(cut[","])[0] and _has_decimal_commas(cut[";"]):
            delimiter = ";"
    plain = _cut(lines, Dialect(delimiter, quotechar, False))
    later = [field for row in plain for field in row[1:]]
    return Dialect(delimiter, quotechar, bool(later) and all(field[:1] == " " for field in later))


def _cut(lines: list[str], dialect: Dialect) -> list[list[str]]:
    try:
        return [row for row in islice(csv.reader(lines, **dialect._asdict()), _LOOK_ROWS) if row]
    except csv.Error:
        return []


def _has_decimal_commas(rows: list[list[str]]) -> bool:
    return any(map(has_decimal_commas, zip(*rows, strict=False)))


def _agreement(rows: list[list[str]]) -> tuple[float, int]:
    """Return the share of rows with the most common number of fields (0 if that number is 1), and that number."""
    if not rows:
        return 0.0, 0
    width, count = Counter(map(len, rows)).most_common(1)[0]
    return (count / len(rows), width) if width > 1 and len(rows[0]) > 1 else (0.0, width)


def _may_be_number(field: str) -> bool:
    return is_number(field) or is_comma_number(field)


def starts_with_names(
    first: Sequence[str], rows: Sequence[Sequence[str]], missing: frozenset[str], wished: Sequence[str]
) -> bool:
    """Whether the first row of a table holds names.

    It does if the caller mentions a column by a name that stands in it, unless that may be meant as a position.
    Otherwise it does not if one of its fields is a number, or occurs again in its column. Empty fields are names that
    were left out, unless all fields are empty.

    Examples
    --------
    >>> starts_with_names(["size", "class"], [["1", "no"], ["2", "yes"]], frozenset(), [])
    True
    >>> starts_with_names(["low", "no"], [["high", "no"], ["low", "yes"]], frozenset(), [])
    False
    """
    fields = [field.strip() for field in first]
    positions = {str(j) for j in range(-len(fields), len(fields))}
    if any(name in fields and name not in positions for name in wished):
        return True
    texts = [field for field in fields if field]
    if not texts or any(_may_be_number(field) or field in missing for field in texts):
        return False
    columns = [[row[j] for row in rows[:_LOOK_ROWS]] for j in range(len(first))]
    for column in columns:
        given = [value for value in column if value not in missing]
        if given and all(map(_may_be_number, given)):
            return True  # text above numbers
    return not any(field.strip() and field in column for field, column in zip(first, columns, strict=True))
