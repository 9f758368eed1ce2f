"""Dictionaries of categories as codes, columns and categories being numbered as they turn up.

Code 0 is unspecified, 1 is kept for "missing" where that is a value, categories have codes from 2 on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.columns import Column, as_floats, is_missing
from winnowkit.data.discretize import MultisplitDiscretizer
from winnowkit.data.encode import WAYS

Codes = NDArray[np.int32]
UNSPECIFIED, MISSING, FIRST = 0, 1, 2


class Categories(dict[Any, int]):
    """Codes of the categories of one column."""

    def __init__(self, name: Hashable) -> None:
        super().__init__()
        self.name = name

    def code(self, value: Any) -> int:
        """Code of a value; of an unknown one, that which it will have."""
        try:
            return self.get(value, FIRST + len(self))
        except TypeError:
            raise TypeError(
                f"feature {self.name!r} holds {value!r}, which cannot be a category: "
                "categories are strings, integers, booleans or other hashable values"
            ) from None

    def learn(self, value: Any, label: int) -> None:  # noqa: ARG002 - intervals need it
        """Take in a value."""
        self.setdefault(value, FIRST + len(self))

    def size_with(self, value: Any) -> int:
        """How many categories there are, this one included."""
        return len(self) + (value not in self)

    @property
    def size(self) -> int:
        """How many categories there are."""
        return len(self)


class Booleans(Categories):
    """Monotone data: 0 says nothing, 1 is the only category."""

    def code(self, value: Any) -> int:
        """Code of a value."""
        if value not in (0, 1):
            raise ValueError(f"monotone columns must hold 0 or 1; feature {self.name!r} holds {value!r}")
        return FIRST if value else UNSPECIFIED

    def learn(self, value: Any, label: int) -> None:
        """Nothing turns up."""

    def size_with(self, value: Any) -> int:  # noqa: ARG002 - as others
        """1."""
        return 1

    @property
    def size(self) -> int:
        """1."""
        return 1


class Intervals:
    """Numbers of one column: collected until there are enough to cut them into intervals, for good."""

    def __init__(self, name: Hashable, enough: int) -> None:
        self.name = name
        self.enough = enough
        self.collected: list[tuple[float, int]] = []
        self.cuts: list[float] | None = None

    def code(self, value: Any) -> int:
        """Code of a number: unspecified until there are cuts."""
        number = self._number(value)
        return UNSPECIFIED if self.cuts is None else FIRST + bisect_right(self.cuts, number)

    def learn(self, value: Any, label: int) -> None:
        """Take in a number, with its class; the last one needed makes the cuts."""
        if self.cuts is None:
            self.collected.append((self._number(value), label))
            if len(self.collected) >= self.enough:
                numbers, labels = zip(*self.collected, strict=True)
                fitted = MultisplitDiscretizer().fit(np.array(numbers)[:, None], np.array(labels))
                self.cuts = np.asarray(fitted.cuts_[0]).tolist()
                self.collected = []

    def size_with(self, value: Any) -> int:  # noqa: ARG002 - intervals are there or not
        """How many intervals there are."""
        return self.size

    @property
    def size(self) -> int:
        """How many intervals there are."""
        return 0 if self.cuts is None else len(self.cuts) + 1

    def _number(self, value: Any) -> float:
        return float(as_floats(Column([value], False), str(self.name))[0])


class Coded(NamedTuple):
    """An example as codes."""

    codes: Codes  # new columns last
    n_terms: int  # of all terms over what was seen, this example included
    values: dict[Hashable, Any]  # what is not missing


class GrowingColumns:
    """Columns and categories as they turn up.

    Examples
    --------
    >>> columns = GrowingColumns()
    >>> for x in ({"sky": "grey"}, {"sky": "blue", "wind": 3}):
    ...     columns.learn(columns.look(x), 0)
    >>> columns.look({"wind": 3, "sky": "red"})
    Coded(codes=array([4, 2], dtype=int32), n_terms=8, values={'wind': 3, 'sky': 'red'})
    """

    def __init__(
        self, missing: str = "ignore", numeric: Collection[Hashable] = (), monotone: bool = False, warm_up: int = 200
    ) -> None:
        if missing not in WAYS:
            raise ValueError(f"missing must be one of {', '.join(map(repr, WAYS))}; got {missing!r}")
        self.missing = missing
        self.numeric = numeric
        self.monotone = monotone
        self.warm_up = warm_up
        self.columns: dict[Hashable, Categories | Intervals] = {}
        self.with_missing: set[Hashable] = set()  # columns that were missing in some example
        self.n_seen = 0
        self._frequent: dict[int, defaultdict[Hashable, Counter[int]]] = {}  # of each class: codes of each column

    def look(self, x: Mapping[Hashable, Any]) -> Coded:
        """Code an example, as it will be coded when learned from; nothing is added."""
        values = {key: value for key, value in x.items() if not is_missing(value)}
        every = self.columns | {key: self._column(key, values[key]) for key in values if key not in self.columns}
        absent = MISSING if self.missing == "value" and not self.monotone else UNSPECIFIED
        codes, n_terms = np.full(len(every), absent, dtype=np.int32), 1
        for j, (key, column) in enumerate(every.items()):
            size = column.size
            if key in values:
                codes[j] = column.code(values[key])
                size = column.size_with(values[key])
            n_terms *= 1 + size + (absent == MISSING and self._was_missing(key, values))
        return Coded(codes, n_terms, values)

    def learn(self, coded: Coded, label: int) -> None:
        """Take in the columns and categories of an example that was looked at, and then its numbers."""
        if self.missing == "value":
            late = coded.values if self.n_seen else ()
            self.with_missing.update(key for key in late if key not in self.columns)
            self.with_missing.update(key for key in self.columns if key not in coded.values)
        for key, value in coded.values.items():
            if key not in self.columns:
                self.columns[key] = self._column(key, value)
            self.columns[key].learn(value, label)
        if self.missing == "most_frequent":
            counters = self._frequent.setdefault(label, defaultdict(Counter))
            for key, code in zip(self.columns, coded.codes.tolist(), strict=True):
                if code != UNSPECIFIED:
                    counters[key][code] += 1
        self.n_seen += 1

    def completed(self, coded: Coded, label: int) -> Codes:
        """Codes to learn from: with "most_frequent", what is missing has its class's most frequent value so far."""
        codes = coded.codes
        if self.missing == "most_frequent" and label in self._frequent:
            codes = codes.copy()
            for j, key in enumerate(self.columns):
                found = self._frequent[label].get(key)
                if key not in coded.values and found:
                    codes[j] = max(found, key=lambda code: (found[code], -code))
        return codes

    @property
    def fill(self) -> int:
        """Code that all examples so far have in a new column."""
        return MISSING if self.missing == "value" and not self.monotone and self.n_seen else UNSPECIFIED

    def _was_missing(self, key: Hashable, values: Mapping[Hashable, Any]) -> bool:
        if key in self.columns:
            return key in self.with_missing or key not in values
        return self.n_seen > 0

    def _column(self, key: Hashable, value: Any) -> Categories | Intervals:
        if self.monotone:
            return Booleans(key)
        if isinstance(value, float | np.floating) or key in self.numeric:
            return Intervals(key, self.warm_up)
        return Categories(key)
