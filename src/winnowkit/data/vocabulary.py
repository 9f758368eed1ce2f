"""Examples that are dictionaries of features, as numbered attributes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import filterfalse
from math import isnan
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Example = Mapping[Hashable, Any]


class Seen(NamedTuple):
    """What an example has of known and unknown attributes."""

    indices: NDArray[np.int64]  # of those that are not 0, ascending; unknown ones as they will be numbered
    data: NDArray[np.float64] | None  # their values; None if all are 1
    n: int  # how many attributes there are, the unknown ones of this example included, be they 0 or not


class Vocabulary(Mapping[Hashable, int]):
    """Numbers attributes as they turn up.

    A number or a boolean is a value of the attribute named by its key: 1 if above `binarize`, else 0. A string is a
    category: the attribute (key, string) is 1. None says nothing. The new ones of one example are numbered by name: the
    order of the keys in a dictionary does not matter, not even for the rounding of sums.

    Examples
    --------
    >>> vocabulary = Vocabulary(binarize=0.0)
    >>> vocabulary.add({"length": 3, "reply": False, "from": "ann"})
    Seen(indices=array([0, 2]), data=None, n=3)
    >>> dict(vocabulary)
    {'length': 0, 'reply': 1, ('from', 'ann'): 2}
    >>> vocabulary.look({"reply": True, "from": "bob", "length": 0})
    Seen(indices=array([1, 3]), data=None, n=4)
    >>> ("from", "bob") in vocabulary
    False
    """

    def __init__(self, binarize: float | None) -> None:
        self.binarize = binarize
        # What was last looked at: who predicts an example most often learns from it next. Its new attributes stand
        # last in the dictionary, until they are added or another example comes: each is looked up once.
        self._numbers: dict[Hashable, int] = {}
        self._n_new = 0
        self._example: Example | None = None
        self._seen = Seen(np.empty(0, dtype=np.int64), None, 0)

    def look(self, x: Example) -> Seen:
        """Look an example up; nothing is added."""
        if x != self._example:
            self._settle()
            self._seen = self._look_up(x) if all_above(x, self.binarize) else self._look_at(values(x, self.binarize))
            self._example = dict(x)
        return self._seen

    def add(self, x: Example) -> Seen:
        """Look an example up, and number its new attributes."""
        seen = self.look(x)
        self._n_new = 0
        return seen

    def add_all(self, attributes: Iterable[Hashable]) -> None:
        """Number those of the attributes that are new."""
        self._settle()
        self._number(attributes)
        self._n_new = 0

    def _look_up(self, x: Example) -> Seen:
        """Look up an example whose values are all 1. Fast."""
        find = itemgetter(*x) if len(x) > 1 else lambda numbers: [numbers[key] for key in x]
        try:
            found = find(self._numbers)
        except KeyError:
            self._number(x)
            found = find(self._numbers)
        indices = np.array(found, dtype=np.int64)
        indices.sort()
        return Seen(indices, None, len(self._numbers))

    def _look_at(self, attributes: dict[Hashable, float]) -> Seen:
        """Look up any attributes."""
        self._number(attributes)
        active = sorted((self._numbers[attribute], value) for attribute, value in attributes.items() if value > 0.0)
        indices = np.array([i for i, _ in active], dtype=np.int64)
        data = None if self.binarize is not None else np.array([value for _, value in active], dtype=np.float64)
        return Seen(indices, data, len(self._numbers))

    def _number(self, attributes: Iterable[Hashable]) -> None:
        """Number those of the attributes that are new, for the time being."""
        n = len(self._numbers)
        new = in_order(list(filterfalse(self._numbers.__contains__, attributes)))
        self._numbers.update(zip(new, range(n, n + len(new)), strict=True))
        self._n_new = len(new)

    def _settle(self) -> None:
        """Forget attributes that were only looked at."""
        for _ in range(self._n_new):
            self._numbers.popitem()
        self._n_new, self._example = 0, None

    def __getitem__(self, attribute: Hashable) -> int:
        self._settle()
        return self._numbers[attribute]

    def __iter__(self) -> Iterator[Hashable]:
        self._settle()
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers) - self._n_new

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.binarize, dict(self))


def in_order(keys: list[Any]) -> list[Any]:
    """The keys in an order that does not depend on the one they come in: that of their names, but for integers."""
    if len(keys) > 1:
        keys.sort(key=None if set(map(type, keys)) in ({str}, {int}) else by_name)  # None is fast
    return keys


def by_name(key: Hashable) -> tuple[str, str]:
    """What keys of any kinds can be sorted by."""
    return type(key).__name__, str(key)


def _restored(binarize: float | None, numbered: dict[Hashable, int]) -> Vocabulary:
    vocabulary = Vocabulary(binarize)
    vocabulary._numbers.update(numbered)
    return vocabulary


def all_above(x: Example, binarize: float | None) -> bool:
    """Whether all values are numbers above `binarize`."""
    try:
        return binarize is not None and all(value > binarize for value in set(x.values()))  # few are distinct
    except TypeError:  # a string, or None
        return False


def values(x: Example, binarize: float | None) -> dict[Hashable, float]:
    """Attributes of an example, and their values in [0, 1]."""
    found: dict[Hashable, float] = {}
    for key, value in x.items():
        if isinstance(value, str):
            found[key, value] = 1.0
        elif value is not None:
            try:
                number = float(value)
            except (TypeError, ValueError):
                raise TypeError(f"feature {key!r} must be a number, a boolean or a string, got {value!r}") from None
            if binarize is not None:
                found[key] = float(number > binarize)
            elif isnan(number):  # 0, as it is not above any number
                found[key] = 0.0
            elif 0.0 <= number <= 1.0:
                found[key] = number
            else:
                raise ValueError(f"with binarize=None feature {key!r} must be in [0, 1], got {value!r}")
    return found
