"""All or nothing: what a failed call had changed is put back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol


class Restorable(Protocol):
    """Anything that can go back to how it was."""

    def checkpoint(self) -> Any:
        """Return whatever :meth:`roll_back` needs; cheap compared with the changes that may follow."""

    def roll_back(self, checkpoint: Any) -> None:
        """Be as at the checkpoint."""


class RestoresAttributes:
    """Goes back by its attributes, for objects that replace what they hold instead of changing it in place."""

    def checkpoint(self) -> dict[str, Any]:
        """Remember all attributes."""
        return self.__dict__.copy()

    def roll_back(self, checkpoint: dict[str, Any]) -> None:
        """Have the attributes of the checkpoint, and no others."""
        self.__dict__.clear()
        self.__dict__.update(checkpoint)


@contextmanager
def all_or_nothing(*objects: Restorable) -> Iterator[None]:
    """Leave the objects as they were if the block raises anything, an interrupt included.

    Examples
    --------
    >>> class Counter(RestoresAttributes):
    ...     value = 0
    >>> counter = Counter()
    >>> try:
    ...     with all_or_nothing(counter):
    ...         counter.value = 1
    ...         raise KeyboardInterrupt
    ... except KeyboardInterrupt:
    ...     counter.value
    0
    """
    checkpoints = [(item, item.checkpoint()) for item in objects]
    try:
        yield
    except BaseException:
        for item, checkpoint in reversed(checkpoints):
            item.roll_back(checkpoint)
        raise
