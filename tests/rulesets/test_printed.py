"""The numbers that rules, explanations and trade-offs print and plot, one by one."""

import math

import numpy as np
import pytest
from scipy import sparse

from winnowkit.rulesets import Condition, Rule, RuleSet, TradeOff, TradeOffPoint
from winnowkit.rulesets.explanation import Contribution, LinearExplanation, Vote, VoteExplanation
from winnowkit.rulesets.model_report import Report

SUNNY = Rule([Condition("sky", "=", "sunny")], "play")
RULES = RuleSet([SUNNY], "stay", ["sky"])


@pytest.mark.parametrize(
    ("n", "last"),
    [
        (10, []),
        (11, ["      +0.5  1 other attribute"]),
        (12, ["        +1  2 other attributes"]),
        (14, ["        +2  4 other attributes"]),
    ],
)
def test_ten_attributes_are_explained_and_the_others_added_up(n, last):
    contributions = tuple(Contribution(f"x{i}", 1.0, 0.5) for i in range(n))
    head, *lines = str(LinearExplanation("b", "b", n / 2 - 0.25, -0.25, contributions)).split("\n")
    assert head == f"predicted b; the decision for b is {n / 2 - 0.25:+.4g}"
    assert lines == [*(f"      +0.5  x{i} = 1" for i in range(10)), *last, "     -0.25  without any attribute"]


@pytest.mark.parametrize(
    ("n", "shares", "last"),
    [
        (2, (0.5, 0.25), []),
        (3, (0.5, 0.25), ["    25.00%  1 other attribute"]),
        (4, (0.5, 0.25), ["    25.00%  2 other attributes"]),
        (1002, (0.5, 0.25), ["    25.00%  1,000 other attributes"]),
        (3, (0.75, 0.5), ["     0.00%  1 other attribute"]),  # rounding may make them more than 1
    ],
)
def test_votes_and_the_share_of_the_others(n, shares, last):
    votes = (Vote("a", shares[0], 1.0), Vote("b", shares[1], 0.5))
    head, *lines = str(VoteExplanation("yes", "yes", 0.625, votes, n, "attribute")).split("\n")
    assert head == "predicted yes; the weighted vote for yes is 62.50%"
    own = [f"{shares[0]:>10.2%}  a: votes 100.0% for yes", f"{shares[1]:>10.2%}  b: votes 50.0% for yes"]
    assert lines == own + last


def test_a_prompt_shows_one_line():
    assert repr(RULES) == "<RuleSet of 1 rule; print it to read them>"
    points = [TradeOffPoint(2, 0.8, 0.05, RULES), TradeOffPoint(0, 0.6, 0.06, RULES.without(0))]
    assert repr(TradeOff(points)) == "<TradeOff of 2 rule sets; print it to read them>"
    assert "rules=<RuleSet of 0 rules; print" in repr(points[1])
    assert repr(RULES.costs([["sunny"]], ["play"])) == "<RuleCosts of 1 rule; print it to read them>"
    vote = VoteExplanation("yes", "yes", 0.625, (Vote("a", 1.0, 1.0),), 1, "attribute")
    assert repr((vote,)).endswith("; the weighted vote for yes is 62.50%; print it to read it>,)")


def test_notes_above_a_list():
    def first(rules, **fields):
        return str(RuleSet(rules, "stay", ["sky"], **fields)).split("\n")[0]

    wet = Rule([Condition("sky", "=", "rain")], "stay")
    stopped = "the search stopped early, so that"
    assert first([SUNNY]) == "1 rule, the first that holds decides"
    assert first([SUNNY, wet]) == "2 rules, the first that holds decides"
    assert first([SUNNY], log_enough=math.log(4)).endswith("; a rule with a weight of at least 4 decides on its own")
    assert "multiply the odds of a label" in first([SUNNY], log_enough=math.inf)
    assert first([SUNNY], complete=False).endswith(
        f"; {stopped} heavier rules may be missing: allow a larger max_nodes"
    )
    report = Report(n_rows=200, agreement=0.99, error=0.02, curve=[0.4, 0.02])
    line = first([SUNNY], complete=False, report=report)
    assert f"; {stopped} better rules may be missing: allow a larger max_time; " in line
    assert line.endswith("; agrees with the model on 99.00% of 200 rows, error 2.00%")
    assert first([SUNNY], report=Report(9, 1.0, None, [])).endswith("on 100.00% of 9 rows")


