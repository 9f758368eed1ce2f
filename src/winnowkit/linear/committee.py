"""A learner that needs no parameters: ten experts for boolean and real values, mixed by logistic regression.

No single rule is best everywhere: eliminating BEGs on clean disjunctions, AROW and adaptive gradients on text, coin
betting on short streams. All of them learn in one pass, whatever the others say, and a small logistic regression learns
how much each is worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from numbers import Integral
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from winnowkit import bounds
from winnowkit.core.certificate import Certificate
from winnowkit.core.checks import require
from winnowkit.core.csr import Trials
from winnowkit.core.explaining import Asked
from winnowkit.core.learner import GrowingLearner
from winnowkit.core.posterior import logistic_probabilities
from winnowkit.core.transaction import reads
from winnowkit.linear.averaging import AveragingClassifier
from winnowkit.linear.classifier import LinearClassifier
from winnowkit.linear.committee_learner import CommitteeLearner
from winnowkit.linear.family import NAMES
from winnowkit.linear.members import MembersLearner
from winnowkit.linear.scaled import ScaledClassifier
from winnowkit.linear.voting import BETA

if TYPE_CHECKING:
    from winnowkit.linear.attributes import TopAttributes
    from winnowkit.rulesets.explanation import LinearExplanation


@dataclass(kw_only=True, eq=False, repr=False)
class Committee(AveragingClassifier):
    """Ten linear experts, learned in one pass and mixed by logistic regression: nothing to tune.

    Values may be any real numbers: counts, tf-idf weights, signed hashes, or 0 and 1. Each is divided by the largest
    absolute value of its column so far. Columns are not centred: standardise a few columns of measurements that are all
    far from 0. Missing values are not allowed; strings have to be encoded first.

    Parameters
    ----------
    members : "family" or list of learners, default="family"
        The experts. "family" are the ten built-in ones, which learn in one fast kernel. A list of linear learners, such
        as ``[Winnow2(), AROW()]``, takes several times as long; those of boolean attributes see which values are above
        their `binarize`. Their own `class_weight`, `max_epochs`, `shuffle` and seed do not matter.
    share : float, default=0
        Above 0 the committee follows a target that changes: the part of all votes that returns to the first proportions
        after each trial, in [0, 1). A hundredth is a good choice.
    {averaged_epochs}
    {class_weight}
    {n_jobs_of_passes}

    Attributes
    ----------
    {classes}
    expert_names_ : tuple of str
        What the experts are.
    expert_weights_ : array of shape (experts,)
        Log-odds per unit of an expert's score, as the mix has learned them.
    expert_mistakes_ : array of shape (experts,)
        Wrong labels that each expert voted for. Once an expert has been put to rest for all classes, its mistakes are
        no longer counted, so that few mistakes need not mean a good expert.
    attribute_weights_ : array of shape (learners, attributes)
        What each attribute adds to the log-odds, at its largest value in a typical example.
    n_trials_, n_mistakes_ : int
        Examples learned from in the first pass of `fit` and by `partial_fit`, and how many of them were first predicted
        wrongly. Further passes of `fit` predict nothing.

    See Also
    --------
    Winnow2 : One learner, and faster.
    winnowkit.bounds.weighted_majority : Its bound.
    winnowkit.bounds.fixed_share : Its bound with ``share > 0``.

    Notes
    -----
    A sample weight of w, a whole number, is the same as w presentations of the example in a row; 0 is the same as its
    absence. The fraction that is left scales the last step: a power of the factor of a BEG, a variance r / w in AROW, a
    scaled gradient elsewhere.

    Further passes of ``fit`` train the experts, and their means replace the experts of the first pass; the mix stays as
    the first pass has left it. They cost time, but little memory: a large model makes them a few classes at a time.
    Members from a list make a single pass, as the weights of most learners cannot be averaged.

    ``predict_proba`` is calibrated on line: the probabilities are those of the mix before each update, and the largest
    is that of the label which ``predict`` returns.

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
    12 mistakes
    394 mistakes
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

    def _further_epochs(self, trials: Trials, rng: np.random.Generator | None) -> None:
        if self._is_family:
            super()._further_epochs(trials, rng)

    # --- predicting -------------------------------------------------------------------------------------------------

    def _has_probabilities(self) -> bool:
        return True

    def _probabilities(self, X: Any) -> NDArray[np.float64]:
        return logistic_probabilities(self._by_rows(self._learner.decide, X))

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    def _committee(self) -> CommitteeLearner | MembersLearner:
        return cast(CommitteeLearner | MembersLearner, self._learner)

    @property
    @reads
    def expert_names_(self) -> tuple[str, ...]:
        """Names of the experts; members from a list are named by their parameters, those of booleans first."""
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
        """How many wrong labels each expert voted for, until it was put to rest for all classes."""
        return self._committee.mix.awake_mistakes.copy()

    @property
    @reads
    def attribute_weights_(self) -> NDArray[np.float64]:
        """Contribution of each attribute to the log-odds, at its largest value in a typical example."""
        return self._committee.attribute_weights

    @reads
    def top_attributes(self, max_attributes: int = 10, names: Any = None) -> TopAttributes:
        """Return the attributes that add most to the log-odds, each at its largest value in a typical example.

        Parameters
        ----------
        max_attributes, names : int, sequence of str
            As for :meth:`winnowkit.Winnow2.top_attributes`.

        Returns
        -------
        TopAttributes
            As a sequence, the heaviest first.
        """
        from winnowkit.linear.attributes import heaviest_log_odds  # noqa: PLC0415

        self._check_begun()
        return heaviest_log_odds(self, max_attributes, names)

    def _explained(self, asked: Asked) -> LinearExplanation:
        from winnowkit.linear.explanation import committee_amounts, explained  # noqa: PLC0415

        learner = self._learner
        if not isinstance(learner, CommitteeLearner):
            raise TypeError("explain needs the built-in experts, members='family'")
        rows = self._rows(asked.row.reshape(1, -1))
        return explained(asked, rows.indices, committee_amounts(learner, rows))

    @reads
    def certificate(self, changes: int = 0, mistakes: int | None = None) -> Certificate:
        """Compare the mistakes so far with the bound of the final vote, given the mistakes of the best voter.

        Voters are the experts and the mix. The bound assumes nothing about the examples: whatever they are, the vote
        makes few more mistakes than the best voter; with ``share > 0``, than any sequence of voters that changes a few
        times.

        Parameters
        ----------
        changes : int, default=0
            How often the sequence of voters changes, if ``share > 0``.
        mistakes : int, optional
            Assumed mistakes of that sequence. By default those of the best single voter so far, which are counted; a
            sequence that may change makes at most as many.

        Returns
        -------
        Certificate
            The mistakes, the bound and the theorem; it can be printed.
        """
        self._check_begun()
        require(isinstance(changes, Integral) and changes >= 0, "changes must be an integer >= 0", changes)
        require(mistakes is None or mistakes >= 0, "mistakes must be >= 0", mistakes)
        mix = self._committee.mix
        shares, counted = mix.settings[0] > 0.0, mix.label_mistakes.tolist()
        require(
            changes == 0 or shares, "changes need share > 0, as votes that are not shared follow one voter", changes
        )
        theorem = "Herbster & Warmuth 1998" if shares else "Littlestone & Warmuth 1994"
        anyone = 2 * (len(counted) - 1)  # 1 / the prior of any expert; that of the mix is a half
        if mistakes is not None:
            whose = f"a sequence of voters with {changes} change{'s' * (changes > 1)}" if changes else "a voter"
            assumes = f"such that {whose} makes at most {mistakes} mistakes"
            return Certificate(self.n_mistakes_, self._vote_bound(anyone, changes, mistakes), theorem, assumes)
        inverse_priors = [anyone] * len(counted[:-1]) + [anyone if changes else 2]
        of_voters = [self._vote_bound(p, changes, m) for p, m in zip(inverse_priors, counted, strict=True)]
        best = int(np.argmin(of_voters))
        name = (*self.expert_names_, "the mix")[best]
        known = f"as the best of its voters, {name}, made {counted[best]}"
        return Certificate(self.n_mistakes_, of_voters[best], theorem, "", known)

    def _vote_bound(self, inverse_prior: int, changes: int, mistakes: float) -> float:
        """Bound on the mistakes of the vote, given those of voters with this prior."""
        share = float(self._committee.mix.settings[0])
        if share > 0.0:
            n_trials = max(self.n_trials_, changes + 1)
            return bounds.fixed_share(BETA, share, inverse_prior, n_trials, changes, mistakes)
        return bounds.weighted_majority(BETA, inverse_prior, mistakes)
