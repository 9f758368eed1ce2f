"""A learner: a rule at work on n attributes; and the checks of parameters that all of them share."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows


class BadRowsError(ValueError):
    """Rows that cannot be learned from; `flags` as in :mod:`winnowkit.core.csr`. Nothing was changed."""

    def __init__(self, flags: int) -> None:
        super().__init__(flags)
        self.flags = flags


def require(condition: bool, expected: str, got: object) -> None:
    """Raise ValueError unless a parameter is as expected."""
    if not condition:
        raise ValueError(f"{expected}, got {got!r}")


@runtime_checkable
class Learner(Protocol):
    """A rule at work on n attributes, one target a class (one in all if there are two classes)."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """Trials and wrong labels; then, a row a learner, updates and mistakes of its own."""

    def learn(
        self,
        rows: Rows,
        labels: NDArray[np.int64],
        order: NDArray[np.int64] | None = None,
        frozen: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        """One trial a row: the labels predicted before each update. Raises BadRowsError with nothing changed."""

    def decide(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Decisions of all learners on the rows from first to last."""

    def trial_active(self, indices: NDArray[Any], label: int) -> int:
        """One trial on the active indices alone: the label predicted; -1 if unsorted, -2 if out of range."""
