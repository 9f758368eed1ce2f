"""A learner that needs no parameters: ten experts for boolean and real values, mixed by logistic regression.

No single rule is best everywhere: eliminating BEGs on clean disjunctions, AROW and adaptive gradients on text, coin
betting on short streams. All of them learn in one pass, whatever the others say, and a small logistic regression learns
how much each is worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from winnowkit import bounds
from winnowkit.core.certificate import Certificate
from winnowkit.core.csr import Rows
from winnowkit.core.learner import GrowingLearner, require
from winnowkit.core.locking import reads
from winnowkit.core.online_classifier import Weights
from winnowkit.core.posterior import logistic_probabilities
from winnowkit.linear.averaging import AveragingClassifier
from winnowkit.linear.classifier import LinearClassifier
from winnowkit.linear.committee_learner import CommitteeLearner
from winnowkit.linear.family import NAMES
from winnowkit.linear.members import MembersLearner
from winnowkit.linear.mixing import BETA
from winnowkit.linear.scaled import ScaledClassifier


@dataclass(kw_only=True, eq=False, repr=False)
class Committee(AveragingClassifier):
    """Ten linear experts, learned in one pass and mixed by logistic regression: nothing to tune.

    Values may be any real numbers: counts, tf-idf weights, signed hashes, or 0 and 1. Each is divided by the largest
    absolute value of its column so far. Missing values are not allowed; strings have to be encoded first.

    Parameters
    ----------
    members : "family" or list of learners, default="family"
        The experts. "family" are the ten built-in ones, which learn in one fast kernel. A list of linear learners, such
        as ``[Winnow2(), AROW()]``, takes several times as long; those of boolean attributes see which values are above
        their `binarize`. Their own `class_weight`, `max_epochs`, `shuffle` and seed do not matter.
    share : float, default=0
        Above 0 the committee follows a target that changes: the part of all votes that returns to the first proportions
        after each trial, in [0, 1). A hundredth is a good choice.
    max_epochs : int, default=5
        Number of passes of `fit`: each is a run of its own from nothing, with the rows in another order, and the model
        is their mean. More passes never hurt, and cost time. Members from a list make a single pass, as the weights of
        most learners cannot be averaged.
    shuffle : bool, default=True
        Whether `fit` shuffles the rows. False: a single pass in the order of the rows, as `partial_fit` makes it.
    class_weight : dict, "balanced" or None
        Weights of the classes, by which the weights of the examples are multiplied in `fit`; in `partial_fit` a dict.
    random_state : int, RandomState, Generator or None
        Seed of the orders.
    n_jobs : int or None
        Threads of `fit` (over passes), `predict` and `decision_function`.

    Attributes
    ----------
    classes_ : array
        The labels; ``classes_[1]`` is the positive one.
    expert_names_ : tuple of str
        What the experts are.
    expert_weights_ : array of shape (experts,)
        Log-odds per unit of an expert's score, as the mix has learned them.
    expert_mistakes_ : array of shape (experts,)
        Wrong labels that each expert voted for. One that rests for all classes repeats the mix from then on, so that
        this is no measure of an expert on its own.
    attribute_weights_ : array of shape (learners, attributes)
        What each attribute adds to the log-odds, at its largest value in a typical example.
    n_trials_, n_mistakes_ : int
        Examples learned from, over all passes, and how many of them were first predicted wrongly.

    See Also
    --------
    Winnow2 : One learner, and faster.
    winnowkit.bounds.weighted_majority : Its bound.

    Notes
    -----
    A sample weight of w, a whole number, is the same as w presentations of the example in a row; 0 is the same as its
    absence. The fraction that is left scales the last step: a power of the factor of a BEG, a variance r / w in AROW, a
    scaled gradient elsewhere.

    References
    ----------
    Crammer, Kulesza & Dredze 2009, Adaptive regularization of weight vectors. Orabona & Tommasi 2017, Training deep
    networks without learning rates through coin betting. Ross, Mineiro & Langford 2013, Normalized online learning.
    Ghai, Hazan & Singer 2020, Exponentiated gradient meets gradient descent. Littlestone & Warmuth 1994, The weighted
    majority algorithm. Herbster & Warmuth 1998, Tracking the best expert.

    Examples
    --------
    >>> from winnowkit import Committee
    >>> from winnowkit.data import streams
    >>> for noise in (0.0, 0.02):
    ...     X, y = streams.disjunction(n=100_000, k=5, label_noise=noise, seed=0).take(20_000)
    ...     model = Committee(shuffle=False).fit(X, y)
    ...     print(model.n_mistakes_, "mistakes")
    """

    members: Any = "family"
    share: float = 0.0

    def _begin(self, n_features: int, n_learners: int) -> CommitteeLearner | MembersLearner:
        if self._is_family:
            return CommitteeLearner.begin(n_features, n_learners, self.share)
        return self._of_members([member._begin(n_features, n_learners) for member in self._ordered_members()])

    def _begin_growing(self, n_features: int, n_learners: int) -> GrowingLearner:
        if self._is_family:
            return super()._begin_growing(n_features, n_learners)
        return self._of_members([member._begin_growing(n_features, n_learners) for member in self._ordered_members()])

    def _of_members(self, learners: list[Any]) -> MembersLearner:
        thresholds = [float(m.binarize or 0.0) for m in self._ordered_members() if isinstance(m, LinearClassifier)]
        return MembersLearner.begin(learners, thresholds, self.share)

    @property
    def _is_family(self) -> bool:
        return isinstance(self.members, str) and self.members == "family"

    def _ordered_members(self) -> list[Any]:
        """Check the members and return them, those of boolean attributes first."""
        members = self.members if isinstance(self.members, (list, tuple)) else []
        known = all(isinstance(member, (LinearClassifier, ScaledClassifier)) for member in members)
        require(
            len(members) > 0 and known,
            "members must be 'family' or a list of linear learners such as [Winnow2(), AROW()]",
            self.members,
        )
        boolean = [member for member in members if isinstance(member, LinearClassifier)]
        for member in boolean:
            sound = member.binarize is not None and 0.0 <= member.binarize < inf
            require(sound, f"binarize of the member {type(member).__name__} must be a number >= 0", member.binarize)
        return [*boolean, *(member for member in members if not isinstance(member, LinearClassifier))]

    def _further_epochs(
        self, rows: Rows, labels: NDArray[np.int64], weights: Weights, rng: np.random.Generator | None
    ) -> None:
        if self._is_family:
            super()._further_epochs(rows, labels, weights, rng)

    # --- predicting -------------------------------------------------------------------------------------------------

    @reads
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of the classes, calibrated on line: those of the mix before each update.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, attributes)
            The examples.

        Returns
        -------
        array of shape (rows, classes)
            The largest is that of the label which `predict` returns.
        """
        self._check_begun()
        return logistic_probabilities(self._by_rows(self._learner.decide, X))

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    def _committee(self) -> CommitteeLearner | MembersLearner:
        return cast(CommitteeLearner | MembersLearner, self._learner)

    @property
    @reads
    def expert_names_(self) -> tuple[str, ...]:
        """What the experts are; members from a list are named by their parameters, those of booleans first."""
        if self._is_family:
            return NAMES
        return tuple(" ".join(repr(member).split()) for member in self._ordered_members())

    @property
    @reads
    def expert_weights_(self) -> NDArray[np.float64]:
        """Log-odds per unit of an expert's score, as the mix has learned them."""
        return self._committee.mix.weights[:-1].copy()

    @property
    @reads
    def expert_mistakes_(self) -> NDArray[np.int64]:
        """How many wrong labels each expert voted for; one that rests for all classes repeats the mix."""
        return self._committee.mix.label_mistakes[:-1].copy()

    @property
    @reads
    def attribute_weights_(self) -> NDArray[np.float64]:
        """What each attribute adds to the log-odds, at its largest value in a typical example."""
        return self._committee.attribute_weights

    @reads
    def certificate(self) -> Certificate:
        """Compare the mistakes so far with the bound of the final vote, given the mistakes of the best voter.

        Returns
        -------
        Certificate
            The mistakes, the bound and the theorem; it can be printed.
        """
        self._check_begun()
        mix = self._committee.mix
        n_experts, passes = len(mix.votes) - 1, int(mix.settings[1])
        inverse_priors = [2 * n_experts] * n_experts + [2]
        of_voters = [
            bounds.weighted_majority(BETA, n, int(m)) + (passes - 1) * bounds.weighted_majority(BETA, n, 0)
            for n, m in zip(inverse_priors, mix.label_mistakes, strict=True)
        ]
        best = int(np.argmin(of_voters))
        name = "the mix" if best == n_experts else self.expert_names_[best]
        assumes = f"anything at all: {name} made {mix.label_mistakes[best]} mistakes"
        if self.share > 0:
            return Certificate(self.n_mistakes_, inf, "the theorem here covers votes without sharing", assumes)
        return Certificate(self.n_mistakes_, of_voters[best], "Littlestone & Warmuth 1994", assumes)
