"""Progress of a long command on standard error, and Ctrl-C between the steps of learning."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.cli.messages import visible

EVERY = 0.2  # seconds between two updates of the line
_HEADER = f"{'mistakes':>10} {'since':>10} {'rows':>12}  {'label':>12} {'predicted':>12}"


class Position(Protocol):
    """How far a reader has come."""

    @property
    def bytes_read(self) -> int:
        """Bytes read so far."""

    @property
    def total_bytes(self) -> int | None:
        """Bytes in total, if known."""


class ProgressLine:
    """Counts rows and mistakes, and shows them while a person is watching.

    Parameters
    ----------
    way : {"auto", "line", "doubling", "off"}
        "line" is one line that changes. "doubling" is the report of Vowpal Wabbit: a line after 1, 2, 4, 8, ... rows
        with the proportion of mistakes so far and since the previous line. "auto" is "line" if standard error is a
        terminal, else "off".
    """

    def __init__(self, way: str) -> None:
        self.way = ("line" if sys.stderr.isatty() else "off") if way == "auto" else way
        self.prefix = ""
        self.started = time.perf_counter()
        self._shown_at = 0.0
        self._width = 0
        self.reset()

    def reset(self) -> None:
        """Count from 0 again."""
        self.rows = self.mistakes = 0
        self._next, self._before = 1, (0, 0)

    def add(self, y: NDArray[Any], predicted: NDArray[Any], position: Position | None = None) -> None:
        """Count some rows."""
        wrong = np.asarray(y != predicted)
        if self.way == "doubling":
            self._double(wrong, y, predicted)
        self.rows += len(wrong)
        self.mistakes += int(wrong.sum())
        if self.way == "line" and time.perf_counter() - self._shown_at > EVERY:
            self._show(position)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.started

    def say(self, text: str) -> None:
        """Show another text instead of the counts."""
        if self.way == "line":
            self._write(text)

    def _show(self, position: Position | None) -> None:
        rate = self.rows / max(self.seconds, 1e-9)
        text = f"{self.prefix}{self.rows:,} rows, {rate:,.0f} per second, {self.mistakes:,} mistakes"
        text += f" ({self.mistakes / max(self.rows, 1):.2%})"
        if position is not None and position.total_bytes:
            text += f", {min(position.bytes_read / position.total_bytes, 1.0):.0%} of the file"
        self._write(text)

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width, self._shown_at = len(text), time.perf_counter()

    def _double(self, wrong: NDArray[np.bool_], y: NDArray[Any], predicted: NDArray[Any]) -> None:
        total = np.cumsum(wrong)
        if self.rows == 0:
            sys.stderr.write(_HEADER + "\n")
        while self._next <= self.rows + len(wrong):
            i = self._next - self.rows - 1
            rows, mistakes = self._next, self.mistakes + int(total[i])
            since = (mistakes - self._before[1]) / (rows - self._before[0])
            label, said = visible(str(y[i])[:12]), visible(str(predicted[i])[:12])
            sys.stderr.write(f"{mistakes / rows:>10.6f} {since:>10.6f} {rows:>12,}  {label:>12} {said:>12}\n")
            self._before, self._next = (rows, mistakes), 2 * self._next

    def close(self) -> None:
        """Clear the line."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
            self._width = 0


class Interrupts:
    """Delays Ctrl-C until the end of a `step` of learning, so that a model is never left half updated.

    Outside of a step, and the second time, Ctrl-C takes effect at once.
    """

    def __init__(self) -> None:
        self.asked = False
        self.asked_twice = False
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
        self.asked_twice = self.asked
        if not self._within or self.asked:
            raise KeyboardInterrupt
        self.asked = True

    @contextmanager
    def step(self) -> Iterator[None]:
        """Let a step of learning finish, then raise KeyboardInterrupt if Ctrl-C was pressed during it."""
        self._within = True
        try:
            yield
        finally:
            self._within = False
        if self.asked:
            raise KeyboardInterrupt
