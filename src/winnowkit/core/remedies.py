"""Errors about tables that say what to do: missing values, text and dates where numbers are needed, other columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from winnowkit.core.columns import columns_of, is_arrow, is_series_of_strings

NOT_NUMBERS = re.compile(r"could not convert|annot cast|could not be promoted|float\(\) argument")
"""Matches the messages of numpy and scikit-learn about values that are not numbers."""


@contextmanager
def with_remedy(estimator: Any, X: Any) -> Iterator[None]:
    """Raise an error that says what to do if X has missing values, columns of text or dates, or other columns."""
    try:
        yield
    except (TypeError, ValueError) as error:
        name, said = type(estimator).__name__, str(error)
        if said.startswith("Input X contains NaN"):
            raise ValueError(
                f"Input X contains NaN, and {name} takes no missing values: use DNFWinnow, which takes them, or let "
                f"TableEncoder of winnowkit.data turn them into attributes: make_pipeline(TableEncoder(), {name}())"
            ) from error
        if said.startswith("The feature names should match") and "yet now missing" not in said:
            cure = "Pass the columns of fit in their order: X[list(model.feature_names_in_)]"
            raise ValueError(f"{said.rstrip()}\n{cure}") from error
        found = _not_numbers(X) if NOT_NUMBERS.search(said) else None
        if found is None:
            raise
        what, advice = found
        raise ValueError(
            f"{what}, and {name} learns from numbers: {advice} into numbers: make_pipeline(TableEncoder(), {name}())"
        ) from error


def refuse_dates(X: Any) -> None:
    """Raise TypeError, as for other columns without numbers, where scikit-learn would turn dates into nanoseconds."""
    if is_arrow(X):
        types = X.schema.types
    else:
        types = X.dtypes if hasattr(X, "columns") and hasattr(X, "dtypes") else [getattr(X, "dtype", "")]
    if any(re.match("date|time|duration", str(dtype).lower()) for dtype in types):
        raise TypeError("dates could not be promoted to numbers")


def _not_numbers(X: Any) -> tuple[str, str] | None:
    """Say which part of X is text or dates, and begin to say what to do about it; None if no part is."""
    if is_series_of_strings(X):
        first = next(str(value) for value in X if isinstance(value, str))
        return f"X holds texts such as {first!r}", "let TableEncoder of winnowkit.data turn their words"
    try:
        table = columns_of(X)
    except (TypeError, ValueError):
        return None
    advice = (
        "use DNFWinnow, which learns from tables of categories, dates and numbers, or let TableEncoder of "
        "winnowkit.data turn the table"
    )
    for j, column in enumerate(table.columns):
        name = table.names[j] if table.names else j
        if column.kind == "time":
            return f"column {name!r} holds dates or times", advice
        text = next((value for value in column.values if isinstance(value, str) and not _is_number(value)), None)
        if text is not None:
            return f"column {name!r} holds text such as {text!r}", advice
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
