"""Showing the progress of a long fit."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
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
        self.work = Work()  # of a fit in several stages

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def epoch(self, number: int, n_rows: int, mistakes: int) -> None:
        """Begin an epoch of `n_rows`, after an epoch with `mistakes`."""
        self._bar.bar_format = None
        self._bar.reset(total=n_rows)
        self._bar.set_description(f"epoch {number}" + (f", {mistakes} mistakes in the last" if number > 1 else ""))

    def share(self, done: float, what: str) -> None:
        """Show that a share `done` of the whole fit is done, as far as can be told, with an estimate of the rest."""
        bar = self._bar
        if bar.total != 1.0:
            bar.bar_format, bar.smoothing = "{desc}{percentage:3.0f}%|{bar}| {elapsed}<{remaining}", 0
            bar.reset(total=1.0)
            bar.miniters, bar.dynamic_miniters = 0, False
        bar.set_description(what, refresh=False)
        bar.update(done - bar.n)

    def rule_sets(self, number: int, accuracy: float) -> None:
        """Count a rule set, and show its accuracy on rows held out."""
        self._bar.unit = " rule sets"
        self._bar.set_description(f"rule set {number}, held-out accuracy {accuracy:.4f}")
        self.rows(1)

    def rows(self, n: int) -> None:
        """Count rows done, from any thread."""
        with self._lock:
            self._bar.update(n)


@dataclass
class Work:
    """The work of training, in units of time that nobody needs to know: it tells what share of it is done.

    Parameters
    ----------
    epochs : list of float
        The work of an epoch in this stage of training and in each later one.
    done : float
        The work of the stages before.

    Examples
    --------
    >>> work = Work([1.0, 3.0])
    >>> work.share(n_epochs=5, likely_end=20)  # 5 of 20 + 3 * 20
    0.0625
    >>> work.next_stage(n_epochs=12)
    >>> work.share(n_epochs=12, likely_end=16)  # 12 + 3 * 12 of 12 + 3 * 16
    0.8
    """

    epochs: list[float] = field(default_factory=list)
    done: float = 0.0

    def share(self, n_epochs: int, likely_end: int) -> float:
        """Tell what share is done, if this stage and the later ones end after so many epochs."""
        here, *later = self.epochs or [1.0]
        done = self.done + n_epochs * here
        total = done + here * (likely_end - n_epochs) + likely_end * sum(later)
        return done / total if total else 1.0  # a table without columns is no work

    def next_stage(self, n_epochs: int) -> None:
        """End a stage after so many epochs."""
        if self.epochs:
            self.done += n_epochs * self.epochs.pop(0)
