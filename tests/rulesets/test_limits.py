"""Values exactly at a limit, where `<` and `<=` differ."""

import math
import operator
import sqlite3
from contextlib import closing
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from winnowkit.core.columns import Column
from winnowkit.rulesets import Condition, Rule, RuleSet
from winnowkit.rulesets.display import power
from winnowkit.rulesets.words import in_full

COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
AROUND = [np.nextafter(2.5, -np.inf), 2.5, np.nextafter(2.5, np.inf)]


@pytest.mark.parametrize("sign", COMPARED)
def test_a_value_exactly_at_a_cut(sign):
    """Every way to apply a condition agrees with Python at the cut, and on the numbers beside it."""
    condition, expected = Condition("a", sign, 2.5), [COMPARED[sign](value, 2.5) for value in AROUND]
    assert [condition.holds(value) for value in AROUND] == expected
    assert condition.among(Column(np.array(AROUND))).tolist() == expected
    rules = RuleSet([Rule([condition], "yes")], "no", ["a"])
    X = np.array(AROUND).reshape(-1, 1)
    assert (rules.predict(X) == "yes").tolist() == expected
    assert (RuleSet.from_text(rules.to_text()).predict(X) == "yes").tolist() == expected
    scope = {}
    exec(rules.to_python(), scope)
    assert [scope["predict"]({"a": value}) == "yes" for value in AROUND] == expected
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("create table t (a real)")
        database.executemany("insert into t values (?)", [(value,) for value in AROUND])
        assert [row[-1] == "yes" for row in database.execute(rules.to_sql("t"))] == expected


@pytest.mark.parametrize("label", ["\t=1", "\rx", "\nx", " =1", "=1", "+1", "-1", "@x"])
def test_labels_that_a_spreadsheet_takes_for_formulas_are_quoted(label):
    pytest.importorskip("pandas")
    frame = RuleSet([Rule([Condition("a", "=", 1)], label)], label, ["a"]).to_frame()
    assert [written[0] for written in frame["label"]] == ['"', '"']


@pytest.mark.parametrize(
    ("value", "kind"), [(2**31 - 1, "integer"), (-(2**31) + 1, "integer"), (2**31, "double"), (-(2**31), "double")]
)
def test_integers_of_pmml_have_32_bits(value, kind):
    document = RuleSet([Rule([Condition("a", "=", value)], "yes")], "no", ["a"]).to_pmml()
    fields = ET.fromstring(document).iter("{http://www.dmg.org/PMML-4_4}DataField")
    assert next(field.get("dataType") for field in fields if field.get("name") == "a") == kind


@pytest.mark.parametrize(
    ("condition", "types"),
    [
        (("=", "x"), ("categorical", "string")),
        (("=", 3), ("categorical", "integer")),
        (("=", 2.5), ("continuous", "double")),
        (("<", 3), ("continuous", "double")),
        (("=", True), ("categorical", "boolean")),
        (("missing",), ("categorical", "string")),
    ],
)
def test_types_of_columns_in_pmml(condition, types):
    rule = Rule([Condition("a", *condition)], "yes", support=8, precision=0.75)
    root = ET.fromstring(RuleSet([rule], "no", ["a", "b"]).to_pmml())
    dictionary, model = root[1], root[2]
    assert dictionary.get("numberOfFields") == "2"
    assert [field.attrib for field in dictionary] == [
        {"name": "a", "optype": types[0], "dataType": types[1]},
        {"name": "prediction", "optype": "categorical", "dataType": "string"},
    ]
    written = model[1][1]
    assert (written.get("id"), written.get("recordCount"), written.get("nbCorrect")) == ("1", "8", "6")
    assert written[0].get("value") == (None if len(condition) == 1 else str(condition[1]).replace("True", "true"))


def test_numbers_past_a_float_are_written_as_powers():
    assert power(math.log(2.5)) == "2.5"
    assert power(699.99) == f"{math.exp(699.99):.3g}"
    assert power(700.0) == "e^700"
    assert power(709.9) == "e^710"  # the exponential function would overflow


def test_columns_that_are_empty_in_every_row_are_not_shown():
    first, second = (Rule([Condition("a", "=", k)], "yes", log_weight=1.0 if k else None) for k in (1, 0))
    for rules in ([first], [first, second], [second, first]):
        assert str(RuleSet(rules, "no", ["a"])).split("\n")[1].split() == ["weight", "rule"]
    assert str(RuleSet([second], "no", ["a"])).split("\n")[1].split() == ["rule"]


def test_a_single_date_is_compared_as_a_column_of_dates_is():
    after = Condition("day", ">", "2024-02-28")
    assert [after.holds(day) for day in ("2024-02-28", "2024-02-29", "2023-12-31")] == [False, True, False]


def test_as_many_nameless_columns_as_there_may_be():
    assert in_full([0]) == []
    assert in_full([1]) == ["x0"]
    for n in (-1, 10_000_001):
        with pytest.raises(ValueError, match="nameless columns"):
            in_full([n])
