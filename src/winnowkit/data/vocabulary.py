"""Examples that are dictionaries of features, as numbered attributes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Example = Mapping[Hashable, Any]


class Seen(NamedTuple):
    """What an example has of known and unknown attributes."""

    indices: NDArray[np.int64]  # of those that are not 0, ascending; unknown ones as they will be numbered
    data: NDArray[np.float64] | None  # their values; None if all are 1
    new: list[Hashable]  # the unknown attributes, be they 0 or not
    n: int  # how many attributes will be known


class Vocabulary(dict[Hashable, int]):
    """Numbers attributes as they turn up.

    A number or a boolean is a value of the attribute named by its key: 1 if above `binarize`, else 0. A string is a
    category: the attribute (key, string) is 1. None says nothing.

    Examples
    --------
    >>> vocabulary = Vocabulary(binarize=0.0)
    >>> vocabulary.add(vocabulary.look({"length": 3, "reply": False, "from": "ann"}))
    >>> vocabulary
    {'length': 0, 'reply': 1, ('from', 'ann'): 2}
    >>> vocabulary.look({"reply": True, "from": "bob", "length": 0})
    Seen(indices=array([1, 3]), data=None, new=[('from', 'bob')], n=4)
    """

    def __init__(self, binarize: float | None, ordered: bool = False) -> None:
        super().__init__()
        self.binarize = binarize
        self.ordered = ordered  # whether those of one example are numbered by name, in whatever order they come
        # What was last looked at: who predicts an example most often learns from it next.
        self._example: Example | None = None
        self._seen = Seen(np.empty(0, dtype=np.int64), None, [], 0)

    def look(self, x: Example) -> Seen:
        """Look an example up; nothing is added."""
        if x != self._example:
            self._example = None
            if self.ordered:
                x = {key: x[key] for key in sorted(x, key=by_name)}
            self._seen = self._look_up(x) if all_above(x, self.binarize) else self._look_at(values(x, self.binarize))
            self._example = dict(x)
        return self._seen

    def _look_up(self, x: Example) -> Seen:
        """Look up an example whose values are all 1. Fast."""
        found, new, n = list(map(self.get, x)), [], len(self)
        if None in found:
            new = [key for key, i in zip(x, found, strict=True) if i is None]
            found = [i for i in found if i is not None]
            found.extend(range(n, n + len(new)))
        indices = np.array(found, dtype=np.int64)
        indices.sort()
        return Seen(indices, None, new, n + len(new))

    def _look_at(self, attributes: dict[Hashable, float]) -> Seen:
        """Look up any attributes."""
        new = [attribute for attribute in attributes if attribute not in self]
        numbers = {attribute: len(self) + i for i, attribute in enumerate(new)}
        active = sorted((self.get(a, numbers.get(a, -1)), value) for a, value in attributes.items() if value > 0.0)
        indices = np.array([i for i, _ in active], dtype=np.int64)
        data = None if self.binarize is not None else np.array([value for _, value in active], dtype=np.float64)
        return Seen(indices, data, new, len(self) + len(new))

    def add(self, seen: Seen) -> None:
        """Number the attributes that were new in what was last looked at."""
        if seen.new:
            self.update(zip(seen.new, range(len(self), seen.n), strict=True))
            self._seen = seen._replace(new=[])

    def add_all(self, attributes: Iterable[Hashable]) -> None:
        """Number those of the attributes that are new."""
        attributes = sorted(attributes, key=by_name) if self.ordered else attributes
        self.add(Seen(self._seen.indices, None, new := [a for a in attributes if a not in self], len(self) + len(new)))
        self._example = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.binarize, self.ordered, dict(self))


def by_name(key: Hashable) -> tuple[str, str]:
    """What keys of any kinds can be sorted by."""
    return type(key).__name__, str(key)


def _restored(binarize: float | None, ordered: bool, numbered: dict[Hashable, int]) -> Vocabulary:
    vocabulary = Vocabulary(binarize, ordered)
    vocabulary.update(numbered)
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
