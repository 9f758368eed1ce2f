"""Labels as users have them: which are missing, which type they have, and which are probably an oversight."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.caller import stacklevel_of_caller
from winnowkit.core.columns import is_missing

MOST_UNREPEATED = 50
"""So many classes may have a single row each."""


def check_labels(y: Any) -> None:
    """Raise ValueError if a label is missing (None, NaN or pandas' NA), or if some labels are text and others are not.

    Examples
    --------
    >>> check_labels(["yes", None, "no", None])
    Traceback (most recent call last):
    ValueError: Input y contains NaN or None: 2 of 4 labels are missing. Leave those rows out: ...
    """
    labels = np.asarray(y)
    if labels.dtype.kind == "f":
        missing = int(np.isnan(labels).sum())
    elif labels.dtype.kind == "O":
        missing = sum(is_missing(label) and not isinstance(label, str) for label in labels.ravel())
        if not missing:
            _check_one_kind(labels.ravel().tolist())
    else:
        return
    if missing:
        raise ValueError(
            f"Input y contains NaN or None: {missing:,} of {labels.size:,} labels are missing. Leave those rows out: "
            "keep = pandas.notna(y); fit(X[keep], y[keep])"
        )


CUT = (
    "cut it into a few classes first, for example by pandas.qcut(y, 3, labels=['low', 'middle', 'high']), or use a "
    "tool for regression"
)
"""Advice about a target that is a quantity."""


def hardly_repeat(classes: Sequence[Any] | NDArray[Any], n_rows: int) -> bool:
    """Tell whether there are many classes, and hardly two rows of the same one, as in a quantity or a name."""
    return len(classes) > MOST_UNREPEATED and 2 * len(classes) > n_rows


def check_labels_repeat(classes: NDArray[Any], n_rows: int) -> None:
    """Raise ValueError if there are many classes, and hardly two rows of the same one, as in a quantity or a name.

    Examples
    --------
    >>> check_labels_repeat(np.arange(990), 1000)
    Traceback (most recent call last):
    ValueError: y has 990 different labels in 1,000 rows, such as 0, so that hardly two rows are of the same class ...
    >>> check_labels_repeat(np.arange(3), 3)
    """
    if hardly_repeat(classes, n_rows):
        raise ValueError(
            f"y has {len(classes):,} different labels in {n_rows:,} rows, such as {classes.tolist()[0]!r}, so that "
            f"hardly two rows are of the same class and nothing can be learned. If y is a quantity, {CUT}"
        )


def _check_one_kind(labels: list[Any]) -> None:
    text = next((label for label in labels if isinstance(label, str)), None)
    other = next((label for label in labels if not isinstance(label, str)), None)
    if text is not None and other is not None:
        raise ValueError(
            f"some labels are text, such as {text!r}, and others are not, such as {other!r}: write them alike, for "
            "example all as text: y = pandas.Series(y).astype(str)"
        )


def plain_labels(y: Any) -> Any:
    """Return booleans and integers that come as objects, or in a nullable type of pandas, as an array of their type.

    Labels become objects where some of them were missing once. Other labels are returned as they are.

    Examples
    --------
    >>> plain_labels(np.array([True, False], dtype=object))
    array([ True, False])
    >>> plain_labels(["yes", "no"])
    ['yes', 'no']
    """
    try:
        labels = np.asarray(y)
    except ValueError:  # rows of different lengths, which are refused later
        return y
    if labels.ndim != 1 or labels.dtype.kind not in "biuO":
        return y
    if labels.dtype.kind != "O":
        return labels
    kinds = set(map(type, labels.tolist()))
    if kinds and kinds <= {bool, np.bool_}:
        return labels.astype(bool)
    integers = kinds and all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds)
    return labels.astype(np.int64) if integers and max(map(abs, labels.tolist())) < 2**63 else y


def warn_of_classes(classes: NDArray[Any]) -> None:
    """Warn of classes that are probably an oversight: see :func:`odd_classes`."""
    odd = odd_classes(classes.tolist())
    if odd is not None:
        warnings.warn(odd, UserWarning, stacklevel=stacklevel_of_caller())


def odd_classes(classes: Sequence[Any]) -> str | None:
    """Say which classes are empty text, or differ only in spaces or capital letters; None if there are none.

    Single letters are left in peace: "a" and "A" may well be two classes of a table of letters.

    Examples
    --------
    >>> odd_classes(["No", "no ", "yes"])
    "the classes 'No', 'no ' differ only in spaces or capital letters; if they mean the same, ..."
    >>> odd_classes(["", "no", "yes"])
    "the class '' is empty text; if these labels are missing, leave their rows out"
    >>> odd_classes(["A", "a"]), odd_classes([0, 1])
    (None, None)
    """
    spelled: dict[str, list[str]] = {}
    for label in classes:
        if isinstance(label, str) and not label.strip():
            return f"the class {str(label)!r} is empty text; if these labels are missing, leave their rows out"
        if isinstance(label, str) and len(label) > 1:
            spelled.setdefault(" ".join(label.split()).casefold(), []).append(str(label))
    alike = next((labels for labels in spelled.values() if len(labels) > 1), None)
    if alike is None:
        return None
    return (
        f"the classes {', '.join(map(repr, alike))} differ only in spaces or capital letters; if they mean the same, "
        "write them alike, as each is a class of its own"
    )
