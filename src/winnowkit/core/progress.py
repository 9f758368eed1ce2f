"""Showing the progress of a long fit."""

from __future__ import annotations

import threading
from typing import Self

_PATIENCE = 2.0  # seconds before a bar shows


class Progress:
    """A progress bar over the rows of each epoch, in terminals and notebooks, once a fit has taken two seconds.

    Examples
    --------
    >>> with Progress() as progress:
    ...     progress.epoch(1, n_rows=100, mistakes=0)
    ...     progress.rows(60)
    """

    def __init__(self) -> None:
        from tqdm.auto import tqdm  # noqa: PLC0415 - only where a bar is wanted

        self._bar = tqdm(unit=" rows", disable=None, delay=_PATIENCE, leave=False, dynamic_ncols=True)
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def epoch(self, number: int, n_rows: int, mistakes: int) -> None:
        """Begin an epoch of `n_rows`, after an epoch with `mistakes`."""
        self._bar.reset(total=n_rows)
        self._bar.set_description(f"epoch {number}" + (f", {mistakes} mistakes in the last" if number > 1 else ""))

    def soft_epoch(self, max_literals: int, number: int, n_rows: int, loss: float) -> None:
        """Count an epoch of soft training, and show the loss on rows held out."""
        self._bar.set_description(f"terms of up to {max_literals}, epoch {number}, held-out log-loss {loss:.4f}")
        self.rows(n_rows)

    def rows(self, n: int) -> None:
        """Count rows done, from any thread."""
        with self._lock:
            self._bar.update(n)
