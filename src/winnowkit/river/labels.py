"""Labels as they turn up, and what decisions say about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Label = Any  # bool, int or str


class Labels(list[Label]):
    """The classes in the order of their codes.

    A boolean stands for both booleans; two classes stand in ascending order, if they have one; later ones follow.

    Examples
    --------
    >>> labels = Labels()
    >>> for label in ("spam", "ham", "news"):
    ...     labels.add(label)
    >>> labels, labels.codes["spam"]
    (['ham', 'spam', 'news'], 1)
    """

    def __init__(self, classes: Sequence[Label] | None = None) -> None:
        super().__init__([] if classes is None else sort_if_possible(classes))
        self.codes = {label: code for code, label in enumerate(self)}

    def add(self, label: Label) -> None:
        """Take in a new class."""
        if isinstance(label, np.bool_):
            label = bool(label)
        if not self and isinstance(label, bool):
            self[:] = [False, True]
        else:
            self.append(label)
            if len(self) == 2:
                self[:] = sort_if_possible(self)
        self.codes = {known: code for code, known in enumerate(self)}


def sort_if_possible(labels: Sequence[Label]) -> list[Label]:
    """Labels in ascending order, or as they came if they have none."""
    try:
        return sorted(labels)
    except TypeError:
        return list(labels)


def shares(ranks: NDArray[np.float64]) -> list[float]:
    """Positive numbers in the order of the ranks that add up to 1; the largest is the predicted label's.

    Examples
    --------
    >>> shares(np.array([0.0])), shares(np.log([1.0, 2.0, 1.0]))
    ([0.5, 0.5], [0.25, 0.5, 0.25])
    """
    if ranks.size == 1:
        ranks = np.array([0.0, max(ranks[0], 1e-15) if ranks[0] > 0.0 else ranks[0]])  # a tie that predicts 1 is tiny
    powers = np.exp(ranks - ranks.max())
    found: list[float] = (powers / powers.sum()).tolist()
    return found
