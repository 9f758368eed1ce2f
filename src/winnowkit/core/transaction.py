"""All or nothing: a call that fails undoes its changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol


class Restorable(Protocol):
    """An object that can return to an earlier state."""

    def checkpoint(self) -> Any:
        """Return whatever :meth:`roll_back` needs; this is cheap compared with the changes that may follow."""

    def roll_back(self, checkpoint: Any) -> None:
        """Return to the state of the checkpoint."""


class RestoresAttributes:
    """Restores attributes, for objects that replace their attributes instead of changing them in place."""

    def checkpoint(self) -> dict[str, Any]:
        """Remember all attributes.

        Returns
        -------
        dict
            The attributes, for :meth:`roll_back`.
        """
        return self.__dict__.copy()

    def roll_back(self, checkpoint: dict[str, Any]) -> None:
        """Restore the attributes of the checkpoint, and remove all others."""
        for name in self.__dict__.keys() - checkpoint.keys():
            del self.__dict__[name]
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
