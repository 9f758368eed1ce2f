"""Encode one column: categories as they are, numbers cut into intervals, or monotone booleans.

That a value is missing may be information, which deserves a code of its own: :func:`informative` tells.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, xlogy
from sklearn.base import clone

from winnowkit.core.columns import Column, as_floats, is_missing
from winnowkit.data.discretize import MultisplitDiscretizer, interval_names

Codes = NDArray[np.int32]

MISSING = 0
UNSEEN = -1  # the encoder turns it into 0 after missing values have got a category, where they are to have one

LEVEL = 0.01
"""The level of the test: how often values missing at random are taken for informative ones."""

_BITS = {0: 0, 1: 1}  # False and 0.0 are equal to 0, True and 1.0 to 1


class Coder(Protocol):
    """The interface of a column that the encoder uses."""

    categories: list[Any]

    def codes(self, column: Column) -> Codes:
        """Return the codes of a whole column: 1, 2, ..., MISSING or UNSEEN."""

    def code(self, value: Any) -> int:
        """Return the code of one value."""

    def describe(self, code: int) -> str:
        """Describe a code of at least 1 in words."""

    def tests(self, code: int) -> list[tuple[str, Any]]:
        """List the comparisons, as (operator, value), that are equivalent to a code of at least 1."""


class _Numbering(dict[Any, int]):
    """Code of each category: while open, a new one gets the next number; once closed, it is UNSEEN."""

    open = True

    def __init__(self) -> None:
        super().__init__({None: MISSING, "?": MISSING})  # the common ones are found without a call

    def __missing__(self, value: Any) -> int:
        if is_missing(value):
            return MISSING
        if not self.open:
            return UNSEEN
        self[value] = code = len(self) - 1
        return code


class CategoryCoder:
    """Categories: values as they are.

    Examples
    --------
    >>> coder = CategoryCoder("outlook", Column(["sunny", "rain", None, "sunny"], False))
    >>> coder.codes(Column(["rain", "snow", "sunny"], False))
    array([ 1, -1,  2], dtype=int32)
    >>> coder.describe(2)
    'outlook = sunny'
    """

    def __init__(self, name: str, column: Column) -> None:
        self.name = name
        self.numbers = _Numbering()
        self.codes(column)
        self.categories = _in_order([value for value, code in self.numbers.items() if code != MISSING])
        self._number()

    def _number(self) -> None:
        self.numbers = _Numbering()
        for value in self.categories:
            self.numbers[value]  # numbers it
        self.numbers.open = False

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "categories": self.categories}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.name, self.categories = state["name"], state["categories"]
        self._number()

    def codes(self, column: Column) -> Codes:
        """Return the codes of a whole column: 1, 2, ..., MISSING or UNSEEN."""
        values = column.values if isinstance(column.values, list) else column.values.tolist()
        try:
            return np.fromiter(map(self.numbers.__getitem__, values), dtype=np.int32, count=len(values))
        except TypeError:
            for value in values:
                self.code(value)
            raise

    def code(self, value: Any) -> int:
        """Return the code of one value."""
        try:
            return self.numbers[value]
        except TypeError:
            raise TypeError(
                f"column {self.name!r} holds {value!r} ({type(value).__name__}), which cannot be a category: "
                "categories are strings, integers, booleans or other hashable values"
            ) from None

    def describe(self, code: int) -> str:
        """Describe a code of at least 1 in words."""
        return f"{self.name} = {self.categories[code - 1]}"

    def tests(self, code: int) -> list[tuple[str, Any]]:
        """List the comparisons, as (operator, value), that are equivalent to a code of at least 1."""
        return [("=", self.categories[code - 1])]


class IntervalCoder:
    """Numbers, cut into intervals by the classes of the training rows.

    Examples
    --------
    >>> ages, labels = Column([20, 30, 40, 50] * 3, False), np.array([0, 0, 1, 1] * 3)
    >>> coder = IntervalCoder("age", ages, labels, MultisplitDiscretizer())
    >>> coder.codes(Column([34.9, 35, None], True))
    array([1, 2, 0], dtype=int32)
    >>> coder.describe(2)
    'age >= 35'
    """

    def __init__(
        self, name: str, column: Column, labels: NDArray[Any] | None, discretizer: MultisplitDiscretizer
    ) -> None:
        self.name = name
        numbers = as_floats(column, name)
        if labels is None:
            raise ValueError(f"column {name!r} is numeric, and cutting it needs the class of each row: fit(X, y)")
        self.cuts = clone(discretizer).fit(numbers[:, None], labels).cuts_[0]
        self.categories = interval_names(name, self.cuts) if np.isfinite(numbers).any() else []

    def codes(self, column: Column) -> Codes:
        """Return the codes of a whole column: 1, 2, ..., MISSING or UNSEEN."""
        numbers = as_floats(column, self.name)
        codes = np.searchsorted(self.cuts, numbers, side="right") + 1 if self.categories else UNSEEN
        return np.where(np.isnan(numbers), MISSING, codes).astype(np.int32)

    def code(self, value: Any) -> int:
        """Return the code of one value."""
        if type(value) is not float or not np.isfinite(value):
            return int(self.codes(Column([value], False))[0])
        return bisect_right(self.cuts, value) + 1 if self.categories else UNSEEN

    def describe(self, code: int) -> str:
        """Describe a code of at least 1 in words."""
        return str(self.categories[code - 1])

    def tests(self, code: int) -> list[tuple[str, Any]]:
        """List the comparisons, as (operator, value), that are equivalent to a code of at least 1."""
        above = [(">=", float(cut)) for cut in self.cuts[code - 2 : code - 1]] if code > 1 else []
        below = [("<", float(cut)) for cut in self.cuts[code - 1 : code]]
        return [*above, *below] or [("present", None)]


class BooleanCoder:
    """Monotone data: 0 is unspecified, and 1 is the only category.

    Examples
    --------
    >>> BooleanCoder("wings").codes(Column([0, 1, True, False, 1.0], False))
    array([0, 1, 1, 0, 1], dtype=int32)
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.categories = [1]

    def codes(self, column: Column) -> Codes:
        """Return the codes of a whole column."""
        values = column.values if isinstance(column.values, list) else column.values.tolist()
        try:
            return np.fromiter(map(_BITS.__getitem__, values), dtype=np.int32, count=len(values))
        except (KeyError, TypeError):
            for value in values:
                self.code(value)
            raise

    def code(self, value: Any) -> int:
        """Return the code of one value."""
        try:
            return _BITS[value]
        except (KeyError, TypeError):
            raise ValueError(f"monotone columns must hold 0 or 1; column {self.name!r} holds {value!r}") from None

    def describe(self, code: int) -> str:  # noqa: ARG002 - there is only one
        """Describe a code of at least 1 in words."""
        return f"{self.name} = 1"

    def tests(self, code: int) -> list[tuple[str, Any]]:  # noqa: ARG002 - there is only one
        """List the comparisons, as (operator, value), that are equivalent to a code of at least 1."""
        return [("=", 1)]


