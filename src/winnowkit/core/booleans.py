"""Booleans and their text: True, "True", "true" and "TRUE" are one value, because tools read the same file differently.

Our readers of files return text, pandas and Parquet have booleans, and polars has either, depending on the spelling.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_SPELLINGS: tuple[tuple[Any, ...], ...] = ((False, "False", "false", "FALSE"), (True, "True", "true", "TRUE"))
_OF_TEXT = {text: spellings for spellings in _SPELLINGS for text in spellings[1:]}


def spellings_of(value: Any) -> tuple[Any, ...]:
    """Return all spellings of a boolean, the boolean itself first; of any other value nothing.

    Examples
    --------
    >>> spellings_of("true"), spellings_of(False)
    ((True, 'True', 'true', 'TRUE'), (False, 'False', 'false', 'FALSE'))
    >>> spellings_of("yes"), spellings_of(1)
    ((), ())
    """
    if isinstance(value, str):
        return _OF_TEXT.get(value, ())
    return _SPELLINGS[value] if isinstance(value, bool) else ()


def spelled_alike(values: Iterable[Any]) -> bool:
    """Whether no boolean has two spellings among distinct values.

    Examples
    --------
    >>> spelled_alike(["True", "False", "unknown"]), spelled_alike(["true", "TRUE"])
    (True, False)
    """
    booleans = [spellings[0] for value in values if (spellings := spellings_of(value))]
    return len(set(booleans)) == len(booleans)
