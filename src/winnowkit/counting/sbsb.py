"""SBSB and SASB as scikit-learn classifiers."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from numbers import Integral
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from winnowkit import bounds
from winnowkit.core.boolean_classifier import BooleanClassifier
from winnowkit.core.certificate import Certificate
from winnowkit.core.checks import require
from winnowkit.core.docstrings import indented
from winnowkit.core.explaining import Asked
from winnowkit.core.multiclass import Policy
from winnowkit.core.posterior import is_posterior, probabilities
from winnowkit.core.transaction import reads
from winnowkit.counting.explanation import explain_matches
from winnowkit.counting.sbsb_learner import SymmetricLearner
from winnowkit.rulesets.explanation import VoteExplanation

SHARED = """{binarize}
    negations : bool, default=False
        Whether the complement of every attribute counts too. It changes no prediction: an attribute that mostly
        differs from the label speaks for its complement as it is.
    {epochs}
    {whole_class_weight}
    random_state : int, RandomState, Generator or None
        Seed of that order.
    {n_jobs}

    Attributes
    ----------
    {classes}
    matches_ : array of shape (learners, attributes)
        How often each attribute matched the label, in the trials learned from.
    n_trials_, n_mistakes_ : int
        Number of examples seen, and number of them that were first predicted wrongly (by the vote, if there is one).
    {n_updates}

    See Also
    --------
    SBSB : The Bayesian, which learns from every trial.
    SASB : Its relative, which learns from mistakes only.
    winnowkit.bounds.sasb : The bound behind ``certificate``.
    winnowkit.data.streams.bernoulli : Examples as SBSB believes them to be.

    Notes
    -----
    A trial costs time in the active attributes and in the number of *distinct* match counts, not in the number of
    attributes: absent attributes of equal counts are summed at once. There are few distinct counts on sparse data (at
    most one more than SASB made mistakes); on dense data with many trials there may be one per attribute. A voter costs
    up to twice as much as the current hypothesis.

    {whole_weights}

    Counts are integers, so nothing drifts; predictions are made in logarithms, or in integers if too close to call.
    ``decision_function`` is the logarithm of the odds of ``classes_[1]``; with voters, the mean of their votes."""


@dataclass(kw_only=True, eq=False, repr=False)
class SymmetricClassifier(BooleanClassifier):
    """The scikit-learn interface that SBSB and SASB share."""

    voting: int = 0

    def __init_subclass__(cls) -> None:
        cls.__doc__ = indented(cls.__doc__).replace("{shared}", SHARED)
        super().__init_subclass__()

    def _begin(self, n_features: int, n_learners: int) -> SymmetricLearner:
        return SymmetricLearner.begin(self._policy(), self.voting, n_features, n_learners)

    def _explained(self, asked: Asked) -> VoteExplanation:
        return explain_matches(self._symmetric, asked, self.binarize)

    @reads
    def certificate(self, k: int, r: int = 1, attribute_errors: float = 0) -> Certificate:
        """Compare the mistakes so far with the bound for linearly separable examples.

        The theorem holds for every sequence of examples, so that all epochs of `fit` count as one long sequence. It is
        about updates after mistakes only, and not about a vote.

        Parameters
        ----------
        k : int
            Assumed size of the target: the label is 1 iff at least r of at most k literals hold (attributes or their
            complements).
        r : int, default=1
            How many of them a positive example needs: 1 for a disjunction, k for a conjunction.
        attribute_errors : float
            Assumed noise: how many values in all examples would have to change for this to hold.

        Returns
        -------
        Certificate
            The mistakes, the bound and the theorem; it can be printed.
        """
        self._check_begun()
        require(isinstance(k, Integral) and k >= 1, "k must be an integer >= 1", k)
        require(isinstance(r, Integral) and 1 <= r <= k, f"r must be an integer from 1 to k = {k}", r)
        require(attribute_errors >= 0, "attribute_errors must be >= 0", attribute_errors)
        n = self.n_features_in_
        state = self._symmetric.state
        if state.parameters["always"][0]:
            bound, theorem = inf, "theory only covers mistake-driven updates (SASB)"
        elif state.lead.shape[1] > 1:
            bound, theorem = inf, "theory covers the current hypothesis alone, not a vote (voting=0)"
        elif r > n:
            bound, theorem = inf, f"a target of at least {r} literals needs as many attributes, and there are {n}"
        else:
            sizes = range(r, min(k, n) + 1)
            bound = max(bounds.sasb_threshold(r, size, n, attribute_errors) for size in sizes)
            theorem = "a theorem after Littlestone & Mesterharm 1997"
        noise = f", but for {attribute_errors:g} attribute errors" if attribute_errors else ""
        each = ", for each class against the rest" if len(self.classes_) > 2 else ""
        target = f"a disjunction of at most {k}" if r == 1 else f"at least {r} of at most {k}"
        return Certificate(
            int(self._learner.counts[1:, 1].max()), bound, theorem, f"{target} of {n} literals{noise}{each}"
        )

    @property
    def _symmetric(self) -> SymmetricLearner:
        return cast(SymmetricLearner, self._learner)

    def _policy(self) -> Policy:
        require(self.binarize is not None, "binarize must be a number: matches are counted", self.binarize)
        policy: Policy = getattr(self, "policy", "mistake")
        return policy

    @property
    @reads
    def matches_(self) -> NDArray[np.int64]:
        """How often each attribute matched the label, one row per learner."""
        return self._symmetric.matches


@dataclass(kw_only=True, eq=False, repr=False)
class SBSB(SymmetricClassifier):
    """SBSB: the Bayesian learner for one relevant attribute, which matches the label with an unknown probability.

    Parameters
    ----------
    voting : int, default=0
        Number of recent hypotheses that vote beside the current one: those before the last so many mistakes. The
        current one breaks ties.
    policy : {"always", "mistake"}
        When to update: with "mistake" it is :class:`SASB`.
    {shared}

    ``predict_proba``, with ``policy="always"`` and ``voting=0``, is the posterior probability of each class.

    References
    ----------
    Littlestone & Mesterharm, "An apobayesian relative of Winnow", section 2.

    Examples
    --------
    >>> from winnowkit import SBSB
    >>> from winnowkit.data import streams
    >>> X, y = streams.bernoulli(n=20, k=1, p=0.01, seed=0).take(1000)
    >>> model = SBSB().partial_fit(X, y, classes=[0, 1])
    >>> model.n_mistakes_, int(model.matches_.argmax())
    (10, 0)
    >>> model.predict_proba(X[:1]).round(3)
    array([[0.009, 0.991]])
    """

    policy: Policy = "always"

    def _has_probabilities(self) -> bool:
        return is_posterior(self)

    def _probabilities(self, X: Any) -> NDArray[np.float64]:
        return probabilities(self.decision_function(X))


@dataclass(kw_only=True, eq=False, repr=False)
class SASB(SymmetricClassifier):
    """SASB: SBSB that learns from its mistakes only. Needs no parameters, and makes use of many relevant attributes.

    Its mistakes are bounded if the classes are linearly separable by a margin delta: O(log(n / delta) / delta^2);
    ``certificate`` gives the number.

    Parameters
    ----------
    voting : int, default=0
        Number of recent hypotheses that vote beside the current one: those before the last so many mistakes. The
        current one breaks ties. The vote changes no update; it improves the rate of mistakes in the long run.
    {shared}

    References
    ----------
    Littlestone & Mesterharm, "An apobayesian relative of Winnow", section 3.

    Examples
    --------
    >>> from winnowkit import SASB
    >>> from winnowkit.data import streams
    >>> X, y = streams.bernoulli(n=20, k=5, p=0.1, seed=0).take(5000)
    >>> [SASB(voting=voting).partial_fit(X, y, classes=[0, 1]).n_mistakes_ for voting in (0, 30)]
    [119, 74]
    >>> X, y = streams.disjunction(n=1000, k=3, seed=0).take(20_000)
    >>> certificate = SASB().partial_fit(X, y, classes=[0, 1]).certificate(k=3)
    >>> certificate.mistakes, round(certificate.bound)
    (55, 285)
    """
