"""Checks that need nothing but Python."""

from __future__ import annotations


def require(condition: bool, expected: str, got: object) -> None:
    """Raise ValueError unless a parameter is as expected."""
    if not condition:
        raise ValueError(f"{expected}, got {got!r}")
