"""Rule sets as Python functions that import nothing. Names and values may contain any character; both are quoted."""

from __future__ import annotations

import keyword
from typing import TYPE_CHECKING, Any

from winnowkit.core.booleans import spellings_of
from winnowkit.rulesets.condition import NUMERIC, Condition, has_date, in_full
from winnowkit.rulesets.words import word

if TYPE_CHECKING:
    from winnowkit.rulesets.rule_list import RuleList


_DATE = [
    "    def date(value):",
    '        text = str(value).replace("T", " ").split("+")[0].rstrip("Z")',
    '        return (text + "0000-00-00 00:00:00.000000"[len(text):])[:26]',
    "",
]


def to_python(rules: RuleList, name: str) -> str:
    """Return the source of a function that predicts the label of one row."""
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"name must be a Python identifier, got {name!r}")
    lines = [f"def {name}(row):", '    """Predict the label of a row: a mapping from column names to values."""']
    operators = {condition.operator for rule in rules for condition in rule.conditions}
    if operators - {"="}:
        lines += ["", "    def missing(value):", '        return value is None or value == "?" or value != value', ""]
    if any(has_date(condition) for rule in rules for condition in rule.conditions):
        lines += _DATE
    for rule in rules:
        tests = " and ".join(map(_condition, rule.conditions)) or "True"
        lines += [f"    if {tests}:", f"        return {_value(rule.label)}"]
    return "\n".join([*lines, f"    return {_value(rules.default)}", ""])


def _condition(condition: Condition) -> str:
    value = f"row.get({condition.column!r})"
    if condition.operator == "missing":
        return f"missing({value})"
    if condition.operator == "present":
        return f"not missing({value})"
    if condition.operator in NUMERIC and isinstance(condition.value, str):
        return f"not missing({value}) and date({value}) {condition.operator} {in_full(condition.value)!r}"
    if condition.operator in NUMERIC:
        return f"not missing({value}) and {value} {condition.operator} {_value(condition.value)}"
    if spellings := spellings_of(condition.value):
        equal, unequal, wanted = "in", "not in", f"({', '.join(map(repr, spellings))})"
    else:
        equal, unequal, wanted = "==", "!=", _value(condition.value)
    if condition.operator == "!=":
        return f"not missing({value}) and {value} {unequal} {wanted}"
    return f"{value} {equal} {wanted}"


def _value(value: Any) -> str:
    word(value)  # raises for values whose repr is not source code
    return repr(value)
