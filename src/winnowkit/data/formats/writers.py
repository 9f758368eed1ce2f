"""Writers of the text formats, one function per format, for frames and sparse matrices."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import pairwise
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from winnowkit.core.frame import Frame
from winnowkit.data.errors import DataError
from winnowkit.data.formats.base import MOST_COLUMNS

_BLOCK = 1000  # number of rows that are turned into text at a time,
_CELLS = 4_000_000  # and of values, in wide tables
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+/<>=!$&*~^")


def shortest(number: float) -> str:
    """Return the shortest text that reads back as the number.

    Examples
    --------
    >>> [shortest(number) for number in (3.0, 0.1, float("nan"), 1e300)]
    ['3', '0.1', '', '1e+300']
    """
    if number != number:  # noqa: PLR0124 - NaN
        return ""
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def write_csv(file: IO[str], table: Any, labels: NDArray[Any] | None, target: str) -> None:
    """Write the names and then the rows; missing values are empty."""
    _write_delimited(file, table, labels, target, ",")


def write_tsv(file: IO[str], table: Any, labels: NDArray[Any] | None, target: str) -> None:
    """Write as CSV, with tabs between fields."""
    _write_delimited(file, table, labels, target, "\t")


class _LineFeeds:
    """Ends lines with a line feed. Before Python 3.13, csv quotes a carriage return only where it ends lines itself."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, line: str) -> int:
        """Write one line."""
        return self._file.write(line.removesuffix("\r\n") + "\n")


def _write_delimited(file: IO[str], table: Any, labels: NDArray[Any] | None, target: str, delimiter: str) -> None:
    _check_width(table)
    writer = csv.writer(_LineFeeds(file), delimiter=delimiter, lineterminator="\r\n")
    names = table.columns if isinstance(table, Frame) else [f"x{j}" for j in range(table.shape[1])]
    writer.writerow([*names, *([] if labels is None else [target])])
    for rows, part in _blocks(table, labels):
        columns = [_texts(rows[name]) for name in rows.columns]
        writer.writerows(zip(*columns, *([] if part is None else [_label_texts(part)]), strict=True))


def _check_width(table: Any) -> None:
    """Refuse a sparse matrix of so many columns that naming them all would take far more room than its entries."""
    if not isinstance(table, Frame) and table.shape[1] > MOST_COLUMNS:
        raise DataError(
            f"X has {table.shape[1]:,} columns, and this format names each of them (at most {MOST_COLUMNS:,}); write "
            "libsvm or vw instead"
        )


