"""SQL where a backslash escapes: literals read by MySQL's own rules, and what it cannot carry is refused."""

import re
import sqlite3

import numpy as np
import pytest

from winnowkit.rulesets import Condition, Rule, RuleSet

HOSTILE = [
    "\\",
    "\\'",
    "'",
    "\\' OR 1 = 1; -- ",
    "' OR 1 = 1; -- ",
    "\\n",
    "a\nb",
    "%_\\%",
    '"',
    "`",
    "a``b`",
    "/*",
    "# --",
    "Ünïcode ☃",
    "Bonn",
    "bonn",
    "Bonn ",
]
NAMES = [name for name in HOSTILE if not name.endswith(" ") and name != "bonn"]  # cases of names are no difference
NAME = re.compile(r"`((?:[^`]|``)*)`")
STRING = re.compile(r"'((?:[^'\\]|''|\\.)*)'", flags=re.DOTALL)
TOKEN = re.compile(f"{NAME.pattern}|{STRING.pattern}", flags=re.DOTALL)
ESCAPES = {"0": "\0", "n": "\n", "r": "\r", "t": "\t", "b": "\b", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def rules_of_hostile_names():
    rules = [Rule([Condition(name, "=", value)], value) for name, value in zip(NAMES, HOSTILE, strict=False)]
    return RuleSet([*rules, Rule([Condition(NAMES[0], "!=", HOSTILE[0])], "other")], "else", NAMES)


def read_string(written):
    """Return the string that MySQL reads between the quotes."""
    return re.sub(
        r"''|\\(.)", lambda match: ESCAPES.get(match[1], match[1]) if match[1] else "'", written, flags=re.DOTALL
    )


def as_standard(query):
    """Rewrite a query for MySQL by the standard."""

    def rewrite(token):
        if token[1] is not None:
            return '"' + token[1].replace("``", "`").replace('"', '""') + '"'
        return "'" + read_string(token[2]).replace("'", "''") + "'"

    return TOKEN.sub(rewrite, re.sub(r"CAST\(CONVERT\(| USING utf8mb4\) AS BINARY\)", "", query))


def test_names_and_strings_are_what_mysql_reads():
    query = rules_of_hostile_names().to_sql("a `table`", "\\", dialect="mysql")
    found = [
        read_string(token[2]) if token[1] is None else token[1].replace("``", "`") for token in TOKEN.finditer(query)
    ]
    wanted = []
    for rule in rules_of_hostile_names():
        wanted += [rule.conditions[0].column, rule.conditions[0].value, rule.label]
    assert found == [*wanted, "else", "\\", "a `table`"]
    words = "SELECT *, CASE WHEN CAST(CONVERT( USING utf8mb4) AS BINARY) = <> THEN ELSE END AS FROM"
    assert set(TOKEN.sub("", query).split()) == set(words.split())


def test_a_query_for_mysql_says_what_predict_says():
    rules = rules_of_hostile_names()
    rng = np.random.default_rng(0)
    X = rng.choice(np.array(HOSTILE, dtype=object), (80, len(NAMES)))
    X[rng.random(X.shape) < 0.4] = None
    connection = sqlite3.connect(":memory:")
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in NAMES)
    connection.execute(f"CREATE TABLE t ({columns})")
    connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(NAMES))})", X.tolist())
    found = [row[-1] for row in connection.execute(as_standard(rules.to_sql("t", dialect="mysql")))]
    connection.close()
    assert found == rules.predict(X).tolist()
    assert len(set(found)) > 5


def test_numbers_booleans_and_missing_values():
    rules = RuleSet.from_text(
        "if n < 2 and flag = true then -3\nif n missing then 0.5\nif flag present then 1\nelse false"
    )
    assert rules.to_sql(dialect="mysql").splitlines() == [
        "CASE",
        "  WHEN `n` < 2.0e0 AND `flag` = TRUE THEN -3",
        "  WHEN `n` IS NULL THEN 0.5e0",
        "  WHEN `flag` IS NOT NULL THEN 1",
        "  ELSE FALSE",
        "END",
    ]


def test_a_null_character_in_a_string_is_escaped():
    assert RuleSet([], "a\0b", []).to_sql(dialect="mysql") == r"'a\0b'"


@pytest.mark.parametrize("name", ["", "a\0", "a ", "a" * 65, "😀", "\ud800"])
def test_names_that_mysql_cannot_hold_are_refused(name):
    rules = RuleSet([Rule([Condition(name, "missing")], 1)], 0, [name])
    with pytest.raises(ValueError, match="cannot name a column"):
        rules.to_sql(dialect="mysql")
    for table, column in (("t", name), (name, "said")):
        with pytest.raises(ValueError, match="cannot name a column"):
            RuleSet([], 0, []).to_sql(table, column, dialect="mysql")


def test_names_of_64_characters_are_written():
    assert RuleSet([], 0, []).to_sql("a" * 64, dialect="mysql").endswith(f"FROM `{'a' * 64}`")


def test_integers_that_mysql_cannot_hold_are_refused():
    assert RuleSet([], 10**65 - 1, []).to_sql(dialect="mysql") == "9" * 65
    with pytest.raises(ValueError, match="more than 65 digits"):
        RuleSet([], -(10**65), []).to_sql(dialect="mysql")


@pytest.mark.parametrize("dialect", ["standard", "mysql"])
def test_half_a_pair_of_surrogates_is_refused(dialect):
    with pytest.raises(ValueError, match="surrogates"):
        RuleSet([], "\udfff", []).to_sql(dialect=dialect)


def test_unknown_dialects_are_refused():
    with pytest.raises(ValueError, match=r"Unknown SQL dialect 'oracle'\. Choose from 'standard', 'mysql'"):
        RuleSet([], 0, []).to_sql(dialect="oracle")
