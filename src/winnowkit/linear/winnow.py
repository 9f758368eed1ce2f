"""The Winnow family as scikit-learn classifiers."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from winnowkit import bounds
from winnowkit.core.policy import Policy
from winnowkit.linear import winnow_rules as winnow
from winnowkit.linear.classifier import NOISE_FREE, Auto, Bound, LinearClassifier
from winnowkit.linear.rule import Rule


@dataclass(kw_only=True, eq=False, repr=False)
class Elimination(LinearClassifier):
    """The baseline: start with every literal, drop those that are active in a negative example.

    It makes at most n mistakes on a consistent disjunction, where Winnow makes O(k log n).

    Parameters
    ----------
    {shared}

    See Also
    --------
    Winnow1 : Promotes too, and makes O(k log n) mistakes.
    winnowkit.bounds.elimination : Its bound.

    Examples
    --------
    >>> import numpy as np
    >>> from winnowkit import Elimination
    >>> X = np.array([[1, 0, 1], [0, 1, 1], [0, 0, 1], [1, 0, 0]])
    >>> Elimination().fit(X, [1, 0, 0, 1]).predict(X)
    array([1, 0, 0, 1])
    """

    def _rule(self, n: int) -> Rule:  # noqa: ARG002 - the same for any n
        return winnow.elimination()

    def _bound(self, k: int, n: int, theta: float, attribute_errors: float) -> Bound:  # noqa: ARG002
        return NOISE_FREE if attribute_errors else (bounds.elimination(n), "elimination")


@dataclass(kw_only=True, eq=False, repr=False)
class Winnow1(LinearClassifier):
    """Winnow1: promote by alpha, eliminate on a false alarm.

    Parameters
    ----------
    alpha : float, default=2
        Factor of a promotion, > 1.
    theta : float or "auto"
        Threshold, > 0; "auto" is n.
    {shared}

    See Also
    --------
    Winnow2 : Demotes instead of eliminating, so that it tolerates noise.
    winnowkit.bounds.winnow1 : Its bound.

    References
    ----------
    Littlestone 1988; the lecture "Winnow1 and Winnow2", 4.1.

    Examples
    --------
    >>> from winnowkit import Winnow1
    >>> from winnowkit.data import streams
    >>> X, y = streams.disjunction(n=10_000, k=3, seed=0).take(2000)
    >>> model = Winnow1().fit(X, y)
    >>> print(model.certificate(k=3))
    31 mistakes, at most 86 by Littlestone 1988 if the target is a disjunction of at most 3 of 10000 attributes
    """

    alpha: float = 2.0
    theta: float | Auto = "auto"

    def _rule(self, n: int) -> Rule:
        return winnow.winnow1(n, self.alpha, self.theta)

    def _bound(self, k: int, n: int, theta: float, attribute_errors: float) -> Bound:
        if attribute_errors:
            return NOISE_FREE
        if theta < 1 / self.alpha:
            return inf, "the theorem needs theta >= 1 / alpha"
        return bounds.winnow1(k, n, self.alpha, theta), "Littlestone 1988"


@dataclass(kw_only=True, eq=False, repr=False)
class Winnow2(LinearClassifier):
    """Winnow2: promote by alpha, demote by 1/alpha. Tolerates noise.

    Parameters
    ----------
    alpha : float, default=1.5
        Factor of a promotion, > 1.
    theta : float or "auto"
        Threshold, > 0; "auto" is n.
    delta : float or None
        If given, alpha = 1 + delta/2: for targets that weights separate with a gap of delta (1/r for "at least r of
        k attributes").
    floor : float, default=0
        Lower bound of a weight, below 1: with a drifting target, an attribute that comes to matter recovers sooner.
    {shared}

    See Also
    --------
    Committee : Fewer mistakes, in three to seven times the time.
    NormalizedWinnow : Weights as shares of their sum.
    winnowkit.bounds.winnow_disjunction : Its bound on disjunctions.
    winnowkit.bounds.winnow2 : Its bound on separable targets.

    References
    ----------
    Littlestone 1988; the lecture "Winnow1 and Winnow2", 4.2; Auer & Warmuth 1998.

    Examples
    --------
    >>> from winnowkit import Winnow2
    >>> from winnowkit.data import streams
    >>> stream = streams.disjunction(n=100_000, k=3, label_noise=0.02, seed=0)
    >>> X, y = stream.take(5000)
    >>> model = Winnow2().fit(X, y)
    >>> heaviest = model.coef_[0].argsort()[-3:]
    >>> sorted(heaviest.tolist()) == list(stream.target.variables)
    True
    """

    alpha: float = 1.5
    theta: float | Auto = "auto"
    delta: float | None = None
    floor: float = 0.0

    @property
    def _alpha(self) -> float:
        return self.alpha if self.delta is None else winnow.alpha_for_separation(self.delta)

    @property
    def _needed(self) -> int:
        """r, for targets "at least r of k attributes"."""
        return 1 if self.delta is None else round(1 / self.delta)

    def _rule(self, n: int) -> Rule:
        return winnow.winnow2(n, self._alpha, self.theta, self.floor)

    def _bound(self, k: int, n: int, theta: float, attribute_errors: float) -> Bound:
        if self.floor > 0:
            return inf, "a floor under the weights, for drifting targets, is outside the theorems"
        if self._needed == 1:
            return bounds.winnow_disjunction(k, n, self._alpha, theta, attribute_errors), "Auer & Warmuth 1998"
        if attribute_errors:
            return NOISE_FREE
        if theta < 1 or self.delta != 1 / self._needed or self._needed > k:
            return inf, "the theorem needs theta >= 1 and delta = 1/r for a whole number r of at most k"
        return bounds.winnow2_threshold(self._needed, k, n, theta), "the lecture's Theorem 4.2.1"

    def _target(self, k: int) -> str:
        return super()._target(k) if self._needed == 1 else f"at least {self._needed} of {k}"


@dataclass(kw_only=True, eq=False, repr=False)
class BalancedWinnow(LinearClassifier):
    """Winnow with two weights an attribute, one for and one against, so that attributes may count against class 1.

    Parameters
    ----------
    alpha : float, default=1.5
        Factor of a promotion, > 1.
    theta : float or "auto"
        Threshold, > 0; "auto" is n.
    margin : float, default=0
        Also update on right predictions whose score is this close to theta.
    {shared}

    See Also
    --------
    Winnow2 : One weight an attribute; with ``negations=True`` one for its complement too.

    Examples
    --------
    >>> import numpy as np
    >>> from winnowkit import BalancedWinnow
    >>> X = np.array([[1, 0, 1], [1, 1, 1], [0, 0, 1], [1, 0, 0]])  # x0 and not x1
    >>> model = BalancedWinnow(max_epochs=50).fit(X, [1, 0, 0, 1])
    >>> model.predict(X), model.coef_[0, 1] < 0
    (array([1, 0, 0, 1]), np.True_)
    """

    alpha: float = 1.5
    theta: float | Auto = "auto"
    margin: float = 0.0

    def _rule(self, n: int) -> Rule:
        return winnow.balanced_winnow(n, self.alpha, self.theta, self.margin)

    def _bound(self, k: int, n: int, theta: float, attribute_errors: float) -> Bound:  # noqa: ARG002
        return inf, "no theorem here covers Balanced Winnow"


@dataclass(kw_only=True, eq=False, repr=False)
class NormalizedWinnow(LinearClassifier):
    """Winnow whose weights are divided by their sum before they are added up.

    Parameters
    ----------
    alpha : float, default=1.5
        Factor of a promotion, > 1.
    k : int, default=10
        An upper bound on the size of the target disjunction. With too small a k it never learns.
    theta : float or "auto"
        Threshold, > 0; "auto" is alpha ln(alpha) / (alpha^2 - 1) / k.
    policy : {"mistake", "always"}
        When to update. No mistake bound covers "always".
    {shared}

    See Also
    --------
    Winnow2 : The same without dividing by the sum.
    ThresholdedBEG : Weights that are probabilities.
    winnowkit.bounds.normalized_winnow_disjunction : Its bound.

    References
    ----------
    Helmbold, Panizza & Warmuth, section 5.

    Examples
    --------
    >>> from winnowkit import NormalizedWinnow
    >>> from winnowkit.data import streams
    >>> X, y = streams.disjunction(n=10_000, k=3, seed=0).take(2000)
    >>> NormalizedWinnow(k=3).fit(X, y).certificate(k=3).kept
    True
    """

    alpha: float = 1.5
    k: int = 10
    theta: float | Auto = "auto"
    policy: Policy = "mistake"

    def _rule(self, n: int) -> Rule:  # noqa: ARG002 - normalized weights do not depend on n
        return winnow.normalized_winnow(self.alpha, self.k, self.theta, self.policy)

    def _bound(self, k: int, n: int, theta: float, attribute_errors: float) -> Bound:
        try:
            bound = bounds.normalized_winnow_disjunction(k, n, self.alpha, theta, attribute_errors)
        except ValueError as error:
            return inf, str(error)
        return bound, "relative entropy (see winnowkit.bounds.normalized_winnow_disjunction)"
