"""The numbers that a linear learner sees of each column: one module for every kind of column.

All values lie between 0 and 1, so that learners of boolean attributes and learners of real values take the same table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer

from winnowkit.core.columns import Column, as_floats, is_missing
from winnowkit.core.times import DAY, as_seconds, round_cuts, written
from winnowkit.data.coders import MISSING, UNSEEN, CategoryCoder
from winnowkit.data.column_use import UNSPACED
from winnowkit.data.even_cuts import even_cuts
from winnowkit.data.indicators import indicators

Floats = NDArray[np.float64]

MAX_BOUNDS = 15
"""The most bounds, such as ``age > 40``, of a column of numbers."""
MAX_WORDS = 300_000
"""The most words and word pairs of a column of text; the most frequent ones are kept."""
_LETTERS = rf"[^\W{UNSPACED}]+"
TOKEN = rf"(?u){_LETTERS}(?:['\u2019]{_LETTERS})*|[{UNSPACED}]|[^\w\s]"
"""A word of any length, with the apostrophes inside it; a single letter where words are not separated by spaces, so
that pairs of letters stand for words; or a single mark of punctuation."""


class ColumnFeatures(Protocol):
    """Turns a column into attributes."""

    @property
    def names(self) -> list[str]:
        """The names of the attributes."""

    def transform(self, column: Column) -> csr_matrix:
        """Return the attributes of each row, between 0 and 1."""


class NumberFeatures:
    """Numbers: the value, scaled to [0, 1]; on which side of each of a few bounds it lies; whether it is missing.

    The scaled value serves learners of real values. The bounds serve learners of boolean attributes, which need both
    directions as their weights are positive, and let a linear learner follow a curve. Numbers beyond those of the
    training rows count as the nearest of them. Special values have attributes of their own and are not compared.

    Examples
    --------
    >>> age = NumberFeatures("age", Column([20.0, 30.0, 40.0, None], "number"))
    >>> age.names
    ['age', 'age > 20', 'age > 30', 'age <= 20', 'age <= 30', 'age missing']
    >>> age.transform(Column([25.0, 90.0, None], "number")).toarray()
    array([[0.25, 1.  , 0.  , 0.  , 1.  , 0.  ],
           [1.  , 1.  , 1.  , 0.  , 0.  , 0.  ],
           [0.  , 0.  , 0.  , 0.  , 0.  , 1.  ]])
    """

    def __init__(self, name: str, column: Column, special: Sequence[float] = ()) -> None:
        self.name = name
        self.special = sorted({float(value) for value in special})
        numbers = self._numbers(column)
        self.missing = bool(np.isnan(numbers).any())
        known = numbers[~np.isnan(numbers) & ~np.isin(numbers, self.special)]
        self.low, self.high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
        self.cuts = self._bounds(known) if len(np.unique(known)) > 2 else np.empty(0)

    def _numbers(self, column: Column) -> Floats:
        return as_floats(column, self.name)

    def _bounds(self, numbers: Floats) -> Floats:
        return even_cuts(numbers, MAX_BOUNDS)

    @property
    def names(self) -> list[str]:
        """The names of the attributes."""
        bounds = [f"{self.name} {side} {self._written(cut)}" for side in (">", "<=") for cut in self.cuts.tolist()]
        special = [f"{self.name} = {value:.12g}" for value in self.special]
        return [self.name, *bounds, *special, *([f"{self.name} missing"] if self.missing else [])]

    def _written(self, cut: float) -> str:
        return f"{cut:.12g}"

    def transform(self, column: Column) -> csr_matrix:
        """Return the attributes of each row, between 0 and 1."""
        numbers = self._numbers(column)
        absent = np.isnan(numbers)
        coded = numbers[:, None] == np.array(self.special)
        numbers[coded.any(axis=1)] = np.nan
        span = self.high - self.low
        scaled = np.clip((numbers - self.low) / span, 0.0, 1.0) if span > 0.0 else (numbers >= self.high).astype(float)
        scaled[np.isnan(numbers)] = 0.0
        sides = (numbers[:, None] > self.cuts, numbers[:, None] <= self.cuts)
        parts = [scaled[:, None], *(side.astype(np.float64) for side in (*sides, coded))]
        if self.missing:
            parts.append(absent[:, None].astype(np.float64))
        return csr_matrix(np.hstack(parts))

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore saved features; the state comes from a file and may be anything."""
        self.__dict__.update(state)
        cuts = self.cuts
        if not isinstance(cuts, np.ndarray) or cuts.dtype != np.float64 or cuts.ndim != 1 or np.any(np.diff(cuts) <= 0):
            raise ValueError(f"the bounds of column {self.name!r} must be increasing numbers, got {cuts!r}")


