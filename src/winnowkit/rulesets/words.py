"""Names and values as words in a line of text, whatever characters they contain, and back."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

KEYWORDS = frozenset(
    {"if", "and", "then", "else", "always", "missing", "present", "columns", "log", "weight", "support", "precision"}
    | {"true", "false", "null", "nan", "inf", "infinity"}
)
MOST_NAMELESS = 10_000_000
"""The largest number of columns that a document may claim without naming them."""

_BARE = re.compile(r"[^\W\d]\w*(?:[-.]\w+)*")
_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|<=|>=|!=|[<>=,:()]|(?:(?!!=)[^\s"<>=,:()#])+|#.*)')


def plain(value: Any) -> Any:
    """Return a scalar of numpy, or an instance of a subclass of str, int or float, as the plain value it equals.

    Members of enumerations that are strings or numbers are such instances.

    Examples
    --------
    >>> from enum import Enum
    >>> class Colour(str, Enum):
    ...     RED = "red"
    >>> plain(Colour.RED), plain(np.float64(0.5))
    ('red', 0.5)
    """
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str):  # not str(value), which a subclass may define otherwise
        return str.__str__(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int.__int__(value)
    return float.__float__(value) if isinstance(value, float) else value


def word(value: Any) -> str:
    r"""Write a value as one word that :func:`value_of` reads back, in JSON's quotes unless it is a plain word.

    Text that a terminal, a spreadsheet or a reader could take for a command is always quoted.

    Examples
    --------
    >>> print(word("sunny"), word("5more"), word(5), word(True), word("=1+1"), word("a\nb"), word("£"))
    sunny "5more" 5 true "=1+1" "a\nb" "£"
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"numbers in rules must be finite, got {value!r}")
        return repr(value)
    if isinstance(value, str):
        bare = _BARE.fullmatch(value) and value.isascii() and value.lower() not in KEYWORDS
        return value if bare else _quoted(value)
    raise TypeError(
        f"{value!r} ({type(value).__name__}) cannot be written in a rule: values and labels must be strings, "
        "booleans, integers or floats; turn the column into strings before training"
    )


def _quoted(text: str) -> str:
    """Write text in JSON's quotes, and spell out only the characters that nobody can see."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(character if character.isprintable() else json.dumps(character)[1:-1] for character in quoted)


def value_of(token: str) -> Any:
    """Return the value that a word stands for.

    Examples
    --------
    >>> [value_of(token) for token in ('sunny', '"5more"', '5', '0.5', 'true')]
    ['sunny', '5more', 5, 0.5, True]
    """
    if token.startswith('"'):
        return json.loads(token)
    if token in ("true", "false"):
        return token == "true"
    for kind in (int, float):
        try:
            return kind(token)
        except ValueError:
            continue
    return token


def tokens(line: str) -> Iterator[str]:
    """Yield the words of a line without its comment; raise ValueError for text that cannot be read."""
    line, at = line.rstrip(), 0
    while at < len(line):
        match = _TOKEN.match(line, at)
        if match is None:
            raise ValueError(f"cannot read {line[at:]!r} in the line {line!r}; is a closing quote missing?")
        at = match.end()
        if not match[1].startswith("#"):
            yield match[1]


def brief(columns: Sequence[str]) -> list[Any]:
    """Return the names of the columns, or only their number if they are nameless (x0, x1, ...).

    Examples
    --------
    >>> brief(["x0", "x1", "x2"]), brief(["outlook", "wind"])
    ([3], ['outlook', 'wind'])
    """
    nameless = bool(columns) and all(name == f"x{j}" for j, name in enumerate(columns))
    return [len(columns)] if nameless else list(columns)


def in_full(columns: list[Any]) -> list[str]:
    """Undo :func:`brief`."""
    if len(columns) == 1 and isinstance(columns[0], int):
        if not 0 <= columns[0] <= MOST_NAMELESS:
            raise ValueError(f"a rule set has at most {MOST_NAMELESS:,} nameless columns, got {columns[0]:,}")
        return [f"x{j}" for j in range(columns[0])]
    return [str(name) for name in columns]
