"""Rule sets as JavaScript: run by node, each function says what `predict` says."""

import json
from importlib import resources

import numpy as np
import pytest

from run_javascript import READ, needs_node, node, said, said_of
from winnowkit.rulesets import Condition, Rule, RuleSet

HOSTILE = [
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "it's",
    'say "no"',
    "`${row}`",
    "a\nb\r",
    "\\",
    "\\'",
    "*/ throw 1; //",
    "</script><script>alert(1)</script>",
    "<!-- <script>",
    "]]>",
    "\u2028\u2029\u202e",
    "\0",
    "\ud800",
    "☃ 😀",
    "",
    " ",
    "1",
    "true",
    "null",
    "NaN",
]


@needs_node
def test_hostile_names_and_values():
    after = HOSTILE[1:] + HOSTILE[:1]
    rules = [Rule([Condition(name, "=", value)], name) for name, value in zip(HOSTILE, after, strict=True)]
    rules = RuleSet(rules, "else", HOSTILE)
    rng = np.random.default_rng(0)
    X = rng.choice(np.array(HOSTILE, dtype=object), (80, len(HOSTILE)))
    X[np.arange(len(HOSTILE)), np.arange(len(HOSTILE))] = after  # each rule holds somewhere
    X[rng.random(X.shape) < 0.4] = None
    found = said(rules, [dict(zip(HOSTILE, row, strict=True)) for row in X])
    assert found == rules.predict(X).tolist()
    assert len(set(found)) > 15


@needs_node
@pytest.mark.parametrize("wanted", [True, "True", "false"])
@pytest.mark.parametrize("operator", ["=", "!="])
def test_a_boolean_equals_its_text(operator, wanted):
    rules = RuleSet([Rule([Condition("vip", operator, wanted)], "yes")], "no", ["vip"])
    rows = [{"vip": value} for value in (True, "True", "true", "TRUE", False, "False", "FALSE", 1, 0, None, "maybe")]
    assert said(rules, rows) == rules.predict([[row["vip"]] for row in rows]).tolist()


@needs_node
def test_a_boolean_equals_its_text_on_the_page_of_a_report_too():
    source = (resources.files("winnowkit.report") / "assets" / "rules.js").read_text()
    values = [True, "True", "true", "TRUE", False, "False", "FALSE", 1, 0, None, "maybe"]
    for wanted in (True, "True", "false", "maybe"):
        conditions = [Condition("vip", "=", wanted), Condition("vip", "!=", wanted)]
        tests = json.dumps([["vip", condition.operator, wanted] for condition in conditions])
        program = f"const content = {{}};{source}{READ}console.log(JSON.stringify("
        found = node(f"{program}rows.map((vip) => {tests}.map((test) => holds(test, {{ vip }})))));", values)
        assert found == [[condition.holds(value) for condition in conditions] for value in values]


def test_the_source_is_ascii_and_cannot_end_a_script_element():
    rules = RuleSet([Rule([Condition(name, "!=", name)], name) for name in HOSTILE], HOSTILE[0], HOSTILE)
    source = rules.to_javascript()
    assert source.isascii()
    assert source.replace("\n", "").isprintable()
    assert "<" not in source
    assert "-->" not in source
    assert "]]>" not in source


EVERY_OPERATOR = """
columns: age, city, flag
if 40 < age <= 52 and city != Bonn then "both ends"
if 20 <= age < 30 and age != 25 then 2
if age missing and city present then 0.5
if flag = true then true
if city missing then "no city"
if age = 25 then -3
if flag != 0 then "flagged"
else false
"""


@needs_node
def test_every_operator_on_numbers_booleans_and_missing_values():
    rules = RuleSet.from_text(EVERY_OPERATOR)
    ages = [None, "?", 19.9, 20, 25, 29.9, 30, 40, 40.1, 52, 52.1, "45", " 2.2e1 ", True]
    flags = [None, "?", True, False, 0, 1, 2, "true", "1"]
    rows = [
        {"age": age, "city": city, "flag": flag}
        for age in ages
        for city in (None, "?", "Bonn", "Ulm")
        for flag in flags
    ]
    wanted = [rules.predict_one(row) for row in rows]
    found = said(rules, rows)
    assert found == wanted
    assert list(map(type, found)) == list(map(type, wanted))
    assert {json.dumps(label) for label in found} == {
        json.dumps(label) for label in ("both ends", 2, 0.5, True, "no city", -3, "flagged", False)
    }


@needs_node
def test_missing_values_of_javascript():
    rules = RuleSet.from_text("if n missing then gone\nif n != 7 then other\nelse seven")
    rows = ["{}", "{n: null}", "{n: undefined}", "{n: NaN}", '{n: "?"}', "Object.create({n: 7})"]
    assert said_of(rules, *rows) == ["gone"] * 6
    assert said_of(rules, "{n: 7}", "{n: 7n}", "{n: 7.5}", "{n: '7'}", "{n: [7]}", "{n: ''}") == [
        *("seven", "seven"),
        *["other"] * 4,
    ]


@needs_node
def test_no_missing_value_is_equal_or_on_a_side_of_a_bound():
    rules = RuleSet.from_text("if n < 1 then a\nif n >= 1 then b\nif n = 0 then c\nif n present then d\nelse e")
    assert said_of(rules, "{}", "{n: null}", "{n: NaN}", '{n: "?"}', "{n: 0n}", "{n: 1}") == [*"eeee", "a", "b"]


@needs_node
@pytest.mark.parametrize("value", ['"tall"', '""', '"0x10"', "[1]", "{}"])
def test_text_in_a_numeric_column_is_an_error(value):
    rules = RuleSet.from_text("if n < 1 then a\nelse b")
    program = f"{rules.to_javascript()}try {{ predict({{n: {value}}}); console.log(0); }}"
    assert 'column "n" is numeric' in node(program + " catch (error) { console.log(JSON.stringify(error.message)); }")


@needs_node
def test_rules_without_conditions_and_without_rules():
    assert said_of(RuleSet([Rule([], "a")], "b", []), "{}") == ["a"]
    assert said_of(RuleSet([], "b", []), "{}") == ["b"]


@needs_node
def test_a_name_for_the_function():
    rules = RuleSet.from_text("if a > 1.5e300 and a <= 10000000000000000000000 then 1\nif a = 1 then 2\nelse 3")
    assert node(rules.to_javascript("$_row1") + "console.log($_row1({a: 1}))") == 2


@pytest.mark.parametrize("name", ["", "1a", "a b", "a(){} //", "class", "eval", "Object", "é", "a\n"])
def test_names_that_are_no_identifiers_are_refused(name):
    with pytest.raises(ValueError, match="name must be a JavaScript identifier"):
        RuleSet([], "b", []).to_javascript(name)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (RuleSet([Rule([Condition("a", "=", 2**53)], "b")], "c", ["a"]), "cannot hold the integer 9007199254740992"),
        (RuleSet([], -(2**53), []), "cannot hold the integer -9007199254740992"),
        (RuleSet([Rule([Condition("a", "<", 10**400)], "b")], "c", ["a"]), "no number as large"),
    ],
)
def test_integers_that_javascript_cannot_hold_are_refused(rules, message):
    with pytest.raises(ValueError, match=message):
        rules.to_javascript()


def test_the_largest_integer_that_javascript_can_hold_is_written():
    assert "9007199254740991" in RuleSet([], 2**53 - 1, []).to_javascript()
