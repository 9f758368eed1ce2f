"""Recognising the format of a source, and in tables of text the delimiter and the row of names."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from winnowkit.core.times import is_date
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
_FEWEST_ROWS = 20
"""So many rows are needed to tell names from numbers above columns of categories."""
_SAID = "sep="
"""A spreadsheet may write this and the delimiter above the table."""


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
    said = said_delimiter(lines[0].strip("\ufeff\r\n")) if lines else None
    if said is not None:
        lines, delimiter = lines[1:], delimiter or said
    if delimiter is None:
        cut = {d: _cut(lines, Dialect(d, quotechar, False)) for d in DELIMITERS}
        delimiter = max(DELIMITERS, key=lambda d: _agreement(cut[d]))
        if delimiter == "," and _agreement(cut[";"])[0] >= _agreement(cut[","])[0] and _has_decimal_commas(cut[";"]):
            delimiter = ";"
        if not any(_agreement(rows)[0] for rows in cut.values()):
            spaced = _cut(lines, Dialect(" ", quotechar, False))
            delimiter = " " if _are_records(spaced) else delimiter
    plain = _cut(lines, Dialect(delimiter, quotechar, False))
    later = [field for row in plain for field in row[1:]]
    return Dialect(delimiter, quotechar, bool(later) and all(field[:1] == " " for field in later))


def said_delimiter(line: str) -> str | None:
    """Return the delimiter that a line above the table names, as spreadsheets write it; None if it does not.

    Examples
    --------
    >>> said_delimiter("sep=;"), said_delimiter("age;class")
    (';', None)
    """
    return line[-1] if len(line) == len(_SAID) + 1 and line.startswith(_SAID) else None


def _are_records(rows: list[list[str]]) -> bool:
    """Whether all rows have the same number of fields, at least three, and a column holds numbers, as no text has."""
    width = len(rows[0]) if rows else 0
    if width < 3 or any(len(row) != width for row in rows):
        return False
    return any(all(map(is_number, column)) for column in zip(*rows[1:], strict=True))


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

    It does if the caller mentions a column by a name that stands in it, unless that may be meant as a position, or if
    text in it stands above numbers or dates. Otherwise it does not if one of its fields occurs again in its column.
    Whole numbers and dates may be names, such as years, but only if none of the fields occurs again, and other fields
    show that they are names. Empty fields are names that were left out, unless all fields are empty.

    Examples
    --------
    >>> starts_with_names(["size", "class"], [["1", "no"], ["2", "yes"]], frozenset(), [])
    True
    >>> starts_with_names(["low", "no"], [["high", "no"], ["low", "yes"]], frozenset(), [])
    False
    >>> starts_with_names(["city", "2024"], [["Bonn", "1.5"], ["Rome", "2.5"]] * 10, frozenset(), [])
    True
    """
    fields = [field.strip() for field in first]
    positions = {str(j) for j in range(-len(fields), len(fields))}
    if any(name in fields and name not in positions for name in wished):
        return True
    texts = [field for field in fields if field]
    others = [field for field in texts if _may_be_number(field) or is_date(field) or field in missing]
    if len(others) == len(texts):
        return False
    columns = [[row[j] for row in rows[:_LOOK_ROWS]] for j in range(len(first))]
    above = [column for field, column in zip(fields, columns, strict=True) if field and field not in others]
    if not others and any(_are_quantities(column, missing) for column in above):
        return True  # text above numbers
    if any(field.strip() and field in column for field, column in zip(first, columns, strict=True)):
        return False
    if not others:
        return True
    names = len(set(texts)) == len(texts) and all(
        field.isdecimal() or field.isalpha() or is_date(field) for field in others
    )
    return names and any(_are_quantities(column, missing) or _are_categories(column) for column in above)


def _are_quantities(column: Sequence[str], missing: frozenset[str]) -> bool:
    """Whether all values that are not missing, at least one, are numbers or dates."""
    given = [value for value in column if value not in missing]
    return bool(given) and (all(map(_may_be_number, given)) or all(map(is_date, given)))


def _are_categories(column: Sequence[str]) -> bool:
    """Whether a column has few values, so that the one in the first row would probably occur again."""
    return len(column) >= _FEWEST_ROWS and len(set(column)) <= len(column) / 4
