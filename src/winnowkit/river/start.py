"""Which learner grows for which estimator."""

from __future__ import annotations

from functools import singledispatch

from winnowkit.core.learner import GrowingLearner
from winnowkit.core.online_classifier import OnlineClassifier, new_learner
from winnowkit.linear.classifier import LinearClassifier
from winnowkit.linear.committee import Committee
from winnowkit.linear.growing import GrowingLinear
from winnowkit.linear.growing_committee import GrowingCommittee


@singledispatch
def start(estimator: OnlineClassifier, n_features: int, n_learners: int) -> GrowingLearner:
    """A learner with the estimator's parameters that has seen nothing, of so many attributes."""
    return new_learner(estimator, n_features, n_learners)


@start.register
def _(estimator: LinearClassifier, n_features: int, n_learners: int) -> GrowingLearner:
    rules = estimator._rules_for(n_features) * n_learners
    learner = GrowingLinear.begin(rules, n_features, estimator.negations)
    return learner.follow(estimator._rules_for, n_features)


@start.register
def _(estimator: Committee, n_features: int, n_learners: int) -> GrowingLearner:
    learner = estimator._gather(GrowingCommittee, n_features, n_learners)
    return learner.follow(estimator._rules_for, n_features)
