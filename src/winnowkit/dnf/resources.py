"""What kernels are handed besides the data: powers of alpha, scratch memory, threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TypeVar

import numpy as np

from winnowkit.dnf.kernels.agree import Floats, Space, make_space

T = TypeVar("T")
R = TypeVar("R")

LARGEST_REACH = np.iinfo(np.int16).max - 1
"""Nets that the kernels' tables of 16-bit cells hold."""

# Kernels let weights overflow and look at the result; run without the JIT they would warn.
let_overflow = np.errstate(over="ignore", under="ignore", invalid="ignore")


@lru_cache(maxsize=32)
def _table(alpha: float, reach: int) -> Floats:
    with np.errstate(over="ignore", under="ignore"):
        return np.float64(alpha) ** np.arange(-reach, reach + 1, dtype=np.float64)


def powers_of(alpha: float, reach: int) -> Floats:
    """Powers of `alpha`, exponent 0 in the middle, out to `reach` at least; few lengths, so that they are kept."""
    return _table(float(alpha), min(LARGEST_REACH, 1 << max(8, reach.bit_length())))


_of_thread = threading.local()


def space_for(n_sets: int, n_attributes: int) -> Space:
    """Scratch memory of this thread, large enough."""
    room: tuple[int, int] = getattr(_of_thread, "room", (-1, -1))
    if room[0] < n_sets or room[1] < n_attributes:
        _of_thread.room = max(2 * n_sets, 64, room[0]), max(n_attributes, room[1])
        _of_thread.space = make_space(*_of_thread.room)
    space: Space = _of_thread.space
    return space


def in_threads(run: Callable[[slice], None], n_rows: int, n_jobs: int) -> None:
    """Call `run` on parts of the rows, in `n_jobs` threads."""
    step = max(1, -(-n_rows // (8 * n_jobs))) if n_jobs > 1 else max(1, n_rows)
    parts = [slice(first, first + step) for first in range(0, n_rows, step)]
    if n_jobs == 1:
        for part in parts:
            run(part)
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        list(pool.map(run, parts))


def in_order(
    call: Callable[[T], R], items: Iterable[T], n_jobs: int, on_interrupt: Callable[[], None] = lambda: None
) -> list[R]:
    """Results of `call` on each item, in order, by `n_jobs` threads."""
    if n_jobs == 1:
        return [call(item) for item in items]
    with ThreadPoolExecutor(n_jobs) as pool:
        try:
            return list(pool.map(call, items))
        except KeyboardInterrupt:
            on_interrupt()
            raise