def _blocks(table: Any, labels: NDArray[Any] | None) -> Iterator[tuple[Frame, NDArray[Any] | None]]:
    """Yield some rows at a time, as frames, with their labels."""
    height = max(1, min(_BLOCK, _CELLS // max(table.shape[1], 1)))
    for first in range(0, table.shape[0], height):
        rows = table[first : first + height]
        if not isinstance(rows, Frame):
            rows = Frame({f"x{j}": values for j, values in enumerate(rows.toarray().T)})
        yield rows, None if labels is None else labels[first : first + height]


def _texts(column: NDArray[Any]) -> list[str]:
    if column.dtype.kind == "f":
        return [shortest(number) for number in column.tolist()]
    if column.dtype.kind == "M":
        whole_days = bool((column[~np.isnat(column)] == column[~np.isnat(column)].astype("datetime64[D]")).all())
        return ["" if date is None else str(date.date() if whole_days else date) for date in column.tolist()]
    return ["" if value is None else str(value) for value in column.tolist()]


def _label_texts(labels: NDArray[Any]) -> list[str]:
    if labels.dtype.kind == "f":
        return [shortest(number) for number in labels.tolist()]
    return [str(label) for label in labels.tolist()]


def write_libsvm(file: IO[str], table: Any, labels: NDArray[Any] | None, target: str) -> None:  # noqa: ARG001
    """Write labels and non-zero entries, with indices from 1."""
    if labels is None or labels.dtype.kind not in "fiub":
        raise DataError("libsvm's format needs labels that are numbers; encode them (scikit-learn's LabelEncoder)")
    matrix = _matrix(table)
    texts = _label_texts(labels.astype(np.float64))
    for label, indices, data in zip(texts, *_entries(matrix), strict=True):
        entries = "".join(f" {j + 1}:{shortest(value)}" for j, value in zip(indices, data, strict=True))
        file.write(f"{label}{entries}\n")


def _matrix(table: Any) -> Any:
    matrix = csr_matrix(np.asarray(table)) if isinstance(table, Frame) else table.astype(np.float64)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        raise DataError(
            "sparse formats hold finite numbers only, but X has missing or infinite values; fill them first"
        )
    return matrix


def _entries(matrix: Any) -> tuple[Iterator[list[int]], Iterator[list[float]]]:
    bounds = matrix.indptr.tolist()
    parts = [slice(*pair) for pair in pairwise(bounds)]
    return (matrix.indices[part].tolist() for part in parts), (matrix.data[part].tolist() for part in parts)


def write_vw(file: IO[str], table: Any, labels: NDArray[Any] | None, target: str) -> None:  # noqa: ARG001
    """Write labels and features: ``name:value`` (numbers), ``name=value`` (categories), ``index:value`` (matrices)."""
    if labels is not None and labels.dtype.kind not in "fiub":
        raise DataError("Vowpal Wabbit's labels are numbers; encode them (scikit-learn's LabelEncoder)")
    heads = [""] * table.shape[0] if labels is None else [f"{label} " for label in _label_texts(labels)]
    if isinstance(table, Frame):
        features: Iterator[list[str]] = (_vw_features(table, i) for i in range(len(table)))
    else:
        features = (
            [_vw(str(j), v) for j, v in zip(*row, strict=True)] for row in zip(*_entries(_matrix(table)), strict=True)
        )
    for head, words in zip(heads, features, strict=True):
        file.write(f"{head}| {' '.join(words)}".rstrip() + "\n")


def _vw_features(table: Frame, i: int) -> list[str]:
    words = []
    for name in table.columns:
        value = table[name][i]
        if value is None or value == 0 or value != value:  # noqa: PLR0124 - NaN
            continue
        words.append(_vw(name, value) if table[name].dtype.kind == "f" else _vw(f"{name}={value}", 1.0))
    return words


def _vw(name: str, value: float) -> str:
    if any(c in name for c in ":|") or len(name.split()) != 1:
        raise DataError(f"Vowpal Wabbit's features may not contain white space, colons or bars; rename {name!r}")
    return name if value == 1 else f"{name}:{shortest(float(value))}"


def write_arff(file: IO[str], table: Any, labels: NDArray[Any] | None, target: str) -> None:
    """Write the declarations and then the rows; those of a sparse matrix are sparse."""
    _check_width(table)
    file.write("@relation winnowkit\n\n")
    frame = isinstance(table, Frame)
    for name in table.columns if frame else (f"x{j}" for j in range(table.shape[1])):
        kind = "numeric" if not frame or table[name].dtype.kind == "f" else _nominal(_texts(table[name]))
        file.write(f"@attribute {quoted(name)} {kind}\n")
    texts = None if labels is None else _label_texts(labels)
    if labels is not None and texts is not None:
        whole = "integer" if labels.dtype.kind in "iu" else "numeric"
        file.write(f"@attribute {quoted(target)} {whole if labels.dtype.kind in 'fiu' else _nominal(texts)}\n")
    file.write("\n@data\n")
    if not frame:
        _write_sparse_arff(file, _matrix(table), texts)
        return
    for rows, part in _blocks(table, labels):
        columns = [[quoted(text) if text else "?" for text in _texts(rows[name])] for name in rows.columns]
        columns += [] if part is None else [[quoted(text) for text in _label_texts(part)]]
        file.writelines(f"{','.join(row)}\n" for row in zip(*columns, strict=True))


def _write_sparse_arff(file: IO[str], matrix: Any, texts: list[str] | None) -> None:
    for i, (indices, data) in enumerate(zip(*_entries(matrix), strict=True)):
        entries = [f"{j} {shortest(value)}" for j, value in zip(indices, data, strict=True)]
        entries += [] if texts is None else [f"{matrix.shape[1]} {quoted(texts[i])}"]
        file.write(f"{{{', '.join(entries)}}}\n")


def _nominal(texts: list[str]) -> str:
    values = sorted({text for text in texts if text})
    return "{" + ",".join(map(quoted, values)) + "}" if values else "string"


def quoted(text: str) -> str:
    r"""Return a name or value as ARFF requires it: in quotes unless it is plain.

    Examples
    --------
    >>> print(quoted("red"), quoted("light red"), quoted("it's"))
    red 'light red' 'it\'s'
    """
    if text and set(text) <= _PLAIN:
        return text
    for plain, escaped in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        text = text.replace(plain, escaped)
    return f"'{text}'"
