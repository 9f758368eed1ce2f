"""Showing the progress of a long fit, and stopping it before its end."""

from __future__ import annotations

import threading
from typing import Any, Self

_PATIENCE = 2.0  # seconds before a bar shows


class Progress:
    """A progress bar over the rows of each epoch, in terminals and notebooks, once a fit has taken two seconds.

    Parameters
    ----------
    show : bool
        Whether to show a bar; output that is not a terminal never shows one.

    Examples
    --------
    >>> with Progress(show=False) as progress:
    ...     progress.epoch(1, n_rows=100, mistakes=0)
    ...     progress.rows(60)
    True
    """

    def __init__(self, show: bool = True) -> None:
        self._show = show
        self._bar: Any = None
        self._lock = threading.Lock()
        self._stopped = False
        self.done = 0

    def __enter__(self) -> Self:
        if self._show:
            from tqdm.auto import tqdm  # noqa: PLC0415 - only where a bar is wanted

            self._bar = tqdm(unit=" rows", disable=None, delay=_PATIENCE, leave=False, dynamic_ncols=True)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def epoch(self, number: int, n_rows: int, mistakes: int) -> None:
        """Begin an epoch of `n_rows`, after an epoch with `mistakes`."""
        self.done = 0
        if self._bar is not None:
            self._bar.reset(total=n_rows)
            self._bar.set_description(f"epoch {number}" + (f", {mistakes} mistakes in the last" if number > 1 else ""))

    def rows(self, n: int) -> bool:
        """Count rows done, and return whether to go on: False after :meth:`stop`."""
        with self._lock:
            self.done += n
            if self._bar is not None:
                self._bar.update(n)
        return not self._stopped

    def stop(self) -> None:
        """Tell every thread that calls :meth:`rows` to stop."""
        self._stopped = True
