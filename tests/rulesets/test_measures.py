"""Rules measured on rows: intervals, probabilities, abstention, and what text and JSON keep of it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from winnowkit.rulesets import Condition, Rule, RuleSet
from winnowkit.rulesets.intervals import laplace, wilson

TEXT = """
columns: a, b
if a = 1 then yes
if b = 1 then maybe
else no
"""


def measured():
    """Rules on rows of which some satisfy both, with a label that no rule predicts."""
    rows = [[1, 1]] * 4 + [[1, 0]] * 2 + [[0, 1]] * 3 + [[0, 0]] * 5
    y = [*("yes", "yes", "maybe", "no"), *("yes", "yes"), *("maybe", "no", "other"), *("no",) * 5]
    return RuleSet.from_text(TEXT).measured(rows, y)


def test_support_counts_all_rows_that_a_rule_covers_and_decided_those_that_it_decides():
    first, second = rules = measured()
    assert (first.support, first.precision, first.decided, first.right) == (6, 4 / 6, 6, 4)
    assert (second.support, second.precision, second.decided, second.right) == (7, 2 / 7, 3, 1)
    assert (rules.default_decided, rules.default_right) == (5, 5)
    assert second.rows == (0, 1, 2, 3, 6, 7, 8)


def test_without_labels_only_rows_are_counted():
    rules = RuleSet.from_text(TEXT).measured([[1, 1], [0, 1], [0, 0]])
    assert [(rule.support, rule.precision, rule.decided, rule.right) for rule in rules] == [
        (1, None, 1, None),
        (2, None, 1, None),
    ]
    assert (rules.default_decided, rules.default_right) == (1, None)
    with pytest.raises(ValueError, match=r"call measured\(X, y\)"):
        rules.predict_proba([[1, 1]])


def test_probabilities_are_smoothed_shares_of_right_rows():
    rules = measured()
    assert rules.classes == ("maybe", "no", "yes")
    found = rules.predict_proba([[1, 1], [0, 1], [0, 0]])
    wanted = [[2 / 9, 2 / 9, 5 / 9], [2 / 6, 2 / 6, 2 / 6], [1 / 8, 6 / 8, 1 / 8]]
    np.testing.assert_allclose(found, wanted)


def test_probabilities_of_two_classes_are_those_of_laplace():
    rules = RuleSet.from_text("if a = 1 then true\nelse false").measured([[1]] * 9 + [[0]], [True] * 8 + [False] * 2)
    np.testing.assert_allclose(rules.predict_proba([[0], [1]]), [[2 / 3, 1 / 3], [2 / 11, 9 / 11]])
    assert rules.classes == (False, True)


def test_a_rule_that_decided_no_row_says_nothing_and_one_class_is_certain():
    rules = RuleSet.from_text("if a = 1 then x\nelse y").measured([[0]] * 3, ["y"] * 3)
    assert rules.predict_proba([[1]]).tolist() == [[0.5, 0.5]]
    alone = RuleSet.from_text("if a = 1 then x\nelse x").measured([[0]], ["y"])
    assert alone.predict_proba([[1], [0]]).tolist() == [[1.0], [1.0]]
    assert alone.predict([[1], [0]], min_precision=0.5).tolist() == ["x", None]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.sampled_from(["yes", "no", "maybe"])), min_size=1))
def test_probabilities_are_largest_for_the_label_where_it_is_likelier_than_chance(rows):
    X, y = [row[:2] for row in rows], [row[2] for row in rows]
    rules = RuleSet.from_text(TEXT).measured(X, y)
    found = rules.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    place = [rules.classes.index(label) for label in rules.predict(X)]
    of_label = found[np.arange(len(X)), place]
    assert ((of_label >= found.max(axis=1) - 1e-12) == (of_label >= 1 / 3 - 1e-12)).all()
    for label, row in zip(rules.predict(X), X, strict=True):
        same = [i for i in range(len(X)) if next_rule(X[i]) == next_rule(row)]
        share = (sum(y[i] == label for i in same) + 1) / (len(same) + 3)
        np.testing.assert_allclose(rules.predict_proba([row])[0][rules.classes.index(label)], share)


def next_rule(row):
    """The rule of TEXT that decides a row."""
    return "a" if row[0] == 1 else "b" if row[1] == 1 else "else"


def test_rows_without_a_precise_rule_are_left_without_a_label():
    rules, X = measured(), [[1, 1], [0, 1], [0, 0]]
    assert rules.predict(X, min_precision=0.0).tolist() == rules.predict(X).tolist() == ["yes", "maybe", "no"]
    assert rules.predict(X, min_precision=0.5).tolist() == ["yes", None, "no"]
    assert rules.predict(X, min_precision=5 / 9).tolist() == ["yes", None, "no"]
    assert rules.predict(X, min_precision=0.56, abstain="ask").tolist() == ["ask", "ask", "no"]
    assert rules.predict(X, min_precision=1.0).tolist() == [None] * 3
    with pytest.raises(ValueError, match="min_precision must be from 0 to 1, got 50"):
        rules.predict(X, min_precision=50)
    with pytest.raises(ValueError, match=r"call measured\(X, y\)"):
        RuleSet.from_text(TEXT).predict(X, min_precision=0.5)


def test_labels_of_every_type_are_counted():
    rules = RuleSet.from_text("if a = 1 then 2\nif a = 2 then two\nelse 0.5")
    found = rules.measured([[1], [1], [2], [3]], [2, "2", "two", 0.5])
    assert [(rule.decided, rule.right) for rule in found] == [(2, 1), (1, 1)]
    assert found.default_right == 1
    assert found.classes == (2, "two", 0.5)


@pytest.mark.parametrize("y", [["yes"], [["yes"], ["no"]], "yes"])
def test_there_is_one_label_per_row(y):
    rules = RuleSet.from_text(TEXT)
    for measure in (rules.measured, rules.costs):
        with pytest.raises(ValueError, match="y must have one label per row, 2 in all"):
            measure([[1, 1], [0, 0]], y)


def test_text_and_json_keep_what_was_measured():
    rules = measured()
    assert rules.to_text().splitlines()[-2:] == [
        f"if b = 1 then maybe (support 7, precision {2 / 7!r}, decided 3, right 1)",
        "else no (decided 5, right 5)",
    ]
    X = [[1, 1], [0, 1], [0, 0]]
    for back in (RuleSet.from_text(rules.to_text()), RuleSet.from_json(rules.to_json())):
        assert back == rules
        assert (back.predict_proba(X) == rules.predict_proba(X)).all()
    assert RuleSet.from_text("if a = 1 then 2\nelse 3 (decided 1)") != RuleSet.from_text("if a = 1 then 2\nelse 3")


def test_a_table_shows_intervals():
    assert str(measured()).splitlines() == [
        "2 rules, the first that holds decides",
        "support          precision  rule",
        "      6  0.667 (0.30-0.90)  if a = 1 then yes",
        "      7  0.286 (0.08-0.64)  if b = 1 then maybe",
        "      5  1.000 (0.57-1.00)  else no",
    ]
    assert "0.667 (0.30-0.90)" in measured()._repr_html_()
    frame = measured().to_frame()
    assert frame["decided"].tolist() == [6, 3, 5]
    assert frame["right"].tolist() == [4, 1, 5]


def test_rules_that_hold_nowhere_have_no_interval():
    rule = RuleSet.from_text(TEXT).measured([[0, 0]], ["no"])[0]
    assert (rule.support, rule.precision, rule.precision_interval) == (0, None, None)
    assert Rule([Condition("a", "=", 1)], 1, precision=0.5).precision_interval is None
    assert measured()[0].precision_interval == wilson(4, 6)


counts_of_rows = st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@settings(deadline=None)
@given(counts_of_rows, st.sampled_from([1.0, 1.96, 3.0]))
def test_the_ends_of_wilsons_interval_are_z_standard_errors_away(counts, z):
    right, n = counts
    low, high = wilson(right, n, z)
    assert 0 <= low <= right / n + 1e-12
    assert right / n - 1e-12 <= high <= 1
    assert low < high
    for end in (low, high):
        away = right / n - end
        assert math.isclose(away**2, z**2 * end * (1 - end) / n, rel_tol=1e-6, abs_tol=1e-15)


def test_laplace_adds_one_row_of_each_class():
    rows = ["a", "a", "b"]
    assert laplace(2, 3, 4) == [*rows, *"abcd"].count("a") / len([*rows, *"abcd"])
