"""Eight numbers of 32 bits at once for Python's interpreter: what :mod:`winnowkit.linear.lanes` is for the compiler.

Both give the same bits: each operation is rounded to 32 bits by itself, and any other number before it takes part.
"""

from __future__ import annotations

from typing import Any

import numpy as np

WIDTH = 8
"""How many lanes there are."""


class Lanes(np.ndarray[Any, Any]):
    """Eight numbers."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Round all numbers that take part to 32 bits first."""
        found = getattr(ufunc, method)(*map(_single, inputs), **kwargs)
        return found.view(Lanes) if found.dtype == np.float32 else found


def _single(number: Any) -> Any:
    return np.asarray(number, dtype=np.float32)


def load(array: Any, first: int) -> Any:
    """Eight neighbours of a contiguous array, in 32 bits."""
    return array[first : first + WIDTH].astype(np.float32).view(Lanes)


def load_mask(array: Any, first: int) -> Any:
    """Eight neighbours of a contiguous array of truth values."""
    return array[first : first + WIDTH].copy()


def store(array: Any, first: int, lanes: Any) -> None:
    """Put eight numbers back."""
    array[first : first + WIDTH] = lanes


def spread(number: Any) -> Any:
    """One number in all lanes."""
    return np.full(WIDTH, number, dtype=np.float32).view(Lanes)


def where(mask: Any, lanes: Any, others: Any) -> Any:
    """Take lanes where the mask is true, and the others elsewhere."""
    return np.where(mask, _single(lanes), _single(others)).view(Lanes)


def root(lanes: Any) -> Any:
    """Square root, in each lane."""
    return np.sqrt(lanes)


def is_any(mask: Any) -> bool:
    """Whether a lane is true."""
    return bool(mask.any())


def of_one_learner(records: Any) -> Any:
    """The same records of 16 numbers of 32 bits, of shape (places, 16, 1), as (places, 16)."""
    return records.reshape((records.shape[0], 2 * WIDTH))


def load_records(records: Any, places: Any, first: int, field: int) -> Any:
    """Eight fields, from `field` on, of the records at eight neighbouring places."""
    found = records[places[first : first + WIDTH], field : field + WIDTH].T.copy()
    return tuple(values.view(Lanes) for values in found)


def store_records(records: Any, places: Any, first: int, field: int, fields: Any) -> None:
    """Put eight fields of eight records back; of several lanes with the same place, the first one counts."""
    rows = np.array([np.asarray(values) for values in fields]).T
    for lane in reversed(range(WIDTH)):
        records[places[first + lane], field : field + WIDTH] = rows[lane]


def load_field(records: Any, places: Any, first: int, field: int) -> Any:
    """One field of the records at eight neighbouring places."""
    return records[places[first : first + WIDTH], field].view(Lanes)


def added_up(lanes: Any) -> float:
    """Sum of all lanes, neighbours in pairs; whatever it meets next is of 64 bits, and so is it."""
    found = np.asarray(lanes)
    while found.size > 1:
        found = found[::2] + found[1::2]
    return float(found[0])


def numbered() -> Any:
    """0 to 7."""
    return np.arange(WIDTH, dtype=np.float32).view(Lanes)


def prefetch(array: Any, place: int) -> None:
    """Have the cache line of an entry fetched, which will be needed soon."""
