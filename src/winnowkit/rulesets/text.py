"""Rule sets as lines of text and as JSON, each of which can be read back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from winnowkit.rulesets.condition import EQUALITY, FLIPPED, NUMERIC, UNARY, Condition
from winnowkit.rulesets.rule import Rule
from winnowkit.rulesets.words import brief, in_full, tokens, value_of, word

if TYPE_CHECKING:
    from winnowkit.rulesets.rule_list import RuleList

FIRST_LINE = "# winnowkit rules: the first that holds decides"
JSON_FORMAT = "winnowkit rules 1"
_LOWER = {flipped: operator for operator, flipped in FLIPPED.items()}
MEASURES = ("log_weight", "support", "precision", "decided", "right")
DEFAULT_MEASURES = ("decided", "right")


# --- text -------------------------------------------------------------------------------------------------------------


def to_text(rules: RuleList) -> str:
    """Write the columns, one line per rule, and the default."""
    lines = [FIRST_LINE, f"columns: {', '.join(map(word, brief(rules.columns)))}"]
    lines += [f"{rule}{_measures({name: getattr(rule, name) for name in MEASURES})}" for rule in rules]
    return "\n".join([*lines, f"else {word(rules.default)}{_measures(_of_default(rules))}", ""])


def _of_default(rules: RuleList) -> dict[str, Any]:
    return {name: getattr(rules, f"default_{name}") for name in DEFAULT_MEASURES}


def _measures(measures: dict[str, Any]) -> str:
    measures = {name.replace("_", " "): value for name, value in measures.items()}
    known = ", ".join(f"{name} {word(value)}" for name, value in measures.items() if value is not None)
    return f" ({known})" if known else ""


def from_text(lines: str) -> dict[str, Any]:
    """Return the arguments of the RuleSet that the lines describe."""
    columns: list[str] | None = None
    rules: list[Rule] = []
    for number, line in enumerate(lines.splitlines(), start=1):
        words = list(tokens(line))
        if not words:
            continue
        try:
            if words[0] == "columns":
                columns = in_full([value_of(name) for name in words[2::2]])
            elif words[0] == "if":
                rules.append(_rule(iter(words[1:])))
            elif words[0] == "else":
                rest = iter(words[1:])
                default = value_of(next(rest))
                measures = {f"default_{name}": value for name, value in _read(rest, DEFAULT_MEASURES).items()}
                seen = dict.fromkeys(condition.column for rule in rules for condition in rule.conditions)
                return {"rules": rules, "default": default, "columns": columns or list(seen), **measures}
            else:
                raise ValueError("a line must start with columns, if or else")
        except (ValueError, StopIteration) as error:
            reason = str(error) or "the line ends too soon"
            raise ValueError(f"line {number} is not a rule: {line!r}: {reason}") from None
    raise ValueError("the rules must end with a line `else LABEL`")


def _rule(words: Iterator[str]) -> Rule:
    conditions: list[Condition] = []
    joint = "and"
    first = next(words)
    if first == "always":
        joint = next(words)
    while joint == "and":
        found, joint = _conditions(first if not conditions else next(words), words)
        conditions += found
    if joint != "then":
        raise ValueError(f"expected and or then, got {joint}")
    label = value_of(next(words))
    return Rule(conditions, label, **_read(words, MEASURES))


def _read(words: Iterator[str], names: tuple[str, ...]) -> dict[str, Any]:
    """Read the measures in parentheses after a label, if there are any."""
    measures: dict[str, Any] = {}
    for mark in words:
        if mark == ")":
            break
        name = next(words)
        name = f"log_{next(words)}" if name == "log" else name
        measures[name] = value_of(next(words))
    unknown = set(measures) - set(names)
    if unknown:
        known = [name.replace("_", " ") for name in names]
        raise ValueError(f"expected {', '.join(known[:-1])} or {known[-1]}, got {unknown.pop()}")
    return measures


def _conditions(first: str, words: Iterator[str]) -> tuple[list[Condition], str]:
    """Read one condition, or the two ends of a range, and the word that follows."""
    test = next(words)
    if test in UNARY:
        return [Condition(str(value_of(first)), test)], next(words)
    if test not in (*EQUALITY, *NUMERIC):
        raise ValueError(f"expected a comparison after {first}, got {test}")
    second, after = next(words), next(words)
    if test in _LOWER and after in _LOWER:  # 2.45 <= length < 4.75
        name = str(value_of(second))
        ends = [Condition(name, _LOWER[test], value_of(first)), Condition(name, after, value_of(next(words)))]
        return ends, next(words)
    return [Condition(str(value_of(first)), test, value_of(second))], after


# --- JSON -------------------------------------------------------------------------------------------------------------


def to_json(rules: RuleList) -> str:
    """Write one object, with the rules in order."""
    for value in [rules.default, *(rule.label for rule in rules)]:
        word(value)  # raises, with the reason, for a value that cannot be written
    document = {
        "format": JSON_FORMAT,
        "columns": brief(rules.columns),
        "rules": [
            {"if": [asdict(condition) for condition in rule.conditions], "then": rule.label}
            | {name: getattr(rule, name) for name in MEASURES if getattr(rule, name) is not None}
            for rule in rules
        ],
        "else": rules.default,
        **{f"default_{name}": value for name, value in _of_default(rules).items() if value is not None},
        "complete": rules.complete,
    }
    for condition in (condition for rule in rules for condition in rule.conditions):
        str(condition)
    return json.dumps(document, indent=1, allow_nan=False)


def from_json(document: str) -> dict[str, Any]:
    """Return the arguments of the RuleSet that the document describes."""
    try:
        read = json.loads(document)
    except RecursionError:
        raise ValueError("the document is not a rule set: it is nested too deeply") from None
    if not isinstance(read, dict) or read.get("format") != JSON_FORMAT:
        found = read.get("format") if isinstance(read, dict) else type(read).__name__
        raise ValueError(f'expected an object with "format": "{JSON_FORMAT}", got {found!r}')
    try:
        columns = in_full(read["columns"])
        rules = [
            Rule(
                [Condition(**condition) for condition in rule["if"]],
                rule["then"],
                **{name: rule.get(name) for name in MEASURES},
            )
            for rule in read["rules"]
        ]
        for label in [read["else"], *(rule.label for rule in rules)]:
            word(label)  # raises an error for a value that cannot be a label
        if not isinstance(read["complete"], bool):
            raise TypeError(f"complete must be true or false, got {read['complete']!r}")
        return {
            "rules": rules,
            "default": read["else"],
            "columns": columns,
            "complete": read["complete"],
            **{f"default_{name}": read.get(f"default_{name}") for name in DEFAULT_MEASURES},
        }
    except (KeyError, TypeError) as error:
        raise ValueError(f"the document is not a rule set: {error}") from error
