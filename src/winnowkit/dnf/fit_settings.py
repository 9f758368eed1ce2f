"""How one call of `DNFWinnow.fit` runs, whichever way it learns."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from winnowkit.core.progress import Progress

CUT_SHORT = "interrupted", "max_time", "stopped"
"""Ends of training that leave no time for more."""


class FitSettings(NamedTuple):
    """The limits of training, and what it has at hand.

    Parameters
    ----------
    max_epochs : int
        The most passes over the rows.
    deadline : float
        The time, by :func:`time.monotonic`, at which training ends, also within an epoch.
    stop : callable
        Is called in each epoch with the number of epochs so far; training ends if it returns True after the first.
    rng : Generator
        For the order of the rows, and for what is held out.
    n_jobs : int
        The number of threads.
    progress : Progress, optional
        Shows how far training is.
    """

    max_epochs: int
    deadline: float
    stop: Callable[[int], bool]
    rng: np.random.Generator
    n_jobs: int
    progress: Progress | None
