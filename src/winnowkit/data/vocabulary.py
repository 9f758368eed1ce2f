"""Examples that are dictionaries of features, as numbered attributes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Example = Mapping[Hashable, Any]


class Active(NamedTuple):
    """The attributes of an example that are not 0."""

    indices: NDArray[np.int64]  # ascending, of the known ones
    data: NDArray[np.float64]  # their values, then those of the unknown ones
    n_new: int  # attributes of the example that are unknown, be they 0 or not


class Vocabulary(dict[Hashable, int]):
    """Numbers attributes as they turn up.

    A number or a boolean is a value of the attribute named by its key: 1 if above `binarize`, else 0. A string is a
    category: the attribute (key, string) is 1. None says nothing.

    Examples
    --------
    >>> vocabulary = Vocabulary()
    >>> vocabulary.add({"length": 3, "reply": False, "from": "ann"}, binarize=0.0)
    >>> vocabulary
    {'length': 0, 'reply': 1, ('from', 'ann'): 2}
    >>> vocabulary.active({"reply": True, "from": "bob", "length": 0}, binarize=0.0)
    Active(indices=array([1]), data=array([1., 1.]), n_new=1)
    """

    def __init__(self, *numbered: Any) -> None:
        super().__init__(*numbered)
        # What was last looked up: who predicts an example most often learns from it next.
        self._example: Example = {}
        self._found: tuple[NDArray[np.int64], list[Hashable]] = (np.empty(0, dtype=np.int64), [])

    def find(self, x: Example, binarize: float | None) -> tuple[NDArray[np.int64], list[Hashable]] | None:
        """The numbers of known keys, ascending, and the unknown keys, if all values are 1; else None. Fast."""
        if x == self._example:
            return self._found
        if not all_above(x, binarize):
            return None
        found = list(map(self.get, x))
        new: list[Hashable] = []
        if None in found:
            new = [key for key, i in zip(x, found, strict=True) if i is None]
            found = [i for i in found if i is not None]
        indices = np.array(found, dtype=np.int64)
        indices.sort()
        self._example, self._found = dict(x), (indices, new)
        return self._found

    def add(self, x: Example, binarize: float | None) -> NDArray[np.int64] | None:
        """Number the attributes that are new; the numbers of all keys if all values are 1, else None."""
        found = self.find(x, binarize)
        self._example, self._found = {}, (self._found[0][:0], [])
        if found is None:
            for attribute in values(x, binarize):
                self.setdefault(attribute, len(self))
            return None
        known, new = found
        first = len(self)
        self.update(zip(new, range(first, first + len(new)), strict=True))
        return np.concatenate((known, np.arange(first, len(self))))

    def active(self, x: Example, binarize: float | None) -> Active:
        """What an example has of known and unknown attributes."""
        plain = self.find(x, binarize)
        if plain is not None:
            return Active(plain[0], np.ones(len(x)), len(plain[1]))
        attributes = values(x, binarize)
        numbers = attributes.values()
        indices = list(map(self.get, attributes))
        n_new = indices.count(None)
        new = [v for i, v in zip(indices, numbers, strict=True) if i is None and v > 0.0] if n_new else []
        known = [(i, v) for i, v in zip(indices, numbers, strict=True) if i is not None and v > 0.0]
        known.sort()
        data = [v for _, v in known] + new
        return Active(np.array([i for i, _ in known], dtype=np.int64), np.array(data, dtype=np.float64), n_new)


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
