"""Which format a source has: by its name, else by how it begins."""

from __future__ import annotations

import re

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
"""Suffixes of each format."""

_BY_SUFFIX = {suffix: name for name, suffixes in SUFFIXES.items() for suffix in suffixes}
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "feather", b"FEA1": "feather"}
# What was matched is never given back ("++", "*+"): no text takes longer than its length.
_NUMBER = r"[-+]?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?"
_ID = r"\d++(?:\([^()]*+\))?"
_PATTERNS = {
    "arff": re.compile(r"@relation\b", re.IGNORECASE),
    "snow": re.compile(rf"{_ID}\s*+(?:,\s*+{_ID}\s*+)*+,?\s*+:$"),
    "libsvm": re.compile(rf"{_NUMBER}(?:\s++qid:\d++)?(?:\s++\d++:{_NUMBER})++\s*+(?:#.*)?$"),
    "vw": re.compile(rf"\|\S*+\s|{_NUMBER}\s[^|]*+\|"),
}


def detect(source: Source) -> str:
    r"""Name of the format.

    Examples
    --------
    >>> import io
    >>> texts = b"1 3:1 7:0.5\n", b"1 | a b\n", b"1, 7, 9:\n", b"a,b\n1,2\n"
    >>> [detect(Source(io.BytesIO(text))) for text in texts]
    ['libsvm', 'vw', 'snow', 'csv']
    """
    by_name = _BY_SUFFIX.get(bare_suffix(source.name))
    if by_name is not None:
        return by_name
    start = source.peek()
    for magic, name in _MAGIC.items():
        if start.startswith(magic):
            return name
    text = start[: 1 << 16].decode("utf-8-sig", errors="replace")
    lines = [line.strip() for line in text.split("\n") if line.strip() and line[0] not in "%#"]
    first = lines[0] if lines else ""
    for name, pattern in _PATTERNS.items():
        if pattern.match(first):
            return name
    return "tsv" if "\t" in first and "," not in first else "csv"
