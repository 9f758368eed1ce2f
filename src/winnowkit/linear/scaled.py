"""Learners of real values with nothing to tune: AROW, coin betting and the adaptive Winnow.

They do not centre columns, which would fill sparse data, and warn of those that need it. All three see values that are
divided by the largest of their column so far, and update whenever the score is not beyond 1 on the right side. Each is
also an expert of :class:`winnowkit.Committee`, by the same steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.certificate import Certificate
from winnowkit.core.docstrings import indented
from winnowkit.core.explaining import Asked
from winnowkit.core.posterior import logistic_probabilities
from winnowkit.core.transaction import reads
from winnowkit.linear.averaging import AveragingClassifier
from winnowkit.linear.scaled_kernel import AROW as AROW_RULE
from winnowkit.linear.scaled_kernel import COIN, HYPENTROPY
from winnowkit.linear.scaled_learner import ScaledLearner

if TYPE_CHECKING:
    from winnowkit.rulesets.explanation import LinearExplanation

SHARED_BY_SCALED = """{averaged_epochs}
    {class_weight}
    {n_jobs_of_passes}

    Attributes
    ----------
    {classes}
    largest_ : array of shape (attributes,)
        The largest absolute value of each column so far.
    coef_, intercept_ : array
        Weights of the scaled values and of the bias, one row and one number per learner.
    n_trials_, n_mistakes_ : int
        Examples learned from, over all passes, and how many of them were first predicted wrongly.
    {n_updates}"""


@dataclass(kw_only=True, eq=False, repr=False)
class ScaledClassifier(AveragingClassifier):
    """A rule on scaled values with scikit-learn's face."""

    _rule: ClassVar[int]
    _no_bound: ClassVar[str]

    def __init_subclass__(cls) -> None:
        cls.__doc__ = indented(cls.__doc__).replace("{shared}", SHARED_BY_SCALED)
        super().__init_subclass__()

    def _begin(self, n_features: int, n_learners: int) -> ScaledLearner:
        return ScaledLearner.begin(n_features, n_learners, self._rule)

    def _look_at(self, X: Any, stacklevel: int) -> None:
        from winnowkit.linear.far_from_zero import warn_of_values_far_from_zero  # noqa: PLC0415

        warn_of_values_far_from_zero(X, getattr(self, "feature_names_in_", None), stacklevel + 1)

    @property
    def _scaled(self) -> ScaledLearner:
        return cast(ScaledLearner, self._learner)

    @property
    @reads
    def largest_(self) -> NDArray[np.float64]:
        """The largest absolute value of each column so far."""
        return self._scaled.state.largest[: self._scaled.n_features].copy()

    @property
    @reads
    def coef_(self) -> NDArray[np.float64]:
        """Weights of the scaled values, with one row per learner."""
        return self._scaled.coef

    @property
    @reads
    def intercept_(self) -> NDArray[np.float64]:
        """Weights of the bias, one per learner."""
        return self._scaled.intercept

    def _explained(self, asked: Asked) -> LinearExplanation:
        from winnowkit.linear.explanation import explained, scaled_amounts  # noqa: PLC0415

        rows = self._rows(asked.row.reshape(1, -1))
        return explained(asked, rows.indices, scaled_amounts(self._scaled, rows))

    @reads
    def certificate(self) -> Certificate:
        """Return the mistakes so far; no theorem bounds those of this rule, for the reason that is stated.

        Returns
        -------
        Certificate
            The mistakes and the reason; it can be printed.
        """
        self._check_begun()
        return Certificate(self.n_mistakes_, inf, self._no_bound, "anything at all")


