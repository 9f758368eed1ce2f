"""Notes for people on columns: warnings of the library, and numbers that were read as text."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.cli.labelled_rows import is_empty
from winnowkit.cli.messages import sentence
from winnowkit.cli.output import counted, listed, note
from winnowkit.core.frame import Frame
from winnowkit.data.column_use import is_written_number
from winnowkit.data.encode import CategoryEncoder
from winnowkit.data.errors import ColumnWarning
from winnowkit.data.formats.kinds import code_with_zeros, is_number

_DECIMAL = re.compile(r" If the comma is the decimal mark .* --decimal ','\.")

MOST_NUMBERS = 0.8
"""A column of text is remarked on if at least this share of its values are numbers."""

ALONE = 0.01
"""A column is remarked on if it alone leaves at most this share of the errors of the majority-class baseline."""
MOST_ROWS = 20_000
"""The most rows that are looked at for that."""

REPEATED = 0.2
"""So large a share of rows that repeat earlier ones is remarked on."""
MANY_ROWS = 200_000
"""Longer tables are not looked at for that."""
POSSIBLE = 100
"""Rows repeat by themselves unless the values of the columns could make at least so many times as many."""
FINE = 50
"""Rows also repeat by themselves, as the votes of a party do, unless some column has so many different values."""


@contextmanager
def warnings_as_notes(*, quiet: bool, decimal: str | None = None) -> Iterator[None]:
    """Write the warnings about columns to standard error, in the words of the command line; drop all others.

    If the user gave the decimal mark, no other one is suggested.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("default", ColumnWarning)  # each text once
        yield
    for warning in caught:
        if isinstance(warning.message, ColumnWarning):
            text = sentence(warning.message)
            note(f"note: {_DECIMAL.sub('', text) if decimal else text}", quiet=quiet)


def note_on_empty_columns(X: Any) -> str | None:
    """Return a note on the columns without any value, or None if there are none.

    Examples
    --------
    >>> import numpy as np
    >>> note_on_empty_columns(Frame({"age": np.array([31.0]), "comment": np.array([None], dtype=object)}))
    "note: nothing can be learned from 'comment', which has no value in 1 row"
    """
    empty = [name for name in X.columns if is_empty(X[name])] if isinstance(X, Frame) else []
    if not empty:
        return None
    have = "have" if len(empty) > 1 else "has"
    rows = counted(len(X), "row")
    return f"note: nothing can be learned from {listed([*map(repr, empty)])}, which {have} no value in {rows}"


def note_on_telling_column(X: Any, y: NDArray[Any]) -> str | None:
    """Return a note on a column whose values alone tell almost every label, as only leaks do; None if there is none.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array(["left", "stayed"] * 50)
    >>> note_on_telling_column(Frame({"why": np.where(y == "left", "price", "none").astype(object)}), y)
    "note: 'why' alone tells the class of 100.0% of the rows; if it is known only after the class, leave it out: ..."
    """
    if not isinstance(X, Frame):
        return None
    rows = np.linspace(0, len(X) - 1, min(len(X), MOST_ROWS)).astype(np.int64)
    X, (_, codes) = X[rows], np.unique(y[rows], return_inverse=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        encoder = CategoryEncoder().fit(X, y[rows])
    baseline = 1.0 - np.bincount(codes).max() / len(codes)
    for name, cells in zip(encoder.feature_names_, encoder.transform(X).T, strict=True):
        counts = np.zeros((int(cells.max()) + 1, int(codes.max()) + 1))
        np.add.at(counts, (cells, codes), 1.0)
        most = counts.max(axis=1)
        right = float(most[most > 1].sum()) / len(codes)  # a value that occurs once tells nothing
        if 1.0 - right <= ALONE * baseline:
            return (
                f"note: {name!r} alone tells the class of {right:.1%} of the rows; if it is known only after the "
                f"class, leave it out: --ignore {quote(name)}"
            )
    return None


def note_on_repeated_rows(X: Any, y: NDArray[Any]) -> str | None:
    """Return a note on rows that are the same as earlier ones, if that are many and no coincidence; otherwise None.

    Examples
    --------
    >>> import numpy as np
    >>> weights = np.arange(100.0) % 60
    >>> note_on_repeated_rows(Frame({"weight": weights, "height": weights**2, "age": weights}), np.zeros(100))
    'note: 40.0% of the rows are exact copies of others, ...'
    """
    if not isinstance(X, Frame) or len(X) > MANY_ROWS:
        return None
    same, possible = np.unique(y, return_inverse=True)[1], 1.0
    finest = 0
    for name in X.columns:
        values = X[name]
        if values.dtype.kind == "O":  # None is not in order with text
            numbers: dict[Any, int] = {}
            codes = np.array([numbers.setdefault(value, len(numbers)) for value in values.tolist()])
        else:
            codes = np.unique(values, return_inverse=True)[1]
        size = int(codes.max()) + 1
        same, possible = np.unique(same * size + codes, return_inverse=True)[1], possible * size
        finest = max(finest, size)
    share = 1 - (int(same.max()) + 1) / len(X)
    if share <= REPEATED or possible < POSSIBLE * len(X) or finest < FINE:
        return None
    return (
        f"note: {share:.1%} of the rows are exact copies of others, so that held-out rows are among those learned from "
        "and errors seem lower than they are; drop the copies if each should be there once"
    )


def notes_on_numbers_as_text(X: Any, declared: Collection[str]) -> list[str]:
    """Return a note on each column that was read as text and holds mostly numbers, or codes, and what to do about it.

    Parameters
    ----------
    X : Frame or sparse matrix
        The first rows.
    declared : collection of str
        Columns that the user declared as categories.

    Examples
    --------
    >>> import numpy as np
    >>> X = Frame({"age": np.array(["31", "52", "48", "unknown", "27"], dtype=object)})
    >>> print(*notes_on_numbers_as_text(X, ()))
    note: column 'age' is read as text, because of 'unknown' among its numbers; if that is missing: --missing unknown
    """
    if not isinstance(X, Frame):
        return []
    columns = {name: X[name] for name in X.columns if X[name].dtype.kind == "O" and name not in declared}
    found = [_note(name, [value for value in values if isinstance(value, str)]) for name, values in columns.items()]
    return [text for text in found if text]


def _note(name: str, values: list[str]) -> str | None:
    others = Counter(value for value in values if not is_number(value))
    if not others:
        return _note_on_codes(name, values)
    if len(values) - others.total() >= MOST_NUMBERS * len(values) and not all(map(is_written_number, others)):
        words = [word for word, _ in others.most_common(3)]
        return (
            f"note: column {name!r} is read as text, because of {', '.join(map(repr, words))} among its numbers; "
            f"if that is missing: --missing {' '.join(map(quote, words))}"
        )
    return None


def _note_on_codes(name: str, values: list[str]) -> str | None:
    code = code_with_zeros(values)
    if code is None:
        return None
    return (
        f"note: column {name!r} is read as codes and not as numbers, because of leading zeros as in {code!r}; if it "
        "holds quantities, write them without"
    )
