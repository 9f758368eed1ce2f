"""The rule sets of a report as data for the page: the rules, and counts per combination of rules, but no rows."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.report.held_out import Labelled
from winnowkit.report.measures import Codes, RowShare, share
from winnowkit.report.subject import RulePoint
from winnowkit.report.table import as_json
from winnowkit.rulesets.rule import Rule
from winnowkit.rulesets.ruleset import RuleSet
from winnowkit.rulesets.text import FIRST_LINE
from winnowkit.rulesets.words import brief, word

MOST_POINTS = 24
"""Rule sets that the slider offers; of more, some in between are left out."""
MOST_COMBINATIONS = 8_000
"""Combinations of rules that are embedded; if rows have more, some rows are left out."""


class RuleMeasures(NamedTuple):
    """A rule, and on which of the measured rows it holds."""

    rule: Rule
    label: int
    held: NDArray[np.bool_]
    precision: RowShare | None


class RulesData(NamedTuple):
    """All rules of all points, the points as positions in these, and the rows that they were measured on."""

    points: list[RulePoint]
    best: int
    rules: list[RuleMeasures]
    members: list[list[int]]
    defaults: list[int]
    n_rows: int
    combinations: list[tuple[tuple[int, ...], list[int]]]

    def errors(self) -> list[RowShare]:
        """Return the error of each point on the measured rows."""
        total = sum(sum(counts) for _, counts in self.combinations)
        found = []
        for members, default in zip(self.members, self.defaults, strict=True):
            wrong = 0
            for holding, counts in self.combinations:
                first = next((k for k in members if k in holding), None)
                wrong += sum(counts) - counts[default if first is None else self.rules[first].label]
            found.append(share(wrong, total))
        return found


def rules_data(points: list[RulePoint], best: int, measured: Labelled, classes: list[Any], truth: Codes) -> RulesData:
    """Measure the rules of all points on the same rows."""
    if len(points) > MOST_POINTS:
        kept = sorted({best, *np.linspace(0, len(points) - 1, MOST_POINTS - 1).astype(int).tolist()})
        points, best = [points[i] for i in kept], kept.index(best)
    pool: dict[tuple[Any, Any], int] = {}
    rules: list[Rule] = []
    for point in points:
        for rule in point.rules:
            key = (rule.conditions, rule.label)
            if key not in pool:
                pool[key] = len(rules)
                rules.append(rule)
    last = points[-1].rules
    covered = RuleSet(rules, last.default, last.columns).covers(measured.table.native)
    found = []
    for k, rule in enumerate(rules):
        label, held = classes.index(rule.label), covered[:, k]
        n_held = int(held.sum())
        precision = share(int(np.sum(truth[held] == label)), n_held) if n_held else None
        found.append(RuleMeasures(rule, label, held, precision))
    members = [[pool[rule.conditions, rule.label] for rule in point.rules] for point in points]
    defaults = [classes.index(point.rules.default) for point in points]
    n_rows, combinations = _combinations(covered, truth, len(classes))
    return RulesData(points, best, found, members, defaults, n_rows, combinations)


def _combinations(
    covered: NDArray[np.bool_], truth: Codes, n_classes: int
) -> tuple[int, list[tuple[tuple[int, ...], list[int]]]]:
    """Count rows by the rules that hold and by class, the last count being of other labels; and say how many rows."""
    rows = np.arange(len(covered))
    packed = np.packbits(covered, axis=1)
    _, place = np.unique(packed, axis=0, return_inverse=True) if packed.shape[1] else (None, np.zeros(len(rows), int))
    place = np.asarray(place).ravel()
    if place.max(initial=0) >= MOST_COMBINATIONS:  # rows in a fixed, arbitrary order, up to as many as fit
        order = np.random.default_rng(0).permutation(len(rows))
        new = np.zeros(len(rows), dtype=np.bool_)
        new[np.unique(place[order], return_index=True)[1]] = True
        rows = order[: int(np.searchsorted(np.cumsum(new), MOST_COMBINATIONS, side="right"))]
    counts: Counter[tuple[int, int]] = Counter(zip(place[rows].tolist(), truth[rows].tolist(), strict=True))
    first = {int(p): int(i) for i, p in reversed(list(enumerate(place.tolist())))}
    found: dict[int, list[int]] = {}
    for (p, label), n in counts.items():
        found.setdefault(p, [0] * (n_classes + 1))[label] += n  # a label of -1 is counted last
    return len(rows), [
        (tuple(np.flatnonzero(covered[first[p]]).tolist()), numbers) for p, numbers in sorted(found.items())
    ]


def rules_json(found: RulesData, examples: list[list[int]], classes: list[Any]) -> dict[str, Any]:
    """Return the rules as JSON holds them; `examples` are positions of embedded rows, one list per rule."""
    columns = found.points[-1].rules.columns
    head = f"{FIRST_LINE}\ncolumns: {', '.join(map(word, brief(columns)))}\n"
    rules = [
        {
            "if": [[c.column, c.operator, as_json(c.value)] for c in measures.rule.conditions],
            "then": measures.label,
            "text": str(measures.rule),
            "weight": measures.rule.log_weight,
            "support": int(measures.held.sum()),
            "right": measures.precision.hits if measures.precision else 0,
            "examples": some,
        }
        for measures, some in zip(found.rules, examples, strict=True)
    ]
    points = [
        {"rules": members, "else": default, "complexity": p.complexity, "accuracy": p.accuracy, "se": p.standard_error}
        for members, default, p in zip(found.members, found.defaults, found.points, strict=True)
    ]
    return {
        "rules": rules,
        "points": points,
        "best": found.best,
        "rows": found.n_rows,
        "combinations": [[list(holding), counts] for holding, counts in found.combinations],
        "head": head,
        "labels": [word(label) for label in classes],
    }


def javascript_of(found: RulesData) -> str:
    """Return the exported JavaScript of every point, as an array of functions; empty if a label has no number there."""
    try:
        sources = [point.rules.to_javascript("predict") for point in found.points]
    except ValueError:
        return "[]"
    return "[" + ",\n".join(f"({source.rstrip()})" for source in sources) + "]"
