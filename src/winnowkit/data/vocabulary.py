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

    def plain(self, x: Example, binarize: float | None) -> NDArray[np.int64] | None:
        """The numbers of the keys, ascending, if they are all known and all values are 1; else None. Fast."""
        try:
            for value in set(x.values()):  # few are distinct, and most often there is only one
                if not value > binarize:  # NaN too
                    return None
            indices = np.fromiter(map(self.__getitem__, x), np.int64, len(x))
        except (KeyError, TypeError):  # a new key; a string, None, or no binarize
            return None
        indices.sort()
        return indices

    def add(self, x: Example, binarize: float | None) -> None:
        """Number the attributes that are new."""
        for attribute in values(x, binarize):
            self.setdefault(attribute, len(self))

    def active(self, x: Example, binarize: float | None) -> Active:
        """What an example has of known and unknown attributes."""
        known, new, n_new = [], [], 0
        for attribute, value in values(x, binarize).items():
            index = self.get(attribute)
            if index is None:
                n_new += 1
                if value > 0.0:
                    new.append(value)
            elif value > 0.0:
                known.append((index, value))
        known.sort()
        data = [value for _, value in known] + new
        return Active(np.array([index for index, _ in known], dtype=np.int64), np.array(data, dtype=np.float64), n_new)


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
