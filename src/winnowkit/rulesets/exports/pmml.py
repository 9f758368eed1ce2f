"""Rule sets as PMML 4.4 documents (Predictive Model Markup Language): a RuleSetModel whose first hit decides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from winnowkit.rulesets.condition import EQUALITY, NUMERIC, Condition, has_date
from winnowkit.rulesets.rule import Rule
from winnowkit.rulesets.words import word

if TYPE_CHECKING:
    from winnowkit.rulesets.rule_list import RuleList

_OPERATORS = {
    "=": "equal",
    "!=": "notEqual",
    ">=": "greaterOrEqual",
    "<": "lessThan",
    ">": "greaterThan",
    "<=": "lessOrEqual",
    "missing": "isMissing",
    "present": "isNotMissing",
}
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "double"}
_UNMEASURED = "1"
"""The confidence that PMML gives a rule without one. The default rule must state it, or JPMML refuses to use it."""
_MOST_INTEGER = 2**31 - 1
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_pmml(rules: RuleList) -> str:
    """Return a document with a data dictionary of the columns that the rules use, and one RuleSetModel."""
    target = "prediction"
    while target in rules.columns:
        target += "_"
    used = list(dict.fromkeys(condition.column for rule in rules for condition in rule.conditions))
    if "" in used:
        raise ValueError("PMML has no columns without a name: name the column '' before training")
    if dates := [condition.column for rule in rules for condition in rule.conditions if has_date(condition)]:
        raise ValueError(f"rules on dates cannot be written as PMML, and column {dates[0]!r} holds dates: use to_sql")
    labels = list(dict.fromkeys([*(rule.label for rule in rules), rules.default]))
    root = ET.Element("PMML", {"xmlns": "http://www.dmg.org/PMML-4_4", "version": "4.4"})
    ET.SubElement(ET.SubElement(root, "Header"), "Application", {"name": "winnowkit"})
    dictionary = ET.SubElement(root, "DataDictionary", {"numberOfFields": str(len(used) + 1)})
    for column in used:
        tests = [c for rule in rules for c in rule.conditions if c.column == column]
        kind = _kind([c.value for c in tests if c.operator in EQUALITY], f"column {column!r}")
        # PMML4S accepts doubles only in continuous fields.
        numeric = kind == "double" or any(c.operator in NUMERIC for c in tests)
        types = ("continuous", "double") if numeric else ("categorical", kind)
        ET.SubElement(dictionary, "DataField", {"name": _xml(column), "optype": types[0], "dataType": types[1]})
    kind = _kind(labels, "the labels")
    field = ET.SubElement(dictionary, "DataField", {"name": target, "optype": "categorical", "dataType": kind})
    for label in labels:
        ET.SubElement(field, "Value", {"value": _value(label)})
    model = ET.SubElement(root, "RuleSetModel", {"functionName": "classification", "algorithmName": "winnowkit"})
    schema = ET.SubElement(model, "MiningSchema")
    for column in used:
        ET.SubElement(schema, "MiningField", {"name": _xml(column)})
    ET.SubElement(schema, "MiningField", {"name": target, "usageType": "target"})
    listed = ET.SubElement(model, "RuleSet", {"defaultScore": _value(rules.default), "defaultConfidence": _UNMEASURED})
    ET.SubElement(listed, "RuleSelectionMethod", {"criterion": "firstHit"})
    for number, rule in enumerate(rules, start=1):
        _add_rule(listed, number, rule)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_rule(parent: ET.Element, number: int, rule: Rule) -> None:
    measures = {}
    if rule.support is not None and rule.precision is not None:
        right = str(round(rule.support * rule.precision))
        measures = {"recordCount": str(rule.support), "nbCorrect": right, "confidence": repr(rule.precision)}
    element = ET.SubElement(parent, "SimpleRule", {"id": str(number), "score": _value(rule.label), **measures})
    if not rule.conditions:
        ET.SubElement(element, "True")
        return
    if len(rule.conditions) > 1:
        element = ET.SubElement(element, "CompoundPredicate", {"booleanOperator": "and"})
    for condition in rule.conditions:
        ET.SubElement(element, "SimplePredicate", _predicate(condition))


def _predicate(condition: Condition) -> dict[str, str]:
    predicate = {"field": _xml(condition.column), "operator": _OPERATORS[condition.operator]}
    return predicate if condition.value is None else predicate | {"value": _value(condition.value)}


def _kind(values: list[Any], of: str) -> str:
    """Return the type of a field with these values; raise ValueError if no type can tell them apart."""
    kinds = {_TYPES.get(type(value), "string") for value in values}
    if kinds == {"integer", "double"} or (kinds == {"integer"} and any(abs(value) > _MOST_INTEGER for value in values)):
        kinds = {"double"}
    if kinds == {"double"} and any(float(value) != value for value in values):
        raise ValueError(f"PMML has no type for the integers of {of}: they are too large")
    if len({_value(value) for value in values}) < len({(type(value), value) for value in values}):
        raise ValueError(f"PMML cannot tell apart the values of {of}, such as 1 and '1'; make them all strings")
    return kinds.pop() if len(kinds) == 1 else "string"


def _value(value: Any) -> str:
    return _xml(value) if isinstance(value, str) else word(value)


def _xml(value: str) -> str:
    if _NOT_XML.search(value):
        raise ValueError(f"XML cannot hold {value!r}: it contains a control character")
    return value
