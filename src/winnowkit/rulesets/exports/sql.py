"""Rule sets as SQL, by the standard or as MySQL has it. Names and values may contain any character; both are quoted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from winnowkit.rulesets.condition import NUMERIC, Condition
from winnowkit.rulesets.rule import Rule
from winnowkit.rulesets.words import word

if TYPE_CHECKING:
    from winnowkit.rulesets.rule_list import RuleList

SqlDialect = Literal["standard", "mysql"]

_EQUALITY = {"=": "=", "!=": "<>"}


class _Standard:
    """The SQL of the standard: a quote is escaped by doubling it, and a backslash is a character like any other."""

    def name(self, name: str) -> str:
        _check_characters(name, "name a column")
        if "\0" in name:
            raise ValueError(f"SQL cannot name a column {name!r}: it contains the character NUL")
        return '"' + name.replace('"', '""') + '"'

    def string(self, value: str) -> str:
        _check_characters(value, "write the string")
        if "\0" in value:
            raise ValueError(f"SQL cannot write the string {value!r}: it contains the character NUL")
        return "'" + value.replace("'", "''") + "'"

    def integer(self, value: int) -> str:
        return word(value)

    def compared(self, written: str) -> str:
        """Return a name or string so that strings are equal only if all of their characters are."""
        return written


class _MySQL(_Standard):
    """MySQL and MariaDB with their default ``sql_mode``: names in backticks, and a backslash escapes in strings.

    Their usual collations take "bonn" for "Bonn" and ignore spaces at the end, so strings are compared as bytes.
    """

    LONGEST_NAME = 64
    MOST_DIGITS = 65  # of a DECIMAL; an integer of more digits would be rounded to a DOUBLE

    def name(self, name: str) -> str:
        _check_characters(name, "name a column")
        if not name or len(name) > self.LONGEST_NAME or name[-1] == " " or not all("\0" < c <= "\uffff" for c in name):
            raise ValueError(
                f"MySQL cannot name a column {name!r}: names have 1 to {self.LONGEST_NAME} characters, none of them "
                "NUL or beyond U+FFFF, and no space at the end"
            )
        return "`" + name.replace("`", "``") + "`"

    def string(self, value: str) -> str:
        _check_characters(value, "write the string")
        return "'" + value.replace("\\", "\\\\").replace("'", "''").replace("\0", "\\0") + "'"

    def integer(self, value: int) -> str:
        if abs(value) >= 10**self.MOST_DIGITS:
            raise ValueError(f"MySQL cannot hold the integer {value}: it has more than {self.MOST_DIGITS} digits")
        return word(value)

    def compared(self, written: str) -> str:
        return f"CAST(CONVERT({written} USING utf8mb4) AS BINARY)"


_DIALECTS = {"standard": _Standard(), "mysql": _MySQL()}


def to_sql(rules: RuleList, table: str | None, name: str, dialect: SqlDialect) -> str:
    """Return a CASE expression, or a query that contains it."""
    if dialect not in _DIALECTS:
        raise ValueError(f"Unknown SQL dialect {dialect!r}. Choose from {', '.join(map(repr, _DIALECTS))}.")
    sql = _DIALECTS[dialect]
    cases = [f"  WHEN {_conjunction(rule, sql)} THEN {_value(rule.label, sql)}" for rule in rules]
    default = _value(rules.default, sql)
    case = "\n".join(["CASE", *cases, f"  ELSE {default}", "END"]) if cases else default
    if table is None:
        return case
    return f"SELECT *, {case} AS {sql.name(name)}\nFROM {sql.name(table)}"


def _conjunction(rule: Rule, sql: _Standard) -> str:
    return " AND ".join(_condition(condition, sql) for condition in rule.conditions) or "1 = 1"


def _condition(condition: Condition, sql: _Standard) -> str:
    name = sql.name(condition.column)
    if condition.operator == "missing":
        return f"{name} IS NULL"
    if condition.operator == "present":
        return f"{name} IS NOT NULL"
    if condition.operator in NUMERIC and isinstance(condition.value, str):  # databases convert the text of a date
        return f"{name} {condition.operator} {sql.string(condition.value)}"
    if condition.operator in NUMERIC:
        return f"{name} {condition.operator} {_value(float(condition.value), sql)}"
    value = _value(condition.value, sql)
    if isinstance(condition.value, str):
        name, value = sql.compared(name), sql.compared(value)
    return f"{name} {_EQUALITY[condition.operator]} {value}"


def _value(value: Any, sql: _Standard) -> str:
    if isinstance(value, str):
        return sql.string(value)
    if isinstance(value, float):  # an exponent makes it double precision, not decimal
        written = word(value)
        return written if "e" in written else f"{written}e0"
    return sql.integer(value) if type(value) is int else word(value).upper()


def _check_characters(text: str, purpose: str) -> None:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError(f"SQL cannot {purpose} {text!r}: it contains half of a pair of surrogates")
