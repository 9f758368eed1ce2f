"""What linear learners say about themselves."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError

from winnowkit import BalancedWinnow, BayesBEG, NormalizedWinnow, Winnow1, Winnow2
from winnowkit.data import streams
from winnowkit.rulesets import RuleSet


@pytest.mark.parametrize("learner", [Winnow1(), Winnow2(), NormalizedWinnow(k=3), BayesBEG(policy="always")])
def test_rules_are_the_target(learner):
    stream = streams.disjunction(n=500, k=3, seed=1)
    X, y = stream.take(3000)
    rules = learner.fit(X, y).rules(X, y)
    assert sorted(rule.conditions[0].column for rule in rules) == sorted(f"x{i}" for i in stream.target.variables)
    assert rules.report.error == 0.0
    assert (rules.predict(X) == rules.predict(X.toarray())).all()
    assert RuleSet.from_text(rules.to_text()) == RuleSet.from_json(rules.to_json()) == rules
    assert "columns: 500\n" in rules.to_text()


def test_negations_are_read_as_such():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (2000, 6)), columns=list("abcdef"))
    y = np.where((X["b"] == 1) | (X["e"] == 0), "yes", "no")
    model = Winnow2(negations=True, max_epochs=20, random_state=0).fit(X, y)
    assert {str(rule) for rule in model.rules(X, y)} == {"if b > 0 then yes", "if e <= 0 then yes"}


@pytest.mark.parametrize("negations", [False, True])
@pytest.mark.parametrize("binarize", [0.0, 0.5, None])
def test_an_attribute_that_is_enough_alone_is_enough_whatever_the_rest(negations, binarize):
    rng = np.random.default_rng(0)
    X = rng.random((400, 5)).round(1) if binarize is None else rng.integers(0, 2, (400, 5)).astype(float)
    y = ((X[:, 0] > 0.5) | (X[:, 2] > 0.5)).astype(int)
    model = Winnow2(negations=negations, binarize=binarize, theta=1.0, max_epochs=3, random_state=0).fit(X, y)
    decisive = [a for a in model.top_attributes(5) if a.part >= 1]
    assert decisive
    for attribute in decisive:
        rows = X[[attribute.condition.holds(row[int(attribute.condition.column[1:])]) for row in X]]
        assert (model.predict(rows) == 1).all()
        assert "decides for class 1 on its own" in str(attribute)


def test_without_rows_rules_are_the_attributes_that_go_half_of_the_way():
    X, y = streams.disjunction(n=1000, k=2, seed=0).take(5000)
    model = Winnow2(random_state=0).fit(X, y)
    half = [a.condition for a in model.top_attributes(1000) if a.part >= 0.5]
    assert [rule.conditions[0] for rule in model.rules()] == half
    assert len(half) == 2


def test_many_classes_each_have_their_attributes():
    X = csr_matrix(np.tile(np.eye(3), (50, 1)))
    y = np.tile(["a", "b", "c"], 50)
    model = Winnow2(max_epochs=5, random_state=0).fit(X, y)
    rules = model.rules(X, y)
    assert rules.report.error == 0.0
    assert {(a.label, a.condition.column) for a in model.top_attributes(1)} == {("a", "x0"), ("b", "x1"), ("c", "x2")}
    with pytest.raises(ValueError, match="X has 2 columns, but the rules expect 3"):
        rules.predict(X[:, :2])


def test_attributes_that_speak_against_are_read_from_the_other_side():
    X = np.array([[1, 0, 1], [1, 1, 1], [0, 0, 1], [1, 0, 0]])  # x0 and not x1
    model = BalancedWinnow(max_epochs=50, random_state=0).fit(X, [1, 0, 0, 1])
    assert {"x0 > 0", "x1 <= 0"} <= {str(a.condition) for a in model.top_attributes()}


def test_display_and_errors():
    X, y = streams.disjunction(n=20, k=2, active=5, seed=0).take(500)
    model = Winnow2(random_state=0).fit(pd.DataFrame(X.toarray(), columns=[f"<b>{i}</b>" for i in range(20)]), y)
    shown = model.top_attributes(4)
    assert len(str(shown).splitlines()) == len(shown) == 4
    assert "<b>" not in shown._repr_html_()
    with pytest.raises(ValueError, match="max_attributes must be at least 1, got 0"):
        model.top_attributes(0)
    with pytest.raises(NotFittedError):
        Winnow2().rules()
