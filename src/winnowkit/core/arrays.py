"""Checks of arrays from outside: kernels trust shapes and indices, so that these are checked here, once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

Axes = tuple[str | int, ...]


def check_arrays(arrays: Mapping[str, NDArray[Any]], expected: Mapping[str, tuple[DTypeLike, Axes]]) -> dict[str, int]:
    """Raise ValueError unless arrays have the expected names, types and shapes.

    Parameters
    ----------
    arrays : mapping
        Arrays by name.
    expected : mapping
        Type and shape of each array; a named length must be the same wherever its name occurs.

    Returns
    -------
    dict
        The named lengths.

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
    """Raise ValueError if arrays contradict each other."""
    if not condition:
        raise ValueError(f"the state of a learner is inconsistent: {what}")
