"""Ctrl-C between steps of learning, never within one, so that what has been learned can be kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self


class Interrupts:
    """While open, Ctrl-C waits for the end of a `step`; outside of one, or the second time, it comes at once."""

    def __init__(self) -> None:
        self.asked = False
        self._within = False
        self._before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _handle(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - signal's interface
        if not self._within or self.asked:
            raise KeyboardInterrupt
        self.asked = True

    @contextmanager
    def step(self) -> Iterator[None]:
        """Let a step of learning finish; then be interrupted if that was asked for."""
        self._within = True
        try:
            yield
        finally:
            self._within = False
        if self.asked:
            raise KeyboardInterrupt
