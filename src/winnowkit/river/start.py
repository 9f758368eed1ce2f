"""Which learner grows for which estimator."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from winnowkit.core.learner import GrowingLearner
from winnowkit.core.online import generator
from winnowkit.core.online_classifier import new_learner
from winnowkit.counting.direct_bayes import DirectBayes
from winnowkit.counting.directed_drift import DirectedDrift
from winnowkit.counting.growing_direct_bayes import GrowingDirect
from winnowkit.counting.growing_directed_drift import GrowingDrift
from winnowkit.counting.growing_sbsb import GrowingSymmetric
from winnowkit.counting.sbsb import SymmetricClassifier
from winnowkit.linear.classifier import LinearClassifier
from winnowkit.linear.committee import Committee


@singledispatch
def start(estimator: Any, n_features: int, n_learners: int) -> GrowingLearner:  # noqa: ARG001 - of those registered below
    """A learner with the estimator's parameters that has seen nothing, of so many attributes."""
    raise TypeError(
        f"learner must be a classifier of winnowkit, such as Winnow2(), got {estimator!r}; "
        "others do not know how to take in attributes over time"
    )


@start.register(LinearClassifier)
@start.register(Committee)
def _(estimator: LinearClassifier | Committee, n_features: int, n_learners: int) -> GrowingLearner:
    return new_learner(estimator, n_features, n_learners)


@start.register
def _(estimator: SymmetricClassifier, n_features: int, n_learners: int) -> GrowingLearner:
    return GrowingSymmetric.start(estimator._policy(), estimator.voting, n_features, n_learners)


@start.register
def _(estimator: DirectBayes, n_features: int, n_learners: int) -> GrowingLearner:
    return GrowingDirect.start(estimator._rule(), n_features, n_learners, estimator.negations, estimator._seed())


@start.register
def _(estimator: DirectedDrift, n_features: int, n_learners: int) -> GrowingLearner:
    rng = generator(estimator.random_state)
    return GrowingDrift.start(estimator._rule_for, n_features, n_learners, estimator.negations, rng)
