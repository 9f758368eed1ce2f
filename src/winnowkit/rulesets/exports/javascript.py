"""Rule sets as JavaScript functions (ECMAScript 2020) that need no library. Names and values are quoted."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from winnowkit.core.booleans import spellings_of
from winnowkit.rulesets.condition import EQUALITY, NUMERIC, Condition, has_date, in_full
from winnowkit.rulesets.words import word

if TYPE_CHECKING:
    from winnowkit.rulesets.rule_list import RuleList

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_RESERVED = re.compile(
    "arguments|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends|"
    "false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|"
    "public|return|static|super|switch|this|throw|true|try|typeof|var|void|while|with|yield|"
    "Infinity|JSON|NaN|Number|Object|String|TypeError|undefined"
)
"""Words that cannot name a function, and the globals that the function itself needs."""

_MOST_INTEGER = 2**53 - 1
"""Number.MAX_SAFE_INTEGER: a number of JavaScript cannot tell larger integers apart."""

_VALUE = """
  function value(column) {
    return Object.prototype.hasOwnProperty.call(row, column) ? row[column] : null;
  }
"""
_MISSING = """
  function missing(column) {
    const v = value(column);
    return v === null || v === undefined || v === "?" || v !== v;
  }
"""
_EQUAL = """
  function equal(column, wanted) {
    const v = value(column);
    if (typeof wanted === "string") return v === wanted;
    return ["number", "boolean", "bigint"].includes(typeof v) && Number(v) === Number(wanted);
  }
"""
_NUMBER = """
  function number(column) {
    const v = value(column);
    if (missing(column)) return NaN;
    if (["number", "boolean", "bigint"].includes(typeof v)) return Number(v);
    if (typeof v === "string" && /^\\s*[+-]?(\\d+\\.?\\d*|\\.\\d+)(e[+-]?\\d+)?\\s*$/i.test(v)) return Number(v);
    throw new TypeError("column " + JSON.stringify(column) + " is numeric, but contains " + String(v));
  }
"""
_DATE = """
  function date(column) {
    const v = value(column);
    if (missing(column)) return NaN;
    const text = (typeof v === "object" ? v.toISOString() : String(v)).replace("T", " ").replace(/Z$|[+]00:?00$/, "");
    return (text + "0000-00-00 00:00:00.000000".slice(text.length)).slice(0, 26);
  }
"""


def to_javascript(rules: RuleList, name: str) -> str:
    """Return the source of a function that predicts the label of one row."""
    if not _IDENTIFIER.fullmatch(name) or _RESERVED.fullmatch(name):
        raise ValueError(
            f"name must be a JavaScript identifier of ASCII letters, digits, _ and $ that is not reserved, got {name!r}"
        )
    used = {condition.operator for rule in rules for condition in rule.conditions}
    parts = [f'function {name}(row) {{\n  "use strict";']
    parts += [_VALUE] if used else []
    parts += [_MISSING] if used - {"="} else []
    parts += [_EQUAL] if used & set(EQUALITY) else []
    parts += [_NUMBER] if used & set(NUMERIC) else []
    parts += [_DATE] if any(has_date(condition) for rule in rules for condition in rule.conditions) else []
    lines = []
    for rule in rules:
        tests = " && ".join(map(_condition, rule.conditions)) or "true"
        lines.append(f"  if ({tests}) return {_value(rule.label)};")
    return "".join(parts) + "\n" + "\n".join([*lines, f"  return {_value(rules.default)};", "}", ""])


def _condition(condition: Condition) -> str:
    column = _string(condition.column)
    if condition.operator == "missing":
        return f"missing({column})"
    if condition.operator == "present":
        return f"!missing({column})"
    if has_date(condition):
        return f"date({column}) {condition.operator} {_string(in_full(condition.value))}"
    if condition.operator in NUMERIC:
        return f"number({column}) {condition.operator} {_bound(condition.value)}"
    equal = f"equal({column}, {_value(condition.value)})"
    if spellings := spellings_of(condition.value):
        equal = f"[{', '.join(map(_value, spellings))}].some((wanted) => equal({column}, wanted))"
    return f"!missing({column}) && !{equal}" if condition.operator == "!=" else equal


def _bound(value: float) -> str:
    try:
        return word(float(value))
    except OverflowError:
        raise ValueError(f"JavaScript has no number as large as {value}") from None


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, int) and abs(value) > _MOST_INTEGER:
        raise ValueError(f"JavaScript cannot hold the integer {value}: numbers beyond 2^53 - 1 are not exact")
    return word(value)


def _string(value: str) -> str:
    """Quote a string in ASCII, and without the characters that could end or comment out an HTML script element."""
    quoted = json.dumps(value)
    for character in "<>&":
        quoted = quoted.replace(character, f"\\u{ord(character):04x}")
    return quoted
