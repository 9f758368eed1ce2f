"""Rule sets written and read back, and run elsewhere: hostile names and values included."""

import csv
import io
import json
import math
import sqlite3
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from run_javascript import NODE, needs_node, said
from winnowkit import DNFWinnow
from winnowkit.data import CategoryEncoder, load_dataset
from winnowkit.rulesets import Condition, Rule, RuleSet

pytestmark = pytest.mark.filterwarnings("ignore:These columns are left out")  # one of annealing is constant

DATASETS = [
    "iris",
    "car",
    "breast-cancer",
    "voting",
    "auto",
    "annealing",
    "tic-tac-toe",
    "monks-1",
    "monks-2",
    "monks-3",
]
WITH_MISSING_VALUES = ["breast-cancer", "voting", "auto", "annealing"]

HOSTILE = [
    "it's",
    'say "no"',
    "a\nb",
    "x'; DROP TABLE t; --",
    '"); import os #',
    "<script>alert(1)</script>",
    '=HYPERLINK("x")',
    "+1",
    "@cmd",
    "if a then b",
    "and",
    "\\",
    "\u202e\u2028",
    "a # b",
    "",
    " ",
    "1",
    "true",
    "nan",
    "\x1b[31m",
    "{}",
    "%s",
    "Ünïcode ☃",
]


def hostile_rules():
    rules = [
        Rule([Condition(name, "=", value)], label, log_weight=1.5, support=3, precision=0.5)
        for name, value, label in zip(HOSTILE, HOSTILE[1:] + HOSTILE[:1], HOSTILE[2:] + HOSTILE[:2], strict=True)
    ]
    return RuleSet(rules, HOSTILE[0], HOSTILE)


def hostile_table():
    rng = np.random.default_rng(0)
    X = rng.choice(np.array(HOSTILE, dtype=object), (60, len(HOSTILE)))
    for k in range(len(HOSTILE)):  # each rule holds somewhere
        X[k, k] = (HOSTILE[1:] + HOSTILE[:1])[k]
    X[rng.random(X.shape) < 0.2] = None
    return X


@pytest.fixture(
    scope="module",
    params=[*((name, "ignore") for name in DATASETS), *((name, "value") for name in WITH_MISSING_VALUES)],
    ids="-".join,
)
def case(request):
    name, way = request.param
    data = load_dataset(name, as_frame=True)
    model = DNFWinnow(max_literals=None, encoder=CategoryEncoder(missing=way), random_state=0, max_epochs=3).fit(
        data.data, data.target
    )
    return data.data, model.compact(data.data, data.target, max_literals=2)


def run_sql(connection, X, columns, rules, kinds):
    names = ", ".join('"' + c.replace('"', '""') + f'" {kind}' for c, kind in zip(columns, kinds, strict=True))
    connection.execute(f'CREATE TABLE "my table" ({names}, "row number" INTEGER)')
    marks = ", ".join("?" * (len(columns) + 1))
    connection.executemany(f'INSERT INTO "my table" VALUES ({marks})', [[*row, i] for i, row in enumerate(X)])
    query = rules.to_sql("my table", "said") + ' ORDER BY "row number"'
    said = [row[-1] for row in connection.execute(query).fetchall()]
    connection.close()
    return said


def as_rows(frame):
    return [
        [None if isinstance(v, float) and math.isnan(v) else v for v in row]
        for row in frame.astype(object).to_numpy().tolist()
    ]


@pytest.mark.parametrize("engine", ["sqlite3", "duckdb"])
def test_sql_predicts_as_the_rules_do(case, engine):
    frame, rules = case
    module = pytest.importorskip(engine)
    kinds = ["DOUBLE" if dtype.kind == "f" else "VARCHAR" for dtype in frame.dtypes]
    said = run_sql(module.connect(":memory:"), as_rows(frame), rules.columns, rules, kinds)
    assert said == rules.predict(frame).tolist()


