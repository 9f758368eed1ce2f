"""Which learner grows for which estimator."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from winnowkit.estimators.base import generator
from winnowkit.estimators.committee import Committee
from winnowkit.estimators.direct import DirectBayes
from winnowkit.estimators.drift import DirectedDrift
from winnowkit.estimators.linear import LinearClassifier
from winnowkit.estimators.symmetric import SymmetricClassifier
from winnowkit.rules.growing.base import Growing
from winnowkit.rules.growing.committee import GrowingCommittee
from winnowkit.rules.growing.direct import GrowingDirect
from winnowkit.rules.growing.drift import GrowingDrift
from winnowkit.rules.growing.linear import GrowingLinear
from winnowkit.rules.growing.symmetric import GrowingSymmetric


@singledispatch
def start(estimator: Any, n_features: int, n_learners: int) -> Growing:  # noqa: ARG001 - of those registered below
    """A learner with the estimator's parameters that has seen nothing, of so many attributes."""
    raise TypeError(
        f"learner must be a classifier of winnowkit, such as Winnow2(), got {estimator!r}; "
        "others do not know how to take in attributes over time"
    )


@start.register
def _(estimator: LinearClassifier, n_features: int, n_learners: int) -> Growing:
    rules = estimator._rules_for(n_features) * n_learners
    learner = GrowingLinear.begin(rules, n_features, estimator.negations)
    return learner.follow(estimator._rules_for, n_features)


@start.register
def _(estimator: Committee, n_features: int, n_learners: int) -> Growing:
    learner = estimator._gather(GrowingCommittee, n_features, n_learners)
    return learner.follow(estimator._rules_for, n_features)


@start.register
def _(estimator: SymmetricClassifier, n_features: int, n_learners: int) -> Growing:
    return GrowingSymmetric.start(estimator._policy(), estimator.voting, n_features, n_learners)


@start.register
def _(estimator: DirectBayes, n_features: int, n_learners: int) -> Growing:
    return GrowingDirect.start(estimator._rule(), n_features, n_learners, estimator.negations, estimator._seed())


@start.register
def _(estimator: DirectedDrift, n_features: int, n_learners: int) -> Growing:
    rng = generator(estimator.random_state)
    return GrowingDrift.start(estimator._rule_for, n_features, n_learners, estimator.negations, rng)
