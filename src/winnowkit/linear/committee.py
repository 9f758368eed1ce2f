"""A learner that needs no parameters: ten experts for boolean and real values, mixed by logistic regression.

No single rule is best everywhere: eliminating BEGs on clean disjunctions, AROW and adaptive gradients on text, coin
betting on short streams. All of them learn in one pass, whatever the others say, and a small logistic regression learns
how much each is worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, Self, cast

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from winnowkit import bounds
from winnowkit.core.certificate import Certificate
from winnowkit.core.csr import Rows
from winnowkit.core.learner import BadRowsError
from winnowkit.core.multiclass import encode_labels, n_learners_for
from winnowkit.core.online import generator
from winnowkit.core.online_classifier import OnlineClassifier
from winnowkit.core.posterior import logistic_probabilities
from winnowkit.core.transaction import all_or_nothing
from winnowkit.core.validation import repaired_rows
from winnowkit.linear.committee_learner import CommitteeLearner
from winnowkit.linear.family import NAMES
from winnowkit.linear.mixing import BETA


@dataclass(kw_only=True, eq=False, repr=False)
class Committee(OnlineClassifier):
    """Ten linear experts, learned in one pass and mixed by logistic regression: nothing to tune.

    Values may be any real numbers: counts, tf-idf weights, signed hashes, or 0 and 1. Each is divided by the largest
    absolute value of its column so far. Missing values are not allowed; strings have to be encoded first.

    Parameters
    ----------
    share : float, default=0
        Above 0 the committee follows a target that changes: the part of all votes that returns to the first proportions
        after each trial, in [0, 1). A hundredth is a good choice.
    max_epochs : int, default=5
        Number of passes of `fit`: each is a run of its own from nothing, with the rows in another order, and the model
        is their mean. More passes never hurt, and cost time.
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
        Labels that each expert predicted wrongly.
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
    ...     print(model.n_mistakes_, "mistakes; the best expert made", model.expert_mistakes_.min())
    """

    share: float = 0.0
    max_epochs: int = 5
    shuffle: bool = True
    class_weight: Any = None

    def _begin(self, n_features: int, n_learners: int) -> CommitteeLearner:
        return CommitteeLearner.begin(n_features, n_learners, self.share)

    # --- learning ---------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Forget everything and learn from the rows of X, in `max_epochs` passes of their own.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, attributes)
            The examples.
        y : array-like of shape (rows,)
            Their labels.
        sample_weight : array-like of shape (rows,), optional
            Their weights, >= 0.

        Returns
        -------
        self
            The learner. If `fit` is interrupted, it is the mean of the passes that were complete, if any was.
        """
        with all_or_nothing(self):
            X, y = self._validated(X, y, reset=True)
            check_classification_targets(y)
            classes, labels = np.unique(y, return_inverse=True)
            self._start(X.shape[1], classes)
            weights = self._weights(sample_weight, X, y)
            rng = generator(self.random_state)
            orders = [rng.permutation(len(labels)) for _ in range(self.max_epochs)] if self.shuffle else []
            rows = self._pass(X, labels, orders[0] if orders else None, weights)
        self._further_passes(rows, labels, orders[1:], weights)
        return self

    def _pass(
        self, X: Any, labels: NDArray[np.int64], order: NDArray[np.int64] | None, weights: NDArray[np.float64] | None
    ) -> Rows:
        """Learn from the rows of X, put in order if need be; returns them."""
        rows: Rows = self._rows(X)
        try:
            self._committee.learn(rows, labels, order, weights=weights)
        except BadRowsError as bad:
            rows = repaired_rows(X, bad.flags, self)
            self._committee.learn(rows, labels, order, weights=weights)
        return rows

    def _further_passes(
        self,
        rows: Rows,
        labels: NDArray[np.int64],
        orders: list[NDArray[np.int64]],
        weights: NDArray[np.float64] | None,
    ) -> None:
        """Add further passes to the mean, a few at a time if there are several threads."""

        def one(order: NDArray[np.int64]) -> CommitteeLearner:
            learner = self._begin(self.n_features_in_, n_learners_for(len(self.classes_)))
            learner.learn(rows, labels, order, weights=weights)
            return learner

        n_jobs = min(effective_n_jobs(self.n_jobs), max(1, len(orders)))
        done = 1
        for first in range(0, len(orders), n_jobs):
            together = orders[first : first + n_jobs]
            calls = (delayed(one)(order) for order in together)
            learners = [one(together[0])] if n_jobs == 1 else Parallel(n_jobs=n_jobs, prefer="threads")(calls)
            for learner in learners:
                done += 1
                self._committee.fold(learner, 1.0 / done)

    def partial_fit(
        self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Continue to learn, with one trial per row, in order.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, attributes)
            The examples.
        y : array-like of shape (rows,)
            Their labels.
        classes : array-like, optional
            All labels that may occur; required in the first call.
        sample_weight : array-like of shape (rows,), optional
            Their weights, >= 0.

        Returns
        -------
        self
            The learner.
        """
        with all_or_nothing(self):
            self._trials(X, y, self._classes_for(classes), sample_weight)
        return self

    def _trials(
        self, X: Any, y: Any, classes: NDArray[Any], sample_weight: ArrayLike | None = None
    ) -> NDArray[np.int64]:
        first = not self.__sklearn_is_fitted__()
        X, y = self._validated(X, y, reset=first)
        labels = encode_labels(classes, np.asarray(y))
        if first:
            self._start(X.shape[1], classes)
        weights = self._weights(sample_weight, X, y, on_line=True)
        try:
            return self._committee.learn(self._rows(X), labels, weights=weights)
        except BadRowsError as bad:
            return self._committee.learn(repaired_rows(X, bad.flags, self), labels, weights=weights)

    def _weights(
        self, sample_weight: ArrayLike | None, X: Any, y: Any, *, on_line: bool = False
    ) -> NDArray[np.float64] | None:
        """Weights of the examples times those of their classes; None if all are 1."""
        if on_line and isinstance(self.class_weight, str):
            raise ValueError(
                "class_weight='balanced' needs all labels at once; in partial_fit give a dict such as "
                "dict(zip(classes, compute_class_weight('balanced', classes=classes, y=y)))"
            )
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        if self.class_weight is None:
            return weights
        of_classes: NDArray[np.float64] = compute_sample_weight(self.class_weight, y)
        return of_classes if weights is None else weights * of_classes

    # --- predicting -------------------------------------------------------------------------------------------------

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = False  # real values are taken as they are
        return tags

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    def _committee(self) -> CommitteeLearner:
        return cast(CommitteeLearner, self._learner)

    @property
    def expert_names_(self) -> tuple[str, ...]:
        """What the experts are."""
        return NAMES

    @property
    def expert_weights_(self) -> NDArray[np.float64]:
        """Log-odds per unit of an expert's score, as the mix has learned them."""
        return self._committee.mix.weights[:-1].copy()

    @property
    def expert_mistakes_(self) -> NDArray[np.int64]:
        """How many labels each expert predicted wrongly."""
        return self._committee.mix.label_mistakes[:-1].copy()

    @property
    def attribute_weights_(self) -> NDArray[np.float64]:
        """What each attribute adds to the log-odds, at its largest value in a typical example."""
        return self._committee.attribute_weights

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
        name = "the mix" if best == n_experts else NAMES[best]
        assumes = f"anything at all: {name} made {mix.label_mistakes[best]} mistakes"
        if self.share > 0:
            return Certificate(self.n_mistakes_, inf, "the theorem here covers votes without sharing", assumes)
        return Certificate(self.n_mistakes_, of_voters[best], "Littlestone & Warmuth 1994", assumes)
