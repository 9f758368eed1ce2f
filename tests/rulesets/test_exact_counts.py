"""Counts, precisions and positions at their limits, and what equality of rules and rule sets leaves aside."""

import json
from dataclasses import replace

import numpy as np
import pytest

from winnowkit.rulesets import Condition, Rule, RuleSet, TradeOff, TradeOffPoint

ONE = RuleSet([Rule([Condition("a", "=", 1)], "yes")], "no", ["a"])


@pytest.mark.parametrize("count", [0, 1, 2**63 - 1])
def test_counts_that_rows_can_have(count):
    assert Rule([], "yes", support=count, decided=count, right=count).right == count
    assert replace(ONE, default_decided=count, default_right=count).default_right == count


@pytest.mark.parametrize("count", [-1, 2**63, 1.0, "1"])
def test_counts_that_no_rows_have(count):
    for name in ("support", "decided", "right"):
        with pytest.raises(ValueError, match=rf"{name} must be an integer from 0 to 2\^63 - 1"):
            Rule([], "yes", **({"decided": 1} if name == "right" else {}) | {name: count})


def test_right_rows_are_among_those_decided():
    for decided, right in ((3, 4), (None, 0)):
        with pytest.raises(ValueError, match=f"right must be at most decided, got {right} and {decided}"):
            Rule([], "yes", decided=decided, right=right)
    assert Rule([], "yes", decided=3).right is None


@pytest.mark.parametrize(
    ("precision", "taken"), [(0, True), (1, True), (0.5, True), (-0.01, False), (1.01, False), ("1", False)]
)
def test_precisions_are_shares(precision, taken):
    if taken:
        assert Rule([], "yes", precision=precision).precision == precision
    else:
        with pytest.raises(ValueError, match="precision must be a number from 0 to 1"):
            Rule([], "yes", precision=precision)


def test_intervals_need_rows():
    assert Rule([], "yes", precision=0.5).precision_interval is None
    assert Rule([], "yes", support=0, precision=0.5).precision_interval is None
    assert Rule([], "yes", support=4).precision_interval is None
    low, high = Rule([], "yes", support=4, precision=0.5).precision_interval
    assert low == pytest.approx(0.150, abs=0.001)  # Wilson (1927), z = 1.96
    assert high == pytest.approx(0.850, abs=0.001)


def test_rows_and_notes_do_not_make_rules_different():
    assert Rule([], "yes", rows=[1], mistakes=[2]) == Rule([], "yes")
    assert Rule([], "yes") != Rule([], "yes", support=1)
    for name, value in {"complete": False, "log_enough": 1.5}.items():
        assert replace(ONE, **{name: value}) == ONE
    assert ONE.complete
    assert replace(ONE, default_decided=1) != ONE
    hits = np.array([0.5, 0.5])
    assert TradeOffPoint(2, 0.5, 0.1, ONE, hits) == TradeOffPoint(2, 0.5, 0.1, ONE)
    assert "hits" not in repr(TradeOffPoint(2, 0.5, 0.1, ONE, hits))


def test_abstention_begins_below_the_precision_asked_for():
    rules = ONE.measured([[1]] * 3 + [[0]], ["yes"] * 3 + ["no"])  # by Laplace's estimate 4/5 and 2/3
    assert rules.predict([[1], [0]], min_precision=0.8).tolist() == ["yes", None]
    assert rules.predict([[1], [0]], min_precision=2 / 3).tolist() == ["yes", "no"]
    assert rules.predict([[1], [0]], min_precision=np.nextafter(0.8, 1)).tolist() == [None, None]
    assert rules.predict([[1]], min_precision=1).tolist() == [None]
    assert rules.predict([[1]], min_precision=0).tolist() == ["yes"]
    for share in (-0.01, 1.01):
        with pytest.raises(ValueError, match="min_precision must be from 0 to 1"):
            rules.predict([[1]], min_precision=share)