def _in_order(values: list[Any]) -> list[Any]:
    """Sorted where values can be; by type and text where they cannot, so that the order of rows does not matter."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda value: (type(value).__name__, str(value)))


def informative(absent: NDArray[np.bool_], labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell for each column whether its missing values depend on the class, by a likelihood-ratio test.

    The alternatives are one rate of missing values per class, and one rate for all classes. If values are missing at
    random, twice the logarithm of the likelihood ratio is asymptotically chi-squared with classes - 1 degrees of
    freedom. This test copes with rare classes better than Pearson's.

    Parameters
    ----------
    absent : array of bool, shape (rows, columns)
        Where a value is missing.
    labels : array of shape (rows,)
        The class of each row.

    Returns
    -------
    array of bool, shape (columns,)
        Whether the missing values of each column are informative, at the 1% level.

    Examples
    --------
    >>> labels = np.repeat(["yes", "no"], 50)
    >>> absent = np.stack([labels == "yes", np.arange(100) % 2 == 0], axis=1)
    >>> informative(absent, labels)
    array([ True, False])
    """
    _, places, n_rows = np.unique(labels, return_inverse=True, return_counts=True)
    of_class = places[:, None] == np.arange(len(n_rows))
    n_absent = absent.T.astype(np.float64) @ of_class
    ratio = _log_likelihood(n_absent, n_rows).sum(axis=1) - _log_likelihood(n_absent.sum(axis=1), n_rows.sum())
    found: NDArray[np.bool_] = chdtrc(max(len(n_rows) - 1, 1), 2 * np.maximum(ratio, 0.0)) < LEVEL
    return found


def _log_likelihood(hits: NDArray[np.float64], tries: Any) -> NDArray[np.float64]:
    """Logarithm of the largest likelihood of so many hits, over all rates."""
    value: NDArray[np.float64] = xlogy(hits, hits / tries) + xlogy(tries - hits, 1 - hits / tries)
    return value
