"""Exit codes, errors that the user can fix, and their text in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches

OK, FAILURE, USER_ERROR, INTERRUPTED, BROKEN_PIPE, TERMINATED = 0, 1, 2, 130, 141, 143


def _special(found: re.Match[str]) -> str:
    """Return the option --special for columns and values written as a mapping of lists."""
    columns = re.findall(r"'(.+?)': \[(.+?)\]", found[1])
    return "--special " + " ".join(f"'{name}={values.replace(' ', '')}'" for name, values in columns)


def _text(found: re.Match[str]) -> str:
    return f"--text {found[1]}".replace("', '", "' '")


def _rewritten_dates(found: re.Match[str]) -> str:
    """Return a command that writes dates such as 28/11/2023 like 2023-11-28, with zeros before single digits."""
    part, year = "([0-9]{1,2})", "([0-9]{4})"
    between = found["between"].replace(".", r"\.")
    month, day = ("2", "1") if found["day_first"] == "True" else ("1", "2")
    padded = rf"s#{part}{between}{part}{between}{year}#\3-0\{month}-0\{day}#g"
    trimmed = rf"s#{year}-0?([0-9]{{2}})-0?([0-9]{{2}})#\1-\2-\3#g"
    return f"{found['before']}sed -E '{padded}; {trimmed}' old.csv > new.csv"


# Keyword arguments in messages of the library, and the options to show instead.
_OPTIONS: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"pass types=\{'(.+?)': '\w+'\}", r"pass --categorical '\1'"),
    (r"special=\{(.+?\])\}", _special),
    (r"decimal=','", "--decimal ','"),
    (
        r"(?P<before>such as '\d\d?(?P<between>[./-])\d\d?(?P=between)\d{4}\b.*)"
        r"pandas\.to_datetime\(column, dayfirst=(?P<day_first>True|False)\)",
        _rewritten_dates,
    ),
    (r"make_pipeline\(TableEncoder\(text=\[(.+?)\]\), Committee\(\)\)", _text),
    (r"text=\[\.\.\.\]", "--text"),
    (r"categorical=\[\.\.\.\]", "--categorical"),
    (r"types= names", r"--categorical names"),
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
    >>> sentence(UserWarning("declare them with special={'age': [-9, -8], 'days': [999]}"))
    "declare them with --special 'age=-9,-8' 'days=999'"
    >>> sentence(UserWarning("learn from them: make_pipeline(TableEncoder(text=['url', 'page']), Committee())."))
    "learn from them: --text 'url' 'page'."
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
