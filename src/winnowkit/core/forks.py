"""Locks in forked processes, which have none of the threads that would release them.

Before a fork, the thread that forks takes every lock that it can have within :data:`PATIENCE`, so that calls of
microseconds end first; a lock that another thread keeps longer is told so in the child. The compiler's lock is waited
for: whoever has it ends by themselves, and a child without them would wait for ever at its first kernel.
"""

from __future__ import annotations

import os
import sys
from time import monotonic
from typing import Any, Protocol
from weakref import WeakValueDictionary

PATIENCE = 0.1  # seconds that a fork waits for all locks together


class Renewable(Protocol):
    """A lock that can begin anew in a forked process."""

    def hold(self, seconds: float) -> bool:
        """Take the lock, unless somebody else keeps it for so long."""

    def release(self) -> None:
        """Undo :meth:`hold`."""

    def renew(self, *, held: bool) -> None:
        """Forget all threads but this one, in a child; if it is not `held`, another thread of the parent had it."""


_locks: WeakValueDictionary[int, Renewable] = WeakValueDictionary()
_held: list[Any] = []  # by the thread that forks, while it does


def renew_after_fork(lock: Renewable) -> None:
    """Have a lock begin anew in every process that is forked from now on."""
    _locks[id(lock)] = lock


def _before() -> None:
    deadline = monotonic() + PATIENCE
    for reference in _locks.valuerefs():  # a list: other threads may make locks meanwhile
        lock = reference()
        if lock is not None and lock.hold(max(0.0, deadline - monotonic())):
            _held.append(lock)
    compiling = sys.modules.get("numba.core.compiler_lock")
    if compiling is not None:
        compiling.global_compiler_lock.acquire()
        _held.append(compiling.global_compiler_lock)


def _in_parent() -> None:
    while _held:
        _held.pop().release()


def _in_child() -> None:
    held = {id(lock): lock for lock in _held}
    _held.clear()
    for key, lock in list(_locks.items()):
        lock.renew(held=held.pop(key, None) is not None)
    for lock in held.values():
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
