"""Refusal of parameters for which a theorem says nothing."""

import math
from numbers import Integral


def above(name: str, value: float, bound: float) -> None:
    """Raise unless `value` is finite and > `bound`."""
    if not bound < value < math.inf:
        raise ValueError(f"{name} must be finite and > {bound:g}, got {value!r}")


def at_least(name: str, value: float, bound: float) -> None:
    """Raise unless `value` is finite and >= `bound`."""
    if not bound <= value < math.inf:
        raise ValueError(f"{name} must be finite and >= {bound:g}, got {value!r}")


def alpha_above_one(alpha: float) -> None:
    """Raise unless `alpha` is an update factor."""
    if not 1 < alpha < math.inf:
        raise ValueError(f"alpha must be > 1, got {alpha!r}")


def count(name: str, value: int, least: int = 1) -> None:
    """Raise unless `value` is an integer >= `least`."""
    if not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be an integer >= {least}, got {value!r}")


def size(k: int, n: int, least: int = 1) -> None:
    """Raise unless a disjunction of k of n attributes exists, n >= `least`."""
    count("n", n, least)
    count("k", k)
    if k > n:
        raise ValueError(f"k must be <= n = {n}, got {k}")
