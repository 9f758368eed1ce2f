"""How a table of text is written: its delimiter, and whether its first row holds names."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from winnowkit.data.formats.kinds import is_number
from winnowkit.data.formats.source import Source

DELIMITERS = (",", "\t", ";", "|")
_LOOK_ROWS = 200


class Dialect(NamedTuple):
    """What csv.reader needs to know."""

    delimiter: str
    quotechar: str
    skipinitialspace: bool


def sniff(source: Source, encoding: str, delimiter: str | None, quotechar: str) -> Dialect:
    r"""Look at the first lines: the delimiter that cuts most of them into equally many fields, and more than one.

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
        lines.pop()  # cut off, perhaps
    if delimiter is None:
        delimiter = max(DELIMITERS, key=lambda d: _agreement(_cut(lines, Dialect(d, quotechar, False))))
    plain = _cut(lines, Dialect(delimiter, quotechar, False))
    later = [field for row in plain for field in row[1:]]
    return Dialect(delimiter, quotechar, bool(later) and all(field[:1] == " " for field in later))


def _cut(lines: list[str], dialect: Dialect) -> list[list[str]]:
    try:
        return [row for row in islice(csv.reader(lines, **dialect._asdict()), _LOOK_ROWS) if row]
    except csv.Error:
        return []


def _agreement(rows: list[list[str]]) -> tuple[float, int]:
    """Share of the rows that have the commonest number of fields, 0 if that is 1; and that number."""
    if not rows:
        return 0.0, 0
    width, count = Counter(map(len, rows)).most_common(1)[0]
    return (count / len(rows), width) if width > 1 and len(rows[0]) > 1 else (0.0, width)


def starts_with_names(
    first: Sequence[str], rows: Sequence[Sequence[str]], missing: frozenset[str], wished: Sequence[str]
) -> bool:
    """Whether the first row of a table holds names.

    It does if a column was asked for by a name that is there. It does not if one of its fields is a number, or occurs
    again in its column; else it does. Empty fields are names that were left out, but not all of them.

    Examples
    --------
    >>> starts_with_names(["size", "class"], [["1", "no"], ["2", "yes"]], frozenset(), [])
    True
    >>> starts_with_names(["low", "no"], [["high", "no"], ["low", "yes"]], frozenset(), [])
    False
    """
    fields = [field.strip() for field in first]
    if any(name in fields for name in wished):
        return True
    texts = [field for field in fields if field]
    if not texts or any(is_number(field) or field in missing for field in texts):
        return False
    columns = [[row[j] for row in rows[:_LOOK_ROWS]] for j in range(len(first))]
    for column in columns:
        given = [value for value in column if value not in missing]
        if given and all(map(is_number, given)):
            return True  # text above numbers
    return not any(field.strip() and field in column for field, column in zip(first, columns, strict=True))