@pytest.mark.parametrize("engine", ["sqlite3", "duckdb"])
def test_hostile_sql_predicts_as_the_rules_do(engine):
    module = pytest.importorskip(engine)
    rules, X = hostile_rules(), hostile_table()
    keep = [k for k, name in enumerate(HOSTILE) if name not in ("", " ")]  # no table has a column without a name
    rules = RuleSet([rules[k] for k in keep], rules.default, [HOSTILE[k] for k in keep])
    said = run_sql(module.connect(":memory:"), X[:, keep].tolist(), rules.columns, rules, ["VARCHAR"] * len(keep))
    assert said == rules.predict(X[:, keep]).tolist()
    assert len(set(said)) > 10


def test_sql_refuses_what_it_cannot_hold():
    for rules in (
        RuleSet([Rule([Condition("a\0", "=", "b")], 1)], 0, ["a\0"]),
        RuleSet([Rule([Condition("a", "=", "b\0")], 1)], 0, ["a"]),
    ):
        with pytest.raises(ValueError, match="NUL"):
            rules.to_sql()


def python_function(rules):
    space = {}
    exec(rules.to_python("said"), space)
    return space["said"]


def test_python_predicts_as_the_rules_do(case):
    frame, rules = case
    said = python_function(rules)
    rows = [dict(zip(rules.columns, row, strict=True)) for row in as_rows(frame)]
    assert [said(row) for row in rows] == rules.predict(frame).tolist()


@needs_node
def test_javascript_predicts_as_the_rules_do(case):
    frame, rules = case
    rows = [dict(zip(rules.columns, row, strict=True)) for row in as_rows(frame)]
    assert said(rules, rows) == rules.predict(frame).tolist()


def test_hostile_python_predicts_as_the_rules_do():
    rules, X = hostile_rules(), hostile_table()
    said = python_function(rules)
    assert [said(dict(zip(HOSTILE, row, strict=True))) for row in X] == rules.predict(X).tolist()
    with pytest.raises(ValueError, match="name must be a Python identifier"):
        rules.to_python("f(): pass #")


def test_text_and_json_come_back(case):
    frame, rules = case
    for back in (RuleSet.from_text(rules.to_text()), RuleSet.from_json(rules.to_json())):
        assert back == rules
        assert (back.predict(frame) == rules.predict(frame)).all()


def test_hostile_text_and_json_come_back():
    rules = hostile_rules()
    assert RuleSet.from_text(rules.to_text()) == rules
    assert RuleSet.from_json(rules.to_json()) == rules
    assert len(rules.to_text().splitlines()) == len(rules) + 3
    assert all(character.isprintable() for character in str(rules).replace("\n", ""))


values = st.one_of(
    st.text(), st.booleans(), st.integers(-(10**30), 10**30), st.floats(allow_nan=False, allow_infinity=False)
)
conditions = st.one_of(
    st.builds(Condition, st.text(), st.sampled_from(["=", "!="]), values.filter(lambda value: value != "?")),
    st.builds(
        Condition,
        st.text(),
        st.sampled_from([">=", "<", ">", "<="]),
        st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**9), 10**9),
    ),
    st.builds(Condition, st.text(), st.sampled_from(["missing", "present"])),
)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.builds(Rule, st.lists(conditions, max_size=4), values), max_size=4), values)
def test_any_rules_come_back_as_they_were(rules, default):
    columns = list(dict.fromkeys(c.column for rule in rules for c in rule.conditions))
    written = RuleSet(rules, default, columns)
    for back in (RuleSet.from_text(written.to_text()), RuleSet.from_json(written.to_json())):
        assert back == written
        assert kinds(back) == kinds(written)  # 1, 1.0 and True are equal, and not the same


def kinds(rules):
    return [(type(rule.label), *(type(c.value) for c in rule.conditions)) for rule in rules]


