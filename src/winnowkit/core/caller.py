"""The line of code outside this package that a warning should point to."""

from __future__ import annotations

import sys


def stacklevel_of_caller() -> int:
    """Return the `stacklevel` with which a warning issued by the calling function points outside this package."""
    package = __name__.partition(".")[0]
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    return level
