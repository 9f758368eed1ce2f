"""Rule sets as JSON, SQL, Python and data frames. Names and values may contain anything: each format has its quotes."""

from __future__ import annotations

import json
import keyword
from dataclasses import asdict
from importlib import import_module
from typing import TYPE_CHECKING, Any

from winnowkit.rulesets.condition import NUMERIC, Condition
from winnowkit.rulesets.rule import Rule
from winnowkit.rulesets.words import brief, in_full, word

if TYPE_CHECKING:
    from winnowkit.rulesets.ruleset import RuleSet

FORMAT = "winnowkit rules 1"
_MEASURES = ("log_weight", "support", "precision")


# --- JSON -------------------------------------------------------------------------------------------------------------


def to_json(rules: RuleSet) -> str:
    """One object, rules in order."""
    for value in [rules.default, *(rule.label for rule in rules)]:
        word(value)  # says what is wrong with it, if anything
    document = {
        "format": FORMAT,
        "columns": brief(rules.columns),
        "rules": [
            {"if": [asdict(condition) for condition in rule.conditions], "then": rule.label}
            | {name: getattr(rule, name) for name in _MEASURES if getattr(rule, name) is not None}
            for rule in rules
        ],
        "else": rules.default,
        "complete": rules.complete,
    }
    for condition in (condition for rule in rules for condition in rule.conditions):
        str(condition)
    return json.dumps(document, indent=1, allow_nan=False)


def from_json(document: str) -> dict[str, Any]:
    """Arguments of the RuleSet that the document describes."""
    try:
        read = json.loads(document)
    except RecursionError:
        raise ValueError("the document is no rule set: it is nested too deep") from None
    if not isinstance(read, dict) or read.get("format") != FORMAT:
        found = read.get("format") if isinstance(read, dict) else type(read).__name__
        raise ValueError(f'expected an object with "format": "{FORMAT}", got {found!r}')
    try:
        rules = [
            Rule(
                [Condition(**condition) for condition in rule["if"]],
                rule["then"],
                **{name: rule.get(name) for name in _MEASURES},
            )
            for rule in read["rules"]
        ]
        return {
            "rules": rules,
            "default": read["else"],
            "columns": in_full(read["columns"]),
            "complete": read["complete"],
        }
    except (KeyError, TypeError) as error:
        raise ValueError(f"the document is no rule set: {error}") from error


# --- SQL --------------------------------------------------------------------------------------------------------------


def to_sql(rules: RuleSet, table: str | None, name: str) -> str:
    """CASE expression, or a query with it."""
    cases = [f"  WHEN {_sql_all(rule)} THEN {_sql_value(rule.label)}" for rule in rules]
    default = _sql_value(rules.default)
    case = "\n".join(["CASE", *cases, f"  ELSE {default}", "END"]) if cases else default
    return case if table is None else f"SELECT *, {case} AS {_sql_name(name)}\nFROM {_sql_name(table)}"


def _sql_all(rule: Rule) -> str:
    return " AND ".join(map(_sql_condition, rule.conditions)) or "1 = 1"


def _sql_condition(condition: Condition) -> str:
    name = _sql_name(condition.column)
    if condition.operator == "missing":
        return f"{name} IS NULL"
    if condition.operator == "present":
        return f"{name} IS NOT NULL"
    if condition.operator in NUMERIC:
        return f"{name} {condition.operator} {_sql_value(float(condition.value))}"
    return f"{name} = {_sql_value(condition.value)}"


def _sql_name(name: str) -> str:
    if "\0" in name:
        raise ValueError(f"SQL cannot name a column {name!r}: it contains the character NUL")
    return '"' + name.replace('"', '""') + '"'


def _sql_value(value: Any) -> str:
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError(f"SQL cannot write the string {value!r}: it contains the character NUL")
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, float):  # an exponent makes it double precision, not decimal
        written = word(value)
        return written if "e" in written else f"{written}e0"
    return word(value).upper()


# --- Python -----------------------------------------------------------------------------------------------------------


def to_python(rules: RuleSet, name: str) -> str:
    """Source of a function."""
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"name must be a Python identifier, got {name!r}")
    lines = [f"def {name}(row):", '    """Predict the label of a row: a mapping from column names to values."""']
    operators = {condition.operator for rule in rules for condition in rule.conditions}
    if operators - {"="}:
        lines += ["", "    def missing(value):", '        return value is None or value == "?" or value != value', ""]
    for rule in rules:
        tests = " and ".join(map(_python_condition, rule.conditions)) or "True"
        lines += [f"    if {tests}:", f"        return {_python_value(rule.label)}"]
    return "\n".join([*lines, f"    return {_python_value(rules.default)}", ""])


def _python_condition(condition: Condition) -> str:
    value = f"row.get({condition.column!r})"
    if condition.operator == "missing":
        return f"missing({value})"
    if condition.operator == "present":
        return f"not missing({value})"
    if condition.operator in NUMERIC:
        return f"not missing({value}) and {value} {condition.operator} {_python_value(condition.value)}"
    return f"{value} == {_python_value(condition.value)}"


def _python_value(value: Any) -> str:
    word(value)  # refuses what has no safe repr
    return repr(value)


# --- data frames ------------------------------------------------------------------------------------------------------


def to_frame(rules: RuleSet) -> Any:
    """Make a row a rule, the last for the default."""
    try:
        pandas = import_module("pandas")
    except ImportError as error:
        raise ImportError("to_frame needs pandas: pip install pandas") from error
    records = [
        {
            "rule": str(rule),
            "label": _unlike_formula(rule.label),
            "literals": len(rule.conditions),
            "weight": rule.weight,
            "support": rule.support,
            "precision": rule.precision,
        }
        for rule in rules
    ]
    last = {"rule": f"else {word(rules.default)}", "label": _unlike_formula(rules.default), "literals": 0}
    return pandas.DataFrame([*records, last], columns=["rule", "label", "literals", "weight", "support", "precision"])


def _unlike_formula(label: Any) -> Any:
    """Quote a label that a spreadsheet would run."""
    risky = isinstance(label, str) and (label[:1] in tuple("\t\r\n") or label.lstrip()[:1] in tuple("=+-@"))
    return word(label) if risky else label