@dataclass(kw_only=True, eq=False, repr=False)
class AROW(ScaledClassifier):
    """AROW: a weight and a variance per attribute; the less an attribute was seen, the larger its steps.

    Values may be any real numbers. Each is divided by the largest absolute value of its column so far, and each example
    by its length.

    Parameters
    ----------
    r : float, default=1
        How little a single example counts, > 0. Smaller values suit labels without noise.
    {shared}

    See Also
    --------
    Committee : This rule and nine others, mixed.
    winnowkit.bounds.arow : The mistake bound of AROW with a whole covariance matrix.

    Notes
    -----
    The decision is ``z @ coef_.T + intercept_``, where ``x = X / np.maximum(largest_, abs(X))`` and z is x divided by
    its length (attributes that are always 0 count as 0). A sample weight of w, a whole number, is the same as w
    presentations of the example in a row; 0 is the same as its absence. The fraction that is left divides r.

    ``predict_proba`` is a logistic function of the scores, calibrated on line: two numbers are learned before each
    update, how fast the log-odds rise with scores above 0, and below. So the most probable label is always the one that
    ``predict`` returns.

    References
    ----------
    Crammer, Kulesza & Dredze 2009, Adaptive regularization of weight vectors.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from winnowkit import AROW
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), AROW(random_state=0)).fit(X[:400], y[:400])
    >>> round(model.score(X[400:], y[400:]), 2), model.predict_proba(X[400:402]).round(2).tolist()
    (0.96, [[1.0, 0.0], [0.0, 1.0]])
    """

    r: float = 1.0
    _rule = AROW_RULE
    _no_bound = (
        "the theorem of Crammer, Kulesza & Dredze 2009 is about a whole covariance matrix (winnowkit.bounds.arow)"
    )

    def _begin(self, n_features: int, n_learners: int) -> ScaledLearner:
        return ScaledLearner.begin(n_features, n_learners, self._rule, self.r)

    def _has_probabilities(self) -> bool:
        return True

    def _probabilities(self, X: Any) -> NDArray[np.float64]:
        return logistic_probabilities(self._by_rows(self._scaled.log_odds, X))


@dataclass(kw_only=True, eq=False, repr=False)
class CoinBetting(ScaledClassifier):
    """Coin betting: each weight is a bet on the sign of its next gradient, a part of what was won so far.

    There is no step size. Values may be any real numbers. Each is divided by the largest absolute value of its column
    so far, and each example by its length.

    Parameters
    ----------
    {shared}

    See Also
    --------
    Committee : This rule and nine others, mixed.
    winnowkit.bounds.coin_betting : The regret of betting a fraction that a theorem covers.

    Notes
    -----
    The decision is ``z @ coef_.T + intercept_``, where ``x = X / np.maximum(largest_, abs(X))`` and z is x divided by
    its length, as long as no z is larger than those that it has learned from in its column. A sample weight of w, a
    whole number, is the same as w presentations of the example in a row; 0 is the same as its absence. The fraction
    that is left scales the gradient.

    References
    ----------
    Orabona & Tommasi 2017, Training deep networks without learning rates through coin betting.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from winnowkit import CoinBetting
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), CoinBetting(random_state=0)).fit(X[:400], y[:400])
    >>> round(model.score(X[400:], y[400:]), 2)
    0.98
    """

    _rule = COIN
    _no_bound = "the regret bound (winnowkit.bounds.coin_betting) is about bets whose losses are not forgiven"


@dataclass(kw_only=True, eq=False, repr=False)
class AdaptiveWinnow(ScaledClassifier):
    """Adaptive Winnow for real values: each weight has a step size of its own, and large weights take large steps.

    The steps follow the geometry of hypentropy: where weights are small they are those of gradient descent, and where
    weights are large they are proportional to them, as in Winnow with a positive and a negative weight per attribute.
    Values may be any real numbers. Each is divided by the largest absolute value of its column so far.

    Parameters
    ----------
    {shared}

    See Also
    --------
    BalancedWinnow : The classical rule, for boolean attributes.
    Committee : This rule and nine others, mixed.
    winnowkit.bounds.adaptive_winnow : Its regret.

    Notes
    -----
    The decision is ``x @ coef_.T + intercept_``, where ``x = X / np.maximum(largest_, abs(X))`` (attributes that are
    always 0 count as 0). A sample weight of w, a whole number, is the same as w presentations of the example in a row;
    0 is the same as its absence. The fraction that is left scales the gradient.

    References
    ----------
    Ghai, Hazan & Singer 2020, Exponentiated gradient meets gradient descent.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from winnowkit import AdaptiveWinnow
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), AdaptiveWinnow(random_state=0)).fit(X[:400], y[:400])
    >>> round(model.score(X[400:], y[400:]), 2)
    0.99
    """

    _rule = HYPENTROPY
    _no_bound = "the regret bound (winnowkit.bounds.adaptive_winnow) depends on the target's weights"
