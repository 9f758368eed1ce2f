"""The columns of a table as data for the page: what can be chosen, and what a typical row has."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np

from winnowkit.data.encode import CategoryEncoder
from winnowkit.report.measures import Floats
from winnowkit.report.rules_data import RulesData
from winnowkit.report.table import SparseTable, Table, as_json

MOST_VALUES = 60
"""Categories of a column that can be chosen in the page."""
MOST_NAMES = 1_000
"""Attributes of sparse rows that can be added in the page: those with the largest shares."""


def columns_json(
    table: Table, shares: Floats, rules: RulesData | None, encoder: CategoryEncoder | None
) -> list[dict[str, Any]]:
    """Return the columns; of sparse rows, the attributes with the largest shares by name and position."""
    if isinstance(table, SparseTable):
        best = np.argsort(-shares, kind="stable")[:MOST_NAMES]
        return [{"name": table.names[j], "place": int(j), "sparse": True} for j in np.sort(best).tolist()]
    cuts = _cuts(rules, encoder)
    return [_column(table, j, cuts[table.names[j]]) | {"place": j} for j in range(len(table.names))]


def _column(table: Table, j: int, cuts: set[float]) -> dict[str, Any]:
    name, values = table.names[j], table.values(j)
    present = [value for value in values if value is not None]
    missing = len(present) < len(values)
    if not table.is_number(j):
        common = [value for value, _ in Counter(present).most_common(MOST_VALUES)]
        return {
            "name": name,
            "number": False,
            "values": common,
            "typical": common[0] if common else None,
            "missing": missing,
        }
    numbers = np.unique(np.array(present, dtype=np.float64))
    if not len(numbers):
        return {"name": name, "number": True, "values": [], "typical": None, "spread": 1, "missing": True}
    near: set[float] = set()
    for cut in cuts:
        place = int(np.searchsorted(numbers, cut, side="right"))
        near.update(numbers[max(0, place - 2) : place + 1].tolist())
    if not cuts:
        near.update(np.quantile(numbers, np.linspace(0, 1, 11), method="nearest").tolist())
    spread = float(np.quantile(present, 0.9) - np.quantile(present, 0.1)) or float(np.ptp(numbers)) or 1.0
    middle = float(np.quantile(present, 0.5, method="nearest"))
    return {
        "name": name,
        "number": True,
        "values": [as_json(value) for value in sorted(near)],
        "typical": as_json(middle),
        "spread": spread,
        "low": as_json(float(numbers[0])),
        "high": as_json(float(numbers[-1])),
        "missing": missing,
    }


def _cuts(rules: RulesData | None, encoder: CategoryEncoder | None) -> dict[str, set[float]]:
    """Return the numbers that conditions compare each column with."""
    found: dict[str, set[float]] = defaultdict(set)
    for measures in rules.rules if rules is not None else []:
        for condition in measures.rule.conditions:
            if isinstance(condition.value, int | float) and not isinstance(condition.value, bool):
                found[condition.column].add(float(condition.value))
    if encoder is not None:
        for name, cuts in zip(encoder.feature_names_, encoder.cuts_, strict=True):
            found[name].update(np.asarray(cuts, dtype=np.float64).tolist())
    return found
