"""Tables and JSON for standard output, and notes for people on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from winnowkit.cli.messages import visible


def plain(value: Any) -> Any:
    """Return a value as JSON can represent it; NaN and infinities become null."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def show_json(value: Any) -> None:
    """Write one JSON value to standard output."""
    sys.stdout.write(json_line(value, indent=2) + "\n")


def json_line(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON that is safe to show in a terminal, on one line unless indented."""
    text = json.dumps(plain(value), ensure_ascii=False, indent=indent)
    if text.replace("\n", "").isprintable():
        return text
    return json.dumps(plain(value), indent=indent)


def show(text: str) -> None:
    """Write a line to standard output."""
    sys.stdout.write(visible(text) + "\n")


class Terminal:
    """Standard output for people, with control characters spelled out."""

    def write(self, text: str) -> int:
        """Write some text."""
        return sys.stdout.write(visible(text))


def note(text: str, *, quiet: bool = False) -> None:
    """Write a line for people to standard error."""
    if not quiet:
        sys.stderr.write(visible(text) + "\n")


def pairs(rows: Sequence[tuple[str, str]]) -> str:
    """Return names and their descriptions in two columns."""
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name.ljust(width)}  {text}" for name, text in rows)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return a table whose first `left` columns are aligned to the left and the others to the right.

    Examples
    --------
    >>> print(table(["learner", "mistakes"], [["Winnow2", "17"]]))
    learner  mistakes
    Winnow2        17
    """
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    shown = []
    for line in lines:
        cells = [
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        shown.append("  ".join(cells).rstrip())
    return "\n".join(shown)


def listed(names: Sequence[Any], most: int = 8) -> str:
    """Return at most `most` names, and how many more there are."""
    shown = ", ".join(str(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def counted_lessons(model: Any) -> str:
    """Return how many mistakes a model made; after `fit`, how many updates, since some are not mistakes.

    If `fit` held rows out to choose the training, return the error on these instead.
    """
    error = error_of_choice(model)
    if error is not None:
        return f"{error:.2%} error on rows held out"
    fitted = hasattr(model, "logs_") and hasattr(model, "n_epochs_")
    return counted(model.n_mistakes_, "update" if fitted else "mistake")


def error_of_choice(model: Any) -> float | None:
    """Return the error of soft training, which holds out every row once, if the model comes of it.

    That of training from mistakes is no estimate: it is preferred if a few held-out rows speak for it.
    """
    chosen = getattr(model, "chosen_", {})
    for entry in chosen.get("tried", []):
        if entry["training"] == chosen["training"] == "soft" and entry["max_literals"] == chosen["max_literals"]:
            return float(entry["error"])
    return None


def counted(number: int, what: str) -> str:
    """Return a number and a noun, in the plural unless the number is 1.

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"
