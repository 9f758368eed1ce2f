"""Rule sets as tables for terminals, notebooks and pandas."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from winnowkit.core.notebook import html_grid
from winnowkit.core.optional import import_optional
from winnowkit.rulesets.intervals import wilson
from winnowkit.rulesets.words import word

if TYPE_CHECKING:
    from winnowkit.rulesets.rule_list import RuleList

HEADINGS = ("weight", "support", "precision", "rule")


def table(rules: RuleList) -> str:
    """Return a table for a terminal, without the columns that contain no number."""
    rows = _rows(rules)
    n_numbers = len(rows[0]) - 1
    widths = [max(len(row[i]) for row in rows) for i in range(n_numbers)]
    lines = ["  ".join(cell.rjust(widths[i]) if i < n_numbers else cell for i, cell in enumerate(row)) for row in rows]
    return "\n".join(["; ".join(_notes(rules)), *lines])


def html_table(rules: RuleList) -> str:
    """Return a table for a notebook, without the columns that contain no number."""
    return html_grid("; ".join(_notes(rules)), _rows(rules))


def to_frame(rules: RuleList) -> Any:
    """Return a pandas frame with one row per rule, and a last row for the default."""
    pandas = import_optional("pandas", "to_frame needs pandas", "pandas")
    records = [
        {
            "rule": str(rule),
            "label": _unlike_formula(rule.label),
            "literals": len(rule.conditions),
            "weight": rule.weight,
            "support": rule.support,
            "precision": rule.precision,
            "decided": rule.decided,
            "right": rule.right,
        }
        for rule in rules
    ]
    last = {"rule": f"else {word(rules.default)}", "label": _unlike_formula(rules.default), "literals": 0}
    last |= {"decided": rules.default_decided, "right": rules.default_right}
    names = ["rule", "label", "literals", "weight", "support", "precision", "decided", "right"]
    return pandas.DataFrame([*records, last], columns=names)


def power(log_value: float) -> str:
    """Write a number that is given by its logarithm and may be too large for a float.

    Examples
    --------
    >>> power(10.0), power(1000.0)
    ('2.2e+04', 'e^1000')
    """
    return f"{math.exp(log_value):.3g}" if log_value < 700 else f"e^{log_value:.0f}"


def _rows(rules: RuleList) -> list[list[str]]:
    """Headings and cells, without the columns that are empty in every row."""
    rows = [HEADINGS, *_cells(rules)]
    shown = [i for i in range(len(HEADINGS)) if any(row[i] for row in rows[1:])]
    return [[row[i] for i in shown] for row in rows]


def _cells(rules: RuleList) -> Iterator[tuple[str, str, str, str]]:
    for rule in rules:
        interval = rule.precision_interval
        yield (
            "" if rule.log_weight is None else power(rule.log_weight),
            "" if rule.support is None else str(rule.support),
            "" if interval is None else _with_interval(rule.precision, interval),
            str(rule),
        )
    n, right = rules.default_decided, rules.default_right
    precision = _with_interval(right / n, wilson(right, n)) if n and right is not None else ""
    yield "", "" if n is None else str(n), precision, f"else {word(rules.default)}"


def _with_interval(share: float | None, interval: tuple[float, float]) -> str:
    return f"{share:.3f} ({interval[0]:.2f}-{interval[1]:.2f})"


def _notes(rules: RuleList) -> list[str]:
    count = f"{len(rules)} rule{'' if len(rules) == 1 else 's'}"
    if rules.log_enough is None:
        notes = [f"{count}, the first that holds decides"]
    elif rules.log_enough == math.inf:
        notes = [f"{count}, the heaviest first; the weights of all terms that hold multiply the odds of a label"]
    else:
        alone = f"a rule with a weight of at least {power(rules.log_enough)} decides on its own"
        notes = [f"{count}, the heaviest first", alone]
    if not rules.complete:
        heaviest = rules.report is None
        missed, limit = ("heavier", "max_nodes") if heaviest else ("better", "max_time")
        notes.append(f"the search stopped early, so that {missed} rules may be missing: allow a larger {limit}")
    return notes if rules.report is None else [*notes, str(rules.report)]


def _unlike_formula(label: Any) -> Any:
    """Quote a label that a spreadsheet would take for a formula."""
    risky = isinstance(label, str) and (label[:1] in tuple("\t\r\n") or label.lstrip()[:1] in tuple("=+-@"))
    return word(label) if risky else label
