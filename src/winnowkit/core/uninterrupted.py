"""Signals held back while code runs that an exception in the middle would break.

Python raises ``KeyboardInterrupt``, and the command line its own exception for SIGTERM, wherever the main thread
happens to be. LLVM calls Python back while it compiles: an exception there is printed and lost, and the kernel stays
half made. Modules that are half imported are no better.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

HELD_BACK = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold back Ctrl-C and SIGTERM until the end of a block of a second or two.

    Only those that a Python function handles: the system's own actions raise no exception. Python handles signals in
    the main thread alone, so that there is nothing to do in others.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.getsignal(number) for number in HELD_BACK}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    came: list[int] = []
    try:
        for number in handlers:
            signal.signal(number, lambda number, _: came.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])