def test_people_may_write_rules():
    rules = RuleSet.from_text(
        """
        # by hand
        if outlook = sunny and 20 <= temperature < 25.5 then play   # my favourite
        if wind missing then stay
        else play
        """
    )
    assert rules.columns == ("outlook", "temperature", "wind")
    assert rules.predict([["sunny", 22.0, None], ["rain", 22.0, None], ["rain", 22.0, "weak"]]).tolist() == [
        "play",
        "stay",
        "play",
    ]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("if a = b then c", "must end with a line `else LABEL`"),
        ("if a b then c\nelse d", "line 1 is not a rule.*expected a comparison after a, got b"),
        ("if a =\nelse d", "the line ends too soon"),
        ("when a = b\nelse d", "a line must start with columns, if or else"),
        ('if a = "b then c\nelse d', "is a closing quote missing"),
        ("if a < b then c\nelse d", "compares with a number, got 'b'"),
        ("if a = b then c (hits 3)\nelse d", "expected log weight, support, precision, decided or right, got hits"),
        ("columns: a\nif b = 1 then c\nelse d", "columns must be distinct and include"),
        ("if a = b then c (support -1)\nelse d", "support must be an integer from 0"),
        ("if a = b then c (support 1.5)\nelse d", "support must be an integer from 0"),
        ("if a = b then c (support 10000000000000000000)\nelse d", "support must be an integer from 0"),
        ("if a = b then c (precision 1.5)\nelse d", "precision must be a number from 0 to 1"),
        ("if a = b then c (precision high)\nelse d", "precision must be a number from 0 to 1"),
        ("if a = b then c (decided 1, right 2)\nelse d", "right must be at most decided, got 2 and 1"),
        ("if a = b then c (right 2)\nelse d", "right must be at most decided, got 2 and None"),
        ("else d (decided 1, right 2)", "right must be at most decided, got 2 and 1"),
        ("else d (support 1)", "expected decided or right, got support"),
        ("else d e", "the line ends too soon"),
    ],
)
def test_text_that_is_no_rule_set_is_refused(lines, message):
    with pytest.raises(ValueError, match=message):
        RuleSet.from_text(lines)


@pytest.mark.parametrize("document", ["[]", "{}", '{"format": "winnowkit rules 1"}', "{"])
def test_json_that_is_no_rule_set_is_refused(document):
    with pytest.raises(ValueError):  # noqa: PT011 - json's own error too
        RuleSet.from_json(document)


@pytest.mark.parametrize("count", ["1000000000000", "-1", "1" * 5000])
def test_claims_of_columns_without_end_are_refused(count):
    with pytest.raises(ValueError, match=r"nameless columns|columns must be distinct"):
        RuleSet.from_text(f"columns: {count}\nif x0 = 1 then 1\nelse 0\n")
    with pytest.raises(ValueError, match=r"nameless columns|digits"):
        RuleSet.from_json(
            f'{{"format": "winnowkit rules 1", "columns": [{count}], "rules": [], "else": 0, "complete": 1}}'
        )


def test_deep_json_is_refused():
    with pytest.raises(ValueError, match="nested too deep"):
        RuleSet.from_json("[" * 100_000)


def test_values_that_cannot_be_written_are_refused():
    rules = RuleSet([Rule([Condition("a", "=", (1, 2))], "b")], "c", ["a"])
    assert rules.predict_one([(1, 2)]) == "b"
    for write in (rules.to_text, rules.to_json, rules.to_sql, rules.to_python, rules.to_javascript, rules.to_pmml):
        with pytest.raises(TypeError, match="cannot be written in a rule"):
            write()


def score(document, row):
    """Run a PMML RuleSetModel."""
    at = {"p": "http://www.dmg.org/PMML-4_4"}
    root = ET.fromstring(document)
    kinds = {field.get("name"): field.get("dataType") for field in root.findall("p:DataDictionary/p:DataField", at)}
    read = {"double": float, "integer": int, "string": str, "boolean": lambda text: text == "true"}
    tests = {
        "equal": lambda a, b: a == b,
        "notEqual": lambda a, b: a != b,
        "greaterThan": lambda a, b: a > b,
        "lessOrEqual": lambda a, b: a <= b,
        "greaterOrEqual": lambda a, b: a >= b,
        "lessThan": lambda a, b: a < b,
        "isMissing": lambda a, _: a is None,
        "isNotMissing": lambda a, _: a is not None,
    }
    rules = root.find("p:RuleSetModel/p:RuleSet", at)
    assert rules.get("defaultConfidence") == "1"  # JPMML uses no default without
    for rule in rules.findall("p:SimpleRule", at):
        holds = True
        for predicate in rule.iter("{http://www.dmg.org/PMML-4_4}SimplePredicate"):
            name, operator = predicate.get("field"), predicate.get("operator")
            wanted = None if predicate.get("value") is None else read[kinds[name]](predicate.get("value"))
            known = row[name] is not None or operator.startswith("is")
            holds = holds and known and tests[operator](row[name], wanted)
        if holds:
            return rule.get("score")
    return rules.get("defaultScore")


