"""Learners by name, their parameters from text, and the one to take if none is named."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from winnowkit.cli.errors import UserError, instead
from winnowkit.core.frame import Frame
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.dnf.mistake_driven import MistakeDriven

MOST_ROWS, MOST_COLUMNS = 10_000, 100  # of a table that DNFWinnow is taken for unasked

WORDS = {"true": True, "false": False, "none": None, "null": None}


class Choice(NamedTuple):
    """A learner, and why it was taken if nobody asked for it."""

    model: Any
    reason: str | None


def value_of(text: str) -> Any:
    """A parameter's value: a number, true, false, none, or else the text itself.

    Examples
    --------
    >>> [value_of(text) for text in ("1.5", "3", "auto", "none", "true")]
    [1.5, 3, 'auto', None, True]
    """
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    try:
        number = json.loads(text)
    except ValueError:
        return text
    return number if isinstance(number, int | float) else text


def parameters(settings: Sequence[str]) -> dict[str, Any]:
    """Parameters from "name=value" each."""
    found = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name:
            raise UserError(f"--set takes name=value, such as alpha=1.3; got {setting!r}")
        found[name] = value_of(text)
    return found


def make(name: str, settings: dict[str, Any]) -> Any:
    """A learner of this name with these parameters."""
    kind = getattr(import_module("winnowkit"), name)
    model = kind(encoder=CategoryEncoder(), training=MistakeDriven()) if kind is DNFWinnow else kind()
    known = sorted(model.get_params())
    for setting in settings:
        if setting not in known:
            raise UserError(f"{kind.__name__} has no parameter {setting!r}; {instead(setting, known)}")
    return model.set_params(**settings)


def choose(X: Any, name: str | None, settings: dict[str, Any], shared: dict[str, Any]) -> Choice:
    """The learner that was named, or the one that suits these first rows; `shared` are parameters all may have."""
    reason = None
    if name is None:
        name, reason = suited(X)
    model = make(name, settings)
    known = model.get_params(deep=False)
    model.set_params(**{key: value for key, value in shared.items() if key in known and key not in settings})
    return Choice(model, reason)


def suited(X: Any) -> tuple[str, str]:
    """A learner for rows like these, and why."""
    if not isinstance(X, Frame):
        return "Committee", "the data are sparse"
    if is_boolean(X):
        return "Committee", "all columns are boolean"
    if len(X) >= MOST_ROWS:
        return "Committee", f"the table has {MOST_ROWS:,} rows or more"
    if X.shape[1] > MOST_COLUMNS:
        return "Committee", f"the table has more than {MOST_COLUMNS} columns"
    return "DNFWinnow", "it is a table of categories or numbers"


def is_boolean(X: Frame) -> bool:
    """Whether all columns hold nothing but 0, 1 and gaps."""
    return all(
        X[name].dtype.kind == "f" and bool(np.isin(X[name][~np.isnan(X[name])], (0.0, 1.0)).all()) for name in X.columns
    )
