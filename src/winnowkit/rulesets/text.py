"""Rule sets as lines of text, there and back, and as tables for terminals and notebooks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from winnowkit.rulesets.condition import NUMERIC, UNARY, Condition
from winnowkit.rulesets.rule import Rule
from winnowkit.rulesets.words import brief, in_full, tokens, value_of, word

if TYPE_CHECKING:
    from winnowkit.rulesets.ruleset import RuleSet

HEADS = ("weight", "support", "precision", "rule")
HEAD = "# winnowkit rules: the first that holds decides"


def to_text(rules: RuleSet) -> str:
    """Lines: the columns, a rule each, the default."""
    lines = [HEAD, f"columns: {', '.join(map(word, brief(rules.columns)))}"]
    lines += [f"{rule}{_measures(rule)}" for rule in rules]
    return "\n".join([*lines, f"else {word(rules.default)}", ""])


def _measures(rule: Rule) -> str:
    measures = {"log weight": rule.log_weight, "support": rule.support, "precision": rule.precision}
    known = ", ".join(f"{name} {word(value)}" for name, value in measures.items() if value is not None)
    return f" ({known})" if known else ""


def from_text(lines: str) -> dict[str, Any]:
    """Arguments of the RuleSet that the lines describe."""
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
            elif words[0] == "else" and len(words) == 2:
                seen = dict.fromkeys(condition.column for rule in rules for condition in rule.conditions)
                return {"rules": rules, "default": value_of(words[1]), "columns": columns or list(seen)}
            else:
                raise ValueError("a line starts with columns, if or else")
        except (ValueError, StopIteration) as error:
            raise ValueError(f"line {number} is no rule: {line!r}: {str(error) or 'it ends too soon'}") from None
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
    measures: dict[str, Any] = {}
    for mark in words:
        if mark == ")":
            break
        name = next(words)
        name = f"log_{next(words)}" if name == "log" else name
        measures[name] = value_of(next(words))
    unknown = set(measures) - {"log_weight", "support", "precision"}
    if unknown:
        raise ValueError(f"expected log weight, support or precision, got {unknown.pop()}")
    return Rule(conditions, label, **measures)


def _conditions(first: str, words: Iterator[str]) -> tuple[list[Condition], str]:
    """One condition, or the two of an interval, and the word after them."""
    test = next(words)
    if test in UNARY:
        return [Condition(str(value_of(first)), test)], next(words)
    if test not in ("=", *NUMERIC):
        raise ValueError(f"expected a comparison after {first}, got {test}")
    second, after = next(words), next(words)
    if test == "<=" and after == "<":  # 2.45 <= length < 4.75
        name = str(value_of(second))
        ends = [Condition(name, ">=", value_of(first)), Condition(name, "<", value_of(next(words)))]
        return ends, next(words)
    return [Condition(str(value_of(first)), test, value_of(second))], after


def _cells(rules: RuleSet) -> Iterator[tuple[str, str, str, str]]:
    for rule in rules:
        yield (
            "" if rule.log_weight is None else power(rule.log_weight),
            "" if rule.support is None else str(rule.support),
            "" if rule.precision is None else f"{rule.precision:.3f}",
            str(rule),
        )
    yield "", "", "", f"else {word(rules.default)}"


def _notes(rules: RuleSet) -> list[str]:
    many = f"{len(rules)} rule{'' if len(rules) == 1 else 's'}"
    if rules.log_enough is None:
        notes = [f"{many}, the first that holds decides"]
    else:
        notes = [f"{many}, the heaviest first", f"to the model a weight of {power(rules.log_enough)} is enough alone"]
    if not rules.complete:
        missed = "heavier rules may be missing" if rules.report is None else "better rules may be missing"
        notes.append(f"the search gave up early: {missed}")
    return notes if rules.report is None else [*notes, str(rules.report)]


def power(log_value: float) -> str:
    """Write a number given by its logarithm, be it too large for a float.

    Examples
    --------
    >>> power(10.0), power(1000.0)
    ('2.2e+04', 'e^1000')
    """
    return f"{math.exp(log_value):.3g}" if log_value < 700 else f"e^{log_value:.0f}"


def table(rules: RuleSet) -> str:
    """Table for a terminal; columns without a number in them are left out."""
    rows = [HEADS, *_cells(rules)]
    shown = [i for i in range(4) if i == 3 or any(row[i] for row in rows[1:])]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = ["  ".join(row[i].rjust(widths[i]) if i < 3 else row[i] for i in shown) for row in rows]
    return "\n".join(["; ".join(_notes(rules)), *lines])


def html_table(rules: RuleSet) -> str:
    """Table for a notebook; columns without a number in them are left out."""
    rows = [HEADS, *_cells(rules)]
    shown = [i for i in range(4) if i == 3 or any(row[i] for row in rows[1:])]
    return html_grid("; ".join(_notes(rules)), [[row[i] for i in shown] for row in rows])


def html_grid(note: str, rows: Sequence[Sequence[str]], after: str = "", items: Sequence[str] = ()) -> str:
    """Table for a notebook, its first row the heads and its last column words, and a list; all text is escaped."""

    def line(row: Sequence[str], tag: str) -> str:
        ends = ["right"] * (len(row) - 1) + ["left"]
        cells = [
            f'<{tag} style="text-align: {end}; vertical-align: top; padding: 0.1em 0.6em">{escape(cell)}</{tag}>'
            for cell, end in zip(row, ends, strict=True)
        ]
        return f"<tr>{''.join(cells)}</tr>"

    body = "".join(line(row, "td") for row in rows[1:])
    grid = f"<table><thead>{line(rows[0], 'th')}</thead><tbody>{body}</tbody></table>"
    listed = "".join(f"<li>{escape(item)}</li>" for item in items)
    end = f"<p>{escape(after)}</p>" if after else ""
    return f"<div><p>{escape(note)}</p>{grid}{end}{f'<ul>{listed}</ul>' if items else ''}</div>"
