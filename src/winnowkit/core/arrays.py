"""Arrays that come from outside: kernels trust their shapes and indices, so these are checked here, once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

Shape = tuple[str | int, ...]


def check_arrays(arrays: Mapping[str, NDArray[Any]], expected: Mapping[str, tuple[DTypeLike, Shape]]) -> dict[str, int]:
    """Refuse arrays of other names, types or shapes than expected.

    Parameters
    ----------
    arrays : mapping
        Arrays by name.
    expected : mapping
        Type and shape of each; a length that is a name must be the same wherever that name stands.

    Returns
    -------
    dict
        What the named lengths are.

    Examples
    --------
    >>> weights = {"weights": np.zeros((2, 5)), "counts": np.zeros(2, dtype=np.int64)}
    >>> check_arrays(weights, {"weights": (np.float64, ("learners", "n")), "counts": (np.int64, ("learners",))})
    {'learners': 2, 'n': 5}
    """
    if set(arrays) != set(expected):
        raise ValueError(f"expected the arrays {sorted(expected)}, got {sorted(arrays)}")
    lengths: dict[str, int] = {}
    for name, (dtype, shape) in expected.items():
        array = arrays[name]
        if not isinstance(array, np.ndarray) or array.dtype != np.dtype(dtype) or array.ndim != len(shape):
            raise ValueError(f"{name} must be an array of {np.dtype(dtype)} with axes {shape}")
        for axis, length in zip(shape, array.shape, strict=True):
            wanted = lengths.setdefault(axis, length) if isinstance(axis, str) else axis
            if length != wanted:
                raise ValueError(f"{name} must have the shape {shape}, where {axis} is {wanted}; got {array.shape}")
    return lengths


def check_consistent(condition: Any, what: str) -> None:
    """Refuse arrays that contradict each other."""
    if not condition:
        raise ValueError(f"the state of a learner contradicts itself: {what}")
