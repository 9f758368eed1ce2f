"""A learner that needs no parameters: Weighted Majority over a family of linear learners.

The family was chosen by simulation on disjunctions of 5 of 1,000 to 1,000,000 attributes, uniform and Zipf, clean and
with 2% of the labels flipped: no single setting is good on all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import e, inf
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from winnowkit import bounds
from winnowkit.core.certificate import Certificate
from winnowkit.core.learner import require
from winnowkit.core.online import generator
from winnowkit.core.online_classifier import OnlineClassifier
from winnowkit.linear.beg import thresholded_beg
from winnowkit.linear.classifier import LinearClassifier
from winnowkit.linear.committee_learner import CommitteeLearner, Voting
from winnowkit.linear.rule import LinearRule


@dataclass(kw_only=True, eq=False, repr=False)
class Committee(OnlineClassifier):
    """Weighted Majority over linear learners with different parameters, run in one pass: nothing to tune.

    Parameters
    ----------
    members : "family" or list of estimators
        "family" is a built-in choice that does well with and without noise, among few attributes and millions. Or a
        list of linear classifiers of this package with one weight per attribute (all but `BalancedWinnow`); their own
        `binarize`, `negations` and parameters of `fit` are not used.
    beta : float, default=0.5
        Factor for the weight of a member that errs, in (0, 1).
    share : float, default=0
        Part of all weight that is shared out equally after each trial, in [0, 1): above 0, the committee follows a
        target that changes, and the weights of the built-in members stay above a floor, so that they follow too.
    prediction : {"majority", "probability"}
        By the weighted majority, or at random: each label with the probability that is its share of the weight. That
        halves the expected mistakes that theory allows where experts err, and is seeded by `random_state`.
    binarize : float, default=0.0
        A value above it counts as 1, any other as 0. None takes values in [0, 1] as they are.
    negations : bool, default=False
        Give the complement of every attribute a weight too.
    max_epochs : int, default=1
        The largest number of passes of `fit` over the rows.
    shuffle : bool, default=False
        Whether each epoch of `fit` takes the rows in another order.
    random_state : int, RandomState, Generator or None
        Seed of that order, and of random predictions.
    n_jobs : int or None
        Threads of `predict` and `decision_function`; on-line learning is sequential.

    Attributes
    ----------
    classes_ : array
        The labels; ``classes_[1]`` is the positive one.
    weights_ : array of shape (committees, members)
        Weights of the votes, the largest being 1.
    leader_coef_ : array of shape (committees, attributes)
        Contribution of each attribute to the score of the heaviest member.
    member_mistakes_ : array of shape (committees, members)
        Mistakes of the members (with more than two classes: each class against the rest).
    n_trials_, n_mistakes_ : int
        Examples learned from, and how many of them were first predicted wrongly.

    See Also
    --------
    Winnow2 : One learner, and faster.
    ThresholdedBEG : Its built-in members.
    winnowkit.bounds.weighted_majority : Its bound.

    References
    ----------
    Littlestone & Warmuth 1994, The weighted majority algorithm. Herbster & Warmuth 1998, Tracking the best expert.

    Examples
    --------
    >>> from winnowkit import Committee
    >>> from winnowkit.data import streams
    >>> for noise in (0.0, 0.02):
    ...     X, y = streams.disjunction(n=100_000, k=5, label_noise=noise, seed=0).take(20_000)
    ...     model = Committee().fit(X, y)
    ...     print(model.n_mistakes_, "mistakes; the best member made", model.member_mistakes_.min())
    18 mistakes; the best member made 16
    406 mistakes; the best member made 403
    """

    members: Literal["family"] | Sequence[LinearClassifier] = "family"
    beta: float = 0.5
    share: float = 0.0
    prediction: Voting = "majority"

    def _begin(self, n_features: int, n_learners: int) -> CommitteeLearner:
        seed = int(generator(self.random_state).integers(2**62)) if self.prediction == "probability" else 0
        return CommitteeLearner.gather(
            self._rules_for(n_features),
            n_learners,
            n_features,
            self.negations,
            beta=self.beta,
            share=self.share,
            voting=self.prediction,
            seed=seed,
        )

    def _begin_growing(self, n_features: int, n_learners: int) -> CommitteeLearner:
        return self._begin(n_features, n_learners).follow(self._rules_for)

    def _rules_for(self, n_features: int) -> list[LinearRule]:
        """The rules of the members for so many attributes."""
        n = max(2, n_features * (1 + self.negations))
        if isinstance(self.members, str):
            require(self.members == "family", "members must be 'family' or a list of linear classifiers", self.members)
            return family(n, FLOOR if self.share > 0 else 0.0)
        rules = []
        for member in self.members:
            require(isinstance(member, LinearClassifier), "members must be linear classifiers of winnowkit", member)
            rules.append(member._rule(n))
            require(not rules[-1].update.balanced, "members must keep one weight per attribute", member)
        return rules

    @property
    def _committee(self) -> CommitteeLearner:
        return cast(CommitteeLearner, self._learner)

    @property
    def weights_(self) -> NDArray[np.float64]:
        """Weights of the members' votes, with one row per committee, the largest being 1."""
        return self._committee.votes.weights.copy()

    @property
    def member_mistakes_(self) -> NDArray[np.int64]:
        """Mistakes of the members, with one row per committee."""
        return self._committee.counts[1:, 1].reshape(self._committee.votes.weights.shape).copy()

    @property
    def leader_coef_(self) -> NDArray[np.float64]:
        """Contribution of each attribute to the score of the heaviest member, with one row per committee."""
        return self._committee.leader_coef

    def certificate(self) -> Certificate:
        """Compare the mistakes so far with Weighted Majority's bound, given those of the best member.

        Returns
        -------
        Certificate
            The mistakes, the bound and the theorem; it can be printed.
        """
        self._check_begun()
        best = int(self.member_mistakes_.min(axis=1).max())
        assumes = f"anything at all: the best of {self.weights_.shape[1]} members made {best} mistakes"
        if self.share > 0 or self.prediction == "probability":
            bound, theorem = inf, "the theorem here covers majority votes without sharing"
        elif len(self.classes_) > 2:
            bound, theorem = inf, "the theorem covers two classes"
        else:
            bound = bounds.weighted_majority(self.beta, self.weights_.shape[1], best)
            theorem = "Littlestone & Warmuth 1994"
        return Certificate(self.n_mistakes_, bound, theorem, assumes)


# beta0, beta1, initial weight times n, margin relative to theta. Each is a Thresholded-BEG that updates also when the
# score is close to theta. The first two are for clean labels (beta0 = 0 eliminates), the others for noisy ones, where
# the wide margin makes them as good as Bayes-BEG with policy "always"; a larger beta1 needs fewer sightings of an
# attribute, which is best when there are very many attributes.
FAMILY = ((0.0, 3.0, 4.0, 0.5), (0.0, 32.0, 1.0, 0.5), (0.5, 2.0, 1.0, 0.9), (0.5, 8.0, 1.0, 0.9))
THETA = 0.4


def family(n: int, floor: float = 0.0) -> list[LinearRule]:
    """Return the rules of the built-in members; no weight falls below `floor` times its initial value."""
    members = []
    for beta0, beta1, initial, margin in FAMILY:
        rule = thresholded_beg(n, e, beta0, beta1, THETA, min(0.5, initial / n), "mistake")
        if floor > 0.0:
            rule = rule._replace(update=rule.update._replace(floor=float(np.log(floor))))
        members.append(rule._replace(margin=margin * THETA))
    return members


FLOOR = 0.5  # of the weights of built-in members, relative to the initial ones, when the target may change
