"""Names, values and labels that mean something to a browser, a spreadsheet or a database, in every output."""

import csv
import enum
import io
import sqlite3
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from winnowkit import DNFWinnow, Winnow2
from winnowkit.rulesets import Condition, Rule, RuleSet

NAMES = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'); DROP TABLE t; --", '=cmd|"/c calc"!A1']
LABELS = ["\t=1+1", "<b>yes</b>"]
ALLOWED = {"div", "p", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}


def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(np.array(NAMES, dtype=object), 60) for name in NAMES})
    return X, np.where(X[NAMES[0]] == NAMES[1], *LABELS)


@pytest.fixture(scope="module")
def model():
    return DNFWinnow(max_literals=None, random_state=0, max_epochs=5, verbose=False).fit(*table())


@pytest.fixture(scope="module")
def linear():
    X, y = table()
    return Winnow2().fit((NAMES[1] == X).astype(float), y)


class Tags(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text = set(), ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert {name for name, _ in attrs} <= {"style", "dir"}

    def handle_data(self, data):
        self.text += data


def test_html(model, linear):
    X, y = table()
    flags = (NAMES[1] == X).astype(float)
    shown = [model.rules(), model.rules(X, y), model.compact(X, y), model.explain(X.iloc[0])]
    shown += [linear.rules(flags, y), linear.top_attributes()]
    for thing in shown:
        page = Tags(thing._repr_html_())
        assert page.tags <= ALLOWED
        assert any(name in page.text or name.replace('"', '\\"') in page.text for name in NAMES), page.text


def test_cells_of_a_spreadsheet(model, linear):
    for rules in (model.rules(), linear.rules()):
        file = io.StringIO()
        rules.to_frame().to_csv(file, index=False)
        for row in csv.reader(io.StringIO(file.getvalue())):
            assert not [cell for cell in row if cell.lstrip()[:1] in tuple("=+-@")]


def test_sql(model):
    X, y = table()
    rules = model.compact(X, y)
    connection = sqlite3.connect(":memory:")
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in X.columns)
    connection.execute(f"CREATE TABLE t ({quoted})")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", X.to_numpy().tolist())
    found = [row[-1] for row in connection.execute(rules.to_sql("t")).fetchall()]
    connection.close()
    assert found == rules.predict(X).tolist()


class Colour(str, enum.Enum):  # noqa: UP042 - the repr and str of a StrEnum are less harmful
    RED = "red"


class Count(enum.IntEnum):
    NONE = 0
    ONE = 1


def test_members_of_enumerations_are_written_as_the_values_they_equal():
    rules = RuleSet([Rule([Condition("c", "=", Colour.RED)], Count.ONE)], default=Count.NONE, columns=["c"])
    scope = {}
    exec(rules.to_python(), scope)
    assert [scope["predict"]({"c": value}) for value in (Colour.RED, "red", "blue")] == [1, 1, 0]
    assert rules.predict([[Colour.RED], ["blue"]]).tolist() == [1, 0]
    assert RuleSet.from_text(rules.to_text()) == rules == RuleSet.from_json(rules.to_json())
    assert "Colour" not in rules.to_pmml() + rules.to_sql() + str(rules)


class Quoted(str):
    """A string that shows itself otherwise."""

    __slots__ = ()

    def __repr__(self):
        return "Quoted!"

    __str__ = __repr__


class Counted(int):
    __repr__ = Quoted.__repr__
    __str__ = __repr__


class Measured(float):
    __repr__ = Quoted.__repr__
    __str__ = __repr__


class Coded(str, enum.Enum):  # noqa: UP042 - a StrEnum cannot have another value than its string
    RED = "red", 1

    def __new__(cls, text, number):
        member = str.__new__(cls, text)
        member._value_ = number
        return member


@pytest.mark.parametrize("value", [Quoted("it's"), Counted(3), Measured(2.5), Coded.RED, Colour.RED, Count.ONE])
def test_instances_of_subclasses_are_written_as_the_values_they_equal(value):
    column = Quoted("a \\ b")
    rules = RuleSet([Rule([Condition(column, "=", value)], value)], Quoted("else"), [column])
    scope = {}
    exec(rules.to_python(), scope)
    assert [scope["predict"]({"a \\ b": given}) for given in (value, "other")] == [value, "else"]
    assert rules.predict([[value], ["other"]]).tolist() == [value, "else"]
    assert RuleSet.from_text(rules.to_text()) == rules == RuleSet.from_json(rules.to_json())
    written = [str(rules), repr(rules), rules.to_text(), rules.to_pmml(), rules.to_javascript(), rules.to_sql()]
    assert "Quoted!" not in "".join(
        [*written, rules.to_sql(dialect="mysql"), *map(str, rules.to_frame().to_numpy().ravel())]
    )
    assert type(rules[0].label) in (str, int, float)


def test_members_of_enumerations_that_equal_no_plain_value_are_refused():
    kind = enum.Enum("kind", ["A"])
    with pytest.raises(TypeError, match="cannot be written in a rule"):
        RuleSet([Rule([Condition("a", "=", kind.A)], 1)], 0, ["a"]).to_python()