def test_numbers_beside_rules():
    rule = Rule(SUNNY.conditions, "play", log_weight=math.log(5), support=8, precision=0.75)
    rules = RuleSet([rule, SUNNY], "stay", ["sky"], default_decided=4, default_right=3)
    assert str(rules).split("\n")[1:] == [
        "weight  support          precision  rule",
        "     5        8  0.750 (0.41-0.93)  if sky = sunny then play",
        "                                    if sky = sunny then play",
        "              4  0.750 (0.30-0.95)  else stay",
    ]
    assert str(RULES).split("\n")[1:] == ["rule", "if sky = sunny then play", "else stay"]
    for decided, right in ((0, 0), (4, None)):
        rules = RuleSet([rule], "stay", ["sky"], default_decided=decided, default_right=right)
        assert str(rules).split("\n")[-1].split() == [str(decided), "else", "stay"]


def test_frames_have_a_row_per_rule_and_one_for_the_default():
    pytest.importorskip("pandas")
    rule = Rule(SUNNY.conditions, "play", support=8, precision=0.75, decided=8, right=6)
    frame = RuleSet([rule], "stay", ["sky"], default_decided=4, default_right=3).to_frame()
    assert frame["rule"].tolist() == ["if sky = sunny then play", "else stay"]
    assert frame[["literals", "decided", "right"]].to_numpy().tolist() == [[1, 8, 6], [0, 4, 3]]


def test_where_a_rule_set_ends():
    two = RuleSet([SUNNY, Rule([], "play")], "stay", ["sky"])
    assert [len(two.without(i)) for i in (0, 1, -1, -2)] == [1, 1, 1, 1]
    assert two.without(-2).rules == (Rule([], "play"),)
    for position in (2, -3):
        with pytest.raises(IndexError, match=f"there are 2 rules, counted from 0: none has the position {position}"):
            two.without(position)


def test_the_lowest_and_the_highest_precision_asked_for():
    rules = RULES.measured([["sunny"]] * 2 + [["rain"]], ["play", "play", "stay"])
    assert rules.predict([["sunny"], ["rain"]], min_precision=0).tolist() == ["play", "stay"]
    assert rules.predict([["sunny"], ["rain"]], min_precision=0.75).tolist() == ["play", None]  # (2 + 1) / (2 + 2)
    assert rules.predict([["sunny"], ["rain"]], min_precision=1).tolist() == [None, None]
    for wrong in (-0.01, 1.01):
        with pytest.raises(ValueError, match="min_precision must be from 0 to 1"):
            rules.predict([["sunny"]], min_precision=wrong)


def test_probabilities_of_one_two_and_three_labels():
    table = [["a"], ["a"], ["b"], ["c"]]
    one = RuleSet([], "x", ["k"]).measured(table, ["x"] * 4)
    assert one.predict_proba(table[:1]).tolist() == [[1.0]]
    rules = [Rule([Condition("k", "=", "a")], "x"), Rule([Condition("k", "=", "b")], "y")]
    three = RuleSet(rules, "z", ["k"]).measured(table, ["x", "y", "y", "z"])
    expected = [[2 / 5, 3 / 10, 3 / 10], [1 / 4, 1 / 2, 1 / 4], [1 / 4, 1 / 4, 1 / 2]]
    np.testing.assert_allclose(three.predict_proba([["a"], ["b"], ["c"]]), expected)
    assert three.predict_one(["b"]) == three.predict_one({"k": "b"}) == "y"
    with pytest.raises(ValueError, match="argument 2 is longer"):
        three.predict_one(["b", "c"])