def test_pmml_predicts_as_the_rules_do(case):
    frame, rules = case
    document = rules.to_pmml()
    rows = [dict(zip(rules.columns, row, strict=True)) for row in as_rows(frame)[:60]]
    assert [score(document, row) for row in rows] == [str(label) for label in rules.predict(frame)[:60]]


def bounded():
    """Rules with ranges whose ends are open and closed, and values that are excluded."""
    return RuleSet.from_text(
        """
        columns: age, city
        if 40 < age <= 52 and city != Bonn then a
        if 20 <= age < 30 and age != 25 then b
        if 60 < age < 70 then c
        if 80 <= age <= 90 then d
        if city != Bonn then e
        else f
        """
    )


AGES = [None, 19.9, 20, 25, 29.9, 30, 40, 40.1, 52, 52.1, 60, 65, 70, 80, 90, 91]


def expected(age, city):
    known = age is not None
    if known and 40 < age <= 52 and city not in (None, "Bonn"):
        return "a"
    if known and 20 <= age < 30 and age != 25:
        return "b"
    if known and 60 < age < 70:
        return "c"
    if known and 80 <= age <= 90:
        return "d"
    return "f" if city in (None, "Bonn") else "e"


def test_ends_of_ranges_and_excluded_values_in_every_language():
    rules = bounded()
    assert [str(rule) for rule in rules][:2] == [
        "if 40 < age <= 52 and city != Bonn then a",
        "if 20 <= age < 30 and age != 25 then b",
    ]
    rows = [{"age": age, "city": city} for age in AGES for city in (None, "Bonn", "Köln")]
    wanted = [expected(**row) for row in rows]
    assert set(wanted) == set("abcdef")
    X = [list(row.values()) for row in rows]
    assert rules.predict(X).tolist() == wanted
    assert rules.predict(pd.DataFrame(rows)).tolist() == wanted
    assert [rules.predict([row])[0] for row in X] == wanted
    assert run_sql(sqlite3.connect(":memory:"), X, rules.columns, rules, ["DOUBLE", "VARCHAR"]) == wanted
    assert list(map(python_function(rules), rows)) == wanted
    assert NODE is None or said(rules, rows) == wanted
    document = rules.to_pmml()
    assert [score(document, row) for row in rows] == wanted


def test_hostile_pmml_is_xml():
    fine = [k for k, name in enumerate(HOSTILE) if name and "\x1b" not in name + HOSTILE[(k + 1) % len(HOSTILE)]]
    rules = hostile_rules()
    kept = RuleSet(
        [r for r in rules if "\x1b" not in r.label and r.conditions[0].column in {HOSTILE[k] for k in fine}],
        rules.default,
        [HOSTILE[k] for k in fine],
    )
    fields = [
        field.get("name") for field in ET.fromstring(kept.to_pmml()).iter("{http://www.dmg.org/PMML-4_4}DataField")
    ]
    assert fields[:-1] == [rule.conditions[0].column for rule in kept]
    with pytest.raises(ValueError, match="control character"):
        RuleSet([r for r in rules if r.conditions[0].column], rules.default, HOSTILE).to_pmml()


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("a", [1, "1"], "cannot tell apart the values of column 'a'"),
        ("a", [True, "true"], "cannot tell apart the values of column 'a'"),
        ("a", [2**53 + 1, 2], "too large"),
        ("", ["b"], "no columns without a name"),
    ],
)
def test_pmml_refuses_what_it_cannot_hold(column, values, message):
    rules = RuleSet([Rule([Condition(column, "=", value)], "b") for value in values], "c", [column])
    with pytest.raises(ValueError, match=message):
        rules.to_pmml()


