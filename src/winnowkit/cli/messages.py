"""Exit codes, errors that the user can fix, and their text in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

OK, FAILURE, USER_ERROR, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141

_OPTIONS = [  # keyword arguments in messages of the library, and the options to show instead
    (r"pass types=\{'(.+?)': '\w+'\}", r"pass --categorical '\1'"),
    (r"types= names", r"--categorical names"),
    (r"pass names=\[\.\.\.\]", r"read it without names: --no-header"),
    (r"pass header=False", r"pass --no-header"),
    (r"pass n_features=(\w+)", r"pass --n-features \1"),
    (r"larger n_features", r"larger --n-features"),
    (r"\bn_features=(?=\W|$)", r"--n-features"),
    (r"\bcolumns=(?=\W|$)", r"--columns"),
]


class UserError(ValueError):
    """An error that the user can fix. The message says what was expected, what was found and what to do."""


def sentence(error: BaseException) -> str:
    """Return the message of an error on one line, with options in place of keyword arguments.

    Examples
    --------
    >>> sentence(ValueError("got 'x'; pass types={'age': 'category'}"))
    "got 'x'; pass --categorical 'age'"
    """
    text = " ".join(str(error).split()) or type(error).__name__
    for pattern, option in _OPTIONS:
        text = re.sub(pattern, option, text)
    return text


def instead(name: str, known: Sequence[str]) -> str:
    """Suggest the known name closest to a misspelt one, or list all known names.

    Examples
    --------
    >>> instead("Winow2", ["Winnow1", "Winnow2"]), instead("x", ["alpha", "beta"])
    ('Did you mean Winnow2?', 'Choose from alpha, beta.')
    """
    close = get_close_matches(name, known, n=1)
    return f"Did you mean {close[0]}?" if close else f"Choose from {', '.join(known)}."


def visible(text: str) -> str:
    r"""Spell out the characters that a terminal would interpret as commands or hide.

    Examples
    --------
    >>> print(visible("red \x1b[2J\nblue \u202e"))
    red \x1b[2J
    blue \u202e
    """
    if text.replace("\n", "").isprintable():
        return text
    shown = [c if c == "\n" or c.isprintable() else ascii(c)[1:-1] for c in text]
    return "".join(shown)
