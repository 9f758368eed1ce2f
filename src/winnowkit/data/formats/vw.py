"""Vowpal Wabbit's text: ``[label [importance]] ['tag]|namespace[:scale] feature[:value] ... |namespace ...``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from math import isfinite, nan
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils import murmurhash3_32

from winnowkit.data.errors import shown
from winnowkit.data.formats.base import Chunk, Lines, Parsed, TableRequest, WeightedChunk, batches, check_no_columns
from winnowkit.data.formats.kinds import is_number
from winnowkit.data.formats.libsvm_kernel import MAX_INDEX
from winnowkit.data.formats.source import Source

_KNOWN = 1 << 17  # number of features whose hash is remembered


class VwExample(NamedTuple):
    """A line: its label (NaN if there is none), importance, tag and features."""

    label: float
    weight: float
    tag: str
    values: list[tuple[int, float]]


def open_vw(
    source: Source,
    request: TableRequest,
    *,
    hash_bits: int = 18,
    vocabulary: Mapping[str, int] | None = None,
    encoding: str = "utf-8",
) -> Parsed:
    """Read Vowpal Wabbit's text; chunks also have `weights` and `tags`. A line without a label has the label NaN.

    Parameters
    ----------
    source, request
        The source, and the part of it to read.
    hash_bits : int, default=18
        Features are hashed to 2**hash_bits columns, as with Vowpal Wabbit's ``-b``, but without a constant feature;
        values of features that share a column add up.
    vocabulary : mapping of str to int, default=None
        Columns of features, ``"namespace^feature"``, or ``"feature"`` in the nameless namespace, instead of hashing.
        Other features are ignored.
    encoding : str, default="utf-8"
        Encoding of the text.
    """
    check_no_columns(source, request)
    if not 1 <= hash_bits <= 30:
        raise ValueError(f"hash_bits must be in 1 ... 30, got {hash_bits}")
    names = None
    if vocabulary is None:
        n_features = 2**hash_bits
        column = hashed(n_features - 1)
    else:
        if not vocabulary or min(vocabulary.values()) < 0 or max(vocabulary.values()) > MAX_INDEX:
            raise ValueError(f"vocabulary must not be empty and must give columns in 0 ... {MAX_INDEX}")
        n_features = 1 + max(vocabulary.values())
        column = _listed(vocabulary)
        if len(vocabulary) == n_features and len(set(vocabulary.values())) == n_features:  # each column has a name
            names = sorted(vocabulary, key=vocabulary.__getitem__)
    if request.n_features not in (None, n_features):
        how = f"hash_bits={hash_bits}" if vocabulary is None else "the vocabulary"
        raise source.error(f"{how} gives {n_features} columns, expected {request.n_features}; change one of them")
    return Parsed(names, n_features, _chunks(Lines(source, encoding), column, n_features, request.chunk_rows))


def hashed(mask: int) -> Callable[[str, str], int]:
    """Return the function from namespace and feature to a column, as Vowpal Wabbit hashes them.

    Examples
    --------
    >>> column = hashed(2**18 - 1)
    >>> column("", "12"), column("words", "red")
    (12, 5539)
    """

    @lru_cache(maxsize=_KNOWN)
    def column(namespace: str, feature: str) -> int:
        return _hash(feature, _hash(namespace, 0) if namespace else 0) & mask

    return column


def _hash(text: str, seed: int) -> int:
    """Return a whole number as itself, and hash other text by MurmurHash3."""
    if text.isdecimal() and text.isascii():
        return (int(text[-400:]) + seed) & 0xFFFFFFFF
    return int(murmurhash3_32(text.encode(), seed=seed, positive=True))


def _listed(vocabulary: Mapping[str, int]) -> Callable[[str, str], int]:
    def column(namespace: str, feature: str) -> int:
        return vocabulary.get(f"{namespace}^{feature}" if namespace else feature, -1)

    return column


def _chunks(
    lines: Lines, column: Callable[[str, str], int], n_features: int, chunk_rows: int
) -> Iterator[WeightedChunk]:
    first_row = 0
    for _, examples in batches(_examples(lines, column), lines, chunk_rows):
        indptr = np.cumsum([0, *(len(example.values) for example in examples)])
        indices = np.array([j for example in examples for j, _ in example.values], dtype=np.int32)
        data = np.array([value for example in examples for _, value in example.values], dtype=np.float64)
        X = csr_matrix((data, indices, indptr), shape=(len(examples), n_features))
        X.sum_duplicates()
        chunk = Chunk(X, np.array([example.label for example in examples]), first_row)
        yield WeightedChunk.of(
            chunk, np.array([example.weight for example in examples]), [example.tag for example in examples]
        )
        first_row += len(examples)
    if not first_row:
        raise lines.source.error("there are no examples; expected lines of label | feature ...")


def _examples(lines: Lines, column: Callable[[str, str], int]) -> Iterator[tuple[int, VwExample]]:
    for line in lines:
        if line.strip():
            yield lines.number, _example(line, lines, column)


def _example(line: str, lines: Lines, column: Callable[[str, str], int]) -> VwExample:
    head, *spaces = line.split("|")
    if not spaces:
        raise lines.source.error(f"expected label | feature ..., got {shown(line.strip())}", line=lines.number)
    words = head.split()
    tag = ""
    if words and (not head[-1].isspace() or words[-1].startswith("'")):  # a tag touches the bar, or has a quote
        tag = words.pop().removeprefix("'")
    if len(words) > 2 or any(":" in word for word in words):
        raise lines.source.error(
            f"expected at most a label and an importance, got {shown(head.strip())}; costs, actions and initial "
            "predictions cannot be read",
            line=lines.number,
        )
    numbers = [_number(word, lines) for word in words]
    values = []
    for space in spaces:
        features = space.split()
        namespace, scale = "", 1.0
        if space and not space[0].isspace():
            namespace, scale = _named(features.pop(0), lines)
        for feature in features:
            name, value = _named(feature, lines)
            j = column(namespace, name)
            if j >= 0 and value != 0:
                values.append((j, value * scale))
    return VwExample(numbers[0] if numbers else nan, numbers[1] if len(numbers) > 1 else 1.0, tag, values)


def _named(word: str, lines: Lines) -> tuple[str, float]:
    """Return a name and the number after its colon, 1 by default."""
    name, colon, number = word.partition(":")
    if not name:
        raise lines.source.error(f"expected feature or feature:value, got {shown(word)}", line=lines.number)
    return name, _number(number, lines) if colon else 1.0


def _number(text: str, lines: Lines) -> float:
    if not is_number(text) or not isfinite(float(text)):
        raise lines.source.error(f"expected a finite number, got {shown(text)}", line=lines.number)
    return float(text)
