"""Checks of the parameters that theorems are stated for."""

import math
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def above(name: str, value: float, bound: float) -> None:
    """Raise unless `value` is finite and > `bound`."""
    if not bound < value < math.inf:
        raise ValueError(f"{name} must be finite and > {bound:g}, got {value!r}")


def at_least(name: str, value: float, bound: float) -> None:
    """Raise unless `value` is finite and >= `bound`."""
    if not bound <= value < math.inf:
        raise ValueError(f"{name} must be finite and >= {bound:g}, got {value!r}")


def alpha_above_one(alpha: float) -> None:
    """Raise unless `alpha` is a finite update factor > 1."""
    if not 1 < alpha < math.inf:
        raise ValueError(f"alpha must be > 1, got {alpha!r}")


def disjunction(u: ArrayLike) -> NDArray[Any]:
    """Return the weights of a disjunction as an array; raise unless each is 0 or 1."""
    target = np.asarray(u)
    if not np.isin(target, (0, 1)).all():
        raise ValueError("u must be 0 or 1 everywhere")
    return target


def count(name: str, value: int, least: int = 1) -> None:
    """Raise unless `value` is an integer >= `least`."""
    if not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be an integer >= {least}, got {value!r}")


def size(k: int, n: int, least: int = 1) -> None:
    """Raise unless 1 <= k <= n, so that a disjunction of k of n attributes exists, and n >= `least`."""
    count("n", n, least)
    count("k", k)
    if k > n:
        raise ValueError(f"k must be <= n = {n}, got {k}")
