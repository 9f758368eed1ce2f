"""Every rule that has both policies is made mistake-driven as Littlestone & Mesterharm define it."""

import copy
import inspect

import numpy as np
import pytest

import winnowkit
from winnowkit.data import streams

BOTH = [
    name
    for name in winnowkit.__all__
    if name[0].isupper() and "policy" in inspect.signature(getattr(winnowkit, name)).parameters
]


class MistakeDriven:
    """Record the whole state before every trial; after a right prediction go back to it."""

    def __init__(self, learner):
        self.learner = learner

    def learn_one(self, x, y):
        record = copy.deepcopy(self.learner)
        predicted = self.learner.learn_one(x, y)
        if predicted == y:
            self.learner = record
        return predicted


def test_the_rules_with_both_policies():
    assert {"SBSB", "DirectBayes", "NormalizedWinnow", "ThresholdedBEG", "BayesBEG"} <= set(BOTH)


@pytest.mark.parametrize("name", BOTH)
def test_mistake_driven_is_the_always_updating_rule_with_its_state_restored(name):
    X, y = streams.disjunction(n=15, k=2, active=5, label_noise=0.15, seed=3).take(150)
    X = X.toarray()
    rule = getattr(winnowkit, name)
    wrapped = MistakeDriven(rule(policy="always").begin(15, [0, 1]))
    own, always = (rule(policy=policy).begin(15, [0, 1]) for policy in ("mistake", "always"))
    labels = own.partial_fit_predict(X, y)
    assert [wrapped.learn_one(x, label) for x, label in zip(X, y, strict=True)] == labels.tolist()
    np.testing.assert_array_equal(wrapped.learner.decision_function(X), own.decision_function(X))
    assert own.n_updates_[0] == own.n_mistakes_ == (labels != y).sum()
    always.partial_fit(X, y)
    assert always.n_updates_[0] == len(y)
    assert (always.decision_function(X) != own.decision_function(X)).any()


def test_sasb_is_sbsb_made_mistake_driven():
    X, y = streams.bernoulli(n=12, k=3, p=0.2, seed=0).take(400)
    sasb, wrapped = winnowkit.SASB().begin(12, [0, 1]), MistakeDriven(winnowkit.SBSB().begin(12, [0, 1]))
    labels = sasb.partial_fit_predict(X, y)
    assert [wrapped.learn_one(x, label) for x, label in zip(X.toarray(), y, strict=True)] == labels.tolist()
    np.testing.assert_array_equal(sasb.matches_, wrapped.learner.matches_)