def test_probabilities_of_one_and_of_three_labels():
    same = RuleSet([Rule([Condition("a", "=", 1)], "no")], "no", ["a"]).measured([[1], [0]], ["no", "no"])
    assert same.predict_proba([[1], [0]]).tolist() == [[1.0], [1.0]]
    several = [Rule([Condition("a", "=", k)], label) for k, label in ((1, "b"), (2, "c"))]
    three = RuleSet(several, "a", ["a"]).measured([[1], [2], [0]], ["b", "c", "a"])
    assert three.predict_proba([[1], [2], [0]]).tolist() == [[0.25, 0.5, 0.25], [0.25, 0.25, 0.5], [0.5, 0.25, 0.25]]


def test_positions_count_from_both_ends():
    two = RuleSet([Rule([Condition("a", "=", k)], "yes") for k in (1, 2)], "no", ["a"])
    assert two.without(-2) == two.without(0)
    assert two.without(-1) == two.without(1)
    assert two.without(0, -2) == two.without(0)
    for position in (-3, 2):
        with pytest.raises(IndexError, match=f"none has the position {position}"):
            two.without(position)


def test_a_limit_of_complexity_may_be_reached():
    curve = TradeOff([TradeOffPoint(2, 0.5, 0.1, ONE)])
    assert curve.at_most(2).rules is ONE
    with pytest.raises(ValueError, match="which is more than 1"):
        curve.at_most(1)


def test_points_exactly_one_standard_error_apart_are_as_good():
    low, high = TradeOffPoint(2, 0.5, 0.25, ONE), TradeOffPoint(3, 0.75, 0.25, ONE)
    assert low.is_as_good_as(high)
    assert not low.is_as_good_as(replace(high, standard_error=0.249))


def test_integers_of_javascript_are_exact():
    for value in (2**53 - 1, -(2**53) + 1):
        assert str(value) in RuleSet([Rule([Condition("a", "=", value)], "yes")], "no", ["a"]).to_javascript()
    for value in (2**53, -(2**53)):
        with pytest.raises(ValueError, match=r"numbers beyond 2\^53 - 1 are not exact"):
            RuleSet([Rule([Condition("a", "=", value)], "yes")], "no", ["a"]).to_javascript()


@pytest.mark.parametrize("half", [0xD800, 0xDFFF, 0xDABC])
def test_halves_of_surrogates_are_no_text_of_sql(half):
    rules = RuleSet([Rule([Condition("a", "=", f"x{chr(half)}")], "yes")], "no", ["a"])
    with pytest.raises(ValueError, match="half of a pair of surrogates"):
        rules.to_sql()
    for beside in ("\ud7ff", "\ue000"):
        RuleSet([Rule([Condition("a", "=", beside)], "yes")], "no", ["a"]).to_sql()


def test_pmml_declares_itself_and_counts_its_fields():
    pair = Rule([Condition("a", "=", 1), Condition("b", "<", 0.5)], "yes", support=4, precision=0.5)
    document = RuleSet([pair, Rule([], "yes", support=3)], "no", ["a", "b", "prediction"]).to_pmml()
    assert document.startswith("<?xml version='1.0' encoding=")
    assert 'numberOfFields="3"' in document
    assert 'name="prediction_"' in document
    assert document.count("recordCount") == 1
    assert '<SimpleRule id="1" score="yes" recordCount="4" nbCorrect="2" confidence="0.5">' in document
    assert document.count("<CompoundPredicate") == 1
    assert document.count("<True") == 1


def test_json_is_strict_and_says_what_it_expected():
    with pytest.raises(ValueError, match=r"JSON compliant|must be finite"):
        RuleSet([Rule([], "yes", log_weight=float("inf"))], "no", ["a"]).to_json()
    for document, found in (([1], "list"), ({"format": "other"}, "other"), ({}, "None")):
        with pytest.raises(ValueError, match=found):
            RuleSet.from_json(json.dumps(document))
