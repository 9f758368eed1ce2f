"""Nothing half done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def all_or_nothing(estimator: object) -> Iterator[None]:
    """Leave the estimator as it was if anything is wrong."""
    before = estimator.__dict__.copy()
    try:
        yield
    except BaseException:
        estimator.__dict__.clear()
        estimator.__dict__.update(before)
        raise
