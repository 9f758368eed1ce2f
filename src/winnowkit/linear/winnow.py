"""The Winnow family.

Elimination, Winnow1 and Winnow2 follow the lecture "Winnow1 and Winnow2" (after Littlestone 1988), Normalized Winnow
follows Helmbold, Panizza & Warmuth, section 5. All predict 1 iff the (normalized) score is >= theta, and multiply the
weights of active attributes: by alpha after a positive example, by 1/alpha or 0 after a negative one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log

from winnowkit import bounds
from winnowkit.core.checks import require
from winnowkit.core.multiclass import Policy, check_policy
from winnowkit.linear.classifier import NOISE_FREE, LinearClassifier, MistakeBound, NumberOrAuto
from winnowkit.linear.rule import LinearRule, Prediction, Update
from winnowkit.linear.weights import TINY


@dataclass(kw_only=True, eq=False, repr=False)
class Elimination(LinearClassifier):
    """The baseline: start with every literal, and drop those that are active in a negative example.

    It makes at most n mistakes on a consistent disjunction, where Winnow makes O(k log n).

    Parameters
    ----------
    {shared}

    See Also
    --------
    Winnow1 : Promotes too, and makes O(k log n) mistakes.
    winnowkit.bounds.elimination : Its bound.

    {weights}

    Examples
    --------
    >>> import numpy as np
    >>> from winnowkit import Elimination
    >>> X = np.array([[1, 0, 1], [0, 1, 1], [0, 0, 1], [1, 0, 0]])
    >>> Elimination().fit(X, [1, 0, 0, 1]).predict(X)
    array([1, 0, 0, 1])
    """

    def _rule(self, n: int) -> LinearRule:  # noqa: ARG002 - the same for any n
        return LinearRule(Prediction(theta=0.0, strict=True), Update(up=1.0, down=inf))

    def _bound(self, k: int, n: int, theta: float, attribute_errors: float) -> MistakeBound:  # noqa: ARG002
        return NOISE_FREE if attribute_errors else (bounds.elimination(n), "elimination")


@dataclass(kw_only=True, eq=False, repr=False)
class Winnow1(LinearClassifier):
    """Winnow1: multiply the active weights by alpha after a missed positive, and drop them after a false alarm.

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

    {weights}

    References
    ----------
    Littlestone 1988; the lecture "Winnow1 and Winnow2", 4.1.

    Examples
    --------
    >>> from winnowkit import Winnow1
    >>> from winnowkit.data import streams
    >>> X, y = streams.disjunction(n=10_000, k=3, seed=0).take(2000)
    >>> model = Winnow1().partial_fit(X, y, classes=[0, 1])
    >>> print(model.certificate(k=3))
    31 mistakes, at most 86 by Littlestone 1988 if the target is a disjunction of at most 3 of 10000 attributes
    """

    alpha: float = 2.0
    theta: NumberOrAuto = "auto"

    def _rule(self, n: int) -> LinearRule:
        check_alpha(self.alpha)
        return LinearRule(Prediction(threshold(self.theta, float(n))), Update(up=self.alpha, down=inf))

    def _bound(self, k: int, n: int, theta: float, attribute_errors: float) -> MistakeBound:
        if attribute_errors:
            return NOISE_FREE
        if theta < 1 / self.alpha:
            return inf, "the theorem needs theta >= 1 / alpha"
        return bounds.winnow1(k, n, self.alpha, theta), "Littlestone 1988"


@dataclass(kw_only=True, eq=False, repr=False)
class Winnow2(LinearClassifier):
    """Winnow2: multiply or divide the active weights by alpha after each mistake. Tolerates noise.

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
        Lower bound of a weight, below 1: with a drifting target, an attribute that becomes relevant recovers sooner,
        and ``certificate(k, changes=...)`` bounds the mistakes.
    {shared}

    See Also
    --------
    Committee : Fewer mistakes, for real values too, in several times the time.
    NormalizedWinnow : Weights as shares of their sum.
    winnowkit.bounds.winnow_disjunction : Its bound on disjunctions.
    winnowkit.bounds.winnow2 : Its bound on separable targets.
    winnowkit.bounds.winnow_shifting : Its bound on disjunctions that change, with a floor.

    {weights}

    References
    ----------
    Littlestone 1988; the lecture "Winnow1 and Winnow2", 4.2; Auer & Warmuth 1998.

    Examples
    --------
    >>> from winnowkit import Winnow2
    >>> from winnowkit.data import streams
    >>> stream = streams.disjunction(n=100_000, k=3, label_noise=0.02, seed=0)
    >>> X, y = stream.take(5000)
    >>> model = Winnow2(random_state=0).fit(X, y)
    >>> heaviest = model.coef_[0].argsort()[-3:]
    >>> sorted(heaviest.tolist()) == list(stream.target.variables)
    True
    """

    alpha: float = 1.5
    theta: NumberOrAuto = "auto"
    delta: float | None = None
    floor: float = 0.0

    @property
    def _alpha(self) -> float:
        """Alpha as given, or 1 + delta/2 for a delta-separable target (lecture, Theorem 4.2.1)."""
        if self.delta is None:
            return self.alpha
        require(0.0 < self.delta <= 1.0, "delta must be in (0, 1]", self.delta)
        return 1.0 + self.delta / 2.0

    @property
    def _needed(self) -> int:
        """The r of targets "at least r of k attributes"."""
        return 1 if self.delta is None else round(1 / self.delta)

    def _rule(self, n: int) -> LinearRule:
        check_alpha(self._alpha)
        require(0.0 <= self.floor < 1.0, "floor must be in [0, 1)", self.floor)
        update = Update(up=self._alpha, down=self._alpha, floor=max(self.floor, TINY))
        return LinearRule(Prediction(threshold(self.theta, float(n))), update)

    def _bound(self, k: int, n: int, theta: float, attribute_errors: float) -> MistakeBound:
        if self.floor > 0:
            return self._shifting_bound(k, n, theta, attribute_errors, 0)
        if self._needed == 1:  # the bound is linear in the size of the target, and falls if theta is very small
            sizes = (bounds.winnow_disjunction(size, n, self._alpha, theta, attribute_errors) for size in (1, k))
            return max(sizes), "Auer & Warmuth 1998"
        if attribute_errors:
            return NOISE_FREE
        if theta < 1 or self.delta != 1 / self._needed or self._needed > k:
            return inf, "the theorem needs theta >= 1 and delta = 1/r for a whole number r of at most k"
        return bounds.winnow2_threshold(self._needed, k, n, theta), "the lecture's Theorem 4.2.1"

    def _shifting_bound(self, k: int, n: int, theta: float, attribute_errors: float, changes: int) -> MistakeBound:
        if self._needed > 1:
            return inf, "the theorem about weights with a floor is about disjunctions"
        if not 0 < self.floor < theta / n or theta < 1:
            return inf, "the theorem needs theta >= 1 and 0 < floor < theta / n"
        bound = bounds.winnow_shifting(k, n, self._alpha, theta, self.floor, changes, attribute_errors)
        return bound, "Auer & Warmuth 1998"

    def _target(self, k: int) -> str:
        return super()._target(k) if self._needed == 1 else f"at least {self._needed} of {k}"


@dataclass(kw_only=True, eq=False, repr=False)
class BalancedWinnow(LinearClassifier):
    """Winnow with two weights per attribute, one for and one against, so that attributes may count against class 1.

    The score is sum (u_i - v_i) x_i, with u = 2 and v = 1 at the start.

    Parameters
    ----------
    alpha : float, default=1.5
        Factor of a promotion, > 1.
    theta : float or "auto"
        Threshold, > 0; "auto" is n.
    margin : float, default=0
        Update also on correct predictions whose score is this close to theta.
    {shared}

    See Also
    --------
    Winnow2 : One weight per attribute; with ``negations=True`` one for its complement too.

    {weights}

    Examples
    --------
    >>> import numpy as np
    >>> from winnowkit import BalancedWinnow
    >>> X = np.array([[1, 0, 1], [1, 1, 1], [0, 0, 1], [1, 0, 0]])  # x0 and not x1
    >>> model = BalancedWinnow(max_epochs=50, random_state=0).fit(X, [1, 0, 0, 1])
    >>> model.predict(X), model.coef_[0, 1] < 0
    (array([1, 0, 0, 1]), np.True_)
    """

    alpha: float = 1.5
    theta: NumberOrAuto = "auto"
    margin: float = 0.0

    def _rule(self, n: int) -> LinearRule:
        check_alpha(self.alpha)
        require(0.0 <= self.margin < inf, "margin must be >= 0", self.margin)
        update = Update(up=self.alpha, down=self.alpha, floor=TINY, balanced=True)
        return LinearRule(Prediction(threshold(self.theta, float(n))), update, margin=self.margin)

    def _bound(self, k: int, n: int, theta: float, attribute_errors: float) -> MistakeBound:  # noqa: ARG002
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

    {weights}

    References
    ----------
    Helmbold, Panizza & Warmuth, section 5.

    Examples
    --------
    >>> from winnowkit import NormalizedWinnow
    >>> from winnowkit.data import streams
    >>> X, y = streams.disjunction(n=10_000, k=3, seed=0).take(2000)
    >>> NormalizedWinnow(k=3).partial_fit(X, y, classes=[0, 1]).certificate(k=3).kept
    True
    """

    alpha: float = 1.5
    k: int = 10
    theta: NumberOrAuto = "auto"
    policy: Policy = "mistake"

    def _rule(self, n: int) -> LinearRule:  # noqa: ARG002 - normalized weights do not depend on n
        check_alpha(self.alpha)
        check_policy(self.policy)
        require(self.k >= 1, "k must be at least 1", self.k)
        prediction = Prediction(threshold(self.theta, balanced_theta(self.alpha) / self.k), normalized=True)
        return LinearRule(prediction, Update(up=self.alpha, down=self.alpha, floor=TINY), self.policy)

    def _bound(self, k: int, n: int, theta: float, attribute_errors: float) -> MistakeBound:
        try:  # smaller targets may be harder, as theta is tuned for k attributes
            bound = max(
                bounds.normalized_winnow_disjunction(size, n, self.alpha, theta, attribute_errors)
                for size in range(k, 0, -1)
            )
        except ValueError as error:
            return inf, str(error)
        return bound, "relative entropy (see winnowkit.bounds.normalized_winnow_disjunction)"


def balanced_theta(alpha: float) -> float:
    """Return the theta at which promotions and demotions gain equally (Theorem 5): alpha ln alpha / (alpha^2 - 1)."""
    theta = alpha * log(alpha) / (alpha * alpha - 1.0)
    require(theta > 0.0, "alpha is too large for theta 'auto', which would be 0: choose a smaller alpha", alpha)
    return theta


def check_alpha(alpha: float) -> None:
    """Refuse a factor that does not promote."""
    require(1.0 < alpha < inf, "alpha must be > 1", alpha)


def threshold(theta: NumberOrAuto, default: float) -> float:
    """Return theta as given, or the default for "auto"."""
    number = auto(theta, default, "theta")
    if isinstance(theta, str):
        require(0.0 < number < inf, "theta 'auto' is not > 0 for this alpha: set theta to a number", number)
    require(0.0 < number < inf, "theta must be > 0", theta)
    return number


def auto(value: NumberOrAuto, default: float, name: str) -> float:
    """Return a parameter as given, or its default for "auto"."""
    if value == "auto":
        return default
    if isinstance(value, str):
        raise ValueError(f"{name} must be a number or 'auto', got {value!r}")
    return float(value)
