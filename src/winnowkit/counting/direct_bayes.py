"""The direct algorithm as a scikit-learn classifier."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from winnowkit import bounds
from winnowkit.core.boolean_classifier import BooleanClassifier
from winnowkit.core.certificate import Certificate
from winnowkit.core.checks import require
from winnowkit.core.explaining import Asked
from winnowkit.core.multiclass import Policy, decision_values
from winnowkit.core.posterior import is_posterior, probabilities
from winnowkit.core.transaction import reads
from winnowkit.core.validation import generator
from winnowkit.counting.direct_bayes_learner import DirectLearner
from winnowkit.counting.direct_bayes_rule import DirectBayesRule, PredictionRule
from winnowkit.counting.explanation import explain_disjunctions
from winnowkit.rulesets.explanation import VoteExplanation


@dataclass(kw_only=True, eq=False, repr=False)
class DirectBayes(BooleanClassifier):
    """The direct algorithm: Bayes' posterior over all disjunctions of at most k attributes, under label noise.

    It is Weighted Majority over these disjunctions, with beta = noise / (1 - noise). Of all learners here it makes the
    fewest mistakes on noisy labels and takes the most time: it keeps one integer per disjunction, and a trial visits
    the disjunctions that the example satisfies or the others, whichever are fewer.

    Parameters
    ----------
    k : int, default=2
        Size of the largest disjunctions.
    noise : float, default=0.1
        Assumed probability that a label is wrong, in (0, 1/2).
    max_disjunctions : int, default=10_000_000
        Largest number of disjunctions allowed. Each takes four bytes (per class, if there are more than two).
    prediction : {"majority", "probability"}
        "majority" predicts the label that has the majority of the posterior. "probability" predicts 1 with a
        probability equal to the share of the posterior that says 1, which about halves the bound on expected mistakes.
    policy : {"always", "mistake"}
        When to update: "always" is Bayes-optimal.
    {binarize}
    negations : bool, default=False
        Take disjunctions of the attributes and their complements.
    {epochs}
    {whole_class_weight}
    random_state : int, RandomState, Generator or None
        Seed of that order, and of random predictions: those of ``predict`` follow from it and from the row alone.
    {n_jobs}

    Attributes
    ----------
    {classes}
    n_disjunctions_ : int
        Number of disjunctions.
    n_trials_, n_mistakes_ : int
        Number of examples seen, and number of them that were first predicted wrongly.
    {n_updates}

    See Also
    --------
    BayesBEG : A posterior with one weight per attribute.
    winnowkit.bounds.weighted_majority : Its bound.

    Notes
    -----
    {whole_weights}

    ``predict_proba``, with ``policy="always"``, is the posterior probability of each class, label noise included.

    References
    ----------
    Helmbold, Panizza & Warmuth, section 3, and note 3 on random predictions; Littlestone & Warmuth 1994.

    Examples
    --------
    >>> from winnowkit import DirectBayes
    >>> from winnowkit.data import streams
    >>> X, y = streams.disjunction(n=60, k=2, active=10, label_noise=0.1, seed=0).take(500)
    >>> model = DirectBayes(k=2, noise=0.1).partial_fit(X, y, classes=[0, 1])
    >>> model.n_disjunctions_, model.n_mistakes_
    (1830, 54)
    >>> model.certificate(best_mistakes=48).bound < 200  # as many labels are wrong
    True
    """

    k: int = 2
    noise: float = 0.1
    max_disjunctions: int = 10_000_000
    prediction: PredictionRule = "majority"
    policy: Policy = "always"

    def _start(self, n_features: int, classes: NDArray[Any]) -> None:
        self._rule().check_size(n_features * (1 + self.negations))
        super()._start(n_features, classes)

    def _begin(self, n_features: int, n_learners: int) -> DirectLearner:
        """Return a learner that has seen nothing; it leaves out attributes that would exceed `max_disjunctions`."""
        seed = int(generator(self.random_state).integers(2**62)) if self.prediction == "probability" else 0
        return DirectLearner.begin(self._rule(), n_features, n_learners, self.negations, seed)

    def _rule(self) -> DirectBayesRule:
        require(self.binarize is not None, "binarize must be a number: a disjunction is true or false", self.binarize)
        rule = DirectBayesRule(self.k, self.noise, self.max_disjunctions, self.prediction, self.policy)
        rule.check()
        return rule

    @property
    @reads
    def n_disjunctions_(self) -> int:
        """Number of disjunctions."""
        return int(self._direct.state.errors.shape[1])

    @property
    def _direct(self) -> DirectLearner:
        return cast(DirectLearner, self._learner)

    def _has_probabilities(self) -> bool:
        return is_posterior(self)

    def _probabilities(self, X: Any) -> NDArray[np.float64]:
        return probabilities(decision_values(self._by_rows(self._direct.rank, X)))

    def _explained(self, asked: Asked) -> VoteExplanation:
        return explain_disjunctions(self._direct, asked, self.binarize)

    @reads
    def certificate(self, best_mistakes: float = 0) -> Certificate:
        """Compare the mistakes so far with Weighted Majority's bound, which covers both policies.

        Parameters
        ----------
        best_mistakes : float
            Assumed noise: how many labels the best disjunction gets wrong.

        Returns
        -------
        Certificate
            Mistakes, bound and theorem, to print.
        """
        self._check_begun()
        require(best_mistakes >= 0, "best_mistakes must be >= 0", best_mistakes)
        begun = self._direct.state.parameters[0]  # the parameters that learn, whatever is set later
        n = self.n_features_in_ * (1 + int(begun["negations"]))
        beta = float(begun["noise"] / (1 - begun["noise"]))
        bound, theorem = bounds.weighted_majority(beta, self.n_disjunctions_, best_mistakes), "Littlestone & Warmuth"
        if begun["random"]:
            bound, theorem = inf, "for random predictions theory bounds the expected mistakes only"
        noise = f", but for {best_mistakes:g} labels" if best_mistakes else ""
        each = ", for each class against the rest" if len(self.classes_) > 2 else ""
        kind = "literals" if begun["negations"] else "attributes"
        assumes = f"a disjunction of at most {begun['max_k']} of {n} {kind}{noise}{each}"
        return Certificate(int(self._learner.counts[1:, 1].max()), bound, theorem, assumes)
