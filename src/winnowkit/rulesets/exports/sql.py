"""Rule sets as standard SQL. Names and values may contain any character; both are quoted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winnowkit.rulesets.condition import NUMERIC, Condition
from winnowkit.rulesets.rule import Rule
from winnowkit.rulesets.words import word

if TYPE_CHECKING:
    from winnowkit.rulesets.rule_list import RuleList

_EQUALITY = {"=": "=", "!=": "<>"}


def to_sql(rules: RuleList, table: str | None, name: str) -> str:
    """Return a CASE expression, or a query that contains it."""
    cases = [f"  WHEN {_conjunction(rule)} THEN {_value(rule.label)}" for rule in rules]
    default = _value(rules.default)
    case = "\n".join(["CASE", *cases, f"  ELSE {default}", "END"]) if cases else default
    return case if table is None else f"SELECT *, {case} AS {_name(name)}\nFROM {_name(table)}"


def _conjunction(rule: Rule) -> str:
    return " AND ".join(map(_condition, rule.conditions)) or "1 = 1"


def _condition(condition: Condition) -> str:
    name = _name(condition.column)
    if condition.operator == "missing":
        return f"{name} IS NULL"
    if condition.operator == "present":
        return f"{name} IS NOT NULL"
    if condition.operator in NUMERIC:
        return f"{name} {condition.operator} {_value(float(condition.value))}"
    return f"{name} {_EQUALITY[condition.operator]} {_value(condition.value)}"


def _name(name: str) -> str:
    if "\0" in name:
        raise ValueError(f"SQL cannot name a column {name!r}: it contains the character NUL")
    return '"' + name.replace('"', '""') + '"'


def _value(value: Any) -> str:
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError(f"SQL cannot write the string {value!r}: it contains the character NUL")
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, float):  # an exponent makes it double precision, not decimal
        written = word(value)
        return written if "e" in written else f"{written}e0"
    return word(value).upper()