def test_no_cell_of_a_frame_is_a_formula():
    file = io.StringIO()
    hostile_rules().to_frame().to_csv(file, index=False)
    file.seek(0)
    cells = [cell for row in csv.reader(file) for cell in row]
    assert len(cells) == 8 * (len(HOSTILE) + 2)
    assert not [
        cell for cell in cells if cell[:1] in tuple("=+-@\t\r") and not cell.lstrip("-").replace(".", "").isdigit()
    ]


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.texts = set(), []

    def handle_starttag(self, tag, attrs):  # noqa: ARG002 - html's interface
        self.tags.add(tag)

    def handle_data(self, data):
        self.texts.append(data)


def test_html_shows_hostile_names_as_text():
    reader = Tags()
    reader.feed(hostile_rules()._repr_html_())
    assert reader.tags == {"div", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert any("<script>alert(1)</script>" in text for text in reader.texts)


def test_a_table_for_terminals_leaves_out_what_is_unknown():
    rules = RuleSet([Rule([Condition("a", "=", 1)], True)], False, ["a"])
    assert str(rules).splitlines() == [
        "1 rule, the first that holds decides",
        "rule",
        "if a = 1 then true",
        "else false",
    ]
    assert json.loads(rules.to_json())["rules"][0]["then"] is True
    assert RuleSet([], "b", ["a"]).to_sql() == "'b'"
    assert RuleSet([], "b", ["a"]).predict([[1], [2]]).tolist() == ["b", "b"]


def test_labels_are_predicted_as_they_are():
    labels = ["one", "two\0", 2, True, 0.5]
    rules = RuleSet([Rule([Condition("a", "=", i)], label) for i, label in enumerate(labels)], "else", ["a"])
    predicted = rules.predict([[i] for i in range(6)]).tolist()
    assert predicted == [*labels, "else"]
    assert list(map(type, predicted)) == list(map(type, [*labels, "else"]))
    assert RuleSet(rules[:1], "else", ["a"]).predict([[0]]).dtype.kind == "U"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a", "<>", 1), "operator must be one of"),
        (("a", "!=", None), "use the operator 'missing'"),
        (("a", "<", "b"), "compares with a number"),
        (("a", "<", True), "compares with a number"),
        (("a", "missing", 1), "takes no value"),
        (("a", "=", None), "use the operator 'missing'"),
    ],
)
def test_conditions_are_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        Condition(*arguments)


def test_a_rule_set_predicts_where_numpy_is_all_there_is(python):
    program = """
import sys
absent = ["numba", "sklearn", "scipy", "pandas", "joblib", "tqdm", "safetensors"]
sys.modules |= dict.fromkeys(absent)  # each import of these fails
for name in absent:
    try:
        __import__(name)
    except ImportError:
        continue
    raise SystemExit(f"{name} was imported")
from winnowkit.rulesets import RuleSet
lines = "columns: sky, wind\\nif sky = sunny and wind < 3 then play\\nelse stay"
by_text = RuleSet.from_text(lines)
by_json = RuleSet.from_json(by_text.to_json())
table = [["sunny", 2.0], ["sunny", 5.0], ["rain", None]]
for rules in (by_text, by_json):
    measured = rules.measured(table, ["play", "stay", "stay"])
    print(*rules.predict(table), rules.predict_one(table[0]), measured[0].support)
"""
    assert python(program).splitlines() == ["play stay stay play 1"] * 2


def test_a_rule_set_loads_no_numba_scikit_learn_and_scipy(python):
    program = """
import sys
from winnowkit.rulesets import RuleSet
rules = RuleSet.from_text("columns: sky, wind\\nif sky = sunny and wind < 3 then play\\nelse stay")
table = [["sunny", 2.0], ["sunny", 5.0], ["rain", None]]
for same in (rules, RuleSet.from_json(rules.to_json())):
    assert same.predict(table).tolist() == ["play", "stay", "stay"]
    assert same.to_sql() and same.to_python() and same.to_javascript() and same.to_pmml()
    assert str(same) and same._repr_html_()
loaded = {name.partition(".")[0] for name in sys.modules} & {"numba", "sklearn", "scipy", "pandas"}
assert not loaded, loaded
"""
    python(program)
