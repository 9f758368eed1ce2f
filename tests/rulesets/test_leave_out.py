"""Rules left out, compared with rule sets that are made anew without them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from winnowkit.rulesets import Condition, Rule, RuleSet

N_COLUMNS = 4
conditions = st.builds(
    Condition, st.sampled_from([f"x{j}" for j in range(N_COLUMNS)]), st.sampled_from(["=", "!="]), st.integers(0, 1)
)
rule_sets = st.builds(
    lambda rules, default: RuleSet(rules, default, [f"x{j}" for j in range(N_COLUMNS)]),
    st.lists(st.builds(Rule, st.lists(conditions, max_size=3), st.sampled_from(["a", "b", "c"])), max_size=7),
    st.sampled_from(["a", "b", "c"]),
)
tables = st.lists(st.lists(st.integers(0, 1), min_size=N_COLUMNS, max_size=N_COLUMNS), min_size=1, max_size=20)


def made_anew(rules, dropped):
    """The rule set without some rules."""
    return RuleSet([rule for i, rule in enumerate(rules) if i not in dropped], rules.default, rules.columns)


@settings(deadline=None, max_examples=150)
@given(rule_sets, tables, st.randoms(use_true_random=False))
def test_costs_are_those_of_rule_sets_made_anew(rules, X, random):
    y = [random.choice("abcd") for _ in X]  # no rule predicts d
    costs = rules.costs(X, y)
    predicted = rules.predict(X)
    assert costs.n_rows == len(X)
    assert costs.error == np.mean(predicted != y)
    assert len(costs.errors_without) == len(costs.n_changed) == len(rules)
    for k in range(len(rules)):
        without = made_anew(rules, {k}).predict(X)
        assert costs.errors_without[k] == np.mean(without != y)
        assert costs.n_changed[k] == np.sum(without != predicted)


@settings(deadline=None, max_examples=150)
@given(rule_sets, tables)
def test_redundant_rules_can_be_dropped_together_and_no_other_after_them(rules, X):
    found = rules.redundant(X)
    assert found == sorted(set(found))
    predicted = rules.predict(X).tolist()
    assert made_anew(rules, set(found)).predict(X).tolist() == predicted
    for k in set(range(len(rules))) - set(found):
        assert made_anew(rules, {*found, k}).predict(X).tolist() != predicted


def test_of_two_equal_rules_one_is_redundant():
    rules = RuleSet.from_text("if a = 1 then x\nif a = 1 then x\nif a = 2 then y\nelse y")
    assert rules.redundant([[1], [2], [3]]) == [1, 2]
    assert rules.redundant([[3]]) == [0, 1, 2]


def test_a_table_of_costs():
    rules = RuleSet.from_text("if a = 1 then x\nif b = 1 then y\nelse z")
    costs = rules.costs([[1, 1], [1, 0], [0, 1], [0, 0]], ["x", "z", "y", "z"])
    assert str(costs).splitlines() == [
        "error 25.00% on 4 rows with all rules",
        "error without  difference  rows changed  rule",
        "       25.00%      +0.00%             2  if a = 1 then x",
        "       50.00%     +25.00%             1  if b = 1 then y",
    ]
    with pytest.raises(ValueError, match="no rows"):
        rules.costs(np.empty((0, 2)), [])


def test_rules_are_left_out_by_position():
    rules = RuleSet.from_text("if a = 1 then x\nif a = 2 then y\nif a = 3 then z\nelse x (decided 1, right 1)")
    rules = rules.measured([[1], [2], [3], [4]], ["x", "y", "z", "x"])
    left = rules.without(0, -1)
    assert [str(rule) for rule in left] == ["if a = 2 then y"]
    assert (left[0].support, left[0].precision, left[0].decided, left[0].right) == (1, 1.0, None, None)
    assert (left.default, left.default_decided, left.default_right) == ("x", None, None)
    assert len(rules.without(1, 1)) == 2
    with pytest.raises(ValueError, match=r"call measured\(X, y\)"):
        left.predict_proba([[1]])
    for position in (3, -4):
        with pytest.raises(IndexError, match=f"there are 3 rules, counted from 0: none has the position {position}"):
            rules.without(position)
