"""Transactions on learners: a call that fails undoes its changes, and no other thread sees half of one.

All or nothing is :func:`all_or_nothing`. For threads, every estimator has a :class:`ReadWriteLock` of its own from the
beginning: those who learn take turns, and those who predict see a model before or after a call that learns. The lock is
no part of the state: copies, clones and models from files have new ones.

A process that is forked has none of the other threads, and so nobody who would release what they hold. Before a fork,
the thread that forks takes every lock that it can have within :data:`PATIENCE`, so that calls of microseconds end.
Where a longer call is learning, the child has a model in the midst of it, which says so when it is used. The compiler's
lock is waited for: whoever has it ends by themselves, and a child without them would wait for ever at its first kernel.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Condition, RLock, get_ident
from time import monotonic
from typing import Any, Protocol, Self, TypeVar
from weakref import WeakValueDictionary

F = TypeVar("F", bound=Callable[..., Any])

PATIENCE = 0.1
"""Seconds that a fork waits for all locks together."""

# --- all or nothing ---------------------------------------------------------------------------------------------------


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


# --- one writer, or any number of readers -----------------------------------------------------------------------------


class ReadWriteLock:
    """One writer, or any number of readers; a thread may enter again what it has entered.

    A writer holds the entrance from beginning to end and first waits for the readers inside; a reader passes through
    the entrance, so that a waiting writer lets no more of them in. Calls of a microsecond take `entrance` apart and
    hold it themselves: ``with lock.writing`` would take as long as they do.

    Examples
    --------
    >>> lock = ReadWriteLock()
    >>> with lock.reading, lock.reading:
    ...     len(lock.readers)
    1
    >>> with lock.writing, lock.reading:
    ...     pass
    """

    __slots__ = ("__weakref__", "_awaited", "_departure", "_door", "entrance", "readers", "reading", "writing")

    def __init__(self) -> None:
        self.readers: dict[int, int] = {}  # how often each thread has entered; it changes its own entry only
        self._have_door(RLock())
        self.reading, self.writing = _Reading(self), _Writing(self)
        self._departure, self._awaited = Condition(), False
        _locks[id(self)] = self

    def _have_door(self, door: Any) -> None:
        self._door = door
        self.entrance = door.acquire, door.release, self.readers

    def hold(self, seconds: float) -> bool:
        """Have the entrance, if nobody else has it for so long."""
        return bool(self._door.acquire(timeout=seconds))

    def release(self) -> None:
        """Undo :meth:`hold`."""
        self._door.release()

    def renew(self, *, held: bool) -> None:
        """Forget the other threads, in a forked process; `held` says whether this thread has the entrance."""
        for thread in self.readers.keys() - {get_ident()}:
            del self.readers[thread]
        self._departure, self._awaited = Condition(), False
        if held:
            self.release()
        else:
            self._have_door(_NoDoor())

    def wait_for_readers(self) -> None:
        """Wait until no other thread reads; the entrance must be held."""
        me = get_ident()
        with self._departure:
            self._awaited = True
            while len(self.readers) > (me in self.readers):
                self._departure.wait()
            self._awaited = False

    def depart(self) -> None:
        """Tell a writer that a reader has left."""
        if self._awaited:
            with self._departure:
                self._departure.notify_all()


class _NoDoor:
    """The entrance of a model that another thread was changing when the process was forked."""

    def acquire(self, *_: Any, **__: Any) -> bool:
        raise RuntimeError(
            "this process was forked while another thread was learning with this model, and has half of what it was "
            "learning: fork before or after, or load the model from a file"
        )

    def release(self) -> None:
        """Do nothing: nobody has entered."""

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class _Reading:
    def __init__(self, lock: ReadWriteLock) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        me, readers = get_ident(), self._lock.readers
        if me in readers:
            readers[me] += 1  # not by the entrance, where a writer may be waiting for this thread
            return
        with self._lock._door:
            readers[me] = 1

    def __exit__(self, *_: object) -> None:
        me, readers = get_ident(), self._lock.readers
        readers[me] -= 1
        if not readers[me]:
            del readers[me]
            self._lock.depart()


class _Writing:
    def __init__(self, lock: ReadWriteLock) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        self._lock._door.acquire()
        if self._lock.readers:
            self._lock.wait_for_readers()

    def __exit__(self, *_: object) -> None:
        self._lock._door.release()


# --- forks ------------------------------------------------------------------------------------------------------------

_locks: WeakValueDictionary[int, ReadWriteLock] = WeakValueDictionary()
_held: list[Any] = []  # by the thread that forks, while it does


def _before_fork() -> None:
    deadline = monotonic() + PATIENCE
    for reference in _locks.valuerefs():  # a list: other threads may make locks meanwhile
        lock = reference()
        if lock is not None and lock.hold(max(0.0, deadline - monotonic())):
            _held.append(lock)
    compiling = sys.modules.get("numba.core.compiler_lock")
    if compiling is not None:
        compiling.global_compiler_lock.acquire()
        _held.append(compiling.global_compiler_lock)


def _after_fork_in_parent() -> None:
    while _held:
        _held.pop().release()


def _after_fork_in_child() -> None:
    held = {id(lock): lock for lock in _held}
    _held.clear()
    for key, lock in list(_locks.items()):
        lock.renew(held=held.pop(key, None) is not None)
    for lock in held.values():
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)


# --- objects with a lock ----------------------------------------------------------------------------------------------


class Locked:
    """Gives each object a lock, which its state does not contain."""

    _lock: ReadWriteLock

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Make the object and its lock, whether it is constructed, copied or loaded."""
        record = super().__new__(cls)
        record._lock = ReadWriteLock()
        return record

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]  # no subclass has slots
        return {name: value for name, value in state.items() if name != "_lock"}


def reads(method: F) -> F:
    """Make a method of a locked object see the object before or after a call that changes it, never in between."""

    @wraps(method)
    def reading(self: Locked, *arguments: Any, **options: Any) -> Any:
        with self._lock.reading:
            return method(self, *arguments, **options)

    return reading  # type: ignore[return-value]  # it takes and returns the same


def takes_turns(method: F) -> F:
    """Let no other thread into a locked object during a method that changes it."""

    @wraps(method)
    def writing(self: Locked, *arguments: Any, **options: Any) -> Any:
        with self._lock.writing:
            return method(self, *arguments, **options)

    return writing  # type: ignore[return-value]  # it takes and returns the same
