"""SIGTERM as an exception that removes drafts of files, and ends a command even if it is swallowed on its way.

Python raises the exception wherever the main thread happens to be. A callback from C and ``__del__`` print and lose it;
a module of C that is being imported may do so, or raise another in its place. So a timer looks whether the exception
is still under way, that is, whether anything still refers to it, and sends the signal again if not. Whoever cleans up
because of it is left in peace: the exception exists until they are done. Only a signal that is sent again later, by
somebody who does not want to wait any longer, is raised again.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from time import monotonic
from types import FrameType, TracebackType
from typing import Any
from weakref import ref

SECONDS = 0.05
"""Time after which the exception is looked for, again and again."""


PATIENCE = 1.0
"""Time in which further signals mean the same: ``timeout`` sends one to the process and one to its group."""


class Terminated(BaseException):
    """The process was asked to end (SIGTERM)."""


class Ending:
    """Raises `Terminated` if SIGTERM comes in a block, whatever the block makes of it, unless the caller handles it.

    A signal that comes just as the block ends may leave handlers behind: whoever catches `Terminated` calls `end`.
    """

    def __init__(self) -> None:
        self.asked = False
        self._begun = False
        self._first = 0.0
        self._raised: Callable[[], Terminated | None] = lambda: None
        self._unraisable, self._uncaught = sys.unraisablehook, sys.excepthook

    def __enter__(self) -> None:
        in_main = threading.current_thread() is threading.main_thread()
        if in_main and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
            self._begun = True
            sys.unraisablehook, sys.excepthook = self._hide_unraisable, self._hide_uncaught
            signal.signal(signal.SIGTERM, self._terminate)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self.end()
        if self.asked:  # what was swallowed may have left the work undone
            raise Terminated from None

    def end(self) -> None:
        """Leave signals to the system again, and exceptions to whoever showed them before."""
        if not self._begun:
            return
        self._begun = False  # from now on no signal raises anything
        if self.asked and hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        sys.unraisablehook, sys.excepthook = self._unraisable, self._uncaught

    def _terminate(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - as the system calls it
        under_way = self._raised() is not None
        if not self._begun or (under_way and monotonic() - self._first < PATIENCE):
            return
        if not self.asked:
            self._first = monotonic()
            if hasattr(signal, "setitimer"):  # not on Windows
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