@pytest.mark.parametrize(("error", "label"), [(0.1, "error, %"), (None, "rows that differ from the model, %")])
def test_a_plot_shows_per_cents_from_zero(error, label):
    figures = pytest.importorskip("matplotlib.figure")
    axes = figures.Figure().subplots()
    rules = RuleSet([SUNNY], "stay", ["sky"], report=Report(9, 0.9, error, [0.4, 0.1]))
    assert rules.plot(axes) is axes
    assert axes.get_lines()[0].get_xydata().tolist() == [[0, 40], [1, 10]]
    assert (axes.get_ylabel(), axes.get_ylim()[0]) == (label, 0)
    pytest.importorskip("matplotlib").use("Agg")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    own = rules.plot()
    pyplot.close(own.figure)
    assert own.get_lines()[0].get_xydata().tolist() == [[0, 40], [1, 10]]


def test_a_trade_off_in_columns():
    points = [TradeOffPoint(2, 0.8, 0.05, RULES), TradeOffPoint(0, 0.6, 0.06, RULES.without(0))]
    curve = TradeOff(points)
    assert str(curve).split("\n")[1:] == [
        "         0      0           0  60.0% (standard error 6.0%)",
        "         2      1           1  80.0% (standard error 5.0%), chosen",
    ]
    assert (len(curve), curve[0].complexity, curve.at_most(1).complexity, curve.at_most(2).complexity) == (2, 0, 0, 2)
    with pytest.raises(ValueError, match="has a complexity of 2, which is more than 1"):
        TradeOff(points[:1]).at_most(1)
    with pytest.raises(ValueError, match="a trade-off needs at least one point"):
        TradeOff([])


@pytest.mark.parametrize(
    ("conditions", "helpers"),
    [
        ([], set()),
        ([Condition("a", "=", "x")], {"equal"}),
        ([Condition("a", "!=", "x")], {"equal", "missing"}),
        ([Condition("a", "missing")], {"missing"}),
        ([Condition("a", "<", 2.5)], {"missing", "number"}),
        ([Condition("a", "<", "2024-01-01")], {"missing", "number", "date"}),
    ],
)
def test_exports_define_what_they_use_and_nothing_else(conditions, helpers):
    rules = RuleSet([Rule(conditions, "yes")], "no", ["a"])
    assert {
        name for name in ("equal", "missing", "number", "date") if f"function {name}(" in rules.to_javascript()
    } == (helpers)
    assert {name for name in ("missing", "date") if f"def {name}(" in rules.to_python()} == helpers - {
        "equal",
        "number",
    }


def test_rules_are_equal_if_they_say_the_same():
    one = RuleSet([Rule(SUNNY.conditions, "play", rows=[1, 2], mistakes=[2])], "stay", ["sky"], complete=False)
    other = RuleSet([SUNNY], "stay", ["sky"], log_enough=1.0, report=Report(9, 1.0, None, []))
    assert one == other == RULES
    assert RULES.measured([["sunny"]], ["play"]) != RULES
    assert RuleSet([SUNNY], "play", ["sky"]) != RULES


@pytest.mark.parametrize("value", [np.float64(2.5), np.int8(3), np.bool_(True), np.str_("x")], ids=repr)
def test_values_of_numpy_become_those_of_python(value):
    assert type(Condition("a", "=", value).value) is type(value.item())
    assert Condition("a", "=", value) == Condition("a", "=", value.item())


def test_sparse_tables_have_a_column_for_each_of_the_rules():
    rules = RuleSet([Rule([Condition("b", ">", 1)], "yes")], "no", ["a", "b"])
    X = sparse.csr_matrix([[5, 0], [0, 2]])
    assert rules.predict(X).tolist() == rules.predict(X.toarray()).tolist() == ["no", "yes"]
    for wrong in (sparse.csr_matrix((2, 1)), sparse.csr_matrix((2, 3))):
        with pytest.raises(ValueError, match="columns"):
            rules.predict(wrong)
