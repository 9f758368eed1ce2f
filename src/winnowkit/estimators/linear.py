"""What the Winnow and BEG families share under scikit-learn's face."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import inf
from numbers import Integral
from typing import Literal, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from winnowkit.estimators.base import OnlineClassifier
from winnowkit.estimators.certificate import Certificate
from winnowkit.rules.base import LinearLearner, Rule, require

Auto = Literal["auto"]
Bound = tuple[float, str]  # and its theorem, or why there is none
NOISE_FREE: Bound = (inf, "the theorem assumes that there are no attribute errors")

SHARED = """binarize : float or None, default=0.0
        A value above it counts as 1, any other as 0. None takes values in [0, 1] as they are.
    negations : bool, default=False
        Give the complement of every attribute a weight too, so that any disjunction can be learned, not only
        monotone ones. An update then costs time in all attributes, not only in the active ones.
    n_epochs : int, default=1
        How often `fit` goes over the rows.
    shuffle : bool, default=False
        Whether each epoch of `fit` takes the rows in another order.
    random_state : int, RandomState, Generator or None
        Seed of that order.
    n_jobs : int or None
        Threads of `predict` and `decision_function`; on-line learning is sequential.

    Attributes
    ----------
    classes_ : array
        The labels; ``classes_[1]`` is the positive one.
    coef_, intercept_ : array
        The decision is ``X @ coef_.T + intercept_`` on what `binarize` makes of X.
    n_trials_, n_mistakes_ : int
        Examples learned from, and how many of them were first predicted wrongly.
    n_updates_ : array
        Updates of each learner (one learner a class if there are more than two)."""


@dataclass(kw_only=True, eq=False, repr=False)
class LinearClassifier(OnlineClassifier):
    """A linear rule with scikit-learn's face; a subclass says which rule."""

    def __init_subclass__(cls) -> None:
        cls.__doc__ = (cls.__doc__ or "").replace("{shared}", SHARED)

    @abstractmethod
    def _rule(self, n: int) -> Rule:
        """Check the parameters, and resolve them for n weights."""

    @abstractmethod
    def _bound(self, k: int, n: int, theta: float, attribute_errors: float) -> Bound:
        """Bound on the mistakes on a disjunction of k of n literals, for the parameters in force."""

    @property
    def _n_weights(self) -> int:
        return self._begun._weights_of(self.n_features_in_)

    def _weights_of(self, n_features: int) -> int:
        """The n of the papers; a single attribute takes the parameters of two."""
        return max(2, n_features * (1 + self.negations))

    def _begin(self, n_features: int, n_learners: int) -> LinearLearner:
        self.n_features_in_ = n_features
        self._begun: Self = clone(self)  # the parameters that learn, whatever is set later
        return LinearLearner.begin_family(self._rules_for(n_features) * n_learners, n_features, self.negations)

    def _rules_for(self, n_features: int) -> list[Rule]:
        """The one rule for so many attributes: a learner whose attributes turn up over time asks again and again."""
        return [self._rule(self._weights_of(n_features))]

    @property
    def coef_(self) -> NDArray[np.float64]:
        """What each attribute adds to the decision, a row a learner."""
        return self._linear.coef.copy()

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The decision on an example without active attributes, one a learner."""
        return self._linear.intercept

    @property
    def _linear(self) -> LinearLearner:
        return cast(LinearLearner, self._learner)

    def certificate(self, k: int, attribute_errors: float = 0) -> Certificate:
        """Compare the mistakes so far with the bound that theory gives for these parameters.

        Parameters
        ----------
        k : int
            Assumed size of the target: the labels are those of a disjunction of at most k attributes.
        attribute_errors : float
            Assumed noise: how many values in all examples would have to change for that to be so.

        Returns
        -------
        Certificate
        """
        self._check_begun()
        require(isinstance(k, Integral) and k >= 1, "k must be an integer >= 1", k)
        require(attribute_errors >= 0, "attribute_errors must be >= 0", attribute_errors)
        n = self._n_weights
        theta = float(self._linear.state.parameters["theta"][0])
        if getattr(self._begun, "policy", "mistake") == "always":
            bound: Bound = (inf, "theory only covers mistake-driven updates (policy='mistake')")
        elif self._begun.binarize is None:
            bound = (inf, "the theorems are about attributes that are 0 or 1 (binarize a number)")
        else:
            bound = self._begun._bound(min(k, n), n, theta, attribute_errors)
        noise = f", but for {attribute_errors:g} attribute errors" if attribute_errors else ""
        each = ", for each class against the rest" if len(self.classes_) > 2 else ""
        assumes = (
            f"{self._begun._target(k)} of {n} {'literals' if self._begun.negations else 'attributes'}{noise}{each}"
        )
        return Certificate(int(self._learner.counts[1:, 1].max()), *bound, assumes)

    def _target(self, k: int) -> str:
        return f"a disjunction of at most {k}"
