"""The scikit-learn face that the Winnow and BEG families share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import inf
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from winnowkit.core.boolean_classifier import BooleanClassifier
from winnowkit.core.certificate import Certificate
from winnowkit.core.checks import require
from winnowkit.core.csr import Trials
from winnowkit.core.docstrings import indented
from winnowkit.core.explaining import Asked
from winnowkit.core.reporting import Reports
from winnowkit.core.transaction import reads
from winnowkit.linear.epoch_mean import EpochMean
from winnowkit.linear.learner import LinearLearner
from winnowkit.linear.rule import LinearRule
from winnowkit.linear.state import begun_state

if TYPE_CHECKING:  # a learner in words: imported when it is asked for, as rule sets take long to import
    from winnowkit.linear.attributes import TopAttributes
    from winnowkit.rulesets.explanation import LinearExplanation
    from winnowkit.rulesets.ruleset import RuleSet

NumberOrAuto = float | Literal["auto"]
MistakeBound = tuple[float, str]  # a bound and its theorem, or inf and the reason why there is none
NOISE_FREE: MistakeBound = (inf, "the theorem assumes that there are no attribute errors")

SHARED = """binarize : float or None, default=0.0
        A value above it counts as 1, any other as 0. None takes values in [0, 1] as they are.
    negations : bool, default=False
        Give the complement of every attribute a weight too, so that any disjunction can be learned, not only
        monotone ones. An update then costs time in all attributes, not only in the active ones.
    max_epochs : int or "auto"
        The largest number of passes of `fit` over the rows; each learner stops after an epoch without an update. "auto"
        is 10, or 1 if the policy is "always", under which more epochs would count every example more than once.
    shuffle : bool, default=True
        Whether each epoch of `fit` takes the rows in another order.
    average : bool, default=True
        Whether a learner that did not stop by itself becomes the mean of what it was at the end of each epoch, which
        errs less with noisy labels. False: it stays as the last trial left it.
    {class_weight}
    random_state : int, RandomState, Generator or None
        Seed of the orders.
    {n_jobs}

    Attributes
    ----------
    {classes}
    coef_, intercept_ : array
        The decision is ``X @ coef_.T + intercept_`` on what `binarize` makes of X.
    n_trials_, n_mistakes_ : int
        Examples learned from, and how many of them were first predicted wrongly.
    {n_updates}"""


WEIGHTS_NOTE = """Notes
    -----
    A sample weight of w, a whole number, stands for w presentations of the example in succession, each of which is
    predicted and, if the policy asks for it, learned from; 0 stands for its absence. For a fraction f of a presentation
    the factor of the update is raised to the power f: that of a weight, or that of the odds of a probability. A factor
    of 0 stays 0, so that any weight above 0 eliminates."""

AUTO_EPOCHS = 10
"""Epochs whose mean is taken: more change held-out errors little, fewer leave some of the gain."""


@dataclass(kw_only=True, eq=False, repr=False)
class LinearClassifier(Reports, BooleanClassifier):
    """A linear rule with scikit-learn's face; a subclass defines the rule and its mistake bound."""

    max_epochs: int | Literal["auto"] = "auto"
    average: bool = True

    def __init_subclass__(cls) -> None:
        cls.__doc__ = indented(cls.__doc__).replace("{shared}", SHARED).replace("{weights}", WEIGHTS_NOTE)
        super().__init_subclass__()

    @abstractmethod
    def _rule(self, n: int) -> LinearRule:
        """Check the parameters and return the rule for n weights."""

    @abstractmethod
    def _bound(self, k: int, n: int, theta: float, attribute_errors: float) -> MistakeBound:
        """MistakeBound on the mistakes on a disjunction of k of n literals, for the parameters in force."""

    @property
    def _n_weights(self) -> int:
        return self._begun._weights_of(self.n_features_in_)

    def _weights_of(self, n_features: int) -> int:
        """The n of the papers; a single attribute takes the parameters of two."""
        return max(2, n_features * (1 + self.negations))

    def _started(self) -> None:
        self._begun: Self = type(self)(**self._parameters())  # the parameters that learn, whatever is set later
        self._mean_after = 0  # trials after which the mean over epochs was put in place; 0: it was not

    @property
    def _most_epochs(self) -> int:
        if isinstance(self.max_epochs, str) and self.max_epochs == "auto":
            return 1 if getattr(self, "policy", "mistake") == "always" else AUTO_EPOCHS
        return super()._most_epochs

    def _further_epochs(self, trials: Trials, rng: np.random.Generator | None) -> None:
        if not self.average or self._most_epochs == 1:
            return super()._further_epochs(trials, rng)
        mean = EpochMean(self._linear)
        try:
            for settled in self._epochs(trials, rng):
                mean.add(settled)
        finally:
            if mean.put_in_place():
                self._mean_after = self.n_trials_

    def _begin(self, n_features: int, n_learners: int) -> LinearLearner:
        rule = self._rule(self._weights_of(n_features))
        state = begun_state([rule], n_learners, n_features, self.negations)
        return LinearLearner(state, n_features)

    def _begin_growing(self, n_features: int, n_learners: int) -> LinearLearner:
        return self._begin(n_features, n_learners).follow(self._rules_for)

    def _rules_for(self, n_features: int) -> list[LinearRule]:
        """The one rule for so many attributes."""
        return [self._rule(self._weights_of(n_features))]

    @property
    @reads
    def coef_(self) -> NDArray[np.float64]:
        """Contribution of each attribute to the decision, with one row per learner."""
        return self._linear.coef.copy()

    @property
    @reads
    def intercept_(self) -> NDArray[np.float64]:
        """The decision on an example without active attributes, one per learner."""
        return self._linear.intercept

    @property
    def _linear(self) -> LinearLearner:
        return cast(LinearLearner, self._learner)

    @reads
    def top_attributes(self, max_attributes: int = 10, names: Any = None) -> TopAttributes:
        """Return the heaviest attributes, with what each adds to the decision, also relative to the threshold.

        Parameters
        ----------
        max_attributes : int, default=10
            The largest number of attributes per learner.
        names : sequence of str, optional
            Names of the attributes, such as ``pipeline[:-1].get_feature_names_out()``; by default those of the columns.

        Returns
        -------
        TopAttributes
            As a sequence, the heaviest first.

        Examples
        --------
        >>> from winnowkit import Winnow2
        >>> from winnowkit.data import streams
        >>> stream = streams.disjunction(n=1000, k=2, seed=0)
        >>> X, y = stream.take(5000)
        >>> model = Winnow2().partial_fit(X, y, classes=[0, 1])
        >>> print(stream.target)
        x17 or x565
        >>> print(model.top_attributes(3))
             985.3  x17 > 0: 98.5% of the decision threshold for class 1
             985.3  x565 > 0: 98.5% of the decision threshold for class 1
             25.63  x124 > 0: 2.6% of the decision threshold for class 1
        """
        from winnowkit.linear.attributes import TopAttributes, heaviest_attributes  # noqa: PLC0415

        self._check_begun()
        return TopAttributes(heaviest_attributes(self, max_attributes, names))

    def _learned(self) -> tuple[str, list[tuple[str, str]]]:
        from winnowkit.linear.attributes import heaviest_rows  # noqa: PLC0415

        return super()._learned()[0], heaviest_rows(self)

    def _explained(self, asked: Asked) -> LinearExplanation:
        from winnowkit.linear.explanation import explained, linear_amounts  # noqa: PLC0415

        rows = self._rows(asked.row.reshape(1, -1))
        return explained(asked, rows.indices, linear_amounts(self, rows))

    @reads
    def rules(self, X: Any = None, y: ArrayLike | None = None, *, max_rules: int = 20) -> RuleSet:
        """Return the disjunction that the weights amount to, with one rule for each of the heaviest attributes.

        Without X these are the attributes that reach at least half of the threshold on their own; with X, as many of
        the heaviest as predict its rows best.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, attributes), optional
            Rows to choose and measure the rules on, and their agreement with the model.
        y : array-like of shape (rows,), optional
            Their labels; None stands for the predictions of the model.
        max_rules : int, default=20
            The largest number of rules per learner.

        Returns
        -------
        RuleSet
            One rule per attribute.

        Examples
        --------
        >>> from winnowkit import Winnow2
        >>> from winnowkit.data import streams
        >>> X, y = streams.disjunction(n=1000, k=2, seed=0).take(5000)
        >>> print(Winnow2().partial_fit(X, y, classes=[0, 1]).rules(X, y))
        2 rules, the first that holds decides; agrees with the model on 100.00% of 5000 rows, error 0.00%
        weight  support          precision  rule
           985     1749  1.000 (1.00-1.00)  if x17 > 0 then 1
           985     1760  1.000 (1.00-1.00)  if x565 > 0 then 1
                   2479  1.000 (1.00-1.00)  else 0
        """
        from winnowkit.linear.attributes import disjunction  # noqa: PLC0415

        self._check_begun()
        return disjunction(self, max_rules, X, y)

    @reads
    def certificate(self, k: int, attribute_errors: float = 0, changes: int = 0) -> Certificate:
        """Compare the mistakes so far with the bound that theory gives for these parameters.

        The theorems hold for every sequence of examples, so that all epochs of `fit` count as one long sequence, and a
        whole weight as so many examples. They bound the mistakes made while learning. No theorem covers fractions of
        examples, nor learning that goes on after `fit` has put the mean over epochs in place (``average=True``).

        Parameters
        ----------
        k : int
            Assumed size of the target: the labels are those of a disjunction of one to k attributes.
        attribute_errors : float
            Assumed noise: how many values in all examples would have to change for this to hold.
        changes : int
            How often the target may change by one attribute, which is added, removed or replaced. There is a bound for
            this for ``Winnow2(floor=...)`` only.

        Returns
        -------
        Certificate
            The mistakes, the bound and the theorem; it can be printed.
        """
        self._check_begun()
        require(isinstance(k, Integral) and k >= 1, "k must be an integer >= 1", k)
        require(attribute_errors >= 0, "attribute_errors must be >= 0", attribute_errors)
        require(isinstance(changes, Integral) and changes >= 0, "changes must be an integer >= 0", changes)
        n = self._n_weights
        theta = float(self._linear.state.parameters["theta"][0])
        if getattr(self._begun, "policy", "mistake") == "always":
            bound: MistakeBound = (inf, "theory only covers mistake-driven updates (policy='mistake')")
        elif self._fractions:
            bound = (inf, "the theorems are about whole examples, and some weights were fractions")
        elif 0 < self._mean_after < self.n_trials_:
            bound = (inf, "learning went on from the mean over several epochs (average=False)")
        elif self._begun.binarize is None:
            bound = (inf, "the theorems are about attributes that are 0 or 1 (binarize a number)")
        elif changes:
            bound = self._begun._shifting_bound(min(k, n), n, theta, attribute_errors, changes)
        else:
            bound = self._begun._bound(min(k, n), n, theta, attribute_errors)
        moves = f" that changes {changes} time{'' if changes == 1 else 's'}" if changes else ""
        noise = f", but for {attribute_errors:g} attribute errors" if attribute_errors else ""
        each = ", for each class against the rest" if len(self.classes_) > 2 else ""
        kind = "literals" if self._begun.negations else "attributes"
        assumes = f"{self._begun._target(k)} of {n} {kind}{moves}{noise}{each}"
        return Certificate(int(self._learner.counts[1:, 1].max()), *bound, assumes)

    def _shifting_bound(self, k: int, n: int, theta: float, attribute_errors: float, changes: int) -> MistakeBound:
        """Bound the mistakes on a disjunction that changes; only weights with a floor recover in bounded time."""
        del k, n, theta, attribute_errors, changes
        return inf, "no theorem here bounds the mistakes on a changing target but for Winnow2(floor=...)"

    def _target(self, k: int) -> str:
        return f"a disjunction of at most {k}"
