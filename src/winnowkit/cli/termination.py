"""SIGTERM as an exception that removes drafts of files, and ends a command even if it is swallowed on its way.

Python raises the exception wherever the main thread happens to be. A callback from C and ``__del__`` print and lose it;
a module of C that is being imported may do so, or raise another in its place. So a timer looks whether the exception
is still under way, that is, whether anything still refers to it, and sends the signal again if not. Whoever cleans up
because of it is left in peace: the exception exists until they are done.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any
from weakref import ref

SECONDS = 0.05
"""Time after which the exception is looked for, again and again."""


class Terminated(BaseException):
    """The process was asked to end (SIGTERM)."""


@contextmanager
def ending_on_sigterm() -> Iterator[None]:
    """Raise `Terminated` if SIGTERM comes, whatever the block makes of it, unless the caller handles that signal."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    ending = _Ending()
    try:
        ending.begin()
        yield
    except BaseException:
        if ending.asked:
            raise Terminated from None
        raise
    else:
        if ending.asked:  # what was swallowed may have left the work undone
            raise Terminated
    finally:
        ending.end()


class _Ending:
    """Handlers of signals and of exceptions that nobody catches, for as long as a command runs."""

    def __init__(self) -> None:
        self.asked = False
        self._over = False
        self._raised: Callable[[], Terminated | None] = lambda: None
        self._unraisable, self._uncaught = sys.unraisablehook, sys.excepthook

    def begin(self) -> None:
        sys.unraisablehook, sys.excepthook = self._hide_unraisable, self._hide_uncaught
        signal.signal(signal.SIGTERM, self._terminate)

    def end(self) -> None:
        self._over = True
        if self.asked and hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        sys.unraisablehook, sys.excepthook = self._unraisable, self._uncaught

    def _terminate(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - as the system calls it
        if self._over:
            return
        if not self.asked and hasattr(signal, "setitimer"):  # not on Windows
            signal.signal(signal.SIGALRM, self._repeat)
            signal.setitimer(signal.ITIMER_REAL, SECONDS, SECONDS)
        self.asked = True
        error = Terminated()
        self._raised = ref(error)
        try:
            raise error
        finally:
            del error  # or its own traceback would keep it

    def _repeat(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if self._raised() is None:
            signal.raise_signal(signal.SIGTERM)  # to whoever handles it now: it may be held back

    def _hide_unraisable(self, unraisable: Any) -> None:
        if unraisable.exc_type is not Terminated:
            self._unraisable(unraisable)

    def _hide_uncaught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Hide what C code prints (``PyErr_Print``), and forget what Python keeps of it."""
        if kind is not Terminated:
            self._uncaught(kind, error, trace)
            return
        sys.last_value = sys.last_traceback = None
        if hasattr(sys, "last_exc"):  # from Python 3.12 on
            sys.last_exc = None