class DateFeatures(NumberFeatures):
    """Dates as ordered numbers, with bounds such as ``signed > 2021-03-04``.

    Examples
    --------
    >>> DateFeatures("signed", Column(["2021-03-01", "2021-03-08", "2021-03-15"])).names[:3]
    ['signed', 'signed > 2021-03-04', 'signed > 2021-03-11']
    """

    whole_days = True

    def _numbers(self, column: Column) -> Floats:
        return as_seconds(column, self.name)

    def _bounds(self, numbers: Floats) -> Floats:
        self.whole_days = bool((numbers % DAY == 0).all())
        return round_cuts(super()._bounds(numbers), numbers, upper=False)

    def _written(self, cut: float) -> str:
        return written(cut, whole_days=self.whole_days)


class CategoryFeatures:
    """Categories: one attribute each, and one for missing values if the training rows had any.

    Examples
    --------
    >>> sky = CategoryFeatures.of("sky", Column(["blue", "grey", "blue"]))
    >>> sky.names, sky.transform(Column(["grey", "red"])).toarray().tolist()
    (['sky = blue', 'sky = grey'], [[0.0, 1.0], [0.0, 0.0]])
    """

    def __init__(self, coder: CategoryCoder, *, missing: bool) -> None:
        self.coder, self.missing = coder, missing

    @classmethod
    def of(cls, name: str, column: Column) -> CategoryFeatures:
        """Return the features of a column."""
        coder = CategoryCoder.of(name, column)
        return cls(coder, missing=bool((coder.codes(column) == MISSING).any()))

    @property
    def names(self) -> list[str]:
        """The names of the attributes."""
        named = [self.coder.describe(code) for code in range(1, len(self.coder.categories) + 1)]
        return [*named, *([f"{self.coder.name} missing"] if self.missing else [])]

    def transform(self, column: Column) -> csr_matrix:
        """Return the attributes of each row, 0 or 1."""
        codes, size = self.coder.codes(column), len(self.coder.categories)
        if self.missing:
            codes[codes == MISSING] = size + 1
        codes[codes == UNSEEN] = 0
        return indicators(codes[:, None], np.array([size + self.missing]))


class TextFeatures:
    """Free text: one attribute per word and per pair of neighbouring words, by a vectorizer of scikit-learn.

    Examples
    --------
    >>> text = TextFeatures.of("message", Column(["Call now!", "call"]), None)
    >>> text.names
    ['message: !', 'message: call', 'message: call now', 'message: now', 'message: now !']
    >>> text.transform(Column(["now now", None])).toarray().sum(axis=1)
    array([1., 0.])
    >>> TextFeatures.of("message", Column(["明天见"]), None).names
    ['message: 天', 'message: 天 见', 'message: 明', 'message: 明 天', 'message: 见']
    """

    def __init__(self, name: str, vectorizer: Any) -> None:
        self.name, self.vectorizer = name, vectorizer

    @classmethod
    def of(cls, name: str, column: Column, vectorizer: Any) -> TextFeatures:
        """Return the features of a column; None stands for words and word pairs that are present or not."""
        made = words_and_pairs() if vectorizer is None else clone(vectorizer)
        try:
            made.fit(_texts(column))
        except ValueError as error:
            raise ValueError(f"column {name!r} holds no words to learn from ({error})") from error
        return cls(name, made)

    @property
    def names(self) -> list[str]:
        """The names of the attributes."""
        return [f"{self.name}: {term}" for term in self.vectorizer.get_feature_names_out()]

    def transform(self, column: Column) -> csr_matrix:
        """Return the attributes of each row."""
        return csr_matrix(self.vectorizer.transform(_texts(column)), dtype=np.float64)


def words_and_pairs() -> CountVectorizer:
    """Return a vectorizer of words, marks of punctuation, and pairs of neighbours: 1 where present, however often."""
    return CountVectorizer(binary=True, ngram_range=(1, 2), token_pattern=TOKEN, max_features=MAX_WORDS)


def joined(features: list[ColumnFeatures], columns: list[Column], n_rows: int) -> csr_matrix:
    """Return the attributes of all columns side by side."""
    if not features:
        return csr_matrix((n_rows, 0))
    return hstack([f.transform(c) for f, c in zip(features, columns, strict=True)], format="csr", dtype=np.float64)


def _texts(column: Column) -> list[str]:
    return ["" if is_missing(value) else str(value) for value in column.values]
