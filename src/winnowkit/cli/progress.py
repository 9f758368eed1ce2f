"""How far it is, how fast, and how many mistakes: on standard error, while it runs."""

from __future__ import annotations

import sys
import time
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from winnowkit.cli.errors import visible

EVERY = 0.2  # seconds between two states of the line
_HEADER = f"{'mistakes':>10} {'since':>10} {'rows':>12}  {'label':>12} {'predicted':>12}"


class Position(Protocol):
    """How far a reader is."""

    @property
    def bytes_read(self) -> int:
        """Bytes so far."""

    @property
    def total_bytes(self) -> int | None:
        """Bytes in all."""


class Progress:
    """Counts rows and mistakes, and shows them if a person is watching.

    Parameters
    ----------
    way : {"auto", "line", "doubling", "off"}
        "line": one line that changes; "doubling": Vowpal Wabbit's report, a line after 1, 2, 4, 8, ... rows with the
        share of mistakes in all and since the line before; "auto": the line if standard error is a terminal.
    """

    def __init__(self, way: str) -> None:
        self.way = ("line" if sys.stderr.isatty() else "off") if way == "auto" else way
        self.rows = self.mistakes = 0
        self.prefix = ""
        self.started = time.perf_counter()
        self._shown_at = 0.0
        self._width = 0
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
        """Since the start."""
        return time.perf_counter() - self.started

    def say(self, text: str) -> None:
        """Show another text in the line's place."""
        if self.way == "line":
            self._write(text)

    def _show(self, position: Position | None) -> None:
        rate = self.rows / max(self.seconds, 1e-9)
        text = f"{self.prefix}{self.rows:,} rows, {rate:,.0f} a second, {self.mistakes:,} mistakes"
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
