"""The decisions of a model for all values of two columns, the others staying as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.frame import Frame
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.dnf.soft_interpretation import SoftModel
from winnowkit.report.measures import Floats
from winnowkit.report.subject import by_class
from winnowkit.report.table import DenseTable, Table, table_of

MOST_CATEGORIES = 30


class Surface(NamedTuple):
    """Decisions on a grid, (values of the second column, values of the first), and what they mean."""

    columns: tuple[tuple[str, NDArray[Any]], tuple[str, NDArray[Any]]]
    decisions: Floats
    means: str

    def is_number(self, k: int) -> bool:
        """Whether a column has numbers."""
        return bool(self.columns[k][1].dtype.kind == "f")


def surface_of(
    model: Any, X: Any, features: tuple[Any, Any], row: Mapping[str, Any], label: Any, resolution: int
) -> Surface:
    """Compute the decisions; see :meth:`winnowkit.report.displays.WeightedSumDisplay.from_estimator`."""
    table = table_of(X)
    if not isinstance(table, DenseTable):
        raise TypeError("the plot needs a table; X is a sparse matrix")
    first, second = (_place(table, feature) for feature in features)
    if first == second:
        raise ValueError(f"features must be two different columns, got {features!r}")
    unknown = set(row) - set(table.names)
    if unknown:
        raise ValueError(f"row has columns that X does not have: {', '.join(sorted(map(repr, unknown)))}")
    xs, ys = (grid_values(table, j, resolution) for j in (first, second))
    n_rows = len(xs) * len(ys)
    columns = {}
    for j, name in enumerate(table.names):
        value = row.get(name, typical(table, j))
        columns[name] = np.full(n_rows, np.nan if value is None else value, dtype=table.frame[name].dtype)
    columns[table.names[first]] = np.tile(xs, len(ys))
    columns[table.names[second]] = np.repeat(ys, len(xs))
    decisions = model.decision_function(DenseTable(Frame(columns), named=table.named).native)
    classes = model.classes_.tolist()
    k = 1 if label is None else classes.index(label)
    shown = by_class(decisions, len(classes))[:, k].reshape(len(ys), len(xs))
    return Surface(((table.names[first], xs), (table.names[second], ys)), shown, _meaning(model, classes[k]))


def typical(table: Table, column: int) -> Any:
    """Return the median of a column of numbers, or the most frequent category; None if all values are missing."""
    present = [value for value in table.values(column) if value is not None]
    if not present:
        return None
    if table.is_number(column):
        return float(np.quantile(present, 0.5, method="nearest"))
    return Counter(present).most_common(1)[0][0]


def grid_values(table: Table, column: int, resolution: int) -> NDArray[Any]:
    """Return numbers from the smallest to the largest, or the most frequent categories, sorted."""
    present = [value for value in table.values(column) if value is not None]
    if table.is_number(column):
        return np.linspace(min(present), max(present), resolution)
    common = [value for value, _ in Counter(present).most_common(MOST_CATEGORIES)]
    values = np.empty(len(common), dtype=object)
    values[:] = sorted(common, key=str)
    return values


def _place(table: Table, feature: Any) -> int:
    if isinstance(feature, str):
        if feature not in table.names:
            raise ValueError(f"X has no column {feature!r}; it has {', '.join(table.names[:20])}")
        return table.names.index(feature)
    return int(range(len(table.names))[feature])


def _meaning(model: Any, label: Any) -> str:
    if isinstance(model, DNFWinnow) and not isinstance(model._fitted(), SoftModel):
        return f"ln(W / theta) for {label}"
    return f"log-odds of {label}" if hasattr(model, "predict_proba") else f"decision for {label}"
