"""Coverage: which rules hold on which rows of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.columns import Column, columns_of
from winnowkit.core.sparse import check_sparse
from winnowkit.rulesets.condition import Condition
from winnowkit.rulesets.rule_list import RuleList


def coverage(rules: RuleList, X: Any) -> NDArray[np.bool_]:
    """Return which rules (columns) hold on which rows; see :meth:`winnowkit.rulesets.RuleSet.covers`."""
    by_name, n_rows = _columns_of(rules, X)
    known: dict[Condition, NDArray[np.bool_]] = {}
    covered = np.ones((n_rows, len(rules)), dtype=np.bool_)
    for k, rule in enumerate(rules):
        for condition in rule.conditions:
            if condition not in known:
                known[condition] = condition.among(by_name[condition.column])
            covered[:, k] &= known[condition]
    return covered


def _columns_of(rules: RuleList, X: Any) -> tuple[dict[str, Column], int]:
    if hasattr(X, "tocsc"):  # sparse: only the columns that the rules use become dense
        check_sparse(X)
        if X.shape[1] != len(rules.columns):
            raise ValueError(f"X has {X.shape[1]} columns, but the rules expect {len(rules.columns)}")
        place = {name: j for j, name in enumerate(rules.columns)}
        matrix = X.tocsc()
        used = {condition.column for rule in rules for condition in rule.conditions}
        return {name: Column(matrix[:, [place[name]]].toarray().ravel(), "number") for name in used}, X.shape[0]
    table = columns_of(X)
    names = rules.columns if table.names is None else table.names
    if len(names) != len(table.columns):
        raise ValueError(f"X has {len(table.columns)} columns, but the rules expect {len(names)}: {', '.join(names)}")
    by_name = dict(zip(names, table.columns, strict=True))
    absent = sorted({c.column for rule in rules for c in rule.conditions} - set(by_name))
    if absent:
        raise ValueError(f"X has no column {absent[0]!r}, which a rule uses; its columns are {', '.join(by_name)}")
    return by_name, table.n_rows
